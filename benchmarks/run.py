"""Times the benchmark cases and the parts of the hot loop, against what was recorded last.

``python benchmarks/run.py`` builds the programs as a release is built, trained (``--plain``:
without), and prints two tables: packets through the bottleneck per second of CPU time, tracing off,
and the nanoseconds of each part alone: the calendar, each discipline, each controller, a link.
``--instructions`` counts instructions with callgrind too, which repeat where seconds do not;
``--record`` keeps the numbers in ``recorded.json``; ``--set dumbbell.bottleneck.loss=0.001`` alters
the cases, so that the last columns tell what that costs. A case runs several times in turn with the
others, and its least CPU time counts: a machine that does something else only ever makes it slower.
"""

from __future__ import annotations

import argparse
import json
import platform
import re
import resource
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from build import ROOT, build
from options import at_least_one

RECORDED = Path(__file__).resolve().parent / "recorded.json"
CASES = {
    "a-10-flows": ("2 s", "4 s"),
    "b-100-flows": ("1 s", "2 s"),
    "c-32-flows": ("4 s", "8 s"),
}
"""The cases, and the two durations between which instructions are counted."""

DISCIPLINES = ("droptail", "red", "codel", "fq_codel")


@dataclass
class Timing:
    """What a case carried, and in what CPU time at the least."""

    packets: float
    utilization: float
    cpu_s: float
    instructions: float | None = None

    @property
    def rate(self) -> float:
        """Packets per second of CPU time."""
        return self.packets / self.cpu_s


def main() -> None:
    """Build, run, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=at_least_one, default=5, help="of each case (default 5)")
    parser.add_argument("--instructions", action="store_true", help="count instructions too")
    parser.add_argument("--record", action="store_true", help="keep the numbers")
    parser.add_argument("--plain", action="store_true", help="programs that are not trained")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", dest="keys")
    options = parser.parse_args()
    if options.record and options.keys:
        parser.error("--record keeps the cases as they are, without --set")
    programs = build(options.plain)
    timings: dict[str, Timing] = {}
    for _ in range(options.runs):
        for case in CASES:
            for discipline in DISCIPLINES:
                timing = run(command(programs, case, discipline, *options.keys))
                known = timings.setdefault(f"{case} {discipline}", timing)
                known.cpu_s = min(known.cpu_s, timing.cpu_s)
    if options.instructions:
        for name, timing in timings.items():
            timing.instructions = count(programs, *name.split(), keys=options.keys)
    parts = time_parts(programs)
    recorded = json.loads(RECORDED.read_text()) if RECORDED.exists() else {}
    show_machines(recorded.get("processor"))
    show_cases(timings, recorded.get("cases", {}))
    show_parts(parts, recorded.get("parts_ns", {}))
    if options.record:
        record(timings, parts, recorded.get("cases", {}))


def time_parts(programs: Path) -> dict[str, float]:
    """Nanoseconds of each part of the hot loop."""
    printed = subprocess.run(
        [str(programs / "sojourn-micro")], check=True, stdout=subprocess.PIPE, text=True
    ).stdout
    lines = (line.split(" ", 1) for line in printed.splitlines())
    return {name: float(ns) for ns, name in lines}


def record(timings: dict[str, Timing], parts: dict[str, float], last: dict[str, Any]) -> None:
    """Keep the numbers as those to compare with; instructions not counted now stay as they were."""
    cases = {
        name: {
            "packets_per_s": round(timing.rate),
            "instructions": timing.instructions or last.get(name, {}).get("instructions"),
        }
        for name, timing in timings.items()
    }
    whole = {"processor": processor(), "cases": cases, "parts_ns": parts}
    RECORDED.write_text(json.dumps(whole, indent=1) + "\n")


def processor() -> str:
    """What this machine calls its processor."""
    told = Path("/proc/cpuinfo")
    lines = told.read_text().splitlines() if told.exists() else []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor() or platform.machine())


def command(programs: Path, case: str, discipline: str, *more: str) -> list[str]:
    """The command that runs one case."""
    file = str(ROOT / "benchmarks" / "cases" / f"{case}.toml")
    queue = f"dumbbell.bottleneck.queue.discipline={discipline}"
    return [str(programs / "sojourn-case"), file, queue, *more]


def run(command: list[str]) -> Timing:
    """Run one case once."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    printed = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Timing(value(printed, "packets"), value(printed, "utilization"), cpu_s)


def count(programs: Path, case: str, discipline: str, keys: list[str]) -> float | None:
    """Instructions per packet through the bottleneck, between two short runs."""
    if shutil.which("valgrind") is None:
        print("valgrind is not installed: no instructions are counted", file=sys.stderr)
        return None
    totals = []
    for duration in CASES[case]:
        tool = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
        done = subprocess.run(
            [*tool, *command(programs, case, discipline, f"duration={duration}", *keys)],
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


def ratio(now: float | None, then: float | None) -> str:
    """Now over then."""
    return f"{now / then:.2f}" if now and then else ""


def show_machines(recorded: str | None) -> None:
    """Say where the record is from, if not from such a machine as this: seconds then say little."""
    if recorded is not None and recorded != (here := processor()):
        print(f"Recorded on {recorded}, this is {here}: only instructions can be compared.\n")


def show_cases(timings: dict[str, Timing], recorded: dict[str, Any]) -> None:
    """Print the cases, in Markdown; the last columns are ratios to what was recorded."""
    print("| case | utilisation | packets per CPU s | instructions | speed, to recorded | instr. |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for name, timing in timings.items():
        then = recorded.get(name, {})
        count = timing.instructions
        instructions = "" if count is None else f"{count:,.0f}"
        print(
            f"| {name} | {timing.utilization:.3f} | {timing.rate / 1e6:.2f} M | {instructions} | "
            f"{ratio(timing.rate, then.get('packets_per_s'))} | "
            f"{ratio(count, then.get('instructions'))} |"
        )


def show_parts(parts: dict[str, float], recorded: dict[str, float]) -> None:
    """Print the parts, in Markdown."""
    print("\n| part | ns | to recorded |")
    print("| --- | ---: | ---: |")
    for name, ns in parts.items():
        print(f"| {name} | {ns:.1f} | {ratio(ns, recorded.get(name))} |")


if __name__ == "__main__":
    main()
