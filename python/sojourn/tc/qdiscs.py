"""Which qdisc stands for which discipline, and how each parameter is written.

A line for each parameter that tc has an option for. What has no line is named in a comment where it
differs from what Linux does. Options as of iproute2 6.1, read from their help texts; those of
dualpi2, which came with iproute2 6.17, are unverified.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sojourn.tc import units
from sojourn.tc.units import Link

Params = Mapping[str, Any]
Written = str | None
"""The words of an option, or none where tc's own default is meant."""

Write = Callable[[Any, Params, Link], Written]
"""Writes a parameter: its value, all parameters, the link."""

UNBOUNDED = 1_000_000
"""Packets of a queue without a limit: tc wants a number."""


@dataclass(frozen=True)
class Qdisc:
    """A qdisc, the options that parameters become, and what to know about it.

    ``always`` are words that it needs besides; ``notes`` are said wherever it is used.
    """

    name: str
    options: Mapping[str, Write] = field(default_factory=dict)
    always: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def packets(option: str) -> Write:
    """A length in packets."""

    def write(value: Any, _: Params, link: Link) -> Written:
        if value == "auto":
            return None
        if value == "none":
            return f"{option} {UNBOUNDED}"
        return f"{option} {units.length_packets(value, link.mtu_bytes, link)}"

    return write


def average_bytes(option: str) -> Write:
    """A length in bytes, packets being of the discipline's typical size."""

    def write(value: Any, params: Params, link: Link) -> Written:
        if value == "auto":
            return None
        if value == "none":
            return f"{option} {UNBOUNDED * 1500}"
        size = units.size_bytes(params["mean_packet"])
        return f"{option} {round(units.length_bytes(value, size, link))}"

    return write


def average_packets(option: str) -> Write:
    """A length in packets of the discipline's typical size."""

    def write(value: Any, params: Params, link: Link) -> Written:
        if value == "auto":
            return None
        size = units.size_bytes(params["mean_packet"])
        return f"{option} {units.length_packets(value, size, link)}"

    return write


def time(option: str) -> Write:
    """A time."""
    return lambda value, _, __: (
        None if value in ("auto", "none") else f"{option} {units.time_text(units.seconds(value))}"
    )


def whole_seconds(option: str) -> Write:
    """A time in whole seconds."""
    return lambda value, _, __: f"{option} {round(units.seconds(value))}"


def milliseconds(option: str) -> Write:
    """A time in whole milliseconds, without a unit."""
    return lambda value, _, __: f"{option} {round(units.seconds(value) * 1e3)}"


def size(option: str) -> Write:
    """A size in bytes."""
    return lambda value, _, __: (
        None if value == "auto" else f"{option} {round(units.size_bytes(value))}"
    )


def number(option: str) -> Write:
    """A number."""
    return lambda value, _, __: None if value in ("auto", "none") else f"{option} {value}"


def sixteenths(option: str) -> Write:
    """A gain, which tc counts in sixteenths."""
    return lambda value, _, __: f"{option} {round(float(value) * 16)}"


def percent(option: str) -> Write:
    """A share, which tc counts in percent."""
    return lambda value, _, __: f"{option} {round(float(value) * 100)}"


def rate(option: str) -> Write:
    """A rate."""
    return lambda value, _, __: (
        None if value == "none" else f"{option} {round(units.bits_per_s(value))}bit"
    )


def flag(on: str | None, off: str | None = None) -> Write:
    """A word for each of true and false."""
    return lambda value, _, __: on if str(value).lower() == "true" else off


def word() -> Write:
    """A word that tc writes the same."""
    return lambda value, _, __: None if value == "auto" else str(value)


def choice(words: Mapping[str, str | None]) -> Write:
    """A word for each choice."""
    return lambda value, _, __: words[str(value)]


def burst(value: Any, params: Params, link: Link) -> Written:
    """RED's burst: automatic, as red(8) advises."""
    if value != "auto":
        return f"burst {value}"
    if "auto" in (params["min_th"], params["max_th"]):
        return None
    mean = units.size_bytes(params["mean_packet"])
    low, high = (units.length_bytes(params[key], mean, link) for key in ("min_th", "max_th"))
    return f"burst {max(1, round((2 * low + high) / (3 * mean)), -(-int(low) // int(mean)))}"


def bandwidth(_: Any, __: Params, link: Link) -> Written:
    """The rate by which RED reckons idle time."""
    return f"bandwidth {round(link.rate_bps)}bit"


LIMIT = {"limit": packets("limit")}

CODEL = {
    "target": time("target"),
    "interval": time("interval"),
    "ecn": flag("ecn", "noecn"),
    "ce_threshold": time("ce_threshold"),
}

PIE = {
    "target": time("target"),
    "t_update": time("tupdate"),
    "alpha": sixteenths("alpha"),
    "beta": sixteenths("beta"),
    "ecn": flag("ecn", "noecn"),
    "bytes": flag("bytemode", "nobytemode"),
    "dequeue_rate_estimator": flag("dq_rate_estimator", "no_dq_rate_estimator"),
}

FLOWS = {"flows": number("flows"), "quantum": size("quantum")}

RED = {
    "limit": average_bytes("limit"),
    "min_th": average_bytes("min"),
    "max_th": average_bytes("max"),
    "mean_packet": size("avpkt"),
    "burst": burst,
    "max_p": number("probability"),
    "ecn": flag("ecn"),
    "hard_drop": lambda value, params, _: (
        "harddrop" if str(value).lower() == str(params["ecn"]).lower() == "true" else None
    ),
}

