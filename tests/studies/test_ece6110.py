"""The study `ece6110` on its own runs: laws, verdicts, knobs, page."""

import pytest

import sojourn
from sojourn.studies.claims import Outcome
from sojourn.studies.ece6110 import checks, evidence, queues, scenario
from sojourn.studies.ece6110.study import Ece6110Study

STUDY = Ece6110Study()
SETTINGS = STUDY.settle({"replicas": "3"})


@pytest.fixture(scope="module")
def results(run_all):
    return run_all(STUDY, SETTINGS)


@pytest.fixture(scope="module")
def report(results):
    return STUDY.evaluate(results, SETTINGS)


def test_what_no_chance_can_change(report, outcomes_of):
    """Verdicts that rest on laws or on the report's own words, whatever the replicas."""
    outcome = outcomes_of(report)
    assert outcome["two-bottlenecks"] is Outcome.DISAGREES
    assert outcome["udp-does-not-react"] is Outcome.AGREES
    assert outcome["red-udp-bug"] is Outcome.DISAGREES
    assert outcome["window-large-enough"] is Outcome.CONTRADICTS_ITSELF
    assert outcome["tcp-tenth"] is Outcome.DISAGREES
    assert outcome["red-udp-over-tcp"] is Outcome.DISAGREES
    assert outcome["never-this-large"] is Outcome.AGREES


def test_lengths_in_bytes_stop_everything(results):
    found = evidence.gather(results, SETTINGS)
    for load in evidence.LOAD_NAMES:
        assert set(found.values("total", load, "RED (all lengths in bytes)")) == {0.0}


def test_the_load_is_what_the_report_means(results):
    """Each source writes a third of the load, on average over many on and off periods."""
    long = evidence.gather(results, SETTINGS).parts["duration"]
    sent = long.interval("udp_sent", "90 %, 160 s", evidence.BASE).mean
    assert sent * 512 * 8 / 160 / 1e3 == pytest.approx(scenario.offered_kbps(90), rel=0.12)


def test_laws_are_kept_and_can_break(results):
    found = evidence.gather(results, SETTINGS)
    assert [one.kept for one in checks.all_checks(found)] == [True] * 3
    assert checks.floor_ms(SETTINGS) == pytest.approx(
        21 + 8 * 542 * (1 / 15 + 1 / 10 + 1 + 1 / 10) / 1e3
    )
    main = found.main
    broken = main.frame.with_columns(udp_sent=main.frame["udp_sent"] + main.frame["total"])
    spoiled = evidence.Evidence(
        found.parts | {scenario.STUDY: type(main)(broken, main.measures)}, SETTINGS
    )
    assert checks.common_arrivals(spoiled).kept is False


def test_queues_are_named_once():
    listed = queues.all_queues()
    names = [one.name for one in listed]
    assert len(names) == len(set(names))
    assert [one for one in listed if one.name == "RED"] == [queues.RED]
    assert queues.RED.table["max_p"] == 0.05
    assert queues.RED.table["limit"] == "480 packets"


def test_all_figures_and_tables_are_written(report, whole):
    ids = [one.id for one in whole(report).figures]
    assert ids[0] == "fig2-droptail"
    assert {
        "fig3-w-q",
        "fig3-min-th",
        "fig3-max-th",
        "fig3-max-p",
        "fig3-limit",
        "fig4-loads",
    } < set(ids)
    assert len(report.sections[-2].tables[0].rows) == 108


@pytest.mark.parametrize(
    "knobs",
    [
        {"tcp": "newreno"},
        {"periods": "constant", "period": "1 s"},
        {"first_rate": "1 Mbit/s", "duration": "5 s"},
    ],
)
def test_every_knob_gives_valid_scenarios(knobs):
    for text in STUDY.scenarios(STUDY.settle(knobs)).values():
        assert sojourn.Scenario.from_toml(text).vary
