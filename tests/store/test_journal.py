"""Runs appended together: of those that a disk takes, none is lost."""

import errno
import os

import pytest

from sojourn.files.whole import own_name
from sojourn.store import record
from sojourn.store.journal import Journal
from sojourn.store.runs import Store

RUNS = [(bytes([number]) * 32, bytes([number]) * 100) for number in range(4)]
FURTHER = [(bytes([number]) * 32, bytes([number]) * 100) for number in (7, 8)]
"""Of another process."""

RECORD = len(record.write(*RUNS[0]))


@pytest.mark.parametrize("room", range(0, 4 * RECORD, 37))
def test_what_a_full_disk_has_taken_whole_is_kept_and_one_can_go_on(tmp_path, monkeypatch, room):
    left, write = room, os.write

    def limited(file, content):
        nonlocal left
        if not left:
            raise OSError(errno.ENOSPC, "No space left on device")
        left -= (written := write(file, content[:left]))
        return written

    with Store(tmp_path).journal() as journal:
        monkeypatch.setattr(os, "write", limited)
        with pytest.raises(OSError, match="No space left"):
            journal.append(RUNS)
        monkeypatch.undo()
        whole = room // RECORD
        found = Store(tmp_path)
        assert (found.damages, list(found)) == ([], [key for key, _ in RUNS[:whole]])
        journal.append(RUNS[whole:])
    found = Store(tmp_path)
    assert found.damages == []
    assert {key: found.payload(key) for key in found} == dict(RUNS)


@pytest.mark.parametrize("taken", [0, 1, RECORD - 1, RECORD, 2 * RECORD + 5, 4 * RECORD])
def test_ctrl_c_at_a_write_takes_back_no_whole_record(tmp_path, monkeypatch, taken):
    write = os.write

    def interrupted(file, content):
        write(file, content[:taken])
        raise KeyboardInterrupt

    with Store(tmp_path).journal() as journal:
        monkeypatch.setattr(os, "write", interrupted)
        with pytest.raises(KeyboardInterrupt):
            journal.append(RUNS)
    found = Store(tmp_path)
    assert (found.damages, list(found)) == ([], [key for key, _ in RUNS[: taken // RECORD]])


def test_what_was_killed_as_it_tidied_goes_with_the_next(tmp_path):
    store = Store(tmp_path)
    for run in RUNS:
        with store.journal() as journal:
            journal.append([run])
    (tmp_path / "1-2.part").write_bytes(record.write(*RUNS[0]))
    store.tidy()
    (only,) = tmp_path.iterdir()
    assert only.suffix == ".journal"
    (tmp_path / "1-2.part").touch()
    store.tidy()
    assert list(tmp_path.iterdir()) == [only]
    assert {key: store.payload(key) for key in store} == dict(RUNS)


def test_what_another_command_tidies_stays(tmp_path):
    """Where no lock keeps the two apart."""
    other = tmp_path / f"{own_name()}.part"
    other.touch()
    Store(tmp_path).tidy()
    assert other.exists()


def three_runs_of_two(folder):
    """A store that has two runs in two journals, and another's journal with a third run."""
    store = Store(folder)
    for run in RUNS[:2]:
        with store.journal() as journal:
            journal.append([run])
    other = Journal(folder)
    other.append([FURTHER[0]])
    return store, other


def test_what_another_process_wrote_meanwhile_stays_where_there_are_no_locks(tmp_path, monkeypatch):
    """As some network file systems have none."""

    def none(*_):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("fcntl.flock", none)
    store, other = three_runs_of_two(tmp_path)
    store.tidy()
    with other:
        other.append([FURTHER[1]])
    assert len(list(tmp_path.iterdir())) == 2, "its own are one"
    found = Store(tmp_path)
    assert {key: found.payload(key) for key in found} == dict([*RUNS[:2], *FURTHER])


def test_what_another_process_has_finished_meanwhile_stays(tmp_path):
    store, other = three_runs_of_two(tmp_path)
    with other:
        pass
    store.tidy()
    assert set(Store(tmp_path)) == dict([*RUNS[:2], FURTHER[0]]).keys()
    # Read by now, all come into one.
    Store(tmp_path).tidy()
    assert len(list(tmp_path.iterdir())) == 1
    assert set(Store(tmp_path)) == dict([*RUNS[:2], FURTHER[0]]).keys()


def test_a_journal_that_has_grown_since_it_was_read_stays(tmp_path, monkeypatch):
    monkeypatch.setattr("fcntl.flock", lambda *_: None)
    with Journal(tmp_path) as other:
        other.append([FURTHER[0]])
        store = Store(tmp_path)
        with store.journal() as journal:
            journal.append(RUNS[:1])
        other.append([FURTHER[1]])
        store.tidy()
    assert set(Store(tmp_path)) == dict([RUNS[0], *FURTHER]).keys()


def test_a_journal_is_closed_though_ctrl_c_came_as_it_was_made(tmp_path, monkeypatch):
    opened, usual = [], os.open

    def noted(*given):
        opened.append(usual(*given))
        return opened[-1]

    def interrupted(_):
        raise KeyboardInterrupt

    monkeypatch.setattr("os.open", noted)
    monkeypatch.setattr("sojourn.store.journal.sync_folder", interrupted)
    with pytest.raises(KeyboardInterrupt), Journal(tmp_path) as journal:
        journal.append(RUNS)
    (file,) = opened
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(file)
