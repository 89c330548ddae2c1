"""Judgements on values whose outcome is plain."""

import pytest

from sojourn.stats import Interval
from sojourn.studies.claims import Outcome
from sojourn.studies.judging import Sample, apart, extreme, labels, near, printed_numbers

LOW, MIDDLE, HIGH = [1.0, 1.1, 0.9, 1.0], [2.0, 2.1, 1.9, 2.0], [3.0, 3.1, 2.9, 3.0]
NOISE = [1.4, 0.2, 2.8, 0.4]


def sample(**values):
    return Sample(values, "ms", "all loads")


def test_the_lowest_must_separate_from_all():
    judged = extreme(sample(red=LOW, sfq=MIDDLE, rem=HIGH), "red", "lowest")
    assert judged.outcome is Outcome.AGREES
    assert "nearest: RED - SFQ = -1.00" in judged.reason
    assert "RED 1.00 ± 0.13" in judged.ours
    assert "ms (all loads)" in judged.ours


def test_who_is_lower_is_named():
    judged = extreme(sample(red=MIDDLE, sfq=LOW, rem=HIGH), "red", "lowest")
    assert judged.outcome is Outcome.DISAGREES
    assert judged.reason.startswith("SFQ is lower: RED - SFQ = 1.00")


def test_a_tie_is_no_order():
    judged = extreme(sample(red=LOW, sfq=NOISE), "red", "lowest")
    assert judged.outcome is Outcome.DISAGREES
    assert "RED ties with SFQ" in judged.reason


def test_equal_values_are_no_difference_at_all():
    judged = extreme(sample(red=LOW, sfq=LOW), "red", "lowest")
    assert judged.outcome is Outcome.DISAGREES
    assert judged.reason.startswith("No difference at all")


@pytest.mark.parametrize("replicas", [1, 2])
def test_too_few_replicas_tell_nothing(replicas):
    few = sample(red=[1.0, 1.1][:replicas], sfq=[2.0, 2.1][:replicas])
    for judged in (extreme(few, "red", "lowest"), apart(few, ["red"], ["sfq"])):
        assert judged.outcome is Outcome.NOT_MEASURED
        assert judged.reason.startswith("Not measured: with fewer than 3 replicas")


def test_nothing_measured():
    judged = extreme(sample(red=[None, None], sfq=[None, None]), "red", "lowest")
    assert not judged.measured
    assert judged.outcome is Outcome.NOT_MEASURED
    assert judged.reason == "Not measured: no run with all loads."
    assert not apart(sample(red=[None], sfq=[None]), ["red"], ["sfq"]).measured


def test_every_pair_must_lie_apart():
    values = sample(red=LOW, sfq=MIDDLE, rem=HIGH, droptail=[4.0, 4.1, 3.9, 4.0])
    assert apart(values, ["red", "sfq"], ["rem", "droptail"]).outcome is Outcome.AGREES
    judged = apart(values, ["red", "rem"], ["sfq", "droptail"])
    assert judged.outcome is Outcome.DISAGREES
    assert "REM - SFQ = 1.00" in judged.reason
    assert "RED - SFQ" not in judged.reason


@pytest.mark.parametrize(
    ("value", "interval", "widest", "expected"),
    [
        (10.4, Interval(10.0, 9.9, 10.1, 3), 0.25, True),
        (10.6, Interval(10.0, 9.9, 10.1, 3), 0.25, False),
        (10.6, Interval(10.0, 9.0, 11.0, 3), 0.25, True),
        (12.0, Interval(10.0, 5.0, 15.0, 3), 0.25, False),
        (12.0, Interval(10.0, 5.0, 15.0, 3), 1.0, True),
        (10.0, Interval(None, None, None, 0), 1.0, False),
    ],
)
def test_near(value, interval, widest, expected):
    assert near(value, interval, widest) is expected


def test_printed_numbers_must_all_agree():
    ours = {"a": Interval(10.0, 9.9, 10.1, 3), "b": Interval(20.0, 19.9, 20.1, 3)}
    assert printed_numbers({"a": 10.2, "b": 20.0}, ours, "ms").outcome is Outcome.AGREES
    judged = printed_numbers({"a": 10.2, "b": 30.0}, ours, "ms")
    assert judged.outcome is Outcome.DISAGREES
    assert judged.reason.startswith("1 of 2 numbers")
    assert "b 1.50" in judged.reason
    nothing = {name: Interval(None, None, None, 0) for name in ours}
    assert printed_numbers({"a": 10.2, "b": 20.0}, nothing, "ms").outcome is Outcome.NOT_MEASURED


def test_labels():
    assert labels(["red", "rem", "sfq"]) == "RED, REM and SFQ"
    assert labels(["blue"]) == "BLUE"
