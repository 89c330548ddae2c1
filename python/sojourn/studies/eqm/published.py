"""What the publication prints and claims, read from `published.toml`."""

from __future__ import annotations

import functools
import tomllib
from dataclasses import dataclass
from importlib import resources

from sojourn.stats import Better
from sojourn.stats.ranking import grade
from sojourn.studies.claims import Claim, read_claims


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

    title: str
    authors: str
    disciplines: tuple[str, ...]
    table_three: dict[str, PublishedRow]
    claims: dict[str, Claim]


@functools.cache
def load() -> Published:
    """The publication's tables and claims."""
    text = (
        resources.files("sojourn.studies.eqm")
        .joinpath("published.toml")
        .read_text(encoding="utf-8")
    )
    document = tomllib.loads(text)
    disciplines = tuple(document["disciplines"])
    return Published(
        title=document["title"],
        authors=document["authors"],
        disciplines=disciplines,
        table_three={
            key: PublishedRow(
                key, row["label"], row["better"], {name: row[name] for name in disciplines}
            )
            for key, row in document["table_three"].items()
        },
        claims=read_claims(document["claims"]),
    )
