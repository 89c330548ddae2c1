"""Fair queueing: SFQ's caps, DRR's and FQ's shares, the odds of a hash."""

from __future__ import annotations


def ns2_sfq_total(flows: int, maxqueue: int) -> float:
    """Packets that wait when each of some greedy flows has all that ns-2's SFQ lets it have.

    An arrival is refused if its bucket holds half of the free room or more (ns-2.35, sfq.cc).
    """
    waiting, before = [0] * flows, -1
    while sum(waiting) != before:
        before = sum(waiting)
        for flow in range(flows):
            if waiting[flow] < (maxqueue - sum(waiting)) // 2:
                waiting[flow] += 1
    return float(sum(waiting))


def weighted(weights: list[float]) -> list[float]:
    """Shares of greedy flows by their weights."""
    return [weight / sum(weights) for weight in weights]


def max_min(demands: list[float]) -> list[float]:
    """Max-min fair shares of a link of 1, in the order of the demands (Demers et al. 1989)."""
    left, shares = 1.0, {}
    for number, (demand, flow) in enumerate(sorted(zip(demands, range(len(demands)), strict=True))):
        shares[flow] = min(demand, left / (len(demands) - number))
        left -= shares[flow]
    total = sum(shares.values())
    return [shares[flow] / total for flow in range(len(demands))]


def alone(flows: int, queues: int) -> float:
    """Probability that a flow shares its queue with none of the others (RFC 8290, section 5.3)."""
    return (1 - 1 / queues) ** (flows - 1)
