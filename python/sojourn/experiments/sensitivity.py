"""Which parameter matters: Morris screening or Sobol indices over the open ranges of a scenario.

Sources: M. D. Morris, "Factorial sampling plans for preliminary computational experiments",
Technometrics 33 (1991) 161-174, with mu* of F. Campolongo, J. Cariboni, A. Saltelli,
Environmental Modelling & Software 22 (2007) 1509-1518; I. M. Sobol', Mathematics and Computers in
Simulation 55 (2001) 271-280, with the estimators of A. Saltelli et al., Computer Physics
Communications 181 (2010) 259-270. Designs and estimators are SALib's.

Each case (a combination of the values of ``[vary]`` that are not open ranges) is analysed by
itself. All tries of one replica share their random streams, so that noise does not look like an
effect.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl

from sojourn._core import ScenarioError
from sojourn.errors.extras import needed
from sojourn.experiments.manifest import SENSITIVITY
from sojourn.experiments.space import Space
from sojourn.experiments.trying import Evaluator, Samples
from sojourn.files import parquet
from sojourn.files.whole import write_together
from sojourn.stats.intervals import defined
from sojourn.wording import in_full, short_names, titles

if TYPE_CHECKING:
    from sojourn.plots.plot import Plot

Method = Literal["morris", "sobol"]

USUAL = ("total.delay_mean_s", "total.goodput_bps")
"""The quantities that are analysed unless others are named."""

SAMPLES: dict[Method, int] = {"morris": 20, "sobol": 128}
"""Trajectories of Morris; base samples of Sobol, a power of two."""

ROUNDING = 1e-9
"""Outputs that differ by at most this share of the largest are the same, except for rounding."""

NAME = "sensitivity"
"""The name of the figure's files."""

MEASURES: dict[Method, tuple[str, ...]] = {
    "morris": ("mu_star", "mu_star_conf", "mu", "sigma"),
    "sobol": ("ST", "ST_conf", "S1", "S1_conf"),
}
"""Columns of the table. Morris: the mean absolute effect of crossing the whole range, its 95 %
half-width, the mean effect, the deviation of the effects (curvature and interaction), all in the
unit of the quantity. Sobol: total and first-order share of the variance, with 95 % half-widths."""


@dataclass(frozen=True)
class Sensitivity:
    """The outcome: one row for each quantity, case and parameter, the most important first."""

    method: Method
    tries: int
    table: pl.DataFrame

    def write(self, folder: Path) -> list[Path]:
        """Write the table as Parquet and CSV, and the figure; return the paths."""
        paths = [folder / SENSITIVITY, folder / "sensitivity.csv"]
        contents = (parquet.packed(self.table), self.table.write_csv().encode())
        write_together(dict(zip(paths, contents, strict=True)))
        with needed("plots"):
            from sojourn.plots.save import save

        return [*paths, *save(self.plot(), self.figure_frame(), folder / "figures", NAME).values()]

    def plot(self) -> Plot:
        """Draw it: a panel for each quantity."""
        with needed("plots"):
            from sojourn.plots import importance

        return importance.draw(self.figure_frame())

    def figure_frame(self) -> pl.DataFrame:
        """What the figure shows: the effect of every parameter, or its total share."""
        value, half_width = MEASURES[self.method][:2]
        return self.table.select(
            "quantity",
            "case",
            pl.col("parameter").replace_strict(short_names(self.table["parameter"])),
            pl.col(value).alias("value"),
            pl.col(half_width).alias("half_width"),
            pl.lit(self.method == "sobol").alias("is_share"),
        )


