"""TOML as written is TOML as read."""

import tomllib
from pathlib import Path

import pytest

import sojourn as sj
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


ODD = ["\N{GRINNING FACE}", "\N{CJK UNIFIED IDEOGRAPH-20BB7}", "a\x7fb", 'a\x00b\t"\\', "a\u2028b"]


@pytest.mark.parametrize("text", ODD)
def test_every_character_comes_back(text):
    assert tomllib.loads(toml_text({text: text, "t": {text: [text]}})) == {
        text: text,
        "t": {text: [text]},
    }
    flows = sj.tcp()
    titled = sj.dumbbell(rate="10 Mbit/s", rtt="40 ms", flows=flows, title=text)
    plain = sj.dumbbell(rate="10 Mbit/s", rtt="40 ms", flows=flows)
    assert titled.title == plain.with_overrides({"title": text}).title == text


def test_a_path_is_its_text():
    scenario = sj.dumbbell(rate="10 Mbit/s", rtt="40 ms", flows=sj.tcp())
    assert scenario.with_overrides({"title": Path("a") / "b"}).title == str(Path("a") / "b")


def test_nothing_is_no_value_of_a_key():
    scenario = sj.dumbbell(rate="10 Mbit/s", rtt="40 ms", flows=sj.tcp())
    with pytest.raises(TypeError, match=r"^title: found None; allowed: what a scenario file can"):
        scenario.with_overrides({"title": None})


def test_what_does_not_belong():
    with pytest.raises(
        TypeError, match=r"^t\.a: found <object object .*; allowed: what a scenario"
    ):
        toml_text({"t": {"a": [object()]}})
