"""The study `large-network`: what `sojourn reproduce large-network` runs and finds."""

from __future__ import annotations

from sojourn.studies.large_network import scenario
from sojourn.studies.publication import Publication


class LargeNetworkStudy(Publication):
    """Drop-tail, PFIFO, RED, ARED and CoDel, many to one and many to many."""

    name = scenario.STUDY
    title = "Drop-tail, PFIFO, RED, ARED and CoDel, many to one and many to many"
    package = scenario.PACKAGE
    knobs = scenario.KNOBS
    quick = scenario.QUICK
