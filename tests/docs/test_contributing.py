"""What a list has to name, and nothing else would notice when it is forgotten."""

import re
import tomllib
from pathlib import Path

import pytest

CRATES = sorted((Path(__file__).parents[2] / "crates").iterdir())
ONE_PROGRAM = [
    crate
    for crate in CRATES
    if tomllib.loads((crate / "Cargo.toml").read_text())["package"].get("autotests") is False
]


@pytest.mark.parametrize("crate", ONE_PROGRAM, ids=lambda crate: crate.name)
def test_every_file_of_tests_is_part_of_a_test_program(crate: Path) -> None:
    programs = {
        program.get("path", f"tests/{program['name']}.rs")
        for program in tomllib.loads((crate / "Cargo.toml").read_text())["test"]
    }
    named = set(re.findall(r"^mod (\w+);$", (crate / "tests/main.rs").read_text(), re.MULTILINE))
    files = {
        path.stem
        for path in (crate / "tests").iterdir()
        if (path.is_dir() or path.suffix == ".rs") and f"tests/{path.name}" not in programs
    }
    assert files == named


def test_crates_of_many_test_files_have_one_program() -> None:
    assert {crate.name for crate in ONE_PROGRAM} >= {"queue", "transport", "engine"}
