r"""The folder of an experiment.

| file | holds |
| --- | --- |
| `experiment.json` | versions, seed, command, warnings, and a checksum of each file and trace |
| `scenario.toml` | the scenario as run; beside it the files and modules that it reads |
| `points.parquet`, `runs.parquet` | what varies; each run with its seed and warm-up |
| `links.parquet`, `flows`, `groups`, `total`, `drops`, `delays`, `series` | one row for each \
point, replica and entity |
| `transfers.parquet` | one row for each transfer, if the scenario has `transfers = true` |
| `summary.json` | the document that `sojourn run --json` prints |
| `store/` | every finished run (not after `sojourn run`) |

All files are written under other names first; then they take their places, by rename.
`experiment.json` comes last: a file that does not have the checksum it names is damaged, and is
never read.
"""

from __future__ import annotations

import json
import platform
import shlex
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sojourn._core import ENGINE, ScenarioError, __version__
from sojourn.experiments.copies import (
    TABLES,
    check_names,
    left_out,
    scenario_of,
    texts,
    without_copies,
)
from sojourn.experiments.manifest import (
    FORMAT,
    MANIFEST,
    FolderError,
    damaged,
    own_checksum,
    read_manifest,
)
from sojourn.experiments.output_folder import check_overwrites, make
from sojourn.experiments.summary_file import NAME as SUMMARY
from sojourn.experiments.summary_file import SummaryFile
from sojourn.files.checksummed import ChecksummedFile
from sojourn.files.whole import Unfinished
from sojourn.files.written import checksums, remove_unchanged
from sojourn.own import classes
from sojourn.scenario import Scenario
from sojourn.signals import uninterrupted
from sojourn.store.journal import sync_folder
from sojourn.workers.forks import note_process

# Not before there is a frame: a sweep looks at its folder before it has any.
if TYPE_CHECKING:
    from sojourn.results import Results

PACKAGES = ("numpy", "polars", "scipy")
"""Packages whose version is noted."""


def write(
    folder: Path,
    results: Results,
    summary: Callable[[], SummaryFile],
    *,
    share: str | None = None,
    traces: Sequence[Path] = (),
) -> list[Path]:
    """Write tables, scenario, their summary and the manifest; return the paths.

    ``summary`` gives the summary, which has yet to be put in its place. ``traces`` are the traces
    of the runs, which are in the folder. Other traces that the manifest there names are removed,
    and so are copies of files that the scenario no longer reads. If this ends before everything is
    written, the earlier content stays. Raises :class:`sojourn.ScenarioError` in the same cases as
    `output_folder.check_overwrites`.
    """
    # Not in the thread: this one may import the same at that time.
    from sojourn.files import parquet

    check_names(results.scenario)
    folder.mkdir(parents=True, exist_ok=True)
    own = texts(results.scenario)
    check_overwrites(folder, results.scenario, own)
    frames = results.frames()
    with ExitStack() as unfinished:
        # Of a large sweep both take long, and neither needs the interpreter meanwhile.
        with ThreadPoolExecutor(1) as beside:
            tables = beside.submit(
                lambda: {f"{name}.parquet": parquet.packed(frame) for name, frame in frames.items()}
            )
            # The summary first: what it refuses stops all others.
            files: dict[str, ChecksummedFile] = {SUMMARY: unfinished.enter_context(summary())}
        for name, content in (tables.result() | own).items():
            files[name] = unfinished.enter_context(ChecksummedFile(folder / name))
            files[name].write(content)
            files[name].force()
        entries = {name: file.manifest_entry for name, file in files.items()}
        before = _manifest_before(folder)
        traced = _traces(before, entries, traces)
        manifest = unfinished.enter_context(Unfinished(folder / MANIFEST))
        manifest.write(_manifest(folder, results, share, entries, traced))
        manifest.force()
        with uninterrupted():
            for file in files.values():
                file.take_place()
            # Those that a scenario reads may lie deeper.
            for parent in {(folder / name).parent for name in files}:
                sync_folder(parent)
            manifest.take_place()
            sync_folder(folder)
            remove_unchanged(
                folder, _copies(before) | before.get("traces", {}), {*entries, *traced}
            )
    return [folder / name for name in (*files, MANIFEST)]


