"""The study `four-aqms`: its scenarios, its claims, and verdicts on outcomes that are given."""

import tomllib

import polars as pl
import pytest

import sojourn
from sojourn.studies.claims import Outcome
from sojourn.studies.four_aqms import (
    against_ns2,
    checks,
    figures,
    measures,
    scenario,
)
from sojourn.studies.four_aqms.evidence import Evidence, Reading
from sojourn.studies.four_aqms.measures import DISCIPLINES, MEASURES
from sojourn.studies.four_aqms.study import FourAqmsStudy
from sojourn.studies.four_aqms.verdicts import verdicts
from sojourn.studies.knobs import StudyError

STUDY = FourAqmsStudy()
REPLICAS = 6

AS_PUBLISHED = {
    "goodput_mbps": {"red": 1.30, "blue": 1.31, "rem": 1.32, "sfq": 1.45, "droptail": 1.3},
    "tcp_mbps": {"red": 1.0, "blue": 1.0, "rem": 1.0, "sfq": 1.2, "droptail": 1.0},
    "cbr_mbps": {"red": 0.3, "blue": 0.31, "rem": 0.32, "sfq": 0.4, "droptail": 0.3},
    "delay_ms": {"red": 100, "blue": 300, "rem": 200, "sfq": 110, "droptail": 250},
    "tcp_delay_ms": {"red": 100, "blue": 300, "rem": 200, "sfq": 110, "droptail": 250},
    "cbr_delay_ms": {"red": 100, "blue": 300, "rem": 200, "sfq": 110, "droptail": 250},
    "loss_percent": {"red": 5, "blue": 2, "rem": 4, "sfq": 19, "droptail": 9},
    "tcp_loss_percent": {"red": 5, "blue": 2, "rem": 4, "sfq": 3, "droptail": 9},
    "cbr_loss_percent": {"red": 5, "blue": 2, "rem": 4, "sfq": 42, "droptail": 9},
    "jain": {"red": 0.8, "blue": 0.8, "rem": 0.8, "sfq": 0.99, "droptail": 0.7},
    "cwnd": {"red": 3, "blue": 9, "rem": 4, "sfq": 5, "droptail": 4},
    "cwnd_sd": {"red": 0.5, "blue": 2, "rem": 0.6, "sfq": 4, "droptail": 3},
    "loss_trend": {"red": 5, "blue": -5, "rem": 5, "sfq": 5, "droptail": 5},
}
"""Means as the publication would have them; what is missing is 50 for all."""


def reading(means=None, **changed):
    """Observations with these means and a little noise that all disciplines share in part."""
    means = (means or AS_PUBLISHED) | changed
    rows = []
    for place, name in enumerate(DISCIPLINES):
        for replica in range(REPLICAS):
            row = {"point": place, "discipline": name, "replica": replica}
            for column in MEASURES:
                noise = 1 + 1e-3 * ((replica * 7 + place * 3) % 5 - 2)
                mean = means.get(column, {}).get(name, 50.0)
                row[column] = None if mean is None else float(mean) * noise
            rows.append(row)
    return Reading(pl.DataFrame(rows))


def evidence(chosen, high=None, low=None, **knobs):
    settings = STUDY.settle(knobs)
    loads = {"0.1 Mbit/s": low or chosen, "0.25 Mbit/s": chosen, "1 Mbit/s": high or chosen}
    return Evidence(settings, chosen, loads, {}, run=None)


def outcomes(*args, **options):
    return {one.claim.id: one.outcome for one in verdicts(evidence(*args, **options))}


@pytest.mark.parametrize(
    "knobs",
    [
        {},
        {"tcp": "sack", "cbr_rate": "0.4 Mbit/s"},
        {"queues": "reference"},
        {"red.min_th": "25", "red.counts": "bytes"},
        {"blue.increment": "0.1", "blue.freeze_time": "10 ms", "start": "0 s"},
    ],
)
def test_every_part_is_a_valid_scenario_without_warnings(knobs):
    for text in STUDY.scenarios(STUDY.settle(knobs)).values():
        assert sojourn.Scenario.from_toml(text).warnings == []


def test_the_published_numbers_are_in_the_scenario():
    document = tomllib.loads(STUDY.scenarios(STUDY.settle({}))["four-aqms"])
    bottleneck = document["dumbbell"]["bottleneck"]
    assert (bottleneck["rate"], bottleneck["delay"]) == ("1.5 Mbit/s", "20 ms")
    tcp, cbr = document["flow"]
    assert (tcp["count"], cbr["count"]) == (6, 2)
    assert tcp["transport"]["window"] == "25 packets"
    red = document["vary"][scenario.QUEUE_KEY][0]
    assert (red["max_th"], red["max_p"], red["w_q"]) == ("50 packets", 1.0, 0.002)


