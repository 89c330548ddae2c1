"""A metric of one entity: ``total.goodput_bps``, ``links.bottleneck.queueing_delay_p95_s``."""

from __future__ import annotations

from dataclasses import dataclass

from sojourn._core import ScenarioError, Tables
from sojourn.errors.arguments import repr_of
from sojourn.metrics import METRICS
from sojourn.scenario import Scenario

ALLOWED = (
    "allowed: total.METRIC, links.NAME.METRIC, flows.NAME.METRIC or groups.NAME.METRIC "
    "(sojourn list metrics)"
)

KINDS = {
    "links": ("link",),
    "flows": ("flow",),
    "groups": ("flow", "group"),
    "total": ("flow", "group"),
}
"""By table, which metrics it has."""


@dataclass(frozen=True)
class Quantity:
    """A metric of one row of a table."""

    table: str
    name: str
    metric: str

    @classmethod
    def read(cls, text: str, scenario: Scenario) -> Quantity:
        """Parse a quantity. Raises ValueError if the scenario has nothing like it."""
        if not isinstance(text, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ValueError(f"found {repr_of(text)}; {ALLOWED}")
        table, _, rest = text.partition(".")
        name, _, metric = rest.rpartition(".")
        if table not in KINDS or not metric or (table == "total") != (name == ""):
            raise ValueError(f"found {text!r}; {ALLOWED}")
        known = [each.name for each in METRICS if each.of in KINDS[table]]
        if metric not in known or metric.endswith("_by_reason"):
            raise ValueError(f"found the metric {metric!r}; {ALLOWED}")
        for point in range(scenario.core.points):
            names = _names(scenario, table, point)
            if names is not None and name not in names:
                raise ValueError(f"point {point} has no {table} {name!r}; it has {_few(names)}")
        return cls(table, name, metric)

    @classmethod
    def of(cls, scenario: Scenario, text: str) -> Quantity:
        """The same. Raises :class:`sojourn.ScenarioError` instead, with the scenario's file."""
        try:
            return cls.read(text, scenario)
        except ValueError as error:
            raise ScenarioError(f"{scenario.place}: {error}") from None

    def value(self, tables: Tables) -> float | None:
        """Its value in the tables of a run; None if it is not measured."""
        rows = tables[self.table]
        if self.metric not in rows:
            return None
        row = 0 if self.table == "total" else rows["name"].index(self.name)
        return float(rows[self.metric][row])

    def __str__(self) -> str:
        """As it is written."""
        return ".".join(part for part in (self.table, self.name, self.metric) if part)


def _names(scenario: Scenario, table: str, point: int) -> list[str] | None:
    """The rows that a table has at a point; None for the total."""
    match table:
        case "links":
            return scenario.core.links(point)
        case "flows":
            return [name for name, _ in scenario.core.flows(point)]
        case "groups":
            return sorted({group for _, group in scenario.core.flows(point)})
    return None


def _few(names: list[str], most: int = 12) -> str:
    """Name some of them."""
    more = [] if len(names) <= most else [f"and {len(names) - most} more"]
    return ", ".join([*names[:most], *more])
