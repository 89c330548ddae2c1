"""Networks by their shape. All of them build the text of a scenario file.

Every builder takes the keys of the head of a file as keywords (``duration``, ``warmup``,
``replicas``, ``vary`` ...), and quantities with their units, as files do.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from inspect import signature
from typing import Any, Unpack

from sojourn._core import ScenarioError
from sojourn.build.flows import Flow, Flows, listed
from sojourn.build.keys import Head, LinkKeys
from sojourn.errors.arguments import as_whole, kind_error
from sojourn.errors.brief import InputError, brief
from sojourn.errors.nearest import refusal
from sojourn.files.toml_text import toml_text
from sojourn.named_table import Queue, plain
from sojourn.queue.discipline import Discipline
from sojourn.scenario import Scenario

AnyQueue = Queue | Discipline | type[Queue] | type[Discipline] | Mapping[str, Any]
"""A queue: a discipline of the registry or of your own, its class where all is at its default, or a
table as in a scenario file."""

Changes = Sequence[Mapping[str, str]] | Mapping[str, Any]
"""How rate and delay change: ``[{"at": "20 s", "rate": "5 Mbit/s"}]``, or rates that follow each
other, ``{"rates": ["5 Mbit/s", "10 Mbit/s"], "step": "20 s"}``."""

Loss = float | Mapping[str, Any]
"""What a wire loses: a share of the packets, or another law, such as
``{"good_to_bad": 0.01, "bad_to_good": 0.3}``."""

Jitter = str | Mapping[str, Any]
"""How much longer than its delay a wire takes: a distribution, such as ``"exponential(2 ms)"``, or
a table for some of the packets, such as ``{"extra": "10 ms", "share": 0.01}``."""

MOST_LEAVES = 1_000_000
"""More leaves or hops than this would fill memory."""

DURATION = "30 s"
"""Simulated time unless ``duration`` says otherwise."""


@dataclass(frozen=True)
class Link:
    """One direction of a link, or both: made by :func:`link`."""

    from_: str
    to: str
    rate: str
    duplex: bool = True
    name: str | None = None
    keys: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def table(self) -> dict[str, Any]:
        """Return the ``[[link]]`` table."""
        head = {"name": self.name, "from": self.from_, "to": self.to, "rate": self.rate}
        return plain(head | {"duplex": self.duplex} | dict(self.keys))


def link(
    from_: str,
    to: str,
    rate: str,
    *,
    duplex: bool = True,
    name: str | None = None,
    **keys: Unpack[LinkKeys],
) -> Link:
    """A link between two nodes, in both directions unless ``duplex`` is false."""
    return Link(from_, to, rate, duplex, name, keys)


@brief
def network(
    links: Iterable[Link], flows: Flow | Flows, *, name: str = "network", **head: Unpack[Head]
) -> Scenario:
    """Any graph of links; every flow names its ``from_`` and ``to``."""
    several = isinstance(links, Iterable) and not isinstance(links, str | bytes)
    given: list[Any] = list(links) if several else [links]
    if not several or not all(isinstance(each, Link) for each in given):
        raise kind_error("links", links, 'a list of links, such as [sj.link("a", "b", "1 Mbit/s")]')
    return _scenario(network, name, head, {"link": [each.table() for each in given]}, listed(flows))


@brief
def dumbbell(
    *,
    rate: str,
    flows: Flow | Flows,
    rtt: str | None = None,
    delay: str | None = None,
    changes: Changes | None = None,
    loss: Loss | None = None,
    reverse_loss: Loss | None = None,
    jitter: Jitter | None = None,
    reverse_jitter: Jitter | None = None,
    reorders: bool = False,
    queue: AnyQueue | None = None,
    reverse_queue: AnyQueue | None = None,
    access: Mapping[str, Any] | None = None,
    name: str = "dumbbell",
    **head: Unpack[Head],
) -> Scenario:
    """One bottleneck, called ``bottleneck``; each flow with a sender and a receiver of its own.

    ``rtt`` is the two-way propagation of the whole path; or give the bottleneck's ``delay``. As in
    a scenario file, ``changes`` says how the bottleneck's rate and delay change, ``loss`` and
    ``reverse_loss`` what its wire loses in each direction, ``jitter`` and ``reverse_jitter`` how
    much longer than its delay packets take, and ``reorders`` whether they may then overtake each
    other. ``access`` is a table for the links on both sides: ``rate``, ``delay``, and all of these
    except ``changes``.
    """
    bottleneck: dict[str, Any] = {"rate": rate, "delay": delay, "changes": changes}
    bottleneck |= {"loss": loss, "reverse_loss": reverse_loss}
    bottleneck |= {"jitter": jitter, "reverse_jitter": reverse_jitter}
    bottleneck |= {"reorders": reorders or None}
    bottleneck |= {"queue": queue, "reverse_queue": reverse_queue}
    table = plain({"rtt": rtt, "bottleneck": bottleneck, "access": access})
    return _scenario(dumbbell, name, head, {"dumbbell": table}, listed(flows))


@brief
def parking_lot(
    hops: int,
    *,
    rate: str,
    delay: str,
    flows: Flow | Flows,
    cross: Flow | Flows | None = None,
    queue: AnyQueue | None = None,
    access: Mapping[str, Any] | None = None,
    name: str = "parking-lot",
    **head: Unpack[Head],
) -> Scenario:
    """Routers ``r0`` to ``rN`` in a row, joined by the bottlenecks ``hop-1`` to ``hop-N``.

    ``flows`` cross all of them; each of ``cross`` crosses one alone, on hop k under the name
    ``NAME-hopK``. Each flow has hosts of its own behind ``access`` links (a table with ``rate``,
    ``delay`` and the other keys of a link; by default no delay, and a rate that is never the
    bottleneck).
    """
    hops = as_whole("hops", hops, 1, MOST_LEAVES)
    if access is not None and not isinstance(access, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise kind_error("access", access, 'a table, such as {"rate": "1 Gbit/s"}')
    routers = [
        link(f"r{k}", f"r{k + 1}", rate, name=f"hop-{k + 1}", delay=delay, queue=queue)
        for k in range(hops)
    ]
    paths = [(flow, 0, hops) for flow in listed(flows)]
    for flow in listed(cross, "cross") if cross is not None else []:
        paths += [(flow.called(f"{flow.name}-hop{k + 1}"), k, k + 1) for k in range(hops)]
    placed = [flow.between(f"{flow.name}-src", f"{flow.name}-dst") for flow, _, _ in paths]
    hosts = [
        each
        for flow, first, last in paths
        for each in (
            _access(f"{flow.name}-src", f"r{first}", access),
            _access(f"r{last}", f"{flow.name}-dst", access),
        )
    ]
    links = [each.table() for each in routers + hosts]
    return _scenario(parking_lot, name, head, {"link": links}, placed)


@brief
def star(
    leaves: int,
    *,
    rate: str,
    delay: str,
    flows: Flow | Flows,
    queue: AnyQueue | None = None,
    name: str = "star",
    **head: Unpack[Head],
) -> Scenario:
    """Hosts ``leaf0`` ... around a node ``hub``, as in a rack.

    The queues towards the leaves, links ``down-K``, have the discipline. A flow that names no ends
    is an incast: one from each other leaf to ``leaf0``.
    """
    leaves = as_whole("leaves", leaves, 2, MOST_LEAVES)
    links = [
        link("hub", f"leaf{k}", rate, name=f"down-{k}", delay=delay, queue=queue).table()
        for k in range(leaves)
    ]
    placed = [
        flow
        if flow.from_ is not None
        else replace(
            flow,
            count=flow.count or leaves - 1,
            from_="leaf*",
            to="leaf0",
            keys={**flow.keys, "first": 1},
        )
        for flow in listed(flows)
    ]
    return _scenario(star, name, head, {"link": links}, placed)


@brief
def tree(
    depth: int,
    fanout: int,
    *,
    rate: str,
    delay: str,
    flows: Flow | Flows,
    queue: AnyQueue | None = None,
    name: str = "tree",
    **head: Unpack[Head],
) -> Scenario:
    """A tree of ``depth`` levels below the node ``root``; its leaves are ``leaf0`` ...

    Links towards the root, called ``CHILD-up``, have the discipline. A flow that names no ends goes
    from each leaf to the root.
    """
    depth, fanout = as_whole("depth", depth, 1), as_whole("fanout", fanout, 1)
    # Of two at every level twenty levels are too many already.
    if fanout ** min(depth, 20) > MOST_LEAVES:
        allowed = f"a tree of at most {MOST_LEAVES} leaves"
        raise InputError(f"depth, fanout: found {depth}, {fanout}; allowed: {allowed}")
    links: list[dict[str, Any]] = []
    parents = ["root"]
    for level in range(1, depth + 1):
        stem = "leaf" if level == depth else f"level{level}-"
        children = [f"{stem}{k}" for k in range(len(parents) * fanout)]
        for k, child in enumerate(children):
            up = link(
                child, parents[k // fanout], rate, name=f"{child}-up", delay=delay, queue=queue
            )
            links.append(up.table())
        parents = children
    placed = [
        flow
        if flow.from_ is not None
        else replace(flow, count=flow.count or len(parents), from_="leaf*", to="root")
        for flow in listed(flows)
    ]
    return _scenario(tree, name, head, {"link": links}, placed)


NEVER_THE_BOTTLENECK = "10000 Gbit/s"
"""The largest rate that is allowed."""


def _access(from_: str, to: str, access: Mapping[str, Any] | None) -> Link:
    given = dict(access or {})
    rate = given.pop("rate", NEVER_THE_BOTTLENECK)
    return Link(from_, to, rate, name=f"{from_}-{to}", keys=given)


def _scenario(
    builder: Callable[..., Scenario],
    name: str,
    head: Head,
    layout: Mapping[str, Any],
    flows: Iterable[Flow],
) -> Scenario:
    given: dict[str, Any] = {"name": name, "duration": DURATION} | plain(head)
    further = {key: given.pop(key) for key in ("design", "vary") if key in given}
    tables = [flow.table() for flow in flows]
    text = toml_text({**given, **layout, "flow": tables, **further})
    place = f"<{name}>"
    try:
        return Scenario.from_toml(text, place=place)
    except ScenarioError as error:
        message = _in_arguments(str(error), place)
        unknown = next((key for key in head if message.startswith(f"{key}: unknown key: ")), None)
        if unknown is not None:
            # The keys of a file alone are not what may stand there.
            own = [argument for argument in signature(builder).parameters if argument != "head"]
            allowed = [*own, *Head.__annotations__]
            message = f"{unknown}: unknown argument: {refusal(unknown, allowed)}"
        raise ScenarioError(message) from None


def _in_arguments(message: str, place: str) -> str:
    """An error of a scenario under the argument that it is about, without a line nobody wrote."""
    written = re.escape(place) + r":(\d+:)? (dumbbell\.)?(bottleneck\.)?"
    return re.sub(f"^{written}", "", message)
