"""Runs the benchmark cases in ns-2, in ns-3 and here, in turn on one core, and prints the ratios.

``python benchmarks/peers.py`` needs Debian's packages ``ns2`` and ``libns3-dev`` and a compiler.
It holds the goodputs after a warm-up against each other: programs that disagree by more than 2 % do
not do the same work, and their times say nothing. There ours follows the peer's ways of the
discipline (``WAYS``); what is timed is our reference.

What counts is the segments delivered per second of CPU time, without that of a run that ends at
once: ns-2 builds the routes of 200 nodes for longer than it carries packets. Each program runs
several times in turn with the others, and its least time counts. The faster ones are timed over a
longer run of the same scenario, that a clock can tell. Ours is built as a release is
(``build.py``).
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import run as cases
from build import build
from options import at_least_one

HERE = Path(__file__).resolve().parent
SEGMENT = 1448
TOLERANCE = 0.02
AT_ONCE_S = 0.001
LONGER = {"ns-2": 10, "ns-3": 1, "sojourn": 100}
"""How many times a case's duration each program is timed over: seconds of CPU time each."""
NS3_LIBRARIES = (
    "core",
    "network",
    "internet",
    "point-to-point",
    "applications",
    "traffic-control",
)
QUEUES = {
    "droptail": {"ns-2": "DropTail", "ns-3": "ns3::DropTailQueue"},
    "red": {"ns-2": "RED", "ns-3": "ns3::RedQueueDisc"},
    "codel": {"ns-3": "ns3::CoDelQueueDisc"},
    "fq_codel": {"ns-3": "ns3::FqCoDelQueueDisc"},
}
"""What the peers call a discipline, where they have it."""
BOTTLENECK = "dumbbell.bottleneck"
QUEUE = f"{BOTTLENECK}.queue"
NS3 = (f"{QUEUE}.preset=ns3", f"{BOTTLENECK}.device_queue=1 packets")
TRANSPORT = "flow.bulk.transport"
NS3_TCP = (
    f"{TRANSPORT}.preset=ns3",
    f"{TRANSPORT}.prr=ns-3.37",
    f"{TRANSPORT}.window=none",
    f"{TRANSPORT}.send_buffer=none",
)
"""ns-3's ways of TCP: under RED, which drops at random, they tell in the goodput."""
WAYS = {
    ("red", "ns-2"): (
        f"{QUEUE}.preset=ns2",
        f"{QUEUE}.bytes=false",
        f"{QUEUE}.min_th=5 packets",
        f"{QUEUE}.max_th=15 packets",
        f"{QUEUE}.max_p=0.02",
        f"{QUEUE}.w_q=0.002",
        f"{QUEUE}.gentle=false",
        f"{QUEUE}.wait=false",
        f"{QUEUE}.use_mark_p=false",
    ),
    ("red", "ns-3"): (*NS3, *NS3_TCP, f"{QUEUE}.gentle=false", f"{QUEUE}.wait=false"),
    ("codel", "ns-3"): NS3,
    ("fq_codel", "ns-3"): NS3,
}
"""A peer's ways of a discipline, with the parameters of our reference: RED that spares an arrival
which finds at most one packet, CoDel's root by Newton's step, a device's queue below both."""


@dataclass(frozen=True)
class Case:
    """A case of ``cases/``: what the peers are told of it.

    The warm-up outlasts the timeouts after slow start, which the peers have and RACK spares us. The
    least timeout is well above the round trip, and no longer than that needs: the peers wait for
    their timers where a retransmission is lost too.
    """

    name: str
    flows: int
    rate_mbit: int
    delay_ms: int
    limit: int
    warmup_s: int
    min_rto_ms: int
    duration_s: int

    def arguments(self, duration_s: float) -> list[str]:
        """The end of the peers' command line."""
        network = (self.flows, self.rate_mbit, self.delay_ms, self.limit)
        return [str(number) for number in (*network, self.warmup_s, self.min_rto_ms, duration_s)]


CASES = {
    case.name: case
    for case in (
        Case("a-10-flows", 10, 100, 8, 200, 10, 200, 20),
        Case("b-100-flows", 100, 1000, 8, 2000, 3, 200, 8),
        Case("c-32-flows", 32, 45, 78, 700, 30, 1000, 60),
    )
}


