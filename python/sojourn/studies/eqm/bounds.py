"""Proofs: what no run of this network can give, whatever the algorithms.

Each function takes numbers of the publication and of the network and returns the bound that they
break, so that every verdict "impossible" rests on an inequality which a test can check.
"""

from __future__ import annotations

from dataclasses import dataclass

from sojourn.studies.eqm.network import Network


@dataclass(frozen=True)
class Broken:
    """A bound and the printed value that breaks it, by discipline, in one unit."""

    bound: dict[str, float]
    printed: dict[str, float]


def delay_below_propagation(network: Network, delays_ms: dict[str, float]) -> Broken:
    """End-to-end delays (ms) below what the links alone take: propagation and serialisation."""
    least = 1e3 * (network.path_propagation + network.path_serialisation)
    return Broken(
        dict.fromkeys(delays_ms, least),
        {name: delay for name, delay in delays_ms.items() if delay < least},
    )


def throughput_above_capacity(network: Network, throughputs_mbps: dict[str, float]) -> Broken:
    """Throughputs (Mbit/s) above even the sum over all loads of what the bottleneck lets pass."""
    most = network.highest_sum_mbps
    return Broken(
        dict.fromkeys(throughputs_mbps, most),
        {name: value for name, value in throughputs_mbps.items() if value > most},
    )


def little(network: Network, queues: dict[str, float], delays_ms: dict[str, float]) -> Broken:
    """Queueing delays (ms) too short for the mean queue (packets), by Little's law.

    At each load the mean queue is the rate of packets served times their mean wait, and that rate
    is at most what the bottleneck carries. So the mean wait, taken over any set of loads, is at
    least the mean queue over the same loads divided by the capacity. It holds for every
    discipline that drops on arrival, and for average delays that include more than the wait it
    holds all the more.
    """
    bounds = {name: 1e3 * queue / network.packets_per_second for name, queue in queues.items()}
    return Broken(
        bounds, {name: delay for name, delay in delays_ms.items() if delay < bounds[name]}
    )


def share_more_sent(throughput: float, other: float) -> float:
    """How much more must have been sent (as a share), if more was lost and yet more arrived.

    Received is sent less lost. Where the losses are no smaller, more throughput needs at least
    that much more sent: the two did not face the same arrivals.
    """
    return throughput / other - 1


def ratio_spread(
    throughput: dict[str, float], utilisation: dict[str, float]
) -> tuple[dict[str, float], float]:
    """Throughput over utilisation per discipline, and the largest over the least.

    By equations 4 and 5 both are the bits that passed, one over time and one over time and
    bandwidth: their ratio is the bandwidth, the same for all.
    """
    ratios = {name: throughput[name] / utilisation[name] for name in throughput}
    return ratios, max(ratios.values()) / min(ratios.values())
