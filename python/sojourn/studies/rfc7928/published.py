"""What the RFC says that a run can show, read from `published.toml`."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources

from sojourn.studies.claims import Claim, read_claims


@dataclass(frozen=True)
class Published:
    """The RFC: its levels of congestion as drop rates in per cent, and its claims."""

    title: str
    authors: str
    levels: Mapping[str, float]
    claims: Mapping[str, Claim]


@functools.cache
def load() -> Published:
    """Its numbers and claims."""
    file = resources.files("sojourn.studies.rfc7928").joinpath("published.toml")
    document = tomllib.loads(file.read_text(encoding="utf-8"))
    claims = read_claims(document["claims"])
    return Published(document["title"], document["authors"], document["levels"], claims)
