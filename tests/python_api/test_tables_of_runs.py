"""The tables of runs as the core keeps them: read, packed, sent, stacked."""

import math
import pickle

import pytest

from sojourn import Scenario
from sojourn._core import Cancel, Tables
from sojourn._core import stacked as core_stacked
from sojourn.tables import stacked
from sojourn.workers.tasks import Outcome, Task

SCENARIO = """
name = "tables"
duration = "200 ms"
series = "50 ms"

[dumbbell]
rtt = "10 ms"
bottleneck = { rate = "2 Mbit/s", queue = { limit = "5 packets" } }

[[flow]]
name = "stream"
count = 2
transport = { protocol = "udp" }
traffic = { source = "poisson", rate = "2 Mbit/s" }
"""

TCP = """
[[flow]]
name = "bulk"
transport = { protocol = "tcp" }
traffic = { source = "bulk" }
"""


def run(scenario: str) -> Tables:
    """The tables of its first run."""
    return Scenario.from_toml(scenario).core.run(0, 0, Cancel())


@pytest.fixture(scope="module")
def tables() -> Tables:
    """Tables in which nothing is missing."""
    return run(SCENARIO)


def test_all_tables_are_there(tables):
    assert tables["flows"]["name"] == ["stream.0", "stream.1"]
    assert sum(packets for *_, packets in tables["drops"]) > 0
    assert len(tables["delays"]["delay_s"]) == 27 * len(tables["delays"]["name"])
    assert {len(each["time_s"]) for each in tables["series"]} == {4}
    assert tables.keys() == list(dict(tables))
    with pytest.raises(KeyError):
        tables["flow"]


@pytest.mark.parametrize(
    "again",
    [lambda it: Tables.unpacked(it.packed()), lambda it: pickle.loads(pickle.dumps(it))],
)
def test_packed_and_sent_they_are_the_same_to_the_bit(tables, again):
    # A repr tells every double from every other, and NaN is equal to itself there.
    assert repr(dict(again(tables))) == repr(dict(tables))


def test_other_bytes_are_refused(tables):
    for other in (b"", b"no tables", tables.packed()[:-9]):
        with pytest.raises(ValueError, match="not the tables of a run"):
            Tables.unpacked(other)


def test_stacked_they_come_run_by_run(tables):
    other = run(SCENARIO + TCP)
    flows = stacked([Outcome(Task(3, 0), tables), Outcome(Task(1, 7), other)])["flows"]
    assert list(flows["point"]) == [3, 3, 1, 1, 1]
    assert list(flows["replica"]) == [0, 0, 7, 7, 7]
    assert flows["flow"] == tables["flows"]["name"] + other["flows"]["name"]
    sent = [*tables["flows"]["sent_packets"], *other["flows"]["sent_packets"]]
    assert list(flows["sent_packets"]) == sent
    # Without TCP nobody measures what only TCP has.
    assert [math.isnan(value) for value in flows["retransmits"]] == [True] * 4 + [False]


def test_stacked_drops_know_their_run(tables):
    drops = stacked([Outcome(Task(3, 2), tables)])["drops"]
    rows = zip(drops["link"], drops["kind"], drops["reason"], drops["packets"], strict=True)
    assert list(rows) == tables["drops"]
    assert set(drops["point"]) == {3}
    assert set(drops["replica"]) == {2}


def test_of_no_run_there_are_no_rows():
    empty = stacked([])
    assert {name: list(columns["point"]) for name, columns in empty.items()} == {
        name: [] for name in ("links", "flows", "groups", "total", "drops")
    }


def test_only_tables_of_entities_are_stacked_by_name(tables):
    with pytest.raises(KeyError, match="delays"):
        core_stacked([(0, 0, tables)], [("delays", "entity")])
