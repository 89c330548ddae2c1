"""Section 10.2: two queues in a row, mild congestion from both groups of senders."""

from __future__ import annotations

from sojourn.studies import quantities
from sojourn.studies.parts import Part
from sojourn.studies.rfc7928 import network, readings, traffic
from sojourn.studies.rfc7928.laboratory import Laboratory, Plan
from sojourn.studies.rfc7928.network import BOTTLENECK, FIRST, SECOND


def plans(lab: Laboratory) -> list[Plan]:
    """The same discipline at both routers, and drop-tail at the first."""
    return [
        _plan(lab, "two-hops", "Two queues, the same at both", f"{BOTTLENECK}-*"),
        _plan(lab, "two-hops-second", "Two queues, drop-tail at the first", SECOND),
    ]


def _plan(lab: Laboratory, name: str, title: str, link: str) -> Plan:
    half = max(1, lab.flows_of("mild") // 2)
    links = [
        *lab.access({"a": lab.rtt}, hops=2),
        *lab.access({"b": lab.rtt}, left="M"),
        *network.two_hops(
            lab.rate_text,
            quantities.rate_text(lab.rate / 2),
            lab.access_rate,
            lab.room(),
        ),
    ]
    flows = [traffic.bulk("a", count=half), traffic.bulk("b", count=half)]
    seen = (
        *readings.common(SECOND),
        *readings.of_link(FIRST, "at the first"),
        readings.goodput("a", "flows over both"),
        readings.goodput("b", "flows over the second"),
    )
    part = Part(name, lab.document(title, links, flows), (lab.subjects(link),))
    return Plan(part, "10.2", title, seen)
