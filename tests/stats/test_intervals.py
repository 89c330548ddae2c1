"""Student's interval: by hand, at the edges, and its coverage."""

import math

import numpy as np
import pytest
from scipy import special

from sojourn.stats import student_interval
from sojourn.stats.intervals import AT_95


def test_by_hand():
    # mean 3, sample deviation sqrt(2.5), t(4, 0.975) = 2.776445
    interval = student_interval([1, 2, 3, 4, 5])
    half = 2.7764451 * math.sqrt(2.5 / 5)
    assert interval.mean == 3
    assert interval.low == pytest.approx(3 - half)
    assert interval.high == pytest.approx(3 + half)
    assert interval.half_width == pytest.approx(half)
    assert interval.n == 5
    assert interval.contains(3.1)
    assert not interval.contains(9)


def test_the_table_of_quantiles_is_that_of_scipy():
    freedom = np.arange(len(AT_95)) + 1
    np.testing.assert_allclose(AT_95, special.stdtrit(freedom, 0.975), rtol=1e-14)


def test_undefined_values_are_left_out():
    assert student_interval([1.0, None, float("nan"), 3.0]).n == 2


@pytest.mark.parametrize(
    ("values", "mean", "n"), [([], None, 0), ([None], None, 0), ([2.5], 2.5, 1)]
)
def test_too_few_for_an_interval(values, mean, n):
    interval = student_interval(values)
    assert (interval.mean, interval.low, interval.high, interval.n) == (mean, None, None, n)
    assert interval.half_width is None
    assert not interval.contains(2.5)


def test_equal_values_have_no_width():
    interval = student_interval([0.1] * 7)
    assert (interval.mean, interval.low, interval.high) == (0.1, 0.1, 0.1)


@pytest.mark.parametrize("level", [0, 1, -0.5, 95, float("nan")])
def test_a_level_is_a_probability(level):
    with pytest.raises(ValueError, match="level"):
        student_interval([1, 2], level)


def test_the_order_does_not_matter():
    values = list(np.random.default_rng(3).normal(size=50) * 1e6)
    assert student_interval(values) == student_interval(values[::-1])


@pytest.mark.parametrize(("n", "level"), [(3, 0.95), (10, 0.95), (10, 0.8)])
def test_coverage_on_gaussian_data(n, level):
    """The true mean lies inside in a share `level` of the cases, within 4 standard errors."""
    samples = np.random.default_rng(20260101).normal(5, 2, size=(4000, n))
    hits = sum(student_interval(list(row), level).contains(5) for row in samples)
    error = math.sqrt(level * (1 - level) / len(samples))
    assert abs(hits / len(samples) - level) < 4 * error
