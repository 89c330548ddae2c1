"""Arguments of public functions: one sentence, under its name, where one cannot be taken."""

from __future__ import annotations

import os
from operator import index
from pathlib import Path

from sojourn.errors.brief import InputError, KindError

LONGEST = 60
"""Characters shown of a value that cannot be taken."""


def kind_error(argument: str, found: object, allowed: str) -> KindError:
    """The error of an argument that is nothing of what is allowed."""
    return KindError(f"{argument}: found {repr_of(found)}; allowed: {allowed}")


def repr_of(found: object) -> str:
    """A value on one line, cut short."""
    text = " ".join(repr(found).split())
    return text if len(text) <= LONGEST else text[:LONGEST] + "..."


def as_path(argument: str, found: object) -> Path:
    """A path. Raises :class:`KindError`; :class:`InputError` for none, as of a variable not set."""
    if not isinstance(found, str | os.PathLike):
        raise kind_error(argument, found, "a path, as a text or a pathlib.Path")
    if not isinstance(place := os.fspath(found), str):
        raise kind_error(argument, found, "a path that is text")
    if not place:
        raise InputError(f"{argument}: found nothing; allowed: a path")
    return Path(place)


def as_whole(argument: str, found: object, least: int, most: int | None = None) -> int:
    """A whole number. Raises :class:`KindError` or :class:`InputError`."""
    allowed = f"{least} or more" if most is None else f"{least} to {most}"
    if isinstance(found, bool):
        raise kind_error(argument, found, f"a whole number, {allowed}")
    try:
        number = index(found)  # pyright: ignore[reportArgumentType]
    except TypeError:
        raise kind_error(argument, found, f"a whole number, {allowed}") from None
    if number < least or (most is not None and number > most):
        raise InputError(f"{argument}: found {number}; allowed: {allowed}")
    return number
