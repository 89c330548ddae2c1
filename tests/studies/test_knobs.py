"""Knobs: defaults, refusals, suggestions."""

import pytest

from sojourn.studies.knobs import (
    Knob,
    StudyError,
    choice,
    duration,
    number,
    read_assignments,
    settle,
    whole,
)

KNOBS = (
    Knob("on", "1 s", "", duration),
    Knob("traffic", "cbr", "", choice("cbr", "pareto")),
    Knob("loads", "60", "", whole(1, 100)),
    Knob("shape", "1.5", "", number(1, 10)),
)


def test_defaults():
    settings = settle("x", KNOBS, {})
    assert (settings["on"], settings["loads"], settings["shape"]) == ("1 s", 60, 1.5)
    assert settings.changed == ()


def test_what_is_given_wins_over_the_quick_form():
    settings = settle("x", KNOBS, {"loads": "7"}, {"loads": "12", "on": "2 s"})
    assert (settings["loads"], settings["on"]) == (7, "2 s")
    assert settings.changed == ("loads",)


def test_unknown_knob_is_named_with_the_nearest():
    with pytest.raises(StudyError, match='no knob "trafic"; did you mean "traffic"'):
        settle("x", KNOBS, {"trafic": "cbr"})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("on", "0 s"),
        ("on", "fast"),
        ("traffic", "web"),
        ("loads", "0"),
        ("loads", "1.5"),
        ("shape", "1"),
        ("shape", "nan"),
    ],
)
def test_bad_values_name_the_knob(name, value):
    with pytest.raises(StudyError, match=f'knob "{name}" of study "x"'):
        settle("x", KNOBS, {name: value})


def test_assignments():
    assert read_assignments(['on="0.5 s"', "a=b=c"]) == {"on": "0.5 s", "a": "b=c"}


@pytest.mark.parametrize("bad", ["on", "=1", "on="])
def test_bad_assignments(bad):
    with pytest.raises(StudyError, match="key=value"):
        read_assignments([bad])


def test_twice():
    with pytest.raises(StudyError, match="twice"):
        read_assignments(["a=1", "a=2"])
