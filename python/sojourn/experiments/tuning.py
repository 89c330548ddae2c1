"""The outcome of a search for parameters: what was tried, and what is better than the defaults."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import polars as pl

from sojourn.errors.extras import needed
from sojourn.metrics import resolution
from sojourn.stats.intervals import Interval
from sojourn.stats.paired import beyond_doubt

if TYPE_CHECKING:
    from sojourn.plots.plot import Plot

Direction = Literal["minimise", "maximise"]

ERROR = 0.05
"""The error level for everything that is called better or worse, on cases seen or held out."""


@dataclass(frozen=True)
class Ratio(Interval):
    """A ratio to the defaults with its 95 % interval over the replicas.

    ``p_value`` is for a true ratio of 1; ``adjusted`` is the same by Holm over all settings of the
    front and all objectives: of many settings without effect, one looks better by luck.
    """

    p_value: float = 1.0
    adjusted: float = 1.0


@dataclass(frozen=True)
class Trial:
    """A setting of the searched keys.

    ``scores`` are the ratios to the defaults by quantity, over the cases that the search saw; None
    if a quantity is undefined or zero. ``seen`` and ``held_out`` are the same with their 95 %
    intervals over the replicas, only for settings of the front.
    """

    number: int
    values: dict[str, Any]
    scores: dict[str, float] | None
    seen: dict[str, Ratio] | None = None
    held_out: dict[str, Ratio] | None = None


@dataclass(frozen=True)
class Tuning:
    """The outcome of a search."""

    objectives: dict[str, Direction]
    trials: list[Trial]
    front: list[Trial]
    seen_cases: list[dict[str, Any]]
    held_out_cases: list[dict[str, Any]]

    def is_better(self, ratio: Ratio, quantity: str) -> bool | None:
        """Whether a ratio to the defaults is significantly better, or worse; None if undecided.

        Undecided with fewer than three replicas, and if the difference is below the resolution of
        percentiles.
        """
        if ratio.mean is None:
            return None
        difference = Interval(ratio.mean - 1, None, None, ratio.n)
        step = resolution(quantity) * max(ratio.mean, 1)
        if not beyond_doubt(difference, ratio.adjusted, ERROR, step):
            return None
        return (ratio.mean < 1) == (self.objectives[quantity] == "minimise")

    @property
    def better_in_all(self) -> list[Trial]:
        """The settings of the front that are significantly better than the defaults in every
        objective.

        If cases were held out, on these.
        """

        def is_better(one: Trial) -> bool:
            ratios = one.held_out or one.seen or {}
            return all(self.is_better(ratio, key) for key, ratio in ratios.items())

        return [one for one in self.front if is_better(one)]

    def figure_frame(self) -> pl.DataFrame:
        """What the figure shows: the ratios in the first two objectives, as
        :data:`sojourn.plots.front.COLUMNS`; empty where there is one objective only."""
        rows: list[tuple[object, ...]] = []
        if len(self.objectives) > 1:
            x, y = list(self.objectives)[:2]
            for one in self.trials:
                if one.scores:
                    rows.append((one.number, "tried", one.scores[x], None, None))
                    rows[-1] += (one.scores[y], None, None)
            for one in self.front:
                for kind, found in (("seen", one.seen), ("held out", one.held_out)):
                    if found is not None:
                        rows.append((one.number, kind, *_three(found[x]), *_three(found[y])))
        schema: dict[str, Any] = {"number": pl.Int64, "kind": pl.String}
        for axis in ("x", "y"):
            schema |= dict.fromkeys((axis, f"{axis}_low", f"{axis}_high"), pl.Float64)
        return pl.DataFrame(rows, schema=schema, orient="row")

    def document(self) -> dict[str, Any]:
        """What ``tuning.json`` holds, and ``sojourn tune --json`` prints."""

        def interval(of: Ratio, quantity: str) -> dict[str, Any]:
            ci95 = None if of.low is None else [of.low, of.high]
            better = self.is_better(of, quantity)
            return {"mean": of.mean, "ci95": ci95, "n": of.n, "better": better}

        def entry(trial: Trial) -> dict[str, Any]:
            found: dict[str, Any] = {"number": trial.number, "values": trial.values}
            found["ratio"] = trial.scores
            for name, ratios in (("seen", trial.seen), ("held_out", trial.held_out)):
                if ratios is not None:
                    found[name] = {key: interval(ratio, key) for key, ratio in ratios.items()}
            return found

        return {
            "objectives": self.objectives,
            "seen_cases": self.seen_cases,
            "held_out_cases": self.held_out_cases,
            "better_in_all": [trial.number for trial in self.better_in_all],
            "front": [entry(trial) for trial in self.front],
            "tries": [entry(trial) for trial in self.trials],
        }

    def plot(self) -> Plot:
        """Draw it: the second objective against the first. Raises ValueError for only one."""
        if len(self.objectives) < 2:
            raise ValueError("found one objective; the figure needs two")
        with needed("plots"):
            from sojourn.plots import front

        x, y = list(self.objectives.items())[:2]
        return front.draw(self.figure_frame(), x, y)


def _three(interval: Interval) -> tuple[float | None, float | None, float | None]:
    return interval.mean, interval.low, interval.high
