"""Networks of chance on ns-3.37, for ``draw.py``: all is drawn at once."""

from __future__ import annotations

import json
import random

from draw import log_uniform

CONTROLS = {
    "newreno": "NewReno",
    "cubic": "Cubic",
    "reno": "LinuxReno",
    "bbr": "Bbr",
    "bic": "Bic",
    "dctcp": "Dctcp",
    "highspeed": "HighSpeed",
    "htcp": "Htcp",
    "hybla": "Hybla",
    "illinois": "Illinois",
    "ledbat": "Ledbat",
    "scalable": "Scalable",
    "vegas": "Vegas",
    "veno": "Veno",
    "westwood": "Westwood",
    "yeah": "Yeah",
}
DISCIPLINES = {
    "droptail": "Fifo",
    "pfifo_fast": "PfifoFast",
    "red": "Red",
    "ared": "Red",
    "codel": "CoDel",
    "fq_codel": "FqCoDel",
    "pie": "Pie",
    "fq_pie": "FqPie",
    "cobalt": "Cobalt",
    "fq_cobalt": "FqCobalt",
    "tbf": "Tbf",
}

FILE = """\
# Networks of chance, as ns-3.37 ran them: written by draw.py.
name = "ns3-any-network"
title = "Networks of chance, as in ns-3.37"
duration = "25 s"
warmup = "5 s"
seed = 1
replicas = 20

[[link]]
name = "up"
from = "s*"
to = "left"
rate = "100 Mbit/s"
delay = {{ first = "1 ms", step = "0 ms" }}
overhead = "2 B"
duplex = true
queue = {{ discipline = "droptail", limit = "none" }}
reverse_queue = {{ discipline = "droptail", limit = "none" }}

[[link]]
name = "side"
from = "u"
to = "left"
rate = "100 Mbit/s"
delay = "1 ms"
overhead = "2 B"
queue = {{ discipline = "droptail", limit = "none" }}

[[link]]
name = "bottleneck"
from = "left"
to = "right"
rate = "10 Mbit/s"
delay = "18 ms"
loss = 0
overhead = "2 B"
device_queue = "1 packets"
duplex = true
queue = {{ discipline = "droptail", preset = "ns3" }}
reverse_queue = {{ discipline = "droptail", limit = "none" }}

[[link]]
name = "down"
from = "right"
to = "d*"
rate = "100 Mbit/s"
delay = "1 ms"
overhead = "2 B"
duplex = true
queue = {{ discipline = "droptail", limit = "none" }}
reverse_queue = {{ discipline = "droptail", limit = "none" }}

[[link]]
name = "beyond"
from = "right"
to = "v"
rate = "100 Mbit/s"
delay = "1 ms"
overhead = "2 B"
queue = {{ discipline = "droptail", limit = "none" }}

[[flow]]
name = "tcp"
count = 4
from = "s*"
to = "d*"
start = "uniform(0 s, 1 s)"
transport = {{ protocol = "tcp", preset = "ns3", congestion_control = "newreno", prr = "ns-3.37", validate_cwnd = false, handshake = true }}
traffic = {{ source = "bulk" }}

[[flow]]
name = "udp"
from = "u"
to = "v"
start = "uniform(0 s, 1 s)"
transport = {{ protocol = "udp", preset = "ns3", payload = "1000 B" }}
traffic = {{ source = "cbr", preset = "ns3", rate = "1 Mbit/s" }}

[design]
kind = "listed"

[vary]
"link.bottleneck.rate" = [{rate}]
"link.bottleneck.delay" = [{delay}]
"link.bottleneck.loss" = [{loss}]
"link.bottleneck.device_queue" = [{device}]
"link.up.rate" = [{access}]
"link.side.rate" = [{access}]
"link.down.rate" = [{access}]
"link.beyond.rate" = [{access}]
"link.up.delay" = [{away}]
"flow.tcp.count" = [{count}]
"flow.udp.traffic.rate" = [{udp}]
"flow.tcp.transport" = [
    {transport},
]
"link.bottleneck.queue" = [
    {queue},
]
"""


