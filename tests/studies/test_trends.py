"""Trends are claimed only where the paired intervals carry them."""

import pytest

from sojourn.studies.claims import Outcome
from sojourn.studies.trends import Scale, all_of, does_not_grow, goes, steady, tenfold


def scale(*rows):
    return Scale({f"step {place}": list(row) for place, row in enumerate(rows)}, "kbit/s")


EVEN = [1.0, 1.0, 1.0]
NOISE = (0.0, 0.4, -0.3, 0.1, -0.2, 0.05)


def shifted(by, noise=NOISE):
    return [by + one for one in noise]


@pytest.mark.parametrize(("way", "other"), [("grows", "falls"), ("falls", "grows")])
def test_a_clear_trend(way, other):
    rows = [shifted(level) for level in (1, 2, 3)]
    rows = rows if way == "grows" else rows[::-1]
    assert goes(scale(*rows), way).outcome is Outcome.AGREES
    assert goes(scale(*rows), other).outcome is Outcome.DISAGREES


def test_ends_that_do_not_separate_are_no_trend():
    found = goes(scale(shifted(1), shifted(1.01, NOISE[::-1])), "grows")
    assert found.outcome is Outcome.DISAGREES
    assert "does not separate" in found.reason


def test_one_step_back_is_enough_to_disagree():
    found = goes(scale(shifted(1), shifted(5), shifted(3)), "grows")
    assert found.outcome is Outcome.DISAGREES
    assert "it falls from step 1 to step 2 by -2.00" in found.reason


def test_the_only_step_is_told_once():
    found = goes(scale(shifted(3), shifted(1)), "grows")
    assert found.outcome is Outcome.DISAGREES
    assert found.reason == "From step 0 to step 1 it changes by -2.00 [-2.02, -1.98] kbit/s."


def test_means_that_are_all_the_same_run_from_none_to_none():
    found = steady(scale(EVEN, EVEN))
    assert found.outcome is Outcome.AGREES
    assert found.reason == "All means are 1.00 kbit/s; up to 5 % counts as constant."


def test_pairs_count_not_spreads():
    """Large common noise, a small difference in every replica: still a trend."""
    noise = [100.0, -80.0, 30.0, 0.0, 55.0]
    rows = [list(noise), [x + 1 + 0.01 * k for k, x in enumerate(noise)]]
    assert goes(scale(*rows), "grows").outcome is Outcome.AGREES


SMALL_NOISE = (0.0, 0.04, -0.03, 0.01, -0.02, 0.005)
BACKWARDS = SMALL_NOISE[::-1]


@pytest.mark.parametrize(
    ("last", "outcome"), [(10.4, "agrees"), (10.5, "not measured"), (10.7, "disagrees")]
)
def test_steady_is_five_per_cent_beyond_doubt(last, outcome):
    """The difference is known to 0.05 of about 10; up to 0.5 counts as constant."""
    found = steady(scale(shifted(10, SMALL_NOISE), shifted(last, BACKWARDS)))
    assert found.outcome == outcome
    assert found.reason.startswith("Undecided") is (outcome == "not measured")


def test_large_noise_of_a_constant_is_not_decided():
    """Means that differ by 6 % by chance, or by 1 %, tell nothing if the interval is wider."""
    noise = [3.0, -3.0, 2.0, -2.0]
    for last in (10.1, 10.6):
        found = steady(scale(shifted(10, noise), shifted(last, noise[::-1])))
        assert found.outcome is Outcome.NOT_MEASURED
        assert "holds the limit of 5 %" in found.reason


def test_two_replicas_tell_nothing_constant():
    found = steady(scale([1.0, 1.0], [1.06, 1.06]))
    assert found.outcome is Outcome.NOT_MEASURED
    assert found.reason.startswith("Not measured: with fewer than 3 replicas")


def test_a_share_near_the_limit_has_more_digits():
    found = steady(scale(shifted(10, SMALL_NOISE), shifted(10.516, SMALL_NOISE)))
    assert "5.03 % of their mean; up to 5 %" in found.reason


def test_what_does_not_grow_is_shown_to_fall_or_to_be_level():
    falls = does_not_grow(scale(shifted(5), shifted(3)))
    back = does_not_grow(scale(shifted(1), shifted(5), shifted(3)))
    level = does_not_grow(scale(shifted(10, SMALL_NOISE), shifted(10.01, BACKWARDS)))
    assert {one.outcome for one in (falls, back, level)} == {Outcome.AGREES}
    assert does_not_grow(scale(shifted(1), shifted(3))).outcome is Outcome.DISAGREES


def test_a_growth_that_noise_hides_is_no_level():
    noise = [3.0, -3.0, 2.0, -2.0]
    found = does_not_grow(scale(shifted(10, noise), shifted(12, noise[::-1])))
    assert found.outcome is Outcome.NOT_MEASURED
    assert found.reason.startswith("Undecided: neither a growth nor a fall is shown")


@pytest.mark.parametrize(
    ("ratio", "outcome"),
    [
        ([9.0, 11.0, 10.0], "agrees"),
        ([2.0, 2.1, 1.9], "disagrees"),
        ([2.0, 9.0, 4.0], "not measured"),
        ([3.0, 9.0], "not measured"),
        ([9.0, 9.1], "not measured"),
        ([2.0], "not measured"),
    ],
)
def test_an_order_of_magnitude_must_be_beyond_doubt(ratio, outcome):
    assert tenfold(ratio, "ratio").outcome == outcome


def test_why_an_order_of_magnitude_is_not_told():
    assert tenfold([9.0, 9.1], "ratio").reason.startswith("Not measured: with fewer than 3")
    found = tenfold([2.0, 9.0, 4.0], "ratio").reason
    assert found.startswith("Undecided, more replicas would tell: the interval of the ratio holds")


def test_all_of_names_only_what_fails():
    good, bad = steady(scale(EVEN, EVEN)), steady(scale(shifted(10), shifted(20)))
    found = all_of({"first": good, "second": bad})
    assert found.outcome is Outcome.DISAGREES
    assert found.reason.startswith("Not so in 1 of 2 cases. second: ")
    assert all_of({"first": good}).outcome is Outcome.AGREES


def test_one_step_is_no_trend():
    found = goes(scale(shifted(1)), "grows")
    assert found.outcome is Outcome.NOT_MEASURED
    assert found.reason == "Not measured: at step 0 alone."
    found = goes(scale(shifted(1), [None] * len(NOISE)), "grows")
    assert found.reason == "Not measured: at step 0 alone."
    assert steady(scale(shifted(1))).outcome is Outcome.NOT_MEASURED
    found = steady(scale(shifted(1), [None] * len(NOISE)))
    assert found.reason == "Not measured: at step 0 alone."
    assert goes(scale([None]), "falls").reason == steady(scale([None])).reason == "Not measured."


def test_what_was_not_measured_neither_holds_nor_fails():
    good, bad = steady(scale(EVEN, EVEN)), steady(scale(shifted(10), shifted(20)))
    missing = steady(scale([None, None]))
    found = all_of({"first": good, "second": missing})
    assert found.outcome is Outcome.NOT_MEASURED
    assert found.reason == "second: Not measured."
    assert all_of({"first": bad, "second": missing}).outcome is Outcome.DISAGREES


def test_two_replicas_tell_no_trend():
    found = goes(scale([1.0, 1.1], [2.0, 2.1]), "grows")
    assert found.outcome is Outcome.NOT_MEASURED
    assert found.reason.startswith("Not measured: with fewer than 3 replicas")
