"""Files take their place whole, or leave what was there and nothing beside it."""

import errno
import gc

import pytest

from sojourn.files.whole import Unfinished, write_whole


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_file_takes_its_place_when_it_is_told_to(tmp_path):
    path = tmp_path / "deeper" / "file"
    with Unfinished(path) as file:
        file.write(b"one ")
        file.write(b"two")
        assert not path.exists()
        file.take_place()
        assert path.read_bytes() == b"one two"
    assert names(path.parent) == ["file"]


@pytest.mark.parametrize("how", [KeyboardInterrupt, ValueError, None])
def test_what_was_there_stays(tmp_path, how):
    path = tmp_path / "file"
    path.write_bytes(b"old")

    def half():
        with Unfinished(path) as file:
            file.write(b"new")
            if how is not None:
                raise how

    if how is None:
        half()
    else:
        with pytest.raises(how):
            half()
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["file"]


def test_a_discarded_file_does_not_reach_into_the_one_after_it(tmp_path):
    path = tmp_path / "file"
    with Unfinished(path) as first:
        first.write(b"first, and longer")
        first.discard()
        write_whole(path, [b"second"])
    assert path.read_bytes() == b"second"
    assert names(tmp_path) == ["file"]


@pytest.mark.parametrize("name", ["file", "n" * 255, "\N{SNOWMAN}" * 85])
def test_two_at_once_under_two_names(tmp_path, name):
    path = tmp_path / name
    with Unfinished(path) as one, Unfinished(path) as two:
        one.write(b"one")
        two.write(b"two")
        one.take_place()
        assert path.read_bytes() == b"one"
        two.take_place()
    assert path.read_bytes() == b"two"
    assert names(tmp_path) == [name]


def test_who_ends_later_is_not_disturbed(tmp_path):
    path = tmp_path / "file"
    with Unfinished(path) as one:
        one.write(b"one")
        one.take_place()
        two = Unfinished(path)
        two.write(b"two")
    two.take_place()
    assert path.read_bytes() == b"two"
    assert names(tmp_path) == ["file"]


def test_what_no_block_has_begun_to_write_goes_too(tmp_path):
    """As where Ctrl-C comes just before it."""
    file = Unfinished(tmp_path / "file")
    assert len(names(tmp_path)) == 1
    del file
    gc.collect()
    assert names(tmp_path) == []


def test_a_full_disk_is_told_by_the_name_of_the_file(tmp_path, monkeypatch):
    def full(_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match=r"'.*file'") as error:
        write_whole(tmp_path / "file", [b"text"])
    assert error.value.errno == errno.ENOSPC
    assert names(tmp_path) == []
