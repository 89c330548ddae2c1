"""Libraries that are not needed by all: what to install where one is missing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class MissingExtra(ModuleNotFoundError):
    """A library of an extra is not installed; the message says how to install it."""


@contextmanager
def needed(extra: str) -> Iterator[None]:
    """Import libraries of ``extra`` within. Raises :class:`MissingExtra` where one is missing."""
    try:
        yield
    except ModuleNotFoundError as error:
        if isinstance(error, MissingExtra) or (error.name or "").startswith("sojourn"):
            raise
        name = error.name or extra
        message = f"{name} is not installed; allowed after: pip install 'sojourn[{extra}]'"
        raise MissingExtra(message, name=error.name) from None
