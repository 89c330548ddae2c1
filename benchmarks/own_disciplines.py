"""Packets per CPU second through one discipline: built in, compiled by Numba, and in Python.

``python benchmarks/own_disciplines.py``. The first three are BLUE and drop the same packets; the
least CPU time of some runs counts, since other programs only add to it.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import polars as pl

import sojourn as sj

# The disciplines that the tests hold against the built-in one.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "python_api"))
import own
from options import at_least_one


class Least(sj.queue.Discipline):
    """The least that a discipline in Python can do: accept."""

    def enqueue(self, now, size, flow, ecn):
        return sj.queue.ACCEPT


def scenario(queue: sj.queue.Blue | sj.queue.Discipline, duration: str) -> sj.Scenario:
    """A link of 1 Gbit/s under 1.05 times its rate of 1000-byte packets."""
    line = sj.link("a", "b", "1 Gbit/s", duplex=False, name="line", queue=queue)
    load = sj.udp(sj.source.Poisson(rate="1.05 Gbit/s"), payload="972 B", from_="a", to="b")
    return sj.network([line], load, duration=duration)


def simulated(word: str) -> str:
    """A simulated time. Raises argparse's error for what is none."""
    try:
        scenario(sj.queue.Blue(), word)
    except sj.ScenarioError as error:
        raise argparse.ArgumentTypeError(str(error).removeprefix("duration: ")) from None
    return word


def measure(
    queue: sj.queue.Blue | sj.queue.Discipline, duration: str, runs: int
) -> tuple[float, int]:
    """Packets that arrive at the queue per CPU second, at best; and how many it drops."""
    built = scenario(queue, duration)
    sj.run(scenario(queue, "10 ms"), jobs=1)
    best, drops = 0.0, 0
    for _ in range(runs):
        began = time.process_time()
        results = sj.run(built, jobs=1)
        took = time.process_time() - began
        arrivals, drops = results.links.select(
            pl.sum("arrivals_packets"), pl.sum("drops_packets")
        ).row(0)
        best = max(best, arrivals / took)
    return best, int(drops)


def main() -> None:
    """Print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--duration", type=simulated, default="4 s", help="simulated time of a run")
    parser.add_argument("--runs", type=at_least_one, default=5, help="of each; the best counts")
    given = parser.parse_args()
    limit = {"limit": "50 packets"}
    kinds = {
        "built in": sj.queue.Blue(**limit),
        "Numba": own.CompiledBlue(**limit, room="50 packets"),
        "Python": own.Blue(**limit),
        "Python, least": Least(**limit),
    }
    first = None
    for name, queue in kinds.items():
        rate, drops = measure(queue, given.duration, given.runs)
        first = first or rate
        times = first / rate
        print(f"{name:14} {rate:12,.0f} packets/s, {times:4.1f} times the time, {drops} drops")


if __name__ == "__main__":
    main()
