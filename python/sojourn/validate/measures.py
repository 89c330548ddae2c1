"""What a check measures on a record: one function each, named in ``checks.toml``.

Times are in seconds, delays too. ``after_s`` and ``before_s`` bound the time that counts.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable
from itertools import pairwise
from statistics import fmean

from sojourn.validate.play import Record, Signal

Measured = float | list[float]


def drop_times(record: Record, count: int, reason: str | None = None) -> Measured:
    """When the first ``count`` packets were dropped."""
    return _of_length([drop.time_s for drop in _told(record.drops, reason)], count)


def mark_times(record: Record, count: int) -> Measured:
    """When the first ``count`` packets were marked."""
    return _of_length([mark.time_s for mark in record.marks], count)


def drop_gaps(record: Record, after_s: float = 0) -> Measured:
    """Mean, least and largest number of arrivals from one drop to the next."""
    drops = [drop for drop in record.drops if drop.time_s >= after_s]
    gaps = [after.packet - before.packet for before, after in pairwise(drops)]
    return [fmean(gaps), min(gaps), max(gaps)]


def dropped(record: Record) -> Measured:
    """The packets that were dropped, in that order."""
    return [drop.packet for drop in record.drops]


def marked(record: Record) -> Measured:
    """The packets that were marked, in that order."""
    return [mark.packet for mark in record.marks]


def served(record: Record) -> Measured:
    """The packets that were served, in that order."""
    return [departure.packet for departure in record.departures]


def served_flows(record: Record) -> Measured:
    """The flows of the packets that were served, in that order."""
    return [record.arrivals[departure.packet].flow for departure in record.departures]


def service_times(record: Record) -> Measured:
    """When packets were served."""
    return [departure.time_s for departure in record.departures]


def count_drops(record: Record, reason: str | None = None) -> Measured:
    """How many packets were dropped."""
    return len(_told(record.drops, reason))


def loss_ratio(record: Record, after_s: float = 0, flow: int | None = None) -> Measured:
    """Dropped packets over arrivals."""
    return _ratio(record, record.drops, after_s, flow)


def mark_ratio(record: Record, after_s: float = 0, flow: int | None = None) -> Measured:
    """Marked packets over arrivals."""
    return _ratio(record, record.marks, after_s, flow)


def shares(record: Record, after_s: float = 0) -> Measured:
    """Each flow's share of the bytes served, in the order of the flows' numbers."""
    served = dict.fromkeys(sorted({arrival.flow for arrival in record.arrivals}), 0)
    for departure in record.departures:
        if departure.time_s >= after_s:
            arrival = record.arrivals[departure.packet]
            served[arrival.flow] += arrival.size
    total = sum(served.values())
    return [size / total for size in served.values()]


def most_apart(record: Record, after_s: float = 0) -> Measured:
    """Most that the bytes of two flows, 0 and 1, ever are apart, counted from ``after_s`` on."""
    apart = most = least = 0
    for departure in record.departures:
        if departure.time_s >= after_s:
            arrival = record.arrivals[departure.packet]
            apart += arrival.size if arrival.flow else -arrival.size
            most, least = max(most, apart), min(least, apart)
    return most - least


def rate_mbps(record: Record, after_s: float, before_s: float) -> Measured:
    """Rate at which bytes were served, in Mbit/s."""
    served = (
        record.arrivals[departure.packet].size
        for departure in record.departures
        if after_s <= departure.time_s < before_s
    )
    return sum(served) * 8e-6 / (before_s - after_s)


def delay_mean(record: Record, after_s: float = 0, flow: int | None = None) -> Measured:
    """Mean sojourn of the packets served."""
    return fmean(_delays(record, after_s, flow))


def delay_max(record: Record, after_s: float = 0, flow: int | None = None) -> Measured:
    """Longest sojourn of the packets served."""
    return max(_delays(record, after_s, flow))


def drop_age(record: Record, after_s: float = 0) -> Measured:
    """Mean age of the packets dropped."""
    return fmean(
        drop.time_s - record.arrivals[drop.packet].time_s
        for drop in record.drops
        if drop.time_s >= after_s
    )


def state(record: Record, variable: str) -> Measured:
    """An inner variable at the end."""
    return record.states[-1][1][variable]


def states(record: Record, variable: str) -> Measured:
    """An inner variable after each operation."""
    return [state[variable] for _, state in record.states]


def state_at(record: Record, variable: str, times: list[float]) -> Measured:
    """An inner variable at some times."""
    moments = [moment for moment, _ in record.states]
    return [record.states[bisect_right(moments, time) - 1][1][variable] for time in times]


def state_mean(record: Record, variable: str, after_s: float = 0) -> Measured:
    """Mean over time of an inner variable."""
    total = spent = 0.0
    for (moment, state), (until, _) in pairwise(record.states):
        if moment >= after_s:
            total += state[variable] * (until - moment)
            spent += until - moment
    return total / spent


def state_max(record: Record, variable: str) -> Measured:
    """The largest value of an inner variable."""
    return max(state[variable] for _, state in record.states)


def flows_alone(record: Record) -> Measured:
    """Share of the flows whose one packet waits alone in its queue, at the end."""
    state = record.states[-1][1]
    queues = (value for name, value in state.items() if name.endswith("].packets"))
    return sum(packets == 1 for packets in queues) / len(record.arrivals)


MEASURES: dict[str, Callable[..., Measured]] = {
    each.__name__: each
    for each in (
        *(drop_times, mark_times, drop_gaps, dropped, marked, served, served_flows, service_times),
        *(count_drops, loss_ratio, mark_ratio, shares, most_apart, rate_mbps),
        *(delay_mean, delay_max, drop_age),
        *(state, states, state_at, state_mean, state_max, flows_alone),
    )
}


def _told(told: list[Signal], reason: str | None) -> list[Signal]:
    return [each for each in told if reason in (None, each.reason)]


def _of_length(times: list[float], count: int) -> list[float]:
    return (times + [math.nan] * count)[:count]


def _ratio(record: Record, told: list[Signal], after_s: float, flow: int | None) -> float:
    def counts(packet: int) -> bool:
        arrival = record.arrivals[packet]
        return arrival.time_s >= after_s and flow in (None, arrival.flow)

    arrivals = sum(map(counts, range(len(record.arrivals))))
    return sum(counts(each.packet) for each in told) / arrivals


def _delays(record: Record, after_s: float, flow: int | None) -> list[float]:
    return [
        departure.time_s - record.arrivals[departure.packet].time_s
        for departure in record.departures
        if departure.time_s >= after_s and flow in (None, record.arrivals[departure.packet].flow)
    ]
