"""Sections 6.2 and 4.5: two NewReno flows of unequal round trips, without ECN and with it."""

from __future__ import annotations

from fractions import Fraction

from sojourn.studies.parts import Axis, Part
from sojourn.studies.quantities import time_text
from sojourn.studies.rfc7928 import network, readings, traffic
from sojourn.studies.rfc7928.laboratory import Laboratory, Plan

ROUND_TRIPS_MS = (5, 20, 50, 100, 200, 560)
"""Round trips of category II: 5 ms to a satellite's 560."""


def without_ecn(lab: Laboratory) -> Plan:
    """Section 6.2."""
    return _plan(lab, "rtt-fairness", "6.2", "Unequal round trips", ecn=False)


def with_ecn(lab: Laboratory) -> Plan:
    """Section 4.5: the same with senders and disciplines that mark."""
    return _plan(lab, "rtt-fairness-ecn", "4.5", "Unequal round trips, ECN", ecn=True)


def _plan(lab: Laboratory, name: str, section: str, title: str, *, ecn: bool) -> Plan:
    transport = traffic.tcp(ecn=True) if ecn else traffic.tcp()
    longest = max(lab.rtt, Fraction(max(ROUND_TRIPS_MS), 1000))
    document = lab.document(
        title,
        lab.access({"one": lab.rtt, "two": longest})
        + network.dumbbell(lab.rate_text, lab.room(rtt=longest)),
        [traffic.bulk("one", transport), traffic.bulk("two", transport)],
    )
    delays = {
        f"{one} ms": time_text(network.access_delay(Fraction(one, 1000))) for one in ROUND_TRIPS_MS
    }
    axes = (Axis("case", "link.two-*.delay", delays), lab.subjects(ecn=ecn))
    seen = (
        *readings.common(),
        readings.goodput("one", "category I"),
        readings.goodput("two", "category II"),
        readings.ratio("two", "one", "II / I"),
        readings.loss("one", "category I"),
        readings.loss("two", "category II"),
        readings.retransmits("one", "category I"),
        readings.retransmits("two", "category II"),
    )
    return Plan(Part(name, document, axes), section, title, seen, "round trip of {}")
