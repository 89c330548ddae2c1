"""Files that pages about the code name are there."""

import re
import subprocess

import pytest
from document_blocks import ROOT

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
