"""What the study of every publication does the same way: read it, run it, judge it, report."""

from __future__ import annotations

import functools
import importlib
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any, Protocol, TypedDict

import polars as pl

from sojourn.studies import laws
from sojourn.studies.base import Frames, StudyReport
from sojourn.studies.claims import Claim, Verdict, read_claims
from sojourn.studies.knobs import Knob, Settings, StudyError, settle
from sojourn.studies.laws import Check


@dataclass(frozen=True)
class Published:
    """A publication: what it is called, who wrote it (if known) and what it claims.

    `document` is the whole file: what a study reads of it beside its claims.
    """

    title: str
    authors: str
    claims: Mapping[str, Claim]
    document: Mapping[str, Any]

    @property
    def subject(self) -> str:
        """The publication as a report names it."""
        return f"{self.authors}, “{self.title}”" if self.authors else self.title


@functools.cache
def read(package: str) -> Published:
    """The file `published.toml` in the package of a study."""
    text = resources.files(package).joinpath("published.toml").read_text(encoding="utf-8")
    document = tomllib.loads(text)
    claims = read_claims(document["claims"])
    return Published(document["title"], document.get("authors", ""), claims, document)


class Evidence(Protocol):
    """What a report needs to know of the evidence of any study."""

    @property
    def received(self) -> pl.Series:
        """What arrived in each run of the main part, in packets or as a rate."""
        ...

    @property
    def observations(self) -> pl.DataFrame:
        """The rows that are kept beside the report."""
        ...


class Publication:
    """Settles its knobs, and goes from finished runs to a report.

    The modules of `package` do what differs, each with a function of this name and, but for the
    first two, of the study's evidence: `scenario.scenarios(settings)`, `evidence.gather(results,
    settings)`, `checks.all_checks`, `verdicts.verdicts`, `answer.answer`, `comparison.comparison`,
    `comparison.sections` and `figures.figures`; and `open_points.open_points(settings)`.

    The settings of the quick form are `quick`; `overview` is the heading of the comparison.
    """

    name: str
    title: str
    package: str
    knobs: tuple[Knob, ...]
    quick: Mapping[str, str]
    overview: str = "Published and ours"

    def settle(self, given: Mapping[str, str], *, quick: bool = False) -> Settings:
        """The settings for the knobs given. Raises StudyError."""
        return settle(self.name, self.knobs, given, self.quick if quick else None)

    def scenarios(self, settings: Settings) -> dict[str, str]:
        """The texts of the scenario files, by part, the main one first. Raises StudyError."""
        return self._module("scenario").scenarios(settings)

    def subject(self) -> str:
        """The publication as the report names it."""
        return read(self.package).subject

    def evaluate(self, results: Mapping[str, Frames], settings: Settings) -> StudyReport:
        """The report on the finished runs of `scenarios(settings)`.

        Raises LawBroken when the frames break a law that every run must keep, StudyError when
        the settings let no packet arrive.
        """
        return self._report(results, settings)

    def _report(
        self, results: Mapping[str, Frames], settings: Settings, **further: Any
    ) -> StudyReport:
        """The same; `further` is what the sections are told beside the evidence."""
        evidence: Evidence = self._module("evidence").gather(results, settings)
        demand_packets(evidence.received, settings)
        kept: Sequence[Check] = self._module("checks").all_checks(evidence)
        laws.demand(kept)
        verdicts: tuple[Verdict, ...] = self._module("verdicts").verdicts(evidence)
        comparison = self._module("comparison")
        return StudyReport(
            study=self.name,
            title=self.title,
            subject=self.subject(),
            answer=self._module("answer").answer(evidence, verdicts),
            verdicts=verdicts,
            comparison=comparison.comparison(evidence),
            sections=(*comparison.sections(evidence, **further), laws.section(kept)),
            figures=self._module("figures").figures(evidence),
            open_points=self._module("open_points").open_points(settings),
            scenarios=self.scenarios(settings),
            settings=settings.texts,
            observations=evidence.observations,
            overview=self.overview,
            **ran(results),
        )

    def _module(self, name: str) -> Any:
        """A module of the study, loaded when it is asked for.

        Titles and scenarios need no library of figures.
        """
        return importlib.import_module(f"{self.package}.{name}")


class Ran(TypedDict):
    """What a report says of the runs that it rests on: fields of `StudyReport`."""

    version: str
    seed: int
    replicas: int
    complete: bool


def ran(results: Mapping[str, Frames]) -> Ran:
    """What was run: version, seed and replicas are those of the main part, the first."""
    main = next(iter(results.values()))
    return Ran(
        version=main.sojourn,
        seed=main.seed,
        replicas=main.replicas,
        complete=all(one.complete for one in results.values()),
    )


def demand_packets(received: pl.Series, settings: Settings) -> None:
    """Raise StudyError where the settings let no packet arrive."""
    if not received.sum():
        raise StudyError(
            f"no packet was received in {settings['duration']}: there is nothing to evaluate"
        )
