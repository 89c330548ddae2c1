"""Known outcomes give known verdicts."""

import polars as pl
import pytest

from sojourn.studies.claims import Outcome
from sojourn.studies.eqm import measures
from sojourn.studies.eqm.evidence import Evidence
from sojourn.studies.eqm.study import EqmStudy
from sojourn.studies.eqm.verdicts import RULES
from sojourn.studies.knobs import StudyError


def evaluate(synthetic, settings=None, **options):
    settings = settings or synthetic.settings()
    return EqmStudy().evaluate({"eqm": synthetic.frames(settings, **options)}, settings)


@pytest.fixture(scope="module")
def report(synthetic):
    return evaluate(synthetic)


def test_orders_that_separate(report, outcomes_of):
    found = outcomes_of(report)
    assert found["queue-least-eqm"] is Outcome.AGREES
    assert found["delay-least-eqm"] is Outcome.AGREES
    assert found["queue-most-red"] is Outcome.DISAGREES
    assert found["loss-least-rem"] is Outcome.AGREES
    assert found["throughput-best-eqm"] is Outcome.DISAGREES
    assert found["utilisation-best-rem"] is Outcome.AGREES


def test_impossible_whatever_we_measure(synthetic, report, outcomes_of):
    impossible = {
        "delay-cells",
        "little",
        "throughput-cells",
        "loss-and-throughput",
        "utilisation-cells",
        "throughput-utilisation-ratio",
    }
    other = evaluate(synthetic, queues=dict.fromkeys(synthetic.QUEUES, 3.0))
    for found in (outcomes_of(report), outcomes_of(other)):
        assert {name for name, one in found.items() if one is Outcome.IMPOSSIBLE} == impossible


def test_proofs_carry_their_numbers(report):
    reasons = {one.claim.id: one.reason for one in report.verdicts}
    assert "18 packets need 9 ms, printed 3.07" in reasons["little"]
    assert "270.65 Mbit/s" in reasons["throughput-cells"]
    assert "5.8 % more" in reasons["loss-and-throughput"]
    assert "32.28 ms" in reasons["delay-cells"]
    assert "7.48 to 8.38" in reasons["throughput-utilisation-ratio"]


def test_the_contradiction_has_its_own_verdict(report):
    found = [one for one in report.verdicts if one.outcome is Outcome.CONTRADICTS_ITSELF]
    assert [one.claim.id for one in found] == ["loss-contradiction"]
    assert "47" in found[0].reason
    assert "nobody loses a packet" in found[0].reason


def test_no_difference_is_no_agreement(synthetic, outcomes_of):
    same = dict.fromkeys(synthetic.QUEUES, 12.0)
    report = evaluate(synthetic, queues=same, losses=dict.fromkeys(synthetic.LOSSES, 1.0))
    found = outcomes_of(report)
    for claim in ("queue-least-eqm", "loss-least-rem", "throughput-best-eqm", "grades"):
        assert found[claim] is Outcome.DISAGREES
    reasons = {one.claim.id: one.reason for one in report.verdicts}
    assert reasons["queue-least-eqm"].startswith("No difference at all")
    ranking = next(t for s in report.sections for t in s.tables if t.id == "table-four")
    assert all(cell.endswith("A=") for row in ranking.rows[:-1] for cell in row[1:])


def test_losses_below_the_capacity_are_judged_there(synthetic, outcomes_of):
    below = {"eqm": 20.0, "red": 90.0, "rem": 40.0, "sfq": 60.0, "droptail": 10.0}
    settings = synthetic.settings()
    frames = synthetic.frames(settings, loss_below=below)
    # equal counts in every replica: a difference without deviation separates
    found = outcomes_of(EqmStudy().evaluate({"eqm": frames}, settings))
    assert found["loss-least-eqm"] is Outcome.AGREES
    assert found["loss-most-red"] is Outcome.AGREES


@pytest.mark.parametrize("replicas", ["1", "2"])
def test_too_few_replicas_carry_no_order_and_no_number(synthetic, replicas, outcomes_of):
    settings = synthetic.settings(replicas=replicas)
    found = outcomes_of(evaluate(synthetic, settings))
    for claim in (
        "queue-least-eqm",
        "loss-cells",
        "utilisation-cells-percent",
        "grades",
        "high-load",
        "overall",
        "delay-minimum-same",
        "utilisation-same-early",
    ):
        assert found[claim] is Outcome.NOT_MEASURED, claim
    assert found["delay-cells"] is Outcome.IMPOSSIBLE


