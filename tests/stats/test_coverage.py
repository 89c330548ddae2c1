"""Do intervals hold what they promise? A thousand synthetic experiments each.

The numbers of docs/how-to/statistics.md are asserted here. With a thousand experiments the
coverage itself is known to about 0.7 percentage points (one standard error at 95 %).
"""

import math
import statistics

import numpy as np
import pytest

from sojourn.stats import (
    bootstrap_interval,
    clopper_pearson,
    compare_all,
    enough,
    never_seen_bound,
    paired_difference,
    student_interval,
)
from sojourn.stats.unpaired import welch

EXPERIMENTS = 1000

LAWS = {
    "gaussian": lambda rng, n: rng.normal(10, 3, n),
    "uniform": lambda rng, n: rng.uniform(5, 15, n),
    "exponential": lambda rng, n: rng.exponential(10, n),
    "gamma": lambda rng, n: rng.gamma(4, 2.5, n),
}
"""All have the mean 10."""


def coverage(interval, law: str, n: int) -> float:
    """How many of the intervals hold the mean."""
    rng = np.random.default_rng([n, *law.encode()])
    hits = (interval(LAWS[law](rng, n)).contains(10) for _ in range(EXPERIMENTS))
    return sum(hits) / EXPERIMENTS


@pytest.mark.parametrize("n", [2, 5, 10, 30])
def test_students_interval_on_gaussian_data(n):
    assert 0.93 <= coverage(student_interval, "gaussian", n) <= 0.97


@pytest.mark.parametrize(
    ("law", "method"), [*((law, "BCa") for law in LAWS), ("gaussian", "percentile")]
)
def test_the_bootstrap_from_thirty_replicas_on(law, method):
    found = coverage(lambda values: bootstrap_interval(values, method=method), law, 30)
    assert 0.88 <= found <= 0.98


def stopped(law: str, share: float, rng: np.random.Generator) -> np.ndarray:
    """Add replicas until the rule is content, as `precision` does."""
    values = LAWS[law](rng, 10)
    while (wanted := min(enough(list(values), share), 100)) > len(values):
        values = np.append(values, LAWS[law](rng, wanted - len(values)))
    return values


DEVIATION = {"gaussian": 3, "gamma": 5, "exponential": 10}


@pytest.mark.parametrize(
    ("law", "share"),
    [("gaussian", 0.1), ("gaussian", 0.15), ("gamma", 0.15), ("exponential", 0.25)],
)
def test_sequential_stopping(law, share):
    rng = np.random.default_rng([int(100 * share), *law.encode()])
    samples = [stopped(law, share, rng) for _ in range(EXPERIMENTS)]
    hits = sum(student_interval(values).contains(10) for values in samples)
    assert 0.88 <= hits / EXPERIMENTS <= 0.98
    counts = [len(values) for values in samples]
    assert statistics.mean(counts) > 12, "the rule had to decide"
    narrow = [student_interval(values) for values in samples if len(values) < 100]
    assert all(each.half_width <= share * abs(each.mean) for each in narrow)
    # The replicas that the deviation asks for: (1.96 * 3 / (share * 10))^2 for Gaussian data.
    needed = (1.96 * DEVIATION[law] / (share * 10)) ** 2
    assert 0.6 * needed <= statistics.mean(counts) <= 1.6 * needed


def test_paired_differences_cover_and_gain_from_common_arrivals():
    rng = np.random.default_rng(1)
    hits, widths, alone = 0, [], []
    for _ in range(EXPERIMENTS):
        arrivals = rng.normal(0, 5, 10)
        first, second = (10 + arrivals + rng.normal(0, 1, 10) for _ in range(2))
        interval = paired_difference(list(first), list(second))
        hits += interval.contains(0)
        widths.append(interval.half_width)
        alone.append(student_interval(first).half_width)
    assert 0.93 <= hits / EXPERIMENTS <= 0.97
    assert statistics.mean(widths) < 0.5 * statistics.mean(alone)


def test_holm_keeps_the_error_of_the_family():
    """Four disciplines that are all the same: six pairs, and seldom any that separates."""
    rng = np.random.default_rng(2)
    wrong = uncorrected = 0
    for _ in range(EXPERIMENTS):
        arrivals = rng.normal(0, 3, 10)
        values = {name: list(10 + arrivals + rng.normal(0, 1, 10)) for name in "abcd"}
        comparisons = compare_all(values)
        wrong += any(each.separated for each in comparisons)
        uncorrected += any(each.p_value <= 0.05 for each in comparisons)
    assert wrong / EXPERIMENTS <= 0.065
    assert uncorrected / EXPERIMENTS > 0.12, "without the correction it would be far more"


