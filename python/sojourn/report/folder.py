"""Writes a study's report as a folder: page, figures, tables, verdicts, scenario."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sojourn.files import parquet
from sojourn.files.whole import write_whole
from sojourn.report.drawings import Drawing, draw_all
from sojourn.report.page import render
from sojourn.studies.base import StudyReport
from sojourn.studies.tables import Table


@dataclass(frozen=True)
class Folder:
    """Where the parts of a report are."""

    page: Path
    figures: tuple[Drawing, ...]
    summary: Path
    tables: tuple[Path, ...]


def summary(report: StudyReport, command: str) -> dict[str, Any]:
    """The report as one JSON document: verdicts, tables with unrounded numbers, provenance."""
    tables = [report.comparison, *(one for part in report.sections for one in part.tables)]
    return {
        "study": report.study,
        "title": report.title,
        "subject": report.subject,
        "answer": list(report.answer),
        "verdicts": [one.record() for one in report.verdicts],
        "tables": {one.id: [dict(record) for record in one.records] for one in tables},
        "open_points": [
            {"question": one.question, "choice": one.choice, "knob": one.knob}
            for one in report.open_points
        ],
        "settings": dict(report.settings),
        "command": command,
        "scenarios": dict(report.scenarios),
        "seed": report.seed,
        "replicas": report.replicas,
        "sojourn": report.version,
    }


def write_table(table: Table, folder: Path) -> Path:
    """A table as people read it, in CSV."""
    path = folder / f"{table.id}.csv"
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table.header)
    writer.writerows(table.rows)
    write_whole(path, [text.getvalue().encode()])
    return path


def foreign(study: str, scenarios: Mapping[str, str], folder: Path) -> Path | None:
    """The first file that a report of `study` would write over and that no report has written.

    ``scenarios`` are those that it would write. What a report wrote is known by its summary; a
    scenario that was edited since is one's own.
    """
    place = folder / "summary.json"
    before: Any = None
    if place.is_file():
        try:
            before = json.loads(place.read_bytes())
        except (OSError, ValueError):
            before = None
        if not isinstance(before, dict) or before.get("study") != study:
            return place
    written = before["scenarios"] if before else {}
    for part, text in scenarios.items():
        path = folder / f"{part}.toml"
        if path.is_file() and path.read_bytes().decode(errors="replace") not in (
            text,
            written.get(part),
        ):
            return path
    page = folder / f"{study}.html"
    # The page is written last: no report leaves it without a summary.
    return page if before is None and page.is_file() else None


def write(report: StudyReport, folder: Path, command: str) -> Folder:
    """Write everything into `folder`, made where it is missing.

    The page is written last, so that a page stands for a folder that is whole. Raises OSError
    when the folder cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    drawings = draw_all(report.figures, folder / "figures")
    tables_folder = folder / "tables"
    tables = [report.comparison, *(one for part in report.sections for one in part.tables)]
    table_paths = tuple(write_table(one, tables_folder) for one in tables)
    write_whole(folder / "observations.parquet", [parquet.packed(report.observations)])
    for part, text in report.scenarios.items():
        write_whole(folder / f"{part}.toml", [text.encode()])
    summary_path = folder / "summary.json"
    told = json.dumps(summary(report, command), indent=2, ensure_ascii=False, allow_nan=False)
    write_whole(summary_path, [f"{told}\n".encode(errors="replace")])
    page = folder / f"{report.study}.html"
    write_whole(page, [render(report, drawings, command).encode(errors="replace")])
    return Folder(page, tuple(drawings), summary_path, table_paths)
