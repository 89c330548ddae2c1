"""Every kind of figure shows what the frames say."""

import numpy as np
import polars as pl
import pytest

import sojourn as sj
from sojourn.comparing import differences
from sojourn.metrics import METRICS, better
from sojourn.plots import fairness, over_time
from sojourn.plots.choice import PlotError
from sojourn.plots.kinds import KINDS
from sojourn.plots.style import headed
from sojourn.tables import KEYS

LABELS = ["Drop-tail", "RED", "CoDel", "CoDel, target=20 ms"]
NAMES = ["droptail", "red", "codel", "codel, target=20 ms"]


def legend(figure):
    return [text.get_text() for legend in figure.legends for text in legend.get_texts()]


@pytest.mark.parametrize("kind", sorted(KINDS.keys() - {"cwnd", "fct", "probability", "series"}))
def test_every_kind_names_every_discipline(results, kind):
    figure = results.plot(kind)
    texts = [text.get_text() for axes in figure.axes for text in axes.get_yticklabels()]
    texts += [axes.get_title(loc="left") for axes in figure.axes] + legend(figure)
    assert set(LABELS) <= set(texts)
    assert not figure.data.is_empty()


OVER_TIME = ("queue", "delay", "throughput", "probability")


@pytest.mark.parametrize(
    "kind", [*OVER_TIME, "cdf", "delay-goodput", "fairness", "drops", "ranking"]
)
def test_a_figure_says_which_case_and_which_replica_it_is_of(results, kind):
    last = "Case: call rate 900 kbit/s"
    first = "Case: call rate 0.5 Mbit/s"
    replica = "; one replica ({}), the same arrivals for all" if kind in OVER_TIME else ""
    assert results.plot(kind).get_suptitle() == last + replica.format(0)
    options = {"case": 0} | ({"replica": 2} if kind in OVER_TIME else {})
    assert results.plot(kind, **options).get_suptitle() == first + replica.format(2)


def test_where_there_is_one_case_the_replica_alone_is_told(tcp_results):
    assert tcp_results.plot("cwnd", replica=1).get_suptitle() == "One replica (1)"
    assert tcp_results.plot("cdf").get_suptitle() == ""
    assert tcp_results.plot("series", of="goodput_bps").get_suptitle() == "One replica (0)"


AT_HOME = """
name = "home"
duration = "3 s"
series = "100 ms"

[[link]]
name = "office"
from = "a"
to = "b"
rate = "2 Mbit/s"
duplex = true

[[flow]]
name = "upload"
count = 2
from = "a"
to = "b"
transport = { protocol = "tcp" }
traffic = { source = "bulk" }

[[flow]]
name = "call"
from = "a"
to = "b"
transport = { protocol = "udp" }
traffic = { source = "cbr", rate = "100 kbit/s" }
"""


def test_a_figure_says_which_of_several_links_and_flows_it_is_of():
    results = sj.run(sj.Scenario.from_toml(AT_HOME))

    def told(kind, **options):
        return results.plot(kind, **options).get_suptitle()

    assert told("queue") == "Link: office; one replica (0)"
    assert told("queue", link="office.reverse") == "Link: office.reverse; one replica (0)"
    assert told("series", of="queue_bytes") == "Link: office; one replica (0)"
    for kind in ("cdf", "delay-goodput"):
        assert told(kind) == "Link: office"
    assert told("cdf", flow="call") == "Flows: call"
    assert told("fairness") == "All flows"
    assert told("fairness", flow="upload") == "Flows: upload"
    assert told("throughput") == "One replica (0)"


def test_a_variable_of_a_discipline_is_drawn_where_it_is_there(results):
    figure = results.plot("series", of="dropping", case=0)
    assert set(figure.data["discipline"]) == {"codel", "codel, target=20 ms"}
    assert set(figure.data["name"]) == {"uplink"}
    assert results.plot("series", of="goodput_bps").data["name"][0].startswith("call")


