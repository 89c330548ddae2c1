"""Figures of an experiment with long names: every text is whole, and none lies over another."""

import itertools

import pytest

import sojourn as sj
from sojourn.plots.kinds import KINDS

TEXT = """
name = "long"
duration = "2 s"
replicas = 3
series = "100 ms"
transfers = true

[[link]]
name = "bottleneck-between-the-two-sites"
from = "a"
to = "b"
rate = "4 Mbit/s"
duplex = true
queue = { limit = "30 packets" }

[[flow]]
name = "background-load-of-the-office"
count = 2
from = "a"
to = "b"
transport = { protocol = "udp" }
traffic = { source = "poisson", rate = "1 Mbit/s" }

[[flow]]
name = "upload"
count = 2
from = "a"
to = "b"
transport = { protocol = "tcp" }
traffic = { source = "bulk" }

[[flow]]
name = "pages"
from = "a"
to = "b"
transport = { protocol = "tcp" }
traffic = { source = "arrivals", rate = "0.5 Mbit/s", size = "exponential(10 kB)" }

[vary]
"link.bottleneck-between-the-two-sites.queue" = [
    { discipline = "droptail" },
    { discipline = "red", max_p = 0.1 },
    { discipline = "red", max_p = 0.02, min_th = "3 packets", max_th = "12 packets" },
]
"flow.upload.transport.congestion_control" = ["newreno", "cubic"]
"flow.background-load-of-the-office.traffic" = [
    { source = "poisson", rate = "1 Mbit/s" },
    { source = "onoff", rate = "2 Mbit/s", on = "exponential(400 ms)", off = "uniform(0 s, 1 s)" },
]
"link.bottleneck-between-the-two-sites.delay" = ["1 ms", "10 ms"]
"flow.upload.count" = [2, 4]
"""


@pytest.fixture(scope="module")
def results():
    return sj.run(sj.Scenario.from_toml(TEXT))


@pytest.mark.parametrize("kind", sorted(KINDS.keys() - {"series"}))
def test_every_text_is_whole_and_none_lies_over_another(results, kind):
    figure = results.plot(kind)
    figure.draw_without_rendering()
    shown = [axes for axes in figure.axes if axes.get_visible()]
    texts = [axes.title for axes in shown] + [axes._left_title for axes in shown]
    for axes in shown:
        texts += [axes.xaxis.label, axes.yaxis.label]
        for axis in (axes.xaxis, axes.yaxis):
            # Those alone that are drawn: others lie beyond the ends of the axis.
            texts += [tick.label1 for tick in axis._update_ticks()]
    whole = figure.bbox.padded(2)
    boxes = [
        (text.get_text(), text.get_window_extent())
        for text in texts
        if text.get_text() and text.get_visible()
    ]
    for said, box in boxes:
        assert "{" not in said, "a table is called by its kind"
        assert whole.containsx(box.x0), said
        assert whole.containsx(box.x1), said
        assert whole.containsy(box.y0), said
        assert whole.containsy(box.y1), said
    for (one, first), (other, second) in itertools.combinations(boxes, 2):
        assert not first.padded(-1).overlaps(second.padded(-1)), (one, other)
    for axes in shown[:1]:
        assert axes.get_window_extent().height > 0.6 * figure.dpi, "there is room for what is drawn"


def test_a_table_that_varies_is_called_by_its_kind_in_a_report(results, tmp_path):
    page = results.report(tmp_path / "page.html").read_text()
    table = page[page.index("Every point") :]
    assert "{&#39;source" not in table
    assert "{'source'" not in table
