"""Scenarios built in code are scenario files."""

import dataclasses
import json
import re
import subprocess
import sys
from pathlib import Path

import networkx
import pytest

import sojourn as sj
from sojourn import _core

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = json.loads(_core.reference())


@pytest.mark.parametrize("first", ["queue.CoDel()", "source.Bulk()", "transport", "udp", "rl"])
def test_anything_may_be_asked_for_first(first):
    code = f"import sojourn as sj; sj.{first}"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_the_example_of_the_design_runs(monkeypatch):
    monkeypatch.chdir(ROOT)
    sc = sj.dumbbell(
        rate="10 Mbit/s",
        rtt="40 ms",
        queue=sj.queue.CoDel(target="5 ms"),
        flows=4 * sj.tcp("cubic"),
    )
    text = re.search(r"^sc = .*$", (ROOT / "DESIGN.md").read_text(), re.MULTILINE)
    assert text is not None
    names = {"sj": sj}
    exec(text[0], names)
    assert names["sc"].to_toml() == sc.to_toml()
    r = sj.run(sc.with_overrides({"duration": "3 s", "series": "1 s"}), replicas=2)
    assert r.links.height == 2 * 18
    assert r.series("queue_packets").height > 0
    assert r.summary()["replicas"] == 2
    assert list(r.links.to_pandas().columns) == r.links.columns
    assert r.points.height == 1


def shapes() -> list[sj.Scenario]:
    mix = 2 * sj.tcp("cubic") + sj.udp(rate="1 Mbit/s")
    red = sj.queue.Red(min_th="5 packets", ecn=True)
    head = {"duration": "2 s"}
    return [
        sj.dumbbell(rate="10 Mbit/s", delay="5 ms", queue=red, flows=mix, **head),
        sj.parking_lot(
            3, rate="10 Mbit/s", delay="5 ms", queue=red, flows=mix, cross=sj.tcp("reno"), **head
        ),
        sj.star(5, rate="1 Gbit/s", delay="10 us", queue=red, flows=sj.tcp("dctcp"), **head),
        sj.tree(2, 3, rate="10 Mbit/s", delay="1 ms", queue=red, flows=sj.tcp(), **head),
        sj.network(
            [sj.link("a", "b", "5 Mbit/s", delay="1 ms", queue=red)],
            sj.tcp("bbr", from_="a", to="b", window="25 packets"),
            **head,
        ),
    ]


@pytest.mark.parametrize("scenario", shapes(), ids=lambda scenario: scenario.name)
def test_every_shape_is_a_scenario_file_that_runs(scenario):
    again = sj.Scenario.from_toml(scenario.to_toml())
    assert again.document() == scenario.document()
    results = sj.run(scenario)
    assert results.complete
    assert (results.flows["received_packets"] > 0).all()


def test_sizes_of_shapes():
    _, lot, star, tree, _ = shapes()
    assert {"hop-1", "hop-2", "hop-3"} <= set(lot.core.links(0))
    assert [name for name, _ in lot.core.flows(0)] == [
        "cubic.0",
        "cubic.1",
        "cbr",
        "reno-hop1",
        "reno-hop2",
        "reno-hop3",
    ]
    assert len(star.core.flows(0)) == 4
    assert len(tree.core.flows(0)) == 9
    assert len(tree.core.links(0)) == 2 * 12


def test_hosts_of_a_parking_lot_are_never_its_bottleneck():
    lot = sj.parking_lot(2, rate="400 Gbit/s", delay="1 us", flows=sj.tcp("cubic"))
    rates = [rate for *_, rate in sj.to_networkx(lot).edges(data="rate_bps")]
    assert sum(rate == 400e9 for rate in rates) == 4
    assert min(rates) == 400e9


def test_flows_add_up_under_names_of_their_own():
    flows = 2 * (3 * sj.tcp("cubic")) + sj.tcp("cubic") + sj.tcp("reno", name="mine")
    assert [(flow.name, flow.count) for flow in flows] == [
        ("cubic", 6),
        ("cubic-2", None),
        ("mine", None),
    ]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: sj.udp("1 Mbit/s"), "udp: traffic: found '1 Mbit/s'; allowed: a source such as "),
        (lambda: sj.tcp("cubic", "bulk"), "tcp: traffic: found 'bulk'; allowed: a source such as "),
        (lambda: sj.tcp(3), "tcp: congestion_control: found 3; allowed: a name, "),
        (lambda: sj.tcp(int), "tcp: congestion_control: found <class 'int'>; allowed: a name, "),
        (
            lambda: sj.dumbbell(rate="1 Mbit/s", rtt="9 ms", flows="cubic"),
            "flows: found 'cubic'; allowed: flows such as ",
        ),
    ],
)
def test_an_argument_of_another_kind_is_named(call, message):
    with pytest.raises(TypeError) as raised:
        call()
    assert str(raised.value).startswith(message)


