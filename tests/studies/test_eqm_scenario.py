"""The scenario of the study under its knobs."""

import tomllib
from fractions import Fraction

import pytest

import sojourn
from sojourn.studies.eqm import network, scenario
from sojourn.studies.eqm.calibration import GRID, calibration_scenario, grid_points
from sojourn.studies.eqm.study import EqmStudy
from sojourn.studies.knobs import StudyError

STUDY = EqmStudy()


def text(**given):
    return STUDY.scenarios(STUDY.settle({key.replace("_", "_"): v for key, v in given.items()}))[
        "eqm"
    ]


def test_default_is_the_file_as_it_stands():
    assert tomllib.loads(text()) == scenario.base()


def test_full_form():
    checked = sojourn.Scenario.from_toml(text())
    assert len(checked.vary) == 60 * 5
    assert checked.replicas == 10


def test_quick_form_has_loads_on_both_sides_of_the_capacity():
    settings = STUDY.settle({}, quick=True)
    net = network.of(scenario.document(settings), settings)
    assert any(load > 8 for load in net.loads)
    assert any(load < 8 for load in net.loads)
    assert sojourn.Scenario.from_toml(STUDY.scenarios(settings)["eqm"]).vary


@pytest.mark.parametrize(
    "given",
    [
        {"traffic": "cbr"},
        {"traffic": "pareto", "shape": "1.4"},
        {"rate_is": "mean", "on": "0.5 s", "off": "0.3 s"},
        {"queues": "reference"},
        {"sources": "0,1,3", "destination": "4"},
        {"off": "0 s"},
        {"start": "0 s"},
        {"loads": "7"},
        {"warmup": "10 s"},
        {"eqm.q_ref": "20 packets", "eqm.tau": "50 ms", "eqm.utilization": "0.95"},
    ],
)
def test_every_knob_gives_a_scenario_that_runs(given):
    settings = STUDY.settle(given | {"replicas": "1"})
    sojourn.Scenario.from_toml(STUDY.scenarios(settings)["eqm"])


def test_mean_rate_raises_the_peak():
    document = tomllib.loads(text(rate_is="mean"))
    rates = document["vary"][scenario.RATE_KEY]
    assert rates[0] == "0.075 Mbit/s"
    assert rates[-1] == "4.5 Mbit/s"


def test_loads_are_recovered_from_rates_that_do_not_divide():
    settings = STUDY.settle({"rate_is": "mean", "on": "0.7 s", "off": "0.6 s", "loads": "7"})
    document = tomllib.loads(STUDY.scenarios(settings)["eqm"])
    loads = [
        scenario.load_mbps(scenario.quantities.bits_per_second(rate), settings)
        for rate in document["vary"][scenario.RATE_KEY]
    ]
    assert loads == pytest.approx([9 * step / 7 for step in range(1, 8)])


def test_droptail_has_room_for_no_fewer_packets_than_any_other():
    for queues in ("ns2", "reference"):
        tables = scenario.queues(STUDY.settle({"queues": queues}))
        bound = next(one for one in tables if one["discipline"] == "droptail")
        assert bound.get("preset") is None
        assert {one["limit"] for one in tables} == {bound["limit"]}


def test_a_warm_up_must_leave_time():
    with pytest.raises(StudyError, match="leaves nothing"):
        text(warmup="100 s")


def test_senders_start_before_the_end():
    for start in ("100 s", "3 min"):
        with pytest.raises(
            StudyError, match=f'"start" of study "eqm": {start} is not before the end, 100 s'
        ):
            text(start=start)
    assert "uniform(0 s, 99 s)" in text(start="99 s")


def test_network_numbers():
    net = network.published()
    assert net.packets_per_second == 2000
    assert net.path_propagation == pytest.approx(0.030)
    # 500 bytes at 3, 8 and 9 Mbit/s
    assert net.path_serialisation == pytest.approx(4000 / 3e6 + 4000 / 8e6 + 4000 / 9e6)
    # 0.15 x (1 + ... + 53) + 7 x 8
    assert net.highest_sum_mbps == pytest.approx(0.15 * 53 * 54 / 2 + 56)


def test_calibration_tries_the_whole_grid():
    settings = STUDY.settle_calibration({"traffic": "exponential", "duration": "1000 s"})
    assert settings["duration"] == "30 s"
    grid = {"q_ref": ("5 packets", "15 packets"), "tau": ("50 ms",)}
    document = tomllib.loads(calibration_scenario(settings, grid))
    queues = document["vary"][scenario.QUEUE_KEY]
    assert [one["discipline"] for one in queues] == ["red", "rem", "sfq", "eqm", "eqm"]
    assert [one.get("q_ref") for one in queues[3:]] == ["5 packets", "15 packets"]
    assert len(grid_points(GRID)) == 3 * 3 * 5 * 3
    sojourn.Scenario.from_toml(calibration_scenario(settings))


def test_duty():
    assert scenario.duty(STUDY.settle({})) == Fraction(2, 3)
    assert scenario.duty(STUDY.settle({"traffic": "cbr"})) == 1
