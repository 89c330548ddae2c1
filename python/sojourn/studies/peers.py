"""Our numbers beside those of the simulator that a publication used, for the same settings."""

from __future__ import annotations

import csv
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any

from scipy import special

from sojourn.stats import Interval, student_interval
from sojourn.stats.intervals import defined, mean_and_deviation
from sojourn.studies.base import Section
from sojourn.studies.knobs import Knob, Settings, settle
from sojourn.studies.tables import Table, figure_text, interval_text, percent_text


@dataclass(frozen=True)
class Peer:
    """A simulator: its key in names of files and columns, its name, and with its version."""

    key: str
    name: str
    version: str


NS2 = Peer("ns2", "ns-2", "ns-2 2.35")
NS3 = Peer("ns3", "ns-3", "ns-3")


@dataclass(frozen=True)
class Quantity:
    """A quantity that both report: our column, its name and unit, the difference allowed.

    `share` is relative to the peer's mean, `least` in the unit; the larger counts. `scale` turns
    the peer's unit into ours.
    """

    column: str
    peer: str
    heading: str
    share: float
    least: float = 0.0
    scale: float = 1.0


@dataclass(frozen=True)
class Measured:
    """What the peer measured: mean and standard deviation over its `n` seeds."""

    mean: float
    deviation: float
    n: int


@dataclass(frozen=True)
class Line:
    """One quantity of one setting, both sides. `expected` is half the width of the interval in
    which 99 of 100 differences fall if both draw from one law."""

    setting: str
    quantity: Quantity
    theirs: Measured
    ours: Interval
    expected: float | None

    @property
    def difference(self) -> float | None:
        """Ours less theirs."""
        return None if self.ours.mean is None else self.ours.mean - self.theirs.mean

    @property
    def within(self) -> bool:
        """Whether the difference is allowed, or no more than chance."""
        if self.difference is None:
            return False
        allowed = max(self.quantity.share * abs(self.theirs.mean), self.quantity.least)
        return abs(self.difference) <= max(allowed, self.expected or 0.0)


def read(package: str, peer: Peer = NS2) -> list[dict[str, str]]:
    """The rows of the peer's file, such as `ns2.csv`, in the package of a study.

    Lines that begin with # are comments.
    """
    text = resources.files(package).joinpath(f"{peer.key}.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(line for line in text.splitlines() if not line.startswith("#")))


def comparable(
    settings: Settings, study: str, knobs: Iterable[Knob], ignored: Collection[str] = ("replicas",)
) -> bool:
    """Whether the settings are those that the peer ran: all knobs at their defaults, but some."""
    theirs, mine = settle(study, knobs, {}).texts, settings.texts
    return all(theirs[name] == mine[name] for name in theirs if name not in ignored)


def measured(row: Mapping[str, str], quantity: Quantity) -> Measured:
    """One quantity of one row, in our unit."""
    mean, deviation = (float(row[f"{quantity.peer}_{part}"]) for part in ("mean", "sd"))
    return Measured(quantity.scale * mean, quantity.scale * deviation, int(row["n"]))


def line(
    setting: str, quantity: Quantity, theirs: Measured, values: Sequence[float | None]
) -> Line:
    """Both sides of one quantity; `values` are ours, one per replica."""
    return Line(
        setting, quantity, theirs, student_interval(values), by_chance(theirs, defined(values))
    )


def by_chance(theirs: Measured, values: list[float]) -> float | None:
    """Half of the 99 % interval of the difference of two means that come from one law.

    A prediction interval: the spread is pooled from both sides, or ours where the peer ran once.
    None with fewer than two values of ours.
    """
    if len(values) < 2:
        return None
    _, deviation = mean_and_deviation(values)
    freedom = len(values) - 1 + (theirs.n - 1)
    squares = (len(values) - 1) * deviation**2 + (theirs.n - 1) * theirs.deviation**2
    spread = math.sqrt(squares / freedom)
    quantile = float(special.stdtrit(freedom, 0.995))
    return quantile * spread * math.sqrt(1 / len(values) + 1 / theirs.n)


def section_or_reason(
    is_comparable: bool, lines: Iterable[Line], text: str, lasted: str, peer: Peer = NS2
) -> Section:
    """The comparison, or why there is none: the peer's runs `lasted` so long, ours are others."""
    if is_comparable:
        return section(list(lines), text, peer)
    reason = (
        f"{peer.name}'s numbers are for the study's own choices and {lasted}: these runs have "
        "others."
    )
    return Section(f"against-{peer.key}", f"Against {peer.name} itself", (reason,))


def section(lines: Sequence[Line], text: str, peer: Peer = NS2) -> Section:
    """All lines as a table, with how many are within."""
    rows: list[tuple[str, ...]] = []
    records: list[dict[str, Any]] = []
    for one in lines:
        share = (
            percent_text(one.difference / one.theirs.mean, 1)
            if one.difference is not None and one.theirs.mean
            else "-"
        )
        theirs = student_text(one.theirs)
        rows.append(
            (
                one.setting,
                one.quantity.heading,
                theirs,
                interval_text(one.ours),
                share,
                "within" if one.within else "outside",
            )
        )
        records.append(
            {
                "setting": one.setting,
                "quantity": one.quantity.column,
                f"{peer.key}_mean": one.theirs.mean,
                f"{peer.key}_sd": one.theirs.deviation,
                f"{peer.key}_n": one.theirs.n,
                "ours_mean": one.ours.mean,
                "ours_low": one.ours.low,
                "ours_high": one.ours.high,
                "within": one.within,
            }
        )
    within = sum(one.within for one in lines)
    table = Table(
        id=f"against-{peer.key}",
        caption=f"{peer.name}'s own numbers and ours",
        header=("Setting", "Quantity", peer.version, "Ours", "Difference", "Allowed"),
        rows=tuple(rows),
        note=(
            f"{peer.name}: mean ± standard deviation over its seeds. Ours: mean ± half the 95 % "
            "interval. Within: no further apart than goodput 2 %, queue and delay 10 % or 1 ms (or "
            "a packet), loss 15 % or 0.1 points, windows 5 %, Jain's index 0.02; or than chance "
            "makes them in 99 of 100 cases."
        ),
        numeric=False,
        records=records,
    )
    counted = f"{within} of {len(lines)} numbers are within what is allowed."
    return Section(
        f"against-{peer.key}", f"Against {peer.name} itself", (f"{text} {counted}",), (table,)
    )


def student_text(theirs: Measured) -> str:
    """Mean and standard deviation, with the number of seeds."""
    mean = figure_text(theirs.mean)
    if theirs.n < 2:
        return f"{mean} (one seed)"
    return f"{mean} ± {figure_text(theirs.deviation, 2)} ({theirs.n} seeds)"
