"""The scenarios of the study: `scenario.toml` with the knobs turned, in five parts.

`red-fairness` holds cases 1 and 2 (throughput against the number of connections), `fairness` cases
3 and 4 (Jain's index against D). Both run every transport of `transports` and both set-ups of RED,
the chosen ones first. `delays` takes the other readings of D, `buffers` other limits, and `room`
gives drop-tail the one packet that ns-2's has less room for than its RED.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from importlib import resources
from typing import Any

from sojourn.studies import quantities
from sojourn.studies.knobs import (
    Knob,
    Settings,
    StudyError,
    choice,
    demand_start,
    demand_window,
    duration,
    duration_or_zero,
    whole,
)
from sojourn.studies.parts import Axis, Part

STUDY = "red-fairness"
PACKAGE = "sojourn.studies.red_fairness"

CAPACITY_MBPS = 45.0
CONNECTIONS = (2, 4, 8, 12, 16, 20, 24, 32)
DIFFERENCES = (10, 15, 20)
"""Values of D, as published without a unit."""

FAIRNESS_CONNECTIONS = 16
THROUGHPUT_T1 = ("80 ms", "250 ms")
LONG_T1 = "250 ms"
LIMITS = (50, 100, 250, 500, 1000)
"""Buffers of the part `buffers`, in packets."""

BUFFER_CONNECTIONS = (2, 16)
LARGE_WINDOW = 1000
DEFAULT_WINDOW = 20
LARGE = f"windows of {LARGE_WINDOW}"
"""What the transport with large windows is called."""

AND = ", "
"""Stands between the two names of a step that has two."""

T1_KEY = "link.bottleneck.delay"
COUNT_KEY = "flow.tcp.count"
ACCESS_KEY = "link.access.delay"
TRANSPORT_KEY = "flow.tcp.transport"
QUEUE_KEY = "link.bottleneck.queue"

REDS: dict[str, dict[str, Any]] = {
    "automatic": {"mean_packet": "1040 B"},
    "classic": {
        "bytes": False,
        "min_th": "5 packets",
        "max_th": "15 packets",
        "w_q": 0.002,
        "mean_packet": "1040 B",
    },
}
"""RED as ns-2 sets it up itself from the link, and with the thresholds of its publication."""

SPREADS = ("ladder", "alternate", "uniform", "ramp")
"""What D may be: the sender i's access delay is i D; every second has D; all are drawn from 0 to D;
they rise in even steps from 0 to D."""

KNOBS = (
    Knob("tcp", "tahoe", "TCP of all senders", choice("tahoe", "reno", "newreno")),
    Knob("window", str(DEFAULT_WINDOW), "bound of every window, in packets", whole(1, 100_000)),
    Knob("limit", "50", "buffer of the bottleneck, in packets", whole(2, 100_000)),
    Knob(
        "red",
        "automatic",
        "RED's parameters: automatic as ns-2 takes them, or the classic 5, 15 and 0.002",
        choice(*REDS),
    ),
    Knob(
        "d_is",
        "ladder",
        "what D is, in ms of access delay: i D for sender i (ladder), D for every second "
        "(alternate), drawn from 0 to D (uniform), even steps from 0 to D (ramp)",
        choice(*SPREADS),
    ),
    Knob("case3_t1", "75 ms", "T1 of case 3: 75 ms in its heading, 80 ms in the figure", duration),
    Knob("start", "0.1 s", "senders start uniformly in this time", duration_or_zero),
    Knob("duration", "100 s", "simulated time of one run", duration),
    Knob("warmup", "0 s", "time left out at the beginning", duration_or_zero),
    Knob("replicas", "10", "replicas of each point", whole(1, 100_000)),
    Knob("counts", "8", "how many of the eight numbers of connections are run", whole(2, 8)),
)
"""What the publication leaves open."""

QUICK = {"duration": "20 s", "replicas": "3", "counts": "4"}
"""The quick form: shorter runs, fewer of them, every second number of connections."""


def base() -> dict[str, Any]:
    """`scenario.toml` as a table."""
    place = resources.files(PACKAGE).joinpath("scenario.toml")
    return tomllib.loads(place.read_text(encoding="utf-8"))


def connections(settings: Settings) -> list[int]:
    """The numbers of connections that are run: evenly taken, 8, 16 and the largest among them."""
    kept: int = settings["counts"]
    if kept == len(CONNECTIONS):
        return list(CONNECTIONS)
    last = len(CONNECTIONS) - 1
    return [CONNECTIONS[round(k * last / (kept - 1))] for k in range(kept)]


def transports(settings: Settings) -> dict[str, dict[str, Any]]:
    """The transports that are run, by what they are called in tables; the chosen one first."""
    window: int = settings["window"]
    chosen = transport(settings["tcp"], window)
    others = {
        f"windows of {DEFAULT_WINDOW}": transport(settings["tcp"], DEFAULT_WINDOW),
        LARGE: transport(settings["tcp"], LARGE_WINDOW),
        f"NewReno and windows of {LARGE_WINDOW}": transport("newreno", LARGE_WINDOW),
    }
    found = {f"windows of {window}": chosen}
    return found | {name: table for name, table in others.items() if table != chosen}


def two_transports(settings: Settings) -> dict[str, dict[str, Any]]:
    """The chosen transport and the one with large windows, if that is another."""
    found = transports(settings)
    names = dict.fromkeys((next(iter(found)), LARGE))
    return {name: found[name] for name in names}


def other_spreads(settings: Settings) -> list[str]:
    """The readings of D that were not chosen."""
    return [one for one in SPREADS if one != settings["d_is"]]


def transport(tcp: str, window: int) -> dict[str, Any]:
    """The keys of one transport."""
    return {"congestion_control": tcp, "window": f"{window} packets"}


def red(name: str, limit: int) -> dict[str, Any]:
    """RED's queue."""
    return {"discipline": "red", "limit": f"{limit} packets", "preset": "ns2"} | REDS[name]


