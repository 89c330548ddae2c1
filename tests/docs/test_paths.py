"""Files that pages about the code name are there."""

import re
import subprocess
from pathlib import Path

import pytest
from document_blocks import ROOT

import sojourn as sj

PAGES = ("DESIGN.md", "CONTRIBUTING.md", "benchmarks/README.md", "evidence/mutants.md")
FILE = re.compile(r"`([\w./-]+\.(?:rs|py|toml|md|sh))`")
ANY = "NAME"
"""What stands for every name."""


@pytest.fixture(scope="module")
def files():
    done = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode:
        pytest.skip("no clone: what belongs to the project is not known")
    return [f"/{path}" for path in done.stdout.splitlines()]


@pytest.mark.parametrize("page", PAGES)
def test_a_file_that_a_page_names_is_there(page, files):
    named = FILE.findall((ROOT / page).read_text(encoding="utf-8"))
    missing = [
        name for name in named if ANY not in name and not any(f.endswith(f"/{name}") for f in files)
    ]
    assert named
    assert missing == []


PAGE = re.compile(r"Its manual page: ``([\w./-]+)``(?:, under ``(\w+)``)?\.")
"""What the class of an entry of a registry says of its manual."""


@pytest.mark.parametrize("module", [sj.queue, sj.transport, sj.source])
def test_the_manual_that_a_class_names_is_there(module):
    classes = [one for one in vars(module).values() if getattr(one, "NAME", "")]
    assert len(classes) > 5
    for one in classes:
        page, heading = PAGE.search(" ".join(one.__doc__.split())).groups()
        text = (ROOT / page).read_text(encoding="utf-8")
        if heading is None:
            assert Path(page).stem == one.NAME
            assert "| key | default |" in text
        else:
            assert heading == one.NAME
            assert f"## `{heading}`\n" in text
