"""The study `large-network` on its own runs: laws, proofs, verdicts, knobs, page."""

import pytest

import sojourn
from sojourn.studies.base import RunOptions
from sojourn.studies.claims import Outcome
from sojourn.studies.execution import run_scenario
from sojourn.studies.knobs import StudyError
from sojourn.studies.large_network import bounds, checks, evidence, network
from sojourn.studies.large_network.study import LargeNetworkStudy

STUDY = LargeNetworkStudy()
SETTINGS = STUDY.settle({"replicas": "3"})

IMPOSSIBLE = {
    "one-loss-droptail",
    "one-delay-cells",
    "many-throughput-cells",
    "many-delay-cells",
    "limits-delay-cells",
}
TWO_THINGS = {
    "one-senders",
    "one-droptail-better",
    "many-nodes",
    "limits-delay-contradiction",
    "better-and-fewer",
    "red-best",
}


@pytest.fixture(scope="module")
def results(run_all):
    return run_all(STUDY, SETTINGS)


@pytest.fixture(scope="module")
def report(results):
    return STUDY.evaluate(results, SETTINGS)


def test_the_bounds_by_hand():
    assert bounds.packet_bytes() == 566
    assert bounds.path_ms() == pytest.approx(3 * (20 + 566 * 8 / 1500))
    assert bounds.clients_kbps() == 4500
    assert bounds.servers_kbps() == 6000
    assert [bounds.under_way(n) for n in (2, 3, 8)] == [512, 768, 2048]


def test_what_no_chance_can_change(report, outcomes_of):
    outcome = outcomes_of(report)
    assert {one for one in outcome if outcome[one] is Outcome.IMPOSSIBLE} == IMPOSSIBLE
    assert {one for one in outcome if outcome[one] is Outcome.CONTRADICTS_ITSELF} == TWO_THINGS
    assert outcome["pfifo-priorities"] is Outcome.DISAGREES
    assert outcome["one-delay-order"] is Outcome.AGREES
    assert outcome["many-throughput-same"] is Outcome.AGREES


def test_laws_are_kept_and_can_break(results):
    found = evidence.gather(results, SETTINGS)
    assert [one.kept for one in checks.all_checks(found)] == [True] * 4
    seen = found.seen
    halved = type(seen)(seen.frame.with_columns(delay=seen.frame["delay"] / 100), seen.measures)
    spoiled = evidence.Evidence(halved, found.varying, found.timed, SETTINGS)
    assert checks.delay_floor(spoiled).kept is False


def test_clients_stand_at_their_routers():
    pairs = [pair for case in network.CASES.values() for pair in case]
    links = {
        one["name"]: (one["from"], one["to"]) for one in network.many_to_many(pairs, "1 packets")
    }
    assert links["access-n0"] == ("n0", "r0")
    assert links["access-n13"] == ("n13", "r3")
    assert links["core-n9-back"] == ("n9", "switch")
    assert len(links) == 2 * (3 + 3 + 4)


def test_the_discipline_stands_where_it_is_said(results):
    """On all links it drops at the clients' own; with where = core it cannot."""
    core = STUDY.settle({"replicas": "2", "where": "core"})
    frames = run_scenario(STUDY.scenarios(core)["case-1"], RunOptions())
    for found, dropping in ((results["case-1"], True), (frames, False)):
        access = found.links.filter(link="access-n0", point=2)
        assert (access["drops_packets"].sum() > 0) is dropping


def test_all_figures_and_tables_are_written(report, whole):
    numbers = [one.id.partition("-")[0] for one in whole(report).figures]
    assert numbers == [f"fig{number}" for number in range(6, 16)]


@pytest.mark.parametrize(
    "knobs",
    [
        {"tcp": "cubic", "rate": "500 kbit/s"},
        {"off": "0 s", "start": "0 s"},
        {"where": "core", "device_queue": "100", "ared": "thresholds"},
    ],
)
def test_every_knob_gives_valid_scenarios(knobs):
    for text in STUDY.scenarios(STUDY.settle(knobs)).values():
        assert sojourn.Scenario.from_toml(text).vary


def test_a_start_after_the_end_is_refused():
    with pytest.raises(StudyError, match='knob "start" of study "large-network"'):
        STUDY.scenarios(STUDY.settle({"start": "30 s"}))
