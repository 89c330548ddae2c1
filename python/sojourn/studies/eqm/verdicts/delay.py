"""Verdicts on the delay: Fig. 3 and Table III, row 2, with Little's law."""

from __future__ import annotations

import polars as pl

from sojourn.stats import rank
from sojourn.studies.claims import Outcome, Verdict
from sojourn.studies.eqm import bounds
from sojourn.studies.eqm.evidence import Evidence
from sojourn.studies.eqm.labels import PUBLISHED, label, labels, published_label
from sojourn.studies.eqm.verdicts.common import Rule, cells, order, printed
from sojourn.studies.judging import Sample, not_measured, side_by_side
from sojourn.studies.limits import undecided
from sojourn.studies.tables import figure_text
from sojourn.studies.trends import Scale, alone, constant, furthest

SAME = 0.001
"""Values that differ by no more than this share count as the same."""


def minimum_same(evidence: Evidence) -> Verdict:
    """The least mean delay over the loads, per discipline."""
    scale = Scale(at_least_delay(evidence), "ms")
    found = scale.means()
    claim = evidence.published.claims["delay-minimum-same"]
    if len(found) < 2:
        return alone(scale).on(claim, "the same")
    least, most = min(found.values()), max(found.values())
    outcome = constant(scale, SAME * most)
    ours = ", ".join(f"{name} {mean:.4f}" for name, mean in found.items())
    reason = (
        f"The least mean delays differ by {most - least:.2g} ms. At low loads no queue forms, and "
        f"what is left is the path alone: "
        f"{1e3 * (evidence.ours.path_propagation + evidence.ours.path_serialisation):.3f} ms of "
        f"propagation and serialisation."
    )
    if outcome is Outcome.NOT_MEASURED:
        a, b, difference = furthest(scale)
        limit = f"{figure_text(SAME * most)} ms"
        reason = f"{undecided(f'{b} less {a}', difference, limit)} {reason}"
    return Verdict(claim, outcome, "the same", f"{ours} ms", reason)


def at_least_delay(evidence: Evidence) -> dict[str, list[float | None]]:
    """The delays of each discipline at the load at which its mean is the least."""
    found: dict[str, list[float | None]] = {}
    for name in PUBLISHED:
        rows = evidence.frame.filter(pl.col("discipline") == name)
        means = rows.group_by("load").agg(pl.col("delay_ms").mean()).drop_nulls("delay_ms")
        if means.is_empty():
            continue
        load = means.sort("delay_ms", "load")["load"][0]
        at_load = rows.filter(pl.col("load") == load).sort("replica")
        found[label(name)] = at_load["delay_ms"].to_list()
    return found


def first_greater(evidence: Evidence) -> Verdict:
    """EQM's queueing delay at the first load above the capacity."""
    capacity = evidence.ours.capacity_mbps
    above = [load for load in evidence.ours.loads if load > capacity + 1e-9]
    claim = evidence.published.claims["delay-eqm-first-greater"]
    if not above:
        return Verdict(
            claim,
            Outcome.DISAGREES,
            "greater at first",
            "-",
            f"No load above {capacity:g} Mbit/s was run.",
        )
    at = f"at {above[0]:g} Mbit/s"
    values = evidence.at_load("queueing_ms", above[0])
    sample = Sample(values, f"ms ({at})")
    if not sample.measured:
        return not_measured(sample).on(claim, "greater at first")
    ranks = rank(values, "higher")
    mine = ranks["eqm"]
    agree = not mine.beaten_by and not mine.ties
    if agree:
        reason = f"{label('eqm')} has the longest queueing delay {at}, separated from the others."
    elif mine.beaten_by:
        reason = f"{labels(mine.beaten_by)} wait longer {at}, beyond the adjusted intervals."
    else:
        reason = f"{label('eqm')} ties with {labels(mine.ties)} {at}."
    return Verdict(
        claim,
        Outcome.AGREES if agree else Outcome.DISAGREES,
        "greater at first",
        side_by_side({name: one.interval for name, one in ranks.items()}, f"ms ({at})"),
        reason,
    )


def below_propagation(evidence: Evidence) -> Verdict:
    """Printed end-to-end delays against the path's own delay."""
    network = evidence.theirs
    row = evidence.published.table_three["delay"].values
    broken = bounds.delay_below_propagation(network, row)
    least = next(iter(broken.bound.values()))
    impossible = bool(broken.printed)
    link = 1e3 * network.bottleneck_propagation
    under_link = sum(delay < link for delay in row.values())
    reason = (
        f"The path takes {least:.2f} ms without any queue: {1e3 * network.path_propagation:g} ms "
        f"of propagation on three links and {1e3 * network.path_serialisation:.2f} ms to send "
        f"{network.packet_bytes:g} bytes three times. {len(broken.printed)} of {len(row)} printed "
        f"delays lie below; {under_link} even below the {link:g} ms of the bottleneck link alone."
    )
    ours = side_by_side(evidence.intervals("delay_ms", "all", PUBLISHED), "ms (all loads)")
    return Verdict(
        evidence.published.claims["delay-cells"],
        Outcome.IMPOSSIBLE if impossible else Outcome.DISAGREES,
        printed(evidence, "delay"),
        ours,
        reason,
    )


def little(evidence: Evidence) -> Verdict:
    """Printed queues against printed delays."""
    table = evidence.published.table_three
    queues, delays = table["queue"].values, table["delay"].values
    broken = bounds.little(evidence.theirs, queues, delays)
    needs = "; ".join(
        f"{published_label(name)} {queues[name]:g} packets need {broken.bound[name]:g} ms, printed "
        f"{delays[name]:g}"
        for name in broken.printed
    )
    reason = (
        f"Little's law: the bottleneck serves at most {evidence.theirs.packets_per_second:g} "
        f"packets of {evidence.theirs.packet_bytes:g} bytes per second, so the mean wait over any "
        f"set of loads is at least the mean queue over the same loads divided by that rate. "
        f"{needs}. (For disciplines that drop on arrival.)"
    )
    ours = (
        side_by_side(evidence.intervals("queue", "all", PUBLISHED), "packets")
        + "; "
        + side_by_side(evidence.intervals("queueing_ms", "all", PUBLISHED), "ms")
        + " (all loads)"
    )
    return Verdict(
        evidence.published.claims["little"],
        Outcome.IMPOSSIBLE if broken.printed else Outcome.AGREES,
        ", ".join(
            f"{published_label(name)} {queues[name]:g} packets and {figure_text(delays[name])} ms"
            for name in PUBLISHED
        ),
        ours,
        reason,
    )


RULES: dict[str, Rule] = {
    "delay-least-eqm": order("delay-least-eqm", "queueing_ms", "above", "eqm", "lowest", "delay"),
    "delay-minimum-same": minimum_same,
    "delay-eqm-first-greater": first_greater,
    "delay-cells": below_propagation,
    "delay-cells-queueing": cells("delay-cells-queueing", "delay", "queueing_ms", ("above", "all")),
    "little": little,
}
