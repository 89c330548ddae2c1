"""Laws that the frames of a study must keep before it passes verdicts by them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from sojourn.studies.base import LawBroken, Section
from sojourn.studies.tables import Table


@dataclass(frozen=True)
class Check:
    """A law, whether the frames keep it, and the numbers. `kept` is None where it does not
    apply."""

    law: str
    kept: bool | None
    detail: str

    @property
    def word(self) -> str:
        """The outcome in a word or two."""
        return {True: "kept", False: "BROKEN", None: "does not apply"}[self.kept]


def demand(checks: Sequence[Check]) -> None:
    """Raise LawBroken, naming every law that is broken, unless all are kept."""
    broken = [f"{check.law} ({check.detail})" for check in checks if check.kept is False]
    if broken:
        raise LawBroken("the run breaks " + "; ".join(broken))


def little(
    frame: pl.DataFrame,
    served: pl.Expr,
    *,
    full: float,
    rate_pps: float,
    window_s: float,
    warmup_s: float,
    left_out: str = "",
    digits: int = 4,
) -> Check:
    """Mean queue = packets served per second x mean wait, where all that waited were also served.

    The integral of the queue over the window and the summed waits of the packets served in it can
    differ only by the packets which wait at an end of the window: at most a `full` queue, each for
    at most the time in which a full queue drains. A window that begins with the run has one such
    end. `frame` has the columns `queue` (packets) and `queueing_ms`, `served` is in packets per
    second, and `left_out` says which rows are missing, and why.
    """
    law = "Little's law: mean queue = packets served per second x mean wait"
    rows = frame.filter(pl.col("queueing_ms").is_not_null())
    if rows.is_empty():
        return Check(law, None, "no packet was served")
    off = rows.select((served * pl.col("queueing_ms") / 1e3 - pl.col("queue")).abs())
    worst = float(off.to_series().max())  # pyright: ignore[reportArgumentType]
    ends = 2 if warmup_s > 0 else 1
    allowed = ends * full * full / rate_pps / window_s
    detail = (
        f"largest difference {worst:.{digits}f} packets in {rows.height} runs; a full queue at "
        f"the end of the window explains up to {allowed:.{digits}f}"
    )
    return Check(law, worst <= allowed, detail + (f" ({left_out} left out)" if left_out else ""))


def section(found: Sequence[Check]) -> Section:
    """The laws, as a part of the report."""
    table = Table(
        id="laws",
        caption="Laws checked on the frames of this run",
        header=("Law", "Outcome", "Numbers"),
        rows=tuple((one.law, one.word, one.detail) for one in found),
        numeric=False,
        records=[{"law": one.law, "kept": one.kept, "detail": one.detail} for one in found],
    )
    text = (
        "Verdicts by proof rest on laws that our own numbers must keep first. A run that breaks "
        "one ends with an error and shows no number."
    )
    return Section("laws", "Laws that this run keeps", (text,), (table,))
