"""Observations of a study: one row per case, subject and replica, one column per measure.

A case is what a run was made under ("90 % load", "8 senders"), a subject what is compared (a
discipline, a queue with its parameters). Everything a study says is a query over these rows.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from sojourn.stats import Better, Interval, student_interval
from sojourn.studies.judging import Sample

KEYS = ("case", "subject", "replica")
"""Columns that say what a row is about."""

Values = list[float | None]
"""One value per replica, in the order of replicas; None where undefined."""


@dataclass(frozen=True)
class Measure:
    """A quantity: its column, its name and unit in print, its good end if it has one.

    `of` says whose packets it is about, `short` is a shorter name, and `published` the row of the
    publication's table that it stands beside.
    """

    column: str
    title: str
    unit: str
    better: Better | None = None
    of: str = "all"
    short: str = ""
    published: str | None = None

    @property
    def heading(self) -> str:
        """Name and unit."""
        return self._with_unit(self.title)

    @property
    def short_heading(self) -> str:
        """The short name and the unit."""
        return self._with_unit(self.short or self.title)

    def _with_unit(self, name: str) -> str:
        return f"{name} ({self.unit})" if self.unit else name


def table_of(measures: Sequence[Measure]) -> dict[str, Measure]:
    """Measures by column, in their order."""
    return {one.column: one for one in measures}


@dataclass(frozen=True)
class Observed:
    """Rows with the columns `KEYS` and those of `measures`, and questions about them."""

    frame: pl.DataFrame
    measures: Mapping[str, Measure]

    @functools.cached_property
    def _rows(self) -> dict[tuple[str, str], pl.DataFrame]:
        parts = self.frame.sort("replica").partition_by(["case", "subject"], as_dict=True)
        return {(str(case), str(subject)): part for (case, subject), part in parts.items()}

    @functools.cached_property
    def cases(self) -> tuple[str, ...]:
        """All cases, in the order of the rows."""
        return tuple(dict.fromkeys(self.frame["case"]))

    def subjects(self, case: str) -> tuple[str, ...]:
        """All subjects of a case, in the order of the rows."""
        return tuple(dict.fromkeys(self.frame.filter(pl.col("case") == case)["subject"]))

    def has(self, case: str, subject: str) -> bool:
        """Whether there is any row of it."""
        return (case, subject) in self._rows

    def values(self, column: str, case: str, subject: str) -> Values:
        """One value per replica. Raises KeyError where nothing was observed."""
        return self._rows[case, subject][column].to_list()

    def interval(self, column: str, case: str, subject: str) -> Interval:
        """Mean and 95 % interval over the replicas."""
        return student_interval(self.values(column, case, subject))

    def intervals(self, column: str, case: str, subjects: Sequence[str]) -> dict[str, Interval]:
        """The same by subject."""
        return {one: self.interval(column, case, one) for one in subjects}

    def sample(
        self, column: str, case: str, subjects: Sequence[str], where: str | None = None
    ) -> Sample:
        """One measure of several subjects, ready to be judged; `where` defaults to the case."""
        return Sample(
            {one: self.values(column, case, one) for one in subjects},
            self.measures[column].unit,
            case if where is None else where,
        )


def ratios(first: Values, second: Values) -> Values:
    """first / second, replica by replica; None where either is undefined or second is zero."""
    return [
        None if x is None or y is None or y == 0 else x / y
        for x, y in zip(first, second, strict=True)
    ]
