"""What moved between two experiments."""

import json
import math
import sys

import pytest
from scipy import special

import sojourn as sj
from sojourn.cli.main import main
from sojourn.experiments import folder
from sojourn.experiments.diff import diff
from sojourn.stats import student_interval
from sojourn.stats.unpaired import welch


def experiment(text: str, out, **options) -> folder.Experiment:
    sj.run(sj.Scenario.from_toml(text), **options).write(out)
    return folder.read(out)


@pytest.fixture
def program(monkeypatch, capsys):
    def call(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["sojourn", *map(str, arguments)])
        status = 0
        try:
            main()
        except SystemExit as end:
            status = end.code or 0
        return status, *capsys.readouterr()

    return call


def test_nothing_moves_between_the_same(text, tmp_path):
    first = experiment(text(), tmp_path / "a")
    difference = diff(first, experiment(text(), tmp_path / "b"))
    assert difference.moved == []
    assert difference.compared > 50
    # Further replicas are no move: those that both have are the same.
    assert diff(first, experiment(text(replicas=5), tmp_path / "c")).moved == []


def test_what_moved_is_found_and_signed(text, tmp_path):
    first = experiment(text(rates=(1.9, 2.5)), tmp_path / "a", replicas=10)
    shorter = text(rates=(1.9, 2.5)).replace('"30 packets"', '"10 packets"')
    second = experiment(shorter, tmp_path / "b", replicas=10)
    difference = diff(first, second)
    assert difference.paired
    certain = {
        (each.vary["flow.load.traffic.rate"], each.table, each.metric): each
        for each in difference.moved
        if difference.is_significant(each)
        and each.vary["link.bottleneck.queue"]["discipline"] == "droptail"
    }
    queue = certain["2.5 Mbit/s", "links", "queue_mean_packets"]
    assert queue.second < queue.first
    assert queue.difference.high < 0
    assert queue.relative == pytest.approx((queue.second - queue.first) / queue.first)
    assert certain["1.9 Mbit/s", "links", "loss_ratio"].difference.low > 0
    assert ("1.9 Mbit/s", "links", "arrivals_packets") not in certain, "the arrivals are the same"


def test_a_false_alarm_is_rare(text, tmp_path):
    """Other seeds, the same truth: nothing significant in most of twenty comparisons."""
    made = [
        experiment(text(duration="1 s"), tmp_path / str(seed), replicas=5, seed=seed)
        for seed in range(1, 22)
    ]
    alarms = 0
    for other in made[1:]:
        difference = diff(made[0], other)
        assert not difference.paired
        assert len(difference.moved) > 50
        alarms += any(difference.is_significant(each) for each in difference.moved)
    assert alarms <= 4


def test_points_are_matched_by_what_varies(text, tmp_path):
    first = experiment(text(rates=(1.5, 2.5)), tmp_path / "a")
    second = experiment(text(rates=(2.0, 2.5)), tmp_path / "b")
    difference = diff(first, second)
    assert difference.moved == [], "the points of 2.5 Mbit/s are the same, whatever their number"
    assert [each["flow.load.traffic.rate"] for each in difference.only_first] == ["1.5 Mbit/s"] * 2
    assert [each["flow.load.traffic.rate"] for each in difference.only_second] == ["2.0 Mbit/s"] * 2


RARE = """
name = "rare"
duration = "2 s"
replicas = 6

[[link]]
name = "bottleneck"
from = "a"
to = "b"
rate = "4 Mbit/s"
duplex = true

[[flow]]
name = "rare"
from = "a"
to = "b"
transport = { protocol = "tcp" }
traffic = { source = "arrivals", rate = "300 kbit/s", size = "exponential(50 kB)" }
"""
"""In one of the six replicas no transfer begins, on a slower link another does not end."""


def test_means_are_those_of_the_pairs_that_are_compared(program, tmp_path):
    first = experiment(RARE, tmp_path / "a")
    second = experiment(RARE.replace("4 Mbit/s", "300 kbit/s"), tmp_path / "b")
    (moved,) = (
        each
        for each in diff(first, second).moved
        if (each.table, each.metric) == ("total", "fct_s")
    )
    pairs = [
        (one, other)
        for one, other in zip(
            *(each.results.totals.sort("replica")["fct_s"] for each in (first, second)),
            strict=True,
        )
        if one is not None and other is not None
    ]
    values = first.results.totals["fct_s"]
    assert 2 <= len(pairs) < len(values) - values.null_count()
    assert moved.difference.n == len(pairs)
    assert moved.first == pytest.approx(sum(one for one, _ in pairs) / len(pairs))
    assert moved.second == pytest.approx(sum(other for _, other in pairs) / len(pairs))
    assert moved.difference.mean == pytest.approx(moved.second - moved.first)
    out = program("diff", tmp_path / "a", tmp_path / "b", "--all")[1]
    (row,) = (line for line in out.splitlines() if "total" in line and " fct_s " in line)
    assert f"│ {len(pairs)} │" in row
    assert "n: pairs" in out


