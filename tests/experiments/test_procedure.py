"""Warm-up, precision and comparisons: decided from results, the same everywhere."""

import polars as pl
import pytest

import sojourn as sj
from sojourn.comparing import differences, per_replica, ranking
from sojourn.experiments.cases import answers, compared_points
from sojourn.experiments.sweep import sweep
from sojourn.stats import student_interval

from .conftest import Counter, assert_same, tables_of

AUTO = ('warmup = "0.5 s"', 'warmup = "auto"')


def precise(text: str, share: str, *more: str) -> sj.Scenario:
    keys = "\n".join([f'precision = "{share}"', *more])
    return sj.Scenario.from_toml(text.replace('warmup = "0.5 s"', f'warmup = "0.5 s"\n{keys}'))


def filling(text: str) -> str:
    """A queue that takes seconds to fill: a start that must be cut off."""
    return (
        text.replace('limit = "30 packets"', 'limit = "1500 packets"')
        .replace('"1.5 Mbit/s", "2.5 Mbit/s"', '"1 Mbit/s", "2.6 Mbit/s"')
        .replace('{ discipline = "red" }', '{ discipline = "codel" }')
        .replace('series = "250 ms"\n', "")
    )


def test_pilots_choose_the_warmup_of_all_that_are_compared(text):
    results = sj.run(sj.Scenario.from_toml(filling(text(duration="60 s")).replace(*AUTO)))
    warmups = dict(results.runs.group_by("point").agg(pl.col("warmup_s").unique()).iter_rows())
    assert all(len(found) == 1 for found in warmups.values())
    light, heavy = (warmups[point][0] for point in (0, 2))
    assert warmups[1][0] == light, "both disciplines"
    assert warmups[3][0] == heavy
    # 2 x 2.6 Mbit/s into 4 Mbit/s fill 1500 packets of 500 B in 5 s.
    assert 4 <= heavy <= 15
    assert light < heavy
    assert results.runs["replica"].max() == 2, "pilots are not measured"
    assert results.time_series.is_empty(), "nor are their series kept"
    # What was chosen is what could have been written down.
    fixed = sj.run(
        sj.Scenario.from_toml(
            filling(text(duration="60 s")).replace(AUTO[0], f'warmup = "{heavy} s"')
        )
    )
    point = pl.col("point") == 2
    assert fixed.links.filter(point).equals(results.links.filter(point))


def test_a_run_too_short_to_settle_is_told(text):
    endless = filling(text(duration="4 s")).replace(*AUTO)
    results = sj.run(sj.Scenario.from_toml(endless))
    assert any("point 2: the start of its runs has not ended" in each for each in results.warnings)


@pytest.mark.parametrize("duration", ["1.000999999999 s", "1000999 ps", "999 ps"])
def test_a_duration_need_not_be_a_thousand_steps_of_the_clock(text, duration):
    short = text(duration=duration).replace(*AUTO).replace('series = "250 ms"\n', "")
    results = sj.run(sj.Scenario.from_toml(short))
    assert results.complete
    assert results.runs["warmup_s"].is_between(0, 0.51).all()


def test_a_sweep_decides_as_a_run_does_and_only_once(text, tmp_path):
    scenario = sj.Scenario.from_toml(filling(text(duration="20 s")).replace(*AUTO))
    counter = Counter()
    sweep(scenario, tmp_path / "out", progress=counter)
    assert counter.runs == 4 * (5 + 3)
    results = sj.run(scenario)
    for name, frame in results.frames().items():
        assert tables_of(tmp_path / "out")[name].equals(frame)
    sweep(scenario, tmp_path / "out", progress=counter)
    assert counter.runs == 4 * (5 + 3), "pilots are in the store too"


def test_precision_adds_replicas_until_the_intervals_are_narrow(text):
    results = sj.run(precise(text(), "3%", 'precision_of = "total.delay_mean_s"'))
    counts = dict(results.runs.group_by("point").len().iter_rows())
    assert counts[0] == counts[1], "those that are compared have the same replicas"
    assert counts[2] == counts[3]
    assert min(counts.values()) >= 10
    assert max(counts.values()) > 10
    for point, values in per_replica(results, "total.delay_mean_s").items():
        interval = student_interval(values)
        assert interval.n == counts[point]
        assert interval.half_width <= 0.03 * interval.mean
    assert results.warnings == ()


def test_precision_ends_at_the_most_replicas_and_says_so(text):
    results = sj.run(precise(text(), "0.1%", "max_replicas = 15"))
    assert results.runs.group_by("point").len()["len"].to_list() == [15] * 4
    assert results.warnings[-1] == (
        "total.delay_mean_s: not within 0.1 % after 15 replicas at 4 points of 4"
    )


def test_a_precision_of_what_is_undefined_is_told(text):
    results = sj.run(precise(text(), "5%", 'precision_of = "total.retransmits"'))
    assert results.runs.group_by("point").len()["len"].to_list() == [10] * 4
    told = "total.retransmits: undefined in every replica at 4 points of 4"
    assert results.warnings == (f"{told}, so that its precision there is none",)


@pytest.mark.parametrize("most", [3, 11])
def test_precision_takes_none_of_the_replicas_that_a_scenario_asks_for(text, most):
    results = sj.run(precise(text(replicas=12), "50%", f"max_replicas = {most}"))
    assert results.runs.group_by("point").len()["len"].to_list() == [12] * 4


