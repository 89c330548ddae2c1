"""One self-contained HTML page of a study.

The page loads nothing: style and figures stand in it. It reads in light and dark, on a phone, on
paper and aloud.
"""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Sequence
from importlib import metadata

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from sojourn.report.drawings import Drawing
from sojourn.studies.base import StudyReport
from sojourn.studies.claims import Outcome

LIBRARIES = ("numpy", "scipy", "polars", "matplotlib")
"""Libraries whose version is named on the page."""


def versions(report: StudyReport) -> dict[str, str]:
    """What made the page, by name."""
    found = {"Sojourn": report.version, "Python": platform.python_version()}
    for library in LIBRARIES:
        found[library] = metadata.version(library)
    return found


def environment() -> Environment:
    """Templates of this package; every value is escaped, an unknown name is an error."""
    return Environment(
        loader=PackageLoader("sojourn.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def outcome_class(outcome: Outcome) -> str:
    """The CSS class of an outcome."""
    return outcome.value.replace(" ", "-")


def render(report: StudyReport, drawings: Sequence[Drawing], command: str) -> str:
    """The page as text. `command` is what repeats the run."""
    templates = environment()
    counts = Counter(one.outcome for one in report.verdicts)
    style = templates.get_template("page.css").render()
    return templates.get_template("study.html").render(
        report=report,
        drawings=[(one, Markup(one.svg)) for one in drawings],
        command=command,
        counts=[(one, counts[one]) for one in Outcome if counts[one]],
        outcome_class=outcome_class,
        versions=versions(report),
        style=Markup(style),
    )
