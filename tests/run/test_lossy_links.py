"""Links whose wire loses packets, from a file and from Python."""

from math import sqrt

import polars as pl
import pytest

import sojourn as sj

HEAD = """
name = "lossy"
duration = "20 s"
replicas = 2

[[link]]
name = "l"
from = "a"
to = "b"
rate = "4 Mbit/s"
delay = "10 ms"
duplex = true
LOSS
queue = { discipline = "red", limit = "30 packets" }
"""

UDP = """
[[flow]]
name = "udp"
from = "a"
to = "b"
transport = { protocol = "udp", payload = "472 B" }
traffic = { source = "poisson", rate = "3.9 Mbit/s" }
"""

TCP = """
[[flow]]
name = "tcp"
from = "a"
to = "b"
transport = { protocol = "tcp" }
traffic = { source = "bulk" }
"""


def text(loss: str = "", flows: str = UDP) -> str:
    return HEAD.replace("LOSS", loss) + flows


def ran(loss: str = "", flows: str = UDP, **overrides) -> sj.Results:
    keys = {key.replace("__", "."): value for key, value in overrides.items()}
    return sj.run(sj.Scenario.from_toml(text(loss, flows), overrides=keys))


def lost(results: sj.Results, link: str = "l") -> int:
    """The packets that the wire lost, of all replicas."""
    rows = results.drops.filter(link=link, kind="drop", reason="link")
    return int(rows["packets"].sum())


def sums(results: sj.Results, table: str, metric: str) -> float:
    frame = getattr(results, table)
    return float(frame.filter(pl.col(table[:-1]).is_in(["l", "udp", "tcp"]))[metric].sum())


@pytest.mark.parametrize(
    ("loss", "share"),
    [
        ("0.1", 0.1),
        ("{ bit_error_ratio = 2e-5 }", 1 - (1 - 2e-5) ** 4000),
        ("{ good_to_bad = 0.1, bad_to_good = 0.4 }", 0.2),
        ("{ good_to_bad = 0.1, bad_to_good = 0.4, in_good = 0.05, in_bad = 0.5 }", 0.14),
    ],
)
def test_a_wire_loses_its_share_of_what_is_sent(loss, share):
    results = ran(f"loss = {loss}")
    sent = sums(results, "links", "departures_packets")
    # Bursts make the sum of losses vary by less than three times as much as single ones do.
    assert lost(results) / sent == pytest.approx(share, abs=12 * sqrt(share / sent))
    assert not lost(results, "l.reverse")


def test_what_is_lost_is_a_drop_of_the_link_and_a_loss_of_the_flow():
    results = ran("loss = 0.2", warmup="5 s")
    for replica in range(results.links["replica"].n_unique()):
        (link,) = results.links.filter(link="l", replica=replica).rows(named=True)
        (flow,) = results.flows.filter(replica=replica).rows(named=True)
        by_reason = results.drops.filter(link="l", replica=replica)
        assert {"link", "unforced"} < set(by_reason["reason"])
        assert by_reason["packets"].sum() == link["drops_packets"]
        assert link["loss_ratio"] == link["drops_packets"] / link["arrivals_packets"]
        # But for what was under way as the window opened and closed.
        assert flow["loss_ratio"] == pytest.approx(link["loss_ratio"], rel=0.02)


def test_the_queue_does_not_know_of_it():
    """A packet that is lost has waited and been sent, and RED draws as it does without losses."""
    losing, whole = ran("loss = 0.3"), ran()
    alike = ["utilization", "arrivals_packets", "departures_packets", "queue_mean_packets"]
    alike += ["queueing_delay_p95_s", "throughput_bps", "marks_packets"]
    assert losing.links.select(alike).equals(whole.links.select(alike))
    early = [results.drops.filter(reason="unforced") for results in (losing, whole)]
    assert early[0].height == 2
    assert early[0].equals(early[1])
    assert sums(losing, "flows", "goodput_bps") == pytest.approx(
        0.7 * sums(whole, "flows", "goodput_bps"), rel=0.02
    )


def test_nothing_lost_is_as_if_nothing_were_said():
    for none in ("0", "{ bit_error_ratio = 0 }", "{ packets = [] }"):
        for flows in (UDP, TCP):
            assert ran(f"loss = {none}", flows).links.equals(ran("", flows).links)


def test_the_way_back_has_losses_of_its_own():
    """Acknowledgements that are lost cost no segment: the next says the same."""
    results = ran("reverse_loss = 0.2", TCP)
    assert lost(results, "l.reverse") > 100
    assert not lost(results)
    queue = results.drops.filter(link="l", kind="drop")["packets"].sum()
    assert sums(results, "flows", "retransmits") == pytest.approx(queue, abs=3)
    dumbbell = {"rate": "4 Mbit/s", "rtt": "20 ms", "flows": sj.tcp(), "duration": "10 s"}
    results = sj.run(sj.dumbbell(**dumbbell, loss=0.01, reverse_loss={"packets": [3, 9]}))
    assert lost(results, "bottleneck") > 10
    assert lost(results, "bottleneck.reverse") == 2


def test_a_sweep_over_losses_has_the_throughput_of_reno():
    """In inverse proportion to the root of the losses (Mathis and others, 1997)."""
    overrides = {"link.l.delay": "50 ms", "link.l.rate": "100 Mbit/s", "duration": "100 s"}
    scenario = sj.Scenario.from_toml(
        text("loss = 0.1", TCP) + '[vary]\n"link.l.loss" = [0.001, 0.004, 0.016]\n',
        overrides={**overrides, "link.l.queue.discipline": "droptail"},
    )
    by_point = sj.run(scenario).flows.group_by("point", maintain_order=True)
    goodput = by_point.agg(pl.col("goodput_bps").mean())["goodput_bps"]
    assert goodput[0] / goodput[1] == pytest.approx(2, rel=0.15)
    assert goodput[1] / goodput[2] == pytest.approx(2, rel=0.15)


@pytest.mark.parametrize(
    ("loss", "message"),
    [
        ("loss = 1.5", "loss: found 1.5; allowed: a number from 0 to 1, or a table such as"),
        ('loss = "3 %"', 'loss: found "3 %"; allowed: a number from 0 to 1'),
        ("loss = [3]", "loss: found a list; allowed: a number from 0 to 1, or a table"),
        ("loss = {}", "loss: found none; allowed: one of bit_error_ratio, good_to_bad, packets"),
        (
            "loss = { packets = [3], bit_error_ratio = 0.1 }",
            "loss: found bit_error_ratio and packets; allowed: one of",
        ),
        ("loss = { packets = [3, 3] }", "loss.packets: found 3; allowed: a list of numbers from 1"),
        ("loss = { packets = 3 }", "loss.packets: found 3; allowed: a list of numbers from 1"),
        ("loss = { good_to_bad = 0.1 }", "loss.bad_to_good: found nothing; allowed: a number"),
        ("loss = { packets = [3], in_bad = 0.4 }", "loss.in_bad: allowed: only beside good_to_bad"),
        ("loss = { ratio = 0.4 }", 'loss.ratio: unknown key: found "ratio"; allowed: bit_error'),
    ],
)
def test_what_is_no_loss_is_refused_with_what_is_allowed(loss, message):
    with pytest.raises(sj.ScenarioError) as refused:
        sj.Scenario.from_toml(text(loss))
    assert message in str(refused.value)


def test_a_way_back_that_is_not_there_loses_nothing():
    with pytest.raises(sj.ScenarioError, match="reverse_loss: allowed: only where duplex = true"):
        sj.Scenario.from_toml(text("reverse_loss = 0.1").replace("duplex = true", ""))
