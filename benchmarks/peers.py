"""Runs the benchmark cases in ns-2, in ns-3 and here, in turn on one core, and prints the ratios.

``python benchmarks/peers.py`` needs Debian's packages ``ns2`` and ``libns3-dev`` and a compiler.
First it holds the goodputs against each other: programs that disagree by more than 2 % do not do
the same work, and their times say nothing. What counts is the segments delivered per second of CPU
time; each program runs several times in turn with the others, and its least time counts. Ours is
built as a release is (``build.py``), and timed over a longer run of the same scenario: the short
one takes but a few milliseconds.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import run as cases
from build import build

HERE = Path(__file__).resolve().parent
SEGMENT = 1448
TOLERANCE = 0.02
LONGER = 20
"""How many times as long our timed run is: over the time of the others a clock tells nothing."""
NS3_LIBRARIES = (
    "core",
    "network",
    "internet",
    "point-to-point",
    "applications",
    "traffic-control",
)


@dataclass(frozen=True)
class Case:
    """A case of ``cases/``: what the peers are told of it, and how long each of them runs."""

    name: str
    flows: int
    rate_mbit: int
    delay_ms: int
    limit: int
    duration_s: int

    def arguments(self) -> list[str]:
        """The peers' command line."""
        numbers = (self.flows, self.rate_mbit, self.delay_ms, self.limit, self.duration_s)
        return [str(number) for number in numbers]


CASES = (
    Case("a-10-flows", 10, 100, 8, 200, 20),
    Case("b-100-flows", 100, 1000, 8, 2000, 4),
    Case("c-32-flows", 32, 45, 78, 700, 60),
)


@dataclass
class Result:
    """What a program delivered, and the CPU time of each run."""

    goodput_bps: float = 0.0
    cpu_s: list[float] = field(default_factory=list)

    def segments_per_s(self, duration_s: int) -> float:
        """Segments delivered per second of CPU time."""
        return self.goodput_bps * duration_s / 8 / SEGMENT / min(self.cpu_s)


def main() -> int:
    """Build, run, compare, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3, help="runs of each program (default 3)")
    options = parser.parse_args()
    if missing := [tool for tool in ("ns", "g++") if shutil.which(tool) is None]:
        print(f"not installed: {', '.join(missing)}; apt-get install ns2 libns3-dev g++")
        return 1
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    programs = build()
    with tempfile.TemporaryDirectory() as folder:
        ns3 = compile_ns3(Path(folder))
        print("| case | ns-2 | ns-3 | sojourn | to ns-2 | to ns-3 | goodput, to ours |")
        print("| --- | ---: | ---: | ---: | ---: | ---: | --- |")
        agreed = [compare(case, ns3, programs, options.runs) for case in CASES]
    return 0 if all(agreed) else 1


def compile_ns3(folder: Path) -> Path:
    """Compile the program for ns-3."""
    program = folder / "bulk"
    libraries = [f"-lns3-{name}" for name in NS3_LIBRARIES]
    source = str(HERE / "peers" / "bulk.cc")
    command = ["g++", "-O2", "-std=c++17", "-o", str(program), source, *libraries]
    subprocess.run(command, check=True)
    return program


def compare(case: Case, ns3: Path, programs: Path, runs: int) -> bool:
    """Run a case everywhere and print its line; whether the goodputs agree."""
    commands = {
        "ns-2": ["ns", str(HERE / "peers" / "bulk.tcl"), *case.arguments()],
        "ns-3": [str(ns3), *case.arguments()],
        "sojourn": cases.command(programs, case.name, "droptail", f"duration={case.duration_s} s"),
    }
    longer_s = LONGER * case.duration_s
    long_command = cases.command(programs, case.name, "droptail", f"duration={longer_s} s")
    results, long_run = {name: Result() for name in commands}, Result()
    for _ in range(runs):
        for name, command in commands.items():
            timed(command, results[name], case.duration_s)
        timed(long_command, long_run, longer_s)
    ours = results["sojourn"]
    rates = {name: result.segments_per_s(case.duration_s) for name, result in results.items()}
    rates["sojourn"] = long_run.segments_per_s(longer_s)
    against = {
        name: result.goodput_bps / ours.goodput_bps - 1
        for name, result in results.items()
        if result is not ours
    }
    cells = [f"{rates[name]:,.0f}" for name in commands]
    cells += [f"{rates['sojourn'] / rates[name]:.1f}" for name in against]
    cells += [", ".join(f"{name} {share:+.2%}" for name, share in against.items())]
    print("| " + " | ".join([case.name, *cells]) + " |", flush=True)
    agree = all(abs(share) <= TOLERANCE for share in against.values())
    if not agree:
        print(f"{case.name}: the goodputs differ by more than {TOLERANCE:.0%}", file=sys.stderr)
    return agree


def timed(command: list[str], result: Result, duration_s: int) -> None:
    """Run a program once."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    result.cpu_s.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    if "delivered_bytes" in printed:
        result.goodput_bps = cases.value(printed, "delivered_bytes") * 8 / duration_s
    else:
        result.goodput_bps = cases.value(printed, "goodput_bps")


if __name__ == "__main__":
    sys.exit(main())
