"""The study `red-fairness`: what `sojourn reproduce red-fairness` runs and finds."""

from __future__ import annotations

from sojourn.studies.publication import Publication
from sojourn.studies.red_fairness import scenario


class RedFairnessStudy(Publication):
    """RED against drop-tail with 2 to 32 TCP connections."""

    name = scenario.STUDY
    title = "RED against drop-tail with 2 to 32 TCP connections"
    package = scenario.PACKAGE
    knobs = scenario.KNOBS
    quick = scenario.QUICK
