"""Laws: kept by the synthetic run, and found when broken."""

import polars as pl
import pytest

from sojourn.studies.base import LawBroken
from sojourn.studies.eqm import checks, measures, network, scenario
from sojourn.studies.eqm.evidence import Evidence
from sojourn.studies.eqm.study import EqmStudy


@pytest.fixture
def run(synthetic):
    settings = synthetic.settings()
    frame = measures.observations(synthetic.frames(settings), settings)
    return frame, network.of(scenario.document(settings), settings), settings


def one(frame, discipline="red"):
    """Selects a single run."""
    return (
        (pl.col("discipline") == discipline)
        & (pl.col("replica") == 0)
        & (pl.col("load") == frame["load"].max())
    )


def test_all_kept(run):
    frame, _, settings = run
    assert [check.kept for check in checks.all_checks(Evidence.of(frame, settings))] == [True] * 4


def test_unequal_arrivals(run):
    frame, _, _ = run
    changed = frame.with_columns(pl.col("arrivals") + one(frame).cast(pl.Float64))
    check = checks.common_arrivals(changed)
    assert check.kept is False
    assert check.detail.startswith("1 of 96")


def test_fewer_losses_than_droptail(run):
    frame, _, settings = run
    changed = frame.with_columns(
        pl.when(one(frame)).then(0.0).otherwise(pl.col("drops")).alias("drops")
    )
    check = checks.droptail_bound(changed, settings)
    assert check.kept is False
    assert "RED below drop-tail in 1" in check.detail


def test_the_bound_does_not_hold_over_a_warm_up(run, synthetic):
    assert checks.droptail_bound(run[0], synthetic.settings(warmup="1 s")).kept is None
    assert checks.droptail_bound(run[0], synthetic.settings(warmup="0.0 s")).kept is True


def test_little_broken(run):
    frame, net, _ = run
    changed = frame.with_columns(
        pl.when(one(frame)).then(pl.col("queue") * 1.1).otherwise(pl.col("queue")).alias("queue")
    )
    assert checks.little(changed, net).kept is False


def test_little_does_not_judge_sfq(run):
    frame, net, _ = run
    changed = frame.with_columns(
        pl.when(one(frame, "sfq"))
        .then(pl.col("queue") * 2)
        .otherwise(pl.col("queue"))
        .alias("queue")
    )
    assert checks.little(changed, net).kept is True


def test_delay_floor(run):
    frame, net, settings = run
    changed = frame.with_columns(
        pl.when(one(frame)).then(5.0).otherwise(pl.col("delay_ms")).alias("delay_ms")
    )
    assert checks.delay_floor(changed, net, settings).kept is False


def test_a_broken_law_gives_no_report(synthetic):
    settings = synthetic.settings()
    frames = synthetic.frames(settings, losses=synthetic.LOSSES | {"red": 0.5})
    with pytest.raises(LawBroken, match="Drop-tail bound"):
        EqmStudy().evaluate({"eqm": frames}, settings)
