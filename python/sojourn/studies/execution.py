"""Runs the scenario of a study on the engine."""

from __future__ import annotations

from sojourn.studies.base import RunFrames, RunOptions


def run_scenario(text: str, options: RunOptions) -> RunFrames:
    """Run the text of a scenario file with `sojourn.run`.

    Raises what `sojourn.run` raises for a scenario that is wrong.
    """
    # Here, so that a study can be read, and tested on frames, without the engine.
    import sojourn

    return sojourn.run(
        sojourn.Scenario.from_toml(text, place="the study's scenario"),
        replicas=options.replicas,
        seed=options.seed,
        jobs=options.jobs,
        progress=options.progress,
    )
