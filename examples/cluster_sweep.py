"""A sweep on a cluster: one scenario file, all machines, and nothing lost when one dies.

Here the cluster is two workers on this machine. On a real one give the address of its scheduler
(docs/how-to/clusters.md shows SLURM, PBS and LSF), and the rest stays as it is.

You should see: the tables of 12 runs; then, where the sweep is given again with one more load, that
only the new runs are computed.

Give a scheduler:  python cluster_sweep.py tcp://10.0.0.1:8786
Needs: pip install 'sojourn[cluster]'.
"""

import sys
import tempfile

from distributed import LocalCluster

import sojourn as sj

QUICK = "--quick" in sys.argv
given = [argument for argument in sys.argv[1:] if argument != "--quick"]


def loads(rates: list[str]) -> sj.Scenario:
    """M/D/1 under some loads, behind two queues."""
    return sj.network(
        [sj.link("a", "b", "10 Mbit/s", duplex=False, name="line")],
        sj.udp(sj.source.Poisson(rate="5 Mbit/s"), payload="972 B", name="load", from_="a", to="b"),
        name="loads",
        duration="5 s" if QUICK else "60 s",
        replicas=3 if QUICK else 30,
        vary={
            "flow.load.traffic.rate": rates,
            "link.line.queue": [sj.queue.DropTail(), sj.queue.CoDel()],
        },
    )


def sweep(address: str) -> list[str]:
    """Sweep twice into one folder; return what the second had to do."""
    notes: list[str] = []
    with tempfile.TemporaryDirectory() as out:
        first = sj.sweep(loads(["5 Mbit/s", "9 Mbit/s"]), out, cluster=address)
        print(first.links.select("point", "replica", "utilization", "queueing_delay_mean_s"))
        more = loads(["5 Mbit/s", "9 Mbit/s", "9.5 Mbit/s"])
        sj.sweep(more, out, cluster=address, note=notes.append)
    return notes


if given:
    print(*sweep(given[0]))
else:
    # Threads serve here, since runs release the interpreter's lock.
    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None
    ) as here:
        print(*sweep(here.scheduler_address))
