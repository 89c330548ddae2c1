"""Whether a verdict depends on the choices: orders judged again under every reading.

A publication leaves points open. A study takes one choice for each, and judges; here the same
claims are judged under the other choices, one at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sojourn.studies.base import Section
from sojourn.studies.claims import Claim, Outcome
from sojourn.studies.judging import Judgement
from sojourn.studies.tables import MISSING, Table


def section(
    claims: Mapping[str, Claim],
    judges: Mapping[str, Callable[[Any], Judgement]],
    chosen: Any,
    readings: Mapping[str, Any],
) -> Section:
    """A table with a row per claim that can be judged again.

    `chosen` and the values of `readings` are evidence as the judges take it; a judgement that rests
    on a measure which a reading lacks is left out.
    """
    rows: list[tuple[str, ...]] = []
    records: list[dict[str, Any]] = []
    for name, claim in claims.items():
        if name not in judges:
            continue
        first = judges[name](chosen).outcome
        found = {title: judges[name](evidence) for title, evidence in readings.items()}
        measured = {title: one for title, one in found.items() if one.measured}
        if not measured:
            continue
        holds = [title for title, one in measured.items() if one.outcome is Outcome.AGREES]
        fails = [title for title in measured if title not in holds]
        rows.append((claim.text, first.value, listed(holds, fails), listed(fails, holds)))
        records.append({"claim": name, "chosen": first.value, "holds": holds, "fails": fails})
    table = Table(
        id="readings",
        caption="Orders under the other choices",
        header=("Claim", "As chosen", "Holds with", "Does not hold with"),
        rows=tuple(rows),
        note="One choice is changed at a time. An order holds where the paired intervals separate.",
        numeric=False,
        records=records,
    )
    text = (
        "The publication leaves open what the verdicts might depend on. Here the orders that it "
        f"claims are judged again under {len(readings)} other choices: {', '.join(readings)}."
    )
    return Section("readings", "Do the verdicts depend on our choices?", (text,), (table,))


def listed(these: Sequence[str], others: Sequence[str]) -> str:
    """The readings by name; where they are the longer list, that it is all or the other ones."""
    if len(these) > max(1, len(others)):
        return f"the other {len(these)}" if others else f"all {len(these)}"
    return "; ".join(these) or MISSING
