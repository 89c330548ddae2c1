"""Records: what is written is what is read, or nothing is."""

from hypothesis import given
from hypothesis import strategies as st

from sojourn.store import record
from sojourn.store.record import Damage, Found

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
