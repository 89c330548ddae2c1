"""Comments and documents are as wide as code: a hundred columns."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from document_blocks import ROOT

WIDTH = 100
GENERATED = ("docs/reference/", "evidence/differences.md")
FOLDERS = ("crates", "benchmarks", "docs", "evidence", "examples", "tools")


def written() -> Iterator[Path]:
    """Every source of Rust and every document that somebody has written."""
    yield from ROOT.glob("*.md")
    for folder in FOLDERS:
        yield from (ROOT / folder).rglob("*.rs")
        for page in (ROOT / folder).rglob("*.md"):
            if not page.relative_to(ROOT).as_posix().startswith(GENERATED):
                yield page


def prose(path: Path) -> Iterator[tuple[int, str]]:
    """Lines of prose with their numbers: no code, no tables, no addresses."""
    is_code = False
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        text = line.strip()
        if path.suffix == ".rs":
            if not text.startswith("//"):
                continue
            text = text.lstrip("/!").strip()
        elif text.startswith("```"):
            is_code = not is_code
        if not is_code and not text.startswith("|") and "](" not in text and "://" not in text:
            yield number, line


def test_prose_is_no_wider_than_code():
    wide = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in written()
        for number, line in prose(path)
        if len(line) > WIDTH
    ]
    assert wide == []
