"""The units of tables: what is small can be read beside what is not."""

import pytest

import sojourn
from sojourn.columns import Column

DELAY, RATE = Column("delay", "ms", 2), Column("goodput", "Mbit/s")


@pytest.mark.parametrize(
    ("column", "means", "unit", "text"),
    [
        (DELAY, [3.7e-6, 1.06e-3], "µs", "3.7"),
        (DELAY, [3.7e-6, None, 0.0], "µs", "3.7"),
        (DELAY, [12e-6, 1.06e-3], "ms", "0.01"),
        (DELAY, [3.7e-6, 0.5], "ms", "0.00"),
        (DELAY, [0.0, None], "ms", "0.00"),
        (RATE, [2e3, 9.5e6], "kbit/s", "2.0"),
        (RATE, [80e3, 9.5e6], "Mbit/s", "0.080"),
        (Column("loss", "%"), [1e-7], "%", "0.000"),
    ],
)
def test_a_column_takes_the_smaller_unit_where_a_mean_could_not_be_read(column, means, unit, text):
    fitted = column.fitted(means)
    assert fitted.unit == unit
    assert f"{means[0] * fitted.factor:.{fitted.decimals}f}" == text


def test_what_has_no_row_does_not_count(small):
    """Of a link that nothing crosses, and of each flow, a summary for people has nothing."""
    results = sojourn.run(small)
    whole, shown = results.summary()["points"], results.condensed().summary["points"]
    assert {*whole[0]["links"]} > {*shown[0]["links"]} == {"bottleneck"}
    assert {*whole[0]["flows"]} > {*shown[0]["flows"]}
    for of_all, of_some in zip(whole, shown, strict=True):
        assert of_all["links"]["bottleneck"] == of_some["links"]["bottleneck"]
        assert of_all["groups"] == of_some["groups"]
