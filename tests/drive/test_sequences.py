"""Sequences worked out by hand from the RFCs, spoken to the driver.

A file of `sequences/` is one topic. Data and acknowledgements are numbered in segments of 1000
bytes from 0: `ack = 3` says that 3 is expected next, `sack = [[5, 7]]` that 5 and 6 have arrived.
`sends` lists what goes out in a step; what else a step has is the state after it.
"""

import json
import tomllib
from pathlib import Path

import pytest

from sojourn._core import Driver

FILES = sorted((Path(__file__).parent / "sequences").glob("*.toml"))
SEQUENCES = [
    pytest.param(one, id=f"{path.stem}: {one['name']}")
    for path in FILES
    for one in tomllib.loads(path.read_text())["sequence"]
]
SEGMENT = 1000
STATE = {
    "cwnd": "cwnd_segments",
    "ssthresh": "ssthresh_segments",
    "in_flight": "in_flight_segments",
    "srtt": "srtt_s",
    "rttvar": "rttvar_s",
    "rto": "rto_s",
    "recovery": "recovery",
}
ASKED = ("ms", "write", "ack", "sack", "window", "ece", "sends")


def byte(segment: int) -> int:
    """The first byte of a segment: byte 1 is the first of all."""
    return 1 + segment * SEGMENT


def request(step: dict) -> dict:
    """What a step says to the driver."""
    at = {"t_ns": round(step.get("ms", 0) * 1e6)}
    if "write" in step:
        return at | {"cmd": "app_write", "bytes": step["write"] * SEGMENT}
    if "ack" not in step:
        return at | {"cmd": "advance"}
    blocks = [[byte(number) for number in block] for block in step.get("sack", [])]
    given = {key: step[key] for key in ("window", "ece") if key in step}
    return at | {"cmd": "ack_in", "ack": byte(step["ack"]), "sack": blocks} | given


def segments(text: str) -> list[int]:
    """The numbers of "0-2 7": 0, 1, 2, 7."""
    ranges = [part.split("-") for part in text.split()]
    return [number for each in ranges for number in range(int(each[0]), int(each[-1]) + 1)]


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_sequence(sequence):
    driver = Driver()

    def say(words: dict) -> dict:
        answer = json.loads(driver.answer(json.dumps(words)))
        assert "error" not in answer, answer
        return answer

    say({"cmd": "new", "tcp_sender": sequence["sender"]})
    for step in sequence["steps"]:
        assert not step.keys() - {*ASKED, *STATE}
        answer = say(request(step))
        if "sends" in step:
            sent = [[start, end] for _, start, end in answer["sent"]]
            expected = [[byte(one), byte(one + 1)] for one in segments(step["sends"])]
            assert sent == expected, step
        for key in STATE.keys() & step.keys():
            found, expected = answer["state"][STATE[key]], step[key]
            if isinstance(expected, str):
                assert (found or "none") == expected, step
            else:
                assert found == pytest.approx(expected, abs=1e-6), (key, step)
