"""What the paper prints beside its claims, read from `published.toml`."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass

from sojourn.studies.claims import Claim
from sojourn.studies.large_network.scenario import PACKAGE
from sojourn.studies.publication import read

Numbers = Mapping[str, Mapping[str, float]]
"""Quantity -> discipline -> the number that the text names."""


@dataclass(frozen=True)
class Published:
    """The paper: numbers of both networks, numbers by queue limit, claims."""

    many_to_one: Numbers
    many_to_many: Numbers
    limits: Mapping[str, Mapping[str, Mapping[int, float]]]
    claims: Mapping[str, Claim]


@functools.cache
def load() -> Published:
    """The paper's numbers and claims."""
    paper = read(PACKAGE)
    limits = {
        quantity: {
            name: {int(limit): value for limit, value in values.items()}
            for name, values in disciplines.items()
        }
        for quantity, disciplines in paper.document["limits"].items()
    }
    return Published(
        paper.document["many_to_one"], paper.document["many_to_many"], limits, paper.claims
    )
