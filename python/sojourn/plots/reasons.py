"""How each reason of drops and marks looks, the same in every figure and report.

Of bars without patterns only the colour tells reasons apart. These eleven were found by search: any
two are 20 units of L*a*b* apart for dichromats as well, and all can be seen on white and on dark
ground (`tests/plots`). Those that often stand side by side are light and dark in turn.
"""

from __future__ import annotations

from collections.abc import Iterable

REASON_COLOURS = {
    "overlimit": "#1155BB",
    "unforced": "#FFBBBB",
    "forced": "#BB3311",
    "target": "#BBBB11",
    "ce_threshold": "#993355",
    "blue": "#33DDFF",
    "match": "#BB7799",
    "head": "#99DD77",
    "penalty": "#775599",
    "ack_filter": "#7799FF",
    "link": "#779955",
}
"""Colour of each reason, in the order of tables."""

KINDS = {"drop": "dropped", "mark": "marked"}
"""What happens to a packet, and the word for it."""


def in_order(found: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Kinds with reasons, each once: drops before marks, reasons in the order of tables."""
    kinds, reasons = [*KINDS], [*REASON_COLOURS]
    return sorted(set(found), key=lambda one: (kinds.index(one[0]), reasons.index(one[1])))


def in_words(kind: str, reason: str) -> str:
    """What a key says: ``dropped: overlimit``."""
    return f"{KINDS[kind]}: {reason}"
