"""Which qdisc stands for which discipline, and how each parameter is written.

A line for each parameter that tc has an option for. What has no line is named in a comment where it
differs from what Linux does. Options as of iproute2 6.1, read from their help texts; those of
dualpi2, which came with iproute2 6.17, are unverified.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sojourn import registries
from sojourn.tc import red, units
from sojourn.tc.units import Link

Params = Mapping[str, Any]
"""All parameters of a discipline, and its ``preset``."""


@dataclass(frozen=True)
class Written:
    """The words of an option; a note where they do not say the value to the letter."""

    words: str
    note: str = ""


Write = Callable[[Any, Params, Link], Written | None]
"""Writes a parameter: its value, all parameters, the link. None where there is nothing to write, so
that tc's own default stands."""

UNBOUNDED = 1_000_000
"""Packets of a queue without a limit: tc wants a number."""

MOST = (1 << 32) - 1
"""What has room in the 32 bits of most options."""

MOST_BPS = 10**13
"""The fastest link that a scenario has; tc has rates of 64 bits."""

MOST_PROBABILITY = 0.9999999
"""The largest of RED's probabilities that is written: tc makes zero of 1, and the kernel then takes
something from a half to 1 instead."""

CLOSE = 1e-6
"""Relative difference from which a value counts as another."""


@dataclass(frozen=True)
class Qdisc:
    """A qdisc, the options that parameters become, and what to know about it.

    ``always`` are words that it needs besides, ``of_link`` those that depend on the link; ``notes``
    are said wherever it is used.
    """

    name: str
    options: Mapping[str, Write] = field(default_factory=dict)
    always: tuple[str, ...] = ()
    of_link: Callable[[Link], Written] | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Counts:
    """What an option counts in, and how far; zero is allowed everywhere."""

    unit: str
    least: int = 1
    most: int = MOST

    def nearest(self, exact: float) -> int:
        """The number nearest to what is meant: not zero, unless that is."""
        if exact == math.inf:
            return min(UNBOUNDED, self.most)
        return min(max(round(exact), self.least), self.most) if exact > 0 else 0

    def note(self, words: str) -> str:
        """What to say where ``words`` are not what is meant."""
        ends = "" if self.least == 1 else f" from {self.least}"
        ends += f" up to {self.most}"
        return f"tc counts in {self.unit}{ends}; {words} comes nearest"


def counted(
    option: str,
    of: Callable[[Any], float],
    counts: Counts,
    *,
    without: float | None = None,
    shown: Callable[[int], str] = str,
) -> Write:
    """A number of what tc counts in. ``without`` is what ``auto`` and ``none`` stand for."""

    def write(value: Any, _: Params, __: Link) -> Written | None:
        exact = without if value in ("auto", "none") else of(value)
        return None if exact is None else in_numbers(option, exact, counts, shown)

    return write


def in_numbers(
    option: str, exact: float, counts: Counts, shown: Callable[[int], str] = str
) -> Written:
    """The words of a number, with a note where the nearest that is allowed is another."""
    number = counts.nearest(exact)
    words = f"{option} {shown(number)}"
    is_meant = math.isclose(number, exact, rel_tol=CLOSE) or (
        exact == math.inf and number == UNBOUNDED
    )
    return Written(words, "" if is_meant else counts.note(words))


def packets(option: str, least: int = 1, most: int = MOST) -> Write:
    """A length in packets."""
    counts = Counts("packets", least, most)

    def write(value: Any, _: Params, link: Link) -> Written | None:
        if value == "auto":
            return None
        if value == "none":
            return in_numbers(option, math.inf, counts)
        return in_numbers(option, units.length_packets(value, link.mtu_bytes, link), counts)

    return write


def bytes_of(option: str, value: Any, packet_bytes: float, link: Link) -> Written:
    """A limit in bytes, packets being of ``packet_bytes``. Zero would mean none was given."""
    if value == "none":
        return Written(f"{option} {UNBOUNDED * 1500}")
    exact = max(units.length_bytes(value, packet_bytes, link), 1e-9)
    return in_numbers(option, exact, Counts("bytes"))


