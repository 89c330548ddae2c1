"""The queues that the report compares: drop-tail by size, RED with its parameters moved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

SIZES = (2000, 4000, 8000, 16000, 32000, 64000, 128000)
"""Drop-tail queue sizes, in bytes."""

PRINTED = {"min_th": 5, "max_th": 90, "max_p": "1/20", "w_q": "1/128", "limit": 480}
"""The one set of RED parameters that the report prints; lengths in packets."""

SWEEPS: Mapping[str, tuple[Any, ...]] = {
    "min_th": (5, 15, 30, 60),
    "max_th": (30, 60, 90, 150, 240),
    "max_p": ("1/50", "1/20", "1/10", "1/4"),
    "w_q": ("1/2048", "1/512", "1/128", "1/32", "1/8"),
    "limit": (30, 60, 120, 240, 480),
}
"""The values over which each parameter is moved while the others stay as printed."""

LENGTHS = ("min_th", "max_th", "limit")
"""Parameters that are lengths, in packets."""


@dataclass(frozen=True)
class Queue:
    """A queue of both bottlenecks: its name in print and its table in a scenario file.

    `sweep` names the parameter that is moved, with its value in `at`: the size of a drop-tail
    queue in bytes, else the value of RED's parameter.
    """

    name: str
    table: Mapping[str, Any] = field(hash=False)
    sweep: str
    at: float


def number(value: Any) -> float:
    """The value of a number or of a fraction such as "1/20"."""
    top, slash, bottom = str(value).partition("/")
    return float(top) / float(bottom) if slash else float(top)


def droptail(size: int) -> Queue:
    """Drop-tail with room for `size` bytes."""
    table = {"discipline": "droptail", "limit": f"{size} B"}
    return Queue(droptail_name(size), table, "droptail", size)


def droptail_name(size: int) -> str:
    """The name of a drop-tail queue in print."""
    return f"Drop-tail {size} B"


def red_table(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """RED with these parameters. Not gentle: the report describes the queue of 1993."""
    table: dict[str, Any] = {"discipline": "red"}
    for name, value in parameters.items():
        table[name] = f"{value} packets" if name in LENGTHS else number(value)
    return table | {"gentle": False, "mean_packet": "564 B"}


RED = Queue("RED", red_table(PRINTED), "red", 0.0)
"""RED with the printed parameters."""


def red(parameter: str, value: Any) -> Queue:
    """RED with one parameter moved; the printed value gives the printed queue."""
    if value == PRINTED[parameter]:
        return RED
    table = red_table(PRINTED | {parameter: value})
    return Queue(f"RED ({parameter} {value})", table, parameter, number(value))


def misread(name: str, limit: str, unit: str) -> Queue:
    """RED with its printed numbers in another unit than packets."""
    table = {**RED.table, "limit": limit, "min_th": f"5 {unit}", "max_th": f"90 {unit}"}
    return Queue(name, table, "misread", 0.0)


MISREAD = (
    misread("RED (all lengths in bytes)", "480 B", "B"),
    misread("RED (thresholds in bytes)", "270720 B", "B"),
    Queue("RED (max_p 1)", {**RED.table, "max_p": 1.0}, "misread", 0.0),
)
"""Slips that a program may make with the printed numbers: what they would have given."""


def all_queues() -> list[Queue]:
    """Every queue once: drop-tail by size, RED, its sweeps, the slips."""
    sweeps = [red(name, value) for name, values in SWEEPS.items() for value in values]
    queues = [*(droptail(size) for size in SIZES), RED, *sweeps, *MISREAD]
    return list({one.name: one for one in queues}.values())


def along(parameter: str) -> dict[float, Queue]:
    """The queues of one sweep, by the value of its parameter."""
    if parameter == "droptail":
        return {size: droptail(size) for size in SIZES}
    return {number(value): red(parameter, value) for value in SWEEPS[parameter]}
