"""The study `red-fairness`: its scenarios, its claims, and verdicts on outcomes that are given."""

import itertools
import tomllib
from dataclasses import replace

import polars as pl
import pytest

import sojourn
from sojourn.files.toml_text import toml_text
from sojourn.studies.claims import Outcome
from sojourn.studies.knobs import StudyError
from sojourn.studies.red_fairness import answer, checks, measures, published, scenario
from sojourn.studies.red_fairness.evidence import Evidence, Reading
from sojourn.studies.red_fairness.measures import MEASURES
from sojourn.studies.red_fairness.study import RedFairnessStudy
from sojourn.studies.red_fairness.verdicts import verdicts
from sojourn.studies.red_fairness.verdicts.common import JUDGES

STUDY = RedFairnessStudy()
REPLICAS = 6
COLUMN = {1: "goodput_mbps", 2: "goodput_mbps", 3: "jain", 4: "jain"}


def reading(change=lambda case, at, name, value: value, noise=1e-4):
    """Observations that have the published numbers, changed by a function."""
    rows = []
    for case, table in published.load().tables.items():
        for name, values in table.values.items():
            for at, replica in itertools.product(values, range(REPLICAS)):
                value = change(case, at, name, values[at])
                row = dict.fromkeys(MEASURES, 1.0)
                row[COLUMN[case]] = value * (1 + noise * ((replica * 7 + at) % 5 - 2))
                row["loss_percent"] = at * (1 + noise * replica)
                row |= {"case": case, "at": at, "discipline": name, "replica": replica}
                rows.append(row)
    return Reading(pl.DataFrame(rows))


def evidence(chosen, large=None, **knobs):
    empty = pl.DataFrame(schema={"at": pl.Int64, "limit": pl.Int64})
    return Evidence(
        STUDY.settle(knobs), chosen, {}, large or chosen, empty, chosen.frame.clear(), chosen.frame
    )


def judged(*args, **options):
    return {one.claim.id: one for one in verdicts(evidence(*args, **options))}


def outcomes(chosen, large=None):
    return {name: one.outcome for name, one in judged(chosen, large).items()}


@pytest.mark.parametrize("replicas", [1, 2])
def test_one_replica_or_two_tell_nothing_apart(replicas):
    few = Reading(reading().frame.filter(pl.col("replica") < replicas))
    found = judged(few)
    for name in (
        "case2-red",
        "case4-red",
        "longer-slower",
        "longer-fairer",
        "more-congestion",
        "conclusion-throughput",
        "case1-equal",
        "case1-increase",
        "case2-equal",
        "case3-below",
        "case4-below",
        "droptail-degrades",
        "droptail-unfair",
        "red-not-full",
        "red-proportional",
    ):
        assert found[name].outcome is Outcome.NOT_MEASURED
        assert "fewer than 3 replicas" in found[name].reason
    assert "fewer than 3 replicas" in found["case3-red"].reason
    three = outcomes(Reading(reading().frame.filter(pl.col("replica") < 3)))
    assert three["longer-slower"] is three["more-congestion"] is Outcome.AGREES


@pytest.mark.parametrize(
    ("red", "begins", "ends"),
    [
        ([8.0, 8.1, 8.2], "Which of the two is ahead depends on the buffer: with", " less."),
        ([8.9, 9.2, 9.0], "With", ": no difference that the intervals carry."),
    ],
)
def test_the_buffer_decides_only_where_the_intervals_are_apart(red, begins, ends):
    """Drop-tail delivers 9.0, 9.1 and 9.2 Mbit/s with 500 packets of room."""
    goodputs = {"red": red, "droptail": [9.0, 9.1, 9.2]}
    buffers = pl.DataFrame(
        [
            {
                "at": scenario.BUFFER_CONNECTIONS[0],
                "limit": 500,
                "replica": replica,
                "discipline": name,
                "goodput_mbps": value,
            }
            for name, values in goodputs.items()
            for replica, value in enumerate(values)
        ]
    )
    told = answer.of_buffers(replace(evidence(reading()), buffers=buffers))
    assert told.startswith(f"{begins} ")
    assert told.endswith(ends)