def red_limit(value: Any, params: Params, link: Link) -> Written:
    """RED's limit in bytes."""
    return bytes_of("limit", value, units.size_bytes(params["mean_packet"]), link)


def choke_limit(value: Any, params: Params, link: Link) -> Written | None:
    """CHOKe's limit: two packets at least, since ``max`` is above ``min`` and within the limit."""
    return packets("limit", least=2, most=CHOKE_PACKETS)(value, params, link)


def red_of(params: Params, link: Link) -> red.Red:
    """RED's numbers, as far as tc takes them."""
    limit = red_limit(params["limit"], params, link)
    return red.in_bytes(params, link, int(limit.words.split()[1]))


def choke_of(params: Params, link: Link) -> red.Red:
    """CHOKe's numbers, as far as tc takes them."""
    limit = choke_limit(params["limit"], params, link)
    return red.in_packets(params, link, int(limit.words.split()[1]) if limit else CHOKE_PACKETS)


def threshold(option: str, which: int, of: Callable[[Params, Link], red.Red]) -> Write:
    """The first or the second of RED's thresholds."""

    def write(value: Any, params: Params, link: Link) -> Written | None:
        fitted = of(params, link)
        if fitted.derived and value == "auto":
            return None
        words = f"{option} {(fitted.low, fitted.high)[which]}"
        both = red.thresholds(params, link)
        if both is None:
            return Written(words)
        mean = units.size_bytes(params["mean_packet"])
        exact = both[which] if of is red_of else max(1, math.ceil(both[which] / mean))
        is_meant = abs((fitted.low, fitted.high)[which] - exact) < 1
        return Written(words, "" if is_meant else RED_BOUNDS[of].format(words=words))

    return write


RED_BOUNDS: Mapping[Callable[[Params, Link], red.Red], str] = {
    red_of: f"tc counts in bytes from 2 up to {red.MOST_BYTES}; {{words}} comes nearest",
    choke_of: "tc wants min below max, and max within the limit; {words} comes nearest",
}
"""What to say where a threshold is not what is meant."""


def red_packet(value: Any, params: Params, link: Link) -> Written:
    """RED's mean packet."""
    fitted = red_of(params, link)
    words = f"avpkt {fitted.mean}"
    shorter = fitted.mean < round(units.size_bytes(value))
    note = f"tc wants min above one avpkt; {words} leaves the thresholds as they are"
    return Written(words, note if shorter else "")


def burst(of: Callable[[Params, Link], red.Red]) -> Write:
    """RED's burst: automatic, as red(8) advises."""

    def write(value: Any, params: Params, link: Link) -> Written | None:
        fitted = of(params, link)
        if value == "auto" and fitted.derived:
            return None
        words = f"burst {fitted.burst}"
        is_meant = value == "auto" or float(value) == fitted.burst
        return Written(words, "" if is_meant else f"tc finds no weight for it; {words} has one")

    return write


def probability(of: Callable[[Params, Link], red.Red]) -> Write:
    """RED's largest probability: over the width of the thresholds not below what has room."""

    def write(value: Any, params: Params, link: Link) -> Written | None:
        if value in ("auto", "none"):
            return None
        if float(value) > MOST_PROBABILITY:
            words = f"probability {MOST_PROBABILITY}"
            return Written(words, f"tc's 32 bits have no room for it; {words} comes nearest")
        fitted = of(params, link)
        least = 1.01 * (fitted.high - fitted.low) / 2**31
        if float(value) >= least:
            return Written(f"probability {value}")
        words = f"probability {least:.3g}"
        return Written(words, f"tc has no less between these thresholds; {words} comes nearest")

    return write


def time(option: str) -> Write:
    """A time."""
    return counted(
        option,
        lambda value: units.seconds(value) * 1e6,
        Counts("microseconds"),
        shown=lambda number: units.time_text(number / 1e6),
    )


def whole_seconds(option: str) -> Write:
    """A time in whole seconds."""
    return counted(option, units.seconds, Counts("seconds"))


