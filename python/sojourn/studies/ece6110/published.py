"""What the report claims, read from `published.toml`."""

from __future__ import annotations

import functools
import tomllib
from dataclasses import dataclass
from importlib import resources

from sojourn.studies.claims import Claim, read_claims


@dataclass(frozen=True)
class Published:
    """The report."""

    title: str
    authors: str
    claims: dict[str, Claim]


@functools.cache
def load() -> Published:
    """The report's claims."""
    file = resources.files("sojourn.studies.ece6110").joinpath("published.toml")
    document = tomllib.loads(file.read_text(encoding="utf-8"))
    return Published(document["title"], document["authors"], read_claims(document["claims"]))
