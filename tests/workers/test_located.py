"""Errors of runs name the run: its point with what varies, its replica and its seed."""

import errno

import pytest

import sojourn as sj
from sojourn.workers.located import located, put_before, where
from sojourn.workers.tasks import FIRST_PILOT, Task

FAILS = """
import sojourn as sj


class Own(sj.queue.Discipline):
    fails = sj.params.whole("0", "Whether it does.")

    def enqueue(self, now, size, flow, ecn):
        return 1 // (1 - self.fails) and sj.queue.ACCEPT
"""

TEXT = """
name = "fails"
duration = "0.2 s"
seed = 7
replicas = {replicas}

[dumbbell]
bottleneck = {{ rate = "1 Mbit/s", delay = "1 ms" }}

[[flow]]
name = "load"
transport = {{ protocol = "udp" }}
traffic = {{ source = "cbr", rate = "0.5 Mbit/s" }}

[vary]
"link.bottleneck.queue" = [{queues}]
"""


@pytest.fixture
def scenario(tmp_path):
    """Make one of some queues; those numbered 1 fail."""
    (tmp_path / "fails.py").write_text(FAILS)

    def make(*fails: int, replicas: int) -> sj.Scenario:
        queues = ", ".join(f'{{ discipline = "fails:Own", fails = {one} }}' for one in fails)
        (tmp_path / "file.toml").write_text(TEXT.format(replicas=replicas, queues=queues))
        return sj.Scenario.load(tmp_path / "file.toml")

    return make


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_run_of_several_is_named(scenario, jobs):
    told = (
        r"^point 1 \(bottleneck queue fails:Own, fails=1\), replica [01], seed 7: fails:Own on link"
    )
    with pytest.raises(sj.UserCodeError, match=told):
        sj.run(scenario(0, 1, replicas=2), jobs=jobs)


def test_where_there_is_one_point_its_replica_is_named(scenario):
    with pytest.raises(sj.UserCodeError, match=r"^replica 0, seed 7: fails:Own on link"):
        sj.run(scenario(1, replicas=2), jobs=1)


def test_the_only_run_needs_no_name(scenario):
    with pytest.raises(sj.UserCodeError, match=r"^fails:Own on link"):
        sj.run(scenario(1, replicas=1))


def test_pilot_runs_are_called_so(scenario):
    made = scenario(0, replicas=2)
    assert where(made, Task(0, FIRST_PILOT + 3)) == "pilot replica 3, seed 7"


def test_a_breach_of_the_books_remains_one(scenario):
    made = scenario(0, replicas=2)
    with (
        pytest.raises(sj.LedgerError, match=r"^replica 1, seed 7: books$"),
        located(made, Task(0, 1)),
    ):
        raise sj.LedgerError("books")


def test_an_error_of_the_system_keeps_its_number_and_others_their_text():
    full = OSError(errno.ENOSPC, "No space left on device", "trace.tr")
    put_before("replica 1", full)
    assert (full.errno, full.filename) == (errno.ENOSPC, "replica 1: trace.tr")
    other = KeyError("name", 1)
    put_before("replica 1", other)
    assert (str(other), other.__notes__) == ("('name', 1)", ["replica 1"])
