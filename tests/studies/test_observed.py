"""Observations and parts: names in place of values, in the order of the points."""

import polars as pl
import pytest

import sojourn
from sojourn.studies.observed import Measure, Observed, ratios, table_of
from sojourn.studies.parts import Axis, Part

MEASURES = table_of((Measure("x", "A quantity", "ms", "lower"),))


@pytest.fixture
def observed():
    rows = [
        {"case": case, "subject": subject, "replica": replica, "x": value + replica}
        for case, shift in (("low", 0), ("high", 10))
        for subject, value in (("red", 1.0 + shift), ("codel", 2.0 + shift))
        for replica in (1, 0)
    ]
    return Observed(pl.DataFrame(rows), MEASURES)


def test_values_come_in_the_order_of_replicas(observed):
    assert observed.values("x", "low", "red") == [1.0, 2.0]
    assert observed.cases == ("low", "high")
    assert observed.subjects("low") == ("red", "codel")
    assert observed.interval("x", "high", "codel").mean == 12.5
    assert observed.has("low", "red")
    assert not observed.has("low", "blue")
    with pytest.raises(KeyError):
        observed.values("x", "low", "blue")


def test_a_sample_carries_unit_and_case(observed):
    assert observed.sample("x", "low", ["red", "codel"]).text() == (
        "RED 1.50 ± 6.35, CoDel 2.50 ± 6.35 ms (low)"
    )


def test_ratios_leave_out_what_is_undefined():
    assert ratios([1.0, None, 3.0, 4.0], [2.0, 1.0, None, 0.0]) == [0.5, None, None, None]


DOCUMENT = {
    "title": "A part",
    "duration": "1 s",
    "link": [{"name": "l", "from": "a", "to": "b", "rate": "1 Mbit/s", "delay": "1 ms"}],
    "flow": [
        {
            "name": "f",
            "from": "a",
            "to": "b",
            "transport": {"protocol": "udp"},
            "traffic": {"source": "cbr", "rate": "1 kbit/s"},
        }
    ],
}


def test_points_of_a_part_are_those_of_its_file():
    part = Part(
        "a-part",
        DOCUMENT,
        (
            Axis("case", "flow.f.traffic.rate", {"one": "1 kbit/s", "two": "2 kbit/s"}),
            Axis(
                "subject",
                "link.l.queue",
                {"plain": {"discipline": "droptail"}, "red": {"discipline": "red"}},
            ),
        ),
    )
    scenario = sojourn.Scenario.from_toml(part.text())
    assert scenario.name == "a-part"
    found = part.points()
    assert found["point"].to_list() == list(range(len(scenario.vary)))
    for row, point in zip(found.iter_rows(named=True), scenario.vary, strict=True):
        assert point["flow.f.traffic.rate"] == {"one": "1 kbit/s", "two": "2 kbit/s"}[row["case"]]
        assert (
            point["link.l.queue"]["discipline"]
            == {"plain": "droptail", "red": "red"}[row["subject"]]
        )


def test_keys_that_change_together_are_no_grid():
    part = Part(
        "a-part",
        DOCUMENT,
        (
            Axis(
                "case",
                "flow.f.traffic.rate",
                {"one": "1 kbit/s", "two": "2 kbit/s"},
                {"link.l.queue.limit": ["1 packets", "2 packets"]},
            ),
            Axis("subject", "link.l.queue", {"plain": {}, "red": {"discipline": "red"}}),
        ),
    )
    scenario = sojourn.Scenario.from_toml(part.text())
    assert part.points()["case"].to_list() == ["one", "one", "two", "two"]
    assert part.points()["subject"].to_list() == ["plain", "red", "plain", "red"]
    keys = ("flow.f.traffic.rate", "link.l.queue.limit", "link.l.queue")
    assert [tuple(point[key] for key in keys) for point in scenario.vary] == [
        (f"{one} kbit/s", f"{one} packets", queue)
        for one in (1, 2)
        for queue in ({}, {"discipline": "red"})
    ]
