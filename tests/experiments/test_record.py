"""Records: what is written is what is read, or nothing is."""

import math
import sys
import zlib
from array import array

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sojourn.experiments import record
from sojourn.experiments.record import Damage, Found

KEYS = [bytes([number]) * 32 for number in range(4)]
PAYLOADS = [b"", b"one", record.MAGIC * 5, bytes(range(256)) * 3]
JOURNAL = b"".join(record.write(k, p) for k, p in zip(KEYS, PAYLOADS, strict=True))
BEGINS = [part.offset for part in record.scan(JOURNAL)]


def read(journal: bytes) -> dict[bytes, bytes | None]:
    """All whole records of a journal."""
    return {
        part.key: record.payload_of(journal[part.offset : part.offset + part.length])
        for part in record.scan(journal)
        if isinstance(part, Found)
    }


def test_a_journal_is_read_as_it_was_written():
    assert read(JOURNAL) == dict(zip(KEYS, PAYLOADS, strict=True))


def test_cut_off_anywhere_the_records_before_are_read():
    for end in range(len(JOURNAL)):
        whole = sum(begin <= end for begin in [*BEGINS[1:], len(JOURNAL)])
        assert read(JOURNAL[:end]) == dict(zip(KEYS[:whole], PAYLOADS[:whole], strict=True))
        damages = [part for part in record.scan(JOURNAL[:end]) if isinstance(part, Damage)]
        cut = end - [*BEGINS, len(JOURNAL)][whole]
        expected = [(cut, True)] if cut else []
        assert [(each.length, each.at_the_end) for each in damages] == expected


def test_any_flipped_bit_loses_its_record_alone():
    for bit in range(8 * len(JOURNAL)):
        flipped = bytearray(JOURNAL)
        flipped[bit // 8] ^= 1 << bit % 8
        hit = sum(begin <= bit // 8 for begin in BEGINS) - 1
        expected = dict(zip(KEYS, PAYLOADS, strict=True))
        del expected[KEYS[hit]]
        assert read(bytes(flipped)) == expected, bit
        (damage,) = (part for part in record.scan(bytes(flipped)) if isinstance(part, Damage))
        assert damage.offset == BEGINS[hit]


@given(st.binary(max_size=200), st.integers(0, len(JOURNAL)))
def test_rubbish_between_is_passed_over(rubbish, at):
    content = JOURNAL[:at] + rubbish + JOURNAL[at:]
    for key, payload in read(content).items():
        assert payload == PAYLOADS[KEYS.index(key)]


floats = st.floats(width=64, allow_nan=True, allow_infinity=True)


@settings(max_examples=50)
@given(st.lists(floats, max_size=20), st.text(max_size=20))
def test_tables_keep_every_bit(values, name):
    numbers = array("d", values)
    tables = {
        "links": {"name": [name], "delay_s": numbers},
        "drops": [(name, "drop", "overlimit", 3)],
        "series": [{"name": name, "time_s": numbers, "value": numbers[::-1]}],
    }
    again = record.decode(record.encode(tables))
    assert again["links"]["name"] == [name]
    assert again["links"]["delay_s"].tobytes() == numbers.tobytes()
    assert again["series"][0]["value"].tobytes() == numbers[::-1].tobytes()
    assert again["drops"] == [[name, "drop", "overlimit", 3]]


def test_records_with_spaces_in_their_text_are_read():
    text = b'{"total": {"name": [""], "x": {"f8": 1, "n": 2}}, "drops": [["\\u00e9", 3]]}'
    numbers = array("d", [0.0, 0.1, 5e-324])
    if sys.byteorder == "big":
        numbers.byteswap()
    payload = zlib.compress(len(text).to_bytes(4, "little") + text + numbers.tobytes())
    total = {"name": [""], "x": array("d", [0.1, 5e-324])}
    assert record.decode(payload) == {"total": total, "drops": [["é", 3]]}


def test_what_no_table_holds_is_refused():
    with pytest.raises(TypeError):
        record.encode({"links": {1, 2}})


def test_not_a_number_is_kept():
    again = record.decode(record.encode({"total": {"x": array("d", [math.nan, 1.0])}}))
    assert math.isnan(again["total"]["x"][0])
