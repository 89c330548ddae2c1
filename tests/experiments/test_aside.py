"""Texts put aside come back as they were, and leave nothing behind."""

import errno

import pytest

from sojourn.experiments.aside import Aside


def test_texts_come_back_in_their_order_as_often_as_one_asks(tmp_path):
    aside = Aside(tmp_path)
    assert list(aside) == []
    aside.put([b"one", b"", b"three\n"])
    assert list(aside) == [b"one", b"", b"three\n"]
    aside.put(bytes([number]) * 1000 for number in range(100))
    assert list(aside) == [b"one", b"", b"three\n"] + [bytes([n]) * 1000 for n in range(100)]
    assert list(aside)[-1] == bytes([99]) * 1000


def test_the_file_has_no_name(tmp_path):
    aside = Aside(tmp_path)
    aside.put([b"text"])
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_named(tmp_path):
    aside = Aside(tmp_path)

    def texts():
        yield b"text"
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(OSError, match=tmp_path.name) as error:
        aside.put(texts())
    assert error.value.errno == errno.ENOSPC
