"""Flows: what sends, over what, how many.

>>> flows = 4 * sj.tcp("cubic") + sj.udp(rate="2 Mbit/s")
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Unpack

from sojourn.build.keys import FlowKeys, TcpKeys, UdpKeys
from sojourn.errors.arguments import as_whole, kind_error
from sojourn.named_table import Control, Source, plain
from sojourn.source import Bulk, Cbr
from sojourn.transport.control import CongestionControl


@dataclass(frozen=True)
class Flow:
    """One flow, or ``count`` of them: ``4 * flow``.

    ``name``, ``start`` and ``to`` are those of a scenario file; ``from_`` is its ``from``.
    """

    transport: Mapping[str, Any]
    traffic: Mapping[str, Any]
    name: str
    count: int | None = None
    from_: str | None = None
    to: str | None = None
    keys: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def __mul__(self, count: int) -> Flow:
        """So many of them, each with its own random streams."""
        return replace(self, count=as_whole("count", count, 1) * (self.count or 1))

    __rmul__ = __mul__

    def __add__(self, other: Flow | Flows) -> Flows:
        """These and others."""
        return Flows((self,)) + other

    def called(self, name: str) -> Flow:
        """The same under another name."""
        return replace(self, name=name)

    def between(self, from_: str, to: str, **keys: Unpack[FlowKeys]) -> Flow:
        """The same between two nodes."""
        return replace(self, from_=from_, to=to, keys={**self.keys, **keys})

    def table(self) -> dict[str, Any]:
        """Return the ``[[flow]]`` table."""
        ends = {"from": self.from_, "to": self.to}
        head = {"name": self.name, "count": self.count} | ends | dict(self.keys)
        given = {key: value for key, value in head.items() if value is not None}
        return plain(given | {"transport": self.transport, "traffic": self.traffic})


@dataclass(frozen=True)
class Flows:
    """Several flows, one after the other: ``4 * sj.tcp("cubic") + sj.udp(rate="2 Mbit/s")``."""

    parts: tuple[Flow, ...]

    def __add__(self, other: Flow | Flows) -> Flows:
        """These and others."""
        return Flows(self.parts + (other.parts if isinstance(other, Flows) else (*listed(other),)))

    def __iter__(self) -> Iterator[Flow]:
        """Each part, under a name of its own: those alike are numbered from 2 on."""
        seen: dict[str, int] = {}
        for part in self.parts:
            seen[part.name] = number = seen.get(part.name, 0) + 1
            yield part if number == 1 else part.called(f"{part.name}-{number}")


def listed(flows: Flow | Flows | Iterable[Flow], argument: str = "flows") -> list[Flow]:
    """The parts of one or several flows. Raises :class:`sojourn.errors.arguments.KindError`."""
    several = isinstance(flows, Iterable) and not isinstance(flows, str | bytes)
    parts: list[Any] = [flows] if isinstance(flows, Flow) else list(flows) if several else [flows]
    for part in parts:
        if not isinstance(part, Flow):
            raise kind_error(argument, flows, 'flows such as 4 * sj.tcp("cubic")')
    return parts


_OF_FLOW = frozenset(FlowKeys.__annotations__)


def tcp(
    congestion_control: str | Control | CongestionControl | type[CongestionControl] = "newreno",
    traffic: Source | None = None,
    *,
    name: str | None = None,
    from_: str | None = None,
    to: str | None = None,
    **keys: Unpack[TcpKeys],
) -> Flow:
    """A flow over TCP.

    ``congestion_control`` is a name, an object such as ``sj.transport.Cubic(beta=0.8)``, or a
    :class:`sojourn.transport.CongestionControl` of your own. ``traffic`` is what it sends, by
    default as much as it can. The flow is named after its congestion control unless ``name`` is
    given. Other keywords are keys of the flow or of its ``transport``.
    """
    control = _control(congestion_control)
    word = str(control["congestion_control"]).rpartition(":")[2].rpartition(".")[2]
    transport = {"protocol": "tcp"} | control
    source = Bulk() if traffic is None else _source("tcp", traffic, "sj.source.Cbr(...)")
    return _flow(name or word, transport, source, from_, to, keys)


def udp(
    traffic: Source | None = None,
    *,
    rate: str | None = None,
    name: str | None = None,
    from_: str | None = None,
    to: str | None = None,
    **keys: Unpack[UdpKeys],
) -> Flow:
    """A flow over UDP.

    ``traffic`` is what it sends, such as ``sj.source.Poisson(rate="2 Mbit/s")``; ``rate`` alone
    means a constant bit rate. The flow is named after its source unless ``name`` is given. Other
    keywords are keys of the flow or of its ``transport``.
    """
    if (traffic is None) == (rate is None):
        raise TypeError("udp: allowed: either traffic, such as sj.source.Poisson(...), or rate")
    allowed = "sj.source.Poisson(...), or a rate: rate=..."
    source = Cbr(rate=rate) if rate is not None else _source("udp", traffic, allowed)
    return _flow(name or source.NAME, {"protocol": "udp"}, source, from_, to, keys)


def _control(found: object) -> dict[str, Any]:
    """The keys of a congestion control; a class stands for an object of it with all defaults."""
    if isinstance(found, str):
        return {"congestion_control": found}
    kinds = (Control, CongestionControl)
    made = found() if isinstance(found, type) and issubclass(found, kinds) else found
    if not isinstance(made, kinds):
        allowed = "a name, an object such as sj.transport.Cubic(), or a class of your own"
        raise kind_error("tcp: congestion_control", found, allowed)
    return made.table()


def _source(function: str, traffic: object, allowed: str) -> Source:
    """What a flow sends; a class stands for an object of it with all defaults."""
    if isinstance(traffic, type) and issubclass(traffic, Source):
        traffic = traffic()
    if not isinstance(traffic, Source):
        raise kind_error(f"{function}: traffic", traffic, f"a source such as {allowed}")
    return traffic


def _flow(
    name: str,
    transport: dict[str, Any],
    traffic: Source,
    from_: str | None,
    to: str | None,
    keys: Mapping[str, Any],
) -> Flow:
    of_flow = {key: value for key, value in keys.items() if key in _OF_FLOW}
    of_transport = {key: value for key, value in keys.items() if key not in _OF_FLOW}
    return Flow(
        transport=transport | of_transport,
        traffic=traffic.table(),
        name=name,
        from_=from_,
        to=to,
        keys=of_flow,
    )
