"""Incast in a data centre: many servers answer one client at the same instant.

Thirty-two servers send 256 kB each through one port of a switch with room for 400 packets. The
queue overflows, whole windows are lost, and flows wait for a retransmission timer that is a
thousand round trips long. DCTCP's marks keep the queue short instead.

You should see: with NewReno behind drop-tail some timers expire, and the slowest transfer takes
about twice the 68 ms that the bytes need; with DCTCP, and marks after 250 us of queue, no timer
expires and the slowest needs next to nothing more than these 68 ms.
"""

import sys

import polars as pl

import sojourn as sj

QUICK = "--quick" in sys.argv
SERVERS = 32


def slowest(control: str, queue: sj.queue.DropTail | sj.queue.CoDel) -> tuple[float, float]:
    """The slowest completion in ms and the timeouts, means over replicas."""
    answer = sj.tcp(
        control,
        sj.source.Bulk(bytes="256 kB"),
        name="answer",
        min_rto="200 ms",
        start="uniform(0 s, 100 us)",
    )
    rack = sj.star(
        SERVERS + 1,
        rate="1 Gbit/s",
        delay="10 us",
        queue=queue,
        flows=answer,  # one from each server
        duration="5 s",
        replicas=10 if QUICK else 20,
    )
    runs = sj.run(rack).flows.group_by("replica").agg(pl.max("fct_s"), pl.sum("timeouts"))
    return runs.select(1e3 * pl.mean("fct_s"), pl.mean("timeouts")).row(0)


marks = sj.queue.CoDel(limit="400 packets", target="1 s", ce_threshold="250 us", ecn=True)
found = {
    "newreno, drop-tail": slowest("newreno", sj.queue.DropTail(limit="400 packets")),
    "dctcp, marks": slowest("dctcp", marks),
}
for name, (fct_ms, timeouts) in found.items():
    print(f"{name:20} slowest {fct_ms:7.1f} ms, {timeouts:5.1f} timeouts")
