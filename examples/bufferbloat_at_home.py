"""Bufferbloat at home: somebody uploads holidays, somebody else is on the telephone.

The modem of a 5 Mbit/s uplink has room for a second of traffic. One upload fills it, and the call
waits behind it. Which queue would give the call its line back?

You should see: behind drop-tail the call's packets take most of a second; with CoDel some tens of
milliseconds; with FQ-CoDel or CAKE, which serve the call beside the upload and not behind it, a few
more than the way itself takes (15 ms). The upload loses next to nothing by it.
"""

import sys

import polars as pl

import sojourn as sj

QUICK = "--quick" in sys.argv

upload = sj.tcp("cubic", name="upload", start="uniform(0 s, 1 s)")
call = sj.udp(rate="100 kbit/s", payload="172 B", name="call")
home = sj.dumbbell(
    rate="5 Mbit/s",
    rtt="30 ms",
    queue=sj.queue.DropTail(limit="1 s"),
    flows=upload + call,
    duration="20 s" if QUICK else "60 s",
    warmup="5 s",
    replicas=2 if QUICK else 10,
    vary={
        "dumbbell.bottleneck.queue": [
            {"discipline": "droptail"},
            {"discipline": "codel"},
            {"discipline": "fq_codel"},
            {"discipline": "cake", "bandwidth": "5 Mbit/s"},
        ]
    },
)

results = sj.run(home)
queue = pl.col("dumbbell.bottleneck.queue").alias("queue")
of_call = pl.col("group") == "call"
table = (
    results.groups.join(results.points, on="point")
    .group_by(queue, maintain_order=True)
    .agg(
        pl.col("delay_p95_s").filter(of_call).mean().mul(1e3).round(1).alias("call, p95 ms"),
        pl.col("goodput_bps").filter(~of_call).mean().mul(1e-6).round(2).alias("upload, Mbit/s"),
    )
)
print(table)
