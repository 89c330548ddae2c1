"""The study `ece6110`: what `sojourn reproduce ece6110` runs and finds."""

from __future__ import annotations

from collections.abc import Mapping

from sojourn.studies import laws
from sojourn.studies.base import Frames, StudyReport
from sojourn.studies.ece6110 import (
    against_ns3,
    answer,
    checks,
    comparison,
    evidence,
    open_points,
    published,
    scenario,
)
from sojourn.studies.ece6110.verdicts import verdicts
from sojourn.studies.knobs import Settings
from sojourn.studies.publication import Publication, demand_packets, ran


class Ece6110Study(Publication):
    """RED against drop-tail at two bottlenecks."""

    name = scenario.STUDY
    title = "RED against drop-tail at two bottlenecks, under TCP Tahoe and UDP"
    knobs = scenario.KNOBS
    quick = scenario.QUICK
    figure_names = frozenset(
        {
            "fig2-droptail",
            "fig3-limit",
            "fig3-max-p",
            "fig3-max-th",
            "fig3-min-th",
            "fig3-w-q",
            "fig4-loads",
            "single-runs",
        }
    )
    table_names = frozenset(
        {
            "against-ns3",
            "always-on",
            "first-link",
            "goodput",
            "laws",
            "queues",
            "red-sweeps",
            "scatter",
            "slips",
        }
    )

    def scenarios(self, settings: Settings) -> dict[str, str]:
        """The scenario files, by part."""
        return scenario.scenarios(settings)

    def evaluate(self, results: Mapping[str, Frames], settings: Settings) -> StudyReport:
        """The report on the finished runs of `scenarios(settings)`.

        Raises LawBroken when the frames break a law that every run must keep, StudyError when
        the settings let no packet arrive.
        """
        # Here, so that scenarios and titles need no library of figures.
        from sojourn.studies.ece6110 import figures

        found = evidence.gather(results, settings)
        demand_packets(found.main.frame["total"], settings)
        kept = checks.all_checks(found)
        laws.demand(kept)
        passed = verdicts(found)
        publication = published.load()
        return StudyReport(
            study=self.name,
            title=self.title,
            subject=f"{publication.authors}, “{publication.title}”",
            answer=answer.answer(found, passed),
            verdicts=passed,
            comparison=comparison.comparison(found),
            sections=(
                comparison.queues(found),
                comparison.sweeps(found),
                comparison.scatter(found),
                comparison.doubts(found),
                against_ns3.section(found),
                laws.section(kept),
            ),
            figures=figures.figures(found),
            open_points=open_points.open_points(settings),
            scenarios=self.scenarios(settings),
            settings=settings.texts,
            observations=found.main.frame,
            **ran(results),
        )
