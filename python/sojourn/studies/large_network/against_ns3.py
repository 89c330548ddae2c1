"""Our numbers beside ns-3's, where both ran the same settings (`ns3.csv`)."""

from __future__ import annotations

from collections.abc import Iterator

from sojourn.studies import peers
from sojourn.studies.base import Section
from sojourn.studies.judging import label
from sojourn.studies.knobs import settle
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
    ns3 = settle(scenario.STUDY, scenario.KNOBS, {}).texts
    mine = evidence.settings.texts
    return all(ns3[name] == mine[name] for name in ns3 if name != "replicas")


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
    if not comparable(evidence):
        text = "ns-3's numbers are for the study's own choices and 20 s: these runs have others."
        return Section("against-ns3", "Against ns-3 itself", (text,))
    text = TEXT + (PHASE if evidence.phase_effect else "")
    return peers.section(list(lines(evidence)), text, NS3)
