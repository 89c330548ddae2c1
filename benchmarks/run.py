"""Times the benchmark cases: packets through the bottleneck per second of CPU time, tracing off.

``python benchmarks/run.py`` builds the program and prints a table; ``--instructions`` counts
instructions with callgrind too, which repeat where seconds do not. A case runs several times in
turn with the others, and its least CPU time counts: a machine that does something else only ever
makes it slower.
"""

from __future__ import annotations

import argparse
import re
import resource
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "target" / "release" / "sojourn-case"
CASES = ("a-10-flows", "b-100-flows", "c-32-flows")
DISCIPLINES = ("droptail", "red", "codel", "fq_codel")


@dataclass
class Timing:
    """What a case carried, and in what CPU time at the least."""

    packets: float
    utilization: float
    cpu_s: float
    instructions: float | None = None


def main() -> None:
    """Build, run, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5, help="runs of each case (default 5)")
    parser.add_argument("--instructions", action="store_true", help="count instructions too")
    options = parser.parse_args()
    build = ["cargo", "build", "--quiet", "--release", "-p", "sojourn-benchmarks"]
    subprocess.run(build, check=True, cwd=ROOT)
    timings: dict[tuple[str, str], Timing] = {}
    for _ in range(options.runs):
        for case in CASES:
            for discipline in DISCIPLINES:
                timing = run(case, discipline)
                known = timings.setdefault((case, discipline), timing)
                known.cpu_s = min(known.cpu_s, timing.cpu_s)
    if options.instructions:
        for (case, discipline), timing in timings.items():
            timing.instructions = count(case, discipline)
    show(timings)


def command(case: str, discipline: str, *more: str) -> list[str]:
    """The command that runs one case."""
    file = str(ROOT / "benchmarks" / "cases" / f"{case}.toml")
    queue = f"dumbbell.bottleneck.queue.discipline={discipline}"
    return [str(PROGRAM), file, queue, *more]


def run(case: str, discipline: str) -> Timing:
    """Run one case once."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    printed = subprocess.run(
        command(case, discipline), check=True, capture_output=True, text=True
    ).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Timing(value(printed, "packets"), value(printed, "utilization"), cpu_s)


def count(case: str, discipline: str) -> float | None:
    """Instructions per packet through the bottleneck, over a short run."""
    if shutil.which("valgrind") is None:
        print("valgrind is not installed: no instructions are counted", file=sys.stderr)
        return None
    totals = []
    for duration in ("2 s", "4 s"):
        tool = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
        done = subprocess.run(
            [*tool, *command(case, discipline, f"duration={duration}")],
            check=True,
            capture_output=True,
            text=True,
        )
        collected = re.search(r"Collected : (\d+)", done.stderr)
        assert collected is not None, done.stderr
        totals.append((int(collected[1]), value(done.stdout, "packets")))
    (short, few), (long, many) = totals
    return (long - short) / (many - few)


def value(printed: str, name: str) -> float:
    """A value that the program printed after its name."""
    words = printed.split()
    return float(words[words.index(name) + 1])


def show(timings: dict[tuple[str, str], Timing]) -> None:
    """Print the table, in Markdown."""
    print(
        "| case | discipline | packets | utilisation | CPU s | packets per CPU s | instructions |"
    )
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: |")
    for (case, discipline), timing in timings.items():
        rate = timing.packets / timing.cpu_s / 1e6
        instructions = "" if timing.instructions is None else f"{timing.instructions:,.0f}"
        print(
            f"| {case} | {discipline} | {timing.packets:,.0f} | {timing.utilization:.3f} | "
            f"{timing.cpu_s:.2f} | {rate:.2f} M | {instructions} |"
        )


if __name__ == "__main__":
    main()
