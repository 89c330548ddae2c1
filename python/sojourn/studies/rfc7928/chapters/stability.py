"""Section 8.2: levels of congestion, and loads and capacities that vary."""

from __future__ import annotations

from typing import Any

from sojourn.studies.parts import Axis, Part
from sojourn.studies.quantities import time_text
from sojourn.studies.rfc7928 import network, readings, traffic
from sojourn.studies.rfc7928.laboratory import CAPACITIES, SHARES, Laboratory, Plan

FAST = "100 ms"
"""How long each of them holds in the second experiment."""

CYCLES = 2
"""How often the slow phases are gone through."""

CAPACITY_FLOWS = 4
"""NewReno flows over a capacity that varies: the RFC says no number."""


def plans(lab: Laboratory) -> list[Plan]:
    """Sections 8.2.2 to 8.2.6."""
    return [
        levels(lab),
        phases(lab),
        capacity(
            lab,
            "capacity-slow",
            f"Capacity that varies every {lab.settings['phase']}",
            [
                {"at": time_text(lab.settle + at * lab.phase), "rate": CAPACITIES[at % 2]}
                for at in range(1, 2 * CYCLES)
            ],
            measured=2 * CYCLES * lab.phase,
            series=lab.step(),
        ),
        capacity(
            lab,
            "capacity-fast",
            f"Capacity that varies every {FAST}",
            {"rates": list(CAPACITIES), "step": FAST},
        ),
    ]


def levels(lab: Laboratory) -> Plan:
    """Sections 8.2.2 to 8.2.4: mild, medium, heavy."""
    counts = {level: lab.flows_of(level) for level in SHARES}
    steps = {f"{level}, {count} flows": count for level, count in counts.items()}
    return lab.plan(
        "congestion",
        "8.2.2-4",
        "Congestion",
        [traffic.bulk()],
        readings.jain("bulk"),
        case=Axis("case", "flow.bulk.count", steps),
    )


def phases(lab: Laboratory) -> Plan:
    """Section 8.2.5: the three levels in turn, by flows that come and go."""
    mild, medium, heavy = (lab.flows_of(level) for level in SHARES)
    flows = [traffic.bulk("mild", count=mild)]
    for cycle in range(CYCLES):
        begin = lab.settle + len(SHARES) * cycle * lab.phase
        stop = time_text(begin + len(SHARES) * lab.phase)
        for place, (name, more) in enumerate(
            {"medium": medium - mild, "heavy": heavy - medium}.items(), 1
        ):
            if more > 0:
                one = traffic.bulk(f"{name}-{cycle + 1}", count=more)
                start = time_text(begin + place * lab.phase)
                flows.append(one | {"start": start, "stop": stop})
    return lab.plan(
        "phases",
        "8.2.5",
        "Congestion that varies",
        flows,
        come_and_go=True,
        measured=len(SHARES) * CYCLES * lab.phase,
        series=lab.step(),
    )


def capacity(lab: Laboratory, name: str, title: str, changes: Any, **keys: Any) -> Plan:
    """Section 8.2.6: NewReno flows over a capacity that varies."""
    there, back = network.dumbbell(CAPACITIES[0], lab.room(CAPACITIES[0]))
    links = [*lab.access({"bulk": lab.rtt}), there | {"changes": changes}, back]
    document = lab.document(title, links, [traffic.bulk(count=CAPACITY_FLOWS)], **keys)
    return Plan(Part(name, document, (lab.subjects(),)), "8.2.6", title, readings.common())
