"""Entries of a discipline's folder: the tables of one name in a file such as ``checks.toml``."""

from __future__ import annotations

import tomllib
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

from sojourn.validate.evidence import EvidenceError


def entries(place: Path, table: str, kind: type) -> list[dict[str, Any]]:
    """Read ``[[table]]`` of a file as arguments of the dataclass ``kind``; none without the file.

    ``discipline``, after the folder, and ``place`` come with each. Raises :class:`EvidenceError`
    for what is no TOML, a key that ``kind`` does not have, and one that is missing.
    """
    if not place.exists():
        return []
    try:
        said = tomllib.loads(place.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise EvidenceError(f"{place}: {error}") from None
    if table not in said:
        raise EvidenceError(f"{place}: [[{table}]] is missing")
    return [_arguments(place, entry, kind) for entry in said[table]]


def wrong(entry: dict[str, Any], message: str) -> EvidenceError:
    """Say what is wrong with an entry, and where it stands."""
    return EvidenceError(f"{entry['place']}: {entry.get('name', '?')}: {message}")


def _arguments(place: Path, entry: dict[str, Any], kind: type) -> dict[str, Any]:
    placed = {"discipline": place.parent.name, "place": place, **entry}
    if unknown := placed.keys() - {each.name for each in fields(kind)}:
        raise wrong(placed, f"unknown key {min(unknown)!r}")
    needed = {
        each.name
        for each in fields(kind)
        if each.default is MISSING and each.default_factory is MISSING
    }
    if missing := needed - placed.keys():
        raise wrong(placed, f"{min(missing)!r} is missing")
    return placed
