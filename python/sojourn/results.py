"""Results: tidy polars frames."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from sojourn import _core
from sojourn.condensed import Condensed, condensed
from sojourn.errors.arguments import as_path, kind_error
from sojourn.errors.brief import InputError, brief
from sojourn.errors.extras import needed
from sojourn.errors.nearest import refusal
from sojourn.frames import columns, no_transfers, points_frame, runs_frame, stack
from sojourn.metrics import SERIES
from sojourn.outcomes import Outcomes
from sojourn.remarks import remarks
from sojourn.scenario import Scenario
from sojourn.stats.alike import alike
from sojourn.summary import IntervalKind, summarise, summarised
from sojourn.tables import ENTITIES, Columns
from sojourn.workers.forks import note_process
from sojourn.workers.tasks import Outcome, Task

if TYPE_CHECKING:
    import pandas

    from sojourn.plots.plot import Plot


@dataclass(frozen=True, eq=False)
class Results:
    """The frames of a run, one row for each point, replica and entity; undefined values are null.

    - ``points``: ``point`` and a column for each key that varies
    - ``runs``: ``point``, ``replica``, ``seed``, ``warmup_s``
    - ``links``, ``flows``, ``groups``, ``totals``: the metrics, their unit in the name
    - ``drops``: packets dropped or marked by link and reason
    - ``delays``: how delays are distributed: ``entity`` (link: queueing delays; group, total:
      one-way delays of flows), ``name``, ``share`` of the packets, and the
      ``delay_s`` that they do not exceed
    - ``time_series``: ``entity``, ``name``, ``metric``, ``time_s``, ``value``; see :meth:`series`
    - ``transfers``, where the scenario has ``transfers = true``: a row for each finite transfer
      over TCP that was complete in the window, or still under way at its end: ``flow``, ``group``,
      ``began_s``, ``size_bytes``, ``fct_s`` (null if under way), ``slowdown``
    """

    scenario: Scenario
    points: pl.DataFrame
    runs: pl.DataFrame
    links: pl.DataFrame
    flows: pl.DataFrame
    groups: pl.DataFrame
    totals: pl.DataFrame
    drops: pl.DataFrame
    delays: pl.DataFrame
    time_series: pl.DataFrame
    transfers: pl.DataFrame = field(default_factory=no_transfers)
    complete: bool = True
    warnings: tuple[str, ...] = ()
    sojourn: str = field(default=_core.__version__)

    def __eq__(self, other: object) -> bool:
        """Whether they are of the same scenario and the same to the bit, whoever made them."""
        if not isinstance(other, Results):
            return NotImplemented
        mine = (self.scenario, self.complete, self.warnings)
        frames = other.frames()
        return mine == (other.scenario, other.complete, other.warnings) and all(
            frame.equals(frames[name]) for name, frame in self.frames().items()
        )

    def __hash__(self) -> int:
        """A hash of the scenario: what is equal has the same."""
        return hash(self.scenario)

    @property
    def seed(self) -> int:
        """The seed of all random streams."""
        return self.scenario.seed

    @property
    def replicas(self) -> int:
        """How many replicas each point was to have; ``precision`` may have asked for more."""
        return self.scenario.replicas

    @cached_property
    def alike(self) -> set[int]:
        """The points whose replicas are all the same run, to the bit; they count as one."""
        return alike(map(columns, (self.links, self.flows)))

    @brief
    def series(self, metric: str) -> pl.DataFrame:
        """Return the time series of one metric, such as ``queue_packets``.

        A variable of a discipline or a congestion control has its own name. Raises ValueError for a
        name that is neither a usual series (``sojourn.metrics.SERIES``) nor was recorded.
        """
        if not isinstance(metric, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise kind_error("metric", metric, "the name of a series, such as 'queue_packets'")
        note_process()
        found = self.time_series.filter(pl.col("metric") == metric)
        if found.is_empty() and metric not in SERIES:
            recorded = self.time_series["metric"].unique().sort().to_list()
            if not recorded:
                why = "no series were recorded; allowed: a run with series_interval"
                raise InputError(f"found {metric!r}, but {why}")
            raise InputError(refusal(metric, recorded))
        return found

    @brief
    def summary(self, interval: IntervalKind = "student") -> dict[str, Any]:
        """Return the document that ``sojourn run --json`` prints; see `summary.py`."""
        return summarise(self, self._tables(), interval)

    def summarised(self, interval: IntervalKind = "student") -> dict[str, Any]:
        """The same, its points an iterator of JSON texts."""
        return summarised(self, self._tables(), interval)

    def condensed(self) -> Condensed:
        """What a table for people shows of it."""
        return condensed(self, self._tables())

    def _tables(self) -> dict[str, Columns]:
        """What a summary is made of."""
        frames = self.frames()
        return {name: columns(frames[name]) for name in (*ENTITIES, "drops")}

    def plot(self, kind: str, **options: object) -> Plot:
        """Draw a figure and return it: a matplotlib figure with a method ``save``.

        ``kind`` is one of ``queue``, ``delay``, ``throughput``, ``cwnd``, ``series``, ``cdf``,
        ``fct``, ``delay-goodput``, ``load``, ``compare``, ``fairness``, ``drops``, ``probability``,
        ``heatmap``, ``ranking``; the options (``link``, ``flow``, ``case``, ``replica``, ``of``,
        ``x``, ``y``) select what it shows. ``plot(...).save("queue.pdf")`` writes the data as CSV
        beside the figure. Raises :class:`sojourn.plots.choice.PlotError` if it cannot be drawn.
        Needs the extra ``plots``: ``pip install 'sojourn[plots]'``.
        """
        note_process()
        with needed("plots"):
            from sojourn.plots.kinds import plot

        return plot(self, kind, **options)

    @brief
    def report(self, path: str | Path, least: float = 0.01) -> Path:
        """Write a report: one HTML file that opens offline; return its path.

        It calls nothing the best that leads by the share ``least`` or less. Needs the extra
        ``report``: ``pip install 'sojourn[report]'``.
        """
        note_process()
        place = as_path("path", path)
        if not isinstance(least, int | float) or not 0 <= least < 1:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise kind_error("least", least, "a share from 0 to below 1, such as 0.01")
        with needed("report"):
            from sojourn.report.experiment import report

        return report(self, place, least)

    def frames(self) -> dict[str, pl.DataFrame]:
        """Return all frames, by the name of their file in an experiment's folder."""
        note_process()
        return {
            "points": self.points,
            "runs": self.runs,
            "links": self.links,
            "flows": self.flows,
            "groups": self.groups,
            "total": self.totals,
            "drops": self.drops,
            "delays": self.delays,
            "series": self.time_series,
            "transfers": self.transfers,
        }

    def to_pandas(self) -> dict[str, pandas.DataFrame]:
        """Return all frames as pandas', by the same names.

        Needs the extra ``pandas``: ``pip install 'sojourn[pandas]'``.
        """
        with needed("pandas"):
            return {name: frame.to_pandas() for name, frame in self.frames().items()}

    def _repr_html_(self) -> str:
        """A table for notebooks: the links of each point, as ``sojourn run`` prints them."""
        from sojourn.notebook import results_card

        return results_card(self)

    def __repr__(self) -> str:
        """Scenario and number of runs."""
        state = "" if self.complete else ", not complete"
        runs = "1 run" if len(self.runs) == 1 else f"{len(self.runs)} runs"
        return f"<Results of {self.scenario.name!r}: {runs}{state}>"

    @brief
    def write(self, folder: str | Path, *, traces: Sequence[Path] = ()) -> list[Path]:
        """Write an experiment's folder: tables, scenario and summary; return the paths.

        ``traces`` are those of its runs that are there already; traces of an earlier experiment are
        removed.

        Raises :class:`sojourn.ScenarioError` if it would overwrite a file that no experiment has
        written, ValueError if the runs were interrupted before one was finished.
        """
        from sojourn.experiments.folder import write
        from sojourn.experiments.summary_file import whole_summary

        place = as_path("folder", folder)
        if self.runs.is_empty():
            # Empty tables would take the place of earlier results.
            raise InputError(f"{place}: found no finished run to write; allowed: one or more")
        return write(place, self, lambda: whole_summary(place, self.summarised()), traces=traces)


