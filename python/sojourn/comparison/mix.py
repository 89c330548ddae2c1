"""The traffic mix of a comparison, as it is written on the command line.

``4 cubic + 1 cbr@2Mbit/s + 1 trace@call.pcap``: parts joined by ``+``, each a number (default 1), a
word, and for sources of a rate ``@RATE``, for what was recorded ``@FILE``. The word is a congestion
control (a bulk transfer under it) or a traffic source: those that send packets go over UDP, the
others over TCP. ``module:Class`` is a congestion control in Python.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from sojourn import _core, registries
from sojourn.errors.nearest import refusal
from sojourn.files.toml_text import value_text

PART = re.compile(
    r"(?:(?P<count>\d+)\s*x?\s+)?(?P<word>[A-Za-z_][\w.-]*(?::[\w.]+)?)\s*(?:@\s*(?P<given>.+))?",
    re.ASCII,
)
RATE = re.compile(r"([0-9.]+)\s*([A-Za-z/]+)")
PACKETS = ("cbr", "poisson", "onoff", "pareto_onoff", "trace")
"""Sources that go over UDP here."""

BEHIND_AT = {"rate": "2Mbit/s", "file": "call.pcap"}
"""Parameters of sources that stand behind the ``@``, each with an example."""


@dataclass(frozen=True)
class Part:
    """Some flows of one kind."""

    count: int
    word: str
    given: str | None
    """What stands behind the ``@``."""

    def flow(self, name: str, ecn: bool, start: str) -> dict[str, Any]:
        """The ``[[flow]]`` table of these flows."""
        flow: dict[str, Any] = {"name": name, "count": self.count}
        if self.word in PACKETS:
            flow["transport"] = {"protocol": "udp"}
            flow["traffic"] = {"source": self.word, _needed(self.word): self.given}
        else:
            transport: dict[str, Any] = {"protocol": "tcp"}
            traffic: dict[str, Any] = {"source": self.word}
            if _is_control(self.word):
                transport["congestion_control"] = self.word
                traffic = {"source": "bulk"}
            elif self.given is not None:
                traffic["rate"] = self.given
            if ecn:
                transport["ecn"] = True
            flow["transport"], flow["traffic"] = transport, traffic
        return flow | {"start": start}


def _is_control(word: str) -> bool:
    return ":" in word or word in registries.entries("congestion_controls")


def _needed(word: str) -> str | None:
    """The parameter of a source that must stand behind the ``@``."""
    source = registries.entries("sources").get(word, {"params": []})
    required = (param["name"] for param in source["params"] if param["required"])
    return next((name for name in required if name in BEHIND_AT), None)


def read_mix(text: str) -> list[Part]:
    """Read a mix. Raises ValueError that says what was found and what is allowed."""
    return [_read_part(part.strip()) for part in text.split("+")]


def _read_part(text: str) -> Part:
    match = PART.fullmatch(text)
    if match is None:
        raise ValueError(f"found {text!r}; allowed: parts such as 4 cubic or 1 cbr@2Mbit/s")
    word, given = match["word"], match["given"]
    known = [*registries.entries("congestion_controls"), *registries.entries("sources")]
    if ":" not in word and word not in known:
        raise ValueError(refusal(word, known, ", or module:Class"))
    count = int(match["count"] or 1)
    if not 1 <= count <= 100_000:
        raise ValueError(f"found {count} flows of {word}; allowed: 1 to 100000")
    needed = _needed(word)
    if needed is None and given is not None:
        raise ValueError(f"found {text!r}; allowed: {word} without a rate")
    if needed is not None and given is None:
        example = f"{word}@{BEHIND_AT[needed]}"
        raise ValueError(f"found {text!r}; allowed: {word} with its {needed}, such as {example}")
    if given is not None:
        given = given.strip() if needed == "file" else _with_space(given.strip())
    return Part(count, word, given)


def _with_space(rate: str) -> str:
    """``2Mbit/s`` as scenario files write it: ``2 Mbit/s``."""
    match = RATE.fullmatch(rate)
    return f"{match[1]} {match[2]}" if match else rate


def flows_toml(parts: list[Part], ecn: bool, duration: str) -> str:
    """The ``[[flow]]`` tables of a mix."""
    start = start_within(duration)
    tables = []
    for name, part in named(parts):
        lines = [
            f"{key} = {value_text(value)}" for key, value in part.flow(name, ecn, start).items()
        ]
        tables.append("\n".join(["[[flow]]", *lines]))
    return "\n\n".join(tables)


LATEST_START_S = 1.0
"""Flows start within so long, and within a tenth of a duration that is short."""


PICOSECONDS = 12
"""Decimals of a second that a time has."""


def start_within(duration: str) -> str:
    """When each flow starts: early, so that the runs are of flows that are there."""
    try:
        latest = min(LATEST_START_S, _core.read_quantity("time", duration) / 10)
    except ValueError:
        # The reader of scenarios says what is wrong with the duration.
        latest = LATEST_START_S
    return f"uniform(0 s, {round(latest, PICOSECONDS):.12g} s)"


def elastic(parts: list[Part]) -> list[str]:
    """The names of those that send as much as they can."""
    return [name for name, part in named(parts) if part.word == "bulk" or _is_control(part.word)]


def named(parts: list[Part]) -> list[tuple[str, Part]]:
    """Each part with its name: its word, or its class, numbered where it comes twice."""
    words = [part.word.rpartition(":")[2].replace(".", "-") for part in parts]
    return [
        (f"{word}-{words[: place + 1].count(word)}" if words.count(word) > 1 else word, part)
        for place, (word, part) in enumerate(zip(words, parts, strict=True))
    ]
