"""The files of a folder change together: it holds what was there before, or what came after."""

import os
import signal
import threading
from pathlib import Path

import pytest

import sojourn as sj
from sojourn.experiments.folder import TABLES, read
from sojourn.files.whole import write_together
from sojourn.signals import uninterrupted

FILES = len(TABLES) + len(["summary.json", "scenario.toml", "experiment.json"])


@pytest.fixture
def results(text):
    """The results of one seed."""
    return lambda seed: sj.run(sj.Scenario.from_toml(text(duration="600 ms")), seed=seed)


@pytest.fixture
def interrupt(monkeypatch):
    """Send a signal before the ``number``-th call of a function; count the calls."""

    def at(owner, name: str, number: int) -> list[int]:
        usual, calls = getattr(owner, name), []

        def noted(*given):
            calls.append(len(calls) + 1)
            if calls[-1] == number:
                signal.raise_signal(signal.SIGINT)
            return usual(*given)

        monkeypatch.setattr(owner, name, noted)
        return calls

    return at


def seed_of(out: Path) -> int:
    """That of what the folder holds, whole; nothing else lies there."""
    found = read(out).results
    assert {*found.runs["seed"]} == {found.seed}
    assert len(list(out.iterdir())) == FILES
    return found.seed


@pytest.mark.parametrize("number", range(1, FILES + 1))
def test_ctrl_c_while_files_are_written_leaves_what_was_there(results, tmp_path, interrupt, number):
    results(1).write(tmp_path)
    new = results(2)
    interrupt(os, "fsync", number)
    with pytest.raises(KeyboardInterrupt):
        new.write(tmp_path)
    assert seed_of(tmp_path) == 1


@pytest.mark.parametrize("number", range(1, FILES + 1))
def test_ctrl_c_while_files_take_their_places_waits(results, tmp_path, interrupt, number):
    results(1).write(tmp_path)
    new = results(2)
    calls = interrupt(Path, "replace", number)
    with pytest.raises(KeyboardInterrupt):
        new.write(tmp_path)
    assert len(calls) == FILES
    assert seed_of(tmp_path) == 2


def test_a_full_disk_leaves_what_was_there(results, tmp_path, monkeypatch):
    results(1).write(tmp_path)
    usual, calls = os.fsync, []

    def full(file):
        calls.append(file)
        if len(calls) == FILES - 1:
            raise OSError(28, "No space left on device")
        usual(file)

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        results(2).write(tmp_path)
    assert seed_of(tmp_path) == 1


@pytest.mark.parametrize("number", [1, 2])
def test_files_that_belong_together_too(tmp_path, interrupt, number):
    paths = [tmp_path / "a", tmp_path / "b"]
    write_together(dict.fromkeys(paths, b"old"))
    interrupt(Path, "replace", number)
    with pytest.raises(KeyboardInterrupt):
        write_together(dict.fromkeys(paths, b"new"))
    assert [path.read_bytes() for path in paths] == [b"new", b"new"]


def test_a_batch_system_waits_too():
    heard = []
    before = signal.signal(signal.SIGTERM, lambda *_: heard.append("later"))
    try:
        with uninterrupted():
            signal.raise_signal(signal.SIGTERM)
            assert not heard
        assert heard == ["later"]
    finally:
        signal.signal(signal.SIGTERM, before)


def test_another_thread_has_nothing_to_put_off():
    done = []

    def work():
        with uninterrupted():
            done.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert done == [signal.getsignal(signal.SIGINT)]
