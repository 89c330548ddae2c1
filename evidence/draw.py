#!/usr/bin/env python3
"""Draws networks of chance: ``draw.py NAME COUNT SEED``.

In the folder NAME it writes ``network.toml``, and a ``peer.csv`` that holds the commands alone, as
``measure.py`` takes them. What is drawn says ``networks.py`` there:

- ``networks(draws, count)``: what the scenario says of each network, by name, as TOML; besides
  ``subject``, ``peer``, ``version`` and ``run``, as they stand in ``peer.csv``
- ``FILE``: the scenario, with ``{name}`` where the list of all networks goes
- ``APART``: the names whose values stand in lines of their own
- ``CASE``: the columns of ``peer.csv`` that tell networks apart, and the names of their values
"""

from __future__ import annotations

import csv
import math
import random
import runpy
import sys
from pathlib import Path

OF_PEER = ("subject", "peer", "version", "run")


def main() -> None:
    """Draw so many networks."""
    folder = Path(__file__).parent / sys.argv[1]
    count, seed = map(int, sys.argv[2:])
    made = runpy.run_path(str(folder / "networks.py"))
    networks = made["networks"](random.Random(seed), count)
    lists = {
        name: (",\n    " if name in made["APART"] else ", ").join(
            str(one[name]) for one in networks
        )
        for name in networks[0]
    }
    (folder / "network.toml").write_text(made["FILE"].format(**lists))
    case = made["CASE"]
    with (folder / "peer.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*OF_PEER, *case, "metric", "n", "mean", "sd"])
        for one in networks:
            cells = [one[name] for name in (*OF_PEER, *case.values())]
            writer.writerow([*(str(cell).strip('"') for cell in cells), "", "", "", ""])


def log_uniform(draws: random.Random, low: float, high: float) -> float:
    """Draw evenly in ratio."""
    return math.exp(draws.uniform(math.log(low), math.log(high)))


if __name__ == "__main__":
    main()
