"""Options that several commands share."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from sojourn._core import ScenarioError
from sojourn.cli.commands import INTERRUPTED
from sojourn.cli.names import in_options
from sojourn.errors.brief import InputError
from sojourn.experiments.compared import answers, cases
from sojourn.experiments.manifest import STORE
from sojourn.scenario import Scenario


class IntervalName(StrEnum):
    """Kinds of intervals."""

    STUDENT = "student"
    BOOTSTRAP = "bootstrap"


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
        help="Add replicas until each 95 % interval is within this share of its mean, such as 5%.",
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


def counted(count: int, noun: str) -> str:
    """So many of something: 1 run, 2 runs."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def fail(message: str, status: int) -> typer.Exit:
    """Print a message on stderr; return the exit that goes with it. An interruption is no error."""
    print(message if status == INTERRUPTED else f"error: {message}", file=sys.stderr)
    return typer.Exit(status)


def interrupted(scenario: Scenario, points: Collection[int], kept: str) -> typer.Exit:
    """Say what was finished when Ctrl-C came, and which points have nothing; return the exit.

    ``points`` has the point of each run.
    """
    count = len(points)
    if count == 0:
        return fail("interrupted: no run was finished", INTERRUPTED)
    runs = "1 run was" if count == 1 else f"{count} runs were"
    lines = [f"interrupted: {runs} finished; {kept}"]
    begun = set(points)
    names = answers(scenario)
    for case in cases(scenario):
        missing = [names[point] for point in case.points if point not in begun]
        at = f" at {case.title}" if case.title else ""
        what = "; ".join(name for name in missing if name)
        if missing:
            lines.append(f"nothing yet{at}" + (f" of {what}" if what else ""))
    return fail("\n".join(lines), INTERRUPTED)


AGAIN = "the same command goes on from there"


@contextmanager
def failures(out: Path, needs: str = "", extra: str = "") -> Iterator[None]:
    """Turn what may end an experiment in ``out`` into one line and the exit that goes with it.

    ``needs`` is a library of the extra ``extra``.
    """
    try:
        yield
    except KeyboardInterrupt as interrupt:
        after = f" after {interrupt}" if str(interrupt) else ""
        message = f"interrupted{after}: what is finished is kept in {out}; {AGAIN}"
        raise fail(message, INTERRUPTED) from None
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != needs.lower() and error.name != needs:
            raise
        message = f"{needs} is not installed; install it with: pip install 'sojourn[{extra}]'"
        raise fail(message, 2) from None
    except OSError as error:
        place, reason = error.filename or out, error.strerror or error
        # Not where the folder could not even be made.
        kept = f"; finished runs are kept, {AGAIN}" if (out / STORE).is_dir() else ""
        raise fail(f"{place}: {reason}{kept}", 1) from None
    except Exception as error:
        if type(error).__name__ != "ClusterError":
            raise
        raise fail(f"{error}; {AGAIN}", 1) from None


def print_warnings(scenario: Scenario) -> None:
    """Print what is allowed but a known mistake, on stderr."""
    for warning in scenario.warnings:
        print(f"warning: {in_options(warning)}", file=sys.stderr)


@contextmanager
def place_for(out: Path | None, scenario: Scenario) -> Iterator[None]:
    """See that results can go into ``out``, if there is one, and keep others out meanwhile.

    Warn on stderr of what will not lie beside them.
    """
    if out is None:
        yield
        return
    from sojourn.experiments.folder import left_out, prepare
    from sojourn.experiments.place import at_work

    prepare(out, scenario)
    with at_work(out):
        for warning in left_out(out, scenario):
            print(f"warning: {warning}", file=sys.stderr)
        yield


@contextmanager
def written_first(write: Callable[[], list[Path]]) -> Iterator[list[Path]]:
    """Write results, then show them: whoever reads that may have gone.

    Where they cannot be written they are shown all the same, and then it is told.
    """
    written, refused = list[Path](), None
    try:
        written = write()
    except (OSError, ScenarioError) as error:
        refused = error
    yield written
    if refused is not None:
        raise refused


def print_interval_warning(interval: IntervalName, points: Collection[int]) -> None:
    """Say where a bootstrap has too few replicas to keep its promise.

    ``points`` has the point of each run.
    """
    if interval is not IntervalName.BOOTSTRAP:
        return
    from sojourn.stats.bootstrap import FEWEST

    fewest = min(Counter(points).values(), default=FEWEST)
    if fewest < FEWEST:
        print(
            f"warning: bootstrap intervals of fewer than {FEWEST} replicas are too narrow: "
            f"found {fewest}",
            file=sys.stderr,
        )
