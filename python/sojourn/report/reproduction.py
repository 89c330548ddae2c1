"""Runs studies, writes their reports, and shows what they found."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Self

from rich.console import Console

from sojourn import studies
from sojourn.errors.nearest import hint_or_all
from sojourn.experiments.output_folder import at_work
from sojourn.report import folder, terminal
from sojourn.signals import uninterrupted
from sojourn.studies.base import Calibratable, RunFrames, Runner, RunOptions, Study, StudyReport
from sojourn.studies.knobs import StudyError, read_assignments

Progress = Callable[[str], AbstractContextManager[Any]]
"""Shows the progress of the run of that name while the context is open."""

ALL = "all"
"""Stands for every study."""


class Interrupted(Exception):
    """The run was stopped before it was complete; its text says what is kept, and where."""

    @classmethod
    def runs(cls, kept: Path) -> Self:
        """Between the runs: the tables of those that were finished are in `kept`."""
        return cls(f"interrupted: the tables of the finished runs are in {kept}")

    @classmethod
    def nothing(cls, of: str = "") -> Self:
        """Before a run was finished: of a study, where others may have been."""
        return cls(f"interrupted: no run {f'of {of} ' if of else ''}was finished")

    @classmethod
    def drawing(cls, unfinished: folder.Unfinished) -> Self:
        """All runs were finished: the report lacks figures, or its page alone."""
        missing = ["the page"]
        if unfinished.missing:
            missing.append(f"the figures {', '.join(unfinished.missing)}")
        return cls(
            "interrupted: all runs were finished; summary, tables and observations are in "
            f"{unfinished.folder}; missing: {' and '.join(missing)}"
        )


@dataclass(frozen=True)
class Request:
    """What to reproduce, as asked on the command line."""

    study: str
    quick: bool = False
    calibrate: bool = False
    out: Path | None = None
    replicas: int | None = None
    jobs: int | None = None
    seed: int | None = None
    knobs: tuple[str, ...] = field(default_factory=tuple)


def command_text(request: Request, study: str) -> str:
    """The command that repeats this run of one study, as typed in a shell."""
    words = ["sojourn", "reproduce", study]
    if request.quick:
        words.append("--quick")
    if request.calibrate and isinstance(studies.find(study), Calibratable):
        words.append("--calibrate")
    if request.replicas is not None:
        words += ["--replicas", str(request.replicas)]
    if request.seed is not None:
        words += ["--seed", str(request.seed)]
    own = {knob.name for knob in studies.find(study).knobs}
    for assignment in request.knobs:
        if request.study != ALL or assignment.partition("=")[0].strip() in own:
            words += ["--set", assignment]
    return shlex.join(words)


def chosen(request: Request) -> list[Study]:
    """The studies asked for. Raises StudyError for an unknown one."""
    if request.study == ALL:
        return [studies.find(name) for name in studies.names()]
    return [studies.find(request.study)]


def given_knobs(request: Request, study: Study) -> dict[str, str]:
    """The knobs given to a study; `--replicas` is one of them. Raises StudyError.

    Where all studies are asked for, each gets the knobs that it has.
    """
    given = read_assignments(request.knobs)
    if request.replicas is not None:
        if given.get("replicas", str(request.replicas)) != str(request.replicas):
            raise StudyError("--replicas and --set replicas=... disagree: give one of them")
        given["replicas"] = str(request.replicas)
    if request.study != ALL:
        return given
    own = {knob.name for knob in study.knobs}
    return {name: text for name, text in given.items() if name in own}


def demand_knobs(request: Request, wanted: Sequence[Study]) -> None:
    """Raise StudyError for a knob that none of the studies has."""
    known = {knob.name for study in wanted for knob in study.knobs}
    for name in read_assignments(request.knobs):
        if request.study == ALL and name not in known:
            raise StudyError(f'no study has a knob "{name}"{hint_or_all(name, sorted(known))}')


def silent(_name: str) -> AbstractContextManager[Any]:
    """Show no progress."""
    return nullcontext()


def run_study(study: Study, request: Request, runner: Runner, progress: Progress) -> StudyReport:
    """Run one study and evaluate it. Raises StudyError, Interrupted, LawBroken."""
    given = given_knobs(request, study)
    settings = study.settle(given, quick=request.quick)
    finished: dict[str, RunFrames] = {}
    kept = target_folder(request, study.name) / folder.INTERRUPTED

    def interrupted() -> Interrupted:
        """Keep what is finished: a part may have begun and have no finished run."""
        begun = {name: frames for name, frames in finished.items() if not frames.totals.is_empty()}
        with uninterrupted():
            for name, frames in begun.items():
                frames.write(kept / name)
        if not begun:
            return Interrupted.nothing(study.name if request.study == ALL else "")
        return Interrupted.runs(kept)

    def run(text: str, part: str) -> RunFrames:
        with progress(study.name if part == study.name else f"{study.name}, {part}") as shown:
            results = runner(text, RunOptions(seed=request.seed, jobs=request.jobs, progress=shown))
        finished[part] = results
        if not results.complete:
            raise interrupted()
        return results

    evaluate = study.evaluate
    try:
        if request.calibrate and isinstance(study, Calibratable):
            small = study.settle_calibration(given)
            results = run(study.calibration_scenario(small), "calibration")
            evaluate = partial(study.evaluate, candidates=study.calibrate(results, small))
        parts = {part: run(text, part) for part, text in study.scenarios(settings).items()}
        return evaluate(parts, settings)
    except KeyboardInterrupt:
        # It came between two parts, or while what they found was evaluated.
        raise interrupted() from None


def reproduce_all(
    request: Request,
    runner: Runner,
    out: Console,
    *,
    as_json: bool,
    progress: Progress = silent,
) -> None:
    """Run what is asked, write the folders, and show the results on `out`.

    Nothing is written before every request is known to make sense, and nothing is run before the
    folders are known to take reports, and others are kept out of them. Where one refuses its report
    all the same, what was found is shown first. Raises StudyError, Interrupted, LawBroken, OSError.
    """
    wanted = chosen(request)
    demand_knobs(request, wanted)
    for study in wanted:
        texts = study.scenarios(study.settle(given_knobs(request, study), quick=request.quick))
        target = target_folder(request, study.name)
        if (path := folder.foreign(study, texts, target)) is not None:
            raise StudyError(
                f"{path}: found a file that no report of this study has written, where reports "
                "keep theirs; allowed: another folder, --out DIR"
            )
        if request.calibrate and request.study != ALL and not isinstance(study, Calibratable):
            raise StudyError(f'study "{study.name}" has nothing to calibrate')
    with ExitStack() as folders:
        for study in wanted:
            folders.enter_context(at_work(target_folder(request, study.name)))
        _carry_out(wanted, request, runner, out, as_json=as_json, progress=progress)


def _carry_out(
    wanted: Sequence[Study],
    request: Request,
    runner: Runner,
    out: Console,
    *,
    as_json: bool,
    progress: Progress,
) -> None:
    """Run studies one after the other, write their folders and show their results."""
    documents: list[dict[str, Any]] = []
    reports: list[StudyReport] = []
    refused: OSError | None = None
    for study in wanted:
        report = run_study(study, request, runner, progress)
        reports.append(report)
        target = target_folder(request, study.name)
        command = command_text(request, study.name)
        written = None
        try:
            written = folder.write(report, target, command)
        except folder.Unfinished as unfinished:
            raise Interrupted.drawing(unfinished) from None
        except OSError as error:
            refused = refused or error
        if as_json:
            documents.append(_document(report, command, written))
        elif len(wanted) == 1:
            terminal.show(report, out)
        if written is not None and not as_json:
            show_paths(written, out)
    if as_json:
        whole: Any = documents if request.study == ALL else documents[0]
        print(json.dumps(whole, ensure_ascii=False, allow_nan=False), file=out.file)
    elif len(wanted) > 1 or request.study == ALL:
        rows = [(one.study, verdict) for one in reports for verdict in one.verdicts]
        out.print(terminal.verdict_table(rows, with_study=True))
    if refused is not None:
        raise refused


def _document(report: StudyReport, command: str, written: folder.Folder | None) -> dict[str, Any]:
    """The summary of a report, with the paths of its page and figures if these were written."""
    document = folder.summary(report, command)
    if written is not None:
        document["page"] = str(written.page)
        document["figures"] = {
            one.id: {ending: str(path) for ending, path in one.paths.items()}
            for one in written.figures
        }
    return document


def target_folder(request: Request, study: str) -> Path:
    """Where the report of a study goes: DIR, DIR/STUDY for all, results/STUDY by default."""
    if request.out is None:
        return Path("results") / study
    return request.out / study if request.study == ALL else request.out


def show_paths(written: folder.Folder, out: Console) -> None:
    """The paths of figures and page, one a line, so that they can be copied."""
    out.print()
    for drawing in written.figures:
        # Plain print: a path must not be wrapped or coloured.
        print(f"{drawing.title}: {drawing.paths['png']}", file=out.file)
    print(f"Page: {written.page}", file=out.file)