@pytest.mark.parametrize(
    ("more", "by", "outcome"),
    [
        (1.0, 0.0, "agrees"),
        (1.0, 0.01, "not measured"),
        (1.02, 0.05, "not measured"),
        (1.02, 0.0001, "disagrees"),
    ],
)
def test_the_same_is_so_beyond_doubt(synthetic, more, by, outcome):
    """Of eight replicas RED's values are `more` times what they were, `by` up and down in turn."""
    settings = synthetic.settings()
    frame = measures.observations(synthetic.frames(settings), settings)
    factor = pl.when(pl.col("discipline") == "red").then(
        more * (1 + by * (1 - 2 * (pl.col("replica") % 2)))
    )
    columns = ("delay_ms", "utilisation_percent")
    changed = frame.with_columns(pl.col(one) * factor.otherwise(1.0) for one in columns)
    found = Evidence.of(changed, settings)
    for claim in ("delay-minimum-same", "utilisation-same-early"):
        verdict = RULES[claim](found)
        assert verdict.outcome == outcome, claim
        assert verdict.reason.startswith("Undecided") is (outcome == "not measured")


def test_no_load_up_to_the_capacity(synthetic):
    """A knob may leave no load up to 8 Mbit/s; the study still says what it can."""
    report = evaluate(synthetic, synthetic.settings(loads="1"))
    missing = {
        one.claim.id: one.reason for one in report.verdicts if one.outcome is Outcome.NOT_MEASURED
    }
    assert missing == dict.fromkeys(
        (
            "loss-least-eqm",
            "loss-most-red",
            "utilisation-least-sfq",
            "utilisation-same-early",
            "high-load",
        ),
        "Not measured: no run with loads up to 8 Mbit/s.",
    )


def test_no_packet_at_all(synthetic):
    settings = synthetic.settings()
    frames = synthetic.frames(settings)
    frames.totals = frames.totals.with_columns(received_packets=pl.lit(0.0))
    with pytest.raises(StudyError, match="no packet was received in 30 s"):
        EqmStudy().evaluate({"eqm": frames}, settings)


def test_comparison_has_the_printed_rows(report):
    table = report.comparison
    printed = [row for row in table.rows if row[1] == "published"]
    assert [row[2] for row in printed] == ["18", "3.07", "49", "343.58", "43.03"]
    assert table.header[2] == "EQM (reconstruction)"
    assert all(len(row) == len(table.header) for row in table.rows)


def test_tables_are_rectangular_and_named_once(report):
    tables = [report.comparison, *(one for part in report.sections for one in part.tables)]
    assert len({one.id for one in tables}) == len(tables)
    for table in tables:
        assert {len(row) for row in table.rows} == {len(table.header)}


def test_everything_about_eqm_of_ours_is_a_reconstruction(report):
    for one in report.verdicts:
        assert "EQM (reconstruction)" in one.ours or "EQM" not in one.ours
    for figure in report.figures:
        assert "EQM (reconstruction)" in figure.alt


def test_answer_in_words(report):
    assert report.answer[0].startswith("That EQM is the best of the four does not hold")
    assert "contradicts itself" in report.answer[0]


def test_what_short_queues_cost_is_said_as_the_numbers_have_it(synthetic, report):
    # As drawn up: sfq has a shorter queue than red, and loses fewer packets.
    assert report.answer[-1] == (
        "On common arrivals throughput, utilisation and loss are one order (by their means, from "
        "the best: REM, SFQ, RED, EQM (reconstruction)), and nobody loses fewer packets than "
        "drop-tail. A shorter queue need not be paid for in packets: SFQ keeps a shorter one than "
        "RED and loses fewer."
    )
    losses = {"eqm": 1.6, "red": 1.4, "rem": 1.1, "sfq": 1.5, "droptail": 1.0}
    paid = evaluate(synthetic, losses=losses).answer[-1]
    assert paid.endswith("Where two queues separate, the shorter one loses more packets.")
    alike = dict.fromkeys(synthetic.QUEUES, 1.5)
    assert "shorter" not in evaluate(synthetic, losses=alike).answer[-1]
    # With a warm-up the books do not begin with an empty queue: nothing is said of drop-tail.
    settings = synthetic.settings(warmup="1 s")
    assert "drop-tail" not in evaluate(synthetic, settings).answer[-1]


def test_open_points_name_their_knobs(report):
    knobs = {knob.name for knob in EqmStudy.knobs}
    for point in report.open_points:
        for name in point.knob.split(", "):
            assert name == "-" or name in knobs
    text = " ".join(point.choice for point in report.open_points)
    assert "1 s on, 0.5 s off" in text


def test_ratios_stand_beside_the_counts(report):
    ratios = next(t for s in report.sections for t in s.tables if t.id == "ratios")
    names = {row[0] for row in ratios.rows}
    assert any("Delivery" in name for name in names)
    assert any("equation 1" in name for name in names)
