"""What the documents say can be done."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import sojourn as sj

ROOT = Path(__file__).resolve().parents[2]


def toml_blocks(name: str) -> list[str]:
    text = (ROOT / name).read_text(encoding="utf-8")
    return re.findall(r"^```toml\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("name", ["README.md", "DESIGN.md"])
def test_every_scenario_of_a_document_is_accepted(name: str):
    blocks = toml_blocks(name)
    assert blocks
    for number, block in enumerate(blocks):
        assert sj.Scenario.from_toml(block, place=f"{name}, block {number}").core.points >= 1


@pytest.mark.parametrize("name", ["README.md", "DESIGN.md"])
def test_every_link_to_a_file_leads_somewhere(name: str):
    text = (ROOT / name).read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#]+)\)", text):
        assert (ROOT / target).exists(), target
