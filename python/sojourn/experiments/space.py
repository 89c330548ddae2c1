"""The ranges of a scenario that are searched, and the scenarios that try points of them.

A range of ``[vary]`` without a step is open: ``{ from = 0.01, to = 0.5, scale = "log" }``. All
other keys of ``[vary]`` make the cases in which every point of the space is tried.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sojourn import _core
from sojourn._core import ScenarioError
from sojourn.files.toml_text import toml_text
from sojourn.scenario import Overrides, Scenario, as_pairs

DIGITS = 6
"""Of the values that are tried."""


@dataclass(frozen=True)
class Range:
    """An open range of one key: from ``low`` to ``high`` in ``unit``, which may be empty."""

    key: str
    low: float
    high: float
    unit: str
    is_whole: bool
    is_log: bool

    def value(self, share: float) -> int | float | str:
        """The value at a share from 0 to 1, as in a scenario file."""
        value = self._number(share)
        return f"{value!r} {self.unit}" if self.unit else value

    def place(self, share: float) -> float:
        """Where that value is between the ends, from 0 to 1; rounding moves whole numbers."""
        value = self._number(share)
        if self.low == self.high:
            return 0.0
        if self.is_log:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def _number(self, share: float) -> int | float:
        value = _core.range_value(self.low, self.high, share, self.is_log, self.is_whole)
        return int(value) if self.is_whole else float(f"{value:.{DIGITS}g}")


@dataclass(frozen=True)
class Space:
    """A scenario with open ranges, and the cases in which they are tried."""

    scenario: Scenario
    ranges: tuple[Range, ...]
    cases: tuple[dict[str, Any], ...]

    @classmethod
    def load(cls, path: str | Path, overrides: Overrides = (), *, needed: bool = True) -> Space:
        """Read a scenario file, whether it has a ``[design]`` or not.

        Raises :class:`sojourn.ScenarioError` as for any scenario, and if no range is open although
        one is ``needed``.
        """
        pairs = as_pairs(overrides)
        if needed or _has_open_ranges(Path(path)):
            # One drawn point: so every range is read, and checked within the scenario.
            pairs.append(("design", '{ kind = "random", points = 1 }'))
        try:
            scenario = Scenario.load(path, pairs)
        except ScenarioError as error:
            # The design is ours: nobody has set it.
            raise ScenarioError(str(error).replace(": overrides: design: ", ": ", 1)) from None
        vary = scenario.document().get("vary", {})
        ranges = tuple(_range(key, value) for key, value in vary.items() if _is_open(value))
        keys = {each.key for each in ranges}
        cases = tuple(
            {key: value for key, value in point.items() if key not in keys}
            for point in scenario.vary
        )
        return cls(scenario, ranges, cases)

    def at(
        self, rows: Sequence[dict[str, Any]], cases: Sequence[dict[str, Any]] | None = None
    ) -> Scenario:
        """The scenario that tries every row in every case.

        A row gives values to keys of the scenario; a row without values leaves it as it is. Row
        ``i`` in case ``j`` is the point ``i * len(cases) + j``. Raises
        :class:`sojourn.ScenarioError`, without a line number, for values that are not possible.
        """
        document = self.scenario.document()
        cases = self.cases if cases is None else cases
        points = [{**case, **row} for row in rows for case in cases]
        document.pop("vary", None)
        document.pop("design", None)
        if points[0]:
            document["design"] = {"kind": "listed"}
            document["vary"] = {key: [point[key] for point in points] for key in points[0]}
        scenario = self.scenario
        try:
            return Scenario(toml_text(document), scenario.place, scenario.folder)
        except ScenarioError as error:
            # Its line is of a text that nobody has written.
            place = f"{scenario.place}: "
            message = re.sub(f"^{re.escape(scenario.place)}:([0-9]+:)? ", place, str(error))
            raise ScenarioError(message) from None

    def row(self, shares: Sequence[float]) -> dict[str, Any]:
        """The values of all ranges at these shares."""
        return {each.key: each.value(s) for each, s in zip(self.ranges, shares, strict=True)}


def _has_open_ranges(path: Path) -> bool:
    try:
        vary = tomllib.loads(path.read_text(encoding="utf-8")).get("vary", {})
    except (OSError, ValueError):
        # The reader of scenarios says what is wrong.
        return False
    return isinstance(vary, dict) and any(_is_open(value) for value in vary.values())


def _is_open(value: Any) -> bool:
    return isinstance(value, dict) and "step" not in value


def _range(key: str, value: dict[str, Any]) -> Range:
    (low, unit), (high, _) = (_number(value[end]) for end in ("from", "to"))
    ends_are_whole = low.is_integer() and high.is_integer()
    is_integer = all(isinstance(value[end], int) for end in ("from", "to"))
    is_whole = is_integer or (unit in ("packet", "packets") and ends_are_whole)
    return Range(key, low, high, unit, is_whole, value.get("scale") == "log")


def _number(value: float | str) -> tuple[float, str]:
    """A number and its unit."""
    if not isinstance(value, str):
        return float(value), ""
    found = re.fullmatch(r"\s*([-+0-9.eE]+)\s*(.*?)\s*", value)
    if found is None:
        raise ScenarioError(f"{value!r} is no number with a unit")
    return float(found[1]), found[2]
