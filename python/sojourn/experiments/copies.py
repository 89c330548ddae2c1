"""Copies of the files that a scenario reads, beside its results, and files that are not copied.

Files below the scenario's folder are copied under their names, so that the copy of the scenario can
be run; so are the user's modules. Files elsewhere are not copied: the manifest says where they were
and what they contained.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Any

from sojourn._core import ScenarioError
from sojourn.experiments.manifest import MANIFEST, STORE, FolderError
from sojourn.experiments.output_folder import LOCK, SCENARIO, WRITING
from sojourn.experiments.summary_file import NAME as SUMMARY
from sojourn.own.modules import MAIN
from sojourn.scenario import Scenario

TABLES = ("points", "runs", "links", "flows", "groups", "total", "drops", "delays", "series")
TABLES += ("transfers",)
"""Names of the tables of a folder."""

RESULTS = {SUMMARY, *(f"{name}.parquet" for name in TABLES)}
"""Names of what is made of the runs."""

OWN = {SCENARIO, MANIFEST, STORE, LOCK, WRITING} | RESULTS
"""Names that the folder uses itself: no file that a scenario reads can have them."""


def texts(scenario: Scenario) -> dict[str, bytes]:
    """The scenario and what it reads, by name; a user may have written files of these names too."""
    return {SCENARIO: scenario.as_run().encode()} | _files_read(scenario)


def _files_read(scenario: Scenario) -> dict[str, bytes]:
    """The files that the scenario read, as it read them, so that its copy beside them can be run.

    This includes the user's modules: those of disciplines and controllers, and what they import.
    For data files that are not below the scenario's folder see `left_out`.
    """
    files = scenario.files.items()
    found = {name: content for name, content in files if not _leads_out(Path(name))}
    modules = [one for one in scenario.sources if one.module != MAIN]
    return found | {one.name: one.content for one in modules}


def left_out(folder: Path, scenario: Scenario) -> list[str]:
    """Warn about the files that are read and are not copied into ``folder``."""
    return [
        f"{name}: by its name it does not lie below the scenario's folder ({scenario.folder}), so "
        f"it is not copied: {folder / SCENARIO} cannot be run elsewhere without it"
        for name in scenario.files
        if _leads_out(Path(name))
    ]


def _leads_out(path: Path) -> bool:
    return path.is_absolute() or ".." in path.parts


def check_names(scenario: Scenario) -> None:
    """Raise :class:`sojourn.ScenarioError` if a copy of what is read would be another file."""
    for name in _files_read(scenario):
        if Path(name).parts[0] in OWN:
            what = "found the name of a file of the results, beside which a copy of it is to lie"
            raise ScenarioError(f"{scenario.place}: {name}: {what}; allowed: any other name")


def scenario_of(folder: Path, manifest: dict[str, Any]) -> Scenario:
    """The scenario of an experiment, with exactly the files that it read.

    Files that have no copy beside it are looked for from the folder, and from where the scenario
    was. Raises :class:`FolderError` if they are not there, or have changed.
    """
    place, apart = folder / SCENARIO, manifest.get("outside")
    if not apart:
        return Scenario.load(place)
    origin = Path(apart["folder"])
    for base, wanted in ((folder, apart["files"]), (origin, files_read(manifest))):
        if all(_has_checksum(base / name, checksum) for name, checksum in wanted.items()):
            return Scenario(place.read_text(encoding="utf-8"), str(place), base)
    names = ", ".join(apart["files"])
    raise FolderError(
        f"{place}: it reads {names}, of which results have no copy; found none as it was, whether "
        f"from {folder} or from {origin}; allowed: what the runs have read, in either place"
    )


def files_read(manifest: dict[str, Any]) -> dict[str, str]:
    """The checksums of all files that the runs of an experiment have read, by name."""
    copies = {n: told["sha256"] for n, told in manifest["files"].items() if n not in OWN}
    return copies | manifest.get("outside", {}).get("files", {})


def _has_checksum(path: Path, checksum: str) -> bool:
    return path.is_file() and sha256(path.read_bytes()).hexdigest() == checksum


def without_copies(scenario: Scenario) -> dict[str, Any]:
    """The files that are read and have no copy, with checksums and origin; may be empty."""
    files = {
        name: sha256(content).hexdigest()
        for name, content in scenario.files.items()
        if _leads_out(Path(name))
    }
    return {"folder": str(scenario.folder.resolve()), "files": files} if files else {}