def test_queue_is_the_series_of_the_last_case(results):
    figure = results.plot("queue", replica=1)
    wanted = results.series("queue_packets").filter(
        (pl.col("point") == 4) & (pl.col("replica") == 1) & (pl.col("name") == "uplink")
    )
    line = figure.axes[0].get_lines()[0]
    assert line.get_label() == "Drop-tail"
    np.testing.assert_array_equal(line.get_ydata(), wanted["value"])
    assert figure.data.columns == ["discipline", "name", "metric", "time_s", "value"]


def test_throughput_has_a_panel_for_each_discipline_and_a_line_for_each_flow(results):
    figure = results.plot("throughput")
    assert [axes.get_title(loc="left") for axes in figure.axes] == LABELS
    assert all(len(axes.get_lines()) == 3 for axes in figure.axes)
    assert legend(figure) == ["call.0", "call.1", "call.2"]


def test_of_many_flows_a_figure_says_how_many_it_shows(tcp_text):
    many = tcp_text.replace("count = 2", "count = 20").replace("replicas = 2", "replicas = 1")
    results = sj.run(sj.Scenario.from_toml(many.replace('"5 s"', '"2 s"')))
    told = "One replica (0); the first 8 of 20 flows"
    for figure in (results.plot("throughput"), results.plot("series", of="srtt_s")):
        assert figure.get_suptitle() == told
        assert len(legend(figure)) == 8
        assert figure.data["name"].n_unique() == 20
    assert results.plot("queue").get_suptitle() == "One replica (0)"


def series_of(disciplines, flows):
    rows = [(one, flow, time, 1.0) for one in disciplines for flow in flows for time in (0.0, 1.0)]
    return pl.DataFrame(rows, schema=list(over_time.COLUMNS), orient="row")


def test_time_stands_below_every_column_of_panels():
    frame = series_of(["droptail", "red", "codel"], ["a.0", "a.1"])
    panels = over_time.draw(frame, "throughput_bps").axes[:3]
    assert [panel.get_xlabel() for panel in panels] == ["", "Time (s)", "Time (s)"]


def test_long_names_and_cases_stay_inside_the_figure():
    flows = [f"long-lived-uploads-of-the-office.{number}" for number in range(3)]
    figure = over_time.draw(series_of(["droptail", "red"], flows), "throughput_bps")
    height = figure.get_figheight()
    case = ", ".join(f"long-lived-uploads-of-the-office bytes {number} MB" for number in range(4))
    headed(figure, f"Case: {case}")
    assert figure.get_figheight() > height
    lines = figure.get_suptitle().split("\n")
    assert len(lines) > 1
    assert all(line.endswith((" MB", " MB,")) for line in lines)
    figure.draw_without_rendering()
    for artist in figure.legends + figure.texts:
        box = artist.get_window_extent()
        assert box.x0 >= 0
        assert box.x1 <= figure.bbox.width


def test_cwnd(tcp_results):
    figure = tcp_results.plot("cwnd")
    assert legend(figure) == ["cubic.0", "cubic.1"]
    assert figure.data["value"].min() >= 1


def test_distribution_agrees_with_the_metrics(results):
    """Median and 95th percentile of the curve are those of the links' table, replica by replica."""
    links = results.links.filter(pl.col("link") == "uplink")
    for share, metric in ((0.5, "p50"), (0.95, "p95"), (0.99, "p99")):
        wanted = links[f"queueing_delay_{metric}_s"]
        found = results.delays.filter((pl.col("name") == "uplink") & (pl.col("share") == share))
        assert found["delay_s"].to_list() == wanted.to_list()
    frame = results.plot("cdf", case=0).data
    assert frame.group_by("discipline").len()["len"].unique().to_list() == [27]
    for _, rows in frame.group_by("discipline"):
        assert rows["delay_s"].is_sorted()
        assert rows["share"].is_sorted()
    total = results.plot("cdf", flow="total", case=0).data
    # One way there is the wire, too: 15 ms and 528 B at 2 Mbit/s.
    assert total["delay_s"].min() >= 0.015 + 528 * 8 / 2e6


