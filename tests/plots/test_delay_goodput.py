"""Delay against goodput: by ratio where one delay is many times another; ellipses as they are."""

import warnings

import numpy as np
import polars as pl
import pytest

from sojourn.plots.choice import PlotError
from sojourn.plots.delay_goodput import contour, draw


def frame(delays):
    return pl.DataFrame(
        [
            (name, replica, delay * (1 + 0.01 * replica), 9e6 + 1e4 * (replica % 3))
            for name, delay in delays.items()
            for replica in range(5)
        ],
        schema=["discipline", "replica", "delay_s", "goodput_bps"],
        orient="row",
    )


def test_the_axis_goes_by_ratio_where_a_delay_is_many_times_another():
    near = draw(frame({"red": 0.01, "codel": 0.005})).axes[0]
    far = draw(frame({"droptail": 1.0, "codel": 0.005})).axes[0]
    none = draw(frame({"droptail": 1.0, "codel": 0.0})).axes[0]
    assert [axes.get_xscale() for axes in (near, far, none)] == ["linear", "log", "linear"]
    assert all(axes.xaxis_inverted() for axes in (near, far, none))


def test_a_discipline_at_which_no_packet_waited_has_its_name_alone():
    idle = pl.col("discipline") == "codel"
    some = frame({"red": 0.01, "codel": 0.005})
    some = some.with_columns(pl.when(~idle).then("delay_s"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figure = draw(some)
        figure.draw_without_rendering()
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["RED", "CoDel"]
    with pytest.raises(PlotError, match="no packet was delayed"):
        draw(some.filter(idle))


def test_the_ellipse_is_around_the_means_and_the_mark_at_the_medians():
    """RFC 7928, 2.7: the Gaussian of maximum likelihood has the mean of its points."""
    delays, goodputs = [0.010, 0.011, 0.012, 0.013, 0.054], [9e6, 9e6, 9e6, 8e6, 5e6]
    rows = [
        ("red", number, *both) for number, both in enumerate(zip(delays, goodputs, strict=True))
    ]
    columns = ["discipline", "replica", "delay_s", "goodput_bps"]
    mark, ellipse = draw(pl.DataFrame(rows, schema=columns, orient="row")).axes[0].lines
    assert mark.get_xydata().tolist() == [[12.0, 9.0]]
    ends = ellipse.get_xydata()
    assert (ends.max(axis=0) + ends.min(axis=0)) / 2 == pytest.approx([20.0, 8.0], rel=1e-3)


@pytest.mark.parametrize("by_ratio", [False, True])
def test_the_ellipse_holds_what_a_gaussian_has_within_one_sigma(by_ratio):
    rng = np.random.default_rng(1)
    draws = rng.multivariate_normal([2, 9], [[0.04, 0.02], [0.02, 0.09]], 20_000)
    x = np.exp(draws[:, 0]) if by_ratio else draws[:, 0]
    across, up = contour(x, draws[:, 1], by_ratio)
    if by_ratio:
        across, x = np.log(across), np.log(x)
    # A point is inside if its direction's rim lies further out; the share is 1 - exp(-1/2).
    line = np.vstack([across - np.mean(x), up - np.mean(draws[:, 1])])
    points = np.vstack([x - np.mean(x), draws[:, 1] - np.mean(draws[:, 1])])
    rim = np.argsort(np.arctan2(line[1], line[0]))
    angle = np.arctan2(points[1], points[0])
    radius = np.interp(angle, np.arctan2(*line[::-1])[rim], np.hypot(*line)[rim], period=2 * np.pi)
    assert np.mean(np.hypot(*points) < radius) == pytest.approx(1 - np.exp(-0.5), abs=0.01)
