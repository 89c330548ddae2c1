"""What reports say of queues that are not the same throughout the window."""

from pathlib import Path

import pytest

import sojourn as sj
from sojourn.report.cautions import cautions
from sojourn.report.drift import drifts, is_checked

SCENARIO = (Path(__file__).parent / "experiment.toml").read_text(encoding="utf-8")

OVERLOAD = {"flow__call__traffic__rate": "0.9 Mbit/s"}


def alone(**changes):
    """The link and flows of the experiment with drop-tail alone, run with other values."""
    keys = {key.replace("__", "."): value for key, value in changes.items()}
    scenario = sj.Scenario.from_toml(SCENARIO.partition("[vary]")[0], overrides=keys)
    return sj.run(scenario, replicas=5)


def warnings(results):
    return [one.text for one in cautions(results, None) if one.kind == "warning"]


@pytest.mark.parametrize("warmup", ["0.5 s", "4 s"])
def test_a_queue_without_end_is_called_unstable(warmup):
    results = alone(link__uplink__queue={"limit": "none"}, warmup=warmup, **OVERLOAD)
    (text,) = warnings(results)
    assert text.startswith("Drop-tail is unstable: its queue grows as long as it runs")


def test_a_steady_queue_is_not():
    assert warnings(alone(flow__call__traffic__rate="0.3 Mbit/s", duration="20 s")) == []


def test_a_full_queue_does_not_drift():
    assert warnings(alone(link__uplink__queue={"limit": "60 packets"}, **OVERLOAD)) == []


def test_a_queue_that_fills_up_in_the_window_depends_on_the_warm_up():
    limit = {"limit": "300 packets"}
    results = alone(link__uplink__queue=limit, warmup="100 ms", duration="5 s", **OVERLOAD)
    (text,) = warnings(results)
    assert text.startswith("Drop-tail depends on the warm-up")


@pytest.mark.parametrize("series", ["50 ms", "250 ms", "1 s"])
def test_what_was_before_the_window_does_not_count(series):
    """The queue has filled when the window begins, in the first interval."""
    limit = {"limit": "80 packets"}
    results = alone(link__uplink__queue=limit, warmup="450 ms", series=series, **OVERLOAD)
    assert drifts(results, "uplink") == []


def test_what_cannot_be_checked_is_told():
    results = alone(series="2 s")
    assert not is_checked(results, "uplink")
    notes = [one.text for one in cautions(results, None) if one.kind == "note"]
    assert any(text.endswith("in each quarter of the window.") for text in notes)
