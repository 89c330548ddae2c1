"""Which point of which scenario a measured row belongs to."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sojourn.scenario import Scenario
from sojourn.validate.evidence import Evidence, EvidenceError, Row


@dataclass(frozen=True, order=True)
class Point:
    """A point of one of the networks."""

    network: int
    point: int


def points_of(evidence: Evidence, scenarios: Iterable[Scenario]) -> dict[Row, Point]:
    """Find the one point of each row.

    Raises :class:`EvidenceError` for a row that belongs to none or to several.
    """
    points = {
        Point(network, number): _flat(vary)
        for network, scenario in enumerate(scenarios)
        for number, vary in enumerate(scenario.vary)
    }
    found = {}
    known: dict[tuple[tuple[str, str], ...], list[Point]] = {}
    for row in evidence.rows:
        case = tuple(row.case.items())
        if case not in known:
            known[case] = [point for point, keys in points.items() if _agree(row.case, keys)]
        match known[case]:
            case [point]:
                found[row] = point
            case several:
                place = f"{evidence.name}/peer.csv:{row.line}"
                count = "no point" if not several else f"{len(several)} points"
                raise EvidenceError(f"{place}: {count} of the networks for {row.label!r}")
    return found


def _flat(vary: dict[str, Any]) -> dict[str, str]:
    """Flatten what varies to dotted keys and texts."""
    flat: dict[str, str] = {}
    for key, value in vary.items():
        if isinstance(value, dict):
            inner = _flat(value)
            flat |= {f"{key}.{name}": text for name, text in inner.items()}
        else:
            flat[key] = value if isinstance(value, str) else json.dumps(value)
    return flat


def _agree(case: dict[str, str], keys: dict[str, str]) -> bool:
    for column, wanted in case.items():
        values = [
            value for key, value in keys.items() if key == column or key.endswith("." + column)
        ]
        if values != ([wanted] if wanted else []):
            return False
    return True
