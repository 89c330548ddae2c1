"""How a command ends that fails or is interrupted: a line on stderr, and its exit status."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

import typer

from sojourn.cli.status import FAILED, INTERRUPTED
from sojourn.experiments.cases import answers, cases
from sojourn.experiments.manifest import STORE
from sojourn.scenario import Scenario
from sojourn.wording import counted


def fail(message: str, status: int) -> typer.Exit:
    """Print a message on stderr; return the exit that goes with it. An interruption is no error."""
    print(message if status == INTERRUPTED else f"error: {message}", file=sys.stderr)
    return typer.Exit(status)


def interrupted(
    scenario: Scenario, points: Collection[int], kept: str, asked: Collection[int] | None = None
) -> typer.Exit:
    """Say what was finished when Ctrl-C came, and which points have nothing; return the exit.

    ``points`` has the point of each run; ``asked`` are the points that were to be run, if not all.
    """
    count = len(points)
    if count == 0:
        return fail("interrupted: no run was finished", INTERRUPTED)
    runs = f"{counted(count, 'run')} {'was' if count == 1 else 'were'}"
    lines = [f"interrupted: {runs} finished; {kept}"]
    begun = set(points)
    names = answers(scenario)
    for case in cases(scenario):
        wanted = [point for point in case.points if asked is None or point in asked]
        missing = [names[point] for point in wanted if point not in begun]
        at = f" at {case.title}" if case.title else ""
        what = "; ".join(name for name in missing if name)
        if missing:
            lines.append(f"nothing yet{at}" + (f" of {what}" if what else ""))
    return fail("\n".join(lines), INTERRUPTED)


AGAIN = "the same command goes on from there"
"""What is said of an experiment that can be resumed."""


@contextmanager
def failures(out: Path) -> Iterator[None]:
    """Turn what may end an experiment in ``out`` into one line and the exit that goes with it."""
    try:
        yield
    except KeyboardInterrupt as interrupt:
        after = f" after {interrupt}" if str(interrupt) else ""
        message = f"interrupted{after}: what is finished is kept in {out}; {AGAIN}"
        raise fail(message, INTERRUPTED) from None
    except OSError as error:
        place, reason = error.filename or out, error.strerror or error
        # Not where the folder could not even be made.
        kept = f"; finished runs are kept, {AGAIN}" if (out / STORE).is_dir() else ""
        raise fail(f"{place}: {reason}{kept}", FAILED) from None
    except Exception as error:
        from sojourn.experiments.cluster import ClusterError

        if not isinstance(error, ClusterError):
            raise
        raise fail(f"{error}; {AGAIN}", FAILED) from None
