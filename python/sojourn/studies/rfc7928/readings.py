"""What is read of a run: quantities of the bottleneck, and of kinds of traffic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from sojourn.stats import Better
from sojourn.studies.base import Frames
from sojourn.studies.observed import Measure
from sojourn.studies.rfc7928.network import BOTTLENECK

KEYS = ("point", "replica")


@dataclass(frozen=True)
class Reading:
    """A measure, and where it comes from: a table, the row of a link or group, a column, a factor.

    Where `over` is given it is the ratio of two groups in that column, `row` over `over`.
    """

    measure: Measure
    table: str
    row: str
    column: str
    factor: float = 1.0
    over: str = ""

    def of(self, frames: Frames) -> pl.DataFrame:
        """One row per point and replica, with the column of the measure; null where undefined."""
        if self.over:
            first, second = (self._values(frames, row, row) for row in (self.row, self.over))
            ratio = pl.when(pl.col(self.over) > 0).then(pl.col(self.row) / pl.col(self.over))
            joined = first.join(second, on=list(KEYS), how="left")
            return joined.select(*KEYS, ratio.alias(self.measure.column))
        return self._values(frames, self.row, self.measure.column)

    def _values(self, frames: Frames, row: str, name: str) -> pl.DataFrame:
        frame: pl.DataFrame = getattr(frames, self.table)
        if row:
            frame = frame.filter(pl.col({"links": "link", "groups": "group"}[self.table]) == row)
        value = pl.col(self.column) if self.column in frame.columns else pl.lit(None)
        return frame.select(*KEYS, (value.cast(pl.Float64) * self.factor).alias(name))


class Variation(Reading):
    """Delay of a group that a share of its packets do not exceed, above the least of them.

    A quantile of the packet delay variation (RFC 5481, 4.2): `column` is the share. Of a single
    flow, since the least delay is one of all that the group sent.
    """

    def of(self, frames: Frames) -> pl.DataFrame:
        """One row per point and replica that had a packet."""
        rows = frames.delays.filter(
            (pl.col("entity") == "group") & (pl.col("name") == self.row)
        ).group_by(KEYS, maintain_order=True)
        at = pl.col("delay_s").filter(pl.col("share") == float(self.column)).first()
        least = pl.col("delay_s").filter(pl.col("share") == 0).first()
        return rows.agg(((at - least) * self.factor).alias(self.measure.column))


class Marks(Reading):
    """Marked packets as a share of those that came, in %."""

    def of(self, frames: Frames) -> pl.DataFrame:
        """One row per point and replica; null where none came."""
        came = pl.col("arrivals_packets")
        share = pl.when(came > 0).then(pl.col("marks_packets") / came * self.factor)
        rows = frames.links.filter(pl.col("link") == self.row)
        return rows.select(*KEYS, share.alias(self.measure.column))


def read(frames: Frames, wanted: Sequence[Reading]) -> pl.DataFrame:
    """All readings of a part, side by side."""
    found = frames.totals.select(*KEYS)
    for one in wanted:
        found = found.join(one.of(frames), on=list(KEYS), how="left")
    return found


AT_ONCE = "at_once"
"""Column of the share of flows that lose in one event."""


def common(link: str = BOTTLENECK, *, come_and_go: bool = False) -> tuple[Reading, ...]:
    """What every scenario shows: use, delay and drops at the bottleneck, goodput of all flows.

    Where flows `come_and_go` nothing is said of how many lose at once: they are counted among all
    flows of the link, and section 2.4 means those that are there.
    """
    goodputs = Reading(
        Measure("goodput", "Goodput", "Mbit/s", "higher"), "totals", "", "goodput_bps", 1e-6
    )
    use, *others = of_link(link)
    shown = (one for one in others if not (come_and_go and one.measure.column == AT_ONCE))
    return (use, goodputs, *shown)


def of_link(link: str, where: str = "") -> tuple[Reading, ...]:
    """Use, delay and drops of a link: of the bottleneck, or of another with words of `where`.

    Of the drops their share, how far they lie apart, and of how many flows at once they are
    (sections 2.3 and 2.4).
    """

    def at(
        column: str, title: str, unit: str, better: Better, source: str, factor: float
    ) -> Reading:
        if where:
            column, title = f"{column}_{link}", f"{title} {where}"
        return Reading(Measure(column, title, unit, better), "links", link, source, factor)

    return (
        at("utilisation", "Utilisation", "%", "higher", "utilization", 100),
        at("delay", "Queueing delay", "ms", "lower", "queueing_delay_mean_s", 1e3),
        at("delay_p99", "99th percentile", "ms", "lower", "queueing_delay_p99_s", 1e3),
        at("loss", "Drops", "%", "lower", "loss_ratio", 100),
        at("gap", "From drop to drop", "ms", "higher", "loss_gap_mean_s", 1e3),
        at(AT_ONCE, "Flows that lose at once", "%", "lower", "loss_synchronization_ratio", 100),
    )


def marks(link: str = BOTTLENECK) -> Reading:
    """Marked share of the packets of a link."""
    return Marks(Measure("marks", "Marks", "%"), "links", link, "marks_packets", 100)


def _of_group(
    group: str, what: str, title: str, unit: str, better: Better, source: str, factor: float = 1.0
) -> Reading:
    measure = Measure(f"{what}_{group}", title, unit, better)
    return Reading(measure, "groups", group, source, factor)


def goodput(group: str, name: str) -> Reading:
    """Goodput of a group."""
    title = f"Goodput of {name}"
    return _of_group(group, "goodput", title, "Mbit/s", "higher", "goodput_bps", 1e-6)


def ratio(first: str, second: str, name: str) -> Reading:
    """Goodput of one group over that of another."""
    measure = Measure(f"ratio_{first}_{second}", f"Goodput, {name}", "", "higher")
    return Reading(measure, "groups", first, "goodput_bps", over=second)


def loss(group: str, name: str) -> Reading:
    """Lost share of the packets of a group."""
    return _of_group(group, "loss", f"Loss of {name}", "%", "lower", "loss_ratio", 100)


def retransmits(group: str, name: str) -> Reading:
    """Segments that a group sent again."""
    title = f"Sent again, {name}"
    return _of_group(group, "retransmits", title, "segments", "lower", "retransmits")


def jain(group: str) -> Reading:
    """Jain's index within a group."""
    return _of_group(group, "jain", "Jain's index", "", "higher", "jain_index")


def completion(group: str, name: str) -> Reading:
    """Mean completion time of the transfers of a group."""
    return _of_group(group, "fct", f"Time of {name}", "s", "lower", "fct_s")


def completion_p95(group: str, name: str) -> Reading:
    """Its 95th percentile."""
    return _of_group(group, "fct_p95", f"95th percentile of {name}", "s", "lower", "fct_p95_s")


def delay_p99(group: str, name: str) -> Reading:
    """99th percentile of the one-way delay of a group."""
    title = f"99th percentile of the delay of {name}"
    return _of_group(group, "delay_p99", title, "ms", "lower", "delay_p99_s", 1e3)


def jitter(group: str, name: str) -> Reading:
    """Jitter of a group (RFC 3550)."""
    return _of_group(group, "jitter", f"Jitter of {name}", "ms", "lower", "jitter_s", 1e3)


def variation(group: str, name: str) -> Reading:
    """99th percentile of the packet delay variation of a group of one flow (RFC 5481)."""
    title = f"99th percentile of the delay variation of {name}"
    measure = Measure(f"pdv_p99_{group}", title, "ms", "lower")
    return Variation(measure, "delays", group, "0.99", 1e3)
