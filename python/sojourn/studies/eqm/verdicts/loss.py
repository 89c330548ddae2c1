"""Verdicts on the losses: Fig. 4 and Table III, row 3."""

from __future__ import annotations

from sojourn.studies.claims import Outcome, Verdict
from sojourn.studies.eqm.evidence import Evidence
from sojourn.studies.eqm.labels import PUBLISHED, label, published_label
from sojourn.studies.eqm.verdicts.common import Rule, order, printed
from sojourn.studies.judging import near, not_measured, side_by_side
from sojourn.studies.tables import figure_text, interval_text, percent_text


def contradiction(evidence: Evidence) -> Verdict:
    """The text to Fig. 4 against Table III."""
    row = evidence.published.table_three["loss"].values
    least = min(row, key=lambda name: row[name])
    most = max(row, key=lambda name: row[name])
    means = evidence.intervals("loss", "below", PUBLISHED)
    nobody = all(one.mean == 0 for one in means.values())
    # The figure stops at the capacity, the table may not: only loads above it could settle it.
    capacity = f"{evidence.ours.capacity_mbps:g} Mbit/s"
    settle = f"Fig. 4 ends at {capacity}, so the loads above could turn its order round. " + (
        "But up to there nobody loses a packet in our runs: there is no order to turn"
        if nobody
        else f"Ours up to there: {side_by_side(means, 'packets')}"
    )
    reason = (
        f"By Fig. 4's text EQM loses least and RED most. Table III has {published_label(least)} "
        f"least ({row[least]:g}, EQM {row['eqm']:g}) and {published_label(most)} most "
        f"({row[most]:g}, RED {row['red']:g}). {settle}."
    )
    differs = least != "eqm" or most != "red"
    return Verdict(
        evidence.published.claims["loss-contradiction"],
        Outcome.CONTRADICTS_ITSELF if differs else Outcome.AGREES,
        f"Fig. 4: least EQM, most RED; Table III: least {published_label(least)}, most "
        f"{published_label(most)}",
        side_by_side(evidence.intervals("loss", "all", PUBLISHED), "packets (all loads)"),
        reason,
    )


def counts(evidence: Evidence) -> Verdict:
    """Counts grow with the unknown duration: the ratios to REM can be compared."""
    row = evidence.published.table_three["loss"].values
    claim, said = evidence.published.claims["loss-cells"], printed(evidence, "loss")
    if not (sample := evidence.sample("loss", "all")).measured:
        return not_measured(sample).on(claim, said)
    others = [name for name in PUBLISHED if name != "rem"]
    ratios = {name: evidence.ratio("loss", "all", name, "rem") for name in others}
    agreeing = [name for name in others if near(row[name] / row["rem"], ratios[name])]
    rem = evidence.values("loss", "all", ("rem",)).get("rem", [])
    known = [value for value in rem if value is not None]
    interval = evidence.intervals("loss", "all", ("rem",))["rem"]
    noise = ""
    if len(known) > 1 and interval.mean:
        mean = sum(known) / len(known)
        deviation = (sum((x - mean) ** 2 for x in known) / (len(known) - 1)) ** 0.5 / mean
        spread = max(row[name] for name in ("eqm", "red", "rem")) / row["rem"] - 1
        noise = (
            f" One set of runs, as published, scatters by {percent_text(deviation)} (standard "
            f"deviation of {label('rem')}'s mean loss over all loads); the printed losses of EQM, "
            f"RED and REM differ by {percent_text(spread)}"
            + (", which is noise." if spread < 2 * deviation else ".")
        )
    compared = "; ".join(
        f"{label(name)} {figure_text(row[name] / row['rem'])} published, "
        f"{interval_text(ratios[name])} ours"
        for name in others
    )
    reason = (
        f"A count per run grows with the duration, which is not given; relative to "
        f"{label('rem')}: {compared}.{noise}"
    )
    return Verdict(
        claim,
        Outcome.AGREES if len(agreeing) == len(others) else Outcome.DISAGREES,
        said,
        side_by_side(
            evidence.intervals("loss", "all", PUBLISHED),
            f"packets per run of {evidence.ours.duration:g} s (all loads)",
        ),
        reason,
    )


RULES: dict[str, Rule] = {
    "loss-least-rem": order("loss-least-rem", "loss", "all", "rem", "lowest", "loss"),
    "loss-least-eqm": order("loss-least-eqm", "loss", "below", "eqm", "lowest"),
    "loss-most-red": order("loss-most-red", "loss", "below", "red", "highest"),
    "loss-contradiction": contradiction,
    "loss-cells": counts,
}