def spread(found, column, by, *where):
    """Half of the replicas `by` up, as a share, and half down: the interval is 1.15 `by` wide.

    2.571 (Student, 5 degrees of freedom) times sqrt(6/5) over sqrt(6), up and down.
    """
    factor = 1 + by * (1 - 2 * (pl.col("replica") % 2))
    here = pl.all_horizontal(pl.lit(True), *where)
    value = pl.when(here).then(pl.col(column) * factor).otherwise(pl.col(column))
    return Reading(found.frame.with_columns(value.alias(column)))


RED, DROPTAIL = pl.col("discipline") == "red", pl.col("discipline") == "droptail"


def in_case(case, at=None):
    here = pl.col("case") == case
    return here if at is None else here & (pl.col("at") == at)


@pytest.mark.parametrize(
    ("more", "by", "outcome"),
    [
        (1.01, 0.005, "agrees"),
        (1.0, 0.05, "not measured"),
        (1.01, 0.05, "not measured"),
        (1.03, 0.05, "not measured"),
        (1.03, 0.002, "disagrees"),
    ],
)
def test_almost_the_same_is_two_per_cent_beyond_doubt(more, by, outcome):
    tables = published.load().tables

    def change(case, at, name, _value):
        return tables[case].values["droptail"][at] * (more if name == "red" and at == 8 else 1)

    found = judged(spread(reading(change), "goodput_mbps", by, RED))
    for claim in ("case1-equal", "case2-equal"):
        assert found[claim].outcome == outcome
        assert found[claim].reason.startswith("Undecided") is (outcome == "not measured")


@pytest.mark.parametrize(
    ("highest", "by", "outcome"),
    [
        (0.65, 0.01, "agrees"),
        (0.65, 0.1, "not measured"),
        (0.75, 0.1, "not measured"),
        (0.75, 0.01, "disagrees"),
    ],
)
def test_an_index_stays_below_a_bound_beyond_doubt(highest, by, outcome):
    def change(case, at, name, value):
        return highest if (case, at, name) == (3, 10, "red") else min(value, 0.5)

    found = outcomes(spread(reading(change), "jain", by, in_case(3, 10), RED))
    assert found["case3-below"] == outcome


@pytest.mark.parametrize(
    ("last", "by", "outcome"),
    [
        (0.85, 0.01, "agrees"),
        (0.85, 0.1, "not measured"),
        (0.95, 0.1, "not measured"),
        (0.95, 0.01, "disagrees"),
    ],
)
def test_a_tenth_of_the_best_is_lost_beyond_doubt(last, by, outcome):
    """Drop-tail's best is 17 Mbit/s at N = 24; at N = 32 it has a share of that."""

    def change(case, at, name, value):
        return last * 17 if (case, at, name) == (1, 32, "droptail") else value

    found = outcomes(spread(reading(change), "goodput_mbps", by, in_case(1, 32), DROPTAIL))
    assert found["droptail-degrades"] == outcome


@pytest.mark.parametrize(
    ("index", "by", "outcome"),
    [
        (0.85, 0.01, "agrees"),
        (0.85, 0.1, "not measured"),
        (0.95, 0.1, "not measured"),
        (0.95, 0.01, "disagrees"),
    ],
)
def test_a_bad_share_is_one_beyond_doubt(index, by, outcome):
    frame = reading().frame.with_columns(
        jain=pl.when(pl.col("case") < 3).then(index).otherwise(pl.col("jain"))
    )
    assert outcomes(spread(Reading(frame), "jain", by))["droptail-unfair"] == outcome


@pytest.mark.parametrize(
    ("last", "by", "outcome"),
    [
        (17.8, 0.01, "agrees"),
        (17.2, 0.05, "not measured"),
        (16.8, 0.05, "not measured"),
        (17.1, 0.01, "disagrees"),  # 17.4 at most: level
        (15.0, 0.01, "disagrees"),
    ],
)
def test_a_step_up_is_one_beyond_doubt(last, by, outcome):
    """From 17 Mbit/s at N = 24 to `last` at N = 32; up to 5 % of that counts as level."""

    def change(case, at, _name, value):
        return last if (case, at) == (1, 32) else value

    found = judged(spread(reading(change, 0.0), "goodput_mbps", by, in_case(1, 32)))
    assert found["case1-increase"].outcome == outcome
    assert ("at the step to 32" in found["case1-increase"].reason) is (outcome == "disagrees")


