"""Lines of progress, where there is no terminal."""

import pytest

from sojourn.cli import progress


class Clock:
    """Stands for the module `time`: a test says what time it is."""

    now_s = 100.0

    def monotonic(self) -> float:
        return self.now_s


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(progress, "time", clock)
    return clock


def test_a_line_now_and_then_counts_what_is_under_way_and_estimates_the_end(clock, capsys):
    with progress.shown("study") as shown:
        for after_s, done, passed in ((1, 0, 0.1), (6, 0, 0.5), (9, 0, 0.9), (12, 1, 1.5)):
            clock.now_s = 100 + after_s
            shown.tell(done, 2, passed)
    lines = ["study: 0 of 2 runs, 18 s left", "study: 1 of 2 runs, 4 s left"]
    assert capsys.readouterr().err.splitlines() == lines


def test_where_others_are_counted_the_estimate_begins_anew(clock, capsys):
    with progress.shown("tries") as shown:
        for after_s, done in ((10, 4), (30, 1), (40, 2)):
            clock.now_s = 100 + after_s
            shown(done, 4)
    lines = ["tries: 4 of 4 runs, 0 s left", "tries: 1 of 4 runs, 60 s left"]
    assert capsys.readouterr().err.splitlines() == [*lines, "tries: 2 of 4 runs, 30 s left"]
