"""Replicas that are all the same run count as one, and are named."""

import pytest

import sojourn as sj
from sojourn.cli.main import main
from sojourn.comparing import differences, ranking
from sojourn.experiments.diff import diff
from sojourn.experiments.folder import read
from sojourn.stats.alike import warnings

DELAY = "links.bottleneck.queueing_delay_mean_s"


def duel(start="0 s", **settings):
    """CoDel with two targets under two bulk transfers."""
    return sj.dumbbell(
        rate="10 Mbit/s",
        rtt="20 ms",
        flows=2 * sj.tcp("cubic", start=start),
        duration="4 s",
        replicas=4,
        vary={"link.bottleneck.queue": [sj.queue.CoDel(), sj.queue.CoDel(target="20 ms")]},
        **settings,
    )


@pytest.fixture(scope="module")
def same():
    return sj.run(duel())


def test_they_are_named_and_what_would_help(same):
    (warning,) = same.warnings
    assert "at any point do not differ" in warning
    assert "uniform(0 s, 1 s)" in warning


def test_what_is_advised_helps():
    results = sj.run(duel(start="uniform(0 s, 1 s)"))
    assert results.alike == set()
    assert not results.warnings
    assert results.summary()["points"][0]["total"]["goodput_bps"]["ci95"] is not None


def test_there_is_no_interval_over_them(same):
    metric = same.summary()["points"][0]["total"]["goodput_bps"]
    assert metric["ci95"] is None
    assert metric["n"] == 4
    assert metric["mean"] == same.totals["goodput_bps"][0]


@pytest.mark.parametrize(("kind", "low"), [("cdf", "low_s"), ("fairness", "low")])
def test_no_figure_has_an_interval_over_them(same, kind, low):
    data = same.plot(kind).data
    assert not data.is_empty()
    assert data[low].is_null().all()


def test_they_are_never_told_apart(same):
    assert same.totals["delay_mean_s"].n_unique() == 2, "one for each target"
    (row,) = differences(same, DELAY).iter_rows(named=True)
    assert row["mean"] != 0
    assert row["low"] is None
    assert not row["separated"]
    assert set(ranking(same, DELAY, better="lower")["rank"]) == {1}


def test_neither_is_a_change_of_the_scenario_between_them(same, tmp_path):
    other = sj.run(duel().with_overrides({"dumbbell.bottleneck.rate": "9 Mbit/s"}))
    folders = [tmp_path / "one", tmp_path / "other"]
    for results, folder in zip((same, other), folders, strict=True):
        results.write(folder)
    difference = diff(*map(read, folders))
    assert difference.moved
    assert not any(map(difference.is_significant, difference.moved))


def test_the_table_has_no_half_widths(same, tmp_path, monkeypatch, capsys):
    file = tmp_path / "same.toml"
    file.write_text(duel().to_toml())
    monkeypatch.setattr("sys.argv", ["sojourn", "run", str(file)])
    with pytest.raises(SystemExit, match="0"):
        main()
    shown = capsys.readouterr()
    assert "±" not in shown.out
    assert "all the same run" in shown.out
    assert "warning: the replicas at any point" in shown.err


def test_one_replica_is_no_case_of_it():
    results = sj.run(duel().with_overrides({"replicas": 1}))
    assert results.alike == set()
    assert not results.warnings


@pytest.mark.parametrize(
    ("points", "of", "words"),
    [
        ({2}, 5, "at point 2 do"),
        ({0, 1, 4}, 5, "at points 0, 1 and 4 do"),
        (set(range(9)), 12, "at points 0, 1, 2, 3, 4 and 4 more do"),
        ({0}, 1, "at point 0 do"),
    ],
)
def test_points_are_named(points, of, words):
    assert words in warnings(points, [{}] * of)[0]


def test_their_packets_are_counted_once():
    """Four times the same packets without a loss allow no smaller chance of one."""
    scenario = sj.dumbbell(
        rate="10 Mbit/s",
        rtt="20 ms",
        flows=sj.udp(rate="1 Mbit/s"),
        duration="2 s",
    )
    alone, several = (sj.run(scenario, replicas=count).summary()["points"][0] for count in (1, 4))
    for of in (lambda point: point["total"], lambda point: point["links"]["bottleneck"]):
        assert of(several)["loss_ratio"]["upper95"] == of(alone)["loss_ratio"]["upper95"]
