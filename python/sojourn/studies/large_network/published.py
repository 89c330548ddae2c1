"""What the paper prints and claims, read from `published.toml`."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources

from sojourn.studies.claims import Claim, read_claims

Numbers = Mapping[str, Mapping[str, float]]
"""Quantity -> discipline -> the number that the text names."""


@dataclass(frozen=True)
class Published:
    """The paper: numbers of both networks, numbers by queue limit, claims."""

    title: str
    authors: str
    many_to_one: Numbers
    many_to_many: Numbers
    limits: Mapping[str, Mapping[str, Mapping[int, float]]]
    claims: Mapping[str, Claim]


@functools.cache
def load() -> Published:
    """The paper's numbers and claims."""
    file = resources.files("sojourn.studies.large_network").joinpath("published.toml")
    document = tomllib.loads(file.read_text(encoding="utf-8"))
    limits = {
        quantity: {
            name: {int(limit): value for limit, value in values.items()}
            for name, values in disciplines.items()
        }
        for quantity, disciplines in document["limits"].items()
    }
    return Published(
        document["title"],
        document["authors"],
        document["many_to_one"],
        document["many_to_many"],
        limits,
        read_claims(document["claims"]),
    )
