"""Table IV: grades per parameter, published (derived from Table III) and ours."""

from __future__ import annotations

from sojourn.stats import Rank
from sojourn.studies.eqm.evidence import Evidence
from sojourn.studies.eqm.labels import PUBLISHED
from sojourn.studies.eqm.measures import MEASURES, RANKED


def reading_of(column: str) -> str:
    """The reading over which a parameter is ranked: Fig. 3 shows only loads above 8 Mbit/s."""
    return "above" if column == "queueing_ms" else "all"


def ours(evidence: Evidence) -> dict[str, dict[str, Rank]]:
    """Our ranks by column and discipline: ties where the intervals do not separate."""
    return {column: evidence.ranks(column, reading_of(column)) for column in RANKED}


def theirs(evidence: Evidence) -> dict[str, dict[str, str]]:
    """The published grades by column and discipline."""
    table = evidence.published.table_three
    return {column: table[MEASURES[column].published or column].grades() for column in RANKED}


def grade_text(rank: Rank) -> str:
    """A grade of ours, with "=" where it is shared with someone who does not separate."""
    return rank.grade + ("=" if rank.ties else "")


def mean_rank(ranks: dict[str, dict[str, Rank]]) -> dict[str, float]:
    """The rank of each discipline averaged over the parameters, weighted equally."""
    return {name: sum(one[name].rank for one in ranks.values()) / len(ranks) for name in PUBLISHED}
