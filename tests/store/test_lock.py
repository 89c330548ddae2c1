"""Folders that several processes, or users, work in."""

import os

import pytest

from sojourn.store.lock import Busy, held


@pytest.fixture
def foreign(tmp_path, monkeypatch):
    """A lock file of another user: it can be read, not written."""
    path, opened = tmp_path / ".lock", os.open

    def refuse(what, flags, *more):
        if flags & os.O_RDWR:
            raise PermissionError
        return opened(what, flags, *more)

    monkeypatch.setattr("sojourn.store.lock.os.open", refuse)
    return path


def test_a_file_of_another_user_can_be_held(foreign):
    foreign.touch()
    with held(foreign), pytest.raises(Busy), held(foreign):
        pass


def test_a_folder_that_cannot_be_written_is_refused(foreign):
    with pytest.raises(PermissionError), held(foreign):
        pass
