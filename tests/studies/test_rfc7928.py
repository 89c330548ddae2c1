"""The study `rfc7928`: its scenarios by hand, its phases, its laws, its verdicts, its knobs."""

import re
import tomllib
from types import SimpleNamespace

import polars as pl
import pytest

from sojourn.studies.base import RunOptions
from sojourn.studies.claims import Outcome
from sojourn.studies.execution import run_scenario
from sojourn.studies.knobs import StudyError
from sojourn.studies.rfc7928 import (
    checks,
    evidence,
    figures,
    phases,
    readings,
    scenario,
    verdicts,
)
from sojourn.studies.rfc7928.laboratory import Laboratory
from sojourn.studies.rfc7928.study import Rfc7928Study

STUDY = Rfc7928Study()
SMALL = {
    "duration": "4 s",
    "settle": "2 s",
    "fairness_duration": "4 s",
    "fairness_settle": "2 s",
    "phase": "1 s",
    "replicas": "3",
}
SETTINGS = STUDY.settle(SMALL)


@pytest.fixture(scope="module")
def results(run_all):
    return run_all(STUDY, SETTINGS)


@pytest.fixture(scope="module")
def found(results):
    return evidence.gather(results, SETTINGS)


@pytest.fixture(scope="module")
def report(results):
    return STUDY.evaluate(results, SETTINGS)


def documents(**knobs):
    return {
        part: tomllib.loads(text) for part, text in STUDY.scenarios(STUDY.settle(knobs)).items()
    }


def test_levels_of_congestion_by_hand():
    # 20 Mbit/s x 100 ms / 12000 bits = 166.7 packets, as many in the buffer: S = 334.
    lab = Laboratory(STUDY.settle({}))
    assert lab.room() == 167
    assert [lab.flows_of(one) for one in ("mild", "medium", "heavy")] == [12, 27, 38]
    # A tenth of the rate: S = 34, and 1.2 flows are one.
    assert lab.flows_of("mild", "2 Mbit/s") == 1
    twice = Laboratory(STUDY.settle({"buffer": "2"}))
    assert twice.room() == 334
    assert twice.flows_of("heavy") == 57  # 0.114 x 501


def ms(text):
    number, unit = text.split()
    assert unit == "ms"
    return float(number)


def test_round_trips_are_what_their_names_say():
    document = documents()["rtt-fairness"]
    links = {one["name"]: one for one in document["link"]}
    middle = ms(links["bottleneck"]["delay"]) + ms(links["bottleneck-back"]["delay"])
    steps = document["vary"]["link.two-*.delay"]
    expected = [one for one in (5, 20, 50, 100, 200, 560) for _ in range(5)]
    assert [round(middle + 4 * ms(one), 6) for one in steps] == expected
    assert round(middle + 4 * ms(links["one-in"]["delay"]), 6) == 100
    # Over two hops, and over the second alone.
    links = {one["name"]: one for one in documents()["two-hops"]["link"]}
    assert 4 * ms(links["a-in"]["delay"]) + 4 * 1 == 100
    assert 4 * ms(links["b-in"]["delay"]) + 2 * 1 == 100


@pytest.mark.parametrize("name", ["rtt-fairness", "rtt-fairness-ecn"])
def test_unequal_round_trips_have_room_and_time_of_their_own(name):
    """20 Mbit/s: 167 packets for 100 ms, 333 for 200, 933 for 560; 100 ms are the least."""
    document = documents(queues="codel")[name]
    rooms = document["vary"]["link.bottleneck*.queue.limit"]
    expected = [167, 167, 167, 167, 333, 933]
    assert rooms == [f"{one} packets" for one in expected for _ in range(2)]
    queues = [one["discipline"] for one in document["vary"]["link.bottleneck.queue"]]
    assert queues == ["droptail", "codel"] * 6
    assert (document["duration"], document["warmup"]) == ("1800 s", "1200 s")
    others = documents()["newreno"]
    assert (others["duration"], others["warmup"]) == ("120 s", "20 s")


