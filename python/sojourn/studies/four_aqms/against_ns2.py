"""Our numbers beside ns-2's, where both ran the same settings (`ns2.csv`)."""

from __future__ import annotations

from collections.abc import Iterator

from sojourn.studies import peers
from sojourn.studies.base import Section
from sojourn.studies.four_aqms.evidence import Everything, Evidence
from sojourn.studies.judging import label
from sojourn.studies.knobs import settle
from sojourn.studies.peers import Line, Quantity

PACKAGE = "sojourn.studies.four_aqms"

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


def comparable(everything: Everything) -> bool:
    """Whether the settings are those that ns-2 ran: all knobs at their defaults, but replicas."""
    from sojourn.studies.four_aqms import scenario

    ns2 = dict(settle(scenario.STUDY, scenario.KNOBS, {}).texts)
    mine = dict(everything.settings.texts)
    return all(ns2[name] == mine[name] for name in ns2 if name != "replicas")


def evidence_of(everything: Everything, tcp: str, cbr: str, reading: str) -> Evidence | None:
    """Our runs of one of ns-2's settings, None where we ran none."""
    if tcp == "Tahoe" and cbr == "0.25":
        return everything.readings.get(reading) if reading else everything.chosen
    if reading:
        return None
    if tcp == "Tahoe":
        return everything.loads.get(f"{cbr} Mbit/s")
    return everything.readings.get("TCP NewReno") if cbr == "0.25" else None


def lines(everything: Everything) -> Iterator[Line]:
    """Every quantity of every setting that both ran."""
    for row in peers.read(PACKAGE):
        discipline, reading = OURS[row["disc"], row["variant"]]
        cbr = row["cbr_mbps_each"]
        evidence = evidence_of(everything, row["tcp"], cbr, reading)
        if evidence is None:
            continue
        setting = f"{reading or label(discipline)}, {row['tcp']}, CBR {cbr} Mbit/s each"
        for quantity in QUANTITIES:
            values = evidence.sample(quantity.column, (discipline,)).values[discipline]
            yield peers.line(setting, quantity, peers.measured(row, quantity), values)


def section(everything: Everything) -> Section:
    """The comparison, or why there is none."""
    if not comparable(everything):
        text = "ns-2's numbers are for the study's own choices and 100 s: these runs have others."
        return Section("against-ns2", "Against ns-2 itself", (text,))
    return peers.section(list(lines(everything)), TEXT)
