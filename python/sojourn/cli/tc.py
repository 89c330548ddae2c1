"""``sojourn tc``: a scenario's links as Linux's tc and netem commands."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from sojourn._core import ScenarioError
from sojourn.cli.options import SetOption, parse_settings

EXAMPLES = (
    ("all links as tc and netem commands", "sojourn tc scenarios/operator-uplink.toml"),
    (
        "one link at one point",
        "sojourn tc scenarios/red-against-droptail.toml --link bottleneck --point 1",
    ),
)
"""What its manual page shows: what for, and the command."""


def tc(
    file: Annotated[
        str, typer.Argument(metavar="FILE|STUDY", help="A scenario file, or a study's name.")
    ],
    settings: SetOption = None,
    point: Annotated[int, typer.Option(min=0, help="Which point of [vary], from 0.")] = 0,
    link: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="This link only. May be repeated; default: all.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Print the Linux commands that make links like those of a scenario.

    HTB keeps the rate, the queue discipline stands behind it, netem delays at the far end.
    Comments name what has no equivalent. Interfaces are placeholders at the head of each link.
    """
    from sojourn.runner import find
    from sojourn.tc.commands import script

    scenario = find(file).with_overrides(parse_settings(settings))
    points = scenario.core.points
    if point >= points:
        raise ScenarioError(f"{file}: --point: found {point}; allowed: 0 to {points - 1}")
    links = json.loads(scenario.core.described(point))
    if link:
        names = [each["name"] for each in links]
        for name in link:
            if name not in names:
                allowed = ", ".join(names)
                raise ScenarioError(f"{file}: --link: found {name!r}; allowed: {allowed}")
        links = [each for each in links if each["name"] in link]
    typer.echo(script(scenario.title, links), nl=False)
