"""Disciplines with options of chance on Linux, for ``draw.py``.

The disciplines come in turn, all else is drawn.
"""

from __future__ import annotations

import json
import math
import random

from draw import log_uniform

FRAME_BITS = 1514 * 8
FRAME_HEADER = 14
"""Bytes of Ethernet: CAKE leaves them out of what it counts where it is given an overhead."""

Option = tuple[object, str]
"""A value as a scenario has it, and tc's words for it."""


def lengths(word: str, *values: int) -> list[Option]:
    """Lengths in packets."""
    return [(f"{value} packets", f"{word} {value}") for value in values]


def times(word: str, *values: str) -> list[Option]:
    """Times with their unit."""
    return [
        (value.replace("ms", " ms").replace("us", " us"), f"{word} {value}") for value in values
    ]


def sizes(word: str, *values: int) -> list[Option]:
    """Sizes in bytes."""
    return [(f"{value} B", f"{word} {value}") for value in values]


def numbers(word: str, *values: float) -> list[Option]:
    """Numbers."""
    return [(value, f"{word} {value}") for value in values]


def gains(word: str, *values: int) -> list[Option]:
    """Gains, of which tc counts sixteenths."""
    return [(value / 16, f"{word} {value}") for value in values]


def words(*values: str) -> list[Option]:
    """Words that are the same on both sides."""
    return [(value, value) for value in values]


CODEL: dict[str, list[Option]] = {
    "limit": lengths("limit", 20, 60, 300),
    "target": times("target", "500us", "2ms", "20ms"),
    "interval": times("interval", "10ms", "30ms", "300ms"),
    "ecn": [(True, "ecn"), (False, "noecn")],
    "ce_threshold": times("ce_threshold", "1ms", "4ms", "15ms"),
}
PIE: dict[str, list[Option]] = {
    "limit": lengths("limit", 40, 100, 500),
    "target": times("target", "4ms", "30ms", "60ms"),
    "t_update": times("tupdate", "5ms", "30ms", "100ms"),
    "alpha": gains("alpha", 1, 4, 16),
    "beta": gains("beta", 8, 32),
    "ecn": [(True, "ecn"), (False, "noecn")],
    "bytes": [(True, "bytemode")],
    "dequeue_rate_estimator": [(True, "dq_rate_estimator")],
}
OPTIONS: dict[str, dict[str, list[Option]]] = {
    "codel": CODEL,
    "fq_codel": {
        **CODEL,
        "quantum": sizes("quantum", 100, 300, 6000),
        "flows": numbers("flows", 64, 65536),
        "drop_batch": numbers("drop_batch", 1, 8),
    },
    "pie": PIE,
    "fq_pie": {
        **PIE,
        "quantum": sizes("quantum", 100, 300, 6000),
        "flows": numbers("flows", 64, 8192, 65536),
        "mark_threshold": [(0.01, "ecn_prob 1"), (0.5, "ecn_prob 50")],
    },
    "sfq": {
        "limit": lengths("limit", 10, 50, 400),
        "depth": numbers("depth", 5, 20),
        "buckets": numbers("divisor", 64, 65536),
        "quantum": sizes("quantum", 100, 300, 6000),
        "perturb": [("2 s", "perturb 2")],
    },
    "sfb": {
        "limit": lengths("limit", 60, 1000),
        "increment": numbers("increment", 0.002, 0.02),
        "decrement": numbers("decrement", 0.0002, 0.002),
        "penalty_rate": numbers("penalty_rate", 50, 1000),
        "penalty_burst": numbers("penalty_burst", 5, 100),
    },
    "headdrop": {"limit": lengths("limit", 5, 20, 60)},
    "cake": {
        "diffserv": words("besteffort", "precedence", "diffserv4", "diffserv8"),
        "isolation": words("flowblind", "hosts", "flows", "dual-srchost"),
        "rtt": [*words("metro", "oceanic"), ("20 ms", "rtt 20ms")],
        "cells": words("atm", "ptm"),
        "mpu": sizes("mpu", 84, 200),
        "ingress": [(True, "ingress")],
    },
    "red": {
        "ecn": [(True, "ecn")],
        "hard_drop": [(True, "harddrop")],
        "max_p": numbers("probability", 0.05, 0.5),
    },
    "choke": {
        "ecn": [(True, "ecn")],
        "max_p": numbers("probability", 0.05, 0.5),
    },
}
QDISCS = {"headdrop": "pfifo_head_drop"}

