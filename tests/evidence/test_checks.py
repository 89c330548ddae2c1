"""The evidence of single disciplines: complete, as committed, and able to fail."""

from dataclasses import replace
from pathlib import Path

import pytest

from sojourn import registries
from sojourn.validate import laws, measures, own, properties, sequences, table, theory
from sojourn.validate.evidence import EvidenceError
from sojourn.validate.finding import Verdict
from sojourn.validate.play import Player, operate

EVIDENCE = Path(__file__).parents[2] / "evidence"


def registered() -> list[str]:
    return sorted(registries.entries("disciplines"))


def test_every_discipline_has_evidence_and_one_figure():
    assert properties.names(EVIDENCE) == registered()
    for name in registered():
        checks = properties.load(EVIDENCE / name)
        assert len(checks) >= 3, name
        assert sum(bool(check.figure) for check in checks) == 1, name


@pytest.mark.parametrize("name", registered())
def test_the_committed_results_are_those_of_today(name):
    """Of the checks by operations, which take no time; `sojourn validate` does them all."""
    rows = table.from_csv((EVIDENCE / name / "results.csv").read_text(encoding="utf-8"))
    assert {row.verdict for row in rows} == {Verdict.AGREES}
    committed = {row.check: row for row in rows if row.case}
    checks = properties.load(EVIDENCE / name)
    assert {check.name for check in checks} <= set(committed)
    for check in checks:
        if check.operations and not check.poke and check.runs == 1:
            assert own.found(check) == committed[check.name]
    for sequence in sequences.load(EVIDENCE / name):
        assert sequences.found(sequence) == committed[sequence.name]


def test_a_wrong_expectation_of_a_sequence_is_found_with_its_place(tmp_path):
    (folder := tmp_path / "droptail").mkdir()
    entry = """
[[sequence]]
name = "a"
source = "b"
why = "c"
queue = { limit = "1 packets" }
operations = [
    { op = "enqueue", expect = { taken = true, packets = 1 } },
    { op = "enqueue", expect = { taken = true, drops = 0, bytes = [1500, 2000] } },
    { op = "dequeue", expect = { packet = "none" } },
]
"""
    (folder / "sequences.toml").write_text(entry)
    (sequence,) = sequences.load(folder)
    assert sequences.broken_expectations(sequence) == [
        "operation 2 (enqueue): taken is False, not True",
        "operation 2 (enqueue): drops is 1, not 0",
        "operation 2 (enqueue): bytes is 1000, not [1500, 2000]",
        "operation 3 (dequeue): packet is 0, not none",
    ]
    assert sequences.found(sequence).verdict is Verdict.DIFFERS
    for right, wrong, said in (
        ("why =", "because =", "unknown key 'because'"),
        ('why = "c"', "", "'why' is missing"),
        ("expect", "note", "it expects nothing"),
        ("[[sequence]]", "[[sequence]", "sequences.toml"),
    ):
        (folder / "sequences.toml").write_text(entry.replace(right, wrong))
        with pytest.raises(EvidenceError, match=said):
            sequences.load(folder)
    for right, wrong, said in (
        ("taken = true", "tkaen = true", "tkaen"),
        ('"dequeue"', '"deqeue"', "deqeue"),
        ("limit =", "limti =", "limti"),
    ):
        (folder / "sequences.toml").write_text(entry.replace(right, wrong))
        (sequence,) = sequences.load(folder)
        with pytest.raises(EvidenceError, match=said):
            sequences.broken_expectations(sequence)


def test_a_wrong_expectation_is_found():
    (check, *_) = properties.load(EVIDENCE / "codel")
    assert properties.check(check).agrees
    wrong = check.expected | {"interval_s": 0.11}
    assert not properties.check(replace(check, expected=wrong)).agrees
    assert not properties.check(replace(check, queue={"limit": "none", "target": "9 ms"})).agrees
    assert not properties.check(replace(check, expected=[0.13])).agrees


