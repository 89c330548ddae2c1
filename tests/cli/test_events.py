"""`sojourn events`: the log of every packet."""

import json
import re
import signal
import subprocess
import sys
import time
from html.parser import HTMLParser

import duckdb
import polars as pl
import pytest

import sojourn as sj

SCENARIO = """
name = "logged"
duration = "3 s"

[[link]]
name = "up"
from = "a"
to = "b"
rate = "2 Mbit/s"
delay = "5 ms"
duplex = true
queue = { discipline = "codel", ecn = true, limit = "40 packets" }

[[link]]
name = "far"
from = "b"
to = "c"
rate = "1.8 Mbit/s"
queue = { discipline = "red", limit = "30 packets", ecn = true }

[[link]]
name = "back"
from = "c"
to = "b"
rate = "2 Mbit/s"

[[flow]]
name = "bulk"
from = "a"
to = "c"
transport = { protocol = "tcp", ecn = true }
traffic = { source = "bulk" }

[[flow]]
name = "load"
from = "a"
to = "c"
transport = { protocol = "udp", payload = "472 B" }
traffic = { source = "poisson", rate = "1.2 Mbit/s" }

[vary]
seed = [1, 2]
"""


@pytest.fixture(scope="module")
def scenario_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("events") / "logged.toml"
    path.write_text(SCENARIO)
    return path


@pytest.fixture
def log(sojourn, scenario_file, tmp_path) -> pl.DataFrame:
    done = sojourn("events", scenario_file, "--out", tmp_path, "--point", 1)
    assert done.status == 0, done.errors
    assert done.out == ""
    return pl.read_parquet(tmp_path / "events.parquet")


def test_the_log_says_what_the_tables_say(log, scenario_file):
    run = sj.run(scenario_file)
    links = run.links.filter(point=1)
    for link in links.iter_rows(named=True):
        rows = log.filter(link=link["link"])
        counts = dict(rows.group_by("event").len().iter_rows())
        assert counts.get("enqueue", 0) == link["arrivals_packets"]
        assert counts.get("dequeue", 0) == link["departures_packets"]
        assert counts.get("drop", 0) == link["drops_packets"]
        assert counts.get("mark", 0) == link["marks_packets"]
        waits = rows.filter(event="dequeue")["sojourn_s"]
        if len(waits):
            assert waits.mean() == pytest.approx(link["queueing_delay_mean_s"], abs=1e-12)
    reasons = log.drop_nulls("reason").group_by("link", "event", "reason").len()
    expected = run.drops.filter(point=1).select("link", "kind", "reason", "packets")
    assert sorted(reasons.iter_rows()) == sorted(expected.iter_rows())
    assert {"drop", "mark"} <= set(reasons["event"])


def test_the_log_is_in_the_order_of_time_and_counts_what_waits(log):
    assert log["time_s"].is_sorted()
    step = (
        pl.when(pl.col("event") == "enqueue")
        .then(1)
        .when(pl.col("event").is_in(["dequeue", "drop"]))
        .then(-1)
        .otherwise(0)
    )
    for link in ("up", "far"):
        rows = log.filter(link=link)
        assert (rows["queue_packets"] == rows.select(step.cum_sum()).to_series()).all()
        sizes = rows.select((step * pl.col("size_bytes")).cum_sum()).to_series()
        assert (rows["queue_bytes"] == sizes).all()


def test_a_packet_is_followed_from_link_to_link(log):
    packet = log.filter(link="far", event="deliver", kind="datagram")["packet"][50]
    journey = log.filter(packet=packet).select("link", "event").rows()
    up, far = (
        [(link, event) for event in ("enqueue", "dequeue", "deliver")] for link in ("up", "far")
    )
    assert [step for step in journey if step[1] != "mark"] == up + far
    sent = log.filter(event="enqueue", link="up")["packet"]
    assert sent.is_unique().all()


