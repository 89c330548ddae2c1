"""The scenarios of the RFC, chapter by chapter."""

from __future__ import annotations

from sojourn.studies.rfc7928.chapters import (
    bursts,
    packet_sizes,
    profiles,
    round_trips,
    senders,
    stability,
    two_queues,
)
from sojourn.studies.rfc7928.laboratory import Laboratory, Plan

TITLES = {
    "4": "Packet sizes and ECN",
    "5": "Transport protocols",
    "6": "Round-trip time fairness",
    "7": "Burst absorption",
    "8": "Stability",
    "9": "Various traffic profiles",
    "10": "Two queues in a row",
}
"""What each chapter is about."""


def plans(lab: Laboratory) -> list[Plan]:
    """All scenarios, in the order of the RFC's sections."""
    return [
        packet_sizes.plan(lab),
        round_trips.with_ecn(lab),
        *senders.plans(lab),
        round_trips.without_ecn(lab),
        *bursts.plans(lab),
        *stability.plans(lab),
        *profiles.plans(lab),
        *two_queues.plans(lab),
    ]
