"""One discipline behind a link, played through the driver's protocol.

Either a load is offered, and the link takes a packet whenever it is free, or operations are done at
given times. Nothing else runs: what is recorded is what the discipline said.
"""

from __future__ import annotations

import heapq
import json
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from sojourn._core import Driver
from sojourn.validate.evidence import EvidenceError

NS = 1_000_000_000

POLL_NS = 100_000
"""How long the link waits before it asks a shaper again."""


class PlayError(EvidenceError):
    """The driver refused a request."""


def reason_of(error: Exception) -> str:
    """Say what kept a play from being played; a slip in the entry is said as Python says it."""
    return str(error) if isinstance(error, PlayError) else repr(error)


@dataclass(frozen=True)
class Arrival:
    """A packet as it was offered."""

    time_s: float
    flow: int
    size: int


@dataclass(frozen=True)
class Signal:
    """A packet that was dropped or marked."""

    time_s: float
    packet: int
    reason: str


@dataclass(frozen=True)
class Departure:
    """A packet that was served."""

    time_s: float
    packet: int


@dataclass
class Record:
    """What a discipline did; packets are numbered in the order of their arrival."""

    arrivals: list[Arrival] = field(default_factory=list)
    departures: list[Departure] = field(default_factory=list)
    drops: list[Signal] = field(default_factory=list)
    marks: list[Signal] = field(default_factory=list)
    states: list[tuple[float, dict[str, Any]]] = field(default_factory=list)
    """The time and the state after each operation."""


class Player:
    """A conversation with one discipline."""

    def __init__(
        self,
        discipline: str,
        params: dict[str, Any],
        link: dict[str, float],
        seed: int,
        poke: dict[str, float] | None = None,
    ) -> None:
        """Make the discipline; ``poke`` sets inner variables before each arrival.

        ``record`` is what it did, ``reply`` its last answer.

        Raises :class:`PlayError` for parameters that cannot be taken.
        """
        self.record = Record()
        self.rate_bps = link.get("mbps", 10) * 1e6
        self.reply: dict[str, Any] = {}
        self._poke = poke or {}
        self._driver = Driver()
        about = {"rate_bps": self.rate_bps, "delay_s": link.get("delay_s", 0)}
        about |= {"mtu": link.get("mtu", 1500)}
        self._ask(cmd="new", discipline=discipline, params=params, seed=seed, link=about)

    def _ask(self, **request: Any) -> dict[str, Any]:
        reply: dict[str, Any] = json.loads(self._driver.answer(json.dumps(request)))
        if "unsupported" in reply:
            name = request.get("discipline")
            known = f"there is no discipline {name!r}; `make setup` builds what is new"
            raise PlayError(known if name else f"{request}: unsupported")
        if "error" in reply:
            raise PlayError(reply["error"])
        return reply

    def _done(self, t_ns: int, reply: dict[str, Any]) -> None:
        time_s = t_ns / NS
        for told, into in (("drops", self.record.drops), ("marks", self.record.marks)):
            into += [Signal(time_s, packet, reason) for packet, reason, _ in reply[told]]
        self.record.states.append((time_s, reply["state"]))
        self.reply = reply

    def enqueue(self, t_ns: int, size: int, flow: int = 0, **about: Any) -> None:
        """Offer a packet."""
        for variable, value in self._poke.items():
            self.poke(variable, value)
        number = len(self.record.arrivals)
        self.record.arrivals.append(Arrival(t_ns / NS, flow, size))
        reply = self._ask(cmd="enqueue", t_ns=t_ns, id=number, bytes=size, flow=flow, **about)
        self._done(t_ns, reply)

    def dequeue(self, t_ns: int) -> int | None:
        """Take a packet; return its number."""
        reply = self._ask(cmd="dequeue", t_ns=t_ns)
        self._done(t_ns, reply)
        if reply["id"] is not None:
            self.record.departures.append(Departure(t_ns / NS, reply["id"]))
        return reply["id"]

    def peek(self, t_ns: int) -> None:
        """Look at the packet that goes next; it stays."""
        self._done(t_ns, self._ask(cmd="peek", t_ns=t_ns))

    def poke(self, variable: str, value: float) -> None:
        """Set an inner variable."""
        self._ask(cmd="poke", var=variable, value=value)

    @property
    def waiting(self) -> int:
        """Packets that wait."""
        return self.record.states[-1][1]["packets"] if self.record.states else 0


