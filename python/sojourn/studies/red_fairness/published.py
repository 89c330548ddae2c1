"""What the publication prints and claims, read from `published.toml`."""

from __future__ import annotations

import functools
import tomllib
from dataclasses import dataclass
from importlib import resources

from sojourn.studies.claims import Claim, read_claims


@dataclass(frozen=True)
class PublishedTable:
    """One of the four tables: discipline -> (number of connections or D -> value)."""

    place: str
    values: dict[str, dict[int, float]]


@dataclass(frozen=True)
class Published:
    """The publication."""

    title: str
    tables: dict[int, PublishedTable]
    """By the number of the case that they belong to."""
    claims: dict[str, Claim]


@functools.cache
def load() -> Published:
    """The publication's tables and claims."""
    place = resources.files("sojourn.studies.red_fairness").joinpath("published.toml")
    document = tomllib.loads(place.read_text(encoding="utf-8"))
    tables: dict[int, PublishedTable] = {}
    for case, name in enumerate(("table_one", "table_two", "table_three", "table_four"), 1):
        one = document[name]
        values = {key: dict(zip(one["at"], one[key], strict=True)) for key in ("red", "droptail")}
        tables[case] = PublishedTable(one["place"], values)
    return Published(document["title"], tables, read_claims(document["claims"]))
