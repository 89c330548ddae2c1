"""The log of every packet, and one decision of a discipline in full."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from sojourn._core import Cancel, ScenarioError
from sojourn.files import parquet
from sojourn.own.stdout import redirected_to_stderr
from sojourn.scenario import Scenario
from sojourn.workers.threads import attended

NEIGHBOURS = 12
"""Events of the link shown before and after a decision."""

AROUND = 400
"""Events of the link drawn before and after it."""

DECISIONS = ("drop", "mark")
"""Events that a discipline decides."""


def log_events(
    scenario: Scenario,
    folder: Path,
    *,
    point: int = 0,
    replica: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Path:
    """Run one replica of one point; write every event into ``events.parquet``; return its path.

    Raises ScenarioError where there is no such point. An interrupted run leaves no file.
    """
    scenario.check_point(point, "--point")
    folder.mkdir(parents=True, exist_ok=True)
    stem = folder / "events"
    cancel = Cancel()
    # Where pilot runs would choose a warm-up, the log has no need of one.
    warmup = None if scenario.core.warmup_s(point) is not None else "0 s"
    trace = ("events", stem, [], False)

    def look() -> None:
        if progress is not None:
            progress(cancel.permille, 1000)

    try:
        with redirected_to_stderr():
            attended(lambda: scenario.core.run(point, replica, cancel, trace, warmup), cancel, look)
    except BaseException:
        # The run removes it as it ends, but is not waited for where Ctrl-C is repeated.
        with suppress(OSError):
            stem.with_suffix(".parquet.part").unlink(missing_ok=True)
        raise
    return stem.with_suffix(".parquet")


@dataclass(frozen=True)
class Decision:
    """A drop or mark and what it was made by.

    ``event`` is its row of the log, ``state`` and ``state_after`` the discipline's inner variables
    around the call in which it decided. ``waiting`` are the packets that waited besides, one row
    each, oldest first; ``neighbours`` the events of the link before and after it, ``around`` more
    of them for a figure.
    """

    number: int
    count: int
    row: int
    event: dict[str, Any]
    state: dict[str, Any]
    state_after: dict[str, Any]
    waiting: pl.DataFrame
    neighbours: pl.DataFrame
    around: pl.DataFrame


def find_decision(path: Path, number: int) -> Decision:
    """Return the ``number``-th drop or mark of a log, from 1 on.

    Raises ScenarioError where there is none.
    """
    log = parquet.scan(path).with_row_index("row")
    decided = log.filter(pl.col("event").is_in(DECISIONS))
    count = decided.select(pl.len()).collect().item()
    if not 1 <= number <= count:
        allowed = f"1 to {count}" if count else "none: nothing was dropped or marked"
        raise ScenarioError(f"--show: found {number}; allowed: {allowed}")
    event = decided.slice(number - 1, 1).collect().row(0, named=True)
    row = event["row"]
    link = log.filter(pl.col("link") == event["link"])
    around = pl.concat(
        [
            link.filter(pl.col("row") <= row).tail(AROUND).collect(),
            link.filter(pl.col("row") > row).head(AROUND).collect(),
        ]
    )
    place = around["row"].index_of(row) or 0
    return Decision(
        number=number,
        count=count,
        row=row,
        event=event,
        state=json.loads(event["state"]),
        state_after=json.loads(event["state_after"]),
        waiting=_waiting(link, event),
        neighbours=around[max(place - NEIGHBOURS, 0) : place + NEIGHBOURS + 1],
        around=around,
    )


def _waiting(link: pl.LazyFrame, event: dict[str, Any]) -> pl.DataFrame:
    """Return the packets that had come to the queue and not left it, but for the one decided on."""
    came = pl.col("event") == "enqueue"
    left = pl.col("event").is_in(["dequeue", "drop"])
    before = link.filter((pl.col("row") < event["row"]) & (came | left))
    packets = before.group_by("packet").agg(
        (came.sum().cast(pl.Int64) - left.sum().cast(pl.Int64)).alias("waits"),
        pl.col("time_s", "flow", "connection", "number", "size_bytes", "ecn").first(),
    )
    is_other = (pl.col("waits") > 0) & (pl.col("packet") != event["packet"])
    return packets.filter(is_other).drop("waits").sort("time_s", "packet").collect()
