"""The result of the study in words, from its numbers."""

from __future__ import annotations

from collections.abc import Sequence

from sojourn.studies.claims import Outcome, Verdict, tally
from sojourn.studies.judging import label
from sojourn.studies.large_network.disciplines import ADAPTIVE, DISCIPLINES
from sojourn.studies.large_network.evidence import Evidence
from sojourn.studies.tables import interval_text


def answer(evidence: Evidence, verdicts: Sequence[Verdict]) -> tuple[str, ...]:
    """Paragraphs that say what came out."""
    by_claim = {one.claim.id: one.outcome for one in verdicts}
    holds = by_claim["best-two"] is Outcome.AGREES

    def all_in(column: str, unit: str, names: Sequence[str] = DISCIPLINES) -> str:
        found = evidence.seen.intervals(column, evidence.one, names)
        return ", ".join(f"{label(name)} {interval_text(x)}" for name, x in found.items()) + unit

    return (
        f"That RED and CoDel have the highest throughput with the least delay "
        f"{'holds' if holds else 'does not hold'} in our runs. Of {len(verdicts)} published claims "
        f"{tally(verdicts)}.",
        f"Many to one, {evidence.one}: the delay is {all_in('delay', ' ms')}; the throughput "
        f"{all_in('throughput', ' kbit/s')}; the loss {all_in('loss', ' %')}. RED and CoDel take "
        f"the delay away; a short queue costs a little throughput, it does not win any.",
        f"ARED against RED: {all_in('delay', ' ms', ADAPTIVE)} and "
        f"{all_in('throughput', ' kbit/s', ADAPTIVE)}. PFIFO is drop-tail, packet for packet.",
    )
