"""Marks of flows, counted anew from the log of every packet."""

from __future__ import annotations

import polars as pl
import pytest

import sojourn as sj
from sojourn.events import log_events

WARMUP_S = 2.0

SCENARIO = """
name = "marks"
duration = "8 s"
warmup = "2 s"

[dumbbell]
rtt = "20 ms"
bottleneck = { rate = "10 Mbit/s", queue = { discipline = "codel", ecn = true } }

[[flow]]
name = "tcp"
count = 3
start = "uniform(0 s, 1 s)"
transport = { protocol = "tcp", ecn = "classic" }
traffic = { source = "bulk" }

[[flow]]
name = "deaf"
transport = { protocol = "tcp" }
traffic = { source = "bulk" }

[[flow]]
name = "call"
transport = { protocol = "udp", ecn = true }
traffic = { source = "poisson", rate = "4 Mbit/s" }

[[flow]]
name = "never"
start = "9 s"
transport = { protocol = "udp" }
traffic = { source = "cbr", rate = "500 kbit/s" }
"""


@pytest.fixture
def marked(scenario, tmp_path) -> pl.DataFrame:
    """The marked packets of data that came to their end, by the log."""
    log = pl.read_parquet(log_events(scenario, tmp_path))
    last = log.filter(event="deliver", way="there").group_by("packet").last()
    return last.filter(pl.col("kind") != "ack", ecn="ce")


def test_flows_have_the_marks_of_the_packets_that_came_to_them(measured, marked):
    inside = marked.filter(pl.col("time_s") >= WARMUP_S)
    counts = dict(inside.group_by("flow").len().iter_rows())
    for row in measured.flows.iter_rows(named=True):
        assert row["marks_packets"] == counts.get(row["flow"], 0), row["flow"]
    assert {flow for flow, packets in counts.items() if packets > 5} == {
        *("tcp.0", "tcp.1", "tcp.2", "call"),
    }


def test_a_series_has_the_marks_of_each_interval(scenario, marked):
    run = sj.run(scenario, series_interval="500 ms")
    series = run.series("marks_packets").filter(entity="flow").select("name", "time_s", "value")
    end = ((pl.col("time_s") / 0.5).floor() + 1) * 0.5
    counted = marked.group_by("flow", end).len().sort("flow", "time_s").iter_rows()
    assert list(series.filter(pl.col("value") > 0).sort("name", "time_s").iter_rows()) == [*counted]
    assert len(series) == 6 * 16, "intervals without any are told too"


def test_the_ratio_is_of_what_was_received(measured):
    for row in measured.flows.iter_rows(named=True):
        if row["flow"] == "never":
            assert row["mark_ratio"] is None
        else:
            share = row["marks_packets"] / row["received_packets"]
            assert row["mark_ratio"] == pytest.approx(share, rel=1e-12)
    (deaf,) = measured.flows.filter(flow="deaf").iter_rows(named=True)
    assert deaf["mark_ratio"] == 0
    (total,) = measured.totals.iter_rows(named=True)
    assert total["marks_packets"] == measured.flows["marks_packets"].sum()
    share = total["marks_packets"] / total["received_packets"]
    assert total["mark_ratio"] == pytest.approx(share, rel=1e-12)