CASE = {
    "bottleneck.rate": "rate",
    "bottleneck.delay": "delay",
    "congestion_control": "control",
    "count": "count",
}
APART = ("transport", "queue")


def networks(draws: random.Random, count: int) -> list[dict[str, str]]:
    """Draw so many networks."""
    return [network(draws) for _ in range(count)]


def network(draws: random.Random) -> dict[str, str]:
    """Return what the file says of one network, each as TOML, and its command."""
    rate, rtt = round(log_uniform(draws, 0.5, 20), 2), round(log_uniform(draws, 4, 300))
    flows, step = draws.choice([1, 2, 3, 4, 6, 8, 12]), draws.choice([0, 0, 0, 1, 5])
    device, loss = draws.choice([1, 1, 1, 5, 20]), draws.choice([0, 0, 0, 0, 0.001, 0.01])
    udp = round(rate * draws.choice([0.01, 0.01, 0.1, 0.2, 0.5, 0.8, 1.2]), 3)
    # Half of them under one of those that are used most.
    control = draws.choice([*CONTROLS, *["newreno", "cubic"] * (len(CONTROLS) // 2)])
    ecn = control == "dctcp" or draws.random() < 0.25
    segment, stamps = draws.choice([500, 536, 1000, 1448, 1448]), draws.random() < 0.85
    packet = segment + (52 if stamps else 40)
    settings, attributes = transport(draws, control, segment, stamps, ecn)
    discipline = draws.choice(list(DISCIPLINES))
    kind = DISCIPLINES[discipline]
    room = max(5, round(rate * 1e3 * rtt / 8 / packet * log_uniform(draws, 0.2, 4)))
    options = queue(draws, discipline, rate, room, packet, ecn)
    keys: dict[str, object] = {"discipline": discipline, "preset": "ns3"}
    keys |= {ours: mine for ours, mine, _, _ in options}
    attributes += [f"{kind}QueueDisc::{name}={theirs}" for _, _, name, theirs in options if name]
    if discipline == "ared":
        attributes.append("RedQueueDisc::ARED=true")
    if kind == "Red":
        attributes.append(f"RedQueueDisc::LinkBandwidth={rate:g}Mbps")
    delay = rtt / 2 - 2 if rtt > 4 else 0.001
    run = f"./run --discipline={kind} --device={device}p --control={CONTROLS[control]}"
    run += f" --flows={flows} --segment={segment} --rate={rate:g} --delay={delay:g} --step={step}"
    run += f" --udp={udp:g} --loss={loss}" + "".join(f" --ns3::{each}" for each in attributes)
    return {
        "subject": discipline,
        "peer": "ns-3",
        "version": "3.37",
        "rate": f'"{rate:g} Mbit/s"',
        "delay": f'"{delay:g} ms"',
        "loss": f"{loss:g}",
        "device": f'"{device} packets"',
        "access": f'"{10 * rate:g} Mbit/s"',
        "away": f'{{ first = "1 ms", step = "{step} ms" }}',
        "count": f"{flows}",
        "udp": f'"{udp:g} Mbit/s"',
        "control": control,
        "transport": table(settings),
        "queue": table(keys),
        "run": run + " --seed=N",
    }


def transport(
    draws: random.Random, control: str, segment: int, stamps: bool, ecn: bool
) -> tuple[dict[str, object], list[str]]:
    """Return the keys of a connection and ns-3's attributes for the same."""
    acks, first = draws.choice([2, 2, 2, 1]), draws.choice([10, 10, 10, 2, 4, 20])
    buffer = draws.choice([4_000_000, 4_000_000, 131_072, 65_536])
    keys: dict[str, object] = {"congestion_control": control}
    if control == "cubic":
        keys["reno_friendly"] = False  # ns-3.38 brought that
    if control != "dctcp":
        keys["ecn"] = ecn
    keys |= {"segment": f"{segment} B", "timestamps": stamps, "delayed_ack": acks}
    keys |= {"initial_window": f"{first} packets"}
    keys |= {"window": f"{buffer} B", "send_buffer": f"{buffer} B"}
    attributes = [
        f"TcpSocketBase::Timestamp={str(stamps).lower()}",
        f"TcpSocketBase::UseEcn={'On' if ecn else 'Off'}",
        f"TcpSocket::DelAckCount={acks}",
        f"TcpSocket::InitialCwnd={first}",
        f"TcpSocket::SndBufSize={buffer}",
        f"TcpSocket::RcvBufSize={buffer}",
    ]
    if control == "westwood":
        attributes.append("TcpWestwood::ProtocolType=WestwoodPlus")
    return keys, attributes


def queue(
    draws: random.Random, discipline: str, rate: float, room: int, packet: int, ecn: bool
) -> list[tuple[str, object, str, object]]:
    """Return settings of a discipline: key and value, ns-3's attribute and value."""
    in_bytes = discipline in ("droptail", "red", "codel", "cobalt") and draws.random() < 0.2
    ours = f"{room * packet} B" if in_bytes else f"{room} packets"
    theirs = f"{room * packet}B" if in_bytes else f"{room}p"
    found: list[tuple[str, object, str, object]] = [("limit", ours, "MaxSize", theirs)]

    def maybe(key: str, name: str, values: list[float], unit: str = "") -> None:
        if draws.random() < 0.4:
            value = draws.choice(values)
            found.append((key, f"{value} {unit}" if unit else value, name, f"{value}{unit}"))

    if discipline in ("red", "ared"):
        found.append(("mean_packet", f"{packet} B", "MeanPktSize", packet))
        found += switches(draws, {"gentle": "Gentle", "wait": "Wait"}, value=False)
    if discipline == "red":
        low = max(2, room // 6)
        unit = packet if in_bytes else 1
        found.append(("min_th", f"{low} packets", "MinTh", low * unit))
        found.append(("max_th", f"{3 * low} packets", "MaxTh", 3 * low * unit))
        found.append(("max_p", 0.1, "LInterm", 10))
        maybe("w_q", "QW", [0.001, 0.01, 0.1])
    if discipline in ("codel", "fq_codel", "cobalt", "fq_cobalt"):
        maybe("target", "Target", [1, 5, 15], "ms")
        maybe("interval", "Interval", [30, 100, 200], "ms")
    if discipline in ("pie", "fq_pie"):
        maybe("target", "QueueDelayReference", [5, 15, 40], "ms")
        maybe("t_update", "Tupdate", [5, 15, 30], "ms")
        found += switches(draws, {"derandomize": "UseDerandomization"}, value=True)
        found += switches(draws, {"dequeue_rate_estimator": "UseDequeueRateEstimator"}, value=True)
    if discipline == "tbf":
        shaped = round(0.9 * rate, 3)
        found.append(("rate", f"{shaped:g} Mbit/s", "Rate", f"{shaped:g}Mbps"))
        burst = draws.choice([2000, 10_000, 60_000])
        found.append(("burst", f"{burst} B", "Burst", burst))
    elif discipline not in ("droptail", "pfifo_fast"):
        found.append(("ecn", ecn, "UseEcn", str(ecn).lower()))
    return found


def switches(
    draws: random.Random, names: dict[str, str], *, value: bool
) -> list[tuple[str, object, str, object]]:
    """Return some of these settings, with this value."""
    drawn = [key for key in names if draws.random() < 0.3]
    return [(key, value, names[key], str(value).lower()) for key in drawn]


def table(values: dict[str, object]) -> str:
    """Return an inline table."""
    return f"{{ {', '.join(f'{key} = {json.dumps(value)}' for key, value in values.items())} }}"
