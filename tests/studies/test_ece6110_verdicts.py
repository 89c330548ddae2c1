"""Verdicts and answers of the study `ece6110` on outcomes that are given, without a run."""

import polars as pl
import pytest

from sojourn.studies.claims import Outcome, Verdict
from sojourn.studies.ece6110 import answer, evidence, published, scenario
from sojourn.studies.ece6110.measures import MEASURES
from sojourn.studies.ece6110.queues import RED, SIZES, all_queues, droptail_name
from sojourn.studies.ece6110.study import Ece6110Study
from sojourn.studies.ece6110.verdicts import RULES
from sojourn.studies.observed import Observed

SETTINGS = Ece6110Study().settle({})
QUIET = (0.0, 0.4, -0.3, 0.1, -0.2, 0.05)
LOUD = (60.0, -50.0, 40.0, -70.0, 30.0, -10.0)


def observed(cases, subjects, change):
    """Every measure is 100, but for what `change(case, subject, replica)` says."""
    rows = [
        {"case": case, "subject": subject, "replica": replica}
        | dict.fromkeys(MEASURES, 100.0)
        | change(case, subject, replica)
        for case in cases
        for subject in subjects
        for replica in range(len(QUIET))
    ]
    return Observed(pl.DataFrame(rows), MEASURES)


def nothing(*_):
    return {}


def made(main=nothing, first=nothing, duration=nothing):
    """Evidence of the report's own runs and of the two other parts that are asked here."""
    both = (evidence.BASE, RED.name)
    queues = [one.name for one in all_queues()]
    parts = {
        scenario.STUDY: observed(evidence.LOAD_NAMES, queues, main),
        "first-bottleneck": observed([f"90 %, {one}" for one in scenario.FIRST_RATES], both, first),
        "duration": observed([f"90 %, {one}" for one in scenario.DURATIONS], both, duration),
    }
    return evidence.Evidence(parts, SETTINGS)


def tcp(means, noise):
    """TCP's goodput by the size of the drop-tail queue; the noise is another at the last."""
    by_queue = {droptail_name(size): mean for size, mean in zip(SIZES, means, strict=True)}

    def change(_case, subject, replica):
        if subject not in by_queue:
            return {}
        place = replica if subject != droptail_name(SIZES[-1]) else -replica - 1
        return {"tcp": by_queue[subject] + noise[place]}

    return change


@pytest.mark.parametrize(
    ("means", "noise", "outcome"),
    [
        ((100, 110, 120, 130, 140, 150, 160), QUIET, "disagrees"),
        ((100, 110, 120, 130, 140, 150, 120), QUIET, "agrees"),
        ((150, 150, 150, 150, 150, 150, 150), QUIET, "agrees"),
        ((100, 110, 120, 130, 140, 150, 160), LOUD, "not measured"),
        ((150, 150, 150, 150, 150, 150, 150), LOUD, "not measured"),
    ],
)
def test_that_tcp_stops_growing_must_be_shown(means, noise, outcome):
    found = RULES["tcp-stops-growing"](made(main=tcp(means, noise)))
    assert found.outcome == outcome


def udp(high, noise):
    def change(_case, subject, replica):
        if subject == droptail_name(SIZES[0]):
            return {"udp": high + noise[-replica - 1]}
        return {"udp": 100 + noise[replica]}

    return change


@pytest.mark.parametrize(
    ("high", "noise", "outcome"),
    [
        (104, QUIET, "agrees"),
        (105.1, QUIET, "not measured"),
        (107, QUIET, "disagrees"),
        (100, LOUD, "not measured"),
        (107, LOUD, "not measured"),
    ],
)
def test_udp_is_constant_where_the_interval_says_so(high, noise, outcome):
    assert RULES["udp-constant"](made(main=udp(high, noise))).outcome == outcome


