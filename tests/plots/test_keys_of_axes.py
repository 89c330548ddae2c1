"""A key that has an axis is not in the names of what is drawn; a quantity is an axis by itself."""

import json

import numpy as np
import polars as pl
import pytest

import sojourn as sj
from sojourn.plots.choice import PlotError

HEAD = """
name = "buffers"
duration = "2 s"
replicas = 3

[dumbbell]
rtt = "20 ms"
bottleneck = { rate = "5 Mbit/s", queue = { limit = "20 packets" } }

[[flow]]
name = "call"
count = 2
transport = { protocol = "udp", payload = "972 B" }
traffic = { source = "poisson", rate = "3 Mbit/s" }

[vary]
"""
LIMIT = "link.bottleneck.queue.limit"
QUEUE = "link.bottleneck.queue"
LIMITS = f'"{LIMIT}" = ["5 packets", "20 packets", "80 packets"]\n'
QUEUES = f'"{QUEUE}" = [{{ discipline = "droptail" }}, {{ discipline = "codel" }}]\n'
DELAYS = '"dumbbell.rtt" = ["20 ms", "40 ms"]\n'


@pytest.fixture(scope="module")
def ran():
    known = {}

    def run(*vary):
        if vary not in known:
            known[vary] = sj.run(sj.Scenario.from_toml(HEAD + "".join(vary)))
        return known[vary]

    return run


def legend(figure):
    return [text.get_text() for legend in figure.legends for text in legend.get_texts()]


def lines(figure):
    return [line for line in figure.axes[0].get_lines() if not line.get_label().startswith("_")]


def waits(results, point):
    links = results.links.filter((pl.col("link") == "bottleneck") & (pl.col("point") == point))
    return links["queueing_delay_mean_s"].mean() * 1e3


def test_one_line_leads_over_the_limits_of_one_discipline(ran):
    results = ran(LIMITS)
    for figure in (results.plot("load"), results.plot("load", x=LIMIT)):
        (line,) = lines(figure)
        assert line.get_label() == "Drop-tail"
        np.testing.assert_array_equal(line.get_xdata(), [5, 20, 80])
        np.testing.assert_allclose(line.get_ydata(), [waits(results, point) for point in range(3)])
        assert figure.axes[0].get_xlabel() == "Bottleneck limit (packets)"
        assert len(figure.axes[0].collections) == 1, "the band of all its intervals"


def test_a_line_for_each_discipline_whatever_the_order_of_the_keys(ran):
    for vary in ((QUEUES, LIMITS), (LIMITS, QUEUES)):
        figure = ran(*vary).plot("load")
        assert [line.get_label() for line in lines(figure)] == ["Drop-tail", "CoDel"]
        assert all(len(line.get_xdata()) == 3 for line in lines(figure))
        assert legend(figure) == ["Drop-tail", "CoDel"]


def test_what_makes_cases_is_an_axis_first_and_a_limit_only_if_it_is_asked_for(ran):
    results = ran(QUEUES, LIMITS, DELAYS)
    assert results.plot("load").axes[0].get_xlabel() == "Rtt (ms)"
    assert len(lines(results.plot("load"))) == 6
    figure = results.plot("load", x=LIMIT)
    assert [line.get_label() for line in lines(figure)] == ["Drop-tail", "CoDel"]
    assert figure.axes[0].get_title(loc="left") == "rtt 40 ms"
    # Points go by queue, then limit, then delay: the second discipline, with 40 ms.
    expected = [waits(results, point) for point in (7, 9, 11)]
    np.testing.assert_allclose(lines(figure)[1].get_ydata(), expected)


@pytest.mark.parametrize(("x", "y"), [(LIMIT, "dumbbell.rtt"), ("dumbbell.rtt", LIMIT)])
def test_no_panel_of_a_heat_map_has_an_empty_cell(ran, x, y):
    results = ran(QUEUES, LIMITS, DELAYS)
    figure = results.plot("heatmap", x=x, y=y)
    panels = [axes for axes in figure.axes if axes.get_images()]
    assert [axes.get_title(loc="left") for axes in panels] == ["Drop-tail", "CoDel"]
    for panel, discipline in enumerate(("droptail", "codel")):
        cells = np.asarray(panels[panel].get_images()[0].get_array())
        cells = cells.T if x == LIMIT else cells
        expected = [
            [waits(results, 6 * panel + 2 * limit + rtt) for rtt in range(2)] for limit in range(3)
        ]
        np.testing.assert_allclose(cells, expected)
        rows = figure.data.filter(pl.col("discipline") == discipline)
        assert len(rows) == 6


