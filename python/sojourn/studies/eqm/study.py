"""The study `eqm`: what `sojourn reproduce eqm` runs and finds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sojourn.studies.base import Frames, StudyReport
from sojourn.studies.eqm import calibration, scenario
from sojourn.studies.eqm.calibration import Candidate
from sojourn.studies.knobs import Settings, settle
from sojourn.studies.publication import Publication


class EqmStudy(Publication):
    """EQM against RED, SFQ and REM under rising UDP load."""

    name = scenario.STUDY
    title = "EQM (reconstruction) against RED, REM and SFQ under rising UDP load"
    package = scenario.PACKAGE
    knobs = scenario.KNOBS
    quick = scenario.QUICK

    def subject(self) -> str:
        """The publication as the report names it, with its journal."""
        return f"{super().subject()}, ISSN 2047-3338"

    def settle_calibration(self, given: Mapping[str, str]) -> Settings:
        """Settings of the calibration: the knobs given over its own small runs."""
        kept = {name: text for name, text in given.items() if name not in calibration.RUNS}
        return settle(self.name, self.knobs, kept, calibration.RUNS)

    def calibration_scenario(self, settings: Settings) -> str:
        """The text of the scenario file that tries the grid of EQM's parameters."""
        return calibration.calibration_scenario(settings)

    def calibrate(self, results: Frames, settings: Settings) -> list[Candidate]:
        """Candidates of a finished run of `calibration_scenario`, the best first."""
        return calibration.calibrate(results, settings)

    def evaluate(
        self,
        results: Mapping[str, Frames],
        settings: Settings,
        candidates: Sequence[Candidate] = (),
    ) -> StudyReport:
        """The report on a finished run of `scenarios(settings)`, and on a search if there was one.

        Raises LawBroken when the frames break a law that every run must keep, StudyError when
        the settings let no packet arrive.
        """
        return self._report(results, settings, candidates=candidates)