def test_broken_laws_are_counted():
    player = Player("droptail", {"limit_packets": 3}, {}, 1)
    operate(player, [{"op": "enqueue", "repeat": 5}, {"op": "dequeue", "repeat": 2}])
    sound = laws.broken_laws(player.record, ["ect0"] * 5, 3)
    assert set(sound.values()) == {0}
    assert laws.broken_laws(player.record, ["ect0"] * 5, 2)["limit"] == 3
    player.record.departures.reverse()
    assert laws.broken_laws(player.record, ["ect0"] * 5, 3)["order"] == 1
    player.record.departures.pop()
    lost = laws.broken_laws(player.record, ["ect0"] * 5, 3)
    assert (lost["packets"], lost["bytes"]) == (1, 1)


def test_theory_gives_the_numbers_of_the_papers():
    gaps = theory.function("codel.drop_times")(first_s=0, interval_s=0.1, count=5)
    assert gaps == pytest.approx([0.1, 0.2, 0.2707, 0.3284, 0.3784], abs=1e-4)
    caps = [theory.function("fair.ns2_sfq_total")(flows=m, maxqueue=40) for m in (1, 2, 3)]
    assert caps == [13, 20, 24]
    assert theory.function("fair.alone")(flows=100, queues=1024) == pytest.approx(0.9078, abs=1e-4)
    steps = theory.function("pi.pie_steps")(updates=2, delay_s=0.03)
    assert steps == pytest.approx([1.9226e-5, 3.388e-5], rel=1e-3)
    most = max(theory.function("choke.udp_share")(x / 100, 0) for x in range(50, 200))
    assert most == pytest.approx(0.2689, abs=1e-4)
    assert theory.function("fair.max_min")([0.05, 0.5, 1]) == pytest.approx([0.05, 0.475, 0.475])


def test_what_is_wrong_in_a_file_is_named(tmp_path):
    folder = tmp_path / "codel"
    folder.mkdir()
    place = folder / "checks.toml"
    for text, said in (
        ("[[check]]\nname = 'a'\nsource = 'b'\nmeasure = { name = 'x' }", "'expected' is missing"),
        ("[[check]]\nname = 'a'\nwhy = 1", "unknown key 'why'"),
        (
            "[[check]]\nname = 'a'\nsource = 'b'\nexpected = 1\nmeasure = { name = 'x' }",
            "there is no measure 'x'",
        ),
        ("[[check]", "checks.toml"),
        ("[[chekc]]", r"\[\[check\]\] is missing"),
    ):
        place.write_text(text)
        with pytest.raises(EvidenceError, match=said):
            properties.load(folder)
    place.write_text(
        "[[check]]\nname = 'a'\nsource = 'b'\nexpected = 1\nmeasure = { name = 'count_drops' }\n"
        "queue = { traget = 1 }\noperations = []"
    )
    (check,) = properties.load(folder)
    with pytest.raises(EvidenceError, match="traget"):
        properties.check(check)


def test_measures_of_a_small_record():
    player = Player("droptail", {"limit_packets": 2}, {"mbps": 8}, 1)
    operate(
        player,
        [
            {"op": "enqueue", "flow": 0, "t": 0},
            {"op": "enqueue", "flow": 1, "t": 1, "bytes": 500},
            {"op": "enqueue", "flow": 1, "t": 2},
            {"op": "dequeue", "t": 4, "repeat": 2},
        ],
    )
    record = player.record
    assert measures.loss_ratio(record) == pytest.approx(1 / 3)
    assert measures.loss_ratio(record, flow=1) == pytest.approx(1 / 2)
    assert measures.dropped(record) == [2]
    assert measures.served_flows(record) == [0, 1]
    assert measures.shares(record) == pytest.approx([2 / 3, 1 / 3])
    assert measures.delay_mean(record) == pytest.approx(3.5)
    assert measures.delay_max(record, flow=1) == pytest.approx(3)
    assert measures.state_mean(record, "packets") == pytest.approx((1 + 2 + 2 + 2) / 4)
    assert measures.state_at(record, "packets", [0.5, 1.5, 9]) == [1, 2, 0]