def milliseconds(option: str) -> Write:
    """A time in whole milliseconds, without a unit."""
    return counted(option, lambda value: units.seconds(value) * 1e3, Counts("milliseconds"))


def size(option: str, least: int = 1, most: int = MOST) -> Write:
    """A size in bytes."""
    return counted(option, units.size_bytes, Counts("bytes", least, most))


def whole(option: str, most: int = MOST, without: float | None = None) -> Write:
    """A whole number."""
    return counted(option, float, Counts("whole numbers", most=most), without=without)


def number(option: str) -> Write:
    """A number as it is."""
    return lambda value, _, __: None if value in ("auto", "none") else Written(f"{option} {value}")


def sixteenths(option: str) -> Write:
    """A gain, which tc counts in sixteenths."""
    return counted(option, lambda value: float(value) * 16, Counts("sixteenths", most=32))


def percent(option: str, most: int = 100) -> Write:
    """A share, which tc counts in percent."""
    return counted(option, lambda value: float(value) * 100, Counts("percent", most=most))


def of_65535(option: str) -> Write:
    """A probability, which the kernel counts in 65535ths."""
    return counted(
        option,
        lambda value: float(value) * 65535,
        Counts("65535ths", most=65535),
        shown=lambda number: f"{number / 65535:.8g}",
    )


def power_of_two(option: str, most: int) -> Write:
    """A number that must be a power of two."""
    powers = [1 << k for k in range(most.bit_length())]

    def write(value: Any, _: Params, __: Link) -> Written:
        nearest = min(powers, key=lambda power: abs(power - int(value)))
        words = f"{option} {nearest}"
        note = Counts("powers of two", most=most).note(words)
        return Written(words, "" if nearest == int(value) else note)

    return write


def bits_per_s(option: str, exact: float, most: int) -> Written:
    """A rate: tc counts in bytes, and none is no rate."""
    counts = Counts("bit/s", 8, most)
    return in_numbers(option, exact, counts, shown=lambda number: f"{number}bit")


def rate(option: str) -> Write:
    """A rate."""
    return lambda value, _, __: (
        None if value == "none" else bits_per_s(option, units.bits_per_s(value), MOST_BPS)
    )


def flag(on: str, off: str | None = None) -> Write:
    """A word for each of true and false."""

    def write(value: Any, _: Params, __: Link) -> Written | None:
        word = on if str(value).lower() == "true" else off
        return None if word is None else Written(word)

    return write


def word() -> Write:
    """A word that tc writes the same."""
    return lambda value, _, __: None if value == "auto" else Written(str(value))


def choice(words: Mapping[str, str]) -> Write:
    """A word for each choice but ``auto``."""
    return lambda value, _, __: None if value == "auto" else Written(words[str(value)])


def bandwidth(link: Link) -> Written:
    """The rate by which RED reckons idle time."""
    return bits_per_s("bandwidth", link.rate_bps, MOST * 8)


def sfq_flows(value: Any, params: Params, link: Link) -> Written | None:
    """Most buckets in use: automatic, all of them."""
    return whole("flows", SFQ_FLOWS)(params["buckets"] if value == "auto" else value, params, link)


def flow_red(value: Any, params: Params, link: Link) -> Written | None:
    """sfq's RED in each flow: ``inner = "red(...)"``, where both have Linux's preset.

    The limit only sets thresholds, in the kernel too. tc wants it no shorter than ``max``.
    """
    name, _, rest = str(value).removesuffix(")").partition("(")
    pairs = (pair.partition("=") for pair in rest.split(",") if pair)
    given = {key.strip(): text.strip() for key, _, text in pairs}
    inner = {"preset": params["preset"], **given}
    presets = {params["preset"], inner["preset"]}
    if name.strip() != "red" or presets != {"linux"}:
        return None
    for param in registries.entries("disciplines")["red"]["params"]:
        inner.setdefault(param["name"], param["presets"].get("linux", param["default"]))
    tried = {key: write(inner[key], inner, link) for key, write in RED.items()}
    options = {key: one for key, one in tried.items() if one is not None}
    fitted = red_of(inner, link)
    words = [
        f"redflowlimit {max(fitted.limit, fitted.high)}",
        f"min {fitted.low} max {fitted.high} avpkt {fitted.mean} burst {fitted.burst}",
        *(options[key].words for key in ("max_p", "ecn", "hard_drop") if key in options),
    ]
    notes = [f"{key}: {one.note}" for key, one in options.items() if one.note]
    notes += [
        f"{key}: no option of this RED" for key in given if key not in RED and key != "preset"
    ]
    return Written(" ".join(words), "; ".join(notes))


