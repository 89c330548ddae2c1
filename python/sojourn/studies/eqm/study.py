"""The study `eqm`: what `sojourn reproduce eqm` runs and finds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sojourn.studies import laws
from sojourn.studies.base import Frames, Section, StudyReport
from sojourn.studies.eqm import (
    answer,
    calibrated,
    calibration,
    checks,
    comparison,
    evidence,
    measures,
    open_points,
    published,
    scenario,
)
from sojourn.studies.eqm.calibration import Candidate
from sojourn.studies.eqm.verdicts import verdicts
from sojourn.studies.knobs import Settings, settle
from sojourn.studies.publication import Publication, demand_packets, ran


class EqmStudy(Publication):
    """EQM against RED, SFQ and REM under rising UDP load."""

    name = "eqm"
    title = "EQM (reconstruction) against RED, REM and SFQ under rising UDP load"
    knobs = scenario.KNOBS
    quick = scenario.QUICK
    figure_names = frozenset(
        {
            "fig2-queue",
            "fig3-delay",
            "fig3-delay-all",
            "fig4-loss",
            "fig4-loss-ratio",
            "fig5-throughput",
            "fig6-utilisation",
            "table3",
        }
    )
    table_names = frozenset(
        {
            "calibration-grid",
            "laws",
            "ratios",
            "residuals",
            "residuals-best",
            "table-four",
            "table-three",
        }
    )

    def scenarios(self, settings: Settings) -> dict[str, str]:
        """The text of the scenario file. Raises StudyError."""
        return {self.name: scenario.scenario(settings)}

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
        """The report on a finished run of `scenarios(settings)`.

        Raises LawBroken when the frames break a law that every run must keep, StudyError when
        the settings let no packet arrive.
        """
        # Here, so that scenarios and titles need no library of figures.
        from sojourn.studies.eqm import figures

        run = results[self.name]
        frame = measures.observations(run, settings)
        demand_packets(frame["received"], settings)
        found = evidence.gather(frame, settings)
        kept = checks.all_checks(frame, found.ours, settings)
        laws.demand(kept)
        passed = verdicts(found)
        publication = published.load()
        return StudyReport(
            study=self.name,
            title=self.title,
            subject=f"{publication.authors}, “{publication.title}”, ISSN 2047-3338",
            answer=answer.answer(found, passed),
            verdicts=passed,
            comparison=comparison.comparison(found),
            sections=(
                Section(
                    "ranking",
                    "Ranking",
                    (),
                    (comparison.ranking(found), comparison.beside_counts(found)),
                ),
                calibration.section(found, candidates, calibrated.words()),
                laws.section(kept),
            ),
            figures=figures.figures(found),
            open_points=open_points.open_points(settings),
            scenarios=self.scenarios(settings),
            settings=settings.texts,
            observations=frame,
            **ran(results),
        )
