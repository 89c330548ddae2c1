"""An unresponsive load above the link's rate: what must be lost, whoever drops it."""

from __future__ import annotations


def loss(rho: float) -> float:
    """Share that is lost at ``rho`` times the link's rate, the link being busy: 1 - 1/rho."""
    return max(0.0, 1 - 1 / rho)


def full_delay(limit: int, size: int, mbps: float) -> float:
    """Seconds that the packets of a full queue take on the link."""
    return limit * size * 8e-6 / mbps


def loss_of(mbps: float, link_mbps: float) -> float:
    """Share that is lost of a load on a link."""
    return loss(mbps / link_mbps)


def burst_losses_behind(burst: int, limit: int) -> float:
    """Packets lost of a burst that comes while a packet is being sent."""
    return max(0, burst - limit)


def headdrop_age(limit: int, size: int, mbps: float, load_mbps: float) -> float:
    """Age of the head of a queue that is full of the newest packets of the load.

    The head has been passed by ``limit`` arrivals, those dropped among them included: each arrival
    pushes the head out or the link takes it, so the queue turns over at the load's rate.
    """
    del mbps
    return full_delay(limit, size, load_mbps)
