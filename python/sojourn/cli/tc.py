"""``sojourn tc``: a scenario's links as Linux's tc and netem commands."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from sojourn._core import ScenarioError
from sojourn.cli.notes import note
from sojourn.cli.options import ScenarioArgument, SetOption, parse_settings
from sojourn.wording import counted

EXAMPLES = (
    ("the bottlenecks as tc and netem commands", "sojourn tc scenarios/operator-uplink.toml"),
    (
        "one link at one point",
        "sojourn tc scenarios/red-against-droptail.toml --link bottleneck --point 1",
    ),
    (
        "rate and queue of a real line, whose path nothing has to imitate",
        "sojourn tc scenarios/operator-uplink.toml --link uplink --queue-only",
    ),
)
"""What its manual page shows: what for, and the command."""


def tc(
    file: ScenarioArgument,
    settings: SetOption = None,
    point: Annotated[int, typer.Option(min=0, help="Which point of [vary], from 0.")] = 0,
    link: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="This link only. May be repeated; default: those that the scenario gives a queue.",
            show_default=False,
        ),
    ] = None,
    all_links: Annotated[
        bool, typer.Option("--all-links", help="All links, also those that are given no queue.")
    ] = False,
    queue_only: Annotated[
        bool,
        typer.Option(
            "--queue-only",
            help="Rate and queue alone: no delay and no losses, which a real line has itself.",
        ),
    ] = False,
) -> None:
    """Print the Linux commands that make links like those of a scenario.

    HTB keeps the rate, the queue discipline is below it, and netem adds the delay at the far end.
    Comments name what has no equivalent. Interfaces are placeholders at the head of each part.
    The script first removes the qdiscs that an interface has had, so that it may be run again.
    Links to which the scenario gives no queue, such as access links, are left out.
    """
    from sojourn.lookup import find
    from sojourn.tc.commands import script

    scenario = find(file, parse_settings(settings))
    scenario.check_point(point, f"{file}: --point")
    links = dict(enumerate(json.loads(scenario.core.link_details(point))))
    if link:
        names = [each["name"] for each in links.values()]
        for name in link:
            if name not in names:
                allowed = ", ".join(names)
                raise ScenarioError(f"{file}: --link: found {name!r}; allowed: {allowed}")
        links = {number: each for number, each in links.items() if each["name"] in link}
    elif not all_links:
        own = {number: each for number, each in links.items() if _has_queue(each)} or links
        if count := len(links) - len(own):
            said = f"{counted(count, 'link')} without a queue of their own left out"
            note(f"{said}: --all-links shows them")
        links = own
    typer.echo(script(scenario.title, links, queue_only=queue_only), nl=False)


def _has_queue(link: dict[str, Any]) -> bool:
    """Whether the scenario gives the link a queue: a discipline, or a parameter of drop-tail."""
    queue = link["queue"]
    return queue["discipline"] != "droptail" or bool(queue["given"])
