"""The laws that every discipline keeps, for disciplines of your own.

>>> sj.testing.check_laws(MyAqm)

Random sequences of arrivals, departures and pauses are tried on the class. Some laws a Python class
cannot break, since Sojourn keeps the packets: that none is lost or invented, and that only
ECN-capable ones are marked.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from sojourn import _core
from sojourn.errors.arguments import kind_error
from sojourn.errors.brief import brief
from sojourn.own.classes import name_of
from sojourn.queue.discipline import Discipline

OPERATIONS = 400
"""Arrivals and departures of one sequence."""

PATIENCE = 10_000
"""Times that a queue may ask to wait before it must have given its packets away."""

SIZES = (40, 500, 1500)
FLOWS = 5


class LawError(AssertionError):
    """A law that a discipline broke, and under which sequence."""


@dataclass
class _Trial:
    """A sequence of operations, and what came of it."""

    bench: _core.DisciplineHarness
    events: list[Any] = field(default_factory=list[Any])
    arrived: list[int] = field(default_factory=list[int])
    flows: dict[int, int] = field(default_factory=dict[int, int])
    gone: Counter[int] = field(default_factory=Counter[int])
    last_of_flow: dict[int, int] = field(default_factory=dict[int, int])
    now_us: int = 0

    def run(self, seed: int) -> None:
        """Try the sequence of a seed, then let the queue drain."""
        draw = random.Random(seed)
        load = draw.choice((0.4, 0.6, 0.9))
        for number in range(OPERATIONS):
            self.now_us += draw.choice((0, 1, 300, 1500, draw.randrange(100_000)))
            self.timers()
            if draw.random() < load:
                self.arrive(number, draw)
            else:
                self.depart()
        self.drain()

    def timers(self) -> None:
        if ran := self.bench.run_timers(self.now_us):
            self.events.append(("timers", ran))

    def arrive(self, number: int, draw: random.Random) -> None:
        flow = draw.randrange(FLOWS)
        self.arrived.append(number)
        self.flows[number] = flow
        self.bench.enqueue(
            self.now_us, number, draw.choice(SIZES), flow, draw.choice((0, 0, 1, 2, 3))
        )
        self.listen()

    def depart(self) -> tuple[int | None, float | None]:
        packet, wait = self.bench.dequeue(self.now_us)
        self.listen()
        if packet is not None:
            self.leave(packet)
            flow = self.flows[packet]
            if packet < self.last_of_flow.get(flow, -1):
                raise LawError(f"packets of flow {flow} changed their order: {packet} came late")
            self.last_of_flow[flow] = packet
        self.events.append((packet, wait))
        return packet, wait

    def listen(self) -> None:
        """Book drops and marks, and hold the queue to its limit."""
        for what, packet, reason in self.bench.verdicts():
            self.events.append((what, packet, reason))
            if what == "drop":
                self.leave(packet)
        if not self.bench.is_within_limit:
            raise LawError(f"{self.bench.backlog} packets and bytes wait, above the limit")
        waiting = len(self.arrived) - sum(self.gone.values())
        if self.bench.backlog[0] < waiting - 1:
            raise LawError(f"{waiting} packets are in, {self.bench.backlog[0]} wait")

    def leave(self, packet: int) -> None:
        self.gone[packet] += 1
        if self.gone[packet] > 1:
            raise LawError(f"packet {packet} left twice")

    def drain(self) -> None:
        """Ask until nothing waits: every packet must come out."""
        for _ in range(PATIENCE):
            packet, wait = self.depart()
            if wait is not None:
                self.now_us = max(self.now_us + 1, round(wait * 1e6))
                self.timers()
            elif packet is None:
                break
        if self.bench.backlog[0]:
            raise LawError(f"{self.bench.backlog[0]} packets wait for ever")
        if missing := set(self.arrived) - set(self.gone):
            raise LawError(f"packets never came out: {sorted(missing)[:5]}")
        self.events.append(self.bench.probe())


@brief
def check_laws(
    cls: type[Discipline], params: dict[str, Any] | None = None, *, sequences: int = 50
) -> None:
    """Try the laws on a discipline. Raises :class:`LawError` with the first that is broken.

    - Every packet comes out exactly once: sent, or dropped with a reason.
    - What waits stays within the limit; packets of a flow that are in one queue keep their order.
    - A queue that is asked long enough gives its packets away.
    - The same seed and the same arrivals give the same decisions, each time.
    - After ``reset`` it decides as a new queue does.

    ``params`` are the parameters of the class, with units. An exception in the class ends the check
    as it ends a run, with :class:`sojourn.UserCodeError`.
    """
    if not (isinstance(cls, type) and issubclass(cls, Discipline)):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise kind_error("cls", cls, "a class that inherits from sojourn.queue.Discipline")
    # Made here too, so that what is wrong with a parameter is told under its name.
    cls(**(params or {}))
    name, given = name_of(cls), json.dumps(params or {})
    for seed in range(sequences):
        try:
            first = _Trial(_core.DisciplineHarness(name, given, seed))
            first.run(seed)
            again = _Trial(_core.DisciplineHarness(name, given, seed))
            again.run(seed)
            _same(first, again, "a second queue decides differently on the same arrivals")
            used = _core.DisciplineHarness(name, given, seed + 1)
            _Trial(used).run(seed + 1)
            used.reset(seed)
            anew = _Trial(used)
            anew.run(seed)
            _same(first, anew, "after reset it decides differently from a new queue")
        except LawError as error:
            raise LawError(f"{name}, sequence {seed}: {error}") from None


def _same(first: _Trial, second: _Trial, what: str) -> None:
    """Hold two trials against each other."""
    if first.events == second.events:
        return
    pairs = zip(first.events, second.events, strict=False)
    differing = next(((a, b) for a, b in pairs if a != b), ("one of them ends", "here"))
    raise LawError(f"{what}: {differing[0]!r} and {differing[1]!r}")
