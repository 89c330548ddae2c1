"""The manifest of an experiment's folder, `experiment.json`, and what it shows to be damaged.

A module of its own, since a sweep reads the manifest before it has made any frame.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

MANIFEST = "experiment.json"

TUNING, SENSITIVITY = "tuning.json", "sensitivity.parquet"
"""What `sojourn tune` and `sojourn sensitivity` write; their folders have no manifest."""

STORE = "store"
"""Where finished runs are kept, inside the folder of the experiment."""

FORMAT = 2
"""The version of the folder; a reader refuses versions that it does not know."""


class FolderError(Exception):
    """A folder that cannot be read as an experiment: which file, what is wrong, what to do."""


def read_manifest(folder: Path) -> dict[str, Any]:
    """Read and check ``experiment.json``. Raises :class:`FolderError`."""
    path = folder / MANIFEST
    try:
        manifest = json.loads(path.read_bytes())
        checksum = manifest.pop("sha256")
    except FileNotFoundError:
        raise FolderError(f"{folder}: {_what_else(folder)}") from None
    except NotADirectoryError:
        what = "this is a file; allowed: the folder of an experiment"
        raise FolderError(f"{folder}: {what}") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise FolderError(f"{path}: it is damaged; run the command that made it again") from None
    if checksum != own_checksum(manifest):
        raise FolderError(f"{path}: it is damaged; run the command that made it again")
    if manifest["format"] != FORMAT:
        raise FolderError(f"{path}: found the format {manifest['format']}; allowed: {FORMAT}")
    return manifest


def _what_else(folder: Path) -> str:
    """What a folder without a manifest is, and what to do."""
    for name, command, holds in (
        (TUNING, "tune", "every trial"),
        (SENSITIVITY, "sensitivity", "every effect"),
    ):
        if (folder / name).is_file():
            drawn = sorted((folder / "figures").glob("*.svg"))
            figures = f", and {drawn[0].relative_to(folder)} shows what was found" if drawn else ""
            what = f"this is a folder of sojourn {command}, which makes no tables of its runs"
            other = "for tables and other figures, sweep a scenario with the values of interest"
            return f"{what}: {name} has {holds}{figures}; {other}"
    if (folder / STORE).is_dir():
        again = f"sojourn sweep FILE --out {folder} resumes it"
        search = "so does the same sojourn tune or sensitivity, if it was one"
        return f"its sweep has not finished, it has no {MANIFEST}: {again}; {search}"
    return f"this is no folder of an experiment: it has no {MANIFEST}"


def damaged(folder: Path, manifest: dict[str, Any]) -> list[str]:
    """Say which files are missing or are not the ones that were written."""
    return [
        f"{folder / name}: {what}"
        for name, wanted in manifest["files"].items()
        if (what := _damage(folder / name, wanted)) is not None
    ]


def _damage(path: Path, wanted: dict[str, Any]) -> str | None:
    try:
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError:
        return "it is missing"
    except OSError as error:
        return f"it cannot be read: {(error.strerror or str(error)).lower()}"
    return None if found == wanted["sha256"] else "it is damaged"


def own_checksum(manifest: dict[str, Any]) -> str:
    """The checksum of a manifest, over its other fields."""
    return hashlib.sha256(json.dumps(manifest, sort_keys=True).encode()).hexdigest()