def test_a_room_of_ones_own_stays():
    """Of a queue that is given with its limit, as in all other scenarios."""
    text = documents(queues="codel,limit=20 packets")["rtt-fairness"]
    assert text["vary"]["link.bottleneck.queue"][1]["limit"] == "20 packets"
    keys = list(text["vary"])
    assert keys.index("link.bottleneck*.queue.limit") < keys.index("link.bottleneck.queue")


def test_chunks_of_a_streamed_video_wait_for_the_one_before():
    """100 ms of 20 Mbit/s are 250 kB."""
    flows = {one["name"]: one for one in documents()["mix"]["flow"]}
    assert flows["streaming"]["traffic"] == {
        "source": "request_response",
        "response": "250000 B",
        "think": "1 s",
    }


def test_links_of_senders_are_ten_times_faster():
    for rate, expected in (("20 Mbit/s", "1000 Mbit/s"), ("1 Gbit/s", "10000 Mbit/s")):
        links = {one["name"]: one for one in documents(rate=rate)["mix"]["link"]}
        assert links["bulk-in"]["rate"] == links["bulk-out"]["rate"] == expected


def test_every_queue_of_a_scenario_has_the_same_room():
    document = documents(queues="codel; fq_codel")["congestion"]
    limits = {
        one["queue"]["limit"] for one in document["link"] if one["name"].startswith("bottleneck")
    }
    assert limits == {"167 packets"}
    assert all("limit" not in one for one in document["vary"]["link.bottleneck.queue"])


def test_phases_have_as_many_flows_as_their_levels():
    flows = documents()["phases"]["flow"]
    times = [(30, 12), (50, 27), (70, 38), (90, 12), (110, 27), (130, 38)]

    def second(text, otherwise):
        return float(text.removesuffix(" s")) if text[0].isdigit() else otherwise

    for instant, expected in times:
        on = sum(
            one["count"]
            for one in flows
            if second(one["start"], 0) <= instant < second(one.get("stop", "1000 s"), 0)
        )
        assert on == expected


def test_marks_are_asked_of_those_that_mark():
    queues = documents(queues="codel; pie")["rtt-fairness-ecn"]["vary"]["link.bottleneck.queue"]
    assert [one.get("ecn", False) for one in queues] == [False, True, True] * 6


def test_drop_tail_comes_first_and_once():
    settings = STUDY.settle({"queues": "codel,target=20 ms; droptail; codel"})
    assert settings["queues"] == ("droptail", "codel,target=20 ms", "codel")


@pytest.mark.parametrize(
    ("knobs", "message"),
    [
        ({"queues": "codell"}, 'knob "queues" of study "rfc7928": .*codell.*did you mean'),
        ({"queues": " ; "}, "found none; allowed: one or several"),
        ({"queues": "droptail"}, "found drop-tail alone; allowed: one or several to hold"),
        ({"queues": "codel,target=5 packets"}, "target"),
        ({"rate": "50 kbit/s"}, '"50 kbit/s" is below 100 kbit/s'),
        ({"buffer": "0"}, "not a number above 0"),
        ({"phase": "0 s"}, "not above zero"),
    ],
)
def test_knobs_refuse(knobs, message):
    with pytest.raises(StudyError, match=message):
        STUDY.settle(knobs)


def test_round_trips_shorter_than_two_hops_are_refused():
    with pytest.raises(StudyError, match='"3 ms" is less than two hops there and back take, 4 ms'):
        STUDY.scenarios(STUDY.settle({"rtt": "3 ms"}))


