"""Sequences of a discipline: ``evidence/NAME/sequences.toml``, read, played and judged.

Each ``[[sequence]]`` says

- ``name``, ``source``, ``why``: what it shows, who says so, and how that follows
- ``queue``, ``link``, ``seed``: the parameters of the discipline NAME, its link, its random stream
- ``operations``: what is done (:func:`.play.operated`). An operation may ``expect`` what holds once
  it is done, after its last repetition:

| name | what |
| --- | --- |
| ``packet`` | what came out, numbered in the order of arrival; ``"none"`` if nothing did |
| ``taken`` | whether the arrival was let in |
| ``drops``, ``marks`` | how many there were since the start; with a reason: ``drops.target`` |
| others | variables of the driver's state: ``packets``, ``codel.count``, ``flow[0].deficit`` |

A number is to be met but for rounding; two in a list are the least and the most.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sojourn.validate.entries import entries, wrong
from sojourn.validate.evidence import EvidenceError
from sojourn.validate.finding import Finding, Verdict
from sojourn.validate.play import Player, PlayError, Signal, operated, reason_of
from sojourn.validate.tolerance import ROUNDING


@dataclass(frozen=True)
class Sequence:
    """One entry of a ``sequences.toml``."""

    discipline: str
    place: Path
    name: str
    source: str
    why: str
    operations: list[dict[str, Any]]
    queue: dict[str, Any] = field(default_factory=dict)
    link: dict[str, float] = field(default_factory=dict)
    seed: int = 1

    @property
    def expectations(self) -> int:
        """How many things it expects."""
        return sum(len(each.get("expect", {})) for each in self.operations)


def load(folder: Path) -> list[Sequence]:
    """Read the sequences of a folder; none if it has no ``sequences.toml``.

    Raises :class:`EvidenceError` with the place of what is wrong.
    """
    found = entries(folder / "sequences.toml", "sequence", Sequence)
    return [_sequence(entry) for entry in found]


def _sequence(entry: dict[str, Any]) -> Sequence:
    sequence = Sequence(**entry)
    if not sequence.expectations:
        raise wrong(entry, "it expects nothing")
    return sequence


def found(said: Sequence) -> Finding:
    """Play a sequence; return its line of the table."""
    broken = broken_expectations(said)
    return Finding(
        evidence=said.discipline,
        discipline=said.discipline,
        case=said.queue.get("preset", "reference"),
        check=said.name,
        ours="; ".join(broken) or f"{said.expectations} met",
        theirs=f"{said.expectations} expectations",
        tolerance="none",
        verdict=Verdict.DIFFERS if broken else Verdict.AGREES,
        source=said.source,
    )


def broken_expectations(said: Sequence) -> list[str]:
    """Play a sequence; return what is not as expected, in words.

    Raises :class:`EvidenceError` for what cannot be played.
    """
    broken = []
    try:
        player = Player(said.discipline, said.queue, said.link, said.seed)
        for number, operation in operated(player, said.operations):
            for name, expected in operation.get("expect", {}).items():
                seen = _seen(player, name)
                if not _meets(seen, expected):
                    where = f"{number} ({operation['op']})"
                    broken.append(f"operation {where}: {name} is {seen}, not {expected}")
    except (PlayError, KeyError, TypeError) as error:
        raise EvidenceError(f"{said.place}: {said.name}: {reason_of(error)}") from None
    return broken


def _seen(player: Player, name: str) -> Any:
    record, reply = player.record, player.reply
    what, _, reason = name.partition(".")
    match what:
        case "packet":
            return "none" if reply["id"] is None else reply["id"]
        case "taken":
            return reply["ok"]
        case "drops":
            return _count(record.drops, reason)
        case "marks":
            return _count(record.marks, reason)
        case _:
            return reply["state"][name]


def _count(told: list[Signal], reason: str) -> int:
    return sum(reason in ("", each.reason) for each in told)


def _meets(seen: Any, expected: Any) -> bool:
    match expected:
        case [least, most]:
            return least <= seen <= most
        case bool() | str():
            return seen == expected
        case _:
            number = isinstance(seen, int | float)
            return number and abs(seen - expected) <= ROUNDING.allows(expected)
