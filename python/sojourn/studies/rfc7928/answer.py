"""The result of the study in words, from its numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from sojourn.comparing import LEAST
from sojourn.studies.claims import Verdict, tally
from sojourn.studies.judging import label
from sojourn.studies.rfc7928.comparison import apart_from_base
from sojourn.studies.rfc7928.evidence import Evidence

COLUMNS = ("delay", "goodput")


def answer(evidence: Evidence, verdicts: Sequence[Verdict]) -> tuple[str, ...]:
    """Each discipline against drop-tail over all cases, then what became of the RFC's words."""
    counts: dict[tuple[str, str], Counter[int]] = {}
    cases = 0
    for _, seen, case in evidence.compared():
        cases += 1
        for column in COLUMNS:
            apart = apart_from_base(seen, column, case)
            for subject in evidence.tested:
                counts.setdefault((subject, column), Counter())[apart.get(subject, 0)] += 1
    return (
        f"Shorter queueing delay than with drop-tail: {_in(counts, 'delay', -1)} of {cases} cases. "
        f"Less goodput: {_in(counts, 'goodput', -1)}.",
        f"Longer delay: {_in(counts, 'delay', 1)}. More goodput: {_in(counts, 'goodput', 1)}. Only "
        f"differences count whose paired intervals leave out zero, and of more than {LEAST:.0%}.",
        f"Of {len(verdicts)} things that the RFC says and a run can show, {tally(verdicts)}.",
    )


def _in(counts: Mapping[tuple[str, str], Counter[int]], column: str, sign: int) -> str:
    """In how many cases each discipline is so."""
    found = (
        f"{label(subject)} in {signs[sign]}"
        for (subject, one), signs in counts.items()
        if one == column
    )
    return ", ".join(found)
