"""What the publication prints, and the grades derived from it."""

from sojourn.studies.eqm import published
from sojourn.studies.eqm.verdicts import RULES


def test_every_claim_has_a_rule_and_every_rule_a_claim():
    assert set(RULES) == set(published.load().claims)


def test_every_claim_names_its_place():
    for claim in published.load().claims.values():
        assert claim.text
        assert claim.place
        assert len(claim.quote.split()) <= 12


def test_table_four_as_derived():
    table = published.load().table_three
    found = {
        key: "".join(row.grades()[name] for name in ("eqm", "red", "rem", "sfq"))
        for key, row in table.items()
    }
    assert found == {
        "queue": "ADBC",
        "delay": "ACDB",
        "loss": "BCAD",
        "throughput": "ABCD",
        "utilisation": "CBAD",
    }
    assert sum(row.grades()["eqm"] == "A" for row in table.values()) == 3
