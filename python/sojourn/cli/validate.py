"""``sojourn validate``: the evidence, run again, as a table."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sojourn.cli.endings import fail
from sojourn.cli.options import JobsOption, JsonOption
from sojourn.cli.status import FAILED, WRONG_INPUT

if TYPE_CHECKING:
    from sojourn.validate.finding import Finding

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
            help="This folder of evidence only. May be repeated.",
            show_default=False,
        ),
    ] = None,
    quick: Annotated[
        bool,
        typer.Option(
            "--quick",
            help="Leave out what is slow, the laws under other presets, and all cases of a "
            "subject but the first.",
        ),
    ] = False,
    differences: Annotated[
        bool, typer.Option("--differences", help="Show only what differs.")
    ] = False,
    evidence: Annotated[
        Path, typer.Option(metavar="DIR", help="The folder of the evidence.")
    ] = Path("evidence"),
    jobs: JobsOption = None,
    json_: JsonOption = False,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Write the checks of each folder (NAME/results.csv) and differences.md here.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Run the evidence again: laws, theory, and the numbers of ns-2, ns-3 and Linux.

    The evidence is a folder of the repository, not of the package: run this in a clone. Exit
    status 1 if a check differs that has no stated reason.
    """
    from sojourn.cli import progress
    from sojourn.files.whole import write_whole
    from sojourn.validate import comparison, own, properties, table
    from sojourn.validate.evidence import EvidenceError, load, names
    from sojourn.validate.finding import Verdict

    disciplines, peers = properties.names(evidence), names(evidence)
    known = [*disciplines, *peers]
    if not known:
        raise fail(
            f"{evidence}: found no evidence; run this in a clone of the repository", WRONG_INPUT
        )
    for name in only or ():
        if name not in known:
            raise fail(f"--only: found {name!r}; allowed: {', '.join(known)}", WRONG_INPUT)
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
    findings: list[Finding] = []
    titles: dict[str, str] = {}

    def keep(found: list[Finding]) -> None:
        findings.extend(found)
        if out is None:
            return
        for name in dict.fromkeys(finding.evidence for finding in found):
            rows = [finding for finding in found if finding.evidence == name]
            write_whole(out / name / "results.csv", [table.as_csv(rows).encode()])

    try:
        wanted = [name for name in disciplines if name in (only or known)]
        work = own.plan(evidence, wanted, quick=quick)
        folders = [evidence / name for name in peers if name in (only or known)]
        plans = [comparison.plan(load(folder), quick=quick) for folder in folders]
        if work:
            with progress.shown("disciplines", "checks") as shown:
                found = own.perform(work, jobs=jobs, progress=shown)
            keep(found)
        for plan in plans:
            with progress.shown(plan.evidence.name) as shown:
                checks = comparison.compare(plan, jobs=jobs, progress=shown)
            titles[plan.evidence.name] = plan.evidence.title
            keep([check.finding for check in checks])
    except EvidenceError as error:
        raise fail(str(error), WRONG_INPUT) from None
    except KeyboardInterrupt:
        # What is whole is shown; it is what has been written, too.
        if findings:
            _show(findings, differences=differences, as_json=json_)
        raise
    if out is not None and titles:
        write_whole(out / "differences.md", [table.as_page(findings, titles).encode()])
    _show(findings, differences=differences, as_json=json_)
    if any(finding.verdict is Verdict.DIFFERS for finding in findings):
        raise typer.Exit(FAILED)


def _show(findings: list[Finding], *, differences: bool, as_json: bool) -> None:
    """Print the findings, or those alone that differ."""
    from dataclasses import asdict

    from sojourn.cli.console import printer
    from sojourn.validate import table
    from sojourn.validate.finding import OUTSIDE

    if as_json:
        json.dump([asdict(finding) for finding in findings], sys.stdout, indent=1)
        print()
        return
    listed = [each for each in findings if each.verdict in OUTSIDE] if differences else findings
    console = printer(WIDTH)
    console.print(table.on_terminal(listed))
    console.print(table.count(findings))
