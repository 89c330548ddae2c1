"""The result of the study in words, from its numbers."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from sojourn.stats import separated, student_interval
from sojourn.studies.claims import Verdict, tally
from sojourn.studies.judging import label
from sojourn.studies.red_fairness import one_packet, scenario
from sojourn.studies.red_fairness.evidence import Evidence, Reading
from sojourn.studies.red_fairness.measures import DISCIPLINES
from sojourn.studies.red_fairness.verdicts.common import difference_text
from sojourn.studies.tables import figure_text, interval_text, percent_text


def averages(reading: Reading) -> str:
    """RED less drop-tail, over all places of the throughput and of the fairness cases."""
    goodput = difference_text(reading.average("goodput_mbps", (1, 2), ""))
    jain = difference_text(reading.average("jain", (3, 4), ""))
    return f"RED - drop-tail = {goodput} of throughput on average, {jain} of Jain's index"


def answer(evidence: Evidence, verdicts: Sequence[Verdict]) -> tuple[str, ...]:
    """Paragraphs that say what came out."""
    chosen, window = evidence.chosen, evidence.settings["window"]
    lost = chosen.frame["loss_percent"].mean()
    paragraphs = [
        f"Of {len(verdicts)} published claims {tally(verdicts)}.",
        f"With windows of {window} packets {figure_text(float(lost or 0.0))} % of the packets are "  # pyright: ignore[reportArgumentType]
        f"lost: {averages(chosen)}.",
    ]
    if window != scenario.LARGE_WINDOW:
        paragraphs.append(
            f"With windows of {scenario.LARGE_WINDOW}, where the buffer decides: "
            f"{averages(evidence.large)}."
        )
    paragraphs += [one for one in (one_packet.words(evidence), of_buffers(evidence)) if one]
    return tuple(paragraphs)


def of_buffers(evidence: Evidence) -> str:
    """Two connections over a large buffer: what RED's short queue costs them."""
    connections, limit = scenario.BUFFER_CONNECTIONS[0], 500
    here = evidence.buffers.filter((pl.col("at") == connections) & (pl.col("limit") == limit)).sort(
        "replica"
    )
    values = {
        name: here.filter(pl.col("discipline") == name)["goodput_mbps"].to_list()
        for name in DISCIPLINES
    }
    means = {name: student_interval(one) for name, one in values.items()}
    texts = ", ".join(f"{label(name)} {interval_text(one)}" for name, one in means.items())
    apart = separated(values["red"], values["droptail"])
    red, droptail = means["red"].mean or 0.0, means["droptail"].mean or 0.0
    where = (
        f"{connections} connections, {limit} packets of room and windows of {scenario.LARGE_WINDOW}"
    )
    if not (apart and droptail):
        return f"With {where} they deliver {texts} Mbit/s: no difference that the intervals carry."
    share = percent_text(abs(red / droptail - 1))
    more = "more" if red > droptail else "less"
    return (
        f"Which of the two is ahead depends on the buffer: with {where} they deliver {texts} "
        f"Mbit/s; RED delivers {share} {more}."
    )
