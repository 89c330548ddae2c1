"""The scenario behind a comparison: a dumbbell, its traffic, one point for each discipline."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from sojourn import registries
from sojourn._core import ScenarioError
from sojourn.comparison.mix import Part, elastic, flows_toml, read_mix
from sojourn.errors.nearest import refusal
from sojourn.files.toml_text import value_text
from sojourn.scenario import Scenario
from sojourn.stats.alike import REMEDY

PLACE = "compare"
MESSAGE = re.compile(rf"{PLACE}:(?P<line>\d+): (?:(?P<key>[^\s:]+): )?(?P<text>.*)", re.DOTALL)

OPTIONS = {
    "dumbbell.bottleneck.rate": "--rate",
    "dumbbell.rtt": "--rtt",
    "flow": "--flows",
    "duration": "--duration",
    "warmup": "--warmup",
}
"""Which option a key of the scenario comes from."""

VARY = '"link.bottleneck.queue" = ['
"""The line after which each discipline has one of its own."""

QUEUE = "dumbbell.bottleneck.queue"


@dataclass(frozen=True)
class Question:
    """What is compared, on what. Quantities as scenario files write them."""

    disciplines: tuple[str, ...]
    rate: str = "10 Mbit/s"
    rtt: str = "40 ms"
    flows: str = "4 cubic"
    limit: str | None = None
    ecn: bool = False
    duration: str = "60 s"
    warmup: str = "10 s"
    replicas: int = 10
    seed: int = 1

    def queues(self) -> list[dict[str, Any]]:
        """The ``queue`` table of each discipline. Raises ValueError for what cannot be read."""
        return [self._queue(text) for text in self.disciplines]

    def parts(self) -> list[Part]:
        """The flows. Raises ValueError for what cannot be read."""
        try:
            return read_mix(self.flows)
        except ValueError as error:
            raise ValueError(f"--flows: {error}") from None

    def _queue(self, text: str) -> dict[str, Any]:
        """``codel``, ``codel,target=20 ms`` or ``module:Class`` for one in Python."""
        name, *settings = _parts(text)
        params = {"limit"} if ":" in name else self._params(name)
        queue: dict[str, Any] = {"discipline": name}
        if self.limit is not None and "limit" in params:
            queue["limit"] = self.limit
        if self.ecn and "ecn" in params:
            queue["ecn"] = True
        given = {"discipline"}
        for setting in settings:
            key, separator, value = setting.partition("=")
            key = key.strip()
            if not separator:
                raise ValueError(f"found {setting!r} in {text!r}; allowed: KEY=VALUE")
            if key in given:
                raise ValueError(f"{text}: {key}: found twice; allowed: once")
            given.add(key)
            queue[key] = _scalar(value.strip())
        return queue

    def _params(self, name: str) -> set[str]:
        """The parameters of a discipline of the registry."""
        known = registries.entries("disciplines")
        if name not in known:
            raise ValueError(refusal(name, known, ", or module:Class"))
        return {param["name"] for param in known[name]["params"]}

    def labels(self) -> list[str]:
        """What each discipline is called in tables and figures: as it was written."""
        return [", ".join(_parts(text)) for text in self.disciplines]

    def elastic(self) -> list[str]:
        """The names of the flows that send as much as they can."""
        return elastic(self.parts())

    def toml(self) -> str:
        """The scenario file. Raises ValueError for what cannot be read."""
        queues = "".join(f"  {value_text(queue)},\n" for queue in self.queues())
        return f"""\
name = "compare"
title = {value_text(f"{self.flows} over {self.rate}, {self.rtt}")}
duration = {value_text(self.duration)}
warmup = {value_text(self.warmup)}
seed = {self.seed}
replicas = {self.replicas}

[dumbbell]
rtt = {value_text(self.rtt)}
bottleneck = {{ rate = {value_text(self.rate)} }}

{flows_toml(self.parts(), self.ecn, self.duration)}

[vary]
{VARY}
{queues}]
"""

    def scenario(self) -> Scenario:
        """The same, checked. Raises ValueError, or ScenarioError where a value is not allowed."""
        labels = self.labels()
        if twice := [label for number, label in enumerate(labels) if label in labels[:number]]:
            allowed = "each once, or with other settings"
            raise ValueError(f"found the discipline {twice[0]} twice; allowed: {allowed}")
        try:
            return Scenario.from_toml(self.toml(), place=PLACE)
        except ScenarioError as error:
            raise ScenarioError(self.in_options(str(error))) from None

    def in_options(self, message: str) -> str:
        """An error or a warning of the scenario, under the option that it is about.

        What one may do about it is to be done in options too.
        """
        message = message.replace(REMEDY, "a longer --duration would tell them apart")
        found = MESSAGE.fullmatch(message)
        if found is None or found["key"] is None:
            return message
        key, text = found["key"], found["text"]
        if key.startswith(QUEUE):
            place = self._place_of(int(found["line"]), key)
            return text if text.startswith(f"{place}: ") else f"{place}: {text}"
        option = next((OPTIONS[each] for each in OPTIONS if f"{key}.".startswith(f"{each}.")), key)
        return f"{option}: {text}"

    def _place_of(self, line: int, key: str) -> str:
        """The discipline of a line of the scenario, or the option that set the key there."""
        param = key.removeprefix(QUEUE).removeprefix(".")
        above = self.toml().splitlines()[: line - 1]
        number = len(above) - 1 - above.index(VARY) if VARY in above else -1
        if not 0 <= number < len(self.disciplines):
            return key
        text = self.disciplines[number]
        if param == "limit" and self.limit is not None and "limit" not in text:
            return "--limit"
        return text if param in ("", "discipline") else f"{text}: {param}"


def _parts(text: str) -> list[str]:
    """The parts between commas, but for those within parentheses, as ``inner`` has them."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth <= 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]


def _scalar(text: str) -> Any:
    """A value as TOML would have it: number, truth or text."""
    if text in ("true", "false"):
        return text == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
