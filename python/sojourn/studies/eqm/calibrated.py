"""The last search of EQM's parameters, kept with its provenance in `calibrated.toml`.

The search takes minutes, so the page of an ordinary run quotes it. `python -m
sojourn.studies.eqm.calibrated` runs it again and rewrites the file.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from importlib import resources
from pathlib import Path

from sojourn.files.toml_text import toml_text
from sojourn.studies.eqm.calibration import Candidate, defaults_words, grid_words

COMMAND = "sojourn reproduce eqm --calibrate"
"""What runs the search and shows all of it."""


def text(candidates: Sequence[Candidate], version: str, seed: int) -> str:
    """The file for a finished search."""
    words = grid_words(
        len(candidates),
        candidates[0].parameters,
        candidates[0].objective,
        candidates[0].first_ranks,
    )
    found = {
        "command": COMMAND,
        "sojourn": version,
        "seed": seed,
        "words": f"{words} {defaults_words(candidates)}".strip(),
        "candidate": [
            dict(one.parameters)
            | {"first_ranks": one.first_ranks, "objective": round(one.objective, 6)}
            for one in candidates
        ],
    }
    head = (
        "# Made by `python -m sojourn.studies.eqm.calibrated`; do not edit.\n"
        "# Candidates of the search of EQM (reconstruction)'s parameters, the best first.\n\n"
    )
    return head + toml_text(found)


def words() -> str:
    """The stored search in words, with its provenance."""
    place = resources.files("sojourn.studies.eqm").joinpath("calibrated.toml")
    stored = tomllib.loads(place.read_text(encoding="utf-8"))
    return (
        f"A search over the parameters ({stored['command']}, Sojourn {stored['sojourn']}, seed "
        f"{stored['seed']}, with the study's own choices): {stored['words']}"
    )


def main() -> None:
    """Run the search and rewrite the file."""
    from sojourn.cli import progress
    from sojourn.studies.base import RunOptions
    from sojourn.studies.eqm.study import EqmStudy
    from sojourn.studies.execution import run_scenario

    study = EqmStudy()
    settings = study.settle_calibration({})
    with progress.shown("eqm, calibration") as shown:
        results = run_scenario(study.calibration_scenario(settings), RunOptions(progress=shown))
    candidates = study.calibrate(results, settings)
    target = Path(__file__).with_name("calibrated.toml")
    target.write_text(text(candidates, results.sojourn, results.seed), encoding="utf-8")
    print(target.name, candidates[0].parameters)


if __name__ == "__main__":
    main()
