r"""The folder of an experiment.

| file | holds |
| --- | --- |
| `experiment.json` | versions, seed, command, warnings, and a checksum of each file |
| `scenario.toml` | the scenario as run; beside it the files and modules that it reads |
| `points.parquet`, `runs.parquet` | what varies; each run with its seed and warm-up |
| `links.parquet`, `flows`, `groups`, `total`, `drops`, `delays`, `series` | one row for each \
point, replica and entity |
| `summary.json` | the document that `sojourn run --json` prints |
| `store/` | every finished run (not after `sojourn run`) |

Each file takes its place whole, by rename. `experiment.json` comes last: a file that does not have
the checksum it names is damaged, and is never read.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import platform
import shlex
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

import orjson
import polars as pl

from sojourn import outside
from sojourn._core import ENGINE, ScenarioError, __version__
from sojourn.experiments.journal import sync_folder
from sojourn.results import Results
from sojourn.scenario import Scenario

MANIFEST = "experiment.json"
TABLES = ("points", "runs", "links", "flows", "groups", "total", "drops", "delays", "series")
PACKAGES = ("numpy", "polars", "scipy")
"""Packages whose version is noted."""

FORMAT = 2
"""Of the folder; a reader refuses those it does not know."""


class FolderError(Exception):
    """A folder that cannot be read as an experiment: which file, what is wrong, what to do."""


def write(
    folder: Path, results: Results, summary: dict[str, Any], *, share: str | None = None
) -> list[Path]:
    """Write tables, scenario, their ``summary`` and the manifest; return the paths."""
    folder.mkdir(parents=True, exist_ok=True)
    contents = {f"{name}.parquet": _parquet(frame) for name, frame in results.frames().items()}
    contents["scenario.toml"] = results.scenario.as_run().encode()
    contents["summary.json"] = _summary(summary)
    contents |= _files_read(results.scenario)
    for name, content in contents.items():
        _replace(folder / name, content)
    files = {
        name: {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
        for name, content in contents.items()
    }
    manifest = {
        "format": FORMAT,
        "sojourn": __version__,
        "engine": ENGINE,
        "python": platform.python_version(),
        "packages": {name: metadata.version(name) for name in PACKAGES},
        "scenario": results.scenario.name,
        "seed": results.seed,
        "replicas": results.replicas,
        "points": results.scenario.core.points,
        "runs": len(results.runs),
        "complete": results.complete,
        "shard": share,
        "command": _command(),
        "written": datetime.now(UTC).isoformat(timespec="seconds"),
        "warnings": [*results.scenario.warnings, *results.warnings],
        "files": files,
    }
    _replace(folder / MANIFEST, _json(manifest | {"sha256": _own_checksum(manifest)}))
    return [folder / name for name in (*contents, MANIFEST)]


@dataclass(frozen=True)
class Experiment:
    """An experiment as it was read from its folder: ``results``, and the manifest beside them."""

    folder: Path
    results: Results
    manifest: dict[str, Any]


def read(folder: Path) -> Experiment:
    """Read the folder of an experiment; every file is checked before it is read.

    Raises :class:`FolderError` where a file is missing or damaged: the error names it.
    """
    manifest = read_manifest(folder)
    bad = damaged(folder, manifest)
    if bad:
        raise FolderError(f"{bad[0]}; the command that made it mends it: {manifest['command']}")
    frames = {name: pl.read_parquet(folder / f"{name}.parquet") for name in TABLES}
    frames["totals"], frames["time_series"] = frames.pop("total"), frames.pop("series")
    outside.read_results(folder)
    try:
        scenario = Scenario.load(folder / "scenario.toml")
    except ScenarioError as error:
        made = manifest["sojourn"]
        told = f"; the folder was written by sojourn {made}, this is {__version__}"
        raise FolderError(f"{error}{told if made != __version__ else ''}") from None
    results = Results(
        scenario=scenario,
        complete=manifest["complete"],
        warnings=tuple(manifest["warnings"]),
        sojourn=manifest["sojourn"],
        **frames,
    )
    return Experiment(folder, results, manifest)


def read_manifest(folder: Path) -> dict[str, Any]:
    """Read and check ``experiment.json``. Raises :class:`FolderError`."""
    path = folder / MANIFEST
    try:
        manifest = json.loads(path.read_bytes())
        checksum = manifest.pop("sha256")
    except FileNotFoundError:
        what = f"this is no folder of an experiment: it has no {MANIFEST}"
        if (folder / "store").is_dir():
            again = f"sojourn sweep FILE --out {folder} goes on from there"
            what = f"its sweep has not finished, it has no {MANIFEST}: {again}"
        raise FolderError(f"{folder}: {what}") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise FolderError(f"{path}: it is damaged; run the command again that made it") from None
    if checksum != _own_checksum(manifest):
        raise FolderError(f"{path}: it is damaged; run the command again that made it")
    if manifest["format"] != FORMAT:
        raise FolderError(f"{path}: found the format {manifest['format']}; allowed: {FORMAT}")
    return manifest


def damaged(folder: Path, manifest: dict[str, Any]) -> list[str]:
    """Say which files are missing or not the ones that were written."""
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


def _command() -> str:
    """The command line, as one would type it again."""
    program = Path(sys.argv[0]).name
    ours = ["sojourn"] if program in ("sojourn", "__main__.py") else ["python", sys.argv[0]]
    return shlex.join([*ours, *sys.argv[1:]])


def _files_read(scenario: Scenario) -> dict[str, bytes]:
    """The files that the scenario reads, so that the copy of it beside them can be run.

    Modules with disciplines and controllers too. Those that lie elsewhere stay where they are.
    """
    points = range(scenario.core.points)
    names = sorted({name for point in points for name in scenario.identity(point)["files"]})
    inside = [name for name in names if not (Path(name).is_absolute() or ".." in Path(name).parts)]
    found = {name: (scenario.folder / name).read_bytes() for name in inside}
    return found | outside.sources(scenario.outside, scenario.folder)


def _parquet(frame: pl.DataFrame) -> bytes:
    buffer = io.BytesIO()
    frame.write_parquet(buffer)
    return buffer.getvalue()


def _json(document: dict[str, Any]) -> bytes:
    return (json.dumps(document, indent=1, allow_nan=False) + "\n").encode()


def _summary(document: dict[str, Any]) -> bytes:
    """The summary, a line for each point: to indent all of it takes longer than many a sweep.

    Its points may be an iterator. What is undefined is None in it already.
    """
    fields = {name: value for name, value in document.items() if name != "points"}
    head = orjson.dumps(fields).removesuffix(b"}")
    points = b",\n".join(map(orjson.dumps, document["points"]))
    return b"".join((head, b',"points":[\n', points, b"\n]}\n"))


def _own_checksum(manifest: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(manifest, sort_keys=True).encode()).hexdigest()


def _replace(path: Path, content: bytes) -> None:
    """Put a file in its place whole, or leave what was there."""
    unfinished = path.with_name(path.name + ".part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with unfinished.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    except OSError as error:
        unfinished.unlink(missing_ok=True)
        raise OSError(error.errno, error.strerror, str(path)) from None
    sync_folder(path.parent)
