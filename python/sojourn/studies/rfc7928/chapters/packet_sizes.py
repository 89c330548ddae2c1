"""Section 4.4: mild congestion, half of the flows with packets of 500 bytes."""

from __future__ import annotations

from sojourn.studies.rfc7928 import readings, traffic
from sojourn.studies.rfc7928.laboratory import Laboratory, Plan


def plan(lab: Laboratory) -> Plan:
    """Whether a discipline favours small packets."""
    half = max(1, lab.flows_of("mild") // 2)
    small = traffic.tcp(segment=traffic.SMALL_SEGMENT)
    return lab.plan(
        "packet-sizes",
        "4.4",
        "Packets of 500 and of 1500 bytes",
        [traffic.bulk("small", small, count=half), traffic.bulk("large", count=half)],
        readings.goodput("small", "500 bytes"),
        readings.goodput("large", "1500 bytes"),
        readings.ratio("large", "small", "1500 / 500"),
        readings.loss("small", "500 bytes"),
        readings.loss("large", "1500 bytes"),
    )
