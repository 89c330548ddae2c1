"""``sojourn list``: what there is."""

from __future__ import annotations

import inspect
import json
from enum import StrEnum
from typing import Annotated, Any

import typer
from rich.table import Table

from sojourn import metrics, registries
from sojourn.cli.console import printer
from sojourn.cli.options import JsonOption
from sojourn.errors.nearest import refusal


class Kind(StrEnum):
    """What can be listed."""

    DISCIPLINES = "disciplines"
    CONGESTION_CONTROLS = "congestion-controls"
    SOURCES = "sources"
    STUDIES = "studies"
    METRICS = "metrics"


def kinds_like(incomplete: str) -> list[str]:
    """The kinds whose names begin so, for the shell."""
    return [kind for kind in Kind if kind.startswith(incomplete)]


MANUAL_WIDTH = 100
"""Columns of a manual page where neither the terminal nor ``COLUMNS`` says it."""

OWN = {Kind.DISCIPLINES: "discipline", Kind.CONGESTION_CONTROLS: "controller"}
"""Kinds of which users write their own, and what they are called in `outside`."""

EXAMPLES = (
    ("all disciplines", "sojourn list disciplines"),
    ("the manual of one", "sojourn list disciplines codel"),
    ("one of your own, in my_aqm.py", "sojourn list disciplines my_aqm:Slope"),
    ("metrics as JSON", "sojourn list metrics --json"),
)
"""What its manual page shows: what for, and the command."""


def list_(
    what: Annotated[
        str,
        typer.Argument(
            metavar="|".join(Kind),
            help="What to list.",
            show_default=False,
            autocompletion=kinds_like,
        ),
    ],
    name: Annotated[
        str | None,
        typer.Argument(
            help="Show one of them in full; module:Class for one in Python.", show_default=False
        ),
    ] = None,
    json_: JsonOption = False,
) -> None:
    """List disciplines, sources, studies or metrics; with a NAME, its manual page."""
    if what not in [*Kind]:
        raise typer.BadParameter(refusal(what, Kind), param_hint="KIND")
    kind = Kind(what)
    entries = _entries(kind)
    if name is not None and kind in OWN and ":" in name:
        entries = [_own(kind, name)]
    elif name is not None:
        entries = [entry for entry in entries if entry["name"] == name]
        if not entries:
            # Links and flows have metrics of one name.
            known = dict.fromkeys(entry["name"] for entry in _entries(kind))
            raise typer.BadParameter(refusal(name, known), param_hint="NAME")
    if json_:
        print(json.dumps(entries, indent=1))
    elif name is not None:
        for entry in entries:
            _print_one(entry)
    else:
        _print_all(kind, entries)


def _entries(kind: Kind) -> list[dict[str, Any]]:
    match kind:
        case Kind.DISCIPLINES | Kind.CONGESTION_CONTROLS | Kind.SOURCES:
            return [*registries.entries(kind.value.replace("-", "_")).values()]
        case Kind.STUDIES:
            from sojourn import studies

            found = ((name, studies.find(name)) for name in studies.names())
            return [{"name": name, "title": study.title} for name, study in found]
        case Kind.METRICS:
            return [
                {"name": metric.name, "of": metric.of, "title": metric.meaning}
                for metric in metrics.METRICS
            ]


def _own(kind: Kind, name: str) -> dict[str, Any]:
    """The entry of a class of the user, as those of the registry are."""
    from sojourn import params
    from sojourn.own import classes

    try:
        cls = classes.find(name, kind=OWN[kind])
    except classes.Refusal as error:
        raise typer.BadParameter(error.message, param_hint="NAME") from None
    manual = inspect.getdoc(cls) or ""
    declared = params.declared(cls).items()
    return {
        "name": name,
        "title": manual.partition("\n")[0].rstrip("."),
        "manual": f"# {cls.__name__}\n\n{manual}",
        "params": [
            {
                "name": key,
                "default": str(param.default),
                "required": False,
                "presets": {},
                "doc": param.doc,
                "allowed": param.allowed,
            }
            for key, param in declared
        ],
    }


def _print_all(kind: Kind, entries: list[dict[str, Any]]) -> None:
    console = printer()
    if not entries:
        console.print(f"There are no {kind.value} in this version.")
        return
    table = Table(box=None, pad_edge=False)
    columns = [key for key in ("name", "of", "title") if key in entries[0]]
    for column in columns:
        table.add_column(column)
    if "params" in entries[0]:
        table.add_column("parameters")
    for entry in entries:
        cells = [entry[column] for column in columns]
        if "params" in entry:
            cells.append(", ".join(param["name"] for param in entry["params"]))
        table.add_row(*cells)
    console.print(table)


def _print_one(entry: dict[str, Any]) -> None:
    from rich.markdown import Markdown
    from rich.text import Text

    console = printer(MANUAL_WIDTH)
    if "manual" in entry:
        console.print(Markdown(entry["manual"]))
    else:
        of = f"{entry['of']}: " if "of" in entry else ""
        console.print(f"{of}{entry['title']}")
    if entry.get("params"):
        table = Table(title="Parameters", title_justify="left")
        for heading in ("key", "default", "under a preset", "what it is; what is allowed"):
            table.add_column(heading)
        for param in entry["params"]:
            presets = "\n".join(f"{name}: {text}" for name, text in param["presets"].items())
            default = "required" if param["required"] else param["default"]
            meaning = Text.assemble(f"{param['doc']}\n", (param["allowed"], "dim"))
            table.add_row(param["name"], default, presets, meaning)
        console.print(table)
