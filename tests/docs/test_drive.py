"""The conversations of the page about `sojourn drive` are held, and answered as it says."""

import json
import re
from typing import Any

import pytest
from document_blocks import ROOT

from sojourn._core import Driver

PAGE = (ROOT / "docs" / "how-to" / "drive.md").read_text(encoding="utf-8")
TALKS = re.findall(r"^```text\n(> .*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def shown(found: Any, said: Any) -> Any:
    """Of an answer what the page says of it: it may leave out keys of tables, written `...`."""
    if isinstance(said, dict) and said.pop("...", False):
        return {key: shown(found[key], value) for key, value in said.items()}
    if isinstance(said, dict) and isinstance(found, dict):
        return {key: shown(value, said.get(key)) for key, value in found.items()}
    return found


@pytest.mark.parametrize("talk", TALKS, ids=["discipline", "control", "sender"])
def test_a_conversation_goes_as_the_page_has_it(talk: str):
    driver = Driver()
    turns = re.findall(r"^> (.*)\n< (.*)\n", talk, re.MULTILINE)
    assert 2 * len(turns) == len(talk.splitlines())
    for request, answer in turns:
        said = json.loads(answer.replace(", ...}", ', "...": true}'))
        found = json.loads(driver.answer(request))
        assert shown(found, said) == said
