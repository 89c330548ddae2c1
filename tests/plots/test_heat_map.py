"""Heat maps that can be read: numbers at the axes, the unit once, no exponents in the cells."""

import polars as pl
from matplotlib.colors import LogNorm

from sojourn.plots.heat_map import draw, number_text


def frame(values):
    return pl.DataFrame(
        [
            (discipline, f"{rate} Mbit/s", "5 ms", values[discipline] * rate)
            for discipline in values
            for rate in (1, 2, 10)
        ],
        schema=["discipline", "x", "y", "mean"],
        orient="row",
    )


def test_the_unit_stands_at_the_axis_alone():
    figure = draw(frame({"red": 0.01, "codel": 0.02, "pie": 0.03}), "queueing_delay_mean_s")
    panels = figure.axes[:3]
    assert [tick.get_text() for tick in panels[2].get_xticklabels()] == ["1", "2", "10"]
    assert panels[2].get_xlabel() == " (Mbit/s)"
    assert panels[1].xaxis.get_tick_params()["labelbottom"], "nothing stands below the second"


def test_colours_go_by_ratio_where_values_are_many_times_each_other():
    near = draw(frame({"red": 1.0, "codel": 1.1}), "queueing_delay_mean_s")
    far = draw(frame({"red": 1.0, "codel": 100.0}), "queueing_delay_mean_s")
    norms = [figure.axes[0].get_images()[0].norm for figure in (near, far)]
    assert [isinstance(norm, LogNorm) for norm in norms] == [False, True]


def test_numbers_of_everyday_sizes_have_no_exponent():
    assert [number_text(value) for value in (1068.4, 0.0123, 36.64, 0)] == [
        "1068",
        "0.0123",
        "36.6",
        "0",
    ]