def test_phases_by_hand():
    """Two phases of 1 s after 2 s, looked at every half second."""
    rows = [
        # time, queue, throughput, drops, goodput
        (2.0, 99.0, 1.2e6, 99.0, 9e6),
        (2.5, 10.0, 12e6, 0.0, 10e6),
        (3.0, 30.0, 12e6, 2.0, 12e6),
        (3.5, 5.0, 1.2e6, 1.0, 1e6),
        (4.0, 5.0, 1.2e6, 0.0, 1e6),
        (4.5, 20.0, 12e6, 0.0, 11e6),
    ]
    frame = pl.DataFrame(
        [
            {
                "point": 0,
                "subject": "codel",
                "replica": 0,
                "time_s": time,
                "queue_mean_packets": queue,
                "throughput_bps": throughput,
                "drops_packets": drops,
                "goodput_bps": goodput,
            }
            for time, queue, throughput, drops, goodput in rows
        ]
    )
    seen = phases.observe(frame, "capacity-slow", SETTINGS)
    # The first phase again at 4.5 s: 20 packets on average at 1000 packets per second.
    assert seen.values("delay", "100 Mbit/s", "codel") == [pytest.approx(20.0)]
    assert seen.values("goodput", "100 Mbit/s", "codel") == [pytest.approx(11.0)]
    assert seen.values("drops", "100 Mbit/s", "codel") == [pytest.approx(2 / 1.5)]
    assert seen.values("delay", "10 Mbit/s", "codel") == [pytest.approx(50.0)]
    assert seen.values("drops", "10 Mbit/s", "codel") == [pytest.approx(1.0)]


def test_phases_agree_with_the_whole_run(found):
    """Goodput over all phases, weighted alike, is that of the run."""
    for name in phases.NAMES:
        whole = found.seen[name]
        parts = found.by_phase[name]
        for subject in found.subjects:
            mean = sum(parts.interval("goodput", one, subject).mean for one in parts.cases)
            total = whole.interval("goodput", whole.cases[0], subject).mean
            assert mean / len(parts.cases) == pytest.approx(total, rel=0.02)


def test_delay_variation_by_hand():
    """RFC 5481, 4.2: 80 ms are 30 ms above the least delay of the flow, 50 ms."""
    quantiles = {0.0: 0.050, 0.5: 0.060, 0.99: 0.080, 1.0: 0.090}
    rows = [
        (0, replica, entity, name, share, delay * (1 + replica))
        for replica in (0, 1)
        for entity, name in (("group", "voice"), ("group", "cbr"), ("link", "voice"))
        for share, delay in quantiles.items()
        if (entity, name) != ("group", "cbr") or replica == 0
    ]
    columns = ("point", "replica", "entity", "name", "share", "delay_s")
    frames = SimpleNamespace(delays=pl.DataFrame(rows, schema=columns, orient="row"))
    found = readings.variation("voice", "voice").of(frames)
    assert found["pdv_p99_voice"].to_list() == pytest.approx([30.0, 60.0])
    assert len(readings.variation("cbr", "CBR").of(frames)) == 1


def test_marks_by_hand():
    columns = ("point", "replica", "link", "arrivals_packets", "marks_packets")
    rows = [
        (0, 0, "bottleneck", 400.0, 2.0),
        (0, 1, "bottleneck", 0.0, 0.0),
        (0, 0, "bottleneck-back", 10.0, 5.0),
    ]
    frames = SimpleNamespace(links=pl.DataFrame(rows, schema=columns, orient="row"))
    assert readings.marks().of(frames)["marks"].to_list() == [pytest.approx(0.5), None]


def test_both_directions_and_both_routers_show_the_same(found):
    shown = ("utilisation", "delay", "delay_p99", "loss", "gap", "at_once")
    for name, link in (("two-way", "bottleneck-back"), ("two-hops", "bottleneck-one")):
        measures = found.seen[name].measures
        assert {*shown, *(f"{one}_{link}" for one in shown)} <= measures.keys()
    headings = [one.title for one in found.seen["two-hops"].measures.values()]
    assert "Goodput of flows over both" in headings
    assert "Utilisation at the first" in headings


