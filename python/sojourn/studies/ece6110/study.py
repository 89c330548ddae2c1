"""The study `ece6110`: what `sojourn reproduce ece6110` runs and finds."""

from __future__ import annotations

from sojourn.studies.ece6110 import scenario
from sojourn.studies.publication import Publication


class Ece6110Study(Publication):
    """RED against drop-tail at two bottlenecks."""

    name = scenario.STUDY
    title = "RED against drop-tail at two bottlenecks, under TCP Tahoe and UDP"
    package = scenario.PACKAGE
    knobs = scenario.KNOBS
    quick = scenario.QUICK
