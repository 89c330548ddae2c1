"""The table of transfers says of each what the log of events says, and the metrics of all."""

import json

import polars as pl
import pytest

import sojourn as sj
from sojourn._core import Cancel
from sojourn.experiments.folder import read
from sojourn.experiments.manifest import own_checksum, read_manifest
from sojourn.frames import no_transfers

LINE = """
name = "line"
duration = "{duration}"
transfers = true

[[link]]
name = "line"
from = "a"
to = "b"
rate = "8 Mbit/s"
delay = "10 ms"
duplex = true

[[flow]]
name = "file"
count = 2
from = "a"
to = "b"
start = "100 ms"
transport = {{ protocol = "tcp", segment = "960 B", header = "40 B", timestamps = false }}
traffic = {{ source = "bulk", bytes = "4800 B" }}
"""


def run(text, **overrides):
    return sj.run(sj.Scenario.from_toml(text, overrides=overrides))


def test_two_files_that_share_a_line():
    """Ten segments of 1000 B, a millisecond each: the first file's five go first."""
    rows = run(LINE.format(duration="1 s")).transfers.rows()
    assert [row[:6] for row in rows] == [
        (0, 0, "file.0", "file", 0.1, 4800),
        (0, 0, "file.1", "file", 0.1, 4800),
    ]
    assert [row[6] for row in rows] == pytest.approx([0.015, 0.020])
    assert [row[7] for row in rows] == pytest.approx([1.0, 20 / 15])


def test_what_is_under_way_when_the_run_ends_has_a_row_without_a_time():
    """The second file's last byte would come at 120 ms."""
    rows = run(LINE.format(duration="117 ms")).transfers
    assert rows["fct_s"].to_list() == [pytest.approx(0.015), None]
    assert rows["size_bytes"].to_list() == [4800, 4800]
    assert rows["slowdown"].null_count() == 1


def test_what_was_complete_before_the_window_has_no_row():
    rows = run(LINE.format(duration="1 s"), warmup="117 ms").transfers
    assert rows["flow"].to_list() == ["file.1"]


def test_without_the_key_there_is_no_row():
    results = run(LINE.format(duration="1 s"), transfers=False)
    assert results.transfers.is_empty()
    assert results.transfers.columns[-4:] == ["began_s", "size_bytes", "fct_s", "slowdown"]


@pytest.fixture(scope="module")
def access_line():
    return sj.Scenario.load("scenarios/access-line.toml", {"transfers": True, "duration": "20 s"})


def test_each_transfer_took_what_the_log_of_events_says(access_line, tmp_path):
    """It begins with its first packet, and ends as the last of its segments comes for the first
    time; each has a connection of its own."""
    access_line.core.run(3, 0, Cancel(), ("events", tmp_path / "events", [], False))
    log = pl.read_parquet(tmp_path / "events.parquet").filter(pl.col("flow") == "web")
    began = log.group_by("connection").agg(began_s=pl.col("time_s").min())
    came = (
        log.filter(event="deliver", link="access-down", kind="segment")
        .group_by("connection", "number")
        .agg(pl.col("time_s").min(), pl.col("size_bytes").max() - 52)
        .group_by("connection")
        .agg(pl.col("time_s").max(), pl.col("size_bytes").sum())
    )
    logged = began.join(came, on="connection").sort("began_s")
    rows = sj.run(access_line, point=3, replicas=1).transfers.drop_nulls()
    logged = logged.filter(pl.col("began_s").round(9).is_in(rows["began_s"].round(9).implode()))
    assert len(rows) == len(logged) > 50
    took = logged["time_s"] - logged["began_s"]
    assert rows["fct_s"].to_list() == pytest.approx(took.to_list(), rel=1e-9)
    assert rows["size_bytes"].to_list() == logged["size_bytes"].to_list()


def test_the_metrics_are_those_of_the_rows(access_line):
    results = sj.run(access_line, replicas=2, jobs=2)
    complete = results.transfers.drop_nulls("fct_s")
    by_run = complete.group_by("point", "replica", "group", maintain_order=True)
    found = by_run.agg(
        pl.len().cast(pl.Float64).alias("transfers"),
        pl.col("fct_s").mean(),
        pl.col("slowdown").mean().alias("slowdown_mean"),
    )
    told = results.groups.filter(group="web").select(found.columns)
    assert found.columns == told.columns
    for name in found.columns:
        assert found[name].to_list() == pytest.approx(told[name].to_list()), name


WEB = """
name = "web"
duration = "20 s"
replicas = 2
transfers = true

[dumbbell]
rtt = "40 ms"
bottleneck = { rate = "1 Mbit/s" }

[[flow]]
name = "page"
count = 3
transport = { protocol = "tcp" }
traffic = { source = "web", reading = "exponential(2 s)" }

[[flow]]
name = "ask"
transport = { protocol = "tcp" }
traffic = { source = "request_response", response = "100 kB", think = "exponential(1 s)" }
"""


def test_the_size_of_a_page_is_known_when_it_is_complete():
    rows = run(WEB).transfers
    pages = rows.filter(group="page")
    under_way = pages["fct_s"].is_null()
    assert 0 < under_way.sum() < len(pages)
    assert (pages["size_bytes"].is_null() == under_way).all()
    assert pages["slowdown"].null_count() == len(pages)
    answers = rows.filter(group="ask").drop_nulls("fct_s")
    assert set(answers["size_bytes"]) == {100_000}
    assert answers["slowdown"].min() >= 1


def test_a_folder_keeps_them(tmp_path):
    results = run(WEB)
    results.write(tmp_path)
    assert read(tmp_path).results.transfers.equals(results.transfers)
    assert len(results.transfers) > 20


def test_a_folder_of_a_version_without_them_is_read(tmp_path):
    run(WEB).write(tmp_path)
    manifest = read_manifest(tmp_path)
    del manifest["files"]["transfers.parquet"]
    text = json.dumps(manifest | {"sha256": own_checksum(manifest)})
    (tmp_path / "experiment.json").write_text(text)
    (tmp_path / "transfers.parquet").unlink()
    assert read(tmp_path).results.transfers.equals(no_transfers())


def test_a_sweep_by_two_workers_has_the_same_rows(tmp_path):
    scenario = sj.Scenario.from_toml(WEB)
    swept = sj.sweep(scenario, tmp_path, jobs=2)
    assert swept.transfers.equals(run(WEB).transfers)


def test_an_episode_in_steps_has_the_same_rows():
    scenario = sj.Scenario.from_toml(LINE.format(duration="117 ms"))
    episode = scenario.core.begin(0, 0)
    while not episode.is_over:
        episode.advance("10 ms", Cancel())
    stepped = episode.finish()["transfers"]
    rows = sj.run(scenario).transfers
    assert list(stepped["began_s"]) == rows["began_s"].to_list()
    assert stepped["fct_s"][0] == rows["fct_s"][0]