def test_flows_that_come_and_go_are_no_share_of_all(found):
    """What loses at once is held against all flows of a run: no number where some are away."""
    told = {name for name, seen in found.seen.items() if "at_once" in seen.measures}
    away = {"short", "bursts-1", "bursts-2", "bursts-3", "bursts-4", "phases", "mix"}
    assert found.seen.keys() - told == away


def test_observations_hold_the_phases(found):
    rows = found.observations.filter(pl.col("scenario") == "phases-by-phase")
    seen = found.by_phase["phases"].frame
    assert rows.select(seen.columns).equals(seen)
    assert rows["section"].unique().to_list() == ["8.2.5"]
    assert "capacity-slow-by-phase" in found.observations["scenario"]


def test_delay_variation_is_less_than_the_delay(found):
    for name, group in (("mix", "voice"), ("bursts-4", "cbr")):
        rows = found.seen[name].frame
        assert rows[f"pdv_p99_{group}"].null_count() == 0
        # The path alone takes 50 ms.
        above = rows[f"delay_p99_{group}"] - rows[f"pdv_p99_{group}"]
        assert above.min() > 49
        assert rows[f"pdv_p99_{group}"].min() >= 0


def test_the_report_is_whole(report, whole):
    ids = [one.id for one in report.figures]
    assert len(whole(report).figures) == len(ids) == 16
    for way in ("there", "back"):
        assert f"delay-goodput-two-way-both-{way}" in ids
    assert "delay-goodput-two-hops" in ids
    told = {
        one.id: any("no column of the flows that lose at once" in text for text in one.paragraphs)
        for one in report.sections
    }
    assert [name for name, is_told in told.items() if is_told] == [
        f"section-{one}" for one in (5, 7, 8, 9)
    ]


def test_each_direction_is_drawn_by_its_own_numbers(found):
    drawn = {one.id: one.frame for one in figures.ellipses(found, "two-way-both")}
    seen = found.seen["two-way-both"].frame
    back = drawn["delay-goodput-two-way-both-back"]
    assert (back["delay_s"] * 1e3).to_list() == pytest.approx(
        seen["delay_bottleneck-back"].to_list()
    )
    assert (back["goodput_bps"] / 1e6).to_list() == pytest.approx(seen["goodput_back"].to_list())
    there = drawn["delay-goodput-two-way-both-there"]
    assert (there["goodput_bps"] / 1e6).to_list() == pytest.approx(seen["goodput_there"].to_list())


def test_what_no_chance_can_change(report, outcomes_of):
    outcome = outcomes_of(report)
    assert outcome["larger-buffers"] is Outcome.AGREES
    assert outcome["factors"] is Outcome.CONTRADICTS_ITSELF


def test_the_factors_by_hand(found):
    # sqrt(0.001 / 0.76) = 0.0363, sqrt(0.005 / 0.76) = 0.0811, sqrt(0.01 / 0.76) = 0.1147.
    judgement = verdicts.factors(found)
    assert judgement.outcome is Outcome.CONTRADICTS_ITSELF
    assert judgement.ours == "0.0363 (mild), 0.0811 (medium), 0.1147 (heavy)"


def test_a_level_is_judged_by_its_nearest(found):
    seen = found.seen["congestion"]
    outcomes = {}
    for loss in (0.15, 0.3, 0.8, 2.0, 0.0):
        frame = seen.frame.with_columns(pl.lit(loss).alias("loss"))
        spoiled = {**found.seen, "congestion": type(seen)(frame, seen.measures)}
        one = evidence.Evidence(SETTINGS, found.plans, spoiled, found.by_phase, found.timed)
        outcomes[loss] = [
            verdicts.level(level)(one).outcome is Outcome.AGREES
            for level in ("mild", "medium", "heavy")
        ]
    assert outcomes == {
        0.15: [True, False, False],
        0.3: [False, True, False],
        0.8: [False, False, True],
        2.0: [False, False, True],
        0.0: [False, False, False],
    }