def test_under_the_reference_no_preset_is_left():
    for text in STUDY.scenarios(STUDY.settle({"queues": "reference"})).values():
        queues = tomllib.loads(text)["vary"][scenario.QUEUE_KEY]
        assert all("preset" not in queue for queue in queues)
        assert all(queue["limit"] == "50 packets" for queue in queues)


def test_the_chosen_load_is_not_run_twice():
    text = STUDY.scenarios(STUDY.settle({"cbr_rate": "500 kbit/s"}))["load"]
    assert "0.5 Mbit/s" not in tomllib.loads(text)["vary"][scenario.RATE_KEY]


def test_a_warmup_must_leave_time():
    with pytest.raises(StudyError, match="leaves nothing"):
        STUDY.scenarios(STUDY.settle({"warmup": "100 s"}))


def test_senders_start_before_the_end():
    with pytest.raises(StudyError, match='"start" of study "four-aqms": 120 s is not before the'):
        STUDY.scenarios(STUDY.settle({"start": "120 s"}))


def test_were_it_as_published_the_orders_would_agree():
    high = reading(
        tcp_mbps=AS_PUBLISHED["tcp_mbps"] | {"droptail": 0.01},
        loss_percent=dict.fromkeys(DISCIPLINES, 20.0) | {"sfq": 60.0},
    )
    low = reading(cbr_loss_percent=dict.fromkeys(DISCIPLINES, 0.0))
    found = outcomes(reading(), high, low)
    disagreeing = {name for name, one in found.items() if one is Outcome.DISAGREES}
    # Not an order, or at odds with another claim of the publication.
    assert disagreeing == {
        "blue-overflow",
        "loss-grows",
        "loss-sfq-why",
        "red-not-full",
        "rem-motive",
    }
    assert found["window-constant"] is Outcome.IMPOSSIBLE


def test_no_order_without_a_difference():
    flat = reading({column: dict.fromkeys(DISCIPLINES, 50.0) for column in MEASURES})
    found = outcomes(flat)
    for claim in ("throughput-sfq", "delay-blue", "loss-blue", "window-blue-largest"):
        assert found[claim] is Outcome.DISAGREES


def test_what_the_publication_says_against_itself_does_not_depend_on_us():
    def contradictions(chosen):
        return {name for name, one in outcomes(chosen).items() if one is Outcome.CONTRADICTS_ITSELF}

    flat = reading({column: dict.fromkeys(DISCIPLINES, 50.0) for column in MEASURES})
    assert (
        contradictions(reading())
        == contradictions(flat)
        == {
            "red-table",
            "blue-tainted",
            "passive-unfair",
            "throughput-definition",
            "window-sfq-no-drops",
            "delay-red-rem",
        }
    )


def test_an_acknowledgement_lost_is_found():
    lost = reading(ack_drops=dict.fromkeys(DISCIPLINES, 3.0))
    none = reading(ack_drops=dict.fromkeys(DISCIPLINES, 0.0))
    assert outcomes(lost)["ack-drops"] is Outcome.AGREES
    assert outcomes(none)["ack-drops"] is Outcome.DISAGREES


def spread(found, column, by, name="droptail"):
    """Half of the replicas `by` up, half down: the interval is 1.15 `by` up and down."""
    here = pl.col("discipline") == name
    change = by * (1 - 2 * (pl.col("replica") % 2))
    value = pl.when(here).then(pl.col(column) + change).otherwise(pl.col(column))
    return Reading(found.frame.with_columns(value.alias(column)))


@pytest.mark.parametrize("replicas", [1, 2])
def test_a_few_acknowledgements_lost_by_chance_are_not_told(replicas):
    """One in one of six runs, or in all of one or two."""
    none = reading(ack_drops=dict.fromkeys(DISCIPLINES, 0.0)).frame
    first = (pl.col("replica") == 0) & (pl.col("discipline") == "red")
    once = none.with_columns(ack_drops=pl.when(first).then(1.0).otherwise(0.0))
    assert outcomes(Reading(once))["ack-drops"] is Outcome.NOT_MEASURED
    few = Reading(once.filter(pl.col("replica") < replicas))
    assert outcomes(few)["ack-drops"] is Outcome.NOT_MEASURED