def test_delay_goodput_has_a_row_for_each_replica(results):
    assert len(results.plot("delay-goodput").data) == 4 * 3


def test_against_load_in_one_unit(results):
    figure = results.plot("load", of="total.goodput_bps")
    assert figure.data["load"].unique().sort().to_list() == [0.5, 0.9]
    assert figure.axes[0].get_xlabel() == "Call rate (Mbit/s)"
    assert figure.axes[0].get_ylabel() == "Goodput (Mbit/s)"
    mean = results.totals.filter(pl.col("point") == 0)["goodput_bps"].mean() / 1e6
    assert figure.axes[0].get_lines()[0].get_ydata()[0] == pytest.approx(mean)


def test_fairness_has_index_and_flows(results):
    frame = results.plot("fairness").data
    index = frame.filter(pl.col("of") == "jain_index")
    assert index["discipline"].to_list() == NAMES
    assert index["mean"].is_between(1 / 3, 1).all()
    assert len(frame.filter(pl.col("of") == "goodput_bps")) == 4 * 3


def inside(panel):
    """The room beside each mark of a panel, as shares of its width: the least at both sides."""
    low, high = panel.get_xlim()
    marks = [
        x for line in panel.get_lines() if line.get_marker() != "None" for x in line.get_xdata()
    ]
    return (min(marks) - low) / (high - low), (high - max(marks)) / (high - low)


@pytest.mark.parametrize(
    ("index", "goodputs"),
    [(0.504, [19.2e6, 0.1e6]), (1.0, [2e6, 2e6]), (0.93, [2e6, 2.00001e6]), (0.899, [0.0, 0.0])],
)
def test_no_mark_of_fairness_is_cut(index, goodputs):
    rows = [("codel", "jain_index", "", index, index - 1e-4, min(index + 1e-4, 1.0))]
    rows += [("codel", "goodput_bps", f"f.{k}", one, one, one) for k, one in enumerate(goodputs)]
    left, right = fairness.draw(pl.DataFrame(rows, schema=fairness.COLUMNS, orient="row")).axes
    assert min(inside(left)) > 0.02
    assert inside(right)[1] > 0.02
    assert right.get_xlim()[0] == 0
    of_flows = [line for line in right.get_lines() if line.get_marker() != "None"]
    assert not any(line.get_clip_on() for line in of_flows)


@pytest.mark.parametrize("kind", ["load", "heatmap", "ranking"])
def test_what_has_no_value_anywhere_is_not_drawn(results, kind):
    """Flows without end complete nothing."""
    with pytest.raises(PlotError, match=r"total\.fct_s has no value at any point of the figure"):
        results.plot(kind, of="total.fct_s")


def test_drops_are_means_over_all_runs(results):
    frame = results.plot("drops").data
    packets = frame.filter(pl.col("discipline") == "droptail")["packets"].sum()
    dropped = results.drops.filter((pl.col("point") == 4) & (pl.col("kind") == "drop"))["packets"]
    assert packets == pytest.approx(dropped.sum() / 3)
    assert frame["discipline"].unique(maintain_order=True).to_list() == NAMES


def test_probability_is_of_those_that_have_one(results):
    figure = results.plot("probability")
    assert legend(figure) == ["RED"]
    assert figure.data["probability"].is_between(0, 1).all()
    assert figure.data["queue_is"].unique().to_list() == ["avg"]


