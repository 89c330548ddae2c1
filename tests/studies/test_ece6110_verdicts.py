"""Verdicts and answers of the study `ece6110` on outcomes that are given, without a run."""

import polars as pl
import pytest

from sojourn.studies.claims import Outcome, Verdict
from sojourn.studies.ece6110 import answer, evidence, scenario
from sojourn.studies.ece6110.measures import MEASURES
from sojourn.studies.ece6110.queues import RED, SIZES, all_queues, droptail_name
from sojourn.studies.ece6110.study import Ece6110Study
from sojourn.studies.ece6110.verdicts import RULES
from sojourn.studies.observed import Observed
from sojourn.studies.publication import read

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


def made(main=nothing, first=nothing, duration=nothing, window=nothing):
    """Evidence of the report's own runs and of the three other parts that are asked here."""
    windows = [f"{load}, {one}" for load in evidence.LOAD_NAMES for one in ("64000 B", "none")]
    both = (evidence.BASE, RED.name)
    queues = [one.name for one in all_queues()]
    parts = {
        scenario.STUDY: observed(evidence.LOAD_NAMES, queues, main),
        "first-bottleneck": observed([f"90 %, {one}" for one in scenario.FIRST_RATES], both, first),
        "receiver-window": observed(windows, both, window),
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


@pytest.mark.parametrize(
    ("behind_red", "noise", "outcome"),
    [
        (60, 0.3, "agrees"),
        (35, 30.0, "not measured"),  # 2.9 times, 100 less 111
        (29, 30.0, "not measured"),  # 3.4 times, 100 less 92
        (20, 0.3, "disagrees"),
    ],
)
def test_no_tenfold_difference_beyond_doubt(behind_red, noise, outcome):
    """TCP has 100 behind every drop-tail queue; an order of magnitude begins at 3.16 times."""

    def change(_case, subject, replica):
        if subject != "RED (max_th 30)":
            return {}
        return {"tcp": behind_red + noise * (1 - 2 * (replica % 2))}

    found = RULES["never-this-large"](made(main=change))
    assert found.outcome == outcome
    assert "RED (max_th 30)" in found.reason


def test_nothing_delivered_at_all_has_no_ratio():
    found = RULES["never-this-large"](made(main=lambda *_: {"tcp": 0.0}))
    assert found.ours == "at most - times"
    assert "is -; an order of magnitude" in found.reason


@pytest.mark.parametrize(
    ("ahead", "outcome"),
    [
        ({"50 %": 6, "70 %": 5, "90 %": 6, "100 %": 5}, "agrees"),
        ({"50 %": 1}, "not measured"),
        ({}, "not measured"),
    ],
)
def test_at_times_is_one_run_of_twenty_beyond_doubt(ahead, outcome):
    """UDP is ahead of both TCP connections in so many of the six replicas."""

    def change(case, _subject, replica):
        return {"udp": 101.0 if replica < ahead.get(case, 0) else 99.0}

    found = RULES["udp-at-times"](made(main=change))
    assert found.outcome == outcome
    assert f"in {100 * sum(ahead.values()) / 24:.0f} % of the single runs" in found.ours


def test_what_happens_in_none_of_many_runs_does_not_happen_at_times():
    """20 replicas, in steps of a quarter: at most 2.093 * 0.25 / sqrt(12 * 20), 3.4 %."""
    found = made(main=lambda *_: {"udp": 99.0})
    frame = found.main.frame.filter(pl.col("replica") == 0).drop("replica")
    many = frame.join(pl.DataFrame({"replica": range(20)}), how="cross")
    parts = found.parts | {scenario.STUDY: Observed(many, MEASURES)}
    assert RULES["udp-at-times"](evidence.Evidence(parts, SETTINGS)).outcome is Outcome.DISAGREES


@pytest.mark.parametrize(
    ("kilobytes", "noise", "more", "outcome"),
    [
        (40, 1.0, 50, "agrees"),
        (33, 5.0, 50, "not measured"),
        (31, 5.0, 50, "not measured"),
        (31, 5.0, 0, "disagrees"),  # without a limit TCP has no more
        (20, 5.0, 50, "disagrees"),
    ],
)
def test_a_window_is_filled_beyond_doubt(kilobytes, noise, more, outcome):
    """Filled most of the time is more than half of 64 kB on average."""

    def change(case, _subject, replica):
        free = more if case.endswith("none") else 0
        return {
            "in_flight_kb": kilobytes + noise * (1 - 2 * (replica % 2)),
            "tcp": 100 + free + QUIET[replica],
        }

    assert RULES["window-filled"](made(window=change)).outcome == outcome


def said(found, enough):
    """The answer, with this outcome of the claim on ten seconds."""
    outcomes = {"tcp-tenth": Outcome.DISAGREES, "ten-seconds": enough}
    claims = read(scenario.PACKAGE).claims
    passed = [Verdict(claims[name], one, "", "", "") for name, one in outcomes.items()]
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
