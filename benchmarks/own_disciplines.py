"""Packets per CPU second through one discipline: built in, compiled by Numba, and in Python.

``python benchmarks/own_disciplines.py``. The first three are BLUE and drop the same packets; the
least CPU time of some runs counts, since other programs only add to it.
"""

from __future__ import annotations

import argparse
import time

import polars as pl

import sojourn as sj

FULL = sj.queue.drop("overlimit")
LOST = sj.queue.drop("blue")


class Python(sj.queue.Discipline):
    """BLUE in Python."""

    increment = sj.params.probability(0.02)
    decrement = sj.params.probability(0.002)
    freeze_time = sj.params.time("100 ms")

    def reset(self):
        self.prob = 0.0
        self.last_update = -1e9
        self.is_idle = False

    def step(self, change, now):
        if now - self.last_update > self.freeze_time:
            self.prob = min(1.0, max(0.0, self.prob + change))
            self.last_update = now

    def enqueue(self, now, size, flow, ecn):
        self.is_idle = False
        if not self.has_room(size):
            self.step(self.increment, now)
            return FULL
        return LOST if self.random() < self.prob else sj.queue.ACCEPT

    def on_empty(self, now):
        if not self.is_idle:
            self.is_idle = True
            self.step(-self.decrement, now)


class Least(sj.queue.Discipline):
    """The least that a discipline in Python can do: accept."""

    def enqueue(self, now, size, flow, ecn):
        return sj.queue.ACCEPT


class Numba(sj.queue.Discipline):
    """BLUE, compiled."""

    increment = sj.params.probability(0.02)
    decrement = sj.params.probability(0.002)
    freeze_time = sj.params.time("100 ms")
    room = sj.params.packets("50 packets")
    state = {"prob": 0.0, "last_update": -1e9, "is_idle": 0.0}  # noqa: RUF012

    @sj.njit_policy
    def enqueue(state, packet):
        state.is_idle = 0.0
        if packet.packets >= state.room:
            if packet.now - state.last_update > state.freeze_time:
                state.prob = min(1.0, state.prob + state.increment)
                state.last_update = packet.now
            return FULL
        return LOST if sj.uniform(packet) < state.prob else sj.queue.ACCEPT

    @sj.njit_policy
    def on_empty(state, packet):
        if state.is_idle == 0.0:
            state.is_idle = 1.0
            if packet.now - state.last_update > state.freeze_time:
                state.prob = max(0.0, state.prob - state.decrement)
                state.last_update = packet.now


def scenario(queue: sj.queue.Blue | sj.queue.Discipline, duration: str) -> sj.Scenario:
    """A link of 1 Gbit/s under 1.05 times its rate of 1000-byte packets."""
    line = sj.link("a", "b", "1 Gbit/s", duplex=False, name="line", queue=queue)
    load = sj.udp(sj.source.Poisson(rate="1.05 Gbit/s"), payload="972 B", from_="a", to="b")
    return sj.network([line], load, duration=duration)


def measure(
    queue: sj.queue.Blue | sj.queue.Discipline, duration: str, runs: int
) -> tuple[float, int]:
    """Packets that arrive at the queue per CPU second, at best; and how many it drops."""
    built = scenario(queue, duration)
    sj.run(scenario(queue, "10 ms"), jobs=1)
    best, drops = 0.0, 0
    for _ in range(runs):
        began = time.process_time()
        results = sj.run(built, jobs=1)
        took = time.process_time() - began
        arrivals, drops = results.links.select(
            pl.sum("arrivals_packets"), pl.sum("drops_packets")
        ).row(0)
        best = max(best, arrivals / took)
    return best, int(drops)


def main() -> None:
    """Print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--duration", default="4 s", help="simulated time of a run")
    parser.add_argument("--runs", type=int, default=5, help="of each; the best counts")
    given = parser.parse_args()
    limit = {"limit": "50 packets"}
    kinds = {
        "built in": sj.queue.Blue(**limit),
        "Numba": Numba(**limit),
        "Python": Python(**limit),
        "Python, least": Least(**limit),
    }
    first = None
    for name, queue in kinds.items():
        rate, drops = measure(queue, given.duration, given.runs)
        first = first or rate
        times = first / rate
        print(f"{name:14} {rate:12,.0f} packets/s, {times:4.1f} times the time, {drops} drops")


if __name__ == "__main__":
    main()
