"""Ranks only where the intervals separate."""

import numpy as np
import pytest

from sojourn.stats import rank
from sojourn.stats.ranking import grade


def shifted(shifts):
    """Values with a large common part and a small part of their own."""
    random = np.random.default_rng(11)
    common = random.normal(50, 10, size=10)
    return {
        name: list(common + shift + random.normal(0, 0.05, size=10))
        for name, shift in shifts.items()
    }


def test_four_that_separate():
    ranks = rank(shifted({"eqm": 0, "red": 3, "rem": 1, "sfq": 2}), "lower")
    assert {name: one.grade for name, one in ranks.items()} == {
        "eqm": "A",
        "rem": "B",
        "sfq": "C",
        "red": "D",
    }


def test_higher_may_be_better():
    ranks = rank(shifted({"a": 0, "b": 3}), "higher")
    assert (ranks["b"].rank, ranks["a"].rank) == (1, 2)
    assert ranks["b"].beats == ("a",)
    assert ranks["a"].beaten_by == ("b",)


@pytest.mark.parametrize("word", ["high", "Lower", "", None])
def test_another_word_than_lower_or_higher_is_refused(word):
    with pytest.raises(ValueError, match=r'better: found ".*"; allowed: lower, higher'):
        rank({"a": [1.0, 2.0, 3.0], "b": [4.0, 5.0, 6.5]}, word)


def test_ties_share_the_better_grade():
    values = shifted({"a": 0, "c": 5})
    values["b"] = list(values["a"])
    ranks = rank(values, "lower")
    assert [ranks[name].grade for name in "abc"] == ["A", "A", "C"]
    assert ranks["a"].ties == ("b",)


def test_one_replica_ranks_nobody():
    ranks = rank({"a": [1.0], "b": [2.0]}, "lower")
    assert {one.rank for one in ranks.values()} == {1}


def test_letters():
    assert [grade(number) for number in (1, 4, 26, 27)] == ["A", "D", "Z", "27"]
