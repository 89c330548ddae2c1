"""Section 5: one sender of each kind, alone or beside NewReno, and what it says of buffers."""

from __future__ import annotations

from fractions import Fraction

from sojourn.studies.parts import Axis, Part
from sojourn.studies.quantities import time_text
from sojourn.studies.rfc7928 import network, queues, readings, traffic
from sojourn.studies.rfc7928.laboratory import Laboratory, Plan
from sojourn.studies.rfc7928.network import BOTTLENECK

WINDOWS = (3, 10)
"""Initial windows of the short transfer, in packets."""

ABOVE = Fraction(6, 5)
"""Rate of the UDP flow that is alone (5.3: above the capacity), as a share of it."""

BESIDE = Fraction(3, 4)
"""Rate of the one beside TCP (5.3: above half of the capacity)."""

BUFFERS = (0.5, 1, 2, 4)
"""Room of a drop-tail queue in bandwidth-delay products."""


def plans(lab: Laboratory) -> list[Plan]:
    """Sections 5 to 5.4."""
    return [
        buffers(lab),
        lab.plan("newreno", "5.1.1", "One NewReno flow", [traffic.bulk()]),
        short(lab),
        lab.plan("cubic", "5.2", "One CUBIC flow", [traffic.bulk("bulk", traffic.tcp("cubic"))]),
        lab.plan("udp", "5.3", "UDP above the capacity", [traffic.udp("udp", ABOVE * lab.rate)]),
        lab.plan(
            "udp-and-newreno",
            "5.3",
            "UDP beside a NewReno flow",
            [traffic.udp("udp", BESIDE * lab.rate), traffic.bulk()],
            readings.goodput("bulk", "NewReno"),
            readings.goodput("udp", "UDP"),
            readings.loss("udp", "UDP"),
        ),
        lab.plan(
            "ledbat",
            "5.4",
            "LEDBAT beside a NewReno flow",
            [
                traffic.bulk(),
                traffic.bulk("ledbat", traffic.tcp("ledbat", target="5 ms", gain=10)),
            ],
            readings.goodput("bulk", "NewReno"),
            readings.goodput("ledbat", "LEDBAT"),
            readings.ratio("ledbat", "bulk", "LEDBAT / NewReno"),
        ),
    ]


def short(lab: Laboratory) -> Plan:
    """A transfer of 50 packets that begins somewhere in the steady state of a bulk transfer."""
    earliest, latest = lab.settle, lab.settle + lab.measured / 2
    start = f"uniform({time_text(earliest)}, {time_text(latest)})"
    windows = {f"{one} packets": f"{one} packets" for one in WINDOWS}
    return lab.plan(
        "short",
        "5.1.2",
        "A short transfer beside a NewReno flow",
        [traffic.bulk(), traffic.short(WINDOWS[0], start)],
        readings.completion("short", "the short transfer"),
        case=Axis("case", "flow.short.transport.initial_window", windows),
        case_text="initial window of {}",
        come_and_go=True,
    )


def buffers(lab: Laboratory) -> Plan:
    """One NewReno flow over drop-tail with more and more room."""
    title = "Buffers"
    whole = network.bdp_packets(lab.rate_text, lab.rtt)
    links = lab.access({"bulk": lab.rtt}) + network.dumbbell(lab.rate_text, whole)
    rooms = {f"{one:g} BDP": f"{max(1, round(one * whole))} packets" for one in BUFFERS}
    axes = (
        Axis("case", f"link.{BOTTLENECK}.queue.limit", rooms),
        Axis("subject", f"link.{BOTTLENECK}.queue.discipline", {queues.BASE: queues.BASE}),
    )
    part = Part("buffers", lab.document(title, links, [traffic.bulk()]), axes)
    return Plan(part, "5", title, readings.common(), "room for {}")
