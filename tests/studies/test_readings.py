"""Orders judged again under other choices."""

from sojourn.studies import readings
from sojourn.studies.claims import Claim, Outcome
from sojourn.studies.judging import Judgement


def judge(evidence):
    outcome = Outcome.AGREES if evidence else Outcome.DISAGREES
    return Judgement(outcome if evidence is not None else Outcome.NOT_MEASURED, "", "")


CLAIMS = {name: Claim(name, f"claim {name}", "") for name in ("a", "b")}


def table(others, chosen=True):
    return readings.section(CLAIMS, {"a": judge}, chosen, others).tables[0]


def test_only_judgeable_claims_get_a_row():
    assert [row[0] for row in table({"x": True}).rows] == ["claim a"]


def test_where_it_holds_and_where_not():
    found = table({"x": True, "y": False, "z": False, "w": None})
    assert found.rows == (("claim a", "agrees", "x", "the other 2"),)
    assert table({"x": True, "y": False}).rows[0][2:] == ("x", "y")
    assert found.records[0] == {
        "claim": "a",
        "chosen": "agrees",
        "holds": ["x"],
        "fails": ["y", "z"],
    }


def test_all_of_several_are_not_listed():
    assert table({"x": False, "y": False}).rows[0][2:] == ("-", "all 2")


def test_a_claim_that_no_reading_measures_is_left_out():
    assert table({"x": None}).rows == ()
