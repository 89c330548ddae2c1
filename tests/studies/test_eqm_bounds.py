"""The proofs, with the printed numbers and with numbers that would be possible."""

import pytest

from sojourn.studies.eqm import bounds, network, published

NET = network.published()
TABLE = {key: row.values for key, row in published.load().table_three.items()}


def test_delays_below_propagation():
    broken = bounds.delay_below_propagation(NET, TABLE["delay"])
    assert set(broken.printed) == {"eqm", "red", "rem", "sfq"}
    assert not bounds.delay_below_propagation(NET, {"red": 33.0}).printed


def test_throughput_above_the_sum_over_all_loads():
    broken = bounds.throughput_above_capacity(NET, TABLE["throughput"])
    assert len(broken.printed) == 4
    assert broken.bound["eqm"] == pytest.approx(270.65)
    assert not bounds.throughput_above_capacity(NET, {"eqm": 270.0}).printed


def test_little():
    broken = bounds.little(NET, TABLE["queue"], TABLE["delay"])
    assert broken.bound["eqm"] == pytest.approx(9.0)
    assert set(broken.printed) == {"eqm", "red", "rem", "sfq"}
    assert not bounds.little(NET, {"eqm": 18.0}, {"eqm": 9.1}).printed


def test_more_lost_and_more_delivered():
    assert bounds.share_more_sent(343.58, 324.67) == pytest.approx(0.058, abs=0.0005)


def test_ratio_that_should_be_constant():
    ratios, spread = bounds.ratio_spread(TABLE["throughput"], TABLE["utilisation"])
    assert {name: round(value, 2) for name, value in ratios.items()} == {
        "eqm": 7.98,
        "red": 7.64,
        "rem": 7.48,
        "sfq": 8.38,
    }
    assert spread == pytest.approx(8.379 / 7.476, rel=1e-3)
