"""TOML as written is TOML as read."""

import tomllib

import pytest

from sojourn.files.toml_text import toml_text
from sojourn.studies.eqm import scenario


def test_round_trip_of_the_scenario():
    assert tomllib.loads(toml_text(scenario.base())) == scenario.base()


def test_odd_keys_and_values():
    document = {
        "a": [1, 2.5, True],
        "n->m": 'say "hi" \\ ü',
        "empty": {},
        "t": {"dotted.key": {"x": []}},
    }
    assert tomllib.loads(toml_text(document)) == document


def test_what_does_not_belong():
    with pytest.raises(
        TypeError, match=r"^t\.a: found <object object .*; allowed: what a scenario"
    ):
        toml_text({"t": {"a": [object()]}})