def test_probability_is_the_one_that_packets_are_dropped_with(tcp_text):
    """PI2 drops classic packets with the square of what it controls; RED may average bytes."""
    text = (
        tcp_text.replace('"5 s"', '"20 s"').replace("replicas = 2", "replicas = 1")
        + """
[vary]
"link.bottleneck.queue" = [
    { discipline = "pi2" }, { discipline = "dualpi2" }, { discipline = "red", limit = "90 kB" },
]
"""
    )
    results = sj.run(sj.Scenario.from_toml(text))
    figure = results.plot("probability")
    for number, name in enumerate(["pi2", "dualpi2"]):
        frame = figure.data.filter((pl.col("discipline") == name) & (pl.col("time_s") > 1))
        lost = results.links.filter((pl.col("point") == number) & (pl.col("link") == "bottleneck"))
        assert frame["probability"].mean() == pytest.approx(lost["loss_ratio"][0], rel=0.5)
    told = "of PI2 and DualPI2 the probability for classic packets, p' squared"
    assert figure.get_suptitle() == f"One replica (0); {told}", "TCP sends what the queue lets it"
    assert figure.axes[1].get_xlabel() == "Queue (kB); of RED the average"
    assert figure.data["queue_is"].unique(maintain_order=True).to_list() == [
        "queue_bytes",
        "avg_bytes",
    ]
    average = figure.data.filter(queue_is="avg_bytes")["queue"]
    drawn = figure.axes[1].get_lines()[2].get_xdata()
    np.testing.assert_allclose(drawn, average / 1000)


def test_heat_map_over_the_factor_and_the_discipline(results):
    figure = results.plot("heatmap", of="total.goodput_bps")
    cells = figure.axes[0].get_images()[0].get_array()
    assert cells.shape == (4, 2)
    mean = results.totals.filter(pl.col("point") == 7)["goodput_bps"].mean() / 1e6
    assert cells[3, 1] == pytest.approx(mean)


def test_heat_map_says_what_its_numbers_are_means_over(results):
    assert results.plot("heatmap").get_suptitle() == ""
    text = """
name = "three-factors"
duration = "300 ms"
replicas = 1
[dumbbell]
rtt = "20 ms"
bottleneck = { rate = "5 Mbit/s" }
[[flow]]
name = "call"
transport = { protocol = "udp" }
traffic = { source = "cbr", rate = "6 Mbit/s" }
[vary]
"flow.call.traffic.rate" = ["6 Mbit/s", "7 Mbit/s"]
"dumbbell.bottleneck.rate" = ["4 Mbit/s", "5 Mbit/s"]
"dumbbell.rtt" = ["20 ms", "40 ms"]
"""
    figure = sj.run(sj.Scenario.from_toml(text)).plot("heatmap")
    assert figure.get_suptitle() == "Each number is a mean over rtt (20 ms, 40 ms)"


def test_ranks_are_those_of_the_paired_tests(results):
    frame = results.plot("ranking").data
    delay = frame.filter(pl.col("quantity") == "links.uplink.queueing_delay_mean_s")
    assert len(delay) == len(NAMES)
    pairs = differences(results, "links.uplink.queueing_delay_mean_s").filter(
        (pl.col("first") >= 4) & pl.col("separated")
    )
    assert len(pairs) >= 1
    for name, rank in delay.select("discipline", "rank").iter_rows():
        point = 4 + NAMES.index(name)
        above = pairs.filter((pl.col("first") == point) & (pl.col("mean") > 0))
        below = pairs.filter((pl.col("second") == point) & (pl.col("mean") < 0))
        assert rank == 1 + len(above) + len(below)


def test_every_metric_says_which_end_is_the_good_one(tcp_results):
    measured = {
        name
        for frame in (tcp_results.links, tcp_results.flows, tcp_results.totals)
        for name in frame.columns
        if name not in KEYS
    }
    known = {metric.name for metric in METRICS}
    assert known - measured == {"drops_by_reason", "marks_by_reason"}
    assert measured <= known, "each is listed, and so has its end"
    assert all(metric.better == better(metric.name) for metric in METRICS), "one end each"
    rates = [name for name in known if name.endswith("_bps")]
    assert {better(rate) for rate in rates} == {"higher"}
    assert better("queueing_delay_p99_s") == "lower"
    assert better("sent_packets") is None


UNITS = ("_s", "_bps", "_packets")
"""Endings of names that say a unit."""


