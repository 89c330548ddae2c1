"""Sections 6.2 and 4.5: two NewReno flows of unequal round trips, without ECN and with it.

Behind drop-tail it takes long until such flows share as they will: a window grows by a packet with
each round trip, a long path and its buffer hold a thousand, and between two losses minutes pass.
Before that a run shows what slow start left. So these runs have times of their own. Looked at every
200 s, with the defaults, the ratio behind drop-tail climbs for 1200 s at 560 ms, from a thirtieth
to three quarters. At 200 ms and below, and behind RED, CoDel, PIE and FQ-CoDel, there is no such
climb after the first 200 s.
"""

from __future__ import annotations

from fractions import Fraction

from sojourn.studies.parts import Axis, Part
from sojourn.studies.quantities import time_text
from sojourn.studies.rfc7928 import network, readings, traffic
from sojourn.studies.rfc7928.laboratory import Laboratory, Plan
from sojourn.studies.rfc7928.network import BOTTLENECK

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
    round_trips = {f"{one} ms": Fraction(one, 1000) for one in ROUND_TRIPS_MS}
    # The room is by the longer of the two round trips (section 3.2), so by that of each case.
    rooms = {name: lab.room(rtt=max(lab.rtt, rtt)) for name, rtt in round_trips.items()}
    document = lab.document(
        title,
        lab.access({"one": lab.rtt, "two": max(round_trips.values())})
        + network.dumbbell(lab.rate_text, max(rooms.values())),
        [traffic.bulk("one", transport), traffic.bulk("two", transport)],
        settle=lab.fairness_settle,
        measured=lab.fairness_measured,
    )
    delays = {name: time_text(network.access_delay(rtt)) for name, rtt in round_trips.items()}
    limits = {f"link.{BOTTLENECK}*.queue.limit": [f"{room} packets" for room in rooms.values()]}
    axes = (Axis("case", "link.two-*.delay", delays, limits), lab.subjects(ecn=ecn))
    seen = (
        *readings.common(),
        *((readings.marks(),) if ecn else ()),
        readings.goodput("one", "category I"),
        readings.goodput("two", "category II"),
        readings.ratio("two", "one", "II / I"),
        readings.loss("one", "category I"),
        readings.loss("two", "category II"),
        readings.retransmits("one", "category I"),
        readings.retransmits("two", "category II"),
    )
    return Plan(Part(name, document, axes), section, title, seen, "round trip of {}")
