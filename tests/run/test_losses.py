"""Gaps between losses and loss events, worked out anew from the log of every packet."""

from collections import defaultdict
from itertools import pairwise
from statistics import fmean

import polars as pl
import pytest

import sojourn as sj
from sojourn.events import log_events

WARMUP, BASE_RTT = 2 * 10**12, 64 * 10**9  # picoseconds

SCENARIO = """
name = "losses"
duration = "12 s"
warmup = "2 s"

[[link]]
name = "uplink"
from = "hosts"
to = "router"
rate = "20 Mbit/s"
delay = "7 ms"
queue = { discipline = "droptail", limit = "12 packets" }

[[link]]
name = "bottleneck"
from = "router"
to = "far"
rate = "5 Mbit/s"
delay = "25 ms"

[[link]]
name = "back"
from = "far"
to = "hosts"
rate = "20 Mbit/s"
delay = "32 ms"

[[flow]]
name = "tcp"
count = 5
from = "hosts"
to = "far"
start = "uniform(0 s, 1 s)"
transport = { protocol = "tcp", congestion_control = "newreno" }
traffic = { source = "bulk" }

[[flow]]
name = "call"
from = "hosts"
to = "far"
transport = { protocol = "udp", payload = "500 B" }
traffic = { source = "poisson", rate = "500 kbit/s" }

[vary]
"link.bottleneck.queue" = [
    { discipline = "droptail", limit = "90 packets" },
    { discipline = "red", limit = "90 packets" },
    { discipline = "codel" },
    { discipline = "fq_codel" },
]
"""


def picoseconds(name: str) -> pl.Expr:
    return (pl.col(name) * 1e12).round().cast(pl.Int64)


@pytest.fixture(params=range(4))
def point(request) -> int:
    return request.param


@pytest.fixture
def log(scenario, point, tmp_path) -> pl.DataFrame:
    log = pl.read_parquet(log_events(scenario, tmp_path, point=point))
    return log.with_columns(picoseconds("time_s").alias("at"))


def loss_events(log: pl.DataFrame) -> list[list[str]]:
    """The flows of the drops of data at one link, event by event."""
    came = dict(log.filter(event="enqueue").select("packet", "at").iter_rows())
    left = log.filter(event="dequeue").select("packet", "at").iter_rows()
    waits = [(came[packet], at - came[packet]) for packet, at in left if at > came[packet]]
    data = (pl.col("event") == "drop") & (pl.col("kind") != "ack") & (pl.col("at") >= WARMUP)
    found: list[list[str]] = []
    end, wait = -1, 0
    for at, flow in log.filter(data).select("at", "flow").iter_rows():
        if at >= end:
            # At the end of the run nothing may come that waits: then as before.
            wait = next((wait for stamp, wait in waits if stamp > at), wait)
            end = at + BASE_RTT + wait
            found.append([])
        found[-1].append(flow)
    return found


def test_of_links(log, measured, point):
    rows = {row["link"]: row for row in measured.links.filter(point=point).iter_rows(named=True)}
    several = 0
    for link in ("uplink", "bottleneck"):
        row, here = rows[link], log.filter(link=link)
        drops = here.filter((pl.col("event") == "drop") & (pl.col("at") >= WARMUP))["at"].to_list()
        assert len(drops) == row["drops_packets"]
        gaps = [after - before for before, after in pairwise(drops)]
        if gaps:
            assert row["loss_gap_mean_s"] == pytest.approx(fmean(gaps) / 1e12, rel=1e-9)
            half = sorted(gaps)[(len(gaps) - 1) // 2] / 1e12
            assert row["loss_gap_p50_s"] == pytest.approx(half, rel=0.005)
            assert row["loss_gap_p50_s"] <= row["loss_gap_p95_s"]
        events = loss_events(here)
        assert row["loss_events"] == len(events)
        if events:
            sizes, flows = [len(event) for event in events], [len(set(event)) for event in events]
            assert row["loss_event_mean_packets"] == pytest.approx(fmean(sizes), rel=1e-12)
            assert row["loss_synchronization_ratio"] == pytest.approx(fmean(flows) / 6, rel=1e-12)
            several += max(flows) > 1
    assert several, "no event of more than one flow"


def test_of_flows(log, measured, point):
    data = log.filter(pl.col("kind") != "ack")
    sent = dict(data.filter(event="enqueue", link="uplink").select("packet", "at").iter_rows())
    lost = defaultdict(list)
    for packet, flow in data.filter(event="drop").select("packet", "flow").iter_rows():
        if sent[packet] >= WARMUP:
            lost[flow].append(sent[packet])
    gaps = {}
    for row in measured.flows.filter(point=point).iter_rows(named=True):
        times = sorted(lost[row["flow"]])
        gaps[row["flow"]] = [after - before for before, after in pairwise(times)]
        if len(times) > 1:
            expected = pytest.approx(fmean(gaps[row["flow"]]) / 1e12, rel=1e-9)
            assert row["loss_gap_mean_s"] == expected
        else:
            assert row["loss_gap_mean_s"] is None
    together = [gap for of_one in gaps.values() for gap in of_one]
    (total,) = measured.totals.filter(point=point).to_dicts()
    assert total["loss_gap_mean_s"] == pytest.approx(fmean(together) / 1e12, rel=1e-9)


def test_nothing_lost_is_no_event_and_no_gap(measured):
    back = measured.links.filter(link="back")
    assert (back["loss_events"] == 0).all()
    for metric in ("loss_gap_mean_s", "loss_event_mean_packets", "loss_synchronization_ratio"):
        assert back[metric].null_count() == len(back)


IN_PHASE = """
name = "in-phase"
duration = "2 s"

[dumbbell]
rtt = "20 ms"
bottleneck = { rate = "10 Mbit/s", queue = { limit = "10 packets" } }

[[flow]]
name = "call"
count = 3
transport = { protocol = "udp", payload = "100 B" }
traffic = { source = "cbr", rate = "1 Mbit/s" }

[[flow]]
name = "load"
transport = { protocol = "udp", payload = "exponential(500 B)" }
traffic = { source = "poisson", rate = "12 Mbit/s" }
"""


@pytest.mark.parametrize("seed", range(4))
def test_losses_at_one_instant_are_told_alike_with_a_trace(seed, tmp_path):
    """What comes then may be seen to wait before what is dropped then, or after it."""
    scenario = sj.Scenario.from_toml(IN_PHASE, overrides={"seed": seed})
    traced = sj.run(scenario, trace_folder=tmp_path)
    assert traced.links.equals(sj.run(scenario).links)


@pytest.mark.parametrize("seed", range(5))
def test_losses_of_a_first_wire_are_told_alike_with_a_trace(seed, tmp_path):
    """What comes to that link later is no longer seen to wait before what its wire lost."""
    lossy = 'access = { rate = "12 Mbit/s", delay = "1 ms", loss = 0.2 }\n\n[[flow]]'
    text = IN_PHASE.replace("[[flow]]", lossy, 1)
    scenario = sj.Scenario.from_toml(text, overrides={"seed": seed})
    traced = sj.run(scenario, trace_folder=tmp_path)
    assert traced.links.equals(sj.run(scenario).links)
