"""The scenario of the study for given settings: `scenario.toml` with the knobs turned."""

from __future__ import annotations

import tomllib
from fractions import Fraction
from importlib import resources
from typing import Any

from sojourn.files.toml_text import toml_text
from sojourn.studies import quantities
from sojourn.studies.knobs import (
    Knob,
    Settings,
    choice,
    demand_start,
    demand_window,
    duration,
    duration_or_zero,
    number,
    whole,
)

STUDY = "eqm"
PACKAGE = "sojourn.studies.eqm"

SOURCES = 3
"""Sources that share the bottleneck."""

HIGHEST_RATE = quantities.bits_per_second("3 Mbit/s")
"""Highest stated rate of one source, in bit/s: the rate of its access link."""

QUEUE_KEY = "link.bottleneck.queue"
RATE_KEY = "flow.exp.traffic.rate"

AS_GIVEN = "default"
"""Value of an EQM knob that leaves the parameter to the discipline."""

EQM_PARAMETERS = ("utilization", "averaging", "q_ref", "tau")


def read_text(text: str) -> str:
    """A reader for a value which the scenario itself will judge."""
    return text


KNOBS = (
    Knob(
        "traffic",
        "exponential",
        "law of the sources: exponential (on/off), pareto (on/off) or cbr",
        choice("exponential", "pareto", "cbr"),
    ),
    Knob("on", "1 s", "mean length of an on period", duration),
    Knob("off", "0.5 s", "mean length of an off period", duration_or_zero),
    Knob("shape", "1.5", "shape of the Pareto law", number(1, 100)),
    Knob(
        "rate_is",
        "peak",
        "whether the stated rate is the peak (while on) or the mean of an on/off source",
        choice("peak", "mean"),
    ),
    Knob("start", "0.1 s", "sources start uniformly in this time", duration_or_zero),
    Knob("duration", "100 s", "simulated time of one run", duration),
    Knob("warmup", "0 s", "time left out at the beginning", duration_or_zero),
    Knob("replicas", "10", "replicas of each point", whole(1, 100_000)),
    Knob("loads", "60", "equal steps from 0 to 3 Mbit/s a source", whole(1, 6000)),
    Knob(
        "queues",
        "ns2",
        "whose defaults and ways the compared disciplines have: ns2 or reference",
        choice("ns2", "reference"),
    ),
    Knob("sources", "0,1,2", "nodes that send: 0,1,2 or 0,1,3", choice("0,1,2", "0,1,3")),
    Knob("destination", "5", "node that receives: 5 or 4", choice("5", "4")),
    *(
        Knob(
            f"eqm.{name}",
            AS_GIVEN,
            f'parameter {name} of EQM (reconstruction), as a scenario file writes it, or "default"',
            read_text,
        )
        for name in EQM_PARAMETERS
    ),
)
"""What the publication leaves open."""

QUICK = {"duration": "30 s", "replicas": "10", "loads": "12"}
"""The quick form: a subset of the loads and shorter runs."""


