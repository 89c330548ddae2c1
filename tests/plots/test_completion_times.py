"""The figure of completion times shows quantiles of the rows, class by class."""

import math
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import sojourn as sj
from sojourn.frames import TRANSFERS
from sojourn.plots.choice import PlotError
from sojourn.stats.intervals import AT_95

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
    """What the figure shows of the first discipline, but for classes of which nothing is known."""
    data = replace(ran, transfers=frame).plot("fct", **options).data
    return data.filter(discipline="droptail").drop_nulls("value")


def test_a_quantile_is_that_of_all_replicas_and_its_interval_leaves_each_out(ran):
    first = [(0, 2000, float(took)) for took in range(1, 11)]
    second = [(1, 2000, float(took)) for took in range(3, 13)]
    (row,) = drawn(ran, rows(*first, *second)).rows(named=True)
    assert (row["quantity"], row["share"], row["size_bytes"]) == ("fct_s", 0.5, 2000)
    assert row["value"] == 6.0, "ten of twenty take no longer"
    # Without the first 7, without the second 5: of two, the deviation is half their difference.
    factor = math.exp(AT_95[0] * (math.log(7) - math.log(5)) / 2)
    assert (row["low"], row["high"]) == pytest.approx((6 / factor, 6 * factor))


def test_sizes_fall_into_two_classes_for_each_factor_of_ten(ran):
    sizes = [1000, 3100, 3200, 9900, 10_000, 31_000]
    each = [(replica, size, 1.0) for replica in (0, 1) for size in sizes] * 3
    assert drawn(ran, rows(*each))["size_bytes"].to_list() == [2050, 6550, 20_500]


def test_what_was_under_way_counts_for_as_long_as_it_was_seen(ran):
    """Of ten, five take 1 to 5 s. Four were 2.5 s old at the end: half is what the sixth takes, as
    of the other six four take longer than 2."""
    took = [(0, 2000, each) for each in (1.0, 2.0, 3.0, 4.0, 5.0, 6.0)]
    young = rows(*[(0, 2000, None)] * 4, began_s=7.5)
    old = rows(*[(0, 2000, None)] * 4, began_s=1.0)
    values = [drawn(ran, pl.concat([rows(*took), each]))["value"] for each in (young, old)]
    assert values[0].to_list() == [4.0], "8/10, and of that 3/4 and 2/4"
    assert values[1].to_list() == [5.0], "5/10: nine seconds are longer than all"


def test_a_quantile_needs_five_beyond_it(ran):
    few, many = ([(0, 1000, 1.0)] * count for count in (99, 100))
    assert drawn(ran, rows(*few))["share"].to_list() == [0.5]
    assert drawn(ran, rows(*many))["share"].to_list() == [0.5, 0.95]
    with pytest.raises(PlotError, match="fct_s is known of too few transfers"):
        drawn(ran, rows(*[(0, 1000, 1.0)] * 9))


def test_a_quantile_is_not_known_where_most_were_under_way(ran):
    rest = rows(*[(0, 9000, 1.0)] * 10)
    most = rows(*[(0, 1000, 1.0)] * 4, *[(0, 1000, None)] * 6)
    assert drawn(ran, pl.concat([most, rest]))["size_bytes"].to_list() == [9000]


def test_the_lines_are_broken_where_nothing_is_known(ran):
    known = [(0, size, 1.0) for size in (1000, 30_000)] * 10
    most = [(0, 5000, 1.0)] * 4 + [(0, 5000, None)] * 6
    frame = rows(*known, *most)
    fast = frame.filter(pl.col("point") == 1).with_columns(pl.col("fct_s").fill_null(0.5))
    both = pl.concat([frame.filter(pl.col("point") == 0), fast])
    figure = replace(ran, transfers=both).plot("fct")
    droptail, codel = figure.axes[0].get_lines()
    assert np.isnan(droptail.get_ydata()).tolist() == [False, True, False]
    assert not np.isnan(codel.get_ydata()).any()


def test_what_began_before_the_window_does_not_count(ran):
    before = rows(*[(replica, 1000, 9.0) for replica in (0, 1)] * 5, began_s=0.5)
    inside = rows(*[(replica, 1000, 2.0) for replica in (0, 1)] * 5)
    assert drawn(ran, pl.concat([before, inside]))["value"].to_list() == [2.0]


def test_what_has_no_size_yet_is_told(ran):
    pages = rows(*[(0, None, None)] * 5)
    figure = replace(ran, transfers=pl.concat([rows(*[(0, 1000, 1.0)] * 15), pages])).plot("fct")
    assert figure.get_suptitle() == "Left out: 25.0%, under way and of unknown size"


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
    assert figure.data["value"].min() >= 1
    with pytest.raises(PlotError, match="found no flow of the name 'lang'"):
        results.plot("fct", flow="lang")
    with pytest.raises(PlotError, match="found 'delay'; allowed: fct_s or slowdown"):
        results.plot("fct", of="delay")
    with pytest.raises(PlotError, match="no finite transfer began in the window"):
        results.plot("fct", flow="long")
