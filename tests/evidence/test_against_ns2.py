"""Our `preset = "ns2"` against ns-2 itself, on the network of the EQM study.

`evidence/ns2` holds what ns-2 measured there, and how to measure it again. Starts uniform in 0 to
0.1 s, 5 s left out, 60 s measured (100 s with on/off sources).
"""

import csv
import math
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

import sojourn as sj

MEASURED = Path(__file__).parents[2] / "evidence" / "ns2"

REPLICAS = {"cbr": 8, "exp": 20}
SATURATION_MBPS = 8 / 3
"""Rate of each source at which the bottleneck is full."""

LOADS = {"cbr": (0.62, 1.77, 2.52, 2.7, 2.85, 3.0), "exp": (2.8,)}
TOLERANCE = {"droptail": 0.01, "sfq": 0.01, "red": 0.05, "rem": 0.05}
"""Relative difference of the mean queue above saturation that is allowed beside chance."""

HEAD = """
name = "against-ns2"
duration = "{end} s"
warmup = "5 s"
seed = 2
"""

LINK = """
[[link]]
from = "{start}"
to = "{end}"
rate = "{mbps} Mbit/s"
delay = "10 ms"
queue = {{ {queue}, preset = "ns2" }}
"""

FLOW = """
[[flow]]
name = "source"
count = 3
from = "n*"
to = "n5"
start = "uniform(0 s, 0.1 s)"
transport = {{ protocol = "udp", preset = "ns2", payload = "500 B" }}
traffic = {{ {traffic}, rate = "{rate} Mbit/s", preset = "ns2" }}
"""

TRAFFIC = {
    "cbr": 'source = "cbr"',
    "exp": 'source = "onoff", on = "exponential(500 ms)", off = "exponential(500 ms)"',
}


class Measured(NamedTuple):
    """Mean and standard error of the bottleneck's mean queue and drops."""

    queue: float
    queue_error: float
    drops: float
    drops_error: float


def scenario(discipline: str, traffic: str, rate: float) -> str:
    fifo = 'discipline = "droptail", limit = "50 packets"'
    # ns-2's SFQ has a limit of its own.
    limit = "" if discipline == "sfq" else ', limit = "50 packets"'
    bottleneck = f'discipline = "{discipline}"{limit}'
    links = [(f"n{i}", "n3", 3, fifo) for i in range(3)]
    links += [("n3", "n4", 8, bottleneck), ("n4", "n5", 9, fifo)]
    text = HEAD.format(end=65 if traffic == "cbr" else 105)
    for start, end, mbps, queue in links:
        text += LINK.format(start=start, end=end, mbps=mbps, queue=queue)
    return text + FLOW.format(traffic=TRAFFIC[traffic], rate=rate)


@cache
def of_ns2(traffic: str) -> dict[tuple[str, float], Measured]:
    with (MEASURED / f"{traffic}.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    return {
        (row["discipline"], float(row["rate_mbps"])): Measured(
            float(row["queue_mean"]),
            float(row["queue_sd"]) / math.sqrt(int(row["n"])),
            float(row["drops_mean"]),
            float(row["drops_sd"]) / math.sqrt(int(row["n"])),
        )
        for row in rows
    }


@cache
def of_ours(discipline: str, traffic: str, rate: float) -> Measured:
    text = scenario(discipline, traffic, rate)
    frames = sj.run(sj.Scenario.from_toml(text), replicas=REPLICAS[traffic])
    rows = frames.links.filter(link="n3->n4")

    def mean_and_error(column: str) -> tuple[float, float]:
        values = rows[column].to_numpy()
        return float(values.mean()), float(np.std(values, ddof=1) / math.sqrt(len(values)))

    return Measured(*mean_and_error("queue_mean_packets"), *mean_and_error("drops_packets"))


@pytest.mark.parametrize("rate", LOADS["cbr"])
@pytest.mark.parametrize("discipline", TOLERANCE)
def test_the_mean_queue_is_that_of_ns2(discipline, rate):
    theirs, ours = of_ns2("cbr")[discipline, rate], of_ours(discipline, "cbr", rate)
    chance = 3 * math.hypot(theirs.queue_error, ours.queue_error)
    if rate > SATURATION_MBPS:
        allowed = TOLERANCE[discipline] * theirs.queue + chance
    else:
        allowed = max(chance, 0.05)
    assert abs(ours.queue - theirs.queue) <= allowed


@pytest.mark.parametrize("rate", [rate for rate in LOADS["cbr"] if rate > SATURATION_MBPS])
@pytest.mark.parametrize("discipline", TOLERANCE)
def test_the_drops_are_those_of_ns2(discipline, rate):
    """What the queue gained or lost meanwhile may differ by a packet or two."""
    theirs, ours = of_ns2("cbr")[discipline, rate], of_ours(discipline, "cbr", rate)
    chance = 3 * math.hypot(theirs.drops_error, ours.drops_error)
    allowed = 0.05 * theirs.drops if discipline == "rem" else 2
    assert abs(ours.drops - theirs.drops) <= allowed + chance


@pytest.mark.parametrize("discipline", TOLERANCE)
def test_bursts_of_exponential_length_fill_the_queue_as_in_ns2(discipline):
    """Chance is large here: a fifth of the mean between seeds."""
    (rate,) = LOADS["exp"]
    theirs, ours = of_ns2("exp")[discipline, rate], of_ours(discipline, "exp", rate)
    chance = 3 * math.hypot(theirs.queue_error, ours.queue_error)
    assert abs(ours.queue - theirs.queue) <= TOLERANCE[discipline] * theirs.queue + chance


def test_below_saturation_no_discipline_of_ns2_differs_from_another():
    """The table itself: nothing is dropped there, so all queue alike."""
    rows = of_ns2("cbr")
    for rate in LOADS["cbr"][:2]:
        assert len({rows[discipline, rate].queue for discipline in TOLERANCE}) == 1