def sensitivity(
    space: Space,
    evaluator: Evaluator,
    *,
    of: Sequence[str] = USUAL,
    method: Method = "morris",
    samples: int | None = None,
) -> Sensitivity:
    """Analyse on which open ranges of a scenario its quantities depend.

    ``samples`` is the number of trajectories (Morris) or of base samples (Sobol). Raises
    :class:`sojourn.ScenarioError` for a quantity that the scenario does not have, and if one is
    undefined at a try.
    """
    seed = space.scenario.seed % 2**32
    names = [each.key for each in space.ranges]
    problem = {"num_vars": len(names), "names": names, "bounds": [[0.0, 1.0]] * len(names)}
    shares = _design(problem, method, samples or SAMPLES[method], seed)
    places = np.array(
        [[one.place(share) for one, share in zip(space.ranges, row, strict=True)] for row in shares]
    )
    settings = [space.row(row) for row in shares]
    # A quantity that no try defines is told by the first of them.
    for tried in (settings[:1], settings):
        found = evaluator.values(space.at(tried), of)
        for quantity in of:
            _check_defined(space, tried, found, quantity)
    rows = []
    for quantity in of:
        for number, case in enumerate(titles(space.cases)):
            outputs = _outputs(found, quantity, number, len(space.cases))
            if method == "morris":
                outputs = _as_designed(outputs, shares, places)
            measures = _analysed(problem, method, shares, outputs, seed)
            found_here = [
                (
                    quantity,
                    case,
                    name,
                    *(measures[measure][index] for measure in MEASURES[method]),
                )
                for index, name in enumerate(names)
            ]
            rows += sorted(found_here, key=lambda row: -float(row[3]))
    schema = {"quantity": pl.String, "case": pl.String, "parameter": pl.String}
    schema |= dict.fromkeys(MEASURES[method], pl.Float64)
    table = pl.DataFrame(rows, schema=schema, orient="row")
    return Sensitivity(method, len(shares), table)


def _design(problem: dict[str, Any], method: Method, samples: int, seed: int) -> np.ndarray:
    """The shares of every try, one row each."""
    if method == "morris":
        from SALib.sample import morris

        return morris.sample(problem, samples, num_levels=4, seed=seed)
    from SALib.sample import sobol

    return sobol.sample(problem, samples, calc_second_order=False, seed=seed)


def _analysed(
    problem: dict[str, Any], method: Method, shares: np.ndarray, outputs: np.ndarray, seed: int
) -> dict[str, Any]:
    if np.ptp(outputs) <= ROUNDING * np.abs(outputs).max():
        # What never changes depends on nothing; the estimators would divide by its variance, or
        # share out that of rounding.
        return {measure: [0.0] * problem["num_vars"] for measure in MEASURES[method]}
    with warnings.catch_warnings():
        # SALib's own use of pandas and of its deprecated names is nothing to the user.
        warnings.simplefilter("ignore")
        if method == "morris":
            from SALib.analyze import morris

            found = morris.analyze(problem, shares, outputs, num_levels=4, seed=seed)
            least = ROUNDING * np.max(found["mu_star"])
            return {
                one: [0.0 if abs(x) <= least else x for x in found[one]] for one in MEASURES[method]
            }
        from SALib.analyze import sobol

        return sobol.analyze(problem, outputs, calc_second_order=False, seed=seed)


def _as_designed(outputs: np.ndarray, shares: np.ndarray, places: np.ndarray) -> np.ndarray:
    """The outputs as if each step of a trajectory had the length that the design gives it.

    Each step changes one parameter, and a whole number moves further or less far: one step goes
    from 1 to 2.
    """
    size = shares.shape[1] + 1

    def steps(of: np.ndarray) -> np.ndarray:
        return np.abs(np.diff(of.reshape(-1, size, size - 1), axis=1)).sum(axis=2)

    designed, gone = steps(shares), steps(places)
    factor = np.divide(designed, gone, out=np.zeros_like(gone), where=gone > 0)
    each = outputs.reshape(-1, size).copy()
    each[:, 1:] = each[:, :1] + np.cumsum(np.diff(each, axis=1) * factor, axis=1)
    return each.ravel()


def _outputs(found: Samples, quantity: str, case: int, cases: int) -> np.ndarray:
    """The mean over the replicas, at every try of one case."""
    means = [math.fsum(defined(values)) / len(values) for values in found[quantity][case::cases]]
    return np.array(means)


def _check_defined(
    space: Space, tried: Sequence[dict[str, Any]], found: Samples, quantity: str
) -> None:
    """Raise ScenarioError if a quantity is undefined in a run of a try."""
    places = [{**case, **row} for row in tried for case in space.cases]
    for place, values in zip(places, found[quantity], strict=True):
        if len(defined(values)) < len(values):
            where = ", ".join(f"{key} = {in_full(value)}" for key, value in place.items())
            raise ScenarioError(
                f"{space.scenario.place}: {quantity} is undefined at {where}; allowed: a quantity "
                "that every run defines (sojourn list metrics), or narrower ranges"
            )
