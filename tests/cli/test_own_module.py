"""A module of the user in the program: it begins, it prints, and it ends."""

import json

import pytest

MODULE = '''
import sojourn as sj


class Held:
    """In a cycle, as bindings of other libraries often are: cleared at the end, or never."""

    def __init__(self):
        self.itself = self

    def __del__(self):
        print("cleared")


held = Held()


class Full(sj.queue.Discipline):
    """Takes five packets."""

    def enqueue(self, now, size, flow, ecn):
        return sj.queue.ACCEPT if self.packets < 5 else sj.queue.DROP
'''

SCENARIO = """
name = "own"
duration = "100 ms"

[dumbbell]
rtt = "20 ms"
bottleneck = { rate = "5 Mbit/s", queue = { discipline = "held:Full" } }

[[flow]]
name = "load"
transport = { protocol = "udp" }
traffic = { source = "poisson", rate = "6 Mbit/s" }
"""


def test_it_is_cleared_at_the_end(process, tmp_path):
    (tmp_path / "held.py").write_text(MODULE)
    (tmp_path / "own.toml").write_text(SCENARIO)
    done = process("run", "own.toml")
    assert done.status == 0, done.errors
    assert done.errors.endswith("cleared\n")


TALKATIVE = """
import sys
import sojourn as sj

print("imported")


class Full(sj.queue.Discipline):
    def __init__(self, **given):
        super().__init__(**given)
        print("made")

    def enqueue(self, now, size, flow, ecn):
        print("asked")
        sys.stdout.write("told\\n")
        return sj.queue.ACCEPT if self.packets < 5 else sj.queue.DROP
"""

WORDS = ("imported", "made", "asked", "told")


@pytest.fixture
def talkative(tmp_path):
    (tmp_path / "held.py").write_text(TALKATIVE)
    (tmp_path / "own.toml").write_text(f"replicas = 2\n{SCENARIO}")


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_it_prints_is_no_part_of_the_document(process, talkative, jobs):
    done = process("run", "own.toml", "--json", "--jobs", jobs)
    assert json.loads(done.out)["scenario"] == "own"
    assert all(word in done.errors for word in WORDS)


@pytest.mark.parametrize(
    "command",
    [
        ("sweep", "own.toml", "--out", "out", "--json"),
        ("compare", "held:Full", "--duration", "1 s", "--warmup", "100 ms", "--json"),
        ("list", "disciplines", "held:Full", "--json"),
    ],
)
def test_nor_of_that_of_other_commands(process, talkative, command):
    done = process(*command)
    assert json.loads(done.out), done.errors
    assert "imported" in done.errors


def test_nor_of_the_answers_of_a_bare_one(process, talkative):
    requests = [
        {"cmd": "new", "discipline": "held:Full"},
        {"cmd": "enqueue", "t_ns": 0, "bytes": 500},
        {"cmd": "enqueue", "t_ns": 0, "bytes": 500},
    ]
    done = process("drive", requests="".join(json.dumps(each) + "\n" for each in requests))
    assert len([json.loads(line) for line in done.out.splitlines()]) == 3
    assert "asked" in done.errors


def test_checking_prints_what_checking_prints(process, talkative):
    assert process("check", "own.toml").out == "own.toml: ok: own, 1 point, 2 runs\n"
