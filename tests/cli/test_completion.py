"""What the Tab key completes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(sys.executable).parent / "sojourn"


def completed(*words: str) -> list[str]:
    """What bash would be told for the last of these words."""
    environment = os.environ | {
        "_SOJOURN_COMPLETE": "complete_bash",
        "COMP_WORDS": " ".join(["sojourn", *words]),
        "COMP_CWORD": str(len(words)),
    }
    done = subprocess.run([PROGRAM], env=environment, capture_output=True, text=True, check=False)
    return done.stdout.split()


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["comp"], ["compare"]),
        (["compare", "fq_c"], ["fq_codel", "fq_cobalt"]),
        (["reproduce", "red"], ["red-fairness"]),
        (["list", "disc"], ["disciplines"]),
        (["run", "--prec"], ["--precision"]),
    ],
)
def test_words_are_completed(words, found):
    assert completed(*words) == found


def test_there_is_a_script_for_the_shell():
    environment = os.environ | {"_SOJOURN_COMPLETE": "source_bash"}
    done = subprocess.run([PROGRAM], env=environment, capture_output=True, text=True, check=False)
    assert "complete -o default -F" in done.stdout
