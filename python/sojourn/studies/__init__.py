"""Studies: publications made repeatable, with a verdict for each of their claims.

A study is one folder here and one line in `_STUDIES`.
"""

from __future__ import annotations

import importlib
from typing import cast

from sojourn.errors.nearest import hint_or_all
from sojourn.studies.base import Study
from sojourn.studies.knobs import StudyError

_STUDIES = {
    "eqm": "sojourn.studies.eqm.study:EqmStudy",
    "ece6110": "sojourn.studies.ece6110.study:Ece6110Study",
    "four-aqms": "sojourn.studies.four_aqms.study:FourAqmsStudy",
    "large-network": "sojourn.studies.large_network.study:LargeNetworkStudy",
    "red-fairness": "sojourn.studies.red_fairness.study:RedFairnessStudy",
    "rfc7928": "sojourn.studies.rfc7928.study:Rfc7928Study",
}
"""Name on the command line -> module and class; loaded when asked for."""

__all__ = ["Study", "StudyError", "find", "names", "scenario_text"]


def names() -> list[str]:
    """The names of all studies, in order."""
    return list(_STUDIES)


def find(name: str) -> Study:
    """The study called `name`. Raises StudyError naming the nearest one."""
    if name not in _STUDIES:
        raise StudyError(f'there is no study "{name}"{hint_or_all(name, _STUDIES)}')
    module, _, kind = _STUDIES[name].partition(":")
    return cast("Study", getattr(importlib.import_module(module), kind)())


def scenario_text(name: str) -> str:
    """A scenario file of a study, with every knob at its default.

    `name` is STUDY for its main part or STUDY/PART. Raises StudyError for an unknown one.
    """
    study_name, _, part = name.partition("/")
    study = find(study_name)
    scenarios = study.scenarios(study.settle({}))
    part = part or next(iter(scenarios))
    if part not in scenarios:
        hint = hint_or_all(part, scenarios)
        raise StudyError(f'study "{study_name}" has no part "{part}"{hint}')
    return scenarios[part]