def test_each_decision_shows_the_inner_state_around_it(log):
    decided = log.filter(pl.col("event").is_in(["drop", "mark"]))
    others = log.filter(~pl.col("event").is_in(["drop", "mark"]))
    assert others["state"].null_count() == len(others)
    assert decided["state"].null_count() == 0
    # RED: each arrival moves the average, and an early decision begins the count anew.
    red = decided.filter(link="far", reason="unforced")
    assert len(red) > 0
    for row in red.iter_rows(named=True):
        before, after = json.loads(row["state"]), json.loads(row["state_after"])
        assert before["avg"] != after["avg"]
        assert after["avg"] >= 5
        assert after["count"] == 0
    # CoDel's law decides on packets that have waited for longer than the target.
    codel = decided.filter(link="up", reason="target")
    assert len(codel) > 0
    assert (codel["sojourn_s"] >= 0.005).all()


def test_other_readers_read_it(log, tmp_path):
    path = tmp_path / "events.parquet"
    query = f"select count(*), sum(size_bytes), count(state) from '{path}'"
    expected = (len(log), log["size_bytes"].sum(), log["state"].count())
    assert duckdb.sql(query).fetchall() == [expected]


class Page(HTMLParser):
    """What a page loads from elsewhere, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.text = ""
        self.tables = 0
        self.captions: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        named = dict(attrs)
        self.tables += tag == "table"
        if tag == "caption":
            self.captions.append("")
        if tag in ("script", "link", "img", "iframe") or "src" in named:
            self.loads.append(tag)

    def handle_data(self, data):
        self.text += data
        if self.lasttag == "caption":
            self.captions[-1] += data


def test_a_page_shows_one_decision_in_full(sojourn, scenario_file, tmp_path):
    done = sojourn("events", scenario_file, "--out", tmp_path, "--show", 3)
    assert done.status == 0, done.errors
    page = Page((tmp_path / "decision-3.html").read_text())
    assert page.loads == []
    log = pl.read_parquet(tmp_path / "events.parquet").with_row_index("row")
    row = log.filter(pl.col("event").is_in(["drop", "mark"])).row(2, named=True)
    for shown in (row["reason"], row["flow"], str(row["time_s"]), f"packet {row['packet']} of"):
        assert shown in page.text
    for variable in json.loads(row["state"]):
        assert variable in page.text
    assert len(page.captions) == page.tables == 5
    assert page.captions[0].strip() == f"What the {row['event']} was of"
    assert re.search(r"\becn\s*true\b", page.text)
    waiting = row["queue_packets"] - (row["event"] == "mark")
    assert f"Besides this packet {waiting} packets waited" in page.text


def test_what_is_not_there_is_refused(sojourn, scenario_file, tmp_path):
    done = sojourn("events", scenario_file, "--out", tmp_path, "--point", 2)
    assert done.status == 2
    assert done.errors.endswith("error: --point: found 2; allowed: 0 to 1\n")
    done = sojourn("events", scenario_file, "--out", tmp_path, "--show", 100_000)
    assert done.status == 2
    assert "--show: found 100000; allowed: 1 to " in done.errors


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise there")
def test_ctrl_c_leaves_one_line_and_no_file(tmp_path):
    """A run of a day, ended while it writes."""
    path, out = tmp_path / "long.toml", tmp_path / "out"
    path.write_text(SCENARIO.replace('"3 s"', '"100000 s"'))
    program = subprocess.Popen(
        [sys.executable, "-m", "sojourn", "events", str(path), "--out", str(out)],
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
    )
    try:
        while not (out.exists() and any(part.stat().st_size for part in out.iterdir())):
            assert program.poll() is None
            time.sleep(0.02)
        program.send_signal(signal.SIGINT)
        errors = program.communicate(timeout=60)[1]
    finally:
        program.kill()
    assert program.returncode == 130, errors
    noise = ("events of logged: ", "warning: ")
    said = [line for line in errors.splitlines() if not line.startswith(noise)]
    assert said == ["interrupted: nothing was written"]
    assert not any(tmp_path.rglob("events*"))


LOSSY = """
name = "lossy"
duration = "1 s"

[[link]]
name = "l"
from = "a"
to = "b"
rate = "4 Mbit/s"
delay = "10 ms"
loss = { packets = [2, 5] }

