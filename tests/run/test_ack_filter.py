"""CAKE's ACK filter meets the acknowledgements of simulated connections."""

import sojourn as sj

SCENARIO = """
name = "slow-way-back"
duration = "10 s"

[[link]]
name = "down"
from = "a"
to = "b"
rate = "50 Mbit/s"
delay = "10 ms"

[[link]]
name = "up"
from = "b"
to = "a"
rate = "200 kbit/s"
delay = "10 ms"
queue = {{ discipline = "cake", ack_filter = "{ack_filter}" }}

[[flow]]
name = "bulk"
from = "a"
to = "b"
transport = {{ protocol = "tcp" }}
traffic = {{ source = "bulk" }}
"""


def run(ack_filter: str):
    return sj.run(sj.Scenario.from_toml(SCENARIO.format(ack_filter=ack_filter)))


def test_redundant_acknowledgements_make_way():
    """On a way back that is too slow for all of them, fewer say as much: data flows faster."""
    without, with_, aggressive = (run(word) for word in ("no", "yes", "aggressive"))
    assert "ack_filter" not in set(without.drops["reason"])
    for one in (with_, aggressive):
        dropped = one.drops.filter(link="up", reason="ack_filter")["packets"].sum()
        assert dropped > 100
        queue = one.links.filter(link="up")["queue_mean_packets"][0]
        assert queue < without.links.filter(link="up")["queue_mean_packets"][0]
        assert one.totals["goodput_bps"][0] > without.totals["goodput_bps"][0]
