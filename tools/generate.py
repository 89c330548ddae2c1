"""Write what is derived from the code: schema, reference pages, Python classes.

``--check`` writes nothing and fails if anything on disk is stale.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from derived_files import derive
from discipline_pages import discipline_files
from evidence_tables import of_control, results
from python_classes import python_files

from sojourn import _core
from sojourn.cli import manual
from sojourn.cli.commands import SUMMARIES, function
from sojourn.metrics import METRICS, SERIES

ROOT = Path(__file__).resolve().parent.parent
REFERENCE = ROOT / "docs" / "reference"


def main() -> int:
    """Write all files, or compare them."""
    return derive(__doc__, lambda: reference_files() | python_files())


def reference_files() -> dict[Path, str | bytes]:
    """Return schema and reference pages."""
    reference: dict[str, Any] = json.loads(_core.reference())
    schema = json.dumps(json.loads(_core.schema()), indent=1) + "\n"
    return {
        REFERENCE / "scenario.schema.json": schema,
        REFERENCE / "sources.md": registry_page(
            "Traffic sources", "Named by `source` in a flow's `traffic`.", reference["sources"]
        ),
        REFERENCE / "congestion-controls.md": registry_page(
            "Congestion controls",
            'Named by `congestion_control` in a flow\'s `transport` with `protocol = "tcp"`.',
            reference["congestion_controls"],
            control_evidence(reference["congestion_controls"]),
        ),
        REFERENCE / "scenario.md": scenario_page(reference["tables"]),
        REFERENCE / "metrics.md": metrics_page(),
        REFERENCE / "commands.md": commands_page(),
    } | discipline_files(reference["disciplines"], GENERATED, param_table)


def control_evidence(entries: list[dict[str, Any]]) -> dict[str, list[str]]:
    """Return what peers say about each congestion control."""
    names = [entry["name"] for entry in entries]
    findings = results()
    return {name: of_control(name, findings, names) for name in names}


def registry_page(
    title: str,
    intro: str,
    entries: list[dict[str, Any]],
    further: dict[str, list[str]] | None = None,
) -> str:
    """Return a page with the manual and the parameters of each entry, and what is known further."""
    parts = [f"# {title}", GENERATED, intro]
    for entry in entries:
        name = entry["name"]
        parts += [f"## `{name}`", entry["manual"], param_table(entry["params"])]
        parts += further[name] if further else []
    return "\n\n".join(parts) + "\n"


def scenario_page(tables: dict[str, list[dict[str, Any]]]) -> str:
    """Return a page with the keys of each table of a scenario file."""
    headings = {
        "scenario": "Head of the file",
        "design": "`[design]`",
        "link": "`[[link]]`",
        "change": "An item of `changes`",
        "steps": "`changes` as a table",
        "loss": "`loss` as a table",
        "jitter": "`jitter` as a table",
        "flow": "`[[flow]]`",
        "udp": "`transport` of a flow over UDP",
        "tcp": "`transport` of a flow over TCP",
        "connection": "further keys of TCP's `transport`: the connection",
        "dumbbell": "`[dumbbell]`",
        "bottleneck": "`bottleneck` of a dumbbell",
        "access": "`access` of a dumbbell or of one of its flows",
    }
    parts = ["# Scenario files", GENERATED]
    for name, params in tables.items():
        if name == "design":
            parts += ["## `[vary]`", VARY.read_text(encoding="utf-8").rstrip()]
        parts += [f"## {headings[name]}", param_table(params)]
    parts += ["## Random values", LAWS.read_text(encoding="utf-8").rstrip()]
    return "\n\n".join(parts) + "\n"


GENERATED = "<!-- Generated from the code by `make generate`. -->"


def param_table(params: list[dict[str, Any]]) -> str:
    """Return the parameters as a Markdown table; in words that there are none."""
    if not params:
        return "It has no parameters of its own."
    rows = ["| key | default | what it is | allowed |", "| --- | --- | --- | --- |"]
    for param in params:
        default = "required" if param["required"] else default_of(param)
        for preset, value in param["presets"].items():
            default += f"<br>{preset}: `{value}`"
        cells = (f"`{param['name']}`", default, param["doc"], param["allowed"])
        rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(rows)


def default_of(param: dict[str, Any]) -> str:
    """Return what holds where a key is not given: a key that holds a table says it in words."""
    return param["default"] if "nested" in param else f"`{param['default']}`"


VARY = Path(__file__).with_name("vary.md")
"""What a reader of scenario files must know of the points."""

LAWS = Path(__file__).with_name("laws.md")
"""And of what is drawn at random."""

METRICS_TEXT = Path(__file__).with_name("metrics.md")
"""What a reader of results must know: before the tables of metrics, and of the series."""

TABLES = "<!-- tables -->"
"""Where the tables of metrics stand in it."""


def metrics_page() -> str:
    """Return the metrics as a Markdown page."""
    intro, of_series = METRICS_TEXT.read_text(encoding="utf-8").split(TABLES)
    parts = ["# Metrics", GENERATED, intro.strip()]
    kinds = {
        "link": "Links",
        "flow": "Flows, groups and the total",
        "group": "Groups and the total",
    }
    for kind, heading in kinds.items():
        parts += [
            f"## {heading}",
            meanings("metric", {m.name: m.meaning for m in METRICS if m.of == kind}),
        ]
    parts += [of_series.strip(), meanings("series", SERIES)]
    return "\n\n".join(parts) + "\n"


def meanings(of: str, entries: dict[str, str]) -> str:
    """Return names and what they mean as a Markdown table."""
    rows = [f"| `{name}` | {meaning} |" for name, meaning in entries.items()]
    return "\n".join([f"| {of} | meaning |", "| --- | --- |", *rows])


def commands_page() -> str:
    """Return the manual of every command."""
    parts = [
        "# Commands",
        GENERATED,
        "`sojourn COMMAND --help` shows the same on the terminal. Exit status: 0 done, 2 the input "
        "is wrong, 1 anything else, 130 interrupted; what is finished is kept.",
        *(manual.page(name, function(name)) for name in SUMMARIES),
    ]
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    sys.exit(main())
