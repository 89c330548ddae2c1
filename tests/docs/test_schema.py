"""The JSON Schema says of a file what the reader says."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import jsonschema
import pytest

import sojourn as sj
from sojourn import _core

ROOT = Path(__file__).resolve().parents[2]
READY = sorted((ROOT / "scenarios").glob("*.toml"))
SCHEMA = json.loads(_core.schema())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def test_it_is_a_schema():
    VALIDATOR.check_schema(SCHEMA)


@pytest.mark.parametrize("path", READY, ids=lambda path: path.stem)
def test_ready_files_are_valid(path: Path):
    VALIDATOR.validate(tomllib.loads(path.read_text(encoding="utf-8")))


SECTIONS = {
    "link": "`[[link]]`",
    "loss": "`loss` as a table",
    "jitter": "`jitter` as a table",
    "steps": "`changes` as a table",
    "change": "An item of `changes`",
    "flow": "`[[flow]]`",
    "dumbbell": "`[dumbbell]`",
    "bottleneck": "`bottleneck` of a dumbbell",
    "access": "`access` of a dumbbell or of one of its flows",
    "design": "`[design]`",
}


@pytest.mark.parametrize("table", SECTIONS)
def test_the_reference_has_every_key_of_a_table(table):
    page = (ROOT / "docs" / "reference" / "scenario.md").read_text(encoding="utf-8")
    section = page.partition(f"\n## {SECTIONS[table]}\n")[2].partition("\n## ")[0]
    keys = re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)
    assert sorted(keys) == sorted(SCHEMA["$defs"][table]["properties"])


def measured(folder: Path, numbers: str) -> sj.Scenario:
    (folder / "delays.csv").write_text(numbers)
    path = folder / "measured.toml"
    path.write_text(
        'name = "measured"\nduration = "1 s"\nreplicas = 20\n'
        '[[link]]\nfrom = "a"\nto = "b"\nrate = "1 Mbit/s"\ndelay = "empirical(delays.csv)"\n'
        '[[flow]]\nname = "f"\nfrom = "a"\nto = "b"\ntransport = { protocol = "udp" }\n'
        'traffic = { source = "cbr", rate = "100 kbit/s" }\n'
    )
    return sj.Scenario.load(path)


def test_a_file_of_numbers_is_read_as_the_reference_says(tmp_path):
    scenario = measured(tmp_path, "# seconds\n0.1\n\n2e-1  # as measured\n 0 \n")
    least = sj.run(scenario).flows["delay_p50_s"] - (1472 + 28) * 8 / 1e6
    assert {round(delay, 2) for delay in least} == {0.0, 0.1, 0.2}
    for numbers in ("delay\n0.1\n", "0.1,0.2\n", "100 ms\n", "-1\n", "0\n", "nan\n", ""):
        with pytest.raises(sj.ScenarioError, match=r"delays\.csv: "):
            measured(tmp_path, numbers)


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
    VALIDATOR.validate(good)
    with pytest.raises(jsonschema.ValidationError):
        VALIDATOR.validate(good | change)


@pytest.mark.parametrize("key", ["window", "send_buffer", "initial_window", "initial_ssthresh"])
def test_a_window_is_counted(key):
    """The reader refuses times and bandwidth-delay products, and to begin without a window."""
    refused = ["100 ms", "1 bdp", *(["none"] if key == "initial_window" else [])]
    for value in [*refused, "20 packets", "64 kB"]:
        transport = {"protocol": "tcp", "congestion_control": "reno", key: value}
        flow = {"name": "f", "transport": transport, "traffic": {"source": "bulk"}}
        is_valid = VALIDATOR.is_valid({"name": "x", "duration": "1 s", "flow": [flow]})
        assert is_valid == (value not in refused), value
