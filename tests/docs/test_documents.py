"""What the documents say can be done."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import sojourn as sj

ROOT = Path(__file__).resolve().parents[2]
HOW_TO = sorted(path.relative_to(ROOT).as_posix() for path in ROOT.glob("docs/how-to/*.md"))
DOCUMENTS = ["README.md", "DESIGN.md", *HOW_TO]


def toml_blocks(name: str) -> list[str]:
    text = (ROOT / name).read_text(encoding="utf-8")
    return re.findall(r"^```toml\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_scenario_of_a_document_is_accepted(name: str):
    blocks = toml_blocks(name)
    assert blocks or name in HOW_TO
    for number, block in enumerate(blocks):
        assert sj.Scenario.from_toml(block, place=f"{name}, block {number}").core.points >= 1


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_link_to_a_file_leads_somewhere(name: str):
    text = (ROOT / name).read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#]+)\)", text):
        if not target.startswith("https://"):
            assert ((ROOT / name).parent / target).exists(), target
