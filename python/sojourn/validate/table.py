"""The table of all checks: on the terminal, as CSV, as JSON, and the differences as a page."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Sequence
from typing import Any

from rich import box
from rich.table import Table
from rich.text import Text

from sojourn.validate.comparison import Check, Verdict

COLOURS = {
    Verdict.AGREES: "green",
    Verdict.BY_SPREAD: "green",
    Verdict.EXPLAINED: "yellow",
    Verdict.DIFFERS: "red",
}

HEADER = ("evidence", "subject", "case", "check", "ours", "theirs", "tolerance", "verdict")


def record(check: Check) -> dict[str, Any]:
    """Return a check as plain values."""
    row = check.row
    return {
        "evidence": check.evidence,
        "subject": row.subject,
        "case": row.label,
        "check": row.metric,
        "ours": check.ours,
        "ours_sd": check.ours_sd,
        "replicas": check.replicas,
        "theirs": row.mean,
        "theirs_sd": row.sd,
        "n": row.n,
        "peer": row.peer,
        "run": row.run,
        "tolerance": str(check.tolerance),
        "spread": check.spread,
        "verdict": check.verdict.value,
        "reason": check.reason if check.verdict is Verdict.EXPLAINED else "",
    }


def cells(check: Check) -> tuple[str, ...]:
    """Return a check as a line of the table."""
    row = check.row
    beside = f" or spread {check.spread:.2g}" if check.spread else ""
    return (
        check.evidence,
        row.subject,
        row.label,
        row.metric,
        f"{check.ours:.5g}",
        f"{row.mean:.5g}",
        f"{check.tolerance}{beside}",
        check.verdict.value,
    )


def shown(checks: Sequence[Check]) -> Table:
    """Return the table for the terminal."""
    table = Table(box=box.SIMPLE_HEAD)
    for name in HEADER:
        right = name in ("ours", "theirs")
        table.add_column(name, justify="right" if right else "left", overflow="fold")
    for check in checks:
        *plain, verdict = cells(check)
        texts = [Text(cell) for cell in plain]
        table.add_row(*texts, Text(verdict, style=COLOURS[check.verdict]))
    return table


def count(checks: Sequence[Check]) -> str:
    """Return how many checks came out how, in one line."""
    counts = Counter(check.verdict for check in checks)
    parts = [f"{counts[verdict]} {verdict.value}" for verdict in Verdict if counts[verdict]]
    return f"{len(checks)} checks: {', '.join(parts)}"


def as_csv(checks: Sequence[Check]) -> str:
    """Return all checks as CSV."""
    text = io.StringIO()
    writer = csv.DictWriter(text, fieldnames=list(record(checks[0])), lineterminator="\n")
    writer.writeheader()
    for check in checks:
        rounded = record(check)
        for name in ("ours", "ours_sd", "theirs", "theirs_sd", "spread"):
            rounded[name] = f"{rounded[name]:.6g}"
        writer.writerow(rounded)
    return text.getvalue()


def as_page(checks: Sequence[Check], titles: dict[str, str]) -> str:
    """Return what differs, and why, as Markdown."""
    lines = ["# Differences to the peers", "", "Written by `sojourn validate --out evidence`.", ""]
    for name, title in titles.items():
        own = [check for check in checks if check.evidence == name]
        lines += [f"## {name}: {title}", "", f"{count(own)}.", ""]
        outside = [check for check in own if check.verdict in (Verdict.EXPLAINED, Verdict.DIFFERS)]
        if outside:
            lines += ["| subject | case | check | ours | theirs | tolerance | reason |"]
            lines += ["| --- | --- | --- | ---: | ---: | --- | --- |"]
            lines += [
                f"| {' | '.join(cells(check)[1:7])} | {check.reason or '**none**'} |"
                for check in outside
            ]
            lines.append("")
    return "\n".join(lines)