class Program:
    """A simulator that runs one case under one discipline, and what its runs have shown."""

    def __init__(
        self, name: str, case: Case, discipline: str, programs: Path, peer: list[str] | None = None
    ) -> None:
        """Ours lies in ``programs``; ``peer`` is how a peer's command begins."""
        self.name, self.case, self.discipline = name, case, discipline
        self.programs, self.peer = programs, peer
        self.duration_s = LONGER[name] * case.duration_s
        self.goodput_bps = 0.0
        self.delivered_bytes = 0.0
        self.start_s: list[float] = []
        self.run_s: list[float] = []

    def command(self, duration_s: float) -> list[str]:
        """The command that simulates so many seconds."""
        if self.peer is None:
            words = (self.case.name, self.discipline, f"duration={duration_s} s")
            return cases.command(self.programs, *words)
        queue = QUEUES[self.discipline][self.name]
        return [*self.peer, queue, *self.case.arguments(duration_s)]

    def time(self) -> None:
        """Time a run, and one that ends at once."""
        self.start_s.append(timed(self.command(AT_ONCE_S))[0])
        cpu_s, printed = timed(self.command(self.duration_s))
        self.run_s.append(cpu_s)
        self.goodput_bps = cases.value(printed, "goodput_bps")
        if self.peer is None:
            self.delivered_bytes = self.goodput_bps * self.duration_s / 8
        else:
            self.delivered_bytes = cases.value(printed, "delivered_bytes")

    def rate(self) -> float:
        """Segments delivered per second of CPU time."""
        return self.delivered_bytes / SEGMENT / (min(self.run_s) - min(self.start_s))

    def difference(self) -> float:
        """A peer's goodput to ours in its ways, less one."""
        ours = cases.command(
            self.programs,
            self.case.name,
            self.discipline,
            *WAYS.get((self.discipline, self.name), ()),
            f"duration={self.duration_s} s",
            f"warmup={self.case.warmup_s} s",
            f"{TRANSPORT}.min_rto={self.case.min_rto_ms} ms",
        )
        return self.goodput_bps / cases.value(timed(ours)[1], "goodput_bps") - 1


def main() -> int:
    """Build, run, compare, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=at_least_one, default=2, help="of each peer (default 2)")
    parser.add_argument("--cases", nargs="+", choices=CASES, default=CASES, help="only these")
    parser.add_argument(
        "--disciplines", nargs="+", choices=QUEUES, default=QUEUES, help="only these"
    )
    options = parser.parse_args()
    if missing := [tool for tool in ("ns", "g++") if shutil.which(tool) is None]:
        print(f"not installed: {', '.join(missing)}; apt-get install ns2 libns3-dev g++")
        return 1
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    programs = build()
    agreed = True
    with tempfile.TemporaryDirectory() as folder:
        peers = {
            "ns-2": ["ns", str(HERE / "peers" / "bulk.tcl")],
            "ns-3": [str(compile_ns3(Path(folder)))],
        }
        print("| case | discipline | ns-2 | ns-3 | sojourn | to ns-2 | to ns-3 | goodput |")
        print("| --- | --- | ---: | ---: | ---: | ---: | ---: | --- |", flush=True)
        for case in options.cases:
            for discipline in options.disciplines:
                agreed &= compare(CASES[case], discipline, programs, peers, options.runs)
    return 0 if agreed else 1


def compile_ns3(folder: Path) -> Path:
    """Compile the program for ns-3."""
    program = folder / "bulk"
    libraries = [f"-lns3-{name}" for name in NS3_LIBRARIES]
    source = str(HERE / "peers" / "bulk.cc")
    command = ["g++", "-O2", "-std=c++17", "-o", str(program), source, *libraries]
    subprocess.run(command, check=True)
    return program


def compare(
    case: Case, discipline: str, programs: Path, peers: dict[str, list[str]], runs: int
) -> bool:
    """Run a case under a discipline everywhere and print its line; whether the goodputs agree."""
    ours = Program("sojourn", case, discipline, programs)
    theirs = {
        name: Program(name, case, discipline, programs, command)
        for name, command in peers.items()
        if name in QUEUES[discipline]
    }
    for _ in range(runs):
        for program in theirs.values():
            program.time()
            ours.time()
    differences = {name: program.difference() for name, program in theirs.items()}

    rates = {name: program.rate() for name, program in theirs.items()}
    cells = [case.name, discipline]
    cells += [f"{rates[name]:,.0f}" if name in rates else "none" for name in peers]
    cells += [f"{ours.rate():,.0f}"]
    cells += [f"{ours.rate() / rates[name]:.1f}" if name in rates else "" for name in peers]
    cells += [", ".join(f"{name} {share:+.2%}" for name, share in differences.items())]
    print("| " + " | ".join(cells) + " |", flush=True)

    agree = all(abs(share) <= TOLERANCE for share in differences.values())
    if not agree:
        where = f"{case.name}, {discipline}"
        print(f"{where}: the goodputs differ by more than {TOLERANCE:.0%}", file=sys.stderr)
    return agree


def timed(command: list[str]) -> tuple[float, str]:
    """Run a program once: its CPU time in seconds, and what it printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    printed = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, printed


if __name__ == "__main__":
    sys.exit(main())
