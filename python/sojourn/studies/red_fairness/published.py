"""What the publication prints beside its claims, read from `published.toml`."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass

from sojourn.studies.claims import Claim
from sojourn.studies.publication import read
from sojourn.studies.red_fairness.scenario import PACKAGE


@dataclass(frozen=True)
class PublishedTable:
    """One of the four tables: discipline -> (number of connections or D -> value)."""

    place: str
    values: dict[str, dict[int, float]]


@dataclass(frozen=True)
class Published:
    """The publication."""

    tables: dict[int, PublishedTable]
    """By the number of the case that they belong to."""
    claims: Mapping[str, Claim]


@functools.cache
def load() -> Published:
    """The publication's tables and claims."""
    publication = read(PACKAGE)
    tables: dict[int, PublishedTable] = {}
    for case, name in enumerate(("table_one", "table_two", "table_three", "table_four"), 1):
        one = publication.document[name]
        values = {key: dict(zip(one["at"], one[key], strict=True)) for key in ("red", "droptail")}
        tables[case] = PublishedTable(one["place"], values)
    return Published(tables, publication.claims)
