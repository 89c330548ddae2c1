"""Shows a study's report on the terminal: comparison, verdicts, open points."""

from __future__ import annotations

from collections.abc import Iterable

from rich import box
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from sojourn.studies.base import OpenPoint, StudyReport
from sojourn.studies.claims import Outcome, Verdict
from sojourn.studies.tables import Table

COLOURS = {
    Outcome.AGREES: "green",
    Outcome.DISAGREES: "yellow",
    Outcome.IMPOSSIBLE: "red",
    Outcome.CONTRADICTS_ITSELF: "magenta",
    Outcome.NOT_MEASURED: "dim",
}


def numbers(table: Table) -> RichTable:
    """A table of numbers."""
    shown = RichTable(title=table.caption, title_justify="left", box=box.SIMPLE_HEAD)
    for place, name in enumerate(table.header):
        shown.add_column(Text(name), justify="left" if place < table.heads else "right")
    for row in table.rows:
        style = "dim italic" if row[1] == "published" else None
        shown.add_row(*(Text(cell) for cell in row), style=style)
    return shown


def verdict_table(verdicts: Iterable[tuple[str, Verdict]], *, with_study: bool) -> RichTable:
    """Verdicts with their reasons; several studies get a column for their names."""
    shown = RichTable(title="Verdicts", title_justify="left", box=box.SIMPLE_HEAD)
    if with_study:
        shown.add_column("Study")
    shown.add_column("Claim", ratio=2)
    shown.add_column("Verdict")
    shown.add_column("Reason", ratio=4)
    for study, verdict in verdicts:
        cells = [
            Text(verdict.claim.text),
            Text(verdict.outcome.value, style=COLOURS[verdict.outcome]),
            Text(verdict.reason),
        ]
        shown.add_row(*([Text(study)] if with_study else []), *cells)
    return shown


def open_point_table(points: Iterable[OpenPoint]) -> RichTable:
    """What is left open and the choice taken."""
    shown = RichTable(
        title="Left open by the publication", title_justify="left", box=box.SIMPLE_HEAD
    )
    shown.add_column("Open", ratio=3)
    shown.add_column("Taken here", ratio=3)
    shown.add_column("Knobs", ratio=1)
    for point in points:
        shown.add_row(Text(point.question), Text(point.choice), Text(point.knob))
    return shown


def show(report: StudyReport, console: Console) -> None:
    """Print the answer, the comparison, the verdicts and the open points."""
    console.print(Text(report.title, style="bold"))
    console.print(open_point_table(report.open_points))
    console.print(verdict_table(((report.study, one) for one in report.verdicts), with_study=False))
    console.print(numbers(report.comparison))
    note = Text(report.comparison.note, style="dim")
    console.print(note)
    console.print()
    for paragraph in report.answer:
        console.print(Text(paragraph))
