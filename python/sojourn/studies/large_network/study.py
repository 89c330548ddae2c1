"""The study `large-network`: what `sojourn reproduce large-network` runs and finds."""

from __future__ import annotations

from collections.abc import Mapping

from sojourn.studies import laws
from sojourn.studies.base import Frames, StudyReport
from sojourn.studies.knobs import Settings
from sojourn.studies.large_network import (
    against_ns3,
    answer,
    checks,
    comparison,
    evidence,
    open_points,
    published,
    scenario,
)
from sojourn.studies.large_network.verdicts import verdicts
from sojourn.studies.publication import Publication, demand_packets, ran


class LargeNetworkStudy(Publication):
    """Drop-tail, PFIFO, RED, ARED and CoDel, many to one and many to many."""

    name = scenario.STUDY
    title = "Drop-tail, PFIFO, RED, ARED and CoDel, many to one and many to many"
    knobs = scenario.KNOBS
    quick = scenario.QUICK
    figure_names = frozenset(
        {
            "fig6-throughput",
            "fig7-loss",
            "fig8-delay",
            "fig9-throughput",
            "fig10-loss",
            "fig11-delay",
            "fig12-queue",
            "fig13-throughput",
            "fig14-loss",
            "fig15-delay",
        }
    )
    table_names = frozenset(
        {
            "against-ns3",
            "laws",
            "limits",
            "networks",
            "over-time",
            "phase-effect",
            "readings-many",
            "readings-one",
        }
    )

    def scenarios(self, settings: Settings) -> dict[str, str]:
        """The scenario files, by part. Raises StudyError."""
        return scenario.scenarios(settings)

    def evaluate(self, results: Mapping[str, Frames], settings: Settings) -> StudyReport:
        """The report on the finished runs of `scenarios(settings)`.

        Raises LawBroken when the frames break a law that every run must keep, StudyError when
        the settings let no packet arrive.
        """
        # Here, so that scenarios and titles need no library of figures.
        from sojourn.studies.large_network import figures

        found = evidence.gather(results, settings)
        demand_packets(found.seen.frame["throughput"], settings)
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
                comparison.under_readings(found),
                comparison.over_time(found),
                comparison.limits(found),
                comparison.phase(found),
                against_ns3.section(found),
                laws.section(kept),
            ),
            figures=figures.figures(found),
            open_points=open_points.open_points(settings),
            scenarios=self.scenarios(settings),
            settings=settings.texts,
            observations=found.seen.frame,
            **ran(results),
        )
