"""What the publication prints beside its claims, read from `published.toml`."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass

from sojourn.stats import Better
from sojourn.stats.ranking import grade
from sojourn.studies.claims import Claim
from sojourn.studies.eqm.scenario import PACKAGE
from sojourn.studies.publication import read


@dataclass(frozen=True)
class PublishedRow:
    """One row of Table III: as printed, by discipline."""

    key: str
    label: str
    better: Better
    values: dict[str, float]

    def grades(self) -> dict[str, str]:
        """Table IV's grades, derived as its text defines them: A the best value, D the worst."""
        order = sorted(
            self.values, key=lambda name: self.values[name], reverse=self.better == "higher"
        )
        return {name: grade(1 + order.index(name)) for name in self.values}


@dataclass(frozen=True)
class Published:
    """The publication."""

    disciplines: tuple[str, ...]
    table_three: dict[str, PublishedRow]
    claims: Mapping[str, Claim]


@functools.cache
def load() -> Published:
    """The publication's tables and claims."""
    publication = read(PACKAGE)
    disciplines = tuple(publication.document["disciplines"])
    return Published(
        disciplines=disciplines,
        table_three={
            key: PublishedRow(
                key, row["label"], row["better"], {name: row[name] for name in disciplines}
            )
            for key, row in publication.document["table_three"].items()
        },
        claims=publication.claims,
    )