STEPS = {
    "counts": lambda rng, n: rng.poisson(1, n),
    "rare": lambda rng, n: rng.poisson(0.3, n),
    "yes or no": lambda rng, n: rng.integers(0, 2, n),
    "shares": lambda rng, n: rng.binomial(50, 0.02, n) / 50,
    "two bins": lambda rng, n: rng.choice([0.1, 0.2317], n),
}
"""What has few values, so that replicas agree by chance."""


@pytest.mark.parametrize("n", [3, 4, 5, 10])
@pytest.mark.parametrize("law", STEPS)
def test_what_comes_in_steps_seldom_separates_by_chance(law, n):
    rng = np.random.default_rng([n, *law.encode()])
    wrong = sure = unpaired = 0
    for _ in range(EXPERIMENTS):
        values = {name: STEPS[law](rng, n).tolist() for name in "abcd"}
        comparisons = compare_all(values)
        wrong += any(each.separated for each in comparisons)
        # What survives the correction of a `diff` of a hundred metrics.
        sure += comparisons[0].p_value <= 5e-4
        unpaired += welch(values["a"], values["b"])[1] <= 5e-4
    assert wrong / EXPERIMENTS <= 0.065
    assert max(sure, unpaired) / EXPERIMENTS <= 0.003


@pytest.mark.parametrize(("chance", "trials"), [(0.5, 20), (0.05, 100), (0.001, 3000)])
def test_clopper_pearson_covers_at_least_as_promised(chance, trials):
    rng = np.random.default_rng(3)
    counts = rng.binomial(trials, chance, EXPERIMENTS)
    bounds = {int(count): clopper_pearson(int(count), trials) for count in set(counts)}
    hits = sum(bounds[int(count)][0] <= chance <= bounds[int(count)][1] for count in counts)
    assert hits / EXPERIMENTS >= 0.94


def test_bounds_by_hand():
    # No event in 20: solve (1 - p)^20 = 0.05 and 0.025; the textbook's 13.9 % and 16.8 %.
    assert never_seen_bound(20) == pytest.approx(1 - 0.05 ** (1 / 20))
    assert clopper_pearson(0, 20) == pytest.approx((0, 1 - 0.025 ** (1 / 20)))
    assert never_seen_bound(10**6) == pytest.approx(3e-6, rel=0.002)
    assert clopper_pearson(20, 20) == pytest.approx((0.025 ** (1 / 20), 1))
    low, high = clopper_pearson(10, 20)
    assert (low, high) == pytest.approx((0.2720, 0.7280), abs=1e-4)
    for events, trials in [(-1, 5), (6, 5), (0, 0)]:
        with pytest.raises(ValueError, match="allowed"):
            clopper_pearson(events, trials)
    with pytest.raises(ValueError, match="no trials"):
        never_seen_bound(0)


def test_the_bootstrap_of_odd_samples():
    assert bootstrap_interval([]).n == 0
    assert bootstrap_interval([None, math.nan]).mean is None
    one = bootstrap_interval([3.0, None])
    assert (one.mean, one.low, one.n) == (3.0, None, 1)
    same = bootstrap_interval([2.0] * 5)
    assert (same.low, same.high) == (2.0, 2.0)
    values = [1.0, 5.0, 2.0, 8.0, 3.0]
    assert bootstrap_interval(values) == bootstrap_interval(sorted(values))
    assert bootstrap_interval(values, 0.5).half_width < bootstrap_interval(values).half_width
    with pytest.raises(ValueError, match="level"):
        bootstrap_interval(values, 1.5)


def test_the_bootstrap_leans_to_where_the_tail_is():
    values = np.random.default_rng(4).exponential(10, 40)
    interval = bootstrap_interval(values)
    assert interval.high - interval.mean > interval.mean - interval.low


def test_when_replicas_are_enough():
    assert enough([1.0, 1.0], 0.05) == 2, "no deviation"
    assert enough([0.0, 0.0], 0.05) == 2, "zero for certain"
    assert enough([None] * 10, 0.05) == 10, "undefined for good"
    assert enough([None] * 9 + [1.0], 0.05) == 20, "one value says nothing"
    assert enough([-1.0, 1.0] * 5, 0.05) == 20, "a mean of zero is never known to a share"
    wide = [8.0, 12.0] * 5
    half = student_interval(wide).half_width
    assert enough(wide, half / 10) == 10
    assert enough(wide, 0.99 * half / 10) == 11, "a tenth more at least"
    assert enough(wide, half / 10 / 1.2) == math.ceil(10 * 1.2**2)
    assert enough(wide, half / 100) == 20, "twice as many at most"
