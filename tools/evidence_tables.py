"""The evidence on the pages of disciplines and congestion controls: ``evidence/*/results.csv``.

A line for each body of evidence, the laws, then the peers' networks. Their rows are many: each
network is one line, folded away until it is asked for.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from sojourn.validate import table
from sojourn.validate.finding import Finding, Verdict

EVIDENCE = Path(__file__).resolve().parent.parent / "evidence"
UNITS = (
    ("_bps", 1e-6, "Mbit/s"),
    ("_s", 1e3, "ms"),
    ("_ratio", 100, "%"),
    ("utilization", 100, "%"),
    ("_packets", 1, "packets"),
)
"""Ends of names of metrics: what is shown of them, and in which unit."""

MARKS = {
    Verdict.AGREES: "",
    Verdict.BY_SPREAD: "°",
    Verdict.EXPLAINED: " \\*",
    Verdict.DIFFERS: " \\*",
}
"""What stands behind a pair of numbers."""

LEGEND = (
    "Each cell is ours / theirs; ° where the two agree by the spread of the runs alone, "
    "\\* where they differ and it is said why."
)


SUBJECTS = {"bfifo": "droptail", "fqpie": "fq_pie"}
"""Disciplines of peers that have another name here."""


def results() -> list[Finding]:
    """Return all results of the evidence as it was last run, under our names."""
    files = sorted(EVIDENCE.glob("*/results.csv"))
    rows = [row for file in files for row in table.from_csv(file.read_text(encoding="utf-8"))]
    return [replace(row, discipline=SUBJECTS.get(row.discipline, row.discipline)) for row in rows]


def of_discipline(name: str, findings: Sequence[Finding]) -> str:
    """What the evidence holds about a discipline, as Markdown for its page."""
    bodies = by_body(each for each in findings if each.discipline == name)
    bodies.sort(key=lambda body: body[0] != name)
    again = f"`sojourn validate --only {name}` runs the first line of these again"
    parts = [f"{again}; see [evidence](evidence/README.md).", counted(name, bodies)]
    for folder, own in bodies:
        if folder == name:
            parts += ["### Laws, theory, worked-out sequences", laws(own)]
        else:
            parts += [f"### Beside {heading(folder, own)}", *networks(own)]
    return "\n\n".join(parts).replace("](evidence/", "](../../../evidence/")


def of_control(name: str, findings: Sequence[Finding], controls: Collection[str]) -> list[str]:
    """What peers say about one of all congestion controls, as Markdown for their page.

    Bodies that do not compare several controls are counted only: their networks stand on the pages
    of disciplines.
    """

    def named(each: Finding) -> set[str]:
        return set(each.case.split(", ")).intersection(controls)

    all_bodies = by_body(each for each in findings if named(each))
    bodies = [(folder, [each for each in of if name in named(each)]) for folder, of in all_bodies]
    bodies = [(folder, own) for folder, own in bodies if own]
    if not bodies:
        return []
    compare = {folder for folder, of in all_bodies if len(set().union(*map(named, of))) > 2}
    parts = [counted(name, bodies)]
    for folder, own in bodies:
        if folder in compare:
            parts += networks(own, f"{title(folder)}: ")
    return [part.replace("](evidence/", "](../../evidence/") for part in parts]


def by_body(findings: Iterable[Finding]) -> list[tuple[str, list[Finding]]]:
    """Findings of each folder."""
    return [(folder, list(own)) for folder, own in groupby(findings, lambda each: each.evidence)]


def counted(name: str, bodies: Iterable[tuple[str, list[Finding]]]) -> str:
    """How many checks of each body came out how."""
    verdicts = (Verdict.AGREES, Verdict.BY_SPREAD, Verdict.EXPLAINED)
    rows = []
    for folder, findings in bodies:
        told = [each.verdict for each in findings]
        what = "laws, theory, worked-out sequences" if folder == name else heading(folder, findings)
        counts = [told.count(verdict) or "" for verdict in verdicts]
        rows.append((what, len(findings), *counts))
    return markdown(("beside", "checks", *verdicts), rows, right=4)


def laws(findings: Sequence[Finding]) -> str:
    """What was checked without a peer."""
    rows = [
        (each.check, each.case, each.ours, each.theirs, each.tolerance, verdict(each), each.source)
        for each in findings
    ]
    names = ("check", "case", "ours", "expected", "tolerance", "verdict", "who says so")
    return markdown(names, rows)


def networks(findings: Sequence[Finding], what: str = "") -> list[str]:
    """A peer's networks, one a line, and the reasons for what differs."""
    checks = list(dict.fromkeys(each.check for each in findings))
    rows = []
    for case, of in groupby(findings, lambda each: each.case):
        by_check = {each.check: each for each in of}
        rows.append((case, *(pair(by_check.get(check)) for check in checks)))
    reasons = dict.fromkeys(each.reason for each in findings if each.reason)
    return [
        *(f"\\* {reason}" for reason in reasons),
        f'<details markdown="1">\n<summary>{what}{table.count(findings)}</summary>',
        LEGEND,
        markdown(("network", *map(measured, checks)), rows, right=len(checks)),
        "</details>",
    ]


def heading(folder: str, findings: Sequence[Finding]) -> str:
    """Which peer, and what it ran."""
    program = findings[0].source.split(": ")[0]
    return f"{program}: [{title(folder)}](evidence/{folder}/README.md)"


def title(folder: str) -> str:
    """What was run."""
    text = (EVIDENCE / folder / "evidence.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)["title"]


def measured(check: str) -> str:
    """What a check is of: ``groups.tcp.goodput_bps`` is "tcp goodput, Mbit/s"."""
    *entity, metric = check.split(".")
    end, _, unit = unit_of(metric)
    words = metric.removesuffix(end) if end.startswith("_") else metric
    of = entity[-1] if entity[0] != "links" or entity[-1] != "bottleneck" else ""
    name = f"{of} {words.replace('_', ' ')}".strip()
    return f"{name}, {unit}" if unit else name


def unit_of(metric: str) -> tuple[str, float, str]:
    """The end of a metric's name, its factor and its unit."""
    return next((each for each in UNITS if metric.endswith(each[0])), ("", 1.0, ""))


def pair(finding: Finding | None) -> str:
    """Our number and the peer's; nothing where the network has none."""
    if finding is None:
        return ""
    factor = unit_of(finding.check)[1]
    ours, theirs = (f"{float(each) * factor:.4g}" for each in (finding.ours, finding.theirs))
    return f"{ours} / {theirs}{MARKS[finding.verdict]}"


def verdict(finding: Finding) -> str:
    """The verdict, with the reason for what differs."""
    return f"{finding.verdict}: {finding.reason}" if finding.reason else str(finding.verdict)


def markdown(
    names: Sequence[object], rows: Iterable[Sequence[object]], right: int | None = None
) -> str:
    """A table, of which the last ``right`` columns are numbers; without it the third and fourth."""
    numbers = range(len(names) - right, len(names)) if right is not None else (2, 3)
    rules = ["---:" if column in numbers else "---" for column in range(len(names))]
    lines = [names, rules, *rows]
    return "\n".join(
        "| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |" for line in lines
    )
