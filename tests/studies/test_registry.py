"""The registry of studies."""

import pytest

import sojourn
from sojourn import studies


def test_all_names_load():
    for name in studies.names():
        study = studies.find(name)
        assert study.name == name
        assert study.title
        assert study.knobs


def test_unknown():
    with pytest.raises(studies.StudyError, match='no study "eqn"; did you mean "eqm"'):
        studies.find("eqn")


@pytest.mark.parametrize("name", studies.names())
def test_their_scenarios_are_valid(name):
    scenario = sojourn.Scenario.from_toml(studies.scenario_text(name))
    assert len(scenario.vary) > 1
