"""``sojourn validate``: the evidence, run again, as a table."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from sojourn.cli.options import JobsOption, JsonOption

USAGE = 2
"""Exit status for what the user must mend."""

BROKEN = 1
"""Exit status when something differs that has no stated reason."""

WIDTH = 200
"""Columns where there is no terminal to ask."""


EXAMPLES = (
    ("the first case of each discipline", "sojourn validate --quick"),
    (
        "one body of evidence, differences only",
        "sojourn validate --only ns3-dumbbell --differences",
    ),
)
"""What its manual page shows: what for, and the command."""


def validate(
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--only",
            metavar="NAME",
            help="This evidence only. May be repeated.",
            show_default=False,
        ),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="The first case of each subject only: seconds.")
    ] = False,
    differences: Annotated[
        bool, typer.Option("--differences", help="Show what differs only.")
    ] = False,
    evidence: Annotated[
        Path, typer.Option(metavar="DIR", help="The folder of the evidence.")
    ] = Path("evidence"),
    jobs: JobsOption = None,
    json_: JsonOption = False,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Write all checks (checks.csv) and the differences (differences.md) here.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Run the evidence again and compare with what ns-2, ns-3 and Linux gave.

    Exit status 1 if a check differs that has no stated reason.
    """
    from rich.console import Console

    from sojourn.cli import progress
    from sojourn.validate import comparison, table
    from sojourn.validate.evidence import EvidenceError, load, names

    known = names(evidence)
    if not known:
        raise _fail(f"{evidence}: found no evidence; run this in a clone of the repository", USAGE)
    for name in only or ():
        if name not in known:
            raise _fail(f"--only: found {name!r}; allowed: {', '.join(known)}", USAGE)
    checks: list[comparison.Check] = []
    titles: dict[str, str] = {}
    try:
        plans = [comparison.plan(load(evidence / name), quick=quick) for name in only or known]
        for plan in plans:
            titles[plan.evidence.name] = plan.evidence.title
            with progress.shown(plan.evidence.name) as shown:
                checks += comparison.compare(plan, jobs=jobs, progress=shown)
    except EvidenceError as error:
        raise _fail(str(error), USAGE) from None
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        (out / "checks.csv").write_text(table.as_csv(checks), encoding="utf-8")
        (out / "differences.md").write_text(table.as_page(checks, titles), encoding="utf-8")
    failed = [check for check in checks if check.verdict is comparison.Verdict.DIFFERS]
    if json_:
        json.dump([table.record(check) for check in checks], sys.stdout, indent=1)
        print()
    else:
        outside = (comparison.Verdict.EXPLAINED, comparison.Verdict.DIFFERS)
        listed = [each for each in checks if each.verdict in outside] if differences else checks
        console = Console(width=None if sys.stdout.isatty() else WIDTH)
        console.print(table.shown(listed))
        console.print(table.count(checks))
    if failed:
        raise typer.Exit(BROKEN)


def _fail(message: str, status: int) -> typer.Exit:
    """Print one line on stderr; return the exit that goes with it."""
    print(f"error: {message}", file=sys.stderr)
    return typer.Exit(status)
