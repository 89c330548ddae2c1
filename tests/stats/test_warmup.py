"""MSER-5 finds where a start-up ends."""

import numpy as np
import pytest

from sojourn.stats import Truncation, mser5


def ar1(rng: np.random.Generator, n: int, offset: float, memory: float = 0.9) -> np.ndarray:
    """An autoregressive series that begins off its mean."""
    values, state = [], offset
    for noise in rng.normal(0, 1, n):
        state = memory * state + noise
        values.append(state)
    return np.array(values)


def test_a_series_without_a_start_loses_little():
    rng = np.random.default_rng(1)
    dropped = [mser5(rng.normal(5, 1, 1000)).dropped for _ in range(200)]
    assert np.median(dropped) <= 50
    assert np.mean(dropped) <= 150


@pytest.mark.parametrize("offset", [100, 1000])
def test_an_offset_is_cut_near_where_it_has_decayed(offset):
    rng = np.random.default_rng(2)
    # The offset has come down to one standard deviation of the process, 2.29, after so long.
    decayed = np.log(offset / 2.29) / -np.log(0.9)
    dropped = [mser5(ar1(rng, 1000, offset)).dropped for _ in range(100)]
    assert 0.5 * decayed <= np.median(dropped) <= 3 * decayed + 10


def test_cutting_removes_the_bias():
    rng = np.random.default_rng(3)
    before, after = [], []
    for _ in range(300):
        values = ar1(rng, 500, 100)
        before.append(values.mean())
        after.append(values[mser5(values).dropped :].mean())
    assert abs(np.mean(before)) > 1.5
    assert abs(np.mean(after)) < 0.3


def test_a_series_that_never_settles_is_told():
    ramp = mser5(np.arange(1000.0))
    assert not ramp.is_settled
    assert ramp.dropped == 500
    assert mser5(np.concatenate([np.full(100, 50.0), np.zeros(900)])).dropped == 100


def test_by_hand():
    # Batches 9, 1, 1, 1 (of five each): leaving out the first leaves no error.
    assert mser5([9.0] * 5 + [1.0] * 15).dropped == 5
    # What does not fill a batch is left out: 20 observations make four.
    assert mser5([9.0] * 5 + [1.0] * 15 + [500.0] * 4).dropped == 5
    assert mser5([2.0] * 40) == mser5([2.0] * 40)
    assert mser5([2.0] * 40).dropped == 0


@pytest.mark.parametrize("value", [0.0, 0.1, 1 / 3, 1e6 / 7, 9.73e6, -0.3])
def test_of_a_constant_nothing_is_dropped(value):
    assert mser5([value] * 1000) == Truncation(0, is_settled=True)
    assert mser5([1e9] * 20 + [value] * 980).dropped == 20


def test_too_short():
    with pytest.raises(ValueError, match="at least 20"):
        mser5([1.0] * 19)
