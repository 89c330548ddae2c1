"""Options that several commands share."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from sojourn.errors.brief import InputError


class IntervalName(StrEnum):
    """Kinds of intervals."""

    STUDENT = "student"
    BOOTSTRAP = "bootstrap"


ScenarioArgument = Annotated[
    str, typer.Argument(metavar="FILE|STUDY", help="A scenario file, or a study's name.")
]

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

MOST_REPLICAS = 100_000
"""As a scenario file allows."""

SeedOption = Annotated[
    int | None,
    typer.Option(
        "--seed", min=0, max=2**63 - 1, help="Seed of all random streams.", show_default=False
    ),
]

ReplicasOption = Annotated[
    int | None,
    typer.Option(
        "--replicas", min=1, max=MOST_REPLICAS, help="Replicas of each point.", show_default=False
    ),
]

PrecisionOption = Annotated[
    str | None,
    typer.Option(
        "--precision",
        metavar="SHARE",
        help="Add replicas until the 95 % intervals of total.goodput_bps and total.delay_mean_s "
        "are within this share of their means, such as 5%; others: --set precision_of=METRIC.",
        show_default=False,
    ),
]

LEAST_TEXT = "1%"
"""The default of `LeastOption`, which is `sojourn.comparing.LEAST`."""

LeastOption = Annotated[
    str,
    typer.Option(
        "--least",
        metavar="SHARE",
        help="Call a value the best only if it leads by more than this share.",
    ),
]

IntervalOption = Annotated[
    IntervalName,
    typer.Option(
        "--interval",
        help="Kind of the 95 % intervals: Student's, or the bootstrap's (from 30 replicas on).",
    ),
]

JobsOption = Annotated[
    int | None,
    typer.Option("--jobs", min=1, help="Runs at once; default: one per core.", show_default=False),
]


def _check_address(address: str | None) -> str | None:
    if address is not None:
        from sojourn.experiments.cluster import check_address

        try:
            check_address(address)
        except InputError as error:
            raise typer.BadParameter(str(error).removeprefix("cluster: ")) from None
    return address


ClusterOption = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="ADDRESS",
        callback=_check_address,
        help="Run on the Dask cluster of this scheduler, such as tcp://host:8786.",
        show_default=False,
    ),
]

OverheadOption = Annotated[
    str,
    typer.Option(
        "--overhead",
        metavar="SIZE",
        help="Framing of each packet: counts for serialisation only.",
    ),
]

LimitOption = Annotated[
    str | None,
    typer.Option(
        "--limit",
        metavar="SIZE",
        help="Limit of every queue that names none; default: each discipline's own.",
        show_default=False,
    ),
]

SeriesOption = Annotated[
    str | None,
    typer.Option(
        "--series",
        metavar="INTERVAL",
        help="Interval of the time series, such as 10 ms; default: grows with the run, so that one "
        "or two thousand values remain.",
        show_default=False,
    ),
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


def read_share(text: str, option: str) -> float:
    """Read a share such as ``1%`` or ``0.01``; a usage error names the option."""
    number, percent, rest = text.strip().partition("%")
    try:
        share = float(number) / (100 if percent else 1)
    except ValueError:
        share = -1.0
    if rest or not 0 <= share < 1:
        message = f'found "{text}"; allowed: a share from 0 to below 1, such as 1% or 0.01'
        raise typer.BadParameter(message, param_hint=option)
    return share
