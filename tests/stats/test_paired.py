"""Paired comparisons under common random numbers."""

import math

import numpy as np
import pytest
from scipy import special, stats

from sojourn.stats import compare_all, paired_difference, separated
from sojourn.stats.paired import paired_p_value


def noisy(seed, n=10):
    return np.random.default_rng(seed).normal(100, 20, size=n)


def test_what_is_common_cancels_out():
    common = noisy(1)
    own = np.random.default_rng(2).normal(1, 0.1, size=10)
    assert separated(list(common + own), list(common))
    assert not separated(list(noisy(3) + 1), list(noisy(4)))


def test_p_value_is_that_of_scipy():
    first, second = noisy(5), noisy(6)
    expected = stats.ttest_rel(first, second).pvalue
    assert paired_p_value(list(first), list(second)) == pytest.approx(expected)


def test_difference_by_hand():
    # differences 1, 2, 3: mean 2, deviation 1, t(2, 0.975) = 4.302653
    interval = paired_difference([2, 4, 6], [1, 2, 3])
    assert interval.mean == 2
    assert interval.high == pytest.approx(2 + 4.3026527 / 3**0.5)


def test_pairs_with_a_gap_are_left_out():
    assert paired_difference([1, None, 3, 4], [0, 1, float("nan"), 3]).n == 2


def test_the_same_values_do_not_separate():
    assert not separated([1, 2, 3], [1, 2, 3])


def test_a_constant_difference_separates():
    assert separated([2.1, 3.2, 4.4], [1.1, 2.2, 3.4])


def test_counts_that_differ_by_one_may_do_so_by_chance():
    # Each count stands for something within half of one: the difference deviates by 1/sqrt(6) at
    # least, so that t is sqrt(6 n) for n pairs.
    for n in (3, 4, 10):
        p_value = paired_p_value([5] * n, [4] * n)
        assert p_value == pytest.approx(2 * special.stdtr(n - 1, -math.sqrt(6 * n)))
    assert not separated([4, 5, 4], [3, 4, 3])
    assert separated([4, 5, 4, 5, 5], [3, 4, 3, 4, 4])
    assert separated([200, 200, 200], [100, 100, 100])
    interval = paired_difference([5, 5, 5], [4, 4, 4])
    assert interval.contains(0)
    assert interval.mean == 1


def test_two_different_values_are_one_step_apart():
    # A share of three packets: no loss in any replica of one, one packet lost in all of the other.
    assert not separated([1 / 3] * 3, [0.0] * 3)
    assert separated([1 / 3] * 5, [0.0] * 5)
    # Steps of a third: t is 2 sqrt(6) sqrt(3).
    p_value = paired_p_value([2 / 3, 1.0, 2 / 3], [0.0, 1 / 3, 0.0])
    assert p_value == pytest.approx(2 * special.stdtr(2, -2 * math.sqrt(18)))


def test_what_does_the_same_does_not_differ():
    assert paired_p_value([4, 5, 4], [4, 5, 4]) == 1
    assert paired_difference([4, 5, 4], [4, 5, 4]).half_width == 0


def test_one_pair_tells_nothing():
    assert not separated([1], [100])


def test_unequal_replicas_are_refused():
    with pytest.raises(ValueError, match="cannot be paired"):
        separated([1, 2], [1])


def test_more_comparisons_ask_for_more():
    first, second = [1.0, 2.2, 3.1, 4.4, 5.0], [0.7, 2.1, 2.6, 4.3, 4.4]
    assert separated(first, second)
    assert not separated(first, second, comparisons=6)
    with pytest.raises(ValueError, match="comparisons"):
        separated(first, second, comparisons=0)


def test_all_pairs_carry_the_adjusted_value():
    common = noisy(7)
    values = {"a": list(common), "b": list(common), "c": list(common + 5 + noisy(8) / 100)}
    found = {(one.first, one.second): one for one in compare_all(values)}
    assert set(found) == {("a", "b"), ("a", "c"), ("b", "c")}
    assert not found["a", "b"].separated
    assert found["a", "b"].lower is None
    assert found["a", "c"].lower == "a"
    assert found["a", "c"].adjusted == pytest.approx(3 * found["a", "c"].p_value)
    assert found["a", "c"].interval.high is not None
    assert found["a", "c"].interval.high < 0


def test_an_interval_excludes_zero_where_holm_rejects():
    random = np.random.default_rng(0)
    stopped = 0
    for _ in range(200):
        common = random.normal(10, 1, size=10)
        shifts = {"a": 0.0, "b": 0.4, "c": 0.2}
        values = {
            name: list(common + by + random.normal(0, 0.5, 10)) for name, by in shifts.items()
        }
        comparisons = compare_all(values)
        assert all(one.separated != one.interval.contains(0) for one in comparisons)
        stopped += sum(one.p_value <= 0.05 and not one.separated for one in comparisons)
    assert stopped > 20, "many would be told apart by themselves"


def test_false_alarms_of_a_family_stay_below_five_percent():
    """Six comparisons of four equal things: any separation at all is a false alarm."""
    random = np.random.default_rng(99)
    alarms = 0
    for _ in range(400):
        values = {name: list(random.normal(size=10)) for name in "abcd"}
        alarms += any(one.separated for one in compare_all(values))
    assert alarms / 400 < 0.05 + 3 * (0.05 * 0.95 / 400) ** 0.5


def test_two_pairs_that_agree_are_not_enough():
    values = {"codel": [10.0, 20.0], "red": [11.0, 21.0]}
    assert not compare_all(values)[0].separated
    assert not separated(values["codel"], values["red"])
    longer = {name: [*each, each[0] + 20.3] for name, each in values.items()}
    assert compare_all(longer)[0].separated
    assert separated(longer["codel"], longer["red"])


def test_what_lies_within_the_resolution_does_not_separate():
    apart = {"codel": [100.0, 100.2, 99.9], "red": [101.0, 101.2, 100.9]}
    assert compare_all(apart)[0].separated
    assert compare_all(apart, resolution=0.009)[0].separated
    assert not compare_all(apart, resolution=0.01)[0].separated
