"""Networks of chance on Linux, for ``draw.py``: all is drawn at once."""

from __future__ import annotations

import json
import math
import random
import tomllib
from collections.abc import Mapping
from pathlib import Path

from draw import log_uniform

HERE = Path(__file__).parent
DISCIPLINES = HERE.parent / "linux-disciplines" / "rtt-20ms.toml"
"""Whose disciplines, with these settings, the guest knows as leaves of HTB."""

CONTROLS = (
    *("cubic", "cubic", "cubic", "reno", "reno", "bbr", "bic", "highspeed", "htcp", "hybla"),
    *("illinois", "scalable", "vegas", "veno", "westwood", "yeah"),
)
FRAME_BITS = 1514 * 8

FILE = """\
# Networks of chance, as Linux 6.1 ran them: written by draw.py.
name = "linux-any-network"
title = "Networks of chance, as in Linux"
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
loss = 0
queue = {{ discipline = "pfifo", limit = "100 packets", preset = "linux" }}

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
transport = {{ protocol = "tcp", preset = "linux", congestion_control = "cubic", handshake = true, header = "66 B" }}
traffic = {{ source = "bulk" }}

[[flow]]
name = "ping"
from = "sender"
to = "receiver"
transport = {{ protocol = "udp", preset = "linux", payload = "64 B", header = "42 B" }}
traffic = {{ source = "cbr", rate = "42.4 kbit/s" }}

[design]
kind = "listed"

[vary]
"link.bottleneck.rate" = [{rate}]
"link.*.delay" = [{delay}]
"link.bottleneck.loss" = [{loss}]
"flow.tcp.count" = [{count}]
"flow.tcp.transport.congestion_control" = [{congestion_control}]
"link.bottleneck.queue" = [
    {queue},
]
"""


CASE = {name: name for name in ("rate", "delay", "congestion_control", "count")}
APART = ("queue",)


def networks(draws: random.Random, count: int) -> list[dict[str, str]]:
    """Draw so many networks."""
    known = leaves()
    return [network(draws, known) for _ in range(count)]


def leaves() -> dict[str, str]:
    """Return what a scenario says of each leaf, by the guest's name."""
    found = {}
    for queue in tomllib.loads(DISCIPLINES.read_text())["vary"]["link.bottleneck.queue"]:
        name = "bfifo" if queue["discipline"] == "droptail" else queue["discipline"]
        found[name] = ", ".join(f"{key} = {json.dumps(value)}" for key, value in queue.items())
    return found


def network(draws: random.Random, known: Mapping[str, str]) -> dict[str, str]:
    """Return what the file says of one network, each as TOML, and the guest's command."""
    # Half of them behind netem, with a room of their own.
    queue = draws.choice([*known, *["fifo"] * len(known)])
    control = draws.choice(CONTROLS)
    rate, rtt = round(log_uniform(draws, 2, 50), 2), round(log_uniform(draws, 5, 200))
    flows = draws.choice([1, 2, 3, 4, 5, 6, 8, 12])
    limit = draws.choice([20, 50, 100, 200, 400])
    loss = draws.choice([0, 0, 0, 0.1, 0.5, 2])
    rtt = max(rtt, math.ceil(2 * FRAME_BITS / rate / 1000))
    ours = f'discipline = "pfifo", limit = "{limit} packets"' if queue == "fifo" else known[queue]
    run = f"--queue={queue} --rate={rate} --limit={limit} --control={control} --flows={flows}"
    # netem takes its time over a packet; HTB does not, and leaves it to the wire.
    run += "" if queue == "fifo" else " --wire=1"
    return {
        "subject": ours.split('"')[1],
        "peer": "Linux",
        "version": "6.1.192",
        "rate": f'"{rate:g} Mbit/s"',
        "delay": f'"{rtt / 2:g} ms"',
        "loss": f"{loss / 100:g}",
        "count": f"{flows}",
        "congestion_control": f'"{control}"',
        "queue": f'{{ {ours}, preset = "linux" }}',
        "run": f"../linux-guest/run.sh {run} --rtt={rtt} --loss={loss} --seed=N",
    }
