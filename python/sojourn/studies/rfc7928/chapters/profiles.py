"""Section 9: a mix of applications, and traffic both ways."""

from __future__ import annotations

from sojourn.studies import quantities
from sojourn.studies.parts import Part
from sojourn.studies.rfc7928 import network, readings, traffic
from sojourn.studies.rfc7928.laboratory import BACKGROUND, Laboratory, Plan
from sojourn.studies.rfc7928.network import BACK, BOTTLENECK

ASYMMETRY = 10
"""How many times faster the way from senders to receivers is, where the two differ."""


def plans(lab: Laboratory) -> list[Plan]:
    """Sections 9.1 and 9.2."""
    slow = quantities.rate_text(lab.rate / ASYMMETRY)
    return [
        mix(lab),
        both_ways(lab, "two-way", "equal", lab.rate_text, everywhere=False),
        both_ways(lab, "two-way-both", "equal", lab.rate_text, everywhere=True),
        both_ways(lab, "two-way-slow-back", f"1:{ASYMMETRY}", slow, everywhere=False),
        both_ways(lab, "two-way-slow-back-both", f"1:{ASYMMETRY}", slow, everywhere=True),
    ]


def mix(lab: Laboratory) -> Plan:
    """Section 9.1: a telephone both ways, six browsers, constant traffic, a video, five bulks."""
    return lab.plan(
        "mix",
        "9.1",
        "Traffic mix",
        [
            traffic.voice(),
            traffic.back(traffic.voice("voice-back")),
            traffic.web(6),
            traffic.udp("cbr", BACKGROUND * lab.rate),
            traffic.streaming(lab.rate),
            traffic.bulk(count=5),
        ],
        readings.goodput("bulk", "bulk"),
        readings.goodput("streaming", "video"),
        readings.completion("streaming", "a chunk of video"),
        readings.completion("web", "a page"),
        readings.completion_p95("web", "a page"),
        readings.delay_p99("voice", "voice"),
        readings.jitter("voice", "voice"),
        readings.variation("voice", "voice"),
        readings.loss("voice", "voice"),
        come_and_go=True,
    )


def both_ways(lab: Laboratory, name: str, word: str, back: str, *, everywhere: bool) -> Plan:
    """Section 9.2: mild congestion both ways; the discipline there, or `everywhere`."""
    there = traffic.bulk("there", count=lab.flows_of("mild"))
    other = traffic.back(traffic.bulk("back", count=lab.flows_of("mild", back)))
    links = lab.access(dict.fromkeys(("there", "back"), lab.rtt)) + network.dumbbell(
        lab.rate_text, lab.room(), (back, lab.room(back))
    )
    title = f"Both ways, {word}, discipline {'both ways' if everywhere else 'one way'}"
    document = lab.document(title, links, [there, other])
    axis = lab.subjects(f"{BOTTLENECK}*" if everywhere else BOTTLENECK)
    seen = (
        *readings.common(),
        readings.goodput("there", "the way there"),
        readings.goodput("back", "the way back"),
        *readings.of_link(BACK, "on the way back"),
    )
    return Plan(Part(name, document, (axis,)), "9.2", title, seen)