def of_outcomes(outcomes: Outcomes) -> Results:
    """Make the frames of finished runs."""
    return collect(
        outcomes.scenario, outcomes.each, complete=outcomes.complete, warnings=outcomes.noted
    )


def collect(
    scenario: Scenario,
    outcomes: Iterable[Outcome],
    *,
    complete: bool,
    warnings: Sequence[str] = (),
) -> Results:
    """Put the outcomes of all runs together; they come in the order of points and replicas."""
    tasks: list[Task] = []

    def noted() -> Iterator[Outcome]:
        for outcome in outcomes:
            tasks.append(outcome.task)
            yield outcome

    frames = stack(scenario, noted())
    same = alike(map(columns, (frames["links"], frames["flows"])))
    return of_frames(scenario, tasks, frames, same, complete=complete, warnings=warnings)


def of_frames(
    scenario: Scenario,
    tasks: Sequence[Task],
    frames: dict[str, pl.DataFrame],
    alike: set[int],
    *,
    complete: bool,
    warnings: Sequence[str],
) -> Results:
    """Put together what `frames.stack` made of ``tasks``; ``alike`` as in :class:`Results`."""
    groups = frames["groups"]
    # Without any run or flow there is no such column.
    sent = groups.get_column("sent_packets", default=())
    said = remarks(groups["group"], sent, alike, scenario.vary)
    return Results(
        scenario=scenario,
        points=points_frame(scenario),
        runs=runs_frame(scenario, tasks),
        links=frames["links"],
        flows=frames["flows"],
        groups=groups,
        totals=frames["total"],
        drops=frames["drops"],
        delays=frames["delays"],
        time_series=frames["series"],
        transfers=frames["transfers"],
        complete=complete,
        warnings=(*warnings, *said),
    )
