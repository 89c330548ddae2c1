"""Replay a capture: what would another queue have done to the traffic that we saw?

Take a capture of your own line, or the one that is made here, and send its packets through other
queues at the rate of the line. The replay is open loop: senders do not react, so it says what the
queue does to these packets, not what TCP would then have done.

You should see: behind drop-tail and CoDel the telephone's packets wait with those of the bursts,
for about a hundred milliseconds; FQ-CoDel lets them by within one. CoDel gains little on drop-
tail here, since these bursts do not slow down when they lose packets.

Give a capture:  python replay_capture.py capture.pcapng '8 Mbit/s'
"""

import sys
import tempfile
from pathlib import Path

import sojourn as sj
from sojourn.replay import replay

QUICK = "--quick" in sys.argv
given = [argument for argument in sys.argv[1:] if argument != "--quick"]


def made(folder: Path) -> Path:
    """A capture of bursts and a telephone call on a fast link."""
    bursts = sj.udp(
        sj.source.OnOff(rate="12 Mbit/s", on="exponential(50 ms)", off="exponential(80 ms)"),
        name="bursts",
        from_="a",
        to="b",
    )
    call = sj.udp(rate="100 kbit/s", payload="172 B", name="call", from_="a", to="b")
    fast = sj.network(
        [sj.link("a", "b", "1 Gbit/s", duplex=False, name="fast")],
        bursts + call,
        duration="5 s" if QUICK else "30 s",
    )
    sj.run(fast, trace_folder=folder, trace_format="pcapng", trace_links=["fast"])
    return next(folder.glob("trace-fast.pcapng"))


with tempfile.TemporaryDirectory() as folder:
    capture = Path(given[0]) if given else made(Path(folder))
    rate = given[1] if len(given) > 1 else "6 Mbit/s"
    queues = ["droptail,limit=200 packets", "codel", "fq_codel"]
    replayed = replay(capture, queues, rate)

flows = replayed.flows.select("queue", "received_packets", "delay_mean_s", "loss_ratio")
print(flows.sort("received_packets", maintain_order=True).sort("queue", maintain_order=True))
