"""The evidence of single disciplines, run again by workers: laws, properties, sequences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

from sojourn.validate import laws, properties, sequences
from sojourn.validate.finding import Finding
from sojourn.validate.properties import Property
from sojourn.workers.execute import available_cores
from sojourn.workers.listener import OnProgress
from sojourn.workers.pool import called

Work = tuple[Callable[..., Finding], tuple[object, ...]]


def plan(root: Path, disciplines: Sequence[str], *, quick: bool = False) -> list[Work]:
    """What is to be done; ``quick`` leaves out what is slow, and the laws under other presets.

    Raises :class:`sojourn.validate.evidence.EvidenceError` for checks that cannot be read.
    """
    work: list[Work] = []
    for discipline in disciplines:
        presets = laws.PRESETS[:1] if quick else laws.PRESETS
        work += [(laws.check, (discipline, preset)) for preset in presets]
        for each in properties.load(root / discipline):
            if not (quick and each.slow):
                work.append((found, (each,)))
        work += [(sequences.found, (each,)) for each in sequences.load(root / discipline)]
    return work


def found(said: Property) -> Finding:
    """Play a property; return its line of the table."""
    return properties.check(said).finding


def perform(
    work: Sequence[Work], *, jobs: int | None = None, progress: OnProgress | None = None
) -> list[Finding]:
    """Do it, in the order of the work.

    Raises :class:`sojourn.validate.evidence.EvidenceError` for checks that cannot be played.
    """
    findings: dict[int, Finding] = {}
    with closing(called(work, jobs or available_cores())) as finished:
        for done in finished:
            findings.update(done)
            if progress is not None and done:
                progress(len(findings), len(work))
    return [findings[number] for number in range(len(work))]
