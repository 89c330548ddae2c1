"""Writes a study's report as a folder: page, figures, tables, verdicts, scenario.

What runs have found comes first: summary, tables, observations and scenarios, all of them or none.
The summary names every file of the report, also those that are still to be drawn, so that a folder
which was left half written is known as a report's. The page comes last: it stands for a folder that
is whole.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sojourn.experiments.manifest import MANIFEST, FolderError, read_manifest
from sojourn.files import parquet
from sojourn.files.whole import UNFINISHED, write_together, write_whole
from sojourn.plots.save import FORMATS
from sojourn.report.drawings import Drawing, draw_all
from sojourn.report.page import render
from sojourn.signals import uninterrupted
from sojourn.studies.base import Study, StudyReport
from sojourn.studies.tables import Table

SUMMARY = "summary.json"

OBSERVATIONS = "observations.parquet"

INTERRUPTED = "interrupted"
"""The folder, inside that of a report, of the finished runs where Ctrl-C came between the runs."""


class Unfinished(Exception):
    """Ctrl-C came when figures and page were still to be made; all else is in `folder`."""

    def __init__(self, folder: Path, missing: tuple[str, ...]) -> None:
        """Keep where the report is, and the figures that are not there, by their names."""
        super().__init__(f"{folder}: missing: the page; figures: {', '.join(missing) or 'none'}")
        self.folder = folder
        self.missing = missing


@dataclass(frozen=True)
class Folder:
    """Where the parts of a report are."""

    page: Path
    figures: tuple[Drawing, ...]
    summary: Path
    tables: tuple[Path, ...]


def summary(report: StudyReport, command: str) -> dict[str, Any]:
    """The report as one JSON document: verdicts, tables with unrounded numbers, provenance."""
    return {
        "study": report.study,
        "title": report.title,
        "subject": report.subject,
        "answer": list(report.answer),
        "verdicts": [one.record() for one in report.verdicts],
        "tables": {one.id: [dict(record) for record in one.records] for one in _tables(report)},
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


def _tables(report: StudyReport) -> list[Table]:
    return [report.comparison, *(one for part in report.sections for one in part.tables)]


def table_text(table: Table) -> str:
    """A table as people read it, in CSV."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table.header)
    writer.writerows(table.rows)
    return text.getvalue()


def file_names(
    study: str, scenarios: Iterable[str], figures: Iterable[str], tables: Iterable[str]
) -> list[str]:
    """The files of a report inside its folder, the page last."""
    return [
        SUMMARY,
        *(f"{part}.toml" for part in scenarios),
        OBSERVATIONS,
        *(f"tables/{one}.csv" for one in tables),
        *(name for one in figures for name in _figure_names(one)),
        f"{study}.html",
    ]


def _figure_names(figure: str) -> list[str]:
    return [f"figures/{figure}.{ending}" for ending in (*FORMATS, "csv")]


def foreign(study: Study, scenarios: Mapping[str, str], folder: Path) -> Path | None:
    """The first file that a report of ``study`` may write over and that no report has written.

    Which figures and tables it has is known only when it has run, so their folders are its alone:
    whatever is in them is taken for one that it may write over or remove. ``scenarios`` are those
    that it would write.

    What a report wrote is known by its summary, or, where a command of an earlier version was
    killed before that, by a scenario of just this text. A scenario that was edited since is one's
    own.
    """
    before = _summary_before(study.name, folder)
    if before is None and (folder / SUMMARY).exists():
        return folder / SUMMARY
    written = before["scenarios"] if before else {}
    is_known = False
    for part, text in scenarios.items():
        path = folder / f"{part}.toml"
        if not path.is_file():
            continue
        found = path.read_bytes().decode(errors="replace")
        if found not in (text, written.get(part)):
            return path
        is_known = True
    page = f"{study.name}.html"
    if before is not None:
        # Earlier versions did not name their files.
        is_known = "files" not in before
    elif (folder / page).exists():
        # The page is written last: no report leaves it without a summary.
        return folder / page
    if is_known:
        return None
    ours = {folder / one for one in _names(before)}
    there = [folder / one for one in (OBSERVATIONS, page) if (folder / one).exists()]
    for kind in ("tables", "figures"):
        there += sorted((folder / kind).glob("*"))
    return next((one for one in there if one not in ours and not _may_stay(one)), None)


def _may_stay(path: Path) -> bool:
    """Whether a file is none that a report could have: hidden, or left half written by a kill."""
    return path.name.startswith(".") or path.suffix == UNFINISHED


def _summary_before(study: str, folder: Path) -> dict[str, Any] | None:
    """The summary of an earlier report of the study, None where there is none."""
    try:
        before: Any = json.loads((folder / SUMMARY).read_bytes())
    except (OSError, ValueError):
        return None
    if not isinstance(before, dict) or before.get("study") != study:
        return None
    return before


def _names(before: Mapping[str, Any] | None) -> list[str]:
    """The files of an earlier report, as its summary names them; none outside of its folder."""
    names = (before or {}).get("files", [])
    return [one for one in names if not Path(one).is_absolute() and ".." not in Path(one).parts]


def write(report: StudyReport, folder: Path, command: str) -> Folder:
    """Write everything into `folder`, made where it is missing.

    What an earlier report of the study left there goes, and nothing else. Where Ctrl-C comes before
    all figures are drawn, what the runs have found is written all the same. Raises Unfinished then,
    and OSError when the folder cannot be written.
    """
    tables = {folder / "tables" / f"{one.id}.csv": table_text(one) for one in _tables(report)}
    names = file_names(
        report.study,
        report.scenarios,
        (one.id for one in report.figures),
        (path.stem for path in tables),
    )
    try:
        # Ctrl-C waits: it takes a moment, and the runs may have taken hours.
        with uninterrupted():
            document = summary(report, command) | {"files": names}
            text = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)
            texts = {folder / SUMMARY: f"{text}\n"}
            texts |= {folder / f"{part}.toml": one for part, one in report.scenarios.items()}
            contents = {
                path: one.encode(errors="replace") for path, one in (texts | tables).items()
            }
            contents[folder / OBSERVATIONS] = parquet.packed(report.observations)
            earlier = _names(_summary_before(report.study, folder))
            # What is drawn anew goes too: until then it is that of other runs.
            stale = {folder / one for one in (*earlier, *names)}
            write_together(contents)
            remove(stale - contents.keys())
            remove_interrupted(folder)
        drawings = draw_all(report.figures, folder / "figures")
        page = folder / f"{report.study}.html"
        write_whole(page, [render(report, drawings, command).encode(errors="replace")])
    except KeyboardInterrupt:
        missing = tuple(
            one.id
            for one in report.figures
            if not all((folder / name).exists() for name in _figure_names(one.id))
        )
        raise Unfinished(folder, missing) from None
    return Folder(page, tuple(drawings), folder / SUMMARY, tuple(tables))


def remove(paths: Collection[Path]) -> None:
    """Remove files, where they are there, and their folders, where these are empty then."""
    for path in paths:
        if path.is_file():
            path.unlink()
    for parent in {one.parent for one in paths}:
        with suppress(OSError):
            parent.rmdir()


def remove_interrupted(folder: Path) -> None:
    """Remove the runs that were kept when an earlier command was interrupted, and nothing else."""
    for part in (folder / INTERRUPTED).glob("*"):
        try:
            names = [*read_manifest(part)["files"], MANIFEST]
        except FolderError:
            continue
        remove([part / one for one in names])
    with suppress(OSError):
        (folder / INTERRUPTED).rmdir()
