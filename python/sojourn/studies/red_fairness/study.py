"""The study `red-fairness`: what `sojourn reproduce red-fairness` runs and finds."""

from __future__ import annotations

from collections.abc import Mapping

from sojourn.studies import laws, readings
from sojourn.studies.base import Frames, Section, StudyReport
from sojourn.studies.knobs import Settings
from sojourn.studies.publication import Publication, demand_packets, ran
from sojourn.studies.red_fairness import (
    against_ns2,
    answer,
    checks,
    comparison,
    evidence,
    open_points,
    published,
    scenario,
)
from sojourn.studies.red_fairness.verdicts import verdicts
from sojourn.studies.red_fairness.verdicts.common import JUDGES


class RedFairnessStudy(Publication):
    """RED against drop-tail with 2 to 32 TCP connections."""

    name = scenario.STUDY
    title = "RED against drop-tail with 2 to 32 TCP connections"
    knobs = scenario.KNOBS
    quick = scenario.QUICK
    figure_names = frozenset(
        {
            "buffer-2",
            "buffer-16",
            "fig2-throughput",
            "fig2-throughput-large",
            "fig3-throughput",
            "fig3-throughput-large",
            "fig4-fairness",
            "fig4-fairness-large",
            "fig5-fairness",
            "fig5-fairness-large",
        }
    )
    table_names = frozenset(
        {
            "against-ns2",
            "all-tables",
            "laws",
            "readings",
            "table-1",
            "table-2",
            "table-3",
            "table-4",
        }
    )

    def scenarios(self, settings: Settings) -> dict[str, str]:
        """The texts of the scenario files. Raises StudyError."""
        return scenario.scenarios(settings)

    def evaluate(self, results: Mapping[str, Frames], settings: Settings) -> StudyReport:
        """The report on the finished runs of `scenarios(settings)`.

        Raises LawBroken when the frames break a law that every run must keep, StudyError when
        the settings let no packet arrive.
        """
        # Here, so that scenarios and titles need no library of figures.
        from sojourn.studies.red_fairness import figures

        everything = evidence.gather(results, settings)
        demand_packets(everything.chosen.frame["received_packets"], settings)
        publication = published.load()
        kept = checks.all_checks(everything.all_of_it, settings)
        laws.demand(kept)
        passed = verdicts(everything)
        tables = tuple(comparison.table(everything, case) for case in comparison.COLUMNS)
        return StudyReport(
            study=self.name,
            title=self.title,
            subject=publication.title,
            answer=answer.answer(everything, passed),
            verdicts=passed,
            comparison=comparison.comparison(everything),
            sections=(
                Section("tables", "Tables 1 to 4", (), tables),
                readings.section(
                    publication.claims, JUDGES, everything.chosen, everything.readings
                ),
                against_ns2.section(everything),
                laws.section(kept),
            ),
            figures=figures.figures(everything),
            open_points=open_points.open_points(settings),
            scenarios=self.scenarios(settings),
            settings=settings.texts,
            observations=everything.all_of_it,
            **ran(results),
        )
