"""The JSON Schema says of a file what the reader says."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import jsonschema
import pytest

from sojourn import _core

ROOT = Path(__file__).resolve().parents[2]
READY = sorted((ROOT / "scenarios").glob("*.toml"))
SCHEMA = json.loads(_core.schema())


def test_it_is_a_schema():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("path", READY, ids=lambda path: path.stem)
def test_ready_files_are_valid(path: Path):
    jsonschema.validate(tomllib.loads(path.read_text(encoding="utf-8")), SCHEMA)


@pytest.mark.parametrize(
    "change",
    [
        {"unknown": 1},
        {"duration": 5},
        {"link": [{"from": "a", "to": "b"}]},
        {"link": [{"from": "a", "to": "b", "rate": "1 Mbit/s", "queue": {"discipline": "rde"}}]},
        {"link": [{"from": "a", "to": "b", "rate": "1 Mbit/s", "queue": {"max_p": 0.1}}]},
        {"flow": [{"name": "f", "transport": {"protocol": "udp"}}]},
    ],
    ids=["key", "unit", "rate missing", "discipline", "parameter", "traffic missing"],
)
def test_what_the_reader_refuses_is_invalid(change):
    good = {"name": "x", "duration": "1 s"}
    jsonschema.validate(good, SCHEMA)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(good | change, SCHEMA)
