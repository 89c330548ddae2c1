"""The result of the study in words, from its numbers."""

from __future__ import annotations

from collections.abc import Sequence

from sojourn.studies.claims import Outcome, Verdict, tally
from sojourn.studies.four_aqms.evidence import Evidence
from sojourn.studies.four_aqms.measures import DISCIPLINES, PUBLISHED
from sojourn.studies.judging import End, Sample, extreme, label
from sojourn.studies.tables import interval_text


def of_blue() -> dict[str, tuple[str, End]]:
    """What the publication says of BLUE: what, column, end."""
    return {
        "the least loss": ("loss_percent", "lowest"),
        "the largest window": ("cwnd", "highest"),
        "the longest delay": ("delay_ms", "highest"),
    }


def four(sample: Sample) -> str:
    """The means of the four."""
    texts = (f"{label(name)} {interval_text(one)}" for name, one in sample.intervals().items())
    return f"{', '.join(texts)} {sample.unit}".rstrip()


def answer(evidence: Evidence, verdicts: Sequence[Verdict]) -> tuple[str, ...]:
    """Paragraphs that say what came out."""
    reading = evidence.chosen
    utilisation = min(
        one.mean or 0.0 for one in reading.intervals("utilisation_percent", PUBLISHED).values()
    )
    like_droptail = [
        what
        for what, (column, end) in of_blue().items()
        if extreme(reading.sample(column, DISCIPLINES), "droptail", end).outcome is Outcome.AGREES
    ]
    paragraphs = [
        f"Of {len(verdicts)} published claims {tally(verdicts)}.",
        f"All four keep the bottleneck busy, {utilisation:.1f} % of the time or more; they "
        f"differ in who is served and how long packets wait. Goodput of TCP: "
        f"{four(reading.sample('tcp_mbps'))}; delay: {four(reading.sample('delay_ms'))}; loss: "
        f"{four(reading.sample('loss_percent'))}.",
    ]
    if like_droptail:
        names = ", ".join(like_droptail)
        paragraphs.append(
            f"Of what the publication finds for BLUE, our runs show {names} for drop-tail, and not "
            f"for BLUE: a BLUE whose probability hardly moves is drop-tail."
        )
    return tuple(paragraphs)
