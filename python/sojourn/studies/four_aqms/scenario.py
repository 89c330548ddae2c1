"""The scenarios of the study: `scenario.toml` with the knobs turned, and its other readings.

The main part is the publication's own scenario, with time series. The other parts take one choice
each that the publication leaves open: the load, the TCP, the disciplines' parameters.
"""

from __future__ import annotations

import tomllib
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
    rate,
    whole,
)

STUDY = "four-aqms"
PACKAGE = "sojourn.studies.four_aqms"

TCP_FLOWS = 6
CBR_FLOWS = 2
LIMIT_PACKETS = 50
"""Senders and buffer, as published."""

BOTTLENECK_BPS = 1.5e6
WINDOW_PACKETS = 25
TCP_PACKET_BYTES = 1500
CBR_PACKET_BYTES = 1000
"""The same: a segment of 1460 B has 40 B of header."""

QUEUE_KEY = "link.bottleneck.queue"
RATE_KEY = "flow.cbr.traffic.rate"
TRANSPORT_KEY = "flow.tcp.transport"

LOADS = tuple(
    f"{rate} Mbit/s" for rate in ("0.1", "0.15", "0.2", "0.25", "0.35", "0.5", "0.75", "1")
)
"""Rates of one CBR sender in the part `load`."""

READ_AGAIN = ("0.1 Mbit/s", "0.5 Mbit/s", "1 Mbit/s")
"""Those of them under which the orders are judged again."""

TCPS: dict[str, dict[str, Any]] = {
    "tahoe": {"congestion_control": "tahoe"},
    "reno": {"congestion_control": "reno"},
    "newreno": {"congestion_control": "newreno"},
    "sack": {"congestion_control": "newreno", "sack": True},
}
"""The TCPs that can be chosen, as keys of a transport."""

RED_PAPER = {"max_th": "50 packets", "max_p": 1.0, "w_q": 0.002}
"""What the publication says of RED."""

VARIANTS: dict[str, dict[str, Any]] = {
    "RED with min_th 15": {"discipline": "red", "bytes": False, "min_th": "15 packets"} | RED_PAPER,
    "RED with min_th 25": {"discipline": "red", "bytes": False, "min_th": "25 packets"} | RED_PAPER,
    "RED counting bytes": {"discipline": "red", "min_th": "5 packets"} | RED_PAPER,
    "RED as ns-2 sets it up itself": {"discipline": "red"},
    "BLUE with steps 0.0025 and 0.00025": {
        "discipline": "blue",
        "increment": 0.0025,
        "decrement": 0.00025,
    },
    "BLUE with a freeze time of 10 ms": {"discipline": "blue", "freeze_time": "10 ms"},
    "SFQ with room for 50": {"discipline": "sfq", "maxqueue": "50 packets"},
}
"""Other parameters of one discipline, by what they are called in tables: the part `parameters`."""


def bits(text: str) -> float:
    """A rate as a number of bit/s."""
    return float(quantities.bits_per_second(text))


KNOBS = (
    Knob("cbr_rate", "0.25 Mbit/s", "rate of each of the two CBR senders", rate),
    Knob("tcp", "tahoe", "TCP of the six senders: " + ", ".join(TCPS), choice(*TCPS)),
    Knob("red.min_th", "5", "RED's lower threshold, in packets", whole(1, LIMIT_PACKETS - 1)),
    Knob(
        "red.counts",
        "packets",
        "what RED's average counts: packets, or bytes as ns-2 does unless told otherwise",
        choice("packets", "bytes"),
    ),
    Knob("blue.increment", "0.02", "what a loss adds to BLUE's probability (d1)", number(0, 1)),
    Knob("blue.decrement", "0.002", "what an idle link takes from it (d2)", number(0, 1)),
    Knob("blue.freeze_time", "100 ms", "least time between two changes of it", duration_or_zero),
    Knob(
        "queues",
        "ns2",
        "whose defaults and ways RED, REM, SFQ and drop-tail have: ns2 or reference",
        choice("ns2", "reference"),
    ),
    Knob("start", "0.5 s", "senders start uniformly in this time", duration_or_zero),
    Knob("duration", "100 s", "simulated time of one run", duration),
    Knob("warmup", "0 s", "time left out at the beginning", duration_or_zero),
    Knob("replicas", "20", "replicas of each point", whole(1, 100_000)),
)
"""What the publication leaves open."""