def sfb_max(value: Any, params: Params, link: Link) -> Written | None:
    """Where sfb refuses arrivals: automatic, what tc makes of its target."""
    return None if value == "auto" else whole("max", without=math.inf)(value, params, link)


def bytes_limit(value: Any, _: Params, link: Link) -> Written:
    """A limit in bytes, packets being of the largest size."""
    return bytes_of("limit", value, link.mtu_bytes, link)


def bucket(option: str, value: Any, link: Link) -> Written:
    """A bucket of tbf, which counts frames: in it there must be as many packets as in Sojourn's."""
    room = units.size_bytes(value)
    frames = math.ceil(room / link.mtu_bytes)
    return in_numbers(option, room + frames * units.ETHERNET_HEADER, Counts("bytes"))


def first_bucket(value: Any, _: Params, link: Link) -> Written:
    """tbf's bucket."""
    return bucket("burst", value, link)


def second_bucket(value: Any, params: Params, link: Link) -> Written | None:
    """tbf's second bucket, which it demands where there is a peak rate."""
    if value != "auto":
        return bucket("mtu", value, link)
    if params["peak_rate"] == "none":
        return None
    return Written(f"mtu {round(link.mtu_bytes) + units.ETHERNET_HEADER}")


def step_for_ramp(value: Any, params: Params, link: Link) -> Written | None:
    """DualPI2's step where the preset has the ramp of the RFC, which Linux has not."""
    if params["preset"] == "linux":
        return None
    begins, width = units.seconds(value), units.seconds(params["range"])
    written = f"step_thresh {units.time_text(begins + width / 2)}"
    ramp = f"the L queue marks by a ramp over range = {params['range']} from here"
    return Written(written, f"{ramp}; Linux has a step instead, {written} at its middle")


def said_with_min_th(_: Any, __: Params, ___: Link) -> Written:
    """The width of that ramp: the note of ``min_th`` tells it."""
    return Written("")


def step(value: Any, params: Params, link: Link) -> Written | None:
    """DualPI2's step under Linux's preset, which alone has it."""
    return time("step_thresh")(value, params, link) if params["preset"] == "linux" else None


def memory(value: Any, _: Params, link: Link) -> Written | None:
    """cake's limit."""
    if value in ("auto", "none"):
        return None
    return bytes_of("memlimit", value, link.mtu_bytes, link)


def cake_framing(value: Any, params: Params, _: Link) -> Written | None:
    """cake's keyword: with ``raw`` it would count the Ethernet header beside an overhead."""
    is_given = params["overhead"] != "auto"
    return None if value == "raw" and is_given else Written(str(value))


def cake_overhead(value: Any, _: Params, __: Link) -> Written | None:
    """cake's overhead, which may be below zero."""
    return None if value == "auto" else Written(f"overhead {int(str(value).removesuffix('B'))}")


def cake_rtt(value: Any, params: Params, link: Link) -> Written | None:
    """cake's round-trip time: a time, or a word for one."""
    return Written(str(value)) if str(value).isalpha() else time("rtt")(value, params, link)


CHOKE_PACKETS = 131_071
"""Most packets that choke holds."""

SFQ_DEPTH = 127
"""Most packets of a bucket of sfq."""

SFQ_FLOWS = 65_408
"""Most buckets of sfq in use at a time."""

BUCKETS = 65_536
"""Most buckets of sfq, fq_codel and fq_pie."""

