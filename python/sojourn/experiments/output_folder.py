"""The folder for results, before and while they are written: it is checked, locked and protected.

Results are written when all runs are done. If the disk refuses them, or a file of the user's own
would be overwritten, it is better to know this before hours of runs.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from errno import EBUSY
from pathlib import Path

from sojourn._core import ScenarioError
from sojourn.experiments.manifest import MANIFEST, STORE, FolderError, read_manifest
from sojourn.experiments.summary_file import remove_unfinished
from sojourn.scenario import Scenario
from sojourn.store.lock import Busy, held

SCENARIO = "scenario.toml"
"""The scenario as run, inside the folder of an experiment."""

LOCK = ".lock"
"""Held by a command that is working in a folder."""

WRITING = ".writing"
"""Held by a command that is writing its results there."""


def make(folder: Path) -> None:
    """Make a folder if it is missing, and check that a file can be written there.

    Raises OSError, which names the folder.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(folder)) from None


@contextmanager
def at_work(folder: Path, *, shared: bool = False) -> Iterator[None]:
    """Keep others out of a folder, and remove what killed commands left unfinished there.

    Raises OSError as `make` does, and if another command is working there.
    """
    make(folder)
    try:
        with held(folder / LOCK, shared=shared):
            if not shared:
                remove_unfinished(folder)
            yield
    except Busy:
        raise OSError(EBUSY, "another command is at work in this folder", str(folder)) from None


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Write into a folder while no other command does: the files of two would be mixed.

    Raises OSError as `make` does.
    """
    make(folder)
    with held(folder / WRITING, waits=True):
        yield


def check_overwrites(folder: Path, scenario: Scenario, contents: Mapping[str, bytes]) -> None:
    """Refuse to overwrite files that are not Sojourn's: ``contents`` are by name inside ``folder``.

    Raises :class:`sojourn.ScenarioError` if the scenario that was read would be replaced by
    another, or if a file that Sojourn did not write would be.
    """
    for name, content in contents.items():
        path = folder / name
        if not path.is_file() or path.read_bytes() == content:
            continue
        if _is_read(path, scenario):
            what = "found the scenario that is read, which what is set from outside would change"
            raise ScenarioError(f"{path}: {what}; allowed: another folder for the results")
        if not _is_ours(folder, name):
            what = "found a file that no experiment has written, and would be written over"
            raise ScenarioError(f"{path}: {what}; allowed: another folder for the results")


def _is_read(path: Path, scenario: Scenario) -> bool:
    place = Path(scenario.place)
    return place.is_file() and path.samefile(place)


def _is_ours(folder: Path, name: str) -> bool:
    """Whether an experiment has written a file there; assumed if its list of files is lost."""
    try:
        return name in read_manifest(folder)["files"]
    except FolderError:
        return (folder / MANIFEST).exists() or (folder / STORE).is_dir()
