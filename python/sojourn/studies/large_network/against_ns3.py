"""Our numbers beside ns-3's, where both ran the same settings (`ns3.csv`)."""

from __future__ import annotations

from collections.abc import Iterator

from sojourn.studies import peers
from sojourn.studies.base import Section
from sojourn.studies.judging import label
from sojourn.studies.large_network import scenario
from sojourn.studies.large_network.evidence import Evidence
from sojourn.studies.peers import NS3, Line, Quantity

QUANTITIES = (
    Quantity("goodput", "goodput", "Goodput (kbit/s)", 0.02),
    Quantity("loss", "loss", "Loss ratio (%)", 0.15, 0.1),
    Quantity("delay", "delay", "End-to-end delay (ms)", 0.1, 1.0),
    Quantity("queue", "queue", "Mean queue (packets)", 0.1, 1.0),
)

TEXT = "ns-3.37 ran the same networks for 20 s with one to three seeds."

PHASE = (
    " At short queues ours have a phase effect that ns-3's order of simultaneous events hides (see "
    "above)."
)


def comparable(evidence: Evidence) -> bool:
    """Whether the settings are those that ns-3 ran: all knobs at their defaults, but replicas."""
    return peers.comparable(evidence.settings, scenario.STUDY, scenario.KNOBS)


def lines(evidence: Evidence) -> Iterator[Line]:
    """Every quantity of every setting that both ran."""
    for row in peers.read(scenario.PACKAGE, NS3):
        case, subject = row["case"], row["subject"]
        for quantity in QUANTITIES:
            # In the second network ns-3's queue is that of one router only.
            if quantity.column == "queue" and "senders" not in case:
                continue
            values = evidence.values(quantity.column, case, subject)
            yield peers.line(
                f"{label(subject)}, {case}", quantity, peers.measured(row, quantity), values
            )


def section(evidence: Evidence) -> Section:
    """The comparison, or why there is none."""
    text = TEXT + (PHASE if evidence.phase_effect else "")
    return peers.section_or_reason(comparable(evidence), lines(evidence), text, "20 s", NS3)
