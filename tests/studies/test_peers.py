"""Differences to a peer, against what is allowed and what chance gives."""

import math

import pytest
from scipy import stats

from sojourn.studies import peers
from sojourn.studies.peers import Measured, Quantity

GOODPUT = Quantity("goodput_mbps", "goodput", "Goodput (Mbit/s)", 0.02)
LOSS = Quantity("loss_percent", "loss_ratio", "Loss ratio (%)", 0.15, 0.1, scale=100.0)


@pytest.mark.parametrize(
    ("theirs", "ours", "within"), [(10.0, 10.1, True), (10.0, 10.3, False), (10.0, 9.81, True)]
)
def test_without_chance_the_share_decides(theirs, ours, within):
    one = peers.line("x", GOODPUT, Measured(theirs, 0.0, 3), [ours] * 4)
    assert one.expected == 0
    assert one.within is within


def test_the_least_counts_where_the_share_is_small():
    assert peers.line("x", LOSS, Measured(0.2, 0.0, 3), [0.29] * 3).within
    assert not peers.line("x", LOSS, Measured(0.2, 0.0, 3), [0.31] * 3).within


def test_chance_is_a_prediction_interval():
    ours = [9.0, 10.0, 11.0, 10.0]
    found = peers.by_chance(Measured(10.0, 1.0, 3), ours)
    pooled = math.sqrt((3 * (2 / 3) + 2 * 1.0) / 5)
    expected = stats.t.ppf(0.995, 5) * pooled * math.sqrt(1 / 4 + 1 / 3)
    assert found == pytest.approx(expected)


def test_one_value_knows_no_chance():
    assert peers.by_chance(Measured(1.0, 0.1, 5), [1.0]) is None


def test_the_unit_is_ours():
    row = {"loss_ratio_mean": "0.05", "loss_ratio_sd": "0.01", "n": "5"}
    assert peers.measured(row, LOSS) == Measured(5.0, 1.0, 5)


@pytest.mark.parametrize("study", ["four_aqms", "red_fairness"])
def test_the_tables_can_be_read(study):
    package = f"sojourn.studies.{study}"
    rows = peers.read(package)
    assert len(rows) > 20
    module = __import__(f"{package}.against_ns2", fromlist=["QUANTITIES"])
    for row in rows:
        for quantity in module.QUANTITIES:
            assert peers.measured(row, quantity).n >= 1


def test_the_section_counts():
    lines = [
        peers.line("a", GOODPUT, Measured(10.0, 0.0, 3), [10.0, 10.0]),
        peers.line("b", GOODPUT, Measured(10.0, 0.0, 3), [12.0, 12.0]),
    ]
    section = peers.section(lines, "So it was run.")
    assert section.paragraphs[0].endswith("1 of 2 numbers are within what is allowed.")
    assert [row[-1] for row in section.tables[0].rows] == ["within", "outside"]
    assert section.tables[0].rows[1][4] == "20.0 %"
