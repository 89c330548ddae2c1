"""What the publication prints, and the grades derived from it."""

from sojourn.studies.eqm import published


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
