"""``warmup = "auto"``: pilot replicas choose where measurements start.

Each point runs five pilot replicas from the start, on random streams that no measured replica uses.
Their time series are averaged over the replicas (as Welch does): the goodput of all flows together,
and the queues that matter, which are the longest and those at least a tenth as long. MSER-5 then
finds where each series settles. The latest of these instants counts, over all points that are
compared, so that they are measured over the same window. Short queues are left out: because of
their noise they settle anywhere, and the latest of many would be late for no reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_DOWN, Decimal
from typing import TYPE_CHECKING

from sojourn._core import Tables
from sojourn.experiments.executor import Executor
from sojourn.scenario import Scenario
from sojourn.stats.warmup import mser5
from sojourn.workers.tasks import FIRST_PILOT, Task

if TYPE_CHECKING:
    import numpy as np

PILOTS = 5
"""Pilot replicas of each point."""

SAMPLES = 1000
"""Samples of each series: 200 batches of five."""

SERIES = {"link": "queue_mean_packets", "flow": "goodput_bps"}
"""The series that are examined; those of flows are summed."""

CLOCK = Decimal("1e-12")
"""The unit of times, in seconds."""

MATTERS = 0.1
"""A queue matters if its mean is at least this share of the longest one's."""


def choose_warmups(
    scenario: Scenario, executor: Executor, groups: Sequence[Sequence[int]]
) -> tuple[dict[int, str], list[str]]:
    """Return the warm-up of every point that leaves it to the pilots, and warnings."""
    groups = [
        [point for point in group if scenario.core.warmup_s(point) is None] for group in groups
    ]
    pilots = {
        point: [_pilot(scenario, point, number) for number in range(PILOTS)]
        for group in groups
        for point in group
    }
    if not pilots:
        return {}, []
    executor.execute([task for tasks in pilots.values() for task in tasks])
    warmups: dict[int, str] = {}
    warnings = []
    for group in groups:
        if not group:
            continue
        shares = []
        for point in group:
            share, is_settled = _settled_after([executor.tables(task) for task in pilots[point]])
            shares.append(share)
            if not is_settled:
                warnings.append(
                    f"point {point}: the start of its runs has not ended after half of the "
                    "duration; run longer"
                )
        for point in group:
            warmups[point] = f"{_duration(scenario, point) * max(shares)} s"
    return warmups, warnings


def _pilot(scenario: Scenario, point: int, number: int) -> Task:
    # Rounded down, as the clock counts picoseconds: else the last sample would come too late.
    interval = (_duration(scenario, point) / SAMPLES).quantize(CLOCK, ROUND_DOWN)
    series = f"{max(interval, CLOCK)} s"
    return Task(point, FIRST_PILOT + number, warmup="0 s", series=series)


def _duration(scenario: Scenario, point: int) -> Decimal:
    return Decimal(repr(scenario.core.duration_s(point)))


def _settled_after(pilots: Sequence[Tables]) -> tuple[Decimal, bool]:
    """Return the share of the run after which all series have settled, and whether they have."""
    dropped, is_settled = 0, True
    for values in _averaged(pilots):
        truncation = mser5(values)
        dropped = max(dropped, truncation.dropped)
        is_settled = is_settled and truncation.is_settled
    return Decimal(dropped) / SAMPLES, is_settled


def _averaged(pilots: Sequence[Tables]) -> list[np.ndarray]:
    """Return the series that matter, each averaged over the pilot replicas."""
    # NumPy takes longer to import than a short run takes.
    import numpy as np

    goodput: np.ndarray = np.zeros(SAMPLES)
    queues: dict[str, np.ndarray] = {}
    for tables in pilots:
        for series in tables["series"]:
            if series["metric"] != SERIES[series["entity"]]:
                continue
            values = np.nan_to_num(np.asarray(series["value"], dtype=float))
            # A run of less than a nanosecond has no more samples than picoseconds.
            values = np.pad(values[:SAMPLES], (0, max(0, SAMPLES - len(values))))
            if series["entity"] == "flow":
                goodput = goodput + values
            else:
                queues[series["name"]] = queues.get(series["name"], 0) + values
    longest = max(float(queue.mean()) for queue in queues.values())
    matter = [queue for queue in queues.values() if queue.mean() >= MATTERS * longest]
    return [values / len(pilots) for values in (goodput, *matter)]