FILE = """\
# Disciplines with options of chance, as Linux 6.1 ran them: written by draw.py.
name = "linux-any-options"
title = "Disciplines with options of chance, as in Linux"
duration = "30 s"
warmup = "5 s"
seed = 1
replicas = 20

[[link]]
name = "bottleneck"
from = "sender"
to = "receiver"
rate = "10 Mbit/s"
delay = "10 ms"
queue = {{ discipline = "pfifo", preset = "linux" }}

# Acknowledgements come back at a rate that never holds them up.
[[link]]
name = "back"
from = "receiver"
to = "sender"
rate = "1 Gbit/s"
delay = "10 ms"
queue = {{ discipline = "droptail", limit = "none" }}

[[flow]]
name = "tcp"
count = 4
from = "sender"
to = "receiver"
start = "uniform(0 s, 0.4 s)"
transport = {{ protocol = "tcp", preset = "linux", congestion_control = "cubic", ecn = false, handshake = true, header = "66 B" }}
traffic = {{ source = "bulk" }}

[[flow]]
name = "ping"
from = "sender"
to = "receiver"
transport = {{ protocol = "udp", preset = "linux", payload = "64 B", header = "42 B" }}
traffic = {{ source = "cbr", rate = "42.4 kbit/s" }}

[[flow]]
name = "load"
from = "sender"
to = "receiver"
transport = {{ protocol = "udp", preset = "linux", payload = "1472 B", header = "42 B" }}
traffic = {{ source = "cbr", rate = "3 Mbit/s" }}

[design]
kind = "listed"

[vary]
"link.bottleneck.rate" = [{rate}]
"link.*.delay" = [{delay}]
"flow.load.traffic.rate" = [{load}]
"flow.tcp.count" = [{count}]
"flow.tcp.transport.congestion_control" = [{congestion_control}]
"flow.tcp.transport.ecn" = [{ecn}]
"link.bottleneck.queue" = [
    {queue},
]
"""


CASE = {
    "bottleneck.rate": "rate",
    "delay": "delay",
    "load.traffic.rate": "load",
    "congestion_control": "congestion_control",
    "count": "count",
}
APART = ("queue",)


def networks(draws: random.Random, count: int) -> list[dict[str, str]]:
    """Draw so many networks."""
    names = list(OPTIONS)
    return [network(draws, names[number % len(names)]) for number in range(count)]


def network(draws: random.Random, name: str) -> dict[str, str]:
    """Return what the file says of one network, each as TOML, and the guest's command."""
    rate, rtt = round(log_uniform(draws, 2, 20), 2), round(log_uniform(draws, 10, 100))
    rtt = max(rtt, math.ceil(2 * FRAME_BITS / rate / 1000))
    control, flows = draws.choice(["cubic", "reno"]), draws.choice([1, 2, 4])
    load, ecn = round(rate * draws.choice([0.1, 0.5, 1.2]), 2), draws.choice([0, 1])
    drawn = {key: draws.choice(options) for key, options in OPTIONS[name].items()}
    always = draws.choice(list(drawn))
    kept = {key: drawn[key] for key in drawn if draws.random() < 0.5 or key == always}
    if name in ("red", "choke"):
        kept |= thresholds(draws, name, rate)
    queue: dict[str, object] = {key: value for key, (value, _) in kept.items()}
    said = " ".join(words for _, words in kept.values())
    if name == "cake":
        queue["bandwidth"] = f"{rate:g} Mbit/s"
        if draws.random() < 0.5:
            overhead = draws.choice([0, 18, 60])
            queue["overhead"] = f"{overhead - FRAME_HEADER} B"
            said += f" overhead {overhead}"
    table = {"discipline": name, **queue, "preset": "linux"}
    ours = ", ".join(f"{key} = {json.dumps(value)}" for key, value in table.items())
    run = f"--queue={QDISCS.get(name, name)} --options='{said.strip()}' --rate={rate} --wire=1"
    return {
        "subject": name,
        "peer": "Linux",
        "version": "6.1.192",
        "rate": f'"{rate:g} Mbit/s"',
        "delay": f'"{rtt / 2:g} ms"',
        "load": f'"{load:g} Mbit/s"',
        "count": f"{flows}",
        "congestion_control": f'"{control}"',
        "ecn": json.dumps(bool(ecn)),
        "queue": f"{{ {ours} }}",
        "run": f"../linux-guest/run.sh {run} --control={control} --flows={flows} --rtt={rtt} "
        f"--load={load:g} --ecn={ecn} --seed=N",
    }


def thresholds(draws: random.Random, name: str, rate: float) -> dict[str, Option]:
    """RED's thresholds, and a burst that some weight lets pass before the first of them."""
    low = draws.choice([3, 8, 20])
    high = low * draws.choice([2, 3, 5])
    burst = (2 * low + high) // 3 + draws.choice([1, 5])
    each, unit = (1514, "B") if name == "red" else (1, "packets")
    return {
        "limit": (f"{4 * high * each} {unit}", f"limit {4 * high * each}"),
        "min_th": (f"{low * each} {unit}", f"min {low * each}"),
        "max_th": (f"{high * each} {unit}", f"max {high * each}"),
        "mean_packet": ("1514 B", "avpkt 1514"),
        "burst": (burst, f"burst {burst} bandwidth {rate}mbit"),
    }
