"""What the documents say can be done: every block of code is carried out, every link leads on."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from document_blocks import ROOT, Reader, blocks, commands, parse

from sojourn import registries
from sojourn.cli import manual
from sojourn.cli.commands import SUMMARIES, function
from sojourn.own import native

GENERATED = "<!-- Generated from the code"
WRITTEN = sorted(
    path.relative_to(ROOT).as_posix()
    for path in (ROOT / "docs").rglob("*.md")
    if GENERATED not in path.read_text(encoding="utf-8")
)
DOCUMENTS = ["README.md", "COMPARE.md", "CONTRIBUTING.md", "examples/README.md", *WRITTEN]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_block_does_what_it_says(name, monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    reader = Reader(capsys)
    for block in blocks(ROOT / name):
        reader.read(block)


def test_every_scenario_of_the_design_is_accepted(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    reader = Reader(capsys)
    tables = [block for block in blocks(ROOT / "DESIGN.md") if block.kind == "toml"]
    assert tables
    for block in tables:
        reader.read_toml(block)


@pytest.mark.parametrize("name", SUMMARIES)
def test_every_example_of_a_manual_page_is_a_command(name):
    assert manual.examples(function(name))
    for _, text in manual.examples(function(name)):
        assert f"sojourn {name}" in text
        if text.startswith("sojourn "):
            (command,) = commands(text)
            parse(shlex.split(command)[1:])


def test_the_concepts_name_every_discipline():
    page = (ROOT / "docs" / "concepts" / "disciplines.md").read_text(encoding="utf-8")
    names = [*registries.entries("disciplines")]
    assert [name for name in names if f"`{name}`" not in page] == []


def test_the_page_of_compiled_hooks_has_every_field():
    text = (ROOT / "docs/reference/python/native.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`.*?) \|", text, re.MULTILINE)
    assert sorted(re.findall(r"`(\w+)`", " ".join(rows))) == sorted(native.PACKET)


@pytest.mark.parametrize("name", [*DOCUMENTS, "DESIGN.md"])
def test_every_link_to_a_file_leads_somewhere(name: str):
    text = (ROOT / name).read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#\s]+)", text):
        if not target.startswith("https://"):
            assert ((ROOT / name).parent / Path(target)).exists(), target
