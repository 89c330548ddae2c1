"""The table of all checks: on the terminal, as CSV and JSON, and what differs as a page."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, fields

from rich import box
from rich.table import Table
from rich.text import Text

from sojourn.validate.finding import OUTSIDE, Finding, Verdict

COLOURS = {
    Verdict.AGREES: "green",
    Verdict.BY_SPREAD: "green",
    Verdict.EXPLAINED: "yellow",
    Verdict.DIFFERS: "red",
}

HEADER = ("discipline", "evidence", "case", "check", "ours", "theirs", "tolerance", "verdict")


def on_terminal(findings: Iterable[Finding]) -> Table:
    """Return the table for the terminal."""
    table = Table(box=box.SIMPLE_HEAD)
    for name in HEADER:
        right = name in ("ours", "theirs")
        table.add_column(name, justify="right" if right else "left", overflow="fold")
    for finding in findings:
        texts = [Text(str(getattr(finding, name))) for name in HEADER[:-1]]
        table.add_row(*texts, Text(finding.verdict, style=COLOURS[finding.verdict]))
    return table


def count(findings: Sequence[Finding]) -> str:
    """Return how many checks came out how, in one line."""
    counts = Counter(finding.verdict for finding in findings)
    parts = [_many(counts[verdict], verdict) for verdict in Verdict if counts[verdict]]
    return f"{len(findings)} checks: {', '.join(parts)}"


def _many(number: int, verdict: Verdict) -> str:
    """One agrees, two agree."""
    if number == 1:
        return f"1 {verdict}"
    return f"{number} {verdict.replace('agrees', 'agree').replace('differs', 'differ')}"


def as_csv(findings: Sequence[Finding]) -> str:
    """Return all checks as CSV."""
    text = io.StringIO()
    names = [each.name for each in fields(Finding)]
    writer = csv.DictWriter(text, fieldnames=names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(asdict(finding) for finding in findings)
    return text.getvalue()


def from_csv(text: str) -> list[Finding]:
    """Return the checks that :func:`as_csv` wrote."""
    rows = csv.DictReader(io.StringIO(text))
    return [Finding(verdict=Verdict(row.pop("verdict")), **row) for row in rows]


def as_page(findings: Sequence[Finding], titles: dict[str, str]) -> str:
    """Return what differs, and why, as Markdown."""
    lines = ["# Differences to the peers", "", "Written by `sojourn validate --out evidence`.", ""]
    for name, title in titles.items():
        own = [finding for finding in findings if finding.evidence == name]
        lines += [f"## {name}: {title}", "", f"{count(own)}.", ""]
        outside = [finding for finding in own if finding.verdict in OUTSIDE]
        if outside:
            lines += ["| discipline | case | check | ours | theirs | tolerance | reason |"]
            lines += ["| --- | --- | --- | ---: | ---: | --- | --- |"]
            for each in outside:
                cells = (each.discipline, each.case, each.check, each.ours, each.theirs)
                reason = each.reason or "**none**"
                lines.append(f"| {' | '.join(cells)} | {each.tolerance} | {reason} |")
            lines.append("")
    return "\n".join(lines)
