"""The folder of a command's results: checked before, locked meanwhile, written before they show."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from sojourn._core import ScenarioError
from sojourn.cli.notes import warn
from sojourn.scenario import Scenario


@contextmanager
def place_for(out: Path | None, scenario: Scenario) -> Iterator[None]:
    """See that results can go into ``out``, if there is one, and keep others out meanwhile.

    Warn on stderr of what will not lie beside them.
    """
    if out is None:
        yield
        return
    from sojourn.experiments.copies import left_out
    from sojourn.experiments.folder import prepare
    from sojourn.experiments.output_folder import at_work

    prepare(out, scenario)
    with at_work(out):
        for warning in left_out(out, scenario):
            warn(warning)
        yield


@contextmanager
def written_first(write: Callable[[], list[Path]]) -> Iterator[list[Path]]:
    """Write results, then show them: whoever reads that may have gone.

    Where they cannot be written, or Ctrl-C comes meanwhile, they are shown all the same, and then
    it is told.
    """
    written, refused = list[Path](), None
    try:
        written = write()
    except (OSError, ScenarioError) as error:
        refused = error
    except KeyboardInterrupt:
        refused = KeyboardInterrupt("perhaps before the results were written")
    yield written
    if refused is not None:
        raise refused
