"""Holm's correction, worked by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sojourn.stats import holm


def test_by_hand():
    # ascending: 0.005 x 4 = 0.02, 0.01 x 3 = 0.03, 0.03 x 2 = 0.06, 0.04 x 1 -> held at 0.06
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_one_comparison_is_left_alone():
    assert holm([0.04]) == [0.04]


def test_none():
    assert holm([]) == []


def test_never_above_one():
    assert holm([0.6, 0.7]) == [1.0, 1.0]


@pytest.mark.parametrize("bad", [-0.1, 1.1, float("nan")])
def test_only_probabilities(bad):
    with pytest.raises(ValueError, match="probability"):
        holm([0.1, bad])


@given(st.lists(st.floats(0, 1), max_size=12))
def test_between_the_plain_value_and_bonferroni(p_values):
    for plain, adjusted in zip(p_values, holm(p_values), strict=True):
        assert plain <= adjusted <= 1
    ordered = [adjusted for _, adjusted in sorted(zip(p_values, holm(p_values), strict=True))]
    assert ordered == sorted(ordered)
