"""Queue disciplines: those of the registry, one class each, and the base class for your own."""

from sojourn.queue import registered
from sojourn.queue.discipline import Discipline
from sojourn.queue.verdicts import (
    ACCEPT,
    CE,
    DROP,
    ECT0,
    ECT1,
    MARK,
    NOT_ECT,
    REASONS,
    SEND,
    WAIT,
    drop,
    mark,
)

from .registered import *  # noqa: F403

__all__ = [
    "ACCEPT",
    "CE",
    "DROP",
    "ECT0",
    "ECT1",
    "MARK",
    "NOT_ECT",
    "REASONS",
    "SEND",
    "WAIT",
    "Discipline",
    "drop",
    "mark",
]
__all__ += registered.__all__