[[flow]]
name = "udp"
from = "a"
to = "b"
transport = { protocol = "udp", payload = "472 B" }
traffic = { source = "cbr", rate = "3.9 Mbit/s" }
"""


def test_what_the_wire_loses_is_seen_where_it_was_to_come_out(sojourn, tmp_path):
    """The second and the fifth packet; ns-2 writes such a `d` behind its `link-lossmodel`."""
    path = tmp_path / "lossy.toml"
    path.write_text(LOSSY)
    assert sojourn("events", path, "--out", tmp_path).status == 0
    log = pl.read_parquet(tmp_path / "events.parquet")
    assert log["time_s"].is_sorted()
    losses = log.filter(event="lose")
    assert losses["number"].to_list() == [1, 4]
    assert losses["reason"].to_list() == ["link", "link"]
    begun = log.filter(pl.col("event") == "dequeue", pl.col("number").is_in([1, 4]))
    assert (losses["time_s"] - begun["time_s"]).to_list() == pytest.approx([0.011, 0.011])
    ends = log.filter(pl.col("event").is_in(["lose", "deliver"]))
    assert ends["number"].to_list()[:6] == [0, 1, 2, 3, 4, 5]
    no_decision = sojourn("events", path, "--out", tmp_path, "--show", 1)
    assert "found 1; allowed: none: nothing was dropped or marked" in no_decision.errors
    assert sojourn("run", path, "--trace", "ns2", "--out", tmp_path / "run").status == 0
    lines = (tmp_path / "run" / "trace.tr").read_text().splitlines()
    assert [line.split()[0] for line in lines if line.split()[10] == "1"] == ["+", "-", "d"]


THREE = """
name = "three"
duration = "5 ms"

[[link]]
name = "l"
from = "a"
to = "b"
rate = "1 Mbit/s"
delay = "1 ms"
queue = { discipline = "fq_codel", limit = "4 packets" }

[[flow]]
name = "fat"
from = "a"
to = "b"
transport = { protocol = "udp", payload = "972 B" }
traffic = { source = "cbr", rate = "8 Mbit/s" }

[[flow]]
name = "thin"
from = "a"
to = "b"
transport = { protocol = "udp", payload = "72 B" }
traffic = { source = "cbr", rate = "8 kbit/s" }
start = "2.5 ms"
"""


def test_a_decision_shows_the_queue_of_its_packet_and_no_other(sojourn, tmp_path):
    """The first packet is on the wire until after the end. Then come two of the fat flow, the thin
    one's, and two more of the fat: the last is one too many, and half of the fat flow's four go."""
    path = tmp_path / "three.toml"
    path.write_text(THREE)
    done = sojourn("events", path, "--out", tmp_path, "--show", 1)
    assert done.status == 0, done.errors
    log = pl.read_parquet(tmp_path / "events.parquet")
    drops = log.filter(event="drop")
    assert drops.select("flow", "number", "reason").rows() == [
        ("fat", 1, "overlimit"),
        ("fat", 2, "overlimit"),
    ]
    for text, packets, size in (("state", 3, 3000), ("state_after", 2, 2000)):
        for state in map(json.loads, drops[text]):
            assert state["flows_active"] == 2
            assert state["flow[0].packets"] == packets
            assert state["flow[0].bytes"] == size
            assert not [name for name in state if name.startswith("flow[1]")]
    page = Page((tmp_path / "decision-1.html").read_text())
    assert "flow[0].packets" in page.text
    assert "flow[1]" not in page.text


MANY = """
name = "many"
duration = "0.3 s"
dumbbell = { rtt = "10 ms", bottleneck = { rate = "8 Mbit/s", queue = %s } }

