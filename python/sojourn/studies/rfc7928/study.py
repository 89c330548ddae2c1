"""The study `rfc7928`: what `sojourn reproduce rfc7928` runs and finds."""

from __future__ import annotations

from sojourn.studies.publication import Publication
from sojourn.studies.rfc7928 import scenario
from sojourn.studies.rfc7928.laboratory import PACKAGE, STUDY


class Rfc7928Study(Publication):
    """Disciplines characterised by the scenarios of RFC 7928."""

    name = STUDY
    title = "Disciplines characterised by the scenarios of RFC 7928"
    package = PACKAGE
    knobs = scenario.KNOBS
    quick = scenario.QUICK
    overview = "All scenarios"
