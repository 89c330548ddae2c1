"""Our numbers beside ns-3's, where both ran the same settings (`ns3.csv`)."""

from __future__ import annotations

from collections.abc import Iterator

from sojourn.studies import peers
from sojourn.studies.base import Section
from sojourn.studies.ece6110 import scenario
from sojourn.studies.ece6110.evidence import Evidence
from sojourn.studies.peers import NS3, Line, Quantity

QUANTITIES = (
    Quantity("udp", "udp", "UDP goodput (kbit/s)", 0.02),
    Quantity("tcp", "tcp", "Goodput of one TCP (kbit/s)", 0.02),
)

TEXT = (
    "ns-3.48 ran the same network for 10 s with three seeds and NewReno, since it has no Tahoe; so "
    "do our runs here. On and off times are drawn anew on each side: with three runs of 10 s most "
    "of a difference is chance."
)


def comparable(evidence: Evidence) -> bool:
    """Whether the settings are those that ns-3 ran: all knobs at their defaults that matter."""
    return peers.comparable(evidence.settings, scenario.STUDY, scenario.KNOBS, ("replicas", "tcp"))


def lines(evidence: Evidence) -> Iterator[Line]:
    """Every quantity of every setting that both ran."""
    seen = evidence.parts["against-ns3"]
    for row in peers.read(scenario.PACKAGE, NS3):
        load, queue = row["load"], row["queue"]
        for quantity in QUANTITIES:
            values = seen.values(quantity.column, load, queue)
            yield peers.line(
                f"{queue}, {load} load", quantity, peers.measured(row, quantity), values
            )


def section(evidence: Evidence) -> Section:
    """The comparison, or why there is none."""
    return peers.section_or_reason(comparable(evidence), lines(evidence), TEXT, "10 s", NS3)