def droptail(limit: int) -> dict[str, Any]:
    """Drop-tail's queue."""
    return {"discipline": "droptail", "limit": f"{limit} packets", "preset": "ns2"}


def queues(settings: Settings) -> dict[tuple[str, str], dict[str, Any]]:
    """The queues that are run, by discipline and set-up; the chosen RED first."""
    limit: int = settings["limit"]
    names = [settings["red"], *(name for name in REDS if name != settings["red"])]
    found = {("red", name): red(name, limit) for name in names}
    return found | {("droptail", ""): droptail(limit)}


def access_delay(spread: str, difference: int, count: int = FAIRNESS_CONNECTIONS) -> Any:
    """The delays of the access links for one reading of D."""
    if spread == "ladder":
        return {"first": "0 ms", "step": f"{difference} ms"}
    if spread == "alternate":
        return [f"{difference * (k % 2)} ms" for k in range(count)]
    if spread == "uniform":
        return f"uniform(0 ms, {difference} ms)"
    return [f"{round(1000 * k * difference / (count - 1))} us" for k in range(count)]


def document(settings: Settings) -> dict[str, Any]:
    """What all parts share. Raises StudyError for times beyond the end."""
    demand_window(STUDY, settings)
    demand_start(STUDY, settings)
    whole_file = base()
    for key in ("duration", "warmup", "replicas"):
        whole_file[key] = settings[key]
    flow = whole_file["flow"][0]
    flow["count"] = FAIRNESS_CONNECTIONS
    flow["transport"] |= transport(settings["tcp"], settings["window"])
    start = settings["start"]
    flow["start"] = f"uniform(0 s, {start})" if quantities.seconds(start) > 0 else "0 s"
    return whole_file


def counts_axis(counts: Iterable[int]) -> Axis:
    """Numbers of connections."""
    return Axis("at", COUNT_KEY, {str(one): one for one in counts})


def access_axis(spreads: Iterable[str]) -> Axis:
    """Every D under some readings of it."""
    steps = {
        f"{spread}{AND}{one}": access_delay(spread, one)
        for spread in spreads
        for one in DIFFERENCES
    }
    return Axis("access", ACCESS_KEY, steps)


def queue_axis(tables: Mapping[tuple[str, str], dict[str, Any]]) -> Axis:
    """Queues, by discipline and set-up."""
    return Axis("queue", QUEUE_KEY, {AND.join(name): table for name, table in tables.items()})


def parts(settings: Settings) -> dict[str, Part]:
    """All parts, the main one first. Raises StudyError."""
    if quantities.seconds(settings["case3_t1"]) == quantities.seconds(LONG_T1):
        raise StudyError(f'knob "case3_t1" of study "{STUDY}": {LONG_T1} is the T1 of case 4')
    limit: int = settings["limit"]
    every_queue = queues(settings)
    first, *_, last = every_queue
    throughput_t1 = Axis("case", T1_KEY, dict(zip(("1", "2"), THROUGHPUT_T1, strict=True)))
    fairness_t1 = Axis("case", T1_KEY, {"3": settings["case3_t1"], "4": LONG_T1})
    connected = counts_axis(connections(settings))
    every_transport = Axis("transport", TRANSPORT_KEY, transports(settings))
    large = Axis("transport", TRANSPORT_KEY, {LARGE: transport(settings["tcp"], LARGE_WINDOW)})
    by_limit = {
        (name, str(one)): table
        for one in LIMITS
        for name, table in (("red", red(settings["red"], one)), ("droptail", droptail(one)))
    }
    plans: dict[str, tuple[str, tuple[Axis, ...]]] = {
        STUDY: (
            "RED against drop-tail: throughput against the number of connections",
            (throughput_t1, connected, every_transport, queue_axis(every_queue)),
        ),
        "fairness": (
            "RED against drop-tail: fairness among unequal paths",
            (
                fairness_t1,
                access_axis([settings["d_is"]]),
                every_transport,
                queue_axis(every_queue),
            ),
        ),
        "delays": (
            "The same with other readings of D",
            (
                fairness_t1,
                access_axis(other_spreads(settings)),
                Axis("transport", TRANSPORT_KEY, two_transports(settings)),
                queue_axis({one: every_queue[one] for one in (first, last)}),
            ),
        ),
        "room": (
            "Drop-tail with room for one packet more",
            (throughput_t1, connected, large, queue_axis({("droptail", ""): droptail(limit + 1)})),
        ),
        "buffers": (
            "RED against drop-tail: throughput against the buffer",
            (counts_axis(BUFFER_CONNECTIONS), large, queue_axis(by_limit)),
        ),
    }
    whole_file = document(settings)
    return {
        name: Part(
            name if name == STUDY else f"{STUDY}-{name}", whole_file | {"title": title}, axes
        )
        for name, (title, axes) in plans.items()
    }


def scenarios(settings: Settings) -> dict[str, str]:
    """The texts of all parts, the main one first. Raises StudyError."""
    return {name: part.text() for name, part in parts(settings).items()}
