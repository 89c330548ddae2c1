"""`acknowledged_bps`: what senders know to have arrived, against what has."""

import pytest

import sojourn as sj

TEXT = """
name = "acknowledged"
duration = "10 s"

[dumbbell]
rtt = "100 ms"
bottleneck = {{ rate = "8 Mbit/s", queue = {{ discipline = "droptail", limit = "1000 packets" }} }}

[[flow]]
name = "tcp"
transport = {{ protocol = "tcp", segment = "1000 B", header = "0 B", window = "50 packets" }}
traffic = {{ {traffic} }}
"""


def flow(traffic: str, **settings) -> dict:
    scenario = sj.Scenario.from_toml(TEXT.format(traffic=traffic))
    return sj.run(scenario, **settings).flows.row(0, named=True)


def test_a_finished_transfer_is_known_in_full():
    found = flow('source = "bulk", bytes = "1 MB"')
    assert found["acknowledged_bps"] == found["goodput_bps"] == pytest.approx(8e6 / 10)


def test_of_an_endless_one_less_than_a_window_is_not_yet_known():
    found = flow('source = "bulk"')
    unknown = (found["goodput_bps"] - found["acknowledged_bps"]) * 10 / 8000
    assert 0 < unknown <= 50


def test_over_a_window_in_steady_state_both_are_the_same():
    found = flow('source = "bulk"', overrides={"warmup": "2 s"})
    assert found["acknowledged_bps"] == pytest.approx(found["goodput_bps"], rel=0.01)


def test_udp_has_none():
    text = TEXT.format(traffic='source = "cbr", rate = "1 Mbit/s"')
    start = text.index("transport =")
    text = text[:start] + 'transport = { protocol = "udp" }\n' + text[text.index("traffic =") :]
    assert "acknowledged_bps" not in sj.run(sj.Scenario.from_toml(text)).flows.columns