def levels(found, loss, replicas=3):
    """The outcomes of mild, medium and heavy congestion where all of them lose this."""
    seen = found.seen["congestion"]
    frame = seen.frame.filter(pl.col("replica") < replicas).with_columns(loss.alias("loss"))
    spoiled = {**found.seen, "congestion": type(seen)(frame, seen.measures)}
    one = evidence.Evidence(SETTINGS, found.plans, spoiled, found.by_phase, found.timed)
    return [verdicts.level(name)(one).outcome for name in ("mild", "medium", "heavy")]


def test_a_level_is_no_more_than_twice_off(found):
    no, yes, open_ = Outcome.DISAGREES, Outcome.AGREES, Outcome.NOT_MEASURED
    assert levels(found, pl.lit(1.9)) == [no, no, yes]
    assert levels(found, pl.lit(11.0)) == [no, no, no]
    assert levels(found, pl.lit(0.21)) == [no, no, no]
    # 0.8 +- 4.303 x 0.05 / sqrt(3) = 0.124: sqrt(0.5 x 1) = 0.707 lies within.
    noisy = 0.8 + 0.05 * (pl.col("replica") - 1)
    assert levels(found, noisy) == [no, open_, open_]
    # 0.0248 leaves it out.
    assert levels(found, 0.8 + 0.01 * (pl.col("replica") - 1)) == [no, no, yes]


def test_one_replica_or_two_are_not_judged_for_their_level(found):
    for replicas in (1, 2):
        assert levels(found, pl.lit(0.5), replicas) == [Outcome.NOT_MEASURED] * 3


def with_ratios(found, ratios, rtt="100 ms", silent=None):
    """The evidence with these goodputs of category II over I, the same in every replica.

    Drops are everywhere but where `silent` says.
    """
    seen = found.seen["rtt-fairness"]
    drops = pl.when(pl.lit(False) if silent is None else silent).then(0.0).otherwise(0.1)
    by_case = dict(zip(seen.cases, ratios, strict=True))
    noise = 1 + pl.col("replica") * 1e-3
    frame = seen.frame.with_columns(
        (pl.col("case").replace_strict(by_case) * noise).alias(verdicts.RATIO),
        drops.alias("loss"),
    )
    spoiled = {**found.seen, "rtt-fairness": type(seen)(frame, seen.measures)}
    settings = STUDY.settle({"rtt": rtt})
    return evidence.Evidence(settings, found.plans, spoiled, found.by_phase, found.timed)


def test_a_shorter_path_is_ahead_by_hand(found):
    falling = [8.0, 4.0, 2.0, 1.1, 0.5, 0.1]
    assert verdicts.shorter_path(with_ratios(found, falling)).outcome is Outcome.AGREES
    # Behind with half of the round trip.
    judgement = verdicts.shorter_path(with_ratios(found, [8.0, 4.0, 0.9, 0.8, 0.5, 0.1]))
    assert judgement.outcome is Outcome.DISAGREES
    assert judgement.reason.endswith("Not so, on average, with a round trip of 50 ms.")
    # All are shorter than 800 ms.
    above = [8.0, 7.0, 6.0, 5.0, 4.0, 3.0]
    assert verdicts.shorter_path(with_ratios(found, above, "800 ms")).outcome is Outcome.AGREES
    assert verdicts.shorter_path(with_ratios(found, falling, "800 ms")).outcome is (
        Outcome.DISAGREES
    )


LONGEST = pl.col("case") == "round trip of 560 ms"


