"""Laws that the frames of a study must keep before it passes verdicts by them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sojourn.studies.base import LawBroken, Section
from sojourn.studies.tables import Table


@dataclass(frozen=True)
class Check:
    """A law, whether the frames keep it, and the numbers. `kept` is None where it does not
    apply."""

    law: str
    kept: bool | None
    detail: str

    @property
    def word(self) -> str:
        """The outcome in a word or two."""
        return {True: "kept", False: "BROKEN", None: "does not apply"}[self.kept]


def demand(checks: Sequence[Check]) -> None:
    """Raise LawBroken, naming every law that is broken, unless all are kept."""
    broken = [f"{check.law} ({check.detail})" for check in checks if check.kept is False]
    if broken:
        raise LawBroken("the run breaks " + "; ".join(broken))


def section(found: Sequence[Check]) -> Section:
    """The laws, as a part of the report."""
    table = Table(
        id="laws",
        caption="Laws checked on the frames of this run",
        header=("Law", "Outcome", "Numbers"),
        rows=tuple((one.law, one.word, one.detail) for one in found),
        numeric=False,
        records=[{"law": one.law, "kept": one.kept, "detail": one.detail} for one in found],
    )
    text = (
        "Verdicts by proof rest on laws that our own numbers must keep first. A run that breaks "
        "one ends with an error and shows no number."
    )
    return Section("laws", "Laws that this run keeps", (text,), (table,))
