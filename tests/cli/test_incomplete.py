"""What is not complete is compared over the replicas that all have, and over no others."""

import json
import re
from dataclasses import replace

import polars as pl
import pytest

import sojourn as sj
from sojourn.comparing import differences
from sojourn.experiments.folder import read
from sojourn.stats import paired_difference

DELAY = "links.bottleneck.queueing_delay_mean_s"


@pytest.fixture
def folders(sojourn, small, tmp_path):
    """The whole experiment, and one that lacks replica 2 of one point and 1 of the other."""
    made = [tmp_path / name for name in ("whole", "a", "b", "part")]
    sweep = ("sweep", small, "--set", "replicas=4", "--set", "series='100 ms'")
    assert sojourn(*sweep, "--out", made[0]).status == 0
    for number in (1, 2):
        assert sojourn(*sweep, "--out", made[number], "--shard", f"{number}/3").status == 0
    assert sojourn("merge", made[1], made[2], "--out", made[3]).status == 1
    runs = pl.read_parquet(made[3] / "runs.parquet")
    assert runs["replica"].to_list() == [0, 1, 3, 0, 2, 3]
    return made


def test_a_part_does_not_differ_from_the_whole(sojourn, folders):
    whole, a, b, part = folders
    for pair in ((part, whole), (whole, part)):
        done = sojourn("diff", *pair)
        assert done.status == 0
        assert re.search(r"\d\d metrics compared: nothing moved", done.out)
        assert f"{part} is not complete" in done.out
    assert json.loads(sojourn("diff", a, whole, "--json").out)["moved"] == []
    assert "no replica of a common point" in sojourn("diff", a, b).out


def test_points_are_paired_by_the_number_of_the_replica(folders):
    links = pl.read_parquet(folders[0] / "links.parquet").filter(link="bottleneck")
    first, second = (
        links.filter(point=point).sort("replica")["queueing_delay_mean_s"].to_list()
        for point in (0, 1)
    )
    wanted = paired_difference([first[0], first[3]], [second[0], second[3]])
    row = differences(read(folders[3]).results, DELAY).row(0, named=True)
    assert row["mean"] == pytest.approx(wanted.mean)
    assert row["high"] == pytest.approx(wanted.high)
    assert not row["separated"], "two pairs are too few, though each point has three replicas"


def test_a_part_without_any_run_shows_nothing_and_says_so(sojourn, small, tmp_path):
    out = tmp_path / "empty"
    done = sojourn("sweep", small, "--out", out, "--shard", "7/9")
    assert done.out == f"{out}: 0 runs of 2 points (part 7/9)\n"
    for command in (("report", out), ("plot", out, "cdf"), ("plot", out, "load")):
        done = sojourn(*command)
        assert done.status == 2
        assert done.errors == f"error: {out}: the experiment has no finished run\n"
    assert not (out / "report.html").exists()


def test_one_run_is_told_as_one(sojourn, small, tmp_path):
    parts = [tmp_path / str(number) for number in (1, 2)]
    for number, out in enumerate(parts, start=1):
        sojourn("sweep", small, "--out", out, "--shard", f"{number}/3")
    done = sojourn("merge", *parts, "--out", tmp_path / "both")
    assert done.errors.endswith("error: 1 run is in none of the folders: run their shards again\n")


@pytest.mark.parametrize(
    ("shards", "told"),
    [((1, 2, 3), "1 to 2 replicas of each"), ((1, 2), "0 to 2 replicas of each")],
)
@pytest.mark.usefixtures("drawn_once")
def test_a_report_of_what_there_is(sojourn, small, tmp_path, shards, told):
    # Of five shards the first two do not even hold each point.
    sweep = ("sweep", small, "--set", "replicas=2", "--set", "series='100 ms'")
    parts = [tmp_path / f"part-{number}" for number in shards]
    for number, part in zip(shards, parts, strict=True):
        assert sojourn(*sweep, "--out", part, "--shard", f"{number}/5").status == 0
    out = tmp_path / "merged"
    assert sojourn("merge", *parts, "--out", out).status == 1
    done = sojourn("report", out)
    assert done.status == 0
    assert done.errors == ""
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "The experiment is not complete" in page
    assert f"{told} point: nothing can be told apart" in page
    assert f"2 points, {told}" in page
    assert sojourn("plot", out, "ranking").status == 0
    read(out).results.report(tmp_path / "page.html")


def test_what_has_no_run_is_not_said_to_tie(small, tmp_path):
    whole = sj.run(small, replicas=3)
    tables = ("runs", "links", "flows", "groups", "totals", "drops", "delays", "time_series")
    begun = {name: getattr(whole, name).filter(pl.col("point") == 0) for name in tables}
    page = replace(whole, complete=False, **begun).report(tmp_path / "page.html")
    text = page.read_text(encoding="utf-8")
    assert "beyond doubt: only Drop-tail has a value" in text
    assert "do not separate" not in text


def test_figures_are_of_a_case_that_has_runs(sojourn, small, tmp_path):
    rates = '"flow.load.traffic.rate" = ["2 Mbit/s", "2.5 Mbit/s"]'
    small.write_text(small.read_text().replace("[vary]", f"[vary]\n{rates}"))
    out = tmp_path / "out"
    assert sojourn("sweep", small, "--out", out, "--shard", "1/8").status == 0
    cases = pl.read_parquet(out / "points.parquet")["flow.load.traffic.rate"].to_list()
    (begun,) = pl.read_parquet(out / "runs.parquet")["point"].unique()
    done = sojourn("plot", out, "cdf", "--out", tmp_path / "cdf.svg")
    assert done.status == 0, done.errors
    other = 1 - list(dict.fromkeys(cases)).index(cases[begun])
    done = sojourn("plot", out, "cdf", "--case", other)
    assert done.status == 2
    assert f"case {other} has no finished run; those that have: {1 - other}" in done.errors
