"""Values are held against limits by their intervals, several together by stricter ones."""

import pytest

from sojourn.stats import Interval
from sojourn.studies.claims import Outcome
from sojourn.studies.limits import (
    Case,
    at_least,
    at_most,
    between,
    decided,
    every,
    grows_by,
    not_so,
    why_undecided,
    within,
)


def interval(low, high, n=5):
    return Interval((low + high) / 2, low, high, n)


@pytest.mark.parametrize(
    ("ends", "is_within", "is_at_most"),
    [
        ((-0.9, 0.9), "agrees", "agrees"),
        ((-1.5, 0.5), "not measured", "agrees"),
        ((0.5, 1.5), "not measured", "not measured"),
        ((1.1, 2.0), "disagrees", "disagrees"),
        ((-2.0, -1.1), "disagrees", "agrees"),
    ],
)
def test_a_limit_is_kept_broken_or_neither(ends, is_within, is_at_most):
    assert within(interval(*ends), 1.0) == is_within
    assert at_most(interval(*ends), 1.0) == is_at_most
    few = interval(*ends, n=2)
    assert within(few, 1.0) is at_most(few, 1.0) is Outcome.NOT_MEASURED


@pytest.mark.parametrize(
    ("ends", "is_between", "is_at_least"),
    [
        ((2.1, 2.9), "agrees", "agrees"),
        ((2.5, 3.5), "not measured", "agrees"),
        ((1.5, 2.5), "not measured", "not measured"),
        ((0.5, 1.9), "disagrees", "disagrees"),
        ((3.1, 9.0), "disagrees", "agrees"),
    ],
)
def test_from_two_to_three(ends, is_between, is_at_least):
    assert between(interval(*ends), 2.0, 3.0) == is_between
    assert at_least(interval(*ends), 2.0) == is_at_least
    assert at_least(interval(*ends, n=2), 2.0) is Outcome.NOT_MEASURED


@pytest.mark.parametrize(
    ("ends", "outcome"),
    [
        ((0.1, 9.0), "agrees"),
        ((0.1, 0.2), "agrees"),  # small, and beyond doubt
        ((-9.0, -0.1), "disagrees"),
        ((-0.5, 0.5), "disagrees"),  # level
        ((-0.5, 1.5), "not measured"),
        ((0.0, 0.0), "disagrees"),
    ],
)
def test_a_growth_is_shown_or_a_level_of_one(ends, outcome):
    assert grows_by(interval(*ends), 1.0) == outcome
    assert grows_by(interval(*ends, n=2), 1.0) is Outcome.NOT_MEASURED


def test_the_opposite():
    assert not_so(Outcome.AGREES) is Outcome.DISAGREES
    assert not_so(Outcome.DISAGREES) is Outcome.AGREES
    assert not_so(Outcome.NOT_MEASURED) is Outcome.NOT_MEASURED


def held(low, high, strict_low=None, n=5):
    """A value that must be one at most; at a stricter level its interval begins lower."""

    def at(level):
        strict = level > 0.951 and strict_low is not None
        return interval(strict_low if strict else low, high, n)

    return Case("the value", at, lambda value: at_most(value, 1.0))


def test_all_must_hold_together():
    assert every([held(0.1, 0.9), held(0.2, 0.8)]) is Outcome.AGREES
    assert every([held(0.1, 0.9), held(0.2, 1.8)]) is Outcome.NOT_MEASURED
    assert every([held(0.1, 0.9), held(1.2, 1.8)]) is Outcome.DISAGREES
    assert every([held(0.1, 1.9), held(1.2, 1.8)]) is Outcome.DISAGREES
    assert every([]) is Outcome.NOT_MEASURED


def test_one_of_several_fails_only_at_the_corrected_level():
    cases = [held(0.1, 0.9), held(1.1, 1.8, strict_low=0.9)]
    assert every(cases) is Outcome.NOT_MEASURED
    assert every(cases[1:]) is Outcome.DISAGREES  # alone it is asked at the plain level
    assert why_undecided(cases, "1").startswith(
        "Undecided, more replicas would tell: the limit of 1 is not kept by the value, but of 2"
    )


def test_what_is_not_known_is_named():
    found = why_undecided([held(0.1, 0.9), held(0.1, 1.9), held(0.1, 1.8)], "1")
    assert found == (
        "Undecided, more replicas would tell: the interval of the value, as of 1 more, holds the "
        "limit of 1."
    )
    assert why_undecided([held(0.1, 0.9, n=2)], "1").startswith("Not measured: with fewer than 3")
    told = decided(Outcome.NOT_MEASURED, "ours", "And so on.", [held(0.1, 1.9)], "1")
    assert told.reason.endswith("holds the limit of 1. And so on.")
    assert decided(Outcome.AGREES, "ours", "So it is.", [], "1").reason == "So it is."


def test_cases_by_hand():
    """7, 8, 9 has the mean 8, and Student's half-width 4.303 / sqrt(3) = 2.48."""
    one = Case.of("", [7.0, 8.0, 9.0], lambda value: at_most(value, 11.0))
    assert one.interval(0.95).high == pytest.approx(8 + 4.30265 / 3**0.5)
    assert one.at() is Outcome.AGREES
    assert one.at(0.99) is Outcome.NOT_MEASURED  # 9.925 / sqrt(3) = 5.73
    rest = Case.less("", [7.1, 8.25, 9.7], [1.0, 1.37, 1.9], at_zero, times=2.0)
    assert rest.interval(0.95).mean == pytest.approx((5.1 + 5.51 + 5.9) / 3)
    assert rest.at() is Outcome.DISAGREES
    assert Case.less("", [7.0, None], [2.0, 2.0], at_zero).interval(0.95).n == 1


def at_zero(value):
    return at_most(value, 0.0)
