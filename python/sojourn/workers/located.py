"""Errors that say in which run they were raised, and on which worker."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sojourn._core import Cancelled
from sojourn.scenario import Scenario
from sojourn.workers.tasks import FIRST_PILOT, Task


def where(scenario: Scenario, task: Task) -> str:
    """A run in words: point with what varies, replica and seed; empty if there is no other run."""
    # To find it takes its time, and hardly any run fails.
    from sojourn.wording import titles

    points = scenario.core.points
    if points == scenario.replicas == 1 and task.replica == 0:
        return ""
    title = titles(scenario.vary)[task.point]
    what = f" ({title})" if title else ""
    point = f"point {task.point}{what}, " if points > 1 else ""
    replica = f"replica {task.replica}"
    if task.is_pilot:
        replica = f"pilot replica {task.replica - FIRST_PILOT}"
    return f"{point}{replica}, seed {scenario.seed}"


@contextmanager
def located(scenario: Scenario, task: Task) -> Iterator[None]:
    """Put the run before the text of an error that is raised within.

    One of the system names a file, which is of the run.
    """
    try:
        yield
    except (Cancelled, OSError):
        raise
    except Exception as error:
        put_before(where(scenario, task), error)
        raise


def put_before(place: str, error: Exception) -> None:
    """Put a place before the text of an error, which remains the same object, or beside it."""
    if not place:
        return
    if isinstance(error, OSError) and error.errno is not None:
        # Its text is made of its parts.
        error.filename = place if error.filename is None else f"{place}: {error.filename}"
    elif len(error.args) == 1 and isinstance(error.args[0], str):
        error.args = (f"{place}: {error.args[0]}",)
    else:
        error.add_note(place)