@pytest.mark.parametrize(
    ("part", "by", "outcome"),
    [
        (0.15, 0.005, "agrees"),
        (0.18, 0.02, "not measured"),
        (0.20, 0.02, "not measured"),
        (0.30, 0.02, "disagrees"),
    ],
)
def test_tcp_is_starved_below_a_quarter_of_its_part_beyond_doubt(part, by, outcome):
    """Three quarters are fair, 18.75 % are a quarter of that."""
    high = reading(
        tcp_mbps=dict.fromkeys(DISCIPLINES, part), goodput_mbps=dict.fromkeys(DISCIPLINES, 1.0)
    )
    found = outcomes(reading(), spread(high, "tcp_mbps", by))
    assert found["droptail-burst"] == outcome


@pytest.mark.parametrize(
    ("delay", "by", "outcome"),
    [
        (390.0, 1.0, "agrees"),
        (399.0, 20.0, "not measured"),
        (401.0, 20.0, "not measured"),
        (450.0, 20.0, "disagrees"),
    ],
)
def test_fifty_packets_drain_in_400_ms_beyond_doubt(delay, by, outcome):
    found = reading(queueing_p99_ms=dict.fromkeys(DISCIPLINES, delay))
    assert outcomes(spread(found, "queueing_p99_ms", by))["droptail-delay"] == outcome


@pytest.mark.parametrize(
    ("goodput", "by", "outcome"),
    [
        (1.2, 0.01, "agrees"),
        (1.12, 0.05, "not measured"),
        (1.08, 0.05, "not measured"),
        (1.05, 0.01, "disagrees"),
    ],
)
def test_a_gain_is_much_beyond_doubt(goodput, by, outcome):
    """The others have 1 Mbit/s; a tenth more would be much."""
    found = reading(goodput_mbps=dict.fromkeys(DISCIPLINES, 1.0) | {"sfq": goodput})
    judged = verdicts(evidence(spread(found, "goodput_mbps", by, "sfq")))
    much = next(one for one in judged if one.claim.id == "throughput-sfq-much")
    assert much.outcome == outcome
    assert much.reason.startswith("Undecided") is (outcome == "not measured")


@pytest.mark.parametrize(
    ("slope", "by", "outcome"),
    [
        (-0.5, 0.1, "agrees"),
        (-0.5, 0.9, "not measured"),  # from -1.5 to 0.5
        (-0.1, 0.2, "disagrees"),  # -0.33 at the steepest: level
        (0.5, 0.1, "disagrees"),
    ],
)
def test_a_loss_rate_falls_rises_or_neither_is_told(slope, by, outcome):
    """20 packets a second are lost: up to one in 100 s is level."""
    flat = reading(
        loss_rate=dict.fromkeys(DISCIPLINES, 20.0), loss_trend=dict.fromkeys(DISCIPLINES, slope)
    )
    found = spread(flat, "loss_trend", by, "blue")
    assert outcomes(found)["loss-blue-falls"] == outcome
    other = reading(
        loss_rate=dict.fromkeys(DISCIPLINES, 20.0), loss_trend=dict.fromkeys(DISCIPLINES, -slope)
    )
    assert outcomes(spread(other, "loss_trend", by, "blue"))["loss-grows"] == (
        "disagrees" if outcome == "disagrees" else outcome
    )


def gap(mean, spread, replicas=6):
    """Drop-tail loses 10 % of all packets, and of TCP's `mean` points more than of CBR's.

    The difference deviates by `spread`, up and down in turn.
    """
    frame = reading(
        loss_percent=dict.fromkeys(DISCIPLINES, 10.0),
        cbr_loss_percent=dict.fromkeys(DISCIPLINES, 10.0),
    ).frame.filter(pl.col("replica") < replicas)
    more = mean + spread * (1 - 2 * (pl.col("replica") % 2))
    tcp = pl.col("cbr_loss_percent") + more
    return Reading(frame.with_columns(tcp_loss_percent=tcp))


@pytest.mark.parametrize(
    ("mean", "spread", "outcome"),
    [
        (0.3, 0.2, "agrees"),  # inside a tenth of 10 %, though not zero
        (0.3, 3.0, "not measured"),  # zero is inside, and so is three points
        (1.0, 0.2, "not measured"),
        (3.0, 0.2, "disagrees"),
    ],
)
def test_losses_are_equal_where_their_difference_is_known_to_be_small(mean, spread, outcome):
    chosen = gap(mean, spread)
    assert outcomes(chosen)["droptail-equal"] == outcome


