"""Our numbers beside ns-2's, where both ran the same settings (`ns2.csv`)."""

from __future__ import annotations

from collections.abc import Iterator

from sojourn.studies import peers
from sojourn.studies.base import Section
from sojourn.studies.four_aqms import scenario
from sojourn.studies.four_aqms.evidence import Evidence, Reading
from sojourn.studies.judging import label
from sojourn.studies.peers import Line, Quantity

QUANTITIES = (
    Quantity("tcp_mbps", "tcp_goodput_mbps", "TCP goodput (Mbit/s)", 0.02),
    Quantity("cbr_mbps", "udp_thr_mbps", "CBR throughput (Mbit/s)", 0.02),
    Quantity("queue", "avg_q", "Mean queue (packets)", 0.1, 1.0),
    Quantity("queueing_ms", "bneck_wait_ms", "Queueing delay (ms)", 0.1, 1.0),
    Quantity("loss_percent", "loss_ratio", "Loss ratio (%)", 0.15, 0.1, scale=100.0),
    Quantity("cwnd", "cwnd_mean", "Congestion window (packets)", 0.05),
)

OURS = {
    ("DropTail", "default"): ("droptail", ""),
    ("RED", "paper_pkt_min5"): ("red", ""),
    ("RED", "paper_pkt_min15"): ("red", "RED with min_th 15"),
    ("RED", "paper_pkt_min25"): ("red", "RED with min_th 25"),
    ("RED", "paper_bytedefault"): ("red", "RED counting bytes"),
    ("RED", "ns_default"): ("red", "RED as ns-2 sets it up itself"),
    ("REM", "ns_default"): ("rem", ""),
    ("SFQ", "ns_default_40"): ("sfq", ""),
    ("SFQ", "max50"): ("sfq", "SFQ with room for 50"),
}
"""ns-2's discipline and variant -> ours and its reading, empty for the one chosen."""

TEXT = (
    "ns-2 2.35 ran the same network for 100 s with five seeds. BLUE is missing there: ns-2 has "
    "none. Windows leave out by how much duplicate acknowledgements inflate them (RFC 5681, 3.2), "
    "as ns-2's cwnd_ does."
)


def comparable(evidence: Evidence) -> bool:
    """Whether the settings are those that ns-2 ran: all knobs at their defaults, but replicas."""
    return peers.comparable(evidence.settings, scenario.STUDY, scenario.KNOBS)


def reading_of(evidence: Evidence, tcp: str, cbr: str, name: str) -> Reading | None:
    """Our runs of one of ns-2's settings, None where we ran none."""
    if tcp == "Tahoe" and cbr == "0.25":
        return evidence.readings.get(name) if name else evidence.chosen
    if name:
        return None
    if tcp == "Tahoe":
        return evidence.loads.get(f"{cbr} Mbit/s")
    return evidence.readings.get("TCP NewReno") if cbr == "0.25" else None


def lines(evidence: Evidence) -> Iterator[Line]:
    """Every quantity of every setting that both ran."""
    for row in peers.read(scenario.PACKAGE):
        discipline, name = OURS[row["disc"], row["variant"]]
        cbr = row["cbr_mbps_each"]
        reading = reading_of(evidence, row["tcp"], cbr, name)
        if reading is None:
            continue
        setting = f"{name or label(discipline)}, {row['tcp']}, CBR {cbr} Mbit/s each"
        for quantity in QUANTITIES:
            values = reading.sample(quantity.column, (discipline,)).values[discipline]
            yield peers.line(setting, quantity, peers.measured(row, quantity), values)


def section(evidence: Evidence) -> Section:
    """The comparison, or why there is none."""
    return peers.section_or_reason(comparable(evidence), lines(evidence), TEXT, "100 s")
