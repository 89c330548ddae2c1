"""Verdicts of the study `large-network` on outcomes that are given, without a run."""

import polars as pl
import pytest

from sojourn.studies.claims import Outcome
from sojourn.studies.large_network import answer, evidence, measures
from sojourn.studies.large_network.disciplines import PUBLISHED
from sojourn.studies.large_network.study import LargeNetworkStudy
from sojourn.studies.large_network.verdicts import RULES
from sojourn.studies.observed import Observed

NOISE = (0.0, 0.4, -0.3, 0.1)


def before_full(longest, device_queue="1", replicas=4, red=200.0):
    """The verdict where RED's longest queue is so long, and its delay `red` ms against 2000."""
    rows = [
        {"case": case, "subject": subject, "replica": replica}
        | dict.fromkeys(measures.MEASURES, 1.0)
        | {"queue_most": longest, "delay": (red if subject == "red" else 2000.0) + NOISE[replica]}
        for case in (evidence.ONE, evidence.MANY)
        for subject in PUBLISHED
        for replica in range(replicas)
    ]
    seen = Observed(pl.DataFrame(rows), measures.MEASURES)
    settings = LargeNetworkStudy().settle({"device_queue": device_queue})
    return RULES["red-before-full"](evidence.Evidence(seen, seen, pl.DataFrame(), settings))


@pytest.mark.parametrize(
    ("longest", "outcome"), [(229.0, "agrees"), (999.0, "agrees"), (1001.0, "disagrees")]
)
def test_red_is_full_at_its_limit(longest, outcome):
    found = before_full(longest)
    assert found.outcome == outcome
    assert ("never was full" in found.reason) is (outcome == "agrees")


def test_the_packets_of_the_device_are_not_reds():
    """1232 packets, up to 1000 of them below: RED held 232."""
    found = before_full(1232.0, "1000")
    assert found.outcome is Outcome.AGREES
    assert "1000 may wait in the device and 232 of 1000 in RED: it never was full" in found.reason
    assert "1232 of 1000" not in found.reason
    assert before_full(2000.0, "1000").outcome is Outcome.DISAGREES


def test_two_replicas_do_not_tell_delays_apart():
    found = before_full(229.0, replicas=2)
    assert found.outcome is Outcome.NOT_MEASURED
    assert "Not measured" in found.reason


def test_what_is_full_is_so_with_two_replicas_too():
    assert before_full(1001.0, replicas=2).outcome is Outcome.DISAGREES


def of_active(delays, throughputs, replicas=4):
    """The sentence on RED and CoDel, where the four have these means."""
    rows = [
        {"case": evidence.ONE, "subject": subject, "replica": replica}
        | dict.fromkeys(measures.MEASURES, 1.0)
        | {
            "delay": delays.get(subject, 2000.0) + NOISE[replica] * (1 + len(subject) % 3),
            "throughput": throughputs.get(subject, 1400.0) + NOISE[replica] * (len(subject) % 3),
        }
        for subject in PUBLISHED
        for replica in range(replicas)
    ]
    seen = Observed(pl.DataFrame(rows), measures.MEASURES)
    settings = LargeNetworkStudy().settle({})
    return answer.of_active(evidence.Evidence(seen, seen, pl.DataFrame(), settings))


def test_the_answer_says_who_shortens_the_delay_and_what_it_costs():
    assert of_active({"red": 200.0, "codel": 100.0}, {"red": 1330.0, "codel": 1372.0}) == (
        "RED and CoDel shorten the delay, to 10.0 % and 5.0 % of drop-tail's; RED and CoDel with "
        "less throughput, 95.0 % and 98.0 % of drop-tail's."
    )
    assert of_active({"codel": 100.0}, {}) == (
        "CoDel shortens the delay, to 5.0 % of drop-tail's; no difference in throughput that the "
        "intervals carry."
    )
    assert of_active({"red": 1000.0}, {"red": 1470.0}) == (
        "RED shortens the delay, to 50.0 % of drop-tail's; RED with more throughput, 105.0 % of "
        "drop-tail's."
    )


def test_the_answer_takes_no_delay_away_that_stays():
    """As where 1000 packets wait in the device below the discipline."""
    assert of_active({}, {}) == "Neither RED nor CoDel shortens the delay beyond doubt."
    assert of_active({"red": 2100.0}, {}) == of_active({}, {})
    few = of_active({"red": 200.0}, {}, replicas=2)
    assert few == "Not measured: with fewer than 3 replicas nothing can be told apart."