def test_equal_losses_at_one_load_are_not_equal_losses():
    found = outcomes(gap(0.0, 0.2), gap(20.0, 0.2))
    assert found["droptail-equal"] is Outcome.DISAGREES
    assert outcomes(gap(0.0, 5.0), gap(20.0, 0.2))["droptail-equal"] is Outcome.DISAGREES
    assert outcomes(gap(0.0, 0.2), gap(0.0, 5.0))["droptail-equal"] is Outcome.NOT_MEASURED


def test_bursts_of_tcp_are_named_only_where_tcp_loses_more():
    assert "TCP comes in bursts" in reasons(gap(3.0, 0.2), gap(20.0, 0.2))["droptail-equal"]
    assert "TCP comes in bursts" not in reasons(gap(-3.0, 0.2), gap(20.0, 0.2))["droptail-equal"]


def test_without_a_loss_nobody_loses_alike():
    none = dict.fromkeys(DISCIPLINES, 0.0)
    found = outcomes(reading(loss_percent=none, tcp_loss_percent=none, cbr_loss_percent=none))
    assert found["droptail-equal"] is Outcome.NOT_MEASURED


def reasons(*args, **options):
    return {one.claim.id: one.reason for one in verdicts(evidence(*args, **options))}


def test_a_loss_that_is_all_of_tcp_is_not_laid_on_cbr():
    """At 0.1 Mbit/s each, below the share of 0.1875, the CBR flows lose nothing."""
    low = reading(
        tcp_loss_percent=dict.fromkeys(DISCIPLINES, 5.5),
        cbr_loss_percent=dict.fromkeys(DISCIPLINES, 0.0),
    )
    found = outcomes(low, reading(), low, cbr_rate="0.1 Mbit/s")
    assert found["loss-sfq-why"] is Outcome.AGREES
    assert found["sfq-own-queue"] is Outcome.AGREES
    why = reasons(low, reading(), low, cbr_rate="0.1 Mbit/s")
    assert why["loss-sfq-why"].startswith("The loss is TCP's")
    assert "the CBR flows, which keep to their share, 0 %" in why["loss-sfq-why"]
    assert "42.0 % at 1 Mbit/s each and 0 % at 0.1 Mbit/s each" in why["sfq-own-queue"]


def test_a_loss_without_a_difference_is_nobodys():
    same = dict.fromkeys(DISCIPLINES, 8.0)
    equal = reading(tcp_loss_percent=same, cbr_loss_percent=same)
    assert outcomes(equal)["loss-sfq-why"] is Outcome.DISAGREES
    assert reasons(equal)["loss-sfq-why"].startswith("The loss is no more TCP's")
    assert outcomes(equal)["sfq-own-queue"] is Outcome.DISAGREES
    assert reasons(equal)["sfq-own-queue"].startswith("Who keeps to the share loses as well")


@pytest.mark.parametrize("column", ["tcp_loss_percent", "cbr_loss_percent"])
def test_a_missing_loss_is_not_a_loss_of_zero(column):
    found = outcomes(reading(**{column: dict.fromkeys(DISCIPLINES, None)}))
    assert found["loss-sfq-why"] is Outcome.NOT_MEASURED
    assert found["sfq-own-queue"] is Outcome.NOT_MEASURED


def test_two_replicas_carry_none_of_what_rests_on_differences():
    two = Reading(reading().frame.filter(pl.col("replica") < 2))
    found = outcomes(two)
    for claim in (
        "rem-motive",
        "loss-sfq-bandwidth",
        "loss-grows",
        "loss-blue-falls",
        "droptail-equal",
        "loss-sfq-why",
        "sfq-own-queue",
        "red-not-full",
        "ack-drops",
        "droptail-burst",
        "droptail-delay",
        "throughput-sfq-much",
    ):
        assert found[claim] is Outcome.NOT_MEASURED, claim


def test_runs_too_short_for_a_slope_have_none():
    short = reading(loss_trend=dict.fromkeys(DISCIPLINES, None))
    found, why = outcomes(short), reasons(short)
    for claim in ("loss-grows", "loss-blue-falls"):
        assert found[claim] is Outcome.NOT_MEASURED
        assert why[claim].startswith("Not measured: no run is long enough for a slope")


