"""The scenarios of the study for given settings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from sojourn.studies import quantities
from sojourn.studies.knobs import (
    Knob,
    Settings,
    choice,
    demand_start,
    duration,
    duration_or_zero,
    rate,
    whole,
)
from sojourn.studies.large_network import network
from sojourn.studies.large_network.disciplines import ADAPTIVE, DISCIPLINES, SWEPT, tables
from sojourn.studies.parts import Axis, Part

STUDY = "large-network"
PACKAGE = "sojourn.studies.large_network"

SENDERS = (8, 3, 2)
"""How many clients may send in the first network: all, or as the text has it in two places."""

UDP_SENDERS = 3

LIMITS = (20, 40, 60, 80, 100, 120, 140)
"""Queue limits over which RED and ARED are compared, in packets."""

SWEEP_SENDERS = (8, 2)

ACCESS_RATES = ("1.5 Mbit/s", "3 Mbit/s")
"""Rates of the clients' own links, for the phase effect."""

PHASE_LIMIT = "40 packets"

SERIES = "50 ms"
"""Interval of the queue over time."""

TIMED_REPLICAS = 10
"""Replicas of the runs with time series, at most."""


KNOBS = (
    Knob("tcp", "newreno", "TCP of the clients: newreno or cubic", choice("newreno", "cubic")),
    Knob("rate", "1.5 Mbit/s", "rate of a source while on", rate),
    Knob("on", "1 s", "length of an on period", duration),
    Knob("off", "1 s", "length of an off period", duration_or_zero),
    Knob(
        "where",
        "all",
        "where the discipline stands: all links, or those of routers and switch (core)",
        choice("all", "core"),
    ),
    Knob("device_queue", "1", "packets that wait below the discipline", whole(1, 1000)),
    Knob(
        "ared",
        "automatic",
        "ARED with automatic thresholds, or with those printed for RED (thresholds)",
        choice("automatic", "thresholds"),
    ),
    Knob("start", "0.1 s", "sources start uniformly in this time", duration_or_zero),
    Knob("duration", "20 s", "simulated time of one run", duration),
    Knob("replicas", "20", "replicas of each point", whole(2, 100_000)),
)
"""What the paper leaves open."""

QUICK = {"replicas": "4"}
"""The quick form: fewer replicas."""

Flows = list[dict[str, Any]]


def senders_name(count: int) -> str:
    """The name of the first network with so many senders."""
    return f"{count} senders"


def limit_name(limit: int, count: int) -> str:
    """The name of a queue limit with so many senders."""
    return f"{senders_name(count)}, {limit} packets"


def transport(settings: Settings, protocol: str) -> dict[str, Any]:
    """The transport of a client."""
    if protocol == "udp":
        return {"protocol": "udp", "preset": "ns3", "payload": network.SEGMENT}
    return {
        "protocol": "tcp",
        "preset": "ns3",
        "congestion_control": settings["tcp"],
        "segment": network.SEGMENT,
        "prr": "ns-3.37",
        "handshake": True,
    }


def common(settings: Settings, protocol: str = "tcp") -> dict[str, Any]:
    """What all flows share."""
    start = settings["start"]
    spread = quantities.seconds(start) > 0
    return {
        "transport": transport(settings, protocol),
        "traffic": {
            "source": "onoff",
            "preset": "ns3",
            "rate": settings["rate"],
            "on": settings["on"],
            "off": settings["off"],
        },
        "start": f"uniform(0 s, {start})" if spread else "0 s",
    }


def head(settings: Settings, title: str) -> dict[str, Any]:
    """The head of a scenario."""
    return {
        "name": STUDY,
        "title": title,
        "duration": settings["duration"],
        "seed": 1,
        "replicas": settings["replicas"],
    }


def to_one(settings: Settings, protocol: str = "tcp", count: int = SENDERS[0]) -> dict[str, Any]:
    """The first network, without what varies."""
    flow = {"name": "client", "count": count, "from": "c*", "to": "n4"}
    return {
        **head(settings, "Many clients to one server"),
        "link": network.many_to_one(device_queue(settings)),
        "flow": [flow | common(settings, protocol)],
    }


def to_many(settings: Settings, pairs: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """The second network with these pairs, without what varies."""
    flows: Flows = [
        {"name": f"{client}-{server}", "from": client, "to": server} | common(settings)
        for client, server in pairs
    ]
    return {
        **head(settings, "Many clients to many servers"),
        "link": network.many_to_many(pairs, device_queue(settings)),
        "flow": flows,
    }


def all_to_all(settings: Settings) -> dict[str, Any]:
    """The second network with every client sending to every server."""
    return {
        **head(settings, "All clients to all servers"),
        "link": network.everybody(device_queue(settings)),
        "flow": network.everybody_to_all(common(settings)),
    }


def device_queue(settings: Settings) -> str:
    """The room below the discipline, as a scenario file has it."""
    return f"{settings['device_queue']} packets"


def queue_axis(settings: Settings, names: tuple[str, ...]) -> Axis:
    """Disciplines, on the links that the settings say."""
    key = "link.*.queue" if settings["where"] == "all" else "link.core-*.queue"
    return Axis("subject", key, tables(names, settings["ared"]))


def senders_axis(counts: Iterable[int]) -> Axis:
    """How many clients send."""
    steps = {senders_name(count): count for count in counts}
    return Axis("case", "flow.client.count", steps)


def limits_axis(settings: Settings) -> Axis:
    """Queue limits of the links that have the discipline."""
    steps = {f"{limit} packets": f"{limit} packets" for limit in LIMITS}
    return Axis("limit", limit_key(settings), steps)


def limit_key(settings: Settings) -> str:
    """The key of these limits."""
    return "link.*.queue.limit" if settings["where"] == "all" else "link.core-*.queue.limit"


def parts(settings: Settings) -> dict[str, Part]:
    """All scenarios of the study. Raises StudyError for a start after the end."""
    demand_start(STUDY, settings)
    five = queue_axis(settings, DISCIPLINES)
    pairs = [pair for case in network.CASES.values() for pair in case]
    timed = to_one(settings) | {
        "series": SERIES,
        "replicas": min(TIMED_REPLICAS, settings["replicas"]),
    }
    found = [
        Part("many-to-one", to_one(settings), (senders_axis(SENDERS), five)),
        Part("many-to-one-udp", to_one(settings, "udp", UDP_SENDERS), (five,)),
        Part("many-to-many", to_many(settings, pairs), (five,)),
        *(
            Part(name.replace(" ", "-"), to_many(settings, case), (five,))
            for name, case in network.CASES.items()
        ),
        Part("all-to-all", all_to_all(settings), (five,)),
        Part(
            "queue-limits",
            to_one(settings),
            (senders_axis(SWEEP_SENDERS), queue_axis(settings, SWEPT), limits_axis(settings)),
        ),
        Part(
            "phase-effect",
            to_one(settings),
            (
                Axis("access", "link.access.rate", {one: one for one in ACCESS_RATES}),
                queue_axis(settings, ("droptail", "red")),
                Axis("limit", limit_key(settings), {PHASE_LIMIT: PHASE_LIMIT}),
            ),
        ),
        Part("over-time", timed, (queue_axis(settings, ADAPTIVE),)),
    ]
    return {one.name: one for one in found}


def scenarios(settings: Settings) -> dict[str, str]:
    """The scenario files, by part."""
    return {name: part.text() for name, part in parts(settings).items()}
