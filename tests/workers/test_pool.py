"""Processes that functions are called in."""

import signal
import time

import pytest

from sojourn.workers.pool import called


def test_what_was_done_is_handed_over_before_a_failure():
    calls = [(int, (text,)) for text in ("1", "2", "none", "3")]
    found = []

    def take():
        for batch in called(calls, 1):
            if batch and not found:
                # Meanwhile all are done.
                time.sleep(2)
            found.extend(batch)

    with pytest.raises(ValueError, match="none"):
        take()
    assert found == [(0, 1), (1, 2), (3, 3)]


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_a_worker_does_not_end_before_the_process_in_front(sent):
    """A batch system sends it to all processes of a job, in any order."""
    calls = [(signal.raise_signal, (sent,)), (int, ("1",))]
    assert [one for batch in called(calls, 1) for one in batch] == [(0, None), (1, 1)]