def offer(player: Player, load: Iterable[dict[str, Any]], duration_s: float, seed: int) -> None:
    """Offer a load to a link that takes a packet whenever it is free.

    Each entry of ``load`` is a flow of packets of ``bytes`` (1000) at ``mbps``, at even gaps or
    with ``random`` at exponential ones, from ``start_s`` (0) to ``stop_s`` (the end); ``flow``,
    ``ecn``, ``prio``, ``dscp``, ``src`` and ``dst`` are handed on.
    """
    streams = [
        _arrivals(each, duration_s, random.Random(f"{seed} {number}"))
        for number, each in enumerate(load)
    ]
    free: int | None = None  # when the packet on the link has gone
    for t_ns, size, about in heapq.merge(*streams, key=lambda arrival: arrival[0]):
        while free is not None and free <= t_ns:
            free = _serve(player, free)
        player.enqueue(t_ns, size, **about)
        if free is None:
            free = _serve(player, t_ns)
    while free is not None and free <= duration_s * NS:
        free = _serve(player, free)


def _serve(player: Player, t_ns: int) -> int | None:
    """Take a packet; return when the link is to ask next, None if the queue is empty."""
    packet = player.dequeue(t_ns)
    if packet is not None:
        size = player.record.arrivals[packet].size
        return t_ns + round(size * 8 * NS / player.rate_bps)
    return t_ns + POLL_NS if player.waiting else None


def _arrivals(
    load: dict[str, Any], duration_s: float, stream: random.Random
) -> Iterator[tuple[int, int, dict[str, Any]]]:
    about = {name: value for name, value in load.items() if name in ABOUT}
    size = load.get("bytes", 1000)
    gap_s = size * 8 / (load["mbps"] * 1e6)
    start_s, stop_s = load.get("start_s", 0.0), load.get("stop_s", duration_s)
    time_s, number = start_s, 0
    while time_s < stop_s:
        yield round(time_s * NS), size, about
        number += 1
        if load.get("random"):
            time_s += stream.expovariate(1 / gap_s)
        else:
            time_s = start_s + number * gap_s


ABOUT = ("flow", "ecn", "prio", "band", "dscp", "src", "dst", "rtt_s")
"""What a load or an operation may say of its packets."""


def operate(player: Player, operations: Sequence[dict[str, Any]]) -> None:
    """Do operations in order: see :func:`operated`."""
    for _ in operated(player, operations):
        pass


def operated(
    player: Player, operations: Sequence[dict[str, Any]]
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Do operations in order, and yield each, with its number from 1 on, once it is done.

    ``op`` is enqueue, dequeue, peek, poke or flows, at ``t`` seconds. ``repeat`` does one several
    times, ``spacing`` seconds apart; a time not given is that of the operation before. ``flows``
    enqueues a packet of each of ``count`` flows.
    """
    t_ns = 0
    for number, each in enumerate(operations, start=1):
        t_ns = round(each["t"] * NS) if "t" in each else t_ns
        for repetition in range(each.get("repeat", 1)):
            t_ns += round(each.get("spacing", 0) * NS) if repetition else 0
            _do(player, each, t_ns)
        yield number, each


def _do(player: Player, each: dict[str, Any], t_ns: int) -> None:
    match each["op"]:
        case "enqueue":
            about = {name: value for name, value in each.items() if name in ABOUT}
            player.enqueue(t_ns, each.get("bytes", 1000), **about)
        case "flows":
            for flow in range(each["count"]):
                player.enqueue(t_ns, each.get("bytes", 1000), flow)
        case "dequeue":
            player.dequeue(t_ns)
        case "peek":
            player.peek(t_ns)
        case "poke":
            player.poke(each["var"], each["value"])
        case other:
            raise PlayError(f"op: found {other!r}; allowed: enqueue, dequeue, peek, poke, flows")
