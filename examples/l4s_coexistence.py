"""L4S coexistence: Prague wants a queue below a millisecond, CUBIC a longer one. Can they share?

DualPI2 (RFC 9332) gives each a queue of its own, couples their probabilities so that both get the
same, and lets Prague's packets go first. In one queue of PIE each would spoil it for the other.

You should see: behind DualPI2 Prague's packets wait for half a millisecond, CUBIC's for fifteen,
and the rates are of one order. Behind PIE both wait for fifteen, and Prague, which takes a mark
for less than CUBIC does, leaves it next to nothing: this is why L4S wants them apart, as the
two queues of RFC 9332 (section 2.5.1) keep them. The marks tell it: behind DualPI2 far more of
Prague's packets have one, behind PIE as many as CUBIC's.
"""

import sys

import polars as pl

import sojourn as sj

QUICK = "--quick" in sys.argv

start = "uniform(0 s, 1 s)"
both = sj.tcp("prague", start=start) + sj.tcp("cubic", ecn=True, start=start)
shared = sj.dumbbell(
    rate="40 Mbit/s",
    rtt="20 ms",
    flows=both,
    duration="20 s" if QUICK else "60 s",
    warmup="5 s",
    replicas=2 if QUICK else 10,
    vary={
        "dumbbell.bottleneck.queue": [
            {"discipline": "dualpi2"},
            {"discipline": "pie", "ecn": True},
        ]
    },
)

results = sj.run(shared)
way = 0.010  # half of the round-trip time: what the path takes by itself
table = (
    results.groups.join(results.points, on="point")
    .group_by(pl.col("dumbbell.bottleneck.queue").alias("queue"), "group", maintain_order=True)
    .agg(
        pl.col("goodput_bps").mean().mul(1e-6).round(2).alias("goodput, Mbit/s"),
        (pl.col("delay_mean_s").mean() - way).mul(1e3).round(2).alias("waits, ms"),
        pl.col("mark_ratio").mean().mul(100).round(2).alias("marked, %"),
    )
)
print(table)
