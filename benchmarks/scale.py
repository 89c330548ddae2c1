"""What a packet costs as flows grow in number, and what it takes in memory.

``python benchmarks/scale.py`` builds ``sojourn-case`` and prints two tables. The first: packets
that came to the bottleneck per second of CPU time, from 10 flows to 100,000, the time before the
first packet taken off, and the most memory that the process held. A packet that is dropped has cost
as much as another, so arrivals are counted. The second: bytes per packet in flight, from the memory
of runs over a longer and a shorter link.
"""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass

from run import PROGRAMS, ROOT, build, value

CASES = ROOT / "benchmarks" / "cases"
ROWS = (
    (10, "100 Mbit/s", "100 s"),
    (100, "1 Gbit/s", "20 s"),
    (1_000, "1 Gbit/s", "20 s"),
    (10_000, "10 Gbit/s", "4 s"),
    (100_000, "10 Gbit/s", "4 s"),
)
"""Flows, rate of the bottleneck, simulated time."""

RUNS = 2
"""Runs of each; the least time counts."""


@dataclass
class Run:
    """What one run printed and took."""

    arrivals: float
    cpu_s: float
    memory_bytes: int


def main() -> None:
    """Build, run, print."""
    build()
    print("| flows | bottleneck | packets per CPU s | ns a packet | to 10 flows | memory |")
    print("| ---: | --- | ---: | ---: | ---: | ---: |")
    first = None
    for flows, rate, duration in ROWS:
        keys = [f"flow.bulk.count={flows}", f"dumbbell.bottleneck.rate={rate}"]
        whole = best([*keys, f"duration={duration}"])
        start = best([*keys, "duration=1 us"])
        ns = (whole.cpu_s - start.cpu_s) / whole.arrivals * 1e9
        first = first or ns
        print(
            f"| {flows:,} | {rate} | {1e3 / ns:.2f} M | {ns:,.0f} | {ns / first:.2f} | "
            f"{whole.memory_bytes / 1e6:,.0f} MB |",
            flush=True,
        )
    print(f"\nA packet in flight takes {bytes_in_flight():.0f} bytes.")


def best(keys: list[str]) -> Run:
    """The run of case b with these keys that took least."""
    return min((run("b-100-flows", keys) for _ in range(RUNS)), key=lambda done: done.cpu_s)


def run(case: str, keys: list[str]) -> Run:
    """Run a case once."""
    program = subprocess.Popen(
        [str(PROGRAMS / "sojourn-case"), str(CASES / f"{case}.toml"), *keys],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert program.stdout is not None
    printed = program.stdout.read()
    _, status, usage = os.wait4(program.pid, 0)
    assert status == 0, printed
    # A run too short for a packet has no ratio, but counts.
    arrivals = value(printed, "arrivals")
    return Run(arrivals, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)


def bytes_in_flight() -> float:
    """Memory per packet on the wire of a bottleneck: 1 s more of delay holds 750,000 more."""
    short, long = (run("in-flight", [f"dumbbell.bottleneck.delay={s} s"]) for s in (1, 2))
    return (long.memory_bytes - short.memory_bytes) / (9e9 / 8 / 1500)


if __name__ == "__main__":
    main()