def _manifest(
    folder: Path,
    results: Results,
    share: str | None,
    files: dict[str, Any],
    traces: dict[str, str],
) -> bytes:
    scenario = results.scenario
    # Results that were read from a folder have the first of these among their own.
    warnings = [*scenario.warnings, *left_out(folder, scenario), *results.warnings]
    manifest = {
        "format": FORMAT,
        "sojourn": __version__,
        "engine": ENGINE,
        "python": platform.python_version(),
        "packages": {name: metadata.version(name) for name in PACKAGES},
        "scenario": scenario.name,
        "seed": results.seed,
        "replicas": results.replicas,
        "points": scenario.core.points,
        "runs": len(results.runs),
        "complete": results.complete,
        "shard": share,
        "outside": without_copies(scenario),
        "in_place": scenario.folder.resolve() == folder.resolve(),
        "command": _command(),
        "written": datetime.now(UTC).isoformat(timespec="seconds"),
        "warnings": list(dict.fromkeys(warnings)),
        "files": files,
        "traces": traces,
    }
    return _json(manifest | {"sha256": own_checksum(manifest)})


def _manifest_before(folder: Path) -> dict[str, Any]:
    """The manifest of the results that are replaced; empty if there is none."""
    try:
        return read_manifest(folder)
    except FolderError:
        return {}


def _traces(
    before: dict[str, Any], files: dict[str, Any], traces: Sequence[Path]
) -> dict[str, str]:
    """What the manifest says of traces."""
    written = checksums(traces)
    # The same runs: their traces are right, whether these wrote some or none.
    return before.get("traces", {}) | written if before.get("files") == files else written


def _copies(before: dict[str, Any]) -> dict[str, str]:
    """The files of an earlier experiment, unless its scenario was read from the folder itself.

    If left there, they would later be taken for the user's own. The files of such a scenario are.
    """
    if before.get("in_place", True):
        return {}
    return {name: entry["sha256"] for name, entry in before["files"].items()}


def prepare(folder: Path, scenario: Scenario) -> None:
    """Check before the runs that results can be written into ``folder``; make it if need be.

    Raises OSError if they cannot, :class:`sojourn.ScenarioError` as `write` does.
    """
    check_names(scenario)
    make(folder)
    # What many points read takes its time to find out: not for a folder that has nothing.
    if any(folder.iterdir()):
        check_overwrites(folder, scenario, texts(scenario))


@dataclass(frozen=True)
class Experiment:
    """An experiment as it was read from its folder: ``results``, and the manifest beside them."""

    folder: Path
    results: Results
    manifest: dict[str, Any]


def read(folder: Path) -> Experiment:
    """Read the folder of an experiment; every file is checked before it is read.

    Raises :class:`FolderError`, which names the file, if one is missing or damaged.
    """
    from sojourn.files import parquet
    from sojourn.results import Results

    manifest = read_manifest(folder)
    bad = damaged(folder, manifest)
    if bad:
        raise FolderError(f"{bad[0]}; to repair it, run again: {manifest['command']}")
    note_process()
    files = {name: f"{name}.parquet" for name in TABLES}
    # Versions before the table of transfers wrote none.
    frames = {
        name: parquet.read(folder / file)
        for name, file in files.items()
        if file in manifest["files"]
    }
    frames["totals"], frames["time_series"] = frames.pop("total"), frames.pop("series")
    classes.read_results(folder)
    try:
        scenario = scenario_of(folder, manifest)
    except ScenarioError as error:
        made = manifest["sojourn"]
        made_by = f"; the folder was written by sojourn {made}, this is {__version__}"
        raise FolderError(f"{error}{made_by if made != __version__ else ''}") from None
    results = Results(
        scenario=scenario,
        complete=manifest["complete"],
        warnings=tuple(manifest["warnings"]),
        sojourn=manifest["sojourn"],
        **frames,
    )
    return Experiment(folder, results, manifest)


def _command() -> str:
    """The command line, as one would type it again."""
    program = Path(sys.argv[0]).name
    ours = ["sojourn"] if program in ("sojourn", "__main__.py") else ["python", sys.argv[0]]
    return shlex.join([*ours, *sys.argv[1:]])


def _json(document: dict[str, Any]) -> bytes:
    return (json.dumps(document, indent=1, allow_nan=False) + "\n").encode()
