"""One finished run as bytes, in such a way that damage is noticed.

    magic (4) | key (32) | length (4) | payload (length) | checksum (16)

The checksum is BLAKE2b over key, length and payload. The payload is the packed tables, as
``crates/scenario/src/outcome.rs`` describes them. Whatever has been flipped, cut off or overwritten
in a file, a record that passes the check is one that was written.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from sojourn._core import Tables
from sojourn.store.identity import KEY_BYTES

MAGIC = b"\xf5SJ1"
"""Begins every record; the reader searches for it after damage."""

HEAD = len(MAGIC) + KEY_BYTES + 4
CHECKSUM = 16
_LENGTH = struct.Struct("<I")


class Bytes(Protocol):
    """Bytes in memory or in a mapped file."""

    def __len__(self) -> int:
        """How many."""
        ...

    def __getitem__(self, part: slice, /) -> bytes:
        """A part of them."""
        ...

    def find(self, sub: bytes, start: int, /) -> int:
        """Where ``sub`` begins, from ``start`` on; -1 if nowhere."""
        ...


@dataclass(frozen=True)
class Found:
    """An intact record, and its place."""

    key: bytes
    offset: int
    length: int


@dataclass(frozen=True)
class Damage:
    """A stretch of a file that contains no intact record."""

    offset: int
    length: int
    at_the_end: bool


@dataclass(frozen=True)
class Packed:
    """The tables of a run, packed; and unpacked too unless they come from another process."""

    payload: bytes
    tables: Tables | None = None

    def __reduce__(self) -> tuple[type[Packed], tuple[bytes]]:
        """Send only the packed form to another process."""
        return Packed, (self.payload,)


def packed(tables: Tables) -> Packed:
    """Pack the tables of a run."""
    return Packed(tables.packed(), tables)


def write(key: bytes, payload: bytes) -> bytes:
    """Make the record of a run."""
    body = key + _LENGTH.pack(len(payload)) + payload
    return MAGIC + body + _checksum(body)


def payload_of(record: bytes) -> bytes | None:
    """The payload of a record; None if any part of it is damaged."""
    body = record[len(MAGIC) : -CHECKSUM]
    if record[: len(MAGIC)] != MAGIC or _checksum(body) != record[-CHECKSUM:]:
        return None
    return body[KEY_BYTES + _LENGTH.size :]


def scan(content: Bytes) -> Iterator[Found | Damage]:
    """Walk through a journal: every intact record, and every stretch of damage."""
    offset = bad_from = 0
    size = len(content)
    while offset < size:
        length = _whole_record(content, offset)
        if length is None:
            following = content.find(MAGIC, offset + 1)
            offset = size if following < 0 else following
            continue
        if bad_from < offset:
            yield Damage(bad_from, offset - bad_from, at_the_end=False)
        key = content[offset + len(MAGIC) : offset + len(MAGIC) + KEY_BYTES]
        yield Found(key, offset, length)
        offset = bad_from = offset + length
    if bad_from < size:
        yield Damage(bad_from, size - bad_from, at_the_end=True)


def _whole_record(content: Bytes, offset: int) -> int | None:
    """The length of the record that begins here; None if there is no intact one."""
    head = content[offset : offset + HEAD]
    if len(head) < HEAD or not head.startswith(MAGIC):
        return None
    (payload,) = _LENGTH.unpack(head[-_LENGTH.size :])
    length = HEAD + payload + CHECKSUM
    record = content[offset : offset + length]
    if len(record) < length or payload_of(record) is None:
        return None
    return length


def _checksum(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=CHECKSUM).digest()
