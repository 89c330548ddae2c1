"""RTT fairness: two downloads share a line, one from next door and one from overseas.

TCP's window grows once per round trip, so the near one grows faster. How unfair is that, under
which congestion control, and what does fair queueing change?

You should see: behind drop-tail NewReno's near flow gets five times what the far one gets,
CUBIC's less so, since its growth goes by the clock. Behind FQ-CoDel the near one still has an
edge, but only because the far one, whose queue is cut as short, cannot fill its half at times.
"""

import sys

import polars as pl

import sojourn as sj

QUICK = "--quick" in sys.argv
START = "uniform(0 s, 1 s)"
"""Random, so that replicas differ."""


def share(control: str, queue: sj.queue.DropTail | sj.queue.FqCodel) -> float:
    """How many times as much the near flow gets, as the mean over replicas."""
    near = sj.tcp(control, name="near", rtt="20 ms", start=START)
    far = sj.tcp(control, name="far", rtt="164 ms", start=START)
    line = sj.dumbbell(
        rate="20 Mbit/s",
        delay="2 ms",
        queue=queue,
        flows=near + far,
        duration="30 s" if QUICK else "120 s",
        warmup="10 s",
        replicas=2 if QUICK else 10,
    )
    goodput = sj.run(line).flows.group_by("flow").agg(pl.col("goodput_bps").mean())
    of = dict(goodput.iter_rows())
    return of["near"] / of["far"]


ratios = {
    (control, type(queue).__name__): share(control, queue)
    for control in ("newreno", "cubic")
    for queue in (sj.queue.DropTail(limit="1 bdp"), sj.queue.FqCodel())
}
for (control, queue), ratio in ratios.items():
    print(f"{control:8} behind {queue:9} near gets {ratio:5.2f} times as much as far")