def test_precision_is_resumed_to_the_same_values(text, tmp_path):
    scenario = precise(text(), "3%", "max_replicas = 40")
    sweep(scenario, tmp_path / "whole")
    sweep(sj.Scenario.from_toml(text(replicas=2)), tmp_path / "resumed")
    sweep(scenario, tmp_path / "resumed")
    assert_same(tmp_path / "whole", tmp_path / "resumed")
    sweep(scenario, tmp_path / "one", jobs=1)
    assert_same(tmp_path / "whole", tmp_path / "one")


@pytest.mark.parametrize(
    ("share", "key", "message"),
    [
        ("0%", "", 'precision: found "0%"; allowed: "none" or a share of'),
        ("5", "", 'precision: found "5"; allowed: "none" or a share of'),
        ("5%", "total.goodput", "precision_of: found the metric 'goodput'"),
        ("5%", "total", "precision_of: found 'total'; allowed: total.METRIC"),
        ("5%", "links.b.loss_ratio", "precision_of: point 0 has no links 'b'; it has bottleneck"),
        ("5%", "flows.load.delay_mean_s", "it has load.0, load.1"),
        ("5%", "links.bottleneck.drops_by_reason", "found the metric 'drops_by_reason'"),
    ],
)
def test_a_precision_that_cannot_be(text, share, key, message):
    more = [f'precision_of = "{key}"'] if key else []
    with pytest.raises(sj.ScenarioError) as error:
        sj.run(precise(text(), share, *more))
    assert message in str(error.value)


@pytest.mark.parametrize("key", ['precision_of = "total.goodput"', "max_replicas = 50"])
def test_keys_of_a_precision_without_one_are_refused(text, key):
    alone = text().replace("[[link]]", f"{key}\n[[link]]", 1)
    name = key.partition(" ")[0]
    with pytest.raises(
        sj.ScenarioError, match=f"<text>:\\d+: {name}: found it without a precision"
    ):
        sj.Scenario.from_toml(alone)


def test_what_a_precision_is_asked_of_is_checked_where_it_is_put_off(text):
    put_off = precise(text(), "none", 'precision_of = "total.goodput"', "max_replicas = 50")
    with pytest.raises(sj.ScenarioError, match="precision_of: found the metric 'goodput'"):
        sj.run(put_off)


def test_which_points_are_compared(text):
    assert compared_points(sj.Scenario.from_toml(text())) == ((0, 1), (2, 3))


def test_a_discipline_that_varies_by_itself_is_called_by_its_name(text):
    head = text().partition("[vary]")[0]
    keys = '"link.bottleneck.queue.{}" = {}\n'.format
    vary = "[vary]\n" + keys("discipline", '["droptail", "red"]')
    assert answers(sj.Scenario.from_toml(head + vary)) == ("droptail", "red")
    vary += keys("limit", '["9 packets", "99 packets"]')
    names = answers(sj.Scenario.from_toml(head + vary))
    assert names[1:3] == ("droptail, limit=99 packets", "red, limit=9 packets")


def test_differences_and_ranks_of_what_is_compared(text):
    results = sj.run(sj.Scenario.from_toml(text(duration="20 s", rates=(1.5, 2.5))), replicas=10)
    frame = differences(results, "links.bottleneck.queue_mean_packets")
    assert frame.select("first", "second").rows() == [(0, 1), (2, 3)]
    overload = frame.row(1, named=True)
    assert overload["separated"]
    assert overload["mean"] > 0, "drop-tail's queue is longer"
    assert overload["low"] > 0
    ranks = ranking(results, "links.bottleneck.queue_mean_packets", "lower")
    assert ranks["answer"].to_list() == ["droptail", "red"] * 2
    assert ranks["rank"].to_list()[2:] == [2, 1]
    assert ranks["grade"].to_list()[2:] == ["B", "A"]
    with pytest.raises(ValueError, match="no links"):
        differences(results, "links.nothing.loss_ratio")


def test_what_has_no_value_has_no_rank():
    """Behind one queue the transfer does not end in time, behind the other it does."""
    line = sj.dumbbell(
        rate="2 Mbit/s",
        rtt="40 ms",
        flows=4 * sj.tcp(name="bulk")
        + sj.tcp(traffic=sj.source.Bulk(bytes="100 kB"), start="5 s", name="short"),
        duration="8 s",
        replicas=3,
        vary={
            "dumbbell.bottleneck.queue": [
                {"discipline": "droptail", "limit": "1000 packets"},
                {"discipline": "fq_codel"},
            ]
        },
    )
    ranks = ranking(sj.run(line), "groups.short.fct_s", "lower")
    assert ranks["mean"].is_null().to_list() == [True, False]
    assert ranks["rank"].to_list() == [None, 1]
    assert ranks["grade"].to_list() == [None, "A"]


def test_no_loss_is_a_bound_and_not_a_certainty(text):
    light = text(rates=(0.2,)).replace('"30 packets"', '"none"')
    results = sj.run(sj.Scenario.from_toml(light))
    for interval in ("student", "bootstrap"):
        document = results.summary(interval)
        assert document["interval"] == interval
        loss = document["points"][0]["links"]["bottleneck"]["loss_ratio"]
        arrivals = results.links.filter(pl.col("point") == 0)["arrivals_packets"].sum()
        assert loss["mean"] == 0
        assert loss["upper95"] == pytest.approx(3 / arrivals, rel=0.01)
        assert "upper95" in document["points"][0]["total"]["loss_ratio"]
        assert "upper95" not in document["points"][0]["links"]["bottleneck"]["utilization"]
