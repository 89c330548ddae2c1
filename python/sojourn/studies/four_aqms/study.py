"""The study `four-aqms`: what `sojourn reproduce four-aqms` runs and finds."""

from __future__ import annotations

from collections.abc import Mapping

from sojourn.studies import laws, readings
from sojourn.studies.base import Frames, StudyReport
from sojourn.studies.four_aqms import (
    against_ns2,
    answer,
    checks,
    comparison,
    evidence,
    open_points,
    published,
    scenario,
)
from sojourn.studies.four_aqms.verdicts import verdicts
from sojourn.studies.four_aqms.verdicts.common import ORDERS
from sojourn.studies.knobs import Settings
from sojourn.studies.publication import Publication, demand_packets, ran


class FourAqmsStudy(Publication):
    """RED, BLUE, REM and SFQ under six TCP and two CBR senders."""

    name = scenario.STUDY
    title = "RED, BLUE, REM and SFQ under six TCP and two CBR senders"
    knobs = scenario.KNOBS
    quick = scenario.QUICK
    figure_names = frozenset(
        {
            "fig3-throughput",
            "fig6-cwnd",
            "fig10-delay",
            "fig14-delay",
            "fig15-loss",
            "load-cbr",
            "load-delay",
            "load-fairness",
            "load-loss",
            "load-tcp",
            "red-queue",
        }
    )
    table_names = frozenset(
        {
            "against-ns2",
            "laws",
            "measures",
            "readings",
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
        from sojourn.studies.four_aqms import figures

        main = results[self.name]
        everything = evidence.gather(results, settings)
        demand_packets(everything.chosen.frame["received_packets"], settings)
        publication = published.load()
        kept = checks.all_checks(everything.chosen.frame, settings)
        laws.demand(kept)
        passed = verdicts(everything)
        return StudyReport(
            study=self.name,
            title=self.title,
            subject=f"{publication.authors}, “{publication.title}”",
            answer=answer.answer(everything, passed),
            verdicts=passed,
            comparison=comparison.comparison(everything.chosen),
            sections=(
                readings.section(
                    publication.claims, ORDERS, everything.chosen, everything.readings
                ),
                against_ns2.section(everything),
                laws.section(kept),
            ),
            figures=figures.figures(main, everything),
            open_points=open_points.open_points(settings),
            scenarios=self.scenarios(settings),
            settings=settings.texts,
            observations=everything.chosen.frame,
            **ran(results),
        )
