"""The evidence on the page of a discipline: a line for each body, the laws, the peers' networks.

The rows of peers are many: each network is one line, folded away until it is asked for.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Sequence
from itertools import groupby
from pathlib import Path

from sojourn.validate import table
from sojourn.validate.finding import Finding, Verdict

EVIDENCE = Path(__file__).resolve().parent.parent / "evidence"
FOLDERS = "../../../evidence"
"""The same folder, seen from a page."""

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


def evidence(name: str, own: Sequence[Finding]) -> str:
    """All that the evidence holds about a discipline, as Markdown."""
    bodies = [(folder, list(of)) for folder, of in groupby(own, lambda each: each.evidence)]
    bodies.sort(key=lambda body: body[0] != name)
    again = f"`sojourn validate --only {name}` runs the first line of these again"
    parts = [f"{again}; see [evidence]({FOLDERS}/README.md).", counted(name, bodies)]
    for folder, findings in bodies:
        parts += laws(findings) if folder == name else peer(folder, findings)
    return "\n\n".join(parts)


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


def laws(findings: Sequence[Finding]) -> list[str]:
    """What was checked without a peer."""
    rows = [
        (each.check, each.case, each.ours, each.theirs, each.tolerance, verdict(each), each.source)
        for each in findings
    ]
    names = ("check", "case", "ours", "expected", "tolerance", "verdict", "who says so")
    return ["### Laws, theory, worked-out sequences", markdown(names, rows)]


def peer(folder: str, findings: Sequence[Finding]) -> list[str]:
    """A peer's networks, one a line, and the reasons for what differs."""
    checks = list(dict.fromkeys(each.check for each in findings))
    rows = []
    for case, of in groupby(findings, lambda each: each.case):
        by_check = {each.check: each for each in of}
        rows.append((case, *(pair(by_check.get(check)) for check in checks)))
    reasons = dict.fromkeys(each.reason for each in findings if each.reason)
    return [
        f"### Beside {heading(folder, findings)}",
        *(f"\\* {reason}" for reason in reasons),
        f'<details markdown="1">\n<summary>{table.count(findings)}</summary>',
        LEGEND,
        markdown(("network", *map(measured, checks)), rows, right=len(checks)),
        "</details>",
    ]


def heading(folder: str, findings: Sequence[Finding]) -> str:
    """Which peer, and what it ran."""
    told = tomllib.loads((EVIDENCE / folder / "evidence.toml").read_text(encoding="utf-8"))
    program = findings[0].source.split(": ")[0]
    return f"{program}: [{told['title']}]({FOLDERS}/{folder}/README.md)"


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
