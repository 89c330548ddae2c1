"""The scenario behind a comparison: a dumbbell, its traffic, one point for each discipline."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from sojourn import _core
from sojourn.comparison.mix import elastic, flows_toml, read_mix
from sojourn.refusal import refusal
from sojourn.scenario import Scenario
from sojourn.toml_text import value_text


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

    def _queue(self, text: str) -> dict[str, Any]:
        """``codel``, ``codel,target=20 ms`` or ``module:Class`` for one in Python."""
        name, *settings = [part.strip() for part in text.split(",")]
        params = {"limit"} if ":" in name else self._params(name)
        queue: dict[str, Any] = {"discipline": name}
        if self.limit is not None and "limit" in params:
            queue["limit"] = self.limit
        if self.ecn and "ecn" in params:
            queue["ecn"] = True
        for setting in settings:
            key, separator, value = setting.partition("=")
            if not separator:
                raise ValueError(f"found {setting!r} in {text!r}; allowed: KEY=VALUE")
            queue[key.strip()] = _scalar(value.strip())
        return queue

    def _params(self, name: str) -> set[str]:
        """The parameters of a discipline of the registry."""
        entries = {entry["name"]: entry for entry in json.loads(_core.reference())["disciplines"]}
        if name not in entries:
            raise ValueError(refusal(name, entries, ", or module:Class"))
        return {param["name"] for param in entries[name]["params"]}

    def labels(self) -> list[str]:
        """What each discipline is called in tables and figures: as it was written."""
        return [", ".join(part.strip() for part in text.split(",")) for text in self.disciplines]

    def elastic(self) -> list[str]:
        """The names of the flows that send as much as they can."""
        return elastic(read_mix(self.flows))

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

{flows_toml(read_mix(self.flows), self.ecn)}

[vary]
"link.bottleneck.queue" = [
{queues}]
"""

    def scenario(self) -> Scenario:
        """The same, checked. Raises ValueError, or ScenarioError where a value is not allowed."""
        if len(set(self.labels())) < len(self.disciplines):
            raise ValueError("found a discipline twice; allowed: each once, or with other settings")
        return Scenario.from_toml(self.toml(), place="compare")


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
