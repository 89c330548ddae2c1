"""The study `rfc7928`: what `sojourn reproduce rfc7928` runs and finds."""

from __future__ import annotations

from collections.abc import Mapping

from sojourn.studies import laws
from sojourn.studies.base import Frames, StudyReport
from sojourn.studies.knobs import Settings
from sojourn.studies.publication import Publication, demand_packets, ran
from sojourn.studies.rfc7928 import (
    answer,
    checks,
    comparison,
    evidence,
    open_points,
    published,
    scenario,
)
from sojourn.studies.rfc7928.laboratory import STUDY
from sojourn.studies.rfc7928.verdicts import verdicts


class Rfc7928Study(Publication):
    """Disciplines characterised by the scenarios of RFC 7928."""

    name = STUDY
    title = "Disciplines characterised by the scenarios of RFC 7928"
    knobs = scenario.KNOBS
    quick = scenario.QUICK
    figure_names = frozenset(
        {
            "delay-goodput-bursts-4",
            "delay-goodput-congestion-1",
            "delay-goodput-congestion-2",
            "delay-goodput-congestion-3",
            "delay-goodput-cubic",
            "delay-goodput-mix",
            "delay-goodput-newreno",
            "over-time-capacity-fast",
            "over-time-capacity-slow",
            "over-time-phases",
            "rtt-fairness",
        }
    )
    table_names = frozenset(
        {
            "buffers",
            "bursts-1",
            "bursts-2",
            "bursts-3",
            "bursts-4",
            "capacity-fast",
            "capacity-fast-by-phase",
            "capacity-slow",
            "capacity-slow-by-phase",
            "congestion",
            "cubic",
            "laws",
            "ledbat",
            "mix",
            "newreno",
            "packet-sizes",
            "phases",
            "phases-by-phase",
            "rtt-fairness",
            "rtt-fairness-ecn",
            "scenarios",
            "short",
            "two-hops",
            "two-hops-second",
            "two-way",
            "two-way-both",
            "two-way-slow-back",
            "two-way-slow-back-both",
            "udp",
            "udp-and-newreno",
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
        from sojourn.studies.rfc7928 import figures

        found = evidence.gather(results, settings)
        demand_packets(found.seen["newreno"].frame["goodput"], settings)
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
            sections=(*comparison.sections(found), laws.section(kept)),
            figures=figures.figures(found),
            open_points=open_points.open_points(settings),
            scenarios=self.scenarios(settings),
            settings=settings.texts,
            observations=found.everything(),
            **ran(results),
            overview="All scenarios",
        )