@pytest.mark.parametrize("kind", ["load", "heatmap", "ranking"])
def test_data_of_one_quantity_are_in_the_unit_of_its_name_in_every_figure(results, kind):
    delay = "groups.call.delay_p95_s"
    frame = results.plot(kind, of=delay).data
    assert set(frame["quantity"]) == {delay}
    calls = results.groups.filter(pl.col("group") == "call")
    wanted = calls.group_by("point").agg(pl.col("delay_p95_s").mean())["delay_p95_s"]
    assert frame["mean"].max() == pytest.approx(wanted.max())


@pytest.mark.parametrize("kind", ["queue", "delay", "throughput", "load", "heatmap", "ranking"])
def test_data_whose_column_has_no_unit_say_it_in_a_name_beside_it(results, kind):
    frame = results.plot(kind).data
    said = "quantity" if "quantity" in frame.columns else "metric"
    names = set(frame[said]) - {"links.uplink.loss_ratio", "groups.call.jain_index"}
    assert names
    assert all(name.endswith(UNITS) for name in names)


def test_data_against_load_say_the_unit_of_the_load(results):
    frame = results.plot("load").data
    assert set(frame.select("at", "load").iter_rows()) == {("0.5 Mbit/s", 0.5), ("900 kbit/s", 0.9)}


def test_a_figure_is_saved_with_its_data(results, tmp_path):
    figure = results.plot("cdf")
    assert set(figure.save(tmp_path / "cdf.pdf")) == {"pdf", "csv"}
    assert (tmp_path / "cdf.pdf").read_bytes().startswith(b"%PDF")
    assert pl.read_csv(tmp_path / "cdf.csv").equals(figure.data, null_equal=True)
    assert set(results.plot("cdf").save(tmp_path / "all")) == {"svg", "pdf", "png", "csv"}
    with pytest.raises(ValueError, match=r"found the ending '\.doc'; allowed: svg, pdf, png"):
        figure.save(tmp_path / "cdf.doc")


@pytest.mark.parametrize("ending", ["pgf", "eps"])
def test_who_writes_in_latex_is_told_of_pdf(results, tmp_path, ending):
    with pytest.raises(ValueError, match=f"found the ending '.{ending}'; allowed: .*LaTeX.* pdf"):
        results.plot("cdf").save(tmp_path / f"cdf.{ending}")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("kind", "options", "message"),
    [
        ("pie", {}, "found the figure 'pie'; allowed: queue"),
        ("queue", {"of": "x"}, "found the option 'of'; queue takes link, case, replica"),
        ("queue", {"link": "no"}, "found the link 'no'; allowed: uplink"),
        ("queue", {"case": 2}, "found case 2; allowed: 0 to 1"),
        ("queue", {"replica": 3}, "found replica 3; allowed: 0 to 2"),
        ("series", {}, "a series has a name, --of NAME; there are: avg, count"),
        ("series", {"of": "pob"}, 'did you mean "prob"?'),
        ("cwnd", {}, "found no series 'cwnd_packets'"),
        ("cdf", {"flow": "no"}, "found no delays of 'no'; flows: total, call"),
        ("load", {"of": "total.speed"}, "found the metric 'speed'"),
        ("load", {"x": "rate"}, "found the key 'rate'; allowed: flow.call.traffic.rate"),
        (
            "heatmap",
            {"x": "flow.call.traffic.rate", "y": "flow.call.traffic.rate"},
            "found the key 'flow.call.traffic.rate' for x and for y; allowed: two keys",
        ),
        ("ranking", {"of": "total.sent_packets"}, "neither more nor less of it is better"),
    ],
)
def test_what_cannot_be_drawn_is_said(results, kind, options, message):
    with pytest.raises(PlotError) as error:
        results.plot(kind, **options)
    assert message in str(error.value)


def test_without_series_the_error_says_how_to_record_them():
    scenario = sj.Scenario.load("scenarios/mm1.toml", {"duration": "2 s", "warmup": "0 s"})
    results = sj.run(scenario, replicas=1)
    with pytest.raises(PlotError, match="--set series='100 ms'"):
        results.plot("queue")
