"""The report of an experiment: one self-contained HTML file that opens offline."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

from markupsafe import Markup

from sojourn.comparing import LEAST
from sojourn.errors.brief import InputError
from sojourn.experiments.cases import answers
from sojourn.experiments.folder import PACKAGES
from sojourn.files.whole import write_whole
from sojourn.plots.choice import NO_RUN, cases_run
from sojourn.plots.looks import ON_DARK, Look, looks
from sojourn.report import vega
from sojourn.report.cautions import cautions
from sojourn.report.charts import SHAPES, charts, dash
from sojourn.report.metric_tables import tables
from sojourn.report.page import environment
from sojourn.report.words import answer, question
from sojourn.results import Results

VEGA_SHAPES = {
    "circle": "M1,0A1,1,0,1,1,-1,0A1,1,0,1,1,1,0Z",
    "square": "M-0.85,-0.85h1.7v1.7h-1.7Z",
    "triangle-up": "M0,-0.9L1,0.8H-1Z",
    "triangle-down": "M0,0.9L1,-0.8H-1Z",
    "triangle-left": "M-0.9,0L0.8,-1V1Z",
    "triangle-right": "M0.9,0L-0.8,-1V1Z",
    "diamond": "M0,-1L0.8,0L0,1L-0.8,0Z",
    "cross": "M-1,-0.35H-0.35V-1H0.35V-0.35H1V0.35H0.35V1H-0.35V0.35H-1Z",
}
"""Vega's named shapes as paths, for the page's own legend."""


def report(results: Results, path: Path, least: float = LEAST) -> Path:
    """Write the page of results that are in no folder. Raises OSError."""
    return write(results, path, None, least)


def write(
    results: Results, path: Path, manifest: Mapping[str, Any] | None, least: float = LEAST
) -> Path:
    """Write the page, whole or not at all; return its path. Raises OSError."""
    write_whole(path, [render(results, manifest, least).encode(errors="replace")])
    return path


def render(results: Results, manifest: Mapping[str, Any] | None, least: float = LEAST) -> str:
    """The page as text.

    ``manifest`` is that of the experiment's folder; nothing is called best that is ahead by the
    share ``least`` or less. Raises :class:`sojourn.errors.brief.InputError` where there is no run.
    """
    if results.runs.is_empty():
        raise InputError(NO_RUN)
    templates = environment()
    drawn = [*looks(answers(results.scenario)).values()]
    figures = charts(results)
    style = "\n".join(
        [
            templates.get_template("page.css").render(),
            templates.get_template("experiment.css").render(),
            _colours(drawn),
        ]
    )
    return templates.get_template("experiment.html").render(
        title=results.scenario.title,
        asked=question(results),
        answer=answer(results, least),
        cautions=cautions(results, manifest),
        tables=tables(results, least),
        figures=figures,
        looks=[
            (one, " ".join(f"{part:g}" for part in dash(one.line)), _path(one)) for one in drawn
        ],
        cases=[(number, case.title) for number, case in cases_run(results).items()],
        scenario=results.scenario.as_run(),
        command=manifest["command"] if manifest else "",
        modules=list(dict.fromkeys(one.partition(":")[0] for one in results.scenario.outside)),
        versions=_versions(results, manifest),
        style=Markup(style),
        specs=Markup(_json({one.id: one.spec for one in figures})),
        libraries=Markup(vega.bundle()) if figures else "",
        script=Markup(templates.get_template("experiment.js").render()),
    )


def _colours(drawn: list[Look]) -> str:
    """The colours of the disciplines, on light ground and on dark."""
    light = "".join(f"--look-{n}: {one.colour};" for n, one in enumerate(drawn))
    dark = "".join(
        f"--look-{n}: {ON_DARK.get(one.colour, one.colour)};" for n, one in enumerate(drawn)
    )
    return (
        f":root {{ {light} }}\n"
        f"@media screen and (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}"
    )


def _path(look: Look) -> str:
    shape = SHAPES[look.marker]
    return VEGA_SHAPES.get(shape, shape)


def _json(document: object) -> str:
    """JSON that may stand inside a script element."""
    return json.dumps(document, allow_nan=False, separators=(",", ":")).replace("</", "<\\/")


def _versions(results: Results, manifest: Mapping[str, Any] | None) -> dict[str, str]:
    """What made the runs, by name."""
    if manifest is None:
        packages = {name: metadata.version(name) for name in PACKAGES}
        return {"Sojourn": results.sojourn, "Python": platform.python_version(), **packages}
    found = {"Sojourn": manifest["sojourn"], "Engine": manifest["engine"]}
    found |= {"Python": manifest["python"], **manifest["packages"], "Written": manifest["written"]}
    return found