def test_one_replica_moves_but_not_significantly(text, tmp_path):
    first = experiment(text(), tmp_path / "a", replicas=1)
    second = experiment(text().replace('"30 p', '"10 p'), tmp_path / "b", replicas=1)
    difference = diff(first, second)
    assert difference.moved
    assert not any(difference.is_significant(each) for each in difference.moved)


@pytest.mark.parametrize("fewest", [2, 3])
def test_of_different_seeds_the_smaller_group_counts(text, tmp_path, fewest):
    first = experiment(text(), tmp_path / "a", replicas=fewest)
    other = text().replace('rate = "4 Mbit/s"', 'rate = "2 Mbit/s"')
    second = experiment(other, tmp_path / "b", replicas=5, seed=2)
    for difference in (diff(first, second), diff(second, first)):
        assert not difference.paired
        assert difference.moved[0].adjusted < 1e-3
        assert {each.difference.n for each in difference.moved} <= set(range(fewest + 1))
        certain = [each for each in difference.moved if difference.is_significant(each)]
        assert bool(certain) == (fewest == 3)


def test_the_command(program, text, tmp_path):
    experiment(text(), tmp_path / "a", replicas=10)
    experiment(text().replace('"30 p', '"10 p'), tmp_path / "b", replicas=10)
    status, out, _ = program("diff", tmp_path / "a", tmp_path / "b")
    assert status == 0
    assert "significantly (95 % over all, Holm; paired by replica)" in out
    assert "queue_mean_packets" in out
    document = json.loads(program("diff", tmp_path / "a", tmp_path / "b", "--json")[1])
    assert document["paired"] is True
    assert any(each["significant"] for each in document["moved"])
    assert out.count("2.5 Mbit/s, droptail") <= program(
        "diff", tmp_path / "a", tmp_path / "b", "--all"
    )[1].count("2.5 Mbit/s, droptail")
    assert "nothing moved" in program("diff", tmp_path / "a", tmp_path / "a")[1]
    status, _, errors = program("diff", tmp_path / "a", tmp_path)
    assert status == 2
    assert "no folder of an experiment" in errors
    (tmp_path / "b" / "links.parquet").write_bytes(b"PAR1")
    status, _, errors = program("diff", tmp_path / "a", tmp_path / "b")
    assert status == 2
    assert "links.parquet: it is damaged" in errors


def test_two_settings_of_one_discipline_are_two_points(program, text, tmp_path):
    twice = text(rates=(2.5,)).replace(
        '[{ discipline = "droptail" }, { discipline = "red" }]',
        '[{ discipline = "codel" }, { discipline = "codel", target = "50 ms" }]',
    )
    experiment(twice, tmp_path / "a", replicas=5)
    experiment(twice.replace('"4 Mbit/s"', '"3 Mbit/s"'), tmp_path / "b", replicas=5)
    out = program("diff", tmp_path / "a", tmp_path / "b", "--all")[1]
    assert "2.5 Mbit/s, codel, target=50 ms" in out
    document = json.loads(program("diff", tmp_path / "a", tmp_path / "b", "--json")[1])
    moved = [each["vary"]["link.bottleneck.queue"] for each in document["moved"]]
    assert out.count("target=50 ms") == sum("target" in queue for queue in moved) < len(moved)


def test_welch_by_hand():
    # Means 6 and 4, variances 1 and 4, three values each: t = 2 / sqrt(5/3) = 1.549, and
    # (5/3)^2 / (1/18 + 16/18) = 2.941 degrees of freedom.
    interval, p_value = welch([5.0, 6.0, 7.0], [2.0, 4.0, 6.0])
    assert interval.mean == 2
    assert interval.n == 3
    assert p_value == pytest.approx(2 * special.stdtr(2.9412, -1.5492), rel=1e-4)
    assert welch([1.0, 1.0], [1.0, 1.0])[1] == 1
    # By chance alone: t is 1 / sqrt(2 / 12 / 2), with two degrees of freedom.
    assert welch([1.0, 1.0], [2.0, 2.0])[1] == pytest.approx(2 * special.stdtr(2, -math.sqrt(12)))
    assert welch([1.0], [2.0, 3.0])[1] == 1
    assert welch([None], [2.0, 3.0])[0].mean is None
    same = welch([1.1, 2.0, 3.0, 4.0], [0.0, 0.0])[0]
    assert same.n == 2
    assert same.half_width == pytest.approx(student_interval([1.1, 2.0, 3.0, 4.0]).half_width)
