"""Published claims and the verdicts passed on them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Outcome(StrEnum):
    """What became of a published claim."""

    AGREES = "agrees"
    """Our runs show it too: for an order, the paired intervals separate that way."""
    DISAGREES = "disagrees"
    """Our runs show something else, or no difference where one is claimed."""
    IMPOSSIBLE = "impossible"
    """No run can show it: the reason is a proof."""
    CONTRADICTS_ITSELF = "contradicts itself"
    """The publication says the opposite in another place."""
    NOT_MEASURED = "not measured"
    """Nothing that was run shows it: the reason says what is missing."""


@dataclass(frozen=True)
class Claim:
    """One thing that a publication says.

    `text` says it in our words, `place` tells where it stands, `quote` holds a few of its own
    words where they name the claim best.
    """

    id: str
    text: str
    place: str
    quote: str = ""


@dataclass(frozen=True)
class Verdict:
    """The outcome for one claim.

    `published` and `ours` put the two side by side as text, `reason` says why the outcome is
    what it is, with its numbers.
    """

    claim: Claim
    outcome: Outcome
    published: str
    ours: str
    reason: str

    def record(self) -> dict[str, str]:
        """The verdict as a flat table row, for JSON and CSV."""
        return {
            "claim": self.claim.id,
            "text": self.claim.text,
            "place": self.claim.place,
            "outcome": self.outcome.value,
            "published": self.published,
            "ours": self.ours,
            "reason": self.reason,
        }


def read_claims(tables: Mapping[str, Any]) -> dict[str, Claim]:
    """The claims of a publication by name, from the `[claims.NAME]` tables of its file."""
    return {
        key: Claim(key, one["text"], one["place"], one.get("quote", ""))
        for key, one in tables.items()
    }


def tally(verdicts: Sequence[Verdict]) -> str:
    """How many claims have which outcome: "4 agree, 9 disagree ..."."""
    counts = Counter(one.outcome for one in verdicts)
    words = {
        Outcome.AGREES: ("agrees", "agree"),
        Outcome.DISAGREES: ("disagrees", "disagree"),
        Outcome.IMPOSSIBLE: ("is impossible", "are impossible"),
        Outcome.CONTRADICTS_ITSELF: ("contradicts itself", "contradict themselves"),
        Outcome.NOT_MEASURED: ("is not measured", "are not measured"),
    }
    return ", ".join(
        f"{counts[outcome]} {words[outcome][counts[outcome] != 1]}"
        for outcome in Outcome
        if counts[outcome]
    )
