"""Calls that are ended from outside: the exception comes within them, and never afterwards."""

import threading
import time

import pytest

from sojourn._core import Cancelled
from sojourn.workers.endable import Endable, all_end


def test_an_exception_never_comes_after_a_call():
    calls, over, astray, ended = Endable(), threading.Event(), [], []

    def work():
        while not over.is_set():
            try:
                calls.call(lambda: sum(range(100)))
            except Cancelled:
                ended.append(True)
            except BaseException as error:
                astray.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    end = time.monotonic() + 0.5
    while time.monotonic() < end:
        calls.end()
    over.set()
    thread.join()
    assert astray == []
    assert ended


def test_what_fails_by_itself_fails_as_it_does():
    with pytest.raises(ZeroDivisionError):
        Endable().call(lambda: 1 // 0)


def test_what_cannot_be_ended_is_left_behind(monkeypatch):
    monkeypatch.setattr("sojourn.workers.endable.PATIENCE_S", 0.1)
    assert not all_end(threading.Event().wait, Endable())