def scattered(by):
    """A standard deviation of about `by` per cent: six values, half up and half down."""

    def change(_case, _subject, replica):
        return {"tcp-1": 100 + by * (1 - 2 * (replica % 2)), "udp_sent": 100 + by * (replica % 2)}

    return change


@pytest.mark.parametrize(
    ("by", "outcome"), [(1.0, "agrees"), (4.5, "not measured"), (30.0, "disagrees")]
)
def test_one_run_is_representative_by_the_interval_of_its_scatter(by, outcome):
    found = RULES["ten-seconds"](made(duration=scattered(by)))
    assert found.outcome == outcome


def test_a_scatter_near_the_limit_has_more_digits():
    """Half of six 4.6 up, half down: 4.6 sqrt(6/5) = 5.04."""
    found = RULES["ten-seconds"](made(duration=scattered(4.6)))
    assert "10 s: 5.04 %" in found.ours


@pytest.mark.parametrize(("by", "outcome"), [(1, "agrees"), (9, "not measured"), (50, "disagrees")])
def test_the_load_is_constant_by_the_interval_of_its_scatter(by, outcome):
    assert RULES["load-constant"](made(main=scattered(by))).outcome == outcome


def test_the_interval_of_a_scatter_by_hand():
    """Squares of 16; chi-square with 5 degrees of freedom is 0.831 and 12.833 at the ends."""
    found = evidence.scatter_of([8.0, 12.0, 8.0, 12.0, 10.0, 10.0, None])
    deviation = (16 / 5) ** 0.5
    assert found.mean == pytest.approx(deviation / 10)
    assert found.low == pytest.approx((16 / 12.833) ** 0.5 / 10, rel=1e-3)
    assert found.high == pytest.approx((16 / 0.8312) ** 0.5 / 10, rel=1e-3)
    assert evidence.scatter_of([1.0]).mean is None


def said(found, enough):
    """The answer, with this outcome of the claim on ten seconds."""
    outcomes = {"tcp-tenth": Outcome.DISAGREES, "ten-seconds": enough}
    passed = [
        Verdict(published.load().claims[name], one, "", "", "") for name, one in outcomes.items()
    ]
    return " ".join(answer.answer(found, passed))


def at_slowest(case, _subject, _replica):
    """The link of 1 Mbit/s drops, wherever it stands; no other does."""
    slow = case == "90 %, 1 Mbit/s"
    return {"drops_1": 5.0 if slow else 0.0, "drops": 0.0 if slow else 5.0}


def test_the_answer_as_usual():
    def delays(_case, subject, replica):
        return {"udp_delay_ms": (50 if subject == RED.name else 200) + QUIET[replica]}

    found = made(main=delays, first=at_slowest, duration=scattered(30.0))
    text = said(found, Outcome.DISAGREES)
    assert "What RED changes is the delay: " in text
    assert "Only the link of 1 Mbit/s ever drops a packet: the two bottlenecks are one." in text
    assert "scatters by 33 %" in text
    assert "it cannot carry the claims" in text


def test_the_answer_says_nothing_that_the_numbers_do_not():
    def no_drops(*_):
        return {"drops_1": 0.0, "drops": 0.0}

    text = said(made(first=no_drops), Outcome.AGREES)
    assert "The delay is the same behind both: UDP's packets take 100 ± 0 ms with RED" in text
    assert "Neither of the links drops a packet." in text
    assert "scatters by 0 % in the goodput of one TCP connection: it can carry" in text
    undecided = said(made(first=no_drops), Outcome.NOT_MEASURED)
    assert "is not told" in undecided


def test_drops_of_a_faster_link_are_not_passed_over():
    def everywhere(*_):
        return {"drops_1": 5.0, "drops": 5.0}

    found = made(first=everywhere)
    assert "A link that is faster than 1 Mbit/s drops packets as well." in said(
        found, Outcome.AGREES
    )
    assert "drops nothing here" not in RULES["two-bottlenecks"](found).reason
