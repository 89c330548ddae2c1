"""Flows are chosen by name, by a pattern with ``*``, or by several names with commas."""

import polars as pl
import pytest

import sojourn as sj
from sojourn.plots.choice import PlotError, fitting

TEXT = """
name = "home"
duration = "3 s"
replicas = 3
series = "100 ms"

[dumbbell]
rtt = "20 ms"
bottleneck = { rate = "5 Mbit/s", queue = { discipline = "codel" } }

[[flow]]
name = "down-cubic"
count = 2
transport = { protocol = "tcp", congestion_control = "cubic" }
traffic = { source = "bulk" }

[[flow]]
name = "down-reno"
transport = { protocol = "tcp", congestion_control = "reno" }
traffic = { source = "bulk" }

[[flow]]
name = "call"
transport = { protocol = "udp" }
traffic = { source = "cbr", rate = "100 kbit/s" }

[[flow]]
name = "silent"
transport = { protocol = "udp" }
traffic = { source = "cbr", rate = "100 kbit/s" }
start = "1000 s"

[[flow]]
name = "silent-too"
transport = { protocol = "udp" }
traffic = { source = "cbr", rate = "100 kbit/s" }
start = "1000 s"

[vary]
"link.bottleneck.queue.discipline" = ["droptail", "codel"]
"""
DOWN = ["down-cubic.0", "down-cubic.1", "down-reno"]


@pytest.fixture(scope="module")
def results():
    return sj.run(sj.Scenario.from_toml(TEXT))


@pytest.mark.parametrize(
    ("asked", "flows"),
    [
        ("down-*", DOWN),
        ("down-cubic, down-reno", DOWN),
        ("*-cubic,call", ["down-cubic.0", "down-cubic.1", "call"]),
        ("*.0,*reno", ["down-cubic.0", "down-reno"]),
        ("down-cubic.*", ["down-cubic.0", "down-cubic.1"]),
    ],
)
def test_fairness_between_flows_of_several_names(results, asked, flows):
    figure = results.plot("fairness", flow=asked)
    frame = figure.data
    shown = frame.filter(pl.col("of") == "goodput_bps")
    assert shown["name"].unique(maintain_order=True).to_list() == flows
    assert figure.get_suptitle() == f"Flows: {asked}"
    for point, discipline in enumerate(("droptail", "codel")):
        index = []
        for replica in range(3):
            run = results.flows.filter(
                (pl.col("point") == point)
                & (pl.col("replica") == replica)
                & pl.col("flow").is_in(flows)
            )["goodput_bps"]
            index.append(sum(run) ** 2 / (len(run) * sum(one**2 for one in run)))
        row = frame.filter((pl.col("of") == "jain_index") & (pl.col("discipline") == discipline))
        assert row["mean"].to_list() == pytest.approx([sum(index) / 3])


def test_the_flows_of_one_name_have_the_index_of_the_tables(results):
    for asked in ("down-cubic", "down-c*", "down-cubic.0,down-cubic.1"):
        frame = results.plot("fairness", flow=asked).data.filter(pl.col("of") == "jain_index")
        groups = results.groups.filter((pl.col("group") == "down-cubic") & (pl.col("point") == 0))
        assert frame["mean"][0] == pytest.approx(groups["jain_index"].mean(), rel=1e-12)


def test_where_nobody_has_any_goodput_there_is_no_index(results):
    frame = results.plot("fairness", flow="silent*").data
    assert frame.filter(pl.col("of") == "jain_index")["mean"].to_list() == [None, None]


@pytest.mark.parametrize("kind", ["delay", "throughput", "cwnd"])
def test_flows_over_time_by_a_pattern(results, kind):
    frame = results.plot(kind, flow="down-*").data
    assert frame["name"].unique(maintain_order=True).to_list() == DOWN
    frame = results.plot("series", of="srtt_s", flow="*cubic,down-r*").data
    assert frame["name"].unique(maintain_order=True).to_list() == DOWN


def test_a_name_is_not_the_beginning_of_another(results):
    frame = results.plot("throughput", flow="silent").data
    assert set(frame["name"]) == {"silent"}


def test_a_distribution_is_of_one_name(results):
    assert results.plot("cdf", flow="ca*").data.equals(results.plot("cdf", flow="call").data)
    with pytest.raises(PlotError) as error:
        results.plot("cdf", flow="down-*")
    said = "found 'down-*', which fits down-cubic, down-reno; a distribution is of the flows of "
    assert str(error.value) == f"{said}one name, or of total"
    with pytest.raises(PlotError, match="found no delays of 'call,no'; flows: total, call, down"):
        results.plot("cdf", flow="call,no")


@pytest.mark.parametrize("kind", ["fairness", "throughput", "cwnd", "delay"])
@pytest.mark.parametrize(("asked", "part"), [("up-*", "up-*"), ("call,no", "no"), ("", "")])
def test_what_no_flow_is_called_is_said(results, kind, asked, part):
    with pytest.raises(PlotError) as error:
        results.plot(kind, flow=asked)
    flows = "down-cubic, down-reno, call, silent, silent-too"
    assert str(error.value) == f"found no flow of the name {part!r}; flows: {flows}"


def test_a_star_stands_for_any_text_and_nothing_else_does():
    known = ["a", "a.b", "axb", "ab"]
    assert fitting("a*b", known) == {"a*b": ["a.b", "axb", "ab"]}
    assert fitting("a.b", known) == {"a.b": ["a.b"]}
    assert fitting("*,c", known) == {"*": known, "c": []}
