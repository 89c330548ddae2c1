"""Options that several commands share."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from sojourn.scenario import Scenario

SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Set a dotted key of the file: --set link.bottleneck.rate='2 Mbit/s'. "
        "May be repeated.",
        show_default=False,
    ),
]

SeedOption = Annotated[
    int | None,
    typer.Option("--seed", min=0, help="Seed of all random streams.", show_default=False),
]

ReplicasOption = Annotated[
    int | None,
    typer.Option("--replicas", min=1, help="Replicas of each point.", show_default=False),
]

JobsOption = Annotated[
    int | None,
    typer.Option("--jobs", min=1, help="Runs at once; default: all cores.", show_default=False),
]

JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout.")]


def parse_settings(settings: list[str] | None) -> list[tuple[str, str]]:
    """Split ``KEY=VALUE``; a usage error names what cannot be split."""
    pairs = []
    for setting in settings or []:
        key, separator, value = setting.partition("=")
        if not separator or not key.strip():
            raise typer.BadParameter(f"found {setting!r}; allowed: KEY=VALUE", param_hint="--set")
        pairs.append((key.strip(), value.strip()))
    return pairs


def print_warnings(scenario: Scenario) -> None:
    """Print what is allowed but a known mistake, on stderr."""
    for warning in scenario.warnings:
        print(f"warning: {warning}", file=sys.stderr)