@pytest.mark.parametrize(
    ("subject", "shorter", "fairer"),
    [
        ("droptail", Outcome.NOT_MEASURED, Outcome.NOT_MEASURED),
        ("codel", Outcome.AGREES, Outcome.NOT_MEASURED),
    ],
)
def test_a_share_that_nothing_has_changed_is_not_judged(found, subject, shorter, fairer):
    """In one replica a discipline drops nothing: its flows share as their start left them."""
    silent = LONGEST & (pl.col("subject") == subject) & (pl.col("replica") == 1)
    one = with_ratios(found, [8.0, 4.0, 2.0, 1.1, 0.5, 0.1], silent=silent)
    assert verdicts.shorter_path(one).outcome is shorter
    judgement = verdicts.fairer_paths(one)
    assert judgement.outcome is fairer
    name = {"droptail": "Drop-tail", "codel": "CoDel"}[subject]
    assert f"({name} with a round trip of 560 ms)" in judgement.reason
    frame = figures.fairness(one).frame.filter(pl.col("panel") == "without ECN")
    left_out = frame.filter(pl.col("mean").is_null())
    assert left_out["series"].to_list() == [subject]
    assert left_out["x"].to_list() == [560.0]


def test_who_marks_is_seen_in_the_runs(found):
    """Whatever its table says: here only CoDel has marked."""
    seen = found.seen["rtt-fairness-ecn"]

    def with_marks(of):
        marks = pl.when(pl.col("subject") == of).then(0.3).otherwise(0.0)
        spoiled = type(seen)(seen.frame.with_columns(marks.alias("marks")), seen.measures)
        return evidence.Evidence(
            SETTINGS,
            found.plans,
            {**found.seen, "rtt-fairness-ecn": spoiled},
            found.by_phase,
            found.timed,
        )

    assert re.findall(r"(\S+), sent again:", verdicts.marks(with_marks("codel")).ours) == ["CoDel"]
    none = verdicts.marks(with_marks("nobody"))
    assert none.outcome is Outcome.NOT_MEASURED
    assert none.reason == "None of the disciplines marks."
    assert none.ours.endswith("% marked")


def test_what_marks_without_a_key_for_it_is_seen(found):
    """DualPI2 marks always, and so it has no key `ecn`."""
    settings = STUDY.settle(SMALL | {"queues": "dualpi2"})
    plans = scenario.plans(settings)
    seen = {
        name: evidence.observe(run_scenario(plans[name].part.text(), RunOptions()), plans[name])
        for name in ("newreno", "rtt-fairness", "rtt-fairness-ecn")
    }
    one = evidence.Evidence(settings, plans, seen, {}, {})
    assert "DualPI2, sent again:" in verdicts.marks(one).ours


def test_unfairness_by_hand(found):
    # |log2|: 3, 2, 1, 1 and 2 of the five that are not 100 ms.
    values = verdicts.unfairness(with_ratios(found, [8.0, 4.0, 2.0, 9.0, 0.5, 0.25]), "codel")
    assert values[0] == pytest.approx((3 + 2 + 1 + 1 + 2) / 5)


def test_laws_are_kept_and_can_break(found):
    assert [one.kept for one in checks.all_checks(found)] == [True] * 4

    def spoiled(name, column, factor):
        seen = found.seen[name]
        frame = seen.frame.with_columns(pl.col(column) * factor)
        return evidence.Evidence(
            SETTINGS,
            found.plans,
            {**found.seen, name: type(seen)(frame, seen.measures)},
            found.by_phase,
            found.timed,
        )

    assert checks.capacity(spoiled("newreno", "goodput", 10)).kept is False
    assert checks.use(spoiled("udp", "utilisation", 1.01)).kept is False
    assert checks.room(spoiled("newreno", "delay_p99", 1.5)).kept is False
    assert checks.completion(spoiled("short", "fct_short", 0.5)).kept is False


def test_scenarios_are_named_by_their_sections():
    plans = scenario.plans(SETTINGS)
    sections = {plan.section for plan in plans.values()}
    assert sections == {
        "4.4",
        "4.5",
        "5",
        "5.1.1",
        "5.1.2",
        "5.2",
        "5.3",
        "5.4",
        "6.2",
        "7.2",
        "8.2.2-4",
        "8.2.5",
        "8.2.6",
        "9.1",
        "9.2",
        "10.2",
    }