def base() -> dict[str, Any]:
    """`scenario.toml` as a table."""
    text = resources.files(PACKAGE).joinpath("scenario.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def peak_factor(settings: Settings) -> Fraction:
    """What the stated rate is multiplied by to give the source's rate while on."""
    if settings["traffic"] == "cbr" or settings["rate_is"] == "peak":
        return Fraction(1)
    on = quantities.seconds(settings["on"])
    return (on + quantities.seconds(settings["off"])) / on


def duty(settings: Settings) -> Fraction:
    """The share of time for which a source is on."""
    if settings["traffic"] == "cbr":
        return Fraction(1)
    on = quantities.seconds(settings["on"])
    return on / (on + quantities.seconds(settings["off"]))


def stated_rates(settings: Settings) -> list[Fraction]:
    """The stated rates of one source, in bit/s, ascending."""
    steps: int = settings["loads"]
    return [HIGHEST_RATE * step / steps for step in range(1, steps + 1)]


def load_mbps(rate: Fraction, settings: Settings) -> float:
    """The network load, the sum of the stated rates in Mbit/s, of a source's rate in bit/s.

    The rate of a scenario is whole bits per second; the stated rate is the nearest of the study.
    """
    stated = rate / peak_factor(settings)
    nearest = min(stated_rates(settings), key=lambda one: abs(one - stated))
    return float(nearest * SOURCES / 10**6)


def traffic(settings: Settings) -> dict[str, Any]:
    """The table of a source; its rate is varied."""
    kind = settings["traffic"]
    table: dict[str, Any] = {"source": "onoff", "preset": "ns2", "rate": "1 Mbit/s"}
    if kind == "cbr":
        table["source"] = "cbr"
    elif kind == "exponential":
        table["on"] = f"exponential({settings['on']})"
        off = settings["off"]
        silent = quantities.seconds(off) == 0
        table["off"] = f"constant({off})" if silent else f"exponential({off})"
    else:
        table |= {"source": "pareto_onoff", "on": settings["on"], "off": settings["off"]}
        table["shape"] = settings["shape"]
    return table


def eqm_parameters(settings: Settings) -> dict[str, Any]:
    """The parameters of EQM (reconstruction) that are not left to the discipline."""
    given = {name: settings[f"eqm.{name}"] for name in EQM_PARAMETERS}
    return {name: as_number(text) for name, text in given.items() if text != AS_GIVEN}


def as_number(text: str) -> float | int | str:
    """A plain number as a number, anything else as the text it is."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def queues(settings: Settings) -> list[dict[str, Any]]:
    """The queues to compare. Drop-tail, the bound, always has the full limit."""
    tables: list[dict[str, Any]] = []
    for table in base()["vary"][QUEUE_KEY]:
        changed = dict(table)
        if "preset" in changed:
            changed["preset"] = settings["queues"]
        if changed["discipline"] == "eqm":
            changed |= eqm_parameters(settings)
        tables.append(changed)
    return tables


def rates(settings: Settings) -> Any:
    """The rates of the sources: the range as the file has it, or a list."""
    if peak_factor(settings) == 1:
        step = HIGHEST_RATE / settings["loads"]
        if step.denominator == 1:
            text = quantities.rate_text(step)
            return {"from": text, "to": quantities.rate_text(HIGHEST_RATE), "step": text}
    factor = peak_factor(settings)
    return [quantities.rate_text(rate * factor) for rate in stated_rates(settings)]


def document(settings: Settings) -> dict[str, Any]:
    """The whole scenario as a table. Raises StudyError for times beyond the end."""
    demand_window(STUDY, settings)
    demand_start(STUDY, settings)
    whole_file = base()
    whole_file["duration"] = settings["duration"]
    whole_file["warmup"] = settings["warmup"]
    whole_file["replicas"] = settings["replicas"]
    if settings["sources"] == "0,1,3":
        # A source at node 3 itself: its access link takes no time worth counting.
        access = next(link for link in whole_file["link"] if link["name"] == "access2")
        access |= {"rate": "1000 Gbit/s", "delay": "0 s"}
    flow = whole_file["flow"][0]
    flow["to"] = f"n{settings['destination']}"
    flow["traffic"] = traffic(settings)
    start = settings["start"]
    spread = quantities.seconds(start) > 0
    flow["start"] = f"uniform(0 s, {start})" if spread else "0 s"
    whole_file["vary"] = {QUEUE_KEY: queues(settings), RATE_KEY: rates(settings)}
    return whole_file


def scenarios(settings: Settings) -> dict[str, str]:
    """The text of the scenario file for these settings. Raises StudyError."""
    return {STUDY: toml_text(document(settings))}


def link(name: str) -> dict[str, Any]:
    """The link of the scenario called `name`."""
    return next(one for one in base()["link"] if one["name"] == name)
