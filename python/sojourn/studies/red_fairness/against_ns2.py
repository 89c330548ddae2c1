"""Our numbers beside ns-2's, where both ran the same settings (`ns2.csv`)."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from sojourn.studies import peers
from sojourn.studies.base import Section
from sojourn.studies.judging import label
from sojourn.studies.peers import Line, Quantity
from sojourn.studies.red_fairness import scenario
from sojourn.studies.red_fairness.evidence import Evidence

QUANTITIES = (
    Quantity("goodput_mbps", "goodput_total_mbps", "Goodput (Mbit/s)", 0.02),
    Quantity("jain", "jain", "Jain's index", 0.0, 0.02),
    Quantity("queue", "avg_q", "Mean queue (packets)", 0.1, 1.0),
)

SETUPS = {
    ("DropTail", "default"): ("droptail", ""),
    ("RED", "ns_auto"): ("red", "automatic"),
    ("RED", "pkt_5_15_w002"): ("red", "classic"),
}
CASES = {("none", "80ms"): 1, ("none", "250ms"): 2, ("lin", "75ms"): 3, ("lin", "250ms"): 4}
TRANSPORTS = {
    ("Tahoe", "20"): f"windows of {scenario.DEFAULT_WINDOW}",
    ("Tahoe", "1000"): f"windows of {scenario.LARGE_WINDOW}",
    ("Newreno", "1000"): f"NewReno and windows of {scenario.LARGE_WINDOW}",
}

TEXT = (
    "ns-2 2.35 ran the same network for 100 s, with one to three seeds. TCP without losses leaves "
    "little to chance; with large windows one seed says little."
)


def comparable(evidence: Evidence) -> bool:
    """Whether the settings are those that ns-2 ran: all knobs at their defaults that matter."""
    ignored = ("replicas", "counts")
    return peers.comparable(evidence.settings, scenario.STUDY, scenario.KNOBS, ignored)


def lines(evidence: Evidence) -> Iterator[Line]:
    """Every quantity of every setting that both ran."""
    for row in peers.read(scenario.PACKAGE):
        discipline, setup = SETUPS[row["disc"], row["variant"]]
        case = CASES[row["Dmode"], row["T1"]]
        transport = TRANSPORTS[row["tcp"], row["window"]]
        at = int(row["N"] if case < 3 else row["D_ms"])
        ours = evidence.frame.filter(
            (pl.col("case") == case)
            & (pl.col("at") == at)
            & (pl.col("transport") == transport)
            & (pl.col("discipline") == discipline)
            & (pl.col("setup") == setup)
            & (pl.col("spread") == "ladder")
        ).sort("replica")
        if ours.is_empty():
            continue
        who = f"{label(discipline)}{f' ({setup})' * bool(setup)}"
        where = f"{'N' if case < 3 else 'D'} = {at}"
        setting = f"Case {case}, {where}, {who}, {transport}"
        for quantity in QUANTITIES:
            values = ours[quantity.column].to_list()
            yield peers.line(setting, quantity, peers.measured(row, quantity), values)


def section(evidence: Evidence) -> Section:
    """The comparison, or why there is none."""
    return peers.section_or_reason(comparable(evidence), lines(evidence), TEXT, "100 s")
