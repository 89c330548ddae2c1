"""Metrics of what is compared, side by side: each with its mean and its interval."""

import itertools

import numpy as np
import polars as pl
import pytest

import sojourn as sj
from sojourn.plots import side_by_side
from sojourn.plots.choice import PlotError
from sojourn.plots.looks import titles

DELAY = "groups.call.delay_p95_s"


def names(axes):
    return [label.get_text() for label in axes.get_yticklabels()]


def marks(axes):
    """Where the means stand, from the top: those lines that are a single point."""
    lines = [line for line in axes.get_lines() if len(line.get_xdata()) == 1]
    return [line.get_xdata()[0] for line in sorted(lines, key=lambda line: line.get_ydata()[0])]


def frame(values, quantity="links.uplink.queueing_delay_mean_s", half=0.1):
    rows = [
        (name, quantity, value, value * (1 - half), value * (1 + half))
        for name, value in values.items()
    ]
    return pl.DataFrame(rows, schema=side_by_side.COLUMNS, orient="row")


def test_each_row_is_a_mean_with_its_interval_in_the_order_of_the_scenario(results):
    figure = results.plot("compare", of=DELAY, case=0)
    assert figure.data.columns == ["discipline", "quantity", "mean", "low", "high"]
    (axes,) = figure.axes
    assert names(axes) == ["Drop-tail", "RED", "CoDel", "CoDel, target=20 ms"]
    assert axes.get_ylim()[0] > axes.get_ylim()[1], "the first is on top"
    calls = results.groups.filter((pl.col("group") == "call") & (pl.col("point") < 4))
    means = calls.group_by("point").agg(pl.col("delay_p95_s").mean()).sort("point")["delay_p95_s"]
    np.testing.assert_allclose(marks(axes), means * 1e3)
    # Student's t of two degrees of freedom, for the 95 % of three replicas.
    values = calls.filter(pl.col("point") == 1)["delay_p95_s"]
    row = figure.data.row(1, named=True)
    half = 4.302653 * values.std() / 3**0.5
    assert (row["low"], row["high"]) == pytest.approx((values.mean() - half, values.mean() + half))
    bar = next(line for line in axes.get_lines() if list(line.get_ydata()) == [1, 1])
    np.testing.assert_allclose(bar.get_xdata(), [row["low"] * 1e3, row["high"] * 1e3])
    assert figure.get_suptitle() == "Case: call rate 0.5 Mbit/s"


def test_without_a_metric_it_is_the_delay_of_the_longest_queue(results):
    figure = results.plot("compare")
    assert set(figure.data["quantity"]) == {"links.uplink.queueing_delay_mean_s"}
    assert figure.axes[0].get_xlabel() == "Mean queueing delay at\nuplink (ms)\nwith 95 % interval"


def test_several_metrics_have_a_panel_each(results):
    figure = results.plot("compare", of=f"{DELAY}, total.goodput_bps,groups.call.jain_index")
    shown = [axes for axes in figure.axes if axes.get_visible()]
    labels = [axes.get_xlabel() for axes in shown]
    assert labels == [
        "95th percentile of the delay\nof call (ms)\nwith 95 % interval",
        "Goodput (Mbit/s)\nwith 95 % interval",
        "Jain's fairness index of\ncall\nwith 95 % interval",
    ]
    assert all(len(marks(axes)) == 4 for axes in shown)
    assert names(shown[1]) == [""] * 4


def test_where_no_replica_has_a_second_there_is_no_interval(results):
    one = frame({"droptail": 1.0, "codel": 2.0}).with_columns(
        pl.lit(None, pl.Float64).alias("low"), pl.lit(None, pl.Float64).alias("high")
    )
    (axes,) = side_by_side.draw(one).axes
    assert "interval" not in axes.get_xlabel()
    assert marks(axes) == [1e3, 2e3]
    assert len(axes.get_lines()) == 2


@pytest.mark.parametrize(
    ("values", "scale", "left"),
    [
        ({"droptail": 0.3, "codel": 0.1}, "linear", 0.0),
        ({"droptail": 0.3, "codel": 0.01}, "log", None),
        ({"droptail": 0.3, "codel": 0.0}, "linear", 0.0),
        ({"droptail": 0.30, "codel": 0.28}, "linear", None),
    ],
)
def test_the_axis_shows_differences(values, scale, left):
    (axes,) = side_by_side.draw(frame(values)).axes
    assert axes.get_xscale() == scale
    if left is None:
        assert 0 < axes.get_xlim()[0] < min(values.values()) * 1e3
    else:
        assert axes.get_xlim()[0] == left


def test_no_share_is_beyond_the_whole():
    shares = frame({"droptail": 0.99, "codel": 0.95}, "links.bottleneck.utilization", 0.03)
    (axes,) = side_by_side.draw(shares).axes
    assert 99 < axes.get_xlim()[1] < 101


@pytest.mark.parametrize("width", [3.4, 7.2])
@pytest.mark.parametrize("count", [2, 12])
def test_every_name_is_whole_in_the_column_of_a_paper_too(width, count):
    known = list(titles())[: count - 1]
    values = dict.fromkeys([*known, "codel, interval=20 ms, target=15 ms"], 0.1)
    figure = side_by_side.draw(frame(values, "links.bottleneck.queueing_delay_mean_s"))
    figure.set_figwidth(width)
    figure.draw_without_rendering()
    (axes,) = figure.axes
    labels = axes.get_yticklabels()
    boxes = [label.get_window_extent() for label in labels]
    for above, below in itertools.pairwise(boxes):
        assert not above.padded(-1).overlaps(below.padded(-1))
    assert all(box.x0 >= 0 for box in boxes)
    label = axes.xaxis.label.get_window_extent()
    assert (label.x0 >= 0, label.x1 <= figure.bbox.width + 2) == (True, True)
    assert axes.get_window_extent().width > 0.35 * figure.bbox.width


@pytest.mark.parametrize(
    ("of", "message"),
    [
        ("total.speed", "found the metric 'speed'"),
        ("total.goodput_bps,", "found ''; allowed: total.METRIC"),
        ("total.fct_s", r"total\.fct_s has no value at any point of the figure"),
    ],
)
def test_what_cannot_be_compared_is_said(results, of, message):
    with pytest.raises(PlotError, match=message):
        results.plot("compare", of=of)


def test_one_alone_is_compared_with_nothing(tcp_results):
    with pytest.raises(PlotError, match="found one point in the case; a comparison is of several"):
        tcp_results.plot("compare")


def test_where_only_the_discipline_varies_load_says_which_figure_there_is(tcp_text):
    vary = '[vary]\n"link.bottleneck.queue.discipline" = ["droptail", "codel"]\n'
    ran = sj.run(sj.Scenario.from_toml(tcp_text + vary), replicas=1)
    with pytest.raises(PlotError, match="; the figure compare shows what is compared"):
        ran.plot("load", of="total.goodput_bps")
    frame = ran.plot("compare", of="total.goodput_bps").data
    assert frame["discipline"].to_list() == ["droptail", "codel"]