@pytest.mark.parametrize(
    ("mean", "outcome"), [(4.5, "agrees"), (4.999, "not measured"), (5.001, "not measured")]
)
def test_few_per_cent_are_five_beyond_doubt(mean, outcome):
    full = reading(full_percent=dict.fromkeys(DISCIPLINES, mean))
    assert outcomes(full)["red-not-full"] == outcome


def test_without_a_drop_of_red_none_is_for_lack_of_room():
    full = reading(full_percent=dict.fromkeys(DISCIPLINES, None))
    assert outcomes(full)["red-not-full"] is Outcome.NOT_MEASURED
    assert reasons(full)["red-not-full"] == "Not measured: RED dropped nothing."


def test_ns2_is_compared_for_its_own_settings_only():
    same = evidence(reading(), replicas="3")
    assert against_ns2.comparable(same)
    assert not against_ns2.comparable(evidence(reading(), tcp="sack"))
    assert against_ns2.section(evidence(reading(), duration="50 s")).tables == ()
    assert len(against_ns2.section(same).tables[0].rows) >= 24


LAWFUL = {
    "cbr_delay_ms": 100.0,
    "tcp_delay_ms": 100.0,
    "goodput_mbps": 1.4,
    "departures": 1000.0,
    "queueing_ms": 200.0,
    "queue": 2.0,
}


@pytest.mark.parametrize(
    ("column", "value"),
    [("cbr_delay_ms", 30.0), ("tcp_delay_ms", 36.0), ("goodput_mbps", 1.51), ("queue", 3.0)],
)
def test_a_broken_law_is_found(column, value):
    """1000 packets in 100 s, each 200 ms in the queue: two at a time."""
    frame = pl.DataFrame([LAWFUL | {"discipline": "red"}])
    assert all(one.kept for one in checks.all_checks(evidence(Reading(frame))))
    broken = pl.DataFrame([LAWFUL | {"discipline": "red", column: value}])
    found = checks.all_checks(evidence(Reading(broken)))
    assert sum(one.kept is False for one in found) == 1


def test_the_slope_and_the_mean_of_a_loss_rate_by_hand():
    """Drops in half seconds after the first 10 s: 1, 2, 3 are 2, 4, 6 a second, 4 more a second."""
    rows = {
        "point": 0,
        "replica": 0,
        "name": "bottleneck",
        "time_s": [10.0, 10.5, 11.0, 11.5],
        "drops_packets": [90.0, 1.0, 2.0, 3.0],
    }
    found = measures.loss_trend(Timed(pl.DataFrame(rows)))
    assert found["loss_rate"].to_list() == [4.0]
    assert found["loss_trend"].to_list() == [pytest.approx(400.0)]


def test_the_delay_of_all_packets_weighs_each_by_one():
    """One packet of 10 ms in the first half second, nine of 20 ms in the last: 19 ms."""
    rows = {
        "point": 0,
        "replica": 0,
        "name": "cbr.0",
        "time_s": [0.5, 1.0, 5.0],
        "delay_mean_s": [0.010, None, 0.020],
        "throughput_bps": [16000.0, 0.0, 144000.0],
    }
    drawn = figures.delay_of_all(Timed(pl.DataFrame(rows)))
    assert drawn.frame.select("line", "time_s", "value").rows() == [
        ("red", 2.5, pytest.approx(19.0))
    ]


class Timed:
    """The frames of a run of RED alone, with these series."""

    def __init__(self, rows):
        self.rows = rows
        self.points = pl.DataFrame({"point": [0], scenario.QUEUE_KEY: ['{"discipline": "red"}']})

    def series(self, metric):
        return self.rows.select("point", "replica", "name", "time_s", value=metric)


@pytest.fixture(scope="module")
def report(run_all):
    """On the engine itself, small."""
    settings = STUDY.settle({"duration": "20 s", "replicas": "4"})
    return STUDY.evaluate(run_all(STUDY, settings), settings)


def test_the_report_is_whole(report, whole):
    assert len(whole(report).figures) >= 10


def test_what_no_chance_can_change(report, outcomes_of):
    expected = {
        "loss-sfq": Outcome.AGREES,
        "throughput-sfq-tcp": Outcome.AGREES,
        "throughput-sfq-much": Outcome.DISAGREES,
        "delay-red-sfq-cbr": Outcome.DISAGREES,
        "droptail-burst": Outcome.AGREES,
        "ack-drops": Outcome.DISAGREES,
    }
    assert outcomes_of(report).items() >= expected.items()
