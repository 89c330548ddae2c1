"""What the command costs beside the simulations: its start, a point, a second worker, memory.

``python benchmarks/command.py``. Times are wall times, as a user waits; of each the least of
some runs counts, since other programs only add to it. Runs to be compared come in turn.
"""

from __future__ import annotations

import argparse
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from options import at_least_one

SCENARIO = """
name = "command"
duration = "1 ms"

[dumbbell]
rtt = "20 ms"
bottleneck = { rate = "100 Mbit/s", queue = { discipline = "codel" } }

[[flow]]
name = "bulk"
count = COUNT
transport = { protocol = "tcp" }
traffic = { source = "bulk" }
start = "uniform(0 s, 100 ms)"
"""


NOTHING = 2000
"""Points of a sweep in which nearly nothing happens."""


def wall(folder: Path, *commands: list[str]) -> float:
    """Seconds that the commands take side by side, their output thrown away."""
    outs = [folder / f"results-{number}" for number in range(len(commands))]
    for out in outs:
        shutil.rmtree(out, ignore_errors=True)
    began = time.perf_counter()
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "sojourn", *command, *into(command, out)],
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for command, out in zip(commands, outs, strict=True)
    ]
    for process in running:
        if process.wait() != 0:
            raise subprocess.CalledProcessError(process.returncode, process.args)
    return time.perf_counter() - began


def into(command: list[str], out: Path) -> list[str]:
    """Where a sweep puts its results."""
    return ["--out", out.name] if command[0] == "sweep" else []


def least(runs: int, folder: Path, *ways: list[list[str]]) -> list[float]:
    """The least seconds of each way, all of whose commands run side by side; the ways in turn."""
    rounds = [[wall(folder, *way) for way in ways] for _ in range(runs)]
    return [min(times) for times in zip(*rounds, strict=True)]


def sweep(scenario: Path, duration: str, points: int, jobs: int) -> list[str]:
    """The arguments for a sweep of so many points, which differ in the rate of the bottleneck."""
    rates = ", ".join(f'"{100 + point / points:.6f} Mbit/s"' for point in range(points))
    varied = scenario.with_name(f"{points}-points.toml")
    vary = f'\n[vary]\n"dumbbell.bottleneck.rate" = [{rates}]\n' if points > 1 else ""
    varied.write_text(scenario.read_text() + vary)
    return ["sweep", varied.name, "--set", f"duration={duration}", "--jobs", str(jobs)]


def main() -> None:
    """Print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=at_least_one, default=5, help="of each; the least counts")
    runs = parser.parse_args().runs
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        scenario = folder / "command.toml"
        scenario.write_text(SCENARIO.replace("COUNT", "1"))
        one, many = (sweep(scenario, "1 ms", points, jobs=1) for points in (1, 1 + NOTHING))
        ways = [["--help"], ["run", scenario.name], one, many]
        help_s, run_s, one_s, many_s = least(runs, folder, *([way] for way in ways))
        print(f"sojourn --help: {help_s * 1e3:.0f} ms")
        print(
            f"1 ms of one flow: run {run_s * 1e3:.0f} ms, sweep of one point {one_s * 1e3:.0f} ms"
        )
        print(f"each of {NOTHING} more such points: {(many_s - one_s) / NOTHING * 1e3:.2f} ms")
        scenario.write_text(SCENARIO.replace("COUNT", "10"))
        for duration, points in (("1 s", 3000), ("10 s", 1200), ("100 s", 240)):
            one, two = ([sweep(scenario, duration, points, jobs)] for jobs in (1, 2))
            halves = [sweep(scenario, duration, points // 2, jobs=1)] * 2
            seconds = least(runs, folder, one, two, halves)
            alone, shared, apart = (points / each for each in seconds)
            print(
                f"{points} points of {duration}: {alone:.1f} a second, "
                f"by two workers {shared:.1f}, {shared / alone:.2f} times; "
                f"by two commands, half each, {apart / alone:.2f} times"
            )
        # In kibibytes, of the command that took most: the first of these sweeps has most points.
        most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        print(f"memory, at most: {most * 1024 / 1e6:.0f} MB")


if __name__ == "__main__":
    main()
