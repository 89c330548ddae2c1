"""Verdicts on the utilisation: Fig. 6 and Table III, row 5."""

from __future__ import annotations

from sojourn.studies.claims import Outcome, Verdict
from sojourn.studies.eqm import bounds
from sojourn.studies.eqm.evidence import Evidence
from sojourn.studies.eqm.labels import PUBLISHED, label, labels, published_label
from sojourn.studies.eqm.verdicts.common import Rule, cells, order, printed
from sojourn.studies.judging import not_measured, side_by_side
from sojourn.studies.limits import undecided
from sojourn.studies.tables import figure_text
from sojourn.studies.trends import Scale, constant, furthest

SAME = 0.005
"""Utilisations that differ by no more than this share count as the same."""

CONSTANT = 1.005
"""A ratio that should be one number may differ by this factor from rounding in print."""

COLUMN = "utilisation_percent"


def least_throughout(evidence: Evidence) -> Verdict:
    """SFQ must be the lowest over all loads, and over the loads up to the capacity as well."""
    claim = evidence.published.claims["utilisation-least-sfq"]
    # Where there is a load up to the capacity, there is one at all.
    if not (sample := evidence.sample(COLUMN, "below")).measured:
        return not_measured(sample).on(claim, printed(evidence, "utilisation"))
    parts = {
        reading: evidence.ranks(COLUMN, reading, "lower")["sfq"] for reading in ("all", "below")
    }
    lowest = {reading: not one.beaten_by and not one.ties for reading, one in parts.items()}
    words: list[str] = []
    for reading, one in parts.items():
        title = evidence.readings[reading].title
        if lowest[reading]:
            words.append(f"over {title} SFQ is the lowest, separated from the others")
        elif one.beaten_by:
            verb = "is" if len(one.beaten_by) == 1 else "are"
            words.append(f"over {title} {labels(one.beaten_by)} {verb} lower")
        else:
            words.append(f"over {title} SFQ ties with {labels(one.ties)}")
    ours = "; ".join(
        side_by_side(
            evidence.intervals(COLUMN, reading, PUBLISHED),
            f"% ({evidence.readings[reading].title})",
        )
        for reading in parts
    )
    text = "; ".join(words)
    return Verdict(
        claim,
        Outcome.AGREES if all(lowest.values()) else Outcome.DISAGREES,
        printed(evidence, "utilisation"),
        ours,
        text[0].upper() + text[1:] + ".",
    )


def same_early(evidence: Evidence) -> Verdict:
    """EQM, RED and REM up to the capacity."""
    claim = evidence.published.claims["utilisation-same-early"]
    said = "the same but for SFQ"
    if not (sample := evidence.sample(COLUMN, "below")).measured:
        return not_measured(sample).on(claim, said)
    intervals = evidence.intervals(COLUMN, "below", PUBLISHED)
    means = {name: one.mean for name, one in intervals.items() if one.mean is not None}
    others = [means[name] for name in ("eqm", "red", "rem")]
    apart = max(others) - min(others)
    gap = max(others) - means["sfq"]
    scale = Scale({label(name): sample.values[name] for name in ("eqm", "red", "rem")}, "points")
    limit = SAME * max(others)
    outcome = constant(scale, limit)
    reason = (
        f"Over {evidence.readings['below'].title} the three differ by {apart:.2g} points of "
        f"utilisation at most. SFQ lies {gap:.2g} points below the highest of them."
    )
    if outcome is Outcome.NOT_MEASURED:
        a, b, difference = furthest(scale)
        what = f"{b} less {a}"
        reason = f"{undecided(what, difference, f'{figure_text(limit)} points')} {reason}"
    return Verdict(
        claim,
        outcome,
        said,
        side_by_side(intervals, f"% ({evidence.readings['below'].title})"),
        reason,
    )


def wrong_unit(evidence: Evidence) -> Verdict:
    """Printed utilisations, taken at their unit."""
    row = evidence.published.table_three["utilisation"].values
    capacity = evidence.theirs.capacity_mbps
    over = [name for name in row if row[name] > capacity]
    reason = (
        f"A link of {capacity:g} Mbit/s cannot be used at {min(row.values()):g} Mbit/s or more: "
        f"{len(over)} of {len(row)} numbers exceed it. By equation 5 utilisation is a share "
        f"without a unit."
    )
    return Verdict(
        evidence.published.claims["utilisation-cells"],
        Outcome.IMPOSSIBLE if over else Outcome.DISAGREES,
        printed(evidence, "utilisation"),
        side_by_side(evidence.intervals(COLUMN, "all", PUBLISHED), "% (all loads)"),
        reason,
    )


def constant_ratio(evidence: Evidence) -> Verdict:
    """Printed throughput over printed utilisation."""
    table = evidence.published.table_three
    ratios, spread = bounds.ratio_spread(table["throughput"].values, table["utilisation"].values)
    throughput = evidence.intervals("throughput_mbps", "all", PUBLISHED)
    utilisation = evidence.intervals(COLUMN, "all", PUBLISHED)
    ours = ", ".join(
        f"{label(name)} {100 * top / bottom:.3f}"
        for name in PUBLISHED
        if (top := throughput[name].mean) is not None and (bottom := utilisation[name].mean)
    )
    reason = (
        f"By equations 4 and 5 the ratio of the two is the bandwidth, the same for all four over "
        f"one set of loads. Printed it runs from {min(ratios.values()):.2f} to "
        f"{max(ratios.values()):.2f}, a factor of {spread:.2f}."
    )
    return Verdict(
        evidence.published.claims["throughput-utilisation-ratio"],
        Outcome.IMPOSSIBLE if spread > CONSTANT else Outcome.AGREES,
        ", ".join(f"{published_label(name)} {ratios[name]:.2f}" for name in PUBLISHED),
        f"{ours} (Mbit/s over the share, all loads)",
        reason,
    )


RULES: dict[str, Rule] = {
    "utilisation-best-rem": order(
        "utilisation-best-rem", COLUMN, "all", "rem", "highest", "utilisation"
    ),
    "utilisation-least-sfq": least_throughout,
    "utilisation-same-early": same_early,
    "utilisation-cells": wrong_unit,
    "utilisation-cells-percent": cells(
        "utilisation-cells-percent", "utilisation", COLUMN, ("all", "below")
    ),
    "throughput-utilisation-ratio": constant_ratio,
}
