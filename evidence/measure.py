#!/usr/bin/env python3
"""Runs a peer again and writes its numbers anew: ``evidence/measure.py NAME [--seeds 20] [--only TEXT]``.

Takes the commands in the column ``run`` of ``evidence/NAME/peer.csv``, runs each for the seeds 1 to
``--seeds`` (N in "seed=N" stands for the seed) in that folder, and reads lines of a metric and a
number from it. With ``--only`` the other rows of the table stay as they are. Needs the peer; the
README of the folder says which and how to build it.
"""

from __future__ import annotations

import argparse
import csv
import math
import os
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import fmean, stdev

MEASURED = ("metric", "n", "mean", "sd")


def main() -> None:
    """Measure one body of evidence."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", help="a folder beside this program")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", default="", help="commands that hold this text")
    given = parser.parse_args()
    folder = Path(__file__).parent / given.name
    table = folder / "peer.csv"
    with table.open(newline="") as file:
        rows = list(csv.DictReader(file))
    cases = {row["run"]: row for row in rows if given.only in row["run"]}
    with ThreadPoolExecutor(given.jobs) as pool:
        tasks = {
            run: [pool.submit(one_run, folder, run, seed) for seed in range(1, given.seeds + 1)]
            for run in cases
        }
        for run, futures in tasks.items():
            measured = summary(cases[run], [future.result() for future in futures])
            first = next(place for place, row in enumerate(rows) if row["run"] == run)
            rows = [row for row in rows if row["run"] != run]
            rows[first:first] = measured
            write(table, rows)  # what was measured is kept if the next fails
            print(run, flush=True)


def write(table: Path, rows: Sequence[dict[str, str]]) -> None:
    """Write the table anew."""
    with table.open("w", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def one_run(folder: Path, run: str, seed: int) -> dict[str, float]:
    """Return the metrics that a command prints."""
    command = run.replace("seed=N", f"seed={seed}")
    done = subprocess.run(
        command, shell=True, cwd=folder, check=True, capture_output=True, text=True
    )
    pairs = (line.split() for line in done.stdout.splitlines() if line.strip())
    return {name: float(value) for name, value in pairs}


def summary(case: dict[str, str], runs: Sequence[dict[str, float]]) -> list[dict[str, str]]:
    """Return a row for each metric: its mean and standard deviation over the runs."""
    rows = []
    for metric in runs[0]:
        values = [run[metric] for run in runs if not math.isnan(run[metric])]
        row = {
            "metric": metric,
            "n": str(len(values)),
            "mean": f"{fmean(values):.6g}",
            "sd": f"{stdev(values) if len(values) > 1 else 0:.3g}",
        }
        rows.append({name: value for name, value in case.items() if name not in MEASURED} | row)
    return rows


if __name__ == "__main__":
    main()