RED_NOTES = (
    "Linux's RED counts bytes, is not gentle, and derives its weight from min, avpkt and burst",
)

CAKE_TINS = {
    "besteffort": "besteffort",
    "precedence": "precedence",
    "diffserv3": "diffserv3",
    "diffserv4": "diffserv4",
    "diffserv8": "diffserv8",
}

QDISCS: Mapping[str, Qdisc] = {
    "droptail": Qdisc("pfifo", LIMIT),
    "headdrop": Qdisc("pfifo_head_drop", LIMIT),
    "pfifo": Qdisc("pfifo", LIMIT),
    "pfifo_fast": Qdisc(
        "pfifo_fast",
        notes=("its limit is the interface's: ip link set dev DEV txqueuelen PACKETS",),
    ),
    "red": Qdisc("red", {**RED, "w_q": bandwidth}, notes=RED_NOTES),
    "ared": Qdisc("red", {**RED, "w_q": bandwidth}, always=("adaptive",), notes=RED_NOTES),
    "choke": Qdisc(
        "choke",
        {
            "limit": packets("limit"),
            "min_th": average_packets("min"),
            "max_th": average_packets("max"),
            "burst": burst,
            "max_p": number("probability"),
            "ecn": flag("ecn"),
            "w_q": bandwidth,
        },
    ),
    "sfq": Qdisc(
        "sfq",
        {
            "limit": packets("limit"),
            "perturb": whole_seconds("perturb"),
            "quantum": size("quantum"),
            "buckets": number("divisor"),
            "flows": number("flows"),
            "depth": number("depth"),
        },
    ),
    "codel": Qdisc("codel", {**LIMIT, **CODEL}),
    "fq_codel": Qdisc("fq_codel", {**LIMIT, **FLOWS, **CODEL, "drop_batch": number("drop_batch")}),
    "pie": Qdisc("pie", {**LIMIT, **PIE}),
    "fq_pie": Qdisc("fq_pie", {**LIMIT, **FLOWS, **PIE, "mark_threshold": percent("ecn_prob")}),
    "sfb": Qdisc(
        "sfb",
        {
            **LIMIT,
            "max": number("max"),
            "bin_size": number("target"),
            "increment": number("increment"),
            "decrement": number("decrement"),
            "rehash": milliseconds("rehash"),
            "warmup": milliseconds("db"),
            "penalty_rate": number("penalty_rate"),
            "penalty_burst": number("penalty_burst"),
        },
    ),
    "tbf": Qdisc(
        "tbf",
        {
            "rate": rate("rate"),
            "burst": size("burst"),
            "limit": lambda value, _, link: (
                f"limit {round(units.length_bytes(value, link.mtu_bytes, link))}"
                if value != "none"
                else f"limit {UNBOUNDED * 1500}"
            ),
            "peak_rate": rate("peakrate"),
            "mtu": lambda value, params, _: (
                None if "none" in (params["peak_rate"],) or value == "auto" else f"mtu {value}"
            ),
        },
        notes=("tbf's limit is in bytes: packets are reckoned at the largest size",),
    ),
    "prio": Qdisc("prio", {"bands": number("bands"), "priomap": number("priomap")}),
    "cake": Qdisc(
        "cake",
        {
            "bandwidth": rate("bandwidth"),
            "diffserv": choice(CAKE_TINS),
            "isolation": word(),
            "rtt": lambda value, _, __: (
                value if str(value).isalpha() else f"rtt {units.time_text(units.seconds(value))}"
            ),
            "limit": lambda value, _, link: (
                None
                if value in ("auto", "none")
                else f"memlimit {round(units.length_bytes(value, link.mtu_bytes, link))}"
            ),
            "framing": word(),
            "overhead": lambda value, _, __: (
                None if value == "auto" else f"overhead {round(units.size_bytes(value))}"
            ),
            "mpu": size("mpu"),
            "cells": choice({"auto": None, "noatm": "noatm", "atm": "atm", "ptm": "ptm"}),
            "ingress": flag("ingress", "egress"),
            "ack_filter": choice(
                {"no": "no-ack-filter", "yes": "ack-filter", "aggressive": "ack-filter-aggressive"}
            ),
        },
    ),
    "cobalt": Qdisc(
        "cake",
        {"interval": time("rtt")},
        always=("besteffort", "flowblind"),
        notes=("Linux has COBALT only inside cake: one tin and one queue come nearest",),
    ),
    "fq_cobalt": Qdisc(
        "cake",
        {"interval": time("rtt")},
        always=("besteffort", "flows"),
        notes=(
            "Linux has COBALT only inside cake: one tin with a queue for each flow comes nearest",
        ),
    ),
    "dualpi2": Qdisc(
        "dualpi2",
        {
            **LIMIT,
            "target": time("target"),
            "t_update": time("tupdate"),
            "alpha": number("alpha"),
            "beta": number("beta"),
            "k": number("coupling_factor"),
            "step_th": time("step_thresh"),
        },
        notes=(
            "dualpi2 needs Linux 6.17 and iproute2 of the same age; its options are unverified",
        ),
    ),
}
"""By the discipline's name in scenario files."""

WITHOUT = {
    "fq": "Linux's fq paces; it has no weights. fq_codel shares fairly",
    "drr": "Linux's drr needs a class and a filter for each flow. fq_codel has its round robin",
}
"""Why a discipline has no qdisc, where there is more to say than that."""