QUANTUM = 1 << 20
"""Largest turn of fq_codel and fq_pie in bytes."""

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

FLOWS = {"flows": whole("flows", BUCKETS)}

RED = {
    "limit": red_limit,
    "min_th": threshold("min", 0, red_of),
    "max_th": threshold("max", 1, red_of),
    "mean_packet": red_packet,
    "burst": burst(red_of),
    "max_p": probability(red_of),
    "ecn": flag("ecn"),
    "hard_drop": flag("harddrop"),
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
    "red": Qdisc("red", {**RED, "no_drop": flag("nodrop")}, of_link=bandwidth, notes=RED_NOTES),
    "ared": Qdisc("red", {**RED, "adapts": flag("adaptive")}, of_link=bandwidth, notes=RED_NOTES),
    "choke": Qdisc(
        "choke",
        {
            "limit": choke_limit,
            "min_th": threshold("min", 0, choke_of),
            "max_th": threshold("max", 1, choke_of),
            "burst": burst(choke_of),
            "max_p": probability(choke_of),
            "ecn": flag("ecn"),
        },
        of_link=bandwidth,
    ),
    "sfq": Qdisc(
        "sfq",
        {
            "limit": packets("limit", least=2),
            "perturb": whole_seconds("perturb"),
            "quantum": size("quantum"),
            "buckets": power_of_two("divisor", BUCKETS),
            "flows": sfq_flows,
            "depth": whole("depth", SFQ_DEPTH, without=math.inf),
            "head_drop": flag("headdrop"),
            "inner": flow_red,
        },
    ),
    "codel": Qdisc("codel", {**LIMIT, **CODEL}),
    "fq_codel": Qdisc(
        "fq_codel",
        {
            **LIMIT,
            **FLOWS,
            "quantum": size("quantum", least=256, most=QUANTUM),
            "memory_limit": size("memory_limit", most=1 << 31),
            **CODEL,
            "ce_threshold_selector": number("ce_threshold_selector"),
            "drop_batch": number("drop_batch"),
        },
    ),
    "pie": Qdisc("pie", {**LIMIT, **PIE}),
    "fq_pie": Qdisc(
        "fq_pie",
        {
            **LIMIT,
            **FLOWS,
            "quantum": size("quantum", most=QUANTUM),
            **PIE,
            "mark_threshold": percent("ecn_prob", most=99),
        },
    ),
    "sfb": Qdisc(
        "sfb",
        {
            **LIMIT,
            "max": sfb_max,
            "bin_size": number("target"),
            "increment": of_65535("increment"),
            "decrement": of_65535("decrement"),
            "rehash": milliseconds("rehash"),
            "warmup": milliseconds("db"),
            "penalty_rate": whole("penalty_rate"),
            "penalty_burst": whole("penalty_burst"),
        },
    ),
    "tbf": Qdisc(
        "tbf",
        {
            "rate": rate("rate"),
            "burst": first_bucket,
            "limit": bytes_limit,
            "peak_rate": rate("peakrate"),
            "mtu": second_bucket,
        },
        notes=(
            "tbf's limit is in bytes: packets are reckoned at the largest size",
            f"Linux counts {units.ETHERNET_HEADER} B of Ethernet for each packet: burst and mtu "
            "have room for them, the rate has not",
        ),
    ),
    "prio": Qdisc("prio", {"bands": number("bands"), "priomap": number("priomap")}),
    "cake": Qdisc(
        "cake",
        {
            "bandwidth": rate("bandwidth"),
            "diffserv": choice(CAKE_TINS),
            "isolation": word(),
            "rtt": cake_rtt,
            "limit": memory,
            "framing": cake_framing,
            "overhead": cake_overhead,
            "mpu": size("mpu", most=256),
            "cells": choice({"noatm": "noatm", "atm": "atm", "ptm": "ptm"}),
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
            "k": whole("coupling_factor", 255),
            "min_th": step_for_ramp,
            "range": said_with_min_th,
            "step_th": step,
            "classic_weight": percent("classic_protection"),
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