@pytest.mark.parametrize(
    ("full", "by", "outcome"),
    [
        (4.0, 0.1, "agrees"),
        (4.9, 0.1, "not measured"),
        (5.1, 0.1, "not measured"),
        (6.0, 0.1, "disagrees"),
        (None, 0.1, "not measured"),
    ],
)
def test_few_per_cent_of_reds_drops_are_five_beyond_doubt(full, by, outcome):
    frame = reading().frame.with_columns(full_percent=pl.lit(full, pl.Float64))
    found = judged(spread(Reading(frame), "full_percent", by))["red-not-full"]
    assert found.outcome == outcome
    assert ("RED dropped nothing" in found.reason) is (full is None)
    assert ("longer than a burst" in found.reason) is (outcome == "disagrees")


@pytest.mark.parametrize(
    ("slope", "by", "outcome"),
    [
        (1.0, 0.05, "agrees"),
        (0.8, 0.1, "not measured"),
        (0.7, 0.1, "not measured"),
        (1.24, 0.1, "not measured"),
        (0.5, 0.1, "disagrees"),
        (1.5, 0.1, "disagrees"),
    ],
)
def test_a_slope_is_near_one_beyond_doubt(slope, by, outcome):
    frame = reading().frame.with_columns(drop_slope=slope)
    assert outcomes(spread(Reading(frame), "drop_slope", by))["red-proportional"] == outcome


@pytest.mark.parametrize(
    ("lead", "by", "outcome"),
    [
        (1.0012, 0.0001, "agrees"),
        (1.0012, 0.0005, "not measured"),
        (1.0008, 0.0005, "not measured"),
        (1.0005, 0.0001, "disagrees"),
    ],
)
def test_a_lead_of_a_thousandth_is_one_beyond_doubt(lead, by, outcome):
    tables = published.load().tables

    def change(case, at, name, _value):
        return tables[case].values["droptail"][at] * (lead if name == "red" else 1)

    ahead = spread(spread(reading(change, 0.0), "jain", by, RED), "goodput_mbps", by, RED)
    found = outcomes(ahead)
    assert found["conclusion-fairness"] == found["conclusion-throughput"] == outcome


def test_what_fills_the_buffer_is_told_where_it_fills():
    for limit, full, told in ((50, 100.0, True), (200, 100.0, True), (100_000, 0.0, False)):
        frame = reading().frame.with_columns(pl.lit(full).alias("full_percent"))
        reason = judged(Reading(frame), limit=str(limit))["red-not-full"].reason
        assert (f"takes to fill {limit} packets" in reason) is told
        assert ("burst" in reason) is told


@pytest.mark.parametrize(
    "knobs",
    [
        {},
        {"d_is": "uniform", "case3_t1": "80 ms", "counts": "3"},
        {"window": "1000", "tcp": "newreno", "red": "classic"},
        {"window": "64", "limit": "500", "start": "0 s"},
    ],
)
def test_every_part_is_a_valid_scenario_without_warnings(knobs):
    for text in STUDY.scenarios(STUDY.settle(knobs)).values():
        assert sojourn.Scenario.from_toml(text).warnings == []


def test_the_numbers_of_connections():
    assert scenario.connections(STUDY.settle({})) == [2, 4, 8, 12, 16, 20, 24, 32]
    assert scenario.connections(STUDY.settle({"counts": "2"})) == [2, 32]
    assert scenario.connections(STUDY.settle({}, quick=True)) == [2, 8, 20, 32]


def test_no_transport_is_run_twice():
    for window in ("20", "1000", "64"):
        tables = list(scenario.transports(STUDY.settle({"window": window})).values())
        assert tables[0]["window"] == f"{window} packets"
        assert len({str(one) for one in tables}) == len(tables) >= 3


@pytest.mark.parametrize(
    ("spread", "delays"),
    [
        ("alternate", ["0 ms", "10 ms", "0 ms", "10 ms"]),
        ("ramp", ["0 us", "3333 us", "6667 us", "10000 us"]),
        ("ladder", {"first": "0 ms", "step": "10 ms"}),
        ("uniform", "uniform(0 ms, 10 ms)"),
    ],
)
def test_what_d_may_be(spread, delays):
    assert scenario.access_delay(spread, 10, 4) == delays


