"""Networks from networkx graphs, and back."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Unpack

from sojourn.build.flows import Flow, Flows
from sojourn.build.keys import Head
from sojourn.build.topologies import Link, network
from sojourn.errors.arguments import as_whole, kind_error
from sojourn.errors.brief import InputError, brief
from sojourn.errors.extras import needed
from sojourn.scenario import Scenario

if TYPE_CHECKING:
    from networkx import Graph, MultiDiGraph


@brief
def from_networkx(
    graph: Graph[Any],
    flows: Flow | Flows,
    *,
    name: str | None = None,
    **head: Unpack[Head],
) -> Scenario:
    """A network with a link for each edge of a graph.

    An edge's attributes are the keys of a link: ``rate`` (required), ``delay``, ``queue``,
    ``name`` and so on. Edges of an undirected graph are duplex, those of a directed one go one way.
    Nodes are named ``str(node)``.
    """
    if not hasattr(graph, "edges"):
        raise kind_error("graph", graph, "a graph of networkx")
    links: list[Link] = []
    for tail, head_, attributes in graph.edges(data=True):
        given = dict(attributes)
        if "rate" not in given:
            raise InputError(f"edge {tail} - {head_}: found no rate; allowed: such as '10 Mbit/s'")
        rate, own_name = given.pop("rate"), given.pop("name", None)
        duplex = given.pop("duplex", not graph.is_directed())
        links.append(Link(str(tail), str(head_), rate, duplex, own_name, given))
    return network(links, flows, name=name or str(graph.name or "network"), **head)


@brief
def to_networkx(scenario: Scenario, point: int = 0) -> MultiDiGraph[Any]:
    """The network of a point as a networkx graph.

    Each direction of each link is an edge with ``name``, ``rate_bps``, ``delay_mean_s`` and
    ``queue``; the graph's attribute ``flows`` lists the flows with their ends.
    """
    with needed("graphs"):
        import networkx

    if not isinstance(scenario, Scenario):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise kind_error("scenario", scenario, "a Scenario, such as that of sj.Scenario.load(...)")
    point = as_whole("point", point, 0, scenario.core.points - 1)
    laid_out = json.loads(scenario.core.layout(point))
    graph: MultiDiGraph[Any] = networkx.MultiDiGraph(name=scenario.name, flows=laid_out["flows"])
    for each in laid_out["links"]:
        tail, head = each.pop("from"), each.pop("to")
        graph.add_edge(tail, head, key=each["name"], **each)
    return graph
