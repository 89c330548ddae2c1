"""The part of an experiment that one machine carries out: ``--shard i/n``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Share:
    """Part ``number`` of ``parts``, counted from 1."""

    number: int = 1
    parts: int = 1

    @classmethod
    def read(cls, text: str) -> Share:
        """Read ``i/n``. Raises ValueError for anything else."""
        number, _, parts = text.partition("/")
        allowed = 'allowed: i/n with 1 <= i <= n, such as "2/8"'
        if not (number.isdecimal() and parts.isdecimal()):
            raise ValueError(f"found {text!r}; {allowed}")
        share = cls(int(number), int(parts))
        if not 1 <= share.number <= share.parts:
            raise ValueError(f"found {text!r}; {allowed}")
        return share

    def of(self, items: Sequence[T]) -> list[T]:
        """Its part of the items: every n-th."""
        return list(items[self.number - 1 :: self.parts])

    @property
    def is_whole(self) -> bool:
        """Whether it is everything."""
        return self.parts == 1

    def __str__(self) -> str:
        """As it is written on the command line."""
        return f"{self.number}/{self.parts}"


WHOLE = Share()
"""The whole experiment."""