def test_a_heat_map_of_what_is_compared_alone_is_over_the_quantity_and_the_discipline(ran):
    results = ran(QUEUES, LIMITS)
    panel = results.plot("heatmap").axes[0]
    assert panel.get_xlabel() == "bottleneck limit (packets)"
    assert [label.get_text() for label in panel.get_yticklabels()] == ["Drop-tail", "CoDel"]
    cells = np.asarray(panel.get_images()[0].get_array())
    np.testing.assert_allclose(cells, np.reshape([waits(results, n) for n in range(6)], (2, 3)))


def test_two_quantities_of_one_discipline_are_the_factors_of_a_heat_map(ran):
    red = QUEUE + ".max_p"
    vary = (f'"{QUEUE}.discipline" = ["red"]\n', LIMITS, f'"{red}" = [0.02, 0.1]\n')
    figure = ran(*vary).plot("heatmap")
    assert figure.axes[0].get_xlabel() == "bottleneck limit (packets)"
    assert figure.axes[0].get_ylabel() == "bottleneck max_p"
    assert np.asarray(figure.axes[0].get_images()[0].get_array()).shape == (2, 3)


def test_disciplines_along_an_axis_are_points_that_no_line_joins(ran):
    results = ran(QUEUES, LIMITS)
    figure = results.plot("load", x=QUEUE)
    names = ["limit=5 packets", "limit=20 packets", "limit=80 packets"]
    assert [line.get_label() for line in lines(figure)] == names
    assert {line.get_linestyle() for line in lines(figure)} == {"None"}
    ticks = [label.get_text() for label in figure.axes[0].get_xticklabels()]
    assert ticks == ["Drop-tail", "CoDel"]
    frame = figure.data.filter(pl.col("discipline") == names[2])
    drawn = figure.axes[0].collections[2].get_segments()
    wanted = frame.select(pl.col("low", "high") * 1e3).rows()
    np.testing.assert_allclose([segment[:, 1] for segment in drawn], wanted)
    heat = ran(QUEUES, LIMITS, DELAYS).plot("heatmap", x=QUEUE, y="dumbbell.rtt")
    panels = [axes for axes in heat.axes if axes.get_images()]
    assert [axes.get_title(loc="left") for axes in panels] == names


def test_long_names_along_an_axis_are_whole():
    names = ["droptail", "pie", "codel", "fq_codel", "cake", "dualpi2", "fq_cobalt"]
    queues = ", ".join(f'{{ discipline = "{name}" }}' for name in names)
    results = sj.run(sj.Scenario.from_toml(HEAD + f'"{QUEUE}" = [{queues}]\n' + DELAYS))
    figure = results.plot("heatmap", x="dumbbell.rtt", y=QUEUE)
    assert figure.axes[0].get_yticklabels()[3].get_text() == "FQ-CoDel"
    figure = results.plot("load", x=QUEUE)
    ticks = [label.get_text() for label in figure.axes[0].get_xticklabels()]
    assert ticks == ["Drop-tail", "PIE", "CoDel", "FQ-CoDel", "CAKE", "DualPI2", "FQ-COBALT"]


def test_what_is_no_quantity_is_no_axis_by_itself(ran):
    results = ran(f'"{QUEUE}.discipline" = ["droptail", "codel"]\n')
    with pytest.raises(PlotError, match=r"no quantity varies, so there is no x \(link\."):
        results.plot("load")
    with pytest.raises(PlotError, match="no quantity varies: a heat map needs a factor"):
        results.plot("heatmap")


def test_the_report_of_limits_draws_them_along_an_axis(ran):
    from sojourn.report.charts import charts

    chart = next(one for one in charts(ran(QUEUES, LIMITS)) if one.id == "load")
    assert chart.title == "Against bottleneck limit (packets)"
    (frame,) = (rows for name, rows in chart.spec["datasets"].items())
    drawn = [row for row in frame if row["metric"] == "Mean queueing delay (ms)"]
    assert [(row["discipline"], row["load"]) for row in drawn] == [
        (name, limit) for name in ("Drop-tail", "CoDel") for limit in (5.0, 20.0, 80.0)
    ]
    assert '"legend": null' not in json.dumps(chart.spec["layer"][2]["encoding"]["color"])
