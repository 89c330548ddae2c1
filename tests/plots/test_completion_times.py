"""The figure of completion times shows quantiles of the rows, class by class."""

from dataclasses import replace

import polars as pl
import pytest

import sojourn as sj
from sojourn.frames import TRANSFERS
from sojourn.plots.choice import PlotError

RUN = """
name = "two"
duration = "10 s"
warmup = "1 s"
replicas = 2

[dumbbell]
rtt = "20 ms"
bottleneck = { rate = "5 Mbit/s", queue = { limit = "20 packets" } }

[[flow]]
name = "short"
transport = { protocol = "tcp" }
traffic = { source = "arrivals", rate = "1 Mbit/s" }

[[flow]]
name = "long"
transport = { protocol = "tcp" }
traffic = { source = "bulk" }

[vary]
"dumbbell.bottleneck.queue.discipline" = ["droptail", "codel"]
"""


@pytest.fixture(scope="module")
def ran():
    return sj.run(sj.Scenario.from_toml(RUN))


def rows(*each, began_s=2.0):
    """Transfers at both points: a replica, a size, and how long it took, 1 s at the least."""
    columns = [
        (point, replica, "short", "short", began_s, size, took, took)
        for point in (0, 1)
        for replica, size, took in each
    ]
    return pl.DataFrame(columns, schema=TRANSFERS, orient="row")


def drawn(ran, frame, **options):
    """What the figure shows of the first discipline."""
    data = replace(ran, transfers=frame).plot("fct", **options).data
    return data.filter(discipline="droptail")


def test_the_median_of_a_class_is_averaged_over_the_replicas(ran):
    of_first = [(0, size, took) for size, took in ((1000, 1.0), (2000, 2.0), (3000, 9.0))]
    of_second = [(1, size, took) for size, took in ((1000, 3.0), (2000, 4.0), (3000, 5.0))]
    (row,) = drawn(ran, rows(*of_first, *of_second)).rows(named=True)
    assert (row["quantity"], row["share"]) == ("fct_s", 0.5)
    assert (row["size_bytes"], row["mean"]) == (2000, 3.0)
    assert row["low"] < 3.0 < row["high"]


def test_sizes_fall_into_two_classes_for_each_factor_of_ten(ran):
    sizes = [1000, 3100, 3200, 9900, 10_000, 31_000]
    frame = drawn(ran, rows(*((replica, size, 1.0) for replica in (0, 1) for size in sizes)))
    assert frame["size_bytes"].to_list() == [2050, 6550, 20_500]


def test_what_was_under_way_is_longer_than_all_others(ran):
    took = [1.0, 2.0, None, None]
    frame = drawn(ran, rows(*((replica, 1000, each) for replica in (0, 1) for each in took[:3])))
    assert frame["mean"].to_list() == [2.0]
    with pytest.raises(PlotError, match="fct_s is known of too few transfers"):
        drawn(ran, rows(*((replica, 1000, each) for replica in (0, 1) for each in took[1:])))


def test_a_class_of_few_has_no_95th_percentile(ran):
    few, many = ([(replica, 1000, 1.0) for replica in (0, 1)] * count for count in (19, 20))
    assert drawn(ran, rows(*few))["share"].to_list() == [0.5]
    assert drawn(ran, rows(*many))["share"].to_list() == [0.5, 0.95]


def test_what_began_before_the_window_does_not_count(ran):
    before = rows(*[(replica, 1000, 9.0) for replica in (0, 1)] * 5, began_s=0.5)
    inside = rows(*[(replica, 1000, 2.0) for replica in (0, 1)] * 5)
    assert drawn(ran, pl.concat([before, inside]))["mean"].to_list() == [2.0]


def test_a_run_that_records_them_has_the_figure(ran):
    with pytest.raises(
        PlotError, match="no transfers were recorded; allowed: a run with transfers"
    ):
        ran.plot("fct")
    results = sj.run(sj.Scenario.from_toml(RUN, overrides={"transfers": True}))
    figure = results.plot("fct", of="slowdown", flow="short")
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["Median", "95th percentile"]
    assert figure.axes[0].get_ylabel() == "Slowdown"
    assert set(figure.data["discipline"]) == {"droptail", "codel"}
    assert figure.data["mean"].min() >= 1
    with pytest.raises(PlotError, match="found no flow of the name 'lang'"):
        results.plot("fct", flow="lang")
    with pytest.raises(PlotError, match="found 'delay'; allowed: fct_s or slowdown"):
        results.plot("fct", of="delay")
