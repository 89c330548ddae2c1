"""Verdicts on the throughput: Fig. 5 and Table III, row 4."""

from __future__ import annotations

from sojourn.studies.claims import Outcome, Verdict
from sojourn.studies.eqm import bounds
from sojourn.studies.eqm.evidence import Evidence
from sojourn.studies.eqm.labels import PUBLISHED, label
from sojourn.studies.eqm.verdicts.common import Rule, cells, difference_text, order, printed
from sojourn.studies.judging import side_by_side
from sojourn.studies.tables import interval_text, percent_text

TEN_KILOBITS = 0.01
"""Mbit/s in the unit in which the printed throughputs would fit."""


def above_capacity(evidence: Evidence) -> Verdict:
    """Printed throughputs against the bottleneck."""
    row = evidence.published.table_three["throughput"].values
    network = evidence.theirs
    broken = bounds.throughput_above_capacity(network, row)
    reason = (
        f"The bottleneck passes {network.capacity_mbps:g} Mbit/s. Even the sum over all "
        f"{len(network.loads)} loads cannot exceed {network.highest_sum_mbps:.2f} Mbit/s (the load "
        f"itself up to the capacity, the capacity above), and their mean cannot exceed "
        f"{network.highest_mean_mbps:.2f}. {len(broken.printed)} of {len(row)} printed numbers "
        f"exceed even the sum."
    )
    return Verdict(
        evidence.published.claims["throughput-cells"],
        Outcome.IMPOSSIBLE if broken.printed else Outcome.DISAGREES,
        printed(evidence, "throughput"),
        side_by_side(evidence.intervals("throughput_mbps", "all", PUBLISHED), "Mbit/s (all loads)"),
        reason,
    )


def more_of_both(evidence: Evidence) -> Verdict:
    """More lost and more delivered, with the shorter queue."""
    table = evidence.published.table_three
    loss, throughput = table["loss"].values, table["throughput"].values
    more = bounds.share_more_sent(throughput["eqm"], throughput["rem"])
    lost = evidence.intervals("loss_percent", "all", ("rem",))["rem"]
    impossible = loss["eqm"] >= loss["rem"] and more > 0
    sent = percent_text(more, 1)
    reason = (
        f"Received is sent less lost. On the same arrivals EQM cannot lose {loss['eqm']:g} packets "
        f"against {loss['rem']:g} and deliver {sent} more: at least {sent} more would have to be "
        f"sent, and then the runs do not compare algorithms. "
        f"Nor does it help that the queue is short: on one arrival sequence nobody accepts more "
        f"packets than drop-tail, and all that anyone can gain over {label('rem')} is what "
        f"{label('rem')} loses, in our runs {interval_text(lost)} % of the packets. Ours, on "
        f"common arrivals: loss "
        f"{difference_text(evidence, 'loss', 'all', 'eqm', 'rem')} packets, throughput "
        f"{difference_text(evidence, 'throughput_mbps', 'all', 'eqm', 'rem')} Mbit/s."
    )
    return Verdict(
        evidence.published.claims["loss-and-throughput"],
        Outcome.IMPOSSIBLE if impossible else Outcome.AGREES,
        f"loss {printed(evidence, 'loss')}; throughput {printed(evidence, 'throughput')}",
        side_by_side(evidence.intervals("loss", "all", PUBLISHED), "packets")
        + "; "
        + side_by_side(evidence.intervals("throughput_mbps", "all", PUBLISHED), "Mbit/s"),
        reason,
    )


RULES: dict[str, Rule] = {
    "throughput-best-eqm": order(
        "throughput-best-eqm", "throughput_mbps", "all", "eqm", "highest", "throughput"
    ),
    "throughput-cells": above_capacity,
    "throughput-cells-scaled": cells(
        "throughput-cells-scaled", "throughput", "throughput_mbps", ("all",), TEN_KILOBITS
    ),
    "loss-and-throughput": more_of_both,
}
