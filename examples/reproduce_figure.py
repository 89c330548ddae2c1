"""Reproduce a paper's figure: the mean queue against the load, with the uncertainty it lacked.

Nauman and Arshad compare EQM, RED, REM and SFQ under rising UDP load. Their figure 2 shows one
line for each. Here are the same lines, each the mean over replicas with its 95 % band. (EQM's
algorithm is not public; ours is a reconstruction.)

You should see: up to the capacity, 8 Mbit/s, all lines lie on each other; above it they part, and a
shorter queue is paid for in packets lost. The figure goes to reproduce_figure.png.
"""

import sys
from pathlib import Path

import polars as pl

import sojourn as sj
from sojourn.studies import scenario_text

QUICK = "--quick" in sys.argv

study = sj.Scenario.from_toml(scenario_text("eqm"))
key = next(name for name in study.vary[0] if name.endswith("rate"))
short = {"duration": "5 s", "warmup": "1 s", "replicas": 2} if QUICK else {}
results = sj.run(study.with_overrides(short))

figure = results.plot("load", of="links.bottleneck.queue_mean_packets", x=key)
figure.save(Path("reproduce_figure.png"))

links = results.links.filter(pl.col("link") == "bottleneck").join(results.points, on="point")
print(links.group_by(key, maintain_order=True).agg(pl.col("queue_mean_packets").mean().round(2)))