def test_a_class_of_sources_stands_for_an_object_of_it():
    assert sj.tcp("cubic", sj.source.Bulk) == sj.tcp("cubic")


def test_graphs_go_in_and_out():
    graph = networkx.path_graph(4)
    networkx.set_edge_attributes(graph, "10 Mbit/s", "rate")
    networkx.set_edge_attributes(graph, "2 ms", "delay")
    graph.edges[1, 2]["queue"] = sj.queue.CoDel()
    graph.edges[1, 2]["name"] = "middle"
    scenario = sj.from_networkx(graph, sj.tcp(from_="0", to="3"), duration="2 s", name="path")
    out = sj.to_networkx(scenario)
    assert out.number_of_edges() == 6
    assert out["1"]["2"]["middle"]["rate_bps"] == 10_000_000
    assert out["1"]["2"]["middle"]["delay_mean_s"] == pytest.approx(0.002)
    assert out["1"]["2"]["middle"]["queue"] == {"discipline": "codel"}
    assert networkx.is_isomorphic(networkx.Graph(out), graph)
    assert out.graph["flows"] == [{"name": "newreno", "group": "newreno", "from": "0", "to": "3"}]


def test_a_mistake_is_the_error_of_a_scenario_file():
    with pytest.raises(sj.ScenarioError, match=r"^queue\.target: found \"5\"; allowed"):
        sj.dumbbell(rate="1 Mbit/s", rtt="9 ms", queue=sj.queue.CoDel(target="5"), flows=sj.tcp())


@pytest.mark.parametrize("registry", ["disciplines", "sources", "congestion_controls"])
def test_every_line_of_a_registry_has_its_class(registry):
    module = {"disciplines": sj.queue, "sources": sj.source, "congestion_controls": sj.transport}
    for entry in REFERENCE[registry]:
        cls = getattr(module[registry], entry["class"])
        assert entry["name"] == cls.NAME
        fields = {field.name for field in dataclasses.fields(cls)} - {"preset"}
        assert fields == {param["name"] for param in entry["params"]}
        for param in entry["params"]:
            assert f"        {param['name']}: " in cls.__doc__


def test_every_discipline_stands_in_a_scenario_with_its_defaults():
    for entry in REFERENCE["disciplines"]:
        given = {param["name"]: param["default"] for param in entry["params"]}
        given = {name: parsed(text) for name, text in given.items()}
        queue = getattr(sj.queue, entry["class"])(**given)
        sj.dumbbell(rate="1 Mbit/s", rtt="9 ms", queue=queue, flows=sj.tcp())


def parsed(text: str):
    """A default as TOML has it."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text


def test_values_that_vary_may_be_objects():
    queues = [sj.queue.CoDel(), sj.queue.Red(max_p=0.1)]
    scenario = sj.dumbbell(
        rate="1 Mbit/s", rtt="9 ms", flows=sj.tcp(), vary={"link.bottleneck.queue": queues}
    )
    assert scenario.vary[1] == {"link.bottleneck.queue": {"discipline": "red", "max_p": 0.1}}
    over = scenario.with_overrides({"dumbbell.bottleneck.queue": sj.queue.Pie()})
    assert over.document()["dumbbell"]["bottleneck"]["queue"] == {"discipline": "pie"}


@pytest.mark.parametrize(("depth", "fanout"), [(21, 2), (10, 10), (2, 10**9)])
def test_a_tree_that_would_fill_memory_is_refused(depth, fanout):
    with pytest.raises(ValueError, match="allowed: a tree of at most 1000000 leaves"):
        sj.tree(depth, fanout, rate="1 Mbit/s", delay="1 ms", flows=sj.tcp())


def test_an_unknown_argument_is_answered_with_those_of_the_builder():
    with pytest.raises(sj.ScenarioError) as error:
        sj.dumbbell(rate="1 Mbit/s", rtts="40 ms", flows=sj.tcp())
    message = str(error.value)
    assert message.startswith('rtts: unknown argument: found "rtts"; allowed: rate, flows, rtt, ')
    assert message.endswith('vary, design; did you mean "rtt"?')
    with pytest.raises(sj.ScenarioError, match=r'allowed: leaves, .*; did you mean "delay"'):
        sj.star(3, rate="1 Mbit/s", delay="1 ms", flows=sj.tcp(), dely="3 ms")
