"""The scenarios of the study for given settings: `scenario.toml` with the knobs turned."""

from __future__ import annotations

import copy
import tomllib
from collections.abc import Iterable
from fractions import Fraction
from importlib import resources
from typing import Any

from sojourn.studies import quantities
from sojourn.studies.ece6110.queues import RED, Queue, all_queues, droptail
from sojourn.studies.knobs import Knob, Settings, choice, duration, whole
from sojourn.studies.parts import Axis, Part

STUDY = "ece6110"
PACKAGE = "sojourn.studies.ece6110"

LOADS = (50, 70, 90, 100)
"""Loads in per cent of the smaller bottleneck."""

PEER_LOADS = (50, 90)
"""Loads for which ns-3's numbers are at hand."""

SOURCES = 3
"""Sources that share the load."""

SLOWER = quantities.bits_per_second("1 Mbit/s")
"""Rate of the smaller bottleneck, in bit/s."""

BIG = 64000
"""The drop-tail queue that RED is held against, in bytes: the one that the report speaks of."""

ON = Fraction(1, 2)
"""Share of time for which a source is on."""

DURATIONS = ("10 s", "40 s", "160 s")
"""Durations over which the scatter of one run is measured."""

FIRST_RATES = ("1 Mbit/s", "2 Mbit/s", "5 Mbit/s", "10 Mbit/s")
"""Rates that the first bottleneck may have had."""

QUEUE_KEY = "link.bottleneck-*.queue"
RATE_KEY = "flow.*.traffic.rate"

TCP = ("tcp-1", "tcp-2")

KNOBS = (
    Knob(
        "tcp",
        "tahoe",
        "TCP of the senders: tahoe as ns-3 had it then, or newreno as it is now",
        choice("tahoe", "newreno"),
    ),
    Knob(
        "periods",
        "exponential",
        "lengths of on and off periods: exponential or constant",
        choice("exponential", "constant"),
    ),
    Knob("period", "0.5 s", "mean length of an on and of an off period", duration),
    Knob(
        "first_rate",
        "10 Mbit/s",
        "rate of the first bottleneck",
        choice(*FIRST_RATES),
    ),
    Knob("duration", "10 s", "simulated time of one run", duration),
    Knob("replicas", "40", "replicas of each point", whole(2, 100_000)),
)
"""What the report leaves open."""

QUICK = {"replicas": "6"}
"""The quick form: fewer replicas."""


def base() -> dict[str, Any]:
    """`scenario.toml` as a table."""
    text = resources.files(PACKAGE).joinpath("scenario.toml")
    return tomllib.loads(text.read_text(encoding="utf-8"))


def load_name(load: int) -> str:
    """The name of a load in print."""
    return f"{load} %"


def on_rate(load: int) -> str:
    """The rate of one source while on, as a scenario file writes it."""
    return quantities.rate_text(SLOWER * load / 100 / SOURCES / ON)


def offered_kbps(load: int) -> float:
    """What one source writes on average, in kbit/s."""
    return float(SLOWER * load / 100 / SOURCES / 1000)


def transport(tcp: str) -> dict[str, Any]:
    """The transport of a TCP source."""
    flow = next(one for one in base()["flow"] if one["name"] == TCP[0])
    table: dict[str, Any] = flow["transport"]
    if tcp == "tahoe":
        return table
    kept = ("protocol", "preset", "segment", "window", "handshake")
    return {name: table[name] for name in kept} | {"congestion_control": tcp}


def document(settings: Settings, *, tcp: str | None = None, always: bool = False) -> dict[str, Any]:
    """The scenario without what varies."""
    whole_file = base()
    whole_file["duration"] = settings["duration"]
    whole_file["replicas"] = settings["replicas"]
    law = settings["periods"]
    for link in whole_file["link"]:
        if link["name"] == "bottleneck-1":
            link["rate"] = settings["first_rate"]
    for flow in whole_file["flow"]:
        flow["traffic"]["on"] = f"{law}({settings['period']})"
        flow["traffic"]["off"] = "0 s" if always else f"{law}({settings['period']})"
        if flow["name"] in TCP:
            flow["transport"] = copy.deepcopy(transport(tcp or settings["tcp"]))
    return whole_file


def loads_axis(loads: Iterable[int] = LOADS) -> Axis:
    """Loads, by name."""
    return Axis("case", RATE_KEY, {load_name(load): on_rate(load) for load in loads})


def queue_axis(queues: Iterable[Queue]) -> Axis:
    """Queues, by name."""
    return Axis("subject", QUEUE_KEY, {one.name: dict(one.table) for one in queues})


def parts(settings: Settings) -> dict[str, Part]:
    """All scenarios of the study, the report's own first."""
    usual = document(settings)
    two = queue_axis([droptail(BIG), RED])
    found = (
        Part(STUDY, usual, (loads_axis(), queue_axis(all_queues()))),
        Part(
            "receiver-window",
            usual,
            (
                loads_axis(),
                queue_axis([droptail(BIG), droptail(2 * BIG)]),
                Axis(
                    "window", "flow.tcp-*.transport.window", {"64000 B": "64000 B", "none": "none"}
                ),
            ),
        ),
        Part(
            "duration",
            usual,
            (Axis("duration", "duration", {one: one for one in DURATIONS}), loads_axis([90]), two),
        ),
        Part(
            "first-bottleneck",
            usual,
            (
                Axis("rate", "link.bottleneck-1.rate", {one: one for one in FIRST_RATES}),
                loads_axis([90]),
                two,
            ),
        ),
        Part("always-on", document(settings, always=True), (loads_axis(), two)),
        Part(
            "against-ns3",
            document(settings, tcp="newreno"),
            (loads_axis(PEER_LOADS), queue_axis(all_queues())),
        ),
    )
    return {one.name: one for one in found}


def scenarios(settings: Settings) -> dict[str, str]:
    """The scenario files, by part."""
    return {name: part.text() for name, part in parts(settings).items()}