def test_a_warmup_must_leave_time():
    with pytest.raises(StudyError, match="leaves nothing"):
        STUDY.scenarios(STUDY.settle({"warmup": "100 s"}))


def test_senders_start_before_the_end():
    with pytest.raises(StudyError, match='"start" of study "red-fairness": 100 s is not before'):
        STUDY.scenarios(STUDY.settle({"start": "100 s"}))


def test_the_two_t1_of_the_fairness_must_differ():
    with pytest.raises(StudyError, match="case3_t1"):
        STUDY.scenarios(STUDY.settle({"case3_t1": "0.25 s"}))


def test_the_published_numbers_agree_with_themselves():
    found = outcomes(reading())
    agreeing = {name for name, one in found.items() if one is Outcome.AGREES}
    assert {
        "case1-equal",
        "case1-increase",
        "case2-equal",
        "case2-red",
        "case3-below",
        "case4-red",
        "case4-below",
        "conclusion-throughput",
        "conclusion-fairness",
        "longer-slower",
        "longer-fairer",
        "more-congestion",
        *(f"case{case}-cells-{name}" for case in COLUMN for name in ("red", "droptail")),
    } <= agreeing
    assert found["jain-range"] is Outcome.IMPOSSIBLE
    assert found["case3-red"] is Outcome.CONTRADICTS_ITSELF


def test_equal_disciplines_have_no_order():
    tables = published.load().tables
    same = reading(lambda case, at, _name, _value: tables[case].values["red"][at])
    found = outcomes(same)
    for claim in ("case2-red", "case4-red", "conclusion-throughput", "conclusion-fairness"):
        assert found[claim] is Outcome.DISAGREES
    assert found["case1-equal"] is Outcome.AGREES


def test_one_value_off_breaks_a_column():
    off = reading(lambda case, at, name, value: value * (1.2 if (case, at) == (2, 12) else 1))
    found = outcomes(off)
    assert found["case2-cells-red"] is Outcome.DISAGREES
    assert found["case1-cells-red"] is Outcome.AGREES


def test_the_reason_tells_what_large_windows_make_of_it():
    tables = published.load().tables
    same = reading(lambda case, at, _name, _value: tables[case].values["red"][at])
    assert "With windows of 1000 packets: agrees." in judged(same, reading())["case4-red"].reason


class Frames:
    """Flows of one point whose drops a test chooses."""

    def __init__(self, sent, loss, resolved=None):
        self.flows = pl.DataFrame(
            {
                "point": 0,
                "replica": 0,
                "sent_packets": sent,
                "resolved_packets": resolved or sent,
                "loss_ratio": loss,
            }
        )


@pytest.mark.parametrize(
    ("loss", "slope"),
    [([0.1, 0.1, 0.1], 1.0), ([0.3, 0.15, 0.1], 0.0), ([0.0, 0.0, 0.0], None)],
)
def test_the_slope_of_drops(loss, slope):
    """Equal ratios are in proportion; equal numbers have no slope."""
    found = measures.drop_slope(Frames([100.0, 200.0, 300.0], loss))["drop_slope"][0]
    assert found == (None if slope is None else pytest.approx(slope, abs=1e-9))


def test_the_slope_of_drops_counts_them_whatever_is_still_on_its_way():
    """Each loses ten, of 50, 200 and 300 packets whose fate is known."""
    frames = Frames([100.0, 200.0, 300.0], [0.2, 0.05, 10 / 300], [50.0, 200.0, 300.0])
    assert measures.drop_slope(frames)["drop_slope"][0] == pytest.approx(0, abs=1e-9)


def test_the_slope_over_all_d_is_of_one_value_for_each_replica():
    """What D does to the slope is no doubt about its mean: all replicas have the same here."""
    same = Reading(reading().frame.with_columns(drop_slope=pl.col("at") / 15))
    assert judged(same)["red-proportional"].ours == "slope 1.00 ± 0"


