"""The study `four-aqms`: what `sojourn reproduce four-aqms` runs and finds."""

from __future__ import annotations

from sojourn.studies.four_aqms import scenario
from sojourn.studies.publication import Publication


class FourAqmsStudy(Publication):
    """RED, BLUE, REM and SFQ under six TCP and two CBR senders."""

    name = scenario.STUDY
    title = "RED, BLUE, REM and SFQ under six TCP and two CBR senders"
    package = scenario.PACKAGE
    knobs = scenario.KNOBS
    quick = scenario.QUICK