[[flow]]
name = "u"
count = 40
transport = { protocol = "udp", payload = "972 B" }
traffic = { source = "cbr", rate = "800 kbit/s" }
start = "uniform(0 s, 20 ms)"
"""


@pytest.mark.parametrize(
    "queue",
    [
        '{ discipline = "fq_codel", limit = "60 packets" }',
        '{ discipline = "fq_codel", preset = "ns3", limit = "60 packets" }',
        '{ discipline = "fq_pie", limit = "60 packets" }',
        '{ discipline = "cake", limit = "60 packets" }',
        '{ discipline = "sfq", inner = "codel(limit = 3 packets)" }',
        '{ discipline = "drr", limit = "60 packets" }',
        '{ discipline = "fq", limit = "60 packets" }',
        '{ discipline = "tbf", inner = "fq_codel(limit = 60 packets)", rate = "7 Mbit/s",'
        ' burst = "10 kB" }',
        '{ discipline = "prio", inner = "fq_codel(limit = 60 packets)" }',
    ],
)
def test_a_flow_has_one_queue_in_all_its_decisions(sojourn, tmp_path, queue):
    path = tmp_path / "many.toml"
    path.write_text(MANY % queue)
    done = sojourn("events", path, "--out", tmp_path)
    assert done.status == 0, done.errors
    drops = pl.read_parquet(tmp_path / "events.parquet").filter(event="drop")
    assert drops.height > 500
    of_flow: dict[str, str] = {}
    for row in drops.iter_rows(named=True):
        before, after = json.loads(row["state"]), json.loads(row["state_after"])
        (packets,) = [name for name in after if re.search(r"flow\[\d+\]\.packets$", name)]
        place = packets.removesuffix("packets")
        assert of_flow.setdefault(row["flow"], place) == place
        assert all(name.startswith(place) for name in [*before, *after] if "flow[" in name)
        if row["sojourn_s"] > 0:
            assert before[packets] >= 1, "it waited there"
            assert after[packets] <= before[packets]
    assert len(of_flow) > 30


TWO = """
name = "two"
duration = "0.3 s"

[[link]]
name = "first"
from = "a"
to = "b"
rate = "20 Mbit/s"
queue = { discipline = "fq_codel", preset = "ns3" }

[[link]]
name = "second"
from = "b"
to = "c"
rate = "1 Mbit/s"
queue = { discipline = "fq_codel", preset = "ns3", limit = "1 packets" }

[[flow]]
name = "short"
from = "a"
to = "b"
transport = { protocol = "udp", payload = "972 B" }
traffic = { source = "cbr", rate = "8 Mbit/s" }

[[flow]]
name = "long"
from = "a"
to = "c"
transport = { protocol = "udp", payload = "972 B" }
traffic = { source = "cbr", rate = "8 Mbit/s" }
start = "0.5 ms"
"""


def test_a_queue_is_that_of_the_link(sojourn, tmp_path):
    """The long flow is the second at the first link, and the only one at the second link."""
    path = tmp_path / "two.toml"
    path.write_text(TWO)
    done = sojourn("events", path, "--out", tmp_path)
    assert done.status == 0, done.errors
    drops = pl.read_parquet(tmp_path / "events.parquet").filter(event="drop")
    assert drops.height > 50
    for row in drops.iter_rows(named=True):
        assert (row["link"], row["flow"], row["sojourn_s"]) == ("second", "long", 0)
        assert json.loads(row["state_after"])["flow[0].packets"] == 1


def test_rows_are_written_before_their_texts_fill_memory(sojourn, tmp_path):
    """The eight tins of CAKE are some 4 kB of variables for each drop."""
    path = tmp_path / "tins.toml"
    path.write_text(MANY % '{ discipline = "cake", diffserv = "diffserv8", limit = "20 packets" }')
    done = sojourn("events", path, "--out", tmp_path, "--set", "duration=2 s")
    assert done.status == 0, done.errors
    file = tmp_path / "events.parquet"
    groups = duckdb.sql(
        "select distinct row_group_id, row_group_num_rows "
        f"from parquet_metadata('{file}') order by row_group_id"
    ).fetchall()
    log = pl.read_parquet(file)
    sizes = log.select(
        pl.sum_horizontal(pl.col("state", "state_after").str.len_bytes()).alias("bytes")
    )["bytes"]
    assert sizes.sum() > 2 << 23
    begin = 0
    for _, rows in groups:
        assert sizes[begin : begin + rows].sum() < (1 << 23) + (1 << 16)
        begin += rows
    assert begin == log.height