QUICK = {"duration": "50 s", "replicas": "8"}
"""The quick form: shorter runs, fewer of them."""


def base() -> dict[str, Any]:
    """`scenario.toml` as a table."""
    place = resources.files(PACKAGE).joinpath("scenario.toml")
    return tomllib.loads(place.read_text(encoding="utf-8"))


def queue(settings: Settings, table: dict[str, Any]) -> dict[str, Any]:
    """A queue of the file, or a variant of one, with the knobs turned."""
    discipline = table["discipline"]
    changed = {"discipline": discipline}
    ns2 = settings["queues"] == "ns2"
    if discipline == "blue" or not (ns2 and discipline == "sfq"):
        changed["limit"] = f"{LIMIT_PACKETS} packets"
    if discipline != "blue" and ns2:
        changed["preset"] = "ns2"
    return changed | {key: value for key, value in table.items() if key not in ("limit", "preset")}


def queues(settings: Settings) -> list[dict[str, Any]]:
    """The queues to compare."""
    tables: list[dict[str, Any]] = []
    for table in base()["vary"][QUEUE_KEY]:
        changed = queue(settings, table)
        if changed["discipline"] == "red":
            changed["min_th"] = f"{settings['red.min_th']} packets"
            changed["bytes"] = settings["red.counts"] == "bytes"
        if changed["discipline"] == "blue":
            for name in ("increment", "decrement", "freeze_time"):
                changed[name] = settings[f"blue.{name}"]
        tables.append(changed)
    return tables


def variants(settings: Settings) -> dict[str, dict[str, Any]]:
    """The queues of the part `parameters`, by their names."""
    found = {name: queue(settings, dict(table)) for name, table in VARIANTS.items()}
    if settings["queues"] == "ns2":
        return found
    # Room of its own is a way of ns-2's SFQ alone.
    return {name: table for name, table in found.items() if "maxqueue" not in table}


def document(settings: Settings) -> dict[str, Any]:
    """The main scenario as a table. Raises StudyError for times beyond the end."""
    demand_window(STUDY, settings)
    demand_start(STUDY, settings)
    whole_file = base()
    for key in ("duration", "warmup", "replicas"):
        whole_file[key] = settings[key]
    tcp, cbr = whole_file["flow"]
    tcp["transport"] |= TCPS[settings["tcp"]]
    cbr["traffic"]["rate"] = settings["cbr_rate"]
    start = settings["start"]
    spread = quantities.seconds(start) > 0
    for flow in (tcp, cbr):
        flow["start"] = f"uniform(0 s, {start})" if spread else "0 s"
    whole_file["vary"] = {QUEUE_KEY: queues(settings)}
    return whole_file


def part(
    settings: Settings, name: str, title: str, vary: dict[str, list[Any]], *, series: bool = False
) -> str:
    """A further part: the main scenario with other things varied."""
    whole_file = document(settings) | {"name": f"{STUDY}-{name}", "title": title}
    if not series:
        del whole_file["series"]
    whole_file["vary"] = vary
    return toml_text(whole_file)


def scenarios(settings: Settings) -> dict[str, str]:
    """The texts of all parts, the main one first. Raises StudyError."""
    compared = queues(settings)
    loads = [text for text in LOADS if bits(text) != bits(settings["cbr_rate"])]
    others = [keys for name, keys in TCPS.items() if name != settings["tcp"]]
    return {
        STUDY: toml_text(document(settings)),
        "load": part(
            settings,
            "load",
            "The same under other rates of the CBR senders",
            {QUEUE_KEY: compared, RATE_KEY: loads},
        ),
        "tcp": part(
            settings,
            "tcp",
            "The same with other TCPs",
            {QUEUE_KEY: compared, TRANSPORT_KEY: others},
        ),
        "parameters": part(
            settings,
            "parameters",
            "The same with other parameters of the disciplines",
            {QUEUE_KEY: list(variants(settings).values())},
        ),
    }
