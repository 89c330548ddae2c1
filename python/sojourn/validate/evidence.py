"""A folder of evidence, read and checked.

``evidence.toml``: ``title``; ``networks``, the scenario files; optionally ``first_replicas``, the
replicas that are enough where all numbers of a point then agree (default: all); ``[[tolerance]]``
(``metrics``, ``relative``, ``absolute``, and ``where``, columns with the values that they must
have) and ``[[known]]`` (``where``, ``metrics``, ``reason``): differences that are explained.

``peer.csv``, one row per number: ``subject`` (a discipline or controller), ``peer``, ``version``,
``run`` (the command that gives the number; ``seed=N`` stands for the peer's seed), ``metric`` (a
path into what ``sojourn run --json`` prints, such as ``links.bottleneck.utilization``), ``n`` (runs
of the peer), ``mean`` and ``sd`` over them. Every other column is a key that varies in the
scenarios, or the end of one (``queue.discipline``); an empty cell means that the case does not give
the key.
"""

from __future__ import annotations

import csv
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FIXED = ("subject", "peer", "version", "run", "metric", "n", "mean", "sd")
"""Columns of ``peer.csv`` that do not choose a point."""


class EvidenceError(Exception):
    """Evidence that cannot be used: one line that names the place."""


@dataclass(frozen=True, eq=False)
class Row:
    """One number that a peer measured."""

    line: int
    subject: str
    peer: str
    run: str
    metric: str
    n: int
    mean: float
    sd: float
    case: dict[str, str]
    """Keys that vary, or ends of such, with their values; empty where not given."""

    @property
    def label(self) -> str:
        """What distinguishes the case, in words."""
        return ", ".join(value for value in self.case.values() if value)


@dataclass(frozen=True)
class Rule:
    """Something said of the rows that it matches."""

    where: dict[str, str]
    metrics: tuple[str, ...]
    content: dict[str, Any]

    def matches(self, row: Row) -> bool:
        """Whether it speaks of this row."""
        named = not self.metrics or any(row.metric.endswith(metric) for metric in self.metrics)
        cells = row.case | {"subject": row.subject}
        return named and all(cells.get(key) == value for key, value in self.where.items())


@dataclass(frozen=True)
class Evidence:
    """A body of evidence."""

    name: str
    title: str
    networks: tuple[Path, ...]
    rows: tuple[Row, ...]
    first_replicas: int | None = None
    tolerances: tuple[Rule, ...] = ()
    known: tuple[Rule, ...] = field(default=())


def names(root: Path) -> list[str]:
    """Return the names of all evidence under ``root``, sorted."""
    return sorted(path.parent.name for path in root.glob("*/evidence.toml"))


def load(folder: Path) -> Evidence:
    """Read a folder.

    Raises :class:`EvidenceError` with the place of the first thing that is wrong.
    """
    place = folder / "evidence.toml"
    try:
        said = tomllib.loads(place.read_text(encoding="utf-8"))
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise EvidenceError(f"{place}: {error}") from None
    if unknown := said.keys() - {"title", "networks", "first_replicas", "tolerance", "known"}:
        raise EvidenceError(f"{place}: unknown key {sorted(unknown)[0]!r}")
    rows = _rows(folder / "peer.csv")
    if not rows:
        raise EvidenceError(f"{folder / 'peer.csv'}: found no row")
    evidence = Evidence(
        name=folder.name,
        title=str(said["title"]),
        networks=tuple(folder / name for name in said["networks"]),
        rows=rows,
        first_replicas=said.get("first_replicas"),
        tolerances=tuple(_rule(entry) for entry in said.get("tolerance", [])),
        known=tuple(_rule(entry) for entry in said.get("known", [])),
    )
    for rule in (*evidence.tolerances, *evidence.known):
        if not any(rule.matches(row) for row in rows):
            raise EvidenceError(f"{place}: no row matches where = {rule.where}")
    return evidence


def _rule(entry: dict[str, Any]) -> Rule:
    content = {key: value for key, value in entry.items() if key not in ("where", "metrics")}
    where = {str(key): str(value) for key, value in entry.get("where", {}).items()}
    return Rule(where, tuple(entry.get("metrics", ())), content)


def _rows(place: Path) -> tuple[Row, ...]:
    try:
        with place.open(newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file)
            found = list(reader)
    except OSError as error:
        raise EvidenceError(f"{place}: {error.strerror}") from None
    if missing := set(FIXED) - set(reader.fieldnames or ()):
        raise EvidenceError(f"{place}: column {sorted(missing)[0]!r} is missing")
    return tuple(_row(place, line, cells) for line, cells in enumerate(found, start=2))


def _row(place: Path, line: int, cells: dict[str, str]) -> Row:
    try:
        return Row(
            line=line,
            subject=cells["subject"],
            peer=f"{cells['peer']} {cells['version']}",
            run=cells["run"],
            metric=cells["metric"],
            n=int(cells["n"]),
            mean=float(cells["mean"]),
            sd=float(cells["sd"] or 0),
            case={key: value for key, value in cells.items() if key not in FIXED},
        )
    except (ValueError, TypeError) as error:
        raise EvidenceError(f"{place}:{line}: {error}") from None