LAWFUL = {
    "case": 1,
    "at": 2,
    "transport": "windows of 20",
    "goodput_mbps": 1.9,
    "departures": 100_000.0,
    "queueing_ms": 2.0,
    "queue": 2.0,
}


@pytest.mark.parametrize(
    ("change", "law"),
    [
        ({"goodput_mbps": 2.01}, "window"),
        ({"goodput_mbps": 43.5, "transport": "windows of 1000"}, "capacity"),
        ({"queue": 2.1}, "Little"),
    ],
)
def test_a_broken_law_is_found(change, law):
    """Two windows of 20 packets of 1000 B in 160 ms are 2 Mbit/s; 100,000 packets in 100 s that
    wait 2 ms are two at a time."""
    kept = evidence(Reading(pl.DataFrame([LAWFUL])))
    assert all(one.kept for one in checks.all_checks(kept))
    found = checks.all_checks(evidence(Reading(pl.DataFrame([LAWFUL | change]))))
    assert [one.law for one in found if one.kept is False] == [
        one.law for one in found if law in one.law
    ]


@pytest.mark.parametrize(("goodput_mbps", "kept"), [(2.1, True), (2.11, False)])
def test_a_window_that_was_under_way_arrives_after_the_warmup(goodput_mbps, kept):
    """3.2 s are 20 round trips: in them 21 windows arrive at most, 5 % more than 2 Mbit/s."""
    row = LAWFUL | {"goodput_mbps": goodput_mbps}
    knobs = {"duration": "4.2 s", "warmup": "1 s"}
    found = checks.all_checks(evidence(Reading(pl.DataFrame([row])), **knobs))
    assert [one.kept for one in found if "window" in one.law] == [kept]


def test_a_lead_that_no_table_shows_is_none():
    tables = published.load().tables

    def hair(case, at, name, _value):
        return tables[case].values["red"][at] * (1.0001 if name == "red" else 1)

    found = outcomes(reading(hair))
    assert found["conclusion-throughput"] is Outcome.DISAGREES
    assert found["conclusion-fairness"] is Outcome.DISAGREES


def test_other_readings_of_d_say_nothing_of_cases_without_d():
    fairness = Reading(reading().frame.filter(pl.col("case") > 2))
    assert not JUDGES["case1-equal"](fairness).measured
    assert not JUDGES["case2-cells-red"](fairness).measured
    assert JUDGES["case4-red"](fairness).measured


def test_automatic_red_over_fifty_packets_is_drop_tail_with_one_packet_more():
    """ns-2's RED holds 50 at a limit of 50, its drop-tail 49; this RED never drops early."""
    settings = STUDY.settle({"duration": "20 s", "replicas": "2", "counts": "2"})
    parts = STUDY.scenarios(settings)
    whole = tomllib.loads(parts["red-fairness"])
    whole["vary"][scenario.TRANSPORT_KEY] = [scenario.transport("tahoe", 1000)]
    whole["vary"][scenario.QUEUE_KEY] = [scenario.red("automatic", 50), scenario.droptail(51)]
    totals = sojourn.run(sojourn.Scenario.from_toml(toml_text(whole))).totals
    red = totals.filter(pl.col("point") % 2 == 0).drop("point")
    roomier = totals.filter(pl.col("point") % 2 == 1).drop("point")
    assert red.equals(roomier)
    room = tomllib.loads(parts["room"])["vary"]
    assert room[scenario.QUEUE_KEY] == [scenario.droptail(51)]


@pytest.fixture(scope="module")
def report(run_all):
    """On the engine itself, small."""
    settings = STUDY.settle({"duration": "8 s", "replicas": "3", "counts": "2"})
    return STUDY.evaluate(run_all(STUDY, settings), settings)


def test_the_report_is_whole(report, whole):
    assert len(whole(report).figures) >= 10


def test_what_no_chance_can_change(report, outcomes_of):
    expected = {
        "case1-increase": Outcome.AGREES,
        "case1-equal": Outcome.AGREES,
        "longer-slower": Outcome.AGREES,
        "case4-below": Outcome.DISAGREES,
        "jain-range": Outcome.IMPOSSIBLE,
    }
    assert outcomes_of(report).items() >= expected.items()
