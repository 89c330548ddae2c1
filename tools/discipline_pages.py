"""The pages of the disciplines: manual, figure, presets, parameters, evidence.

All is text that stands elsewhere: the manual in the discipline's source, its checks with their
results in ``evidence/*/results.csv``, which ``sojourn validate --out evidence`` writes, and the
figure that ``make figures`` draws. Nothing is run.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from evidence_tables import of_discipline, results

ROOT = Path(__file__).resolve().parent.parent
REFERENCE = ROOT / "docs" / "reference"

INTRO = (
    'Named by `discipline` in a link\'s `queue`; `preset` is "reference" (default), '
    '"linux", "ns3" or "ns2". Each page has the manual, the parameters, and the evidence that '
    "the discipline is right."
)

CAPTION = (
    "Left: a law of the discipline, as theory has it and as measured (see the evidence below). "
    "Middle and right: queue and queueing delay with four NewReno connections and, shaded, a "
    "constant rate that does not respond (`tools/standard-load.toml`; `make figures`)."
)


def discipline_files(
    entries: list[dict[str, Any]], generated: str, param_table: Callable[[Any], str]
) -> dict[Path, str | bytes]:
    """Return the index and a page for each discipline."""
    findings = results()
    names = {entry["name"] for entry in entries}
    lines = [f"| [`{e['name']}`](disciplines/{e['name']}.md) | {summary(e)} |" for e in entries]
    index = "\n".join(["| discipline | |", "| --- | --- |", *lines])
    files: dict[Path, str | bytes] = {
        REFERENCE / "disciplines.md": f"# Queue disciplines\n\n{generated}\n\n{INTRO}\n\n{index}\n"
    }
    for entry in entries:
        name = entry["name"]
        parts = [
            f"# `{name}`",
            generated,
            linked(entry["manual"], names),
            f"![Law, queue and delay of {name}](../../images/disciplines/{name}.svg)",
            CAPTION,
            "## Parameters",
            param_table(entry["params"]),
            *presets(entry["params"]),
            "## Evidence",
            of_discipline(name, findings),
        ]
        files[REFERENCE / "disciplines" / f"{name}.md"] = "\n\n".join(parts) + "\n"
    return files


def summary(entry: dict[str, Any]) -> str:
    """Return the first sentence of a manual."""
    return entry["manual"].split("\n\n")[0].replace("\n", " ")


def linked(manual: str, names: set[str]) -> str:
    """Turn links into the source to links between pages, or to plain names."""

    def target(match: re.Match[str]) -> str:
        name = match[1].rsplit("::", 1)[-1]
        return f"[`{name}`]({name}.md)" if name in names else f"`{name}`"

    return re.sub(r"\[`([a-z_0-9:]+)`\]", target, manual)


def presets(params: list[dict[str, Any]]) -> list[str]:
    """Return what each preset sets otherwise, if any does."""
    rows = []
    for preset in ("linux", "ns3", "ns2"):
        given = [(each["name"], each["presets"].get(preset)) for each in params]
        values = ", ".join(f"`{name}` {value}" for name, value in given if value is not None)
        if values:
            rows.append(f"| {preset} | {values} |")
    heading = "## Presets\n\nDefaults that differ; what a preset does otherwise is told above."
    return [heading, "\n".join(["| preset | |", "| --- | --- |", *rows])] if rows else []
