"""``sojourn compare``: one table of disciplines, one of flows, one figure."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from sojourn.comparison.question import Question

QUICK = ("--duration", "6 s", "--warmup", "1 s", "--replicas", 4)


def test_a_comparison_names_disciplines_and_flows(sojourn, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "240")
    mix = "2 cubic + 1 cbr@100kbit/s"
    done = sojourn("compare", "codel", "fq_codel", "--flows", mix, "--out", tmp_path, *QUICK)
    assert done.status == 0, done.errors
    for word in ("codel", "fq_codel", "utilisation", "fairness", "cubic", "cbr", "4 replicas"):
        assert word in done.out
    assert "marks" not in done.out, "nobody marks without ECN"
    assert {path.name for path in tmp_path.iterdir()} >= {"delay-goodput.png", "links.parquet"}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs an output without room")
def test_results_are_kept_where_they_cannot_be_shown(tmp_path):
    command = ["compare", "codel", "red", "--out", tmp_path / "out", *QUICK]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "sojourn", *map(str, command)],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=120,
            check=False,
        )
    assert (done.returncode, "Traceback" in done.stderr) == (1, False)
    assert (tmp_path / "out" / "experiment.json").exists()


def test_a_discipline_inside_another_may_have_settings(sojourn, tmp_path):
    inner = "drr,inner=codel(target=2 ms, ecn=true),quantum=1000 B"
    done = sojourn("compare", inner, "drr", "--out", tmp_path, "--json", *QUICK)
    assert done.status == 0, done.errors
    labels = [row["discipline"] for row in json.loads(done.out)["disciplines"]]
    assert labels == ["drr, inner=codel(target=2 ms, ecn=true), quantum=1000 B", "drr"]


def test_fairness_is_that_of_the_flows_that_want_more(sojourn, tmp_path):
    """A game that gets all that it sends is not treated unfairly beside two downloads."""
    mix = "2 newreno + 1 cbr@100kbit/s"
    done = sojourn("compare", "fq_codel", "--flows", mix, "--out", tmp_path, "--json", *QUICK)
    (row,) = json.loads(done.out)["disciplines"]
    assert row["jain_index"]["mean"] > 0.99
    assert row["jain_index"]["n"] == 4


def test_without_two_of_them_there_is_none(sojourn, tmp_path):
    out = ("--out", tmp_path, "--json", *QUICK)
    done = sojourn("compare", "droptail", "--flows", "1 cubic + 2 cbr@100kbit/s", *out)
    (row,) = json.loads(done.out)["disciplines"]
    assert row["jain_index"]["mean"] is None


def test_flows_start_within_a_duration_that_is_short(sojourn, tmp_path):
    short = ("--duration", "500 ms", "--warmup", "0 s", "--replicas", 3)
    done = sojourn("compare", "codel", "--out", tmp_path, "--json", *short)
    assert done.status == 0, done.errors
    document = json.loads(done.out)
    assert 'start = "uniform(0 s, 0.05 s)"' in document["scenario"]
    (row,) = document["disciplines"]
    assert row["utilization"]["mean"] > 0.3
    assert row["utilization"]["ci95"] is not None
    assert "warning" not in done.errors


@pytest.mark.parametrize("duration", ["10 s", "1 min", "2e4 ms"])
def test_flows_start_within_a_second_of_a_long_one(duration):
    assert 'start = "uniform(0 s, 1 s)"' in Question(("codel",), duration=duration).toml()


def test_the_table_stands_where_no_figure_can_be_drawn(sojourn, tmp_path, monkeypatch):
    """Nothing comes to the bottleneck within a millisecond: nothing is delayed there."""
    monkeypatch.chdir(tmp_path)
    short = ("--duration", "1 ms", "--warmup", "0 s", "--replicas", 3)
    done = sojourn("compare", "droptail", "codel", *short)
    assert done.status == 0, done.errors
    assert "utilisation" in done.out
    assert "no figure: no packet was delayed" in done.errors
    assert not (tmp_path / "results").exists()


def test_in_the_shortest_duration_there_is_nothing_happens(sojourn, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shortest = ("--duration", "1 ps", "--warmup", "0 s", "--replicas", 2)
    done = sojourn("compare", "codel", *shortest)
    assert done.status == 0, done.errors
    assert "a longer --duration would tell them apart" in done.errors
    assert "start =" not in done.errors, "there is no such option"


def test_without_flows_that_want_more_replicas_may_be_alike(sojourn, tmp_path):
    """Fairness has no value then, and there is no first replica that could have one."""
    short = ("--duration", "1 ms", "--warmup", "0 s", "--replicas", 3, "--out", tmp_path, "--json")
    done = sojourn("compare", "droptail", "codel", "--flows", "1 cbr@2Mbit/s", *short)
    assert done.status == 0, done.errors
    assert "do not differ" in done.errors
    assert {row["jain_index"]["n"] for row in json.loads(done.out)["disciplines"]} == {0}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("codle",), 'did you mean "codel"?'),
        (("codel", "codel"), "found the discipline codel twice; allowed: each once"),
        (("codel", "--flows", "4 cubik"), 'did you mean "cubic"?'),
        (("codel", "--flows", "1 cbr"), "allowed: cbr with its rate"),
        (("codel", "--flows", "1 trace"), "allowed: trace with its file, such as trace@call.pcap"),
        (("codel", "--flows", "1 trace@none.csv"), "none.csv: cannot read it"),
        (("codel", "codel,target=5"), "codel,target=5: target: found 5; allowed: "),
        (("codel,target=5 ms,target=6 ms",), "target=6 ms: target: found twice; allowed: once"),
        (("codel,discipline=red",), "codel,discipline=red: discipline: found twice"),
        (("drr,inner=codel(target=2 ms",), 'found "codel(target=2 ms"; allowed: '),
        (("codel", "pie,taget=5 ms"), "pie,taget=5 ms: taget: unknown key"),
        (("codel", "--rate", "5 Mbits"), 'error: --rate: found "5 Mbits"; allowed: '),
        (("codel", "--rate", "5 Mbits"), 'did you mean "5 Mbit/s"?'),
        (("codel", "--rtt", "5"), 'error: --rtt: found "5"; allowed: '),
        (("codel", "--limit", "5"), 'error: --limit: found "5"; allowed: '),
        (("codel", "--duration", "5 s"), "error: --warmup: found 10 s; allowed: "),
        (("codel", "--flows", "1 cbr@5"), 'error: --flows: found "5"; allowed: '),
        (("codel", "--flows", "1 no:Where"), "the module no cannot be imported"),
    ],
)
def test_what_cannot_be_read_is_one_error(sojourn, arguments, message):
    done = sojourn("compare", *arguments)
    assert done.status == 2
    assert message in done.errors


def test_a_file_in_place_of_the_folder_is_seen_before_anything_runs(sojourn, tmp_path, monkeypatch):
    monkeypatch.setattr("sojourn.runner.run", lambda *_, **__: pytest.fail("it ran"))
    path = tmp_path / "file"
    path.touch()
    done = sojourn("compare", "codel", "--out", path, *QUICK)
    assert done.status == 2
    assert "--out" in done.errors
    assert path.read_bytes() == b""
