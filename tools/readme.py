"""What commands print, for the README: run anew, and put between their marks.

A mark is ``<!-- begin: NAME (make generate) -->`` to ``<!-- end -->``. ``--check`` writes nothing
and fails if the README or one of its figures is stale.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from derived_files import ROOT, Files, derive

README = ROOT / "README.md"
IMAGES = ROOT / "docs" / "images"

COMPARE = "compare"
"""The README's first command, with its figure."""

DEMO = "make demo"

WIDTHS = {"compare": 104, "reproduce": 124}
"""Columns of what a command prints: so many fit onto a page, or as few as it needs."""

FIGURES = {COMPARE: "delay-goodput", DEMO: "fig2-queue"}
"""The figure of each that the README shows."""


def main() -> int:
    """Write README and figures, or compare them."""
    return derive(__doc__, readme_files)


def readme_files() -> Files:
    """Return the README with the output of its commands, and its figures with their data."""
    text = README.read_text(encoding="utf-8")
    files: Files = {}
    first = re.search(r"^(sojourn compare (?:.*\\\n)*.*)$", text, flags=re.MULTILINE)
    assert first is not None, "the README begins with a comparison"
    commands = {
        COMPARE: shlex.split(first[1].replace("\\\n", " "))[1:],
        DEMO: ["reproduce", "eqm", "--quick"],
    }
    for name, arguments in commands.items():
        with tempfile.TemporaryDirectory() as folder:
            printed = run([*arguments, "--out", folder])
            figure = next(Path(folder).rglob(f"{FIGURES[name]}.png"))
            files[IMAGES / figure.name] = figure.read_bytes()
            files[IMAGES / f"{figure.stem}.csv"] = figure.with_suffix(".csv").read_bytes()
        text = filled(text, name, SHOWN[name](printed))
    return files | {README: text}


def run(arguments: list[str]) -> str:
    """Run ``sojourn`` as a reader would; return what it prints."""
    done = subprocess.run(
        [sys.executable, "-m", "sojourn", *arguments],
        env=os.environ | {"COLUMNS": str(WIDTHS[arguments[0]]), "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    return done.stdout


def table(printed: str) -> str:
    """All of it."""
    return printed


def demo(printed: str) -> str:
    """The table of the publication and what follows in words, without the paths."""
    start = printed.index("Table III, published and ours")
    return printed[start : printed.index("Figure 2:")]


SHOWN = {COMPARE: table, DEMO: demo}


def filled(text: str, name: str, printed: str) -> str:
    """The text with what a command printed between its marks."""
    begin, end = f"<!-- begin: {name} (make generate) -->", "<!-- end -->"
    before, rest = text.split(begin)
    _, after = rest.split(end, maxsplit=1)
    lines = "\n".join(line.rstrip() for line in printed.rstrip().splitlines())
    return f"{before}{begin}\n```text\n{lines}\n```\n{end}{after}"


if __name__ == "__main__":
    sys.exit(main())
