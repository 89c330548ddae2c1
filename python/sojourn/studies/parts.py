"""A part of a study: a scenario with named steps along its axes.

The scenario file holds values, people want names ("90 %", "RED as printed"); a part keeps both, in
the order in which the points of the file come out.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from sojourn.files.toml_text import toml_text


@dataclass(frozen=True)
class Axis:
    """What varies: its name in the study, its key in the file, and the value of each named step.

    `beside` has further keys that change with it, each with its value at each step, in their order.
    """

    name: str
    key: str
    steps: Mapping[str, Any]
    beside: Mapping[str, Sequence[Any]] = field(default_factory=dict)


@dataclass(frozen=True)
class Part:
    """A scenario without its `[vary]` table, and the axes that go into it."""

    name: str
    document: Mapping[str, Any]
    axes: tuple[Axis, ...]

    def text(self) -> str:
        """The scenario file."""
        document = {**self.document, "name": self.name}
        lists = [
            {axis.key: list(axis.steps.values())}
            | {key: list(values) for key, values in axis.beside.items()}
            for axis in self.axes
        ]
        if not any(axis.beside for axis in self.axes):
            vary = {key: values for one in lists for key, values in one.items()}
            return toml_text({**document, "vary": vary})
        # Keys that change together are no grid of their values: every point is written down.
        places = list(itertools.product(*(range(len(axis.steps)) for axis in self.axes)))
        vary = {
            key: [values[at[axis]] for at in places]
            for axis, one in enumerate(lists)
            for key, values in one.items()
        }
        return toml_text({**document, "design": {"kind": "listed"}, "vary": vary})

    def points(self) -> pl.DataFrame:
        """One row per point: `point`, and the name of the step on each axis.

        The first axis is the outermost, as in the file.
        """
        names = [axis.name for axis in self.axes]
        rows = list(itertools.product(*(axis.steps for axis in self.axes)))
        frame = pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")
        return frame.with_row_index("point").with_columns(pl.col("point").cast(pl.Int64))
