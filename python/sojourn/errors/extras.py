"""Libraries that are not needed by all: what to install where one is missing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sojourn.signals import uninterrupted

LIBRARIES = {
    "altair": "report",
    "distributed": "cluster",
    "gymnasium": "rl",
    "jinja2": "report",
    "matplotlib": "plots",
    "networkx": "graphs",
    "numba": "numba",
    "optuna": "tuning",
    "pandas": "pandas",
    "pyarrow": "pandas",
    "SALib": "sensitivity",
    "platformdirs": "report",
    "vl_convert": "report",
}
"""Library -> the extra that installs it."""


class MissingExtra(ModuleNotFoundError):
    """A library of an extra is not installed; the message says how to install it."""


@contextmanager
def needed(extra: str) -> Iterator[None]:
    """Import libraries of ``extra`` within. Raises :class:`MissingExtra` where one is missing.

    Ctrl-C and its like wait until they are there: some do not survive an exception meanwhile.
    """
    try:
        with uninterrupted():
            yield
    except ModuleNotFoundError as error:
        library = (error.name or extra).partition(".")[0]
        if isinstance(error, MissingExtra) or library == "sojourn":
            raise
        raise MissingExtra(missing(library, extra), name=error.name) from None


def missing(library: str, extra: str) -> str:
    """Say that a library is missing, and how to get it."""
    return f"{library} is not installed; install it with: pip install 'sojourn[{extra}]'"
