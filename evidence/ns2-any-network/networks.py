"""Networks of chance on ns-2, for ``draw.py``: all is drawn at once."""

from __future__ import annotations

import json
import random

from draw import log_uniform

AGENTS = {
    "Tahoe": {"congestion_control": "tahoe"},
    "Reno": {"congestion_control": "reno"},
    "Newreno": {"congestion_control": "newreno"},
    "Sack": {"congestion_control": "newreno", "sack": True},
    "Vegas": {"congestion_control": "vegas"},
}
HEADER = 40

Table = dict[str, object]
"""Keys of a scenario."""

FILE = """\
# Networks of chance, as ns-2 2.35 ran them: written by draw.py.
name = "ns2-any-network"
title = "Networks of chance, as in ns-2"
duration = "35 s"
warmup = "5 s"
seed = 1
replicas = 20

[[link]]
name = "bottleneck"
from = "left"
to = "right"
rate = "10 Mbit/s"
delay = "10 ms"
loss = 0
queue = {{ discipline = "droptail", limit = "50 packets", preset = "ns2" }}

# Acknowledgements come back at a rate that never holds them up.
[[link]]
name = "back"
from = "right"
to = "left"
rate = "1 Gbit/s"
delay = "10 ms"
queue = {{ discipline = "droptail", limit = "none" }}

[[link]]
name = "up"
from = "s*"
to = "left"
rate = "200 Mbit/s"
delay = {{ first = "1 ms", step = "0 ms" }}
duplex = true
queue = {{ discipline = "droptail", limit = "none" }}

[[link]]
name = "down"
from = "right"
to = "d*"
rate = "200 Mbit/s"
delay = "1 ms"
duplex = true
queue = {{ discipline = "droptail", limit = "none" }}

[[link]]
name = "in"
from = "u"
to = "left"
rate = "200 Mbit/s"
delay = "1 ms"
queue = {{ discipline = "droptail", limit = "none" }}

[[link]]
name = "out"
from = "right"
to = "v"
rate = "200 Mbit/s"
delay = "1 ms"
queue = {{ discipline = "droptail", limit = "none" }}

[[flow]]
name = "tcp"
count = 4
from = "s*"
to = "d*"
start = "uniform(0 s, 1 s)"
transport = {{ protocol = "tcp", preset = "ns2", congestion_control = "newreno" }}
traffic = {{ source = "bulk" }}

[[flow]]
name = "cross"
from = "u"
to = "v"
start = "uniform(0 s, 1 s)"
transport = {{ protocol = "udp", preset = "ns2", payload = "500 B" }}
traffic = {{ source = "cbr", rate = "1 Mbit/s", preset = "ns2" }}

[design]
kind = "listed"

[vary]
"link.bottleneck.rate" = [{rate}]
"link.bottleneck.delay" = [{delay}]
"link.back.delay" = [{delay}]
"link.bottleneck.loss" = [{loss}]
"link.up.delay" = [
    {up},
]
"flow.tcp.count" = [{count}]
"flow.tcp.transport" = [
    {transport},
]
"flow.cross.transport.payload" = [{payload}]
"flow.cross.traffic" = [
    {cross},
]
"link.bottleneck.queue" = [
    {queue},
]
"""


CASE = {
    "bottleneck.rate": "rate",
    "bottleneck.delay": "delay",
    "congestion_control": "control",
    "tcp.count": "count",
}
APART = ("up", "transport", "cross", "queue")


def networks(draws: random.Random, count: int) -> list[dict[str, object]]:
    """Draw so many networks."""
    return [network(draws) for _ in range(count)]


def network(draws: random.Random) -> dict[str, object]:
    """Return what the file says of one network, and ns-2's command."""
    rate, rtt = round(log_uniform(draws, 0.5, 20), 2), round(log_uniform(draws, 6, 300))
    flows = draws.choice([1, 2, 3, 4, 6, 8, 12, 20])
    agent = draws.choice(["Tahoe", "Reno", "Newreno", "Newreno", "Sack", "Sack", "Vegas"])
    size, window = draws.choice([500, 1000, 1000, 1460]), draws.choice([10, 20, 50, 200, 1000])
    delayed, step = draws.choice([False, False, True]), draws.choice([0, 0, 1, 5])
    loss = draws.choice([0, 0, 0, 0, 0.001, 0.01])
    queue, settings = discipline(draws, size + HEADER, round(log_uniform(draws, 8, 300)))
    kind, cross = traffic(draws, round(rate * draws.choice([0.02, 0.1, 0.3, 0.6, 1.1]), 4))
    payload = draws.choice([200, 500, 1000])
    # In ns-2 Vegas forgets to make its packets ECN-capable.
    marks = bool(queue.get("ecn")) and agent != "Vegas"
    tcp = AGENTS[agent] | {"segment": f"{size} B", "window": f"{window} packets"}
    tcp |= {"delayed_ack": 2} if delayed else {}
    tcp |= {"ecn": True} if marks else {}
    delay = max(0.5, rtt / 2 - 2)
    given = {
        "tcp": agent,
        "flows": flows,
        "window": window,
        "size": size,
        "sink": "delack" if delayed else "plain",
        "Agent/TCP.ecn_": int(marks),
        "rate": rate,
        "delay": f"{delay:g}",
        "step": step,
        "loss": loss,
        "cross": kind,
        "load": cross["rate"],
        "payload": payload,
    }
    run = " ".join(f"{key}={value}" for key, value in (given | settings).items())
    cross["rate"] = f"{cross['rate']} Mbit/s"
    return {
        "subject": queue["discipline"],
        "peer": "ns-2",
        "version": "2.35",
        "control": tcp["congestion_control"],
        "rate": f'"{rate:g} Mbit/s"',
        "delay": f'"{delay:g} ms"',
        "loss": loss,
        "up": toml({"first": "1 ms", "step": f"{step} ms"}),
        "count": flows,
        "transport": toml(tcp),
        "payload": f'"{payload} B"',
        "cross": toml(cross | {"preset": "ns2"}),
        "queue": toml(queue | {"preset": "ns2"}),
        "run": f"ns run.tcl {run} seed=N",
    }


def traffic(draws: random.Random, load: float) -> tuple[str, Table]:
    """Return ns-2's name of a source, and ours with its rate: in bursts twice the load."""
    kind = draws.choice(["cbr", "random", "onoff", "pareto"])
    ours: Table = {
        "cbr": {"source": "cbr", "rate": load},
        "random": {"source": "cbr", "rate": load, "jitter": 0.5},
        "onoff": {"source": "onoff", "rate": round(2 * load, 4)},
        "pareto": {"source": "pareto_onoff", "rate": round(2 * load, 4), "shape": 3.0},
    }[kind]
    return kind, ours


def discipline(draws: random.Random, packet: int, limit: int) -> tuple[Table, Table]:
    """Return what a scenario says of a discipline, and what ns-2 is given."""
    common = ["droptail", "droptail", "headdrop", "red", "red", "red", "ared"]
    name = draws.choice([*common, "sfq", "drr", "rem", "pi", "avq"])
    marks = draws.random() < 0.4
    if name in ("droptail", "headdrop"):
        front = {"Queue/DropTail.drop_front_": "true"} if name == "headdrop" else {}
        given: Table = {"discipline": "DropTail", "limit": limit}
        return {"discipline": name, "limit": f"{limit} packets"}, given | front
    if name in ("red", "ared"):
        return red(draws, name, packet, limit, marks)
    if name == "sfq":
        room, buckets = draws.choice([40, 100]), draws.choice([16, 64])
        ours: Table = {"discipline": name, "maxqueue": f"{room} packets", "buckets": buckets}
        given = {"discipline": "SFQ"}
        return ours, given | {"Queue/SFQ.maxqueue_": room, "Queue/SFQ.buckets_": buckets}
    if name == "drr":
        room, buckets, quantum = draws.choice([25000, 50000]), 32, draws.choice([250, 500, 1500])
        ours = {"discipline": name, "limit": f"{room} B"}
        ours |= {"buckets": buckets, "quantum": f"{quantum} B"}
        given = {"discipline": "DRR", "Queue/DRR.blimit_": room}
        return ours, given | {"Queue/DRR.buckets_": buckets, "Queue/DRR.quantum_": quantum}
    limit = max(limit, 20)
    ours = {"discipline": name, "limit": f"{limit} packets"}
    if name == "rem":
        target, in_bytes = draws.choice([5, 20]), draws.random() < 0.5
        ours |= {"mean_packet": f"{packet} B", "target": f"{target} packets", "bytes": in_bytes}
        given = {"discipline": "REM", "limit": limit, "Queue/REM.mean_pktsize_": packet}
        given |= {"Queue/REM.pbo_": target, "Queue/REM.qib_": str(in_bytes).lower()}
        given |= {"Queue/REM.markpkts_": "true"} if marks else {}
    elif name == "pi":
        target = max(5, round(limit * draws.choice([0.2, 0.4])))
        gains = draws.choice([(5.5e-5, 5.1e-5), (5.5e-4, 5.1e-4)])
        ours |= {"target": f"{target} packets", "a": gains[0], "b": gains[1]}
        given = {"discipline": "PI", "limit": limit, "Queue/PI.qref_": target}
        given |= {"Queue/PI.a_": gains[0], "Queue/PI.b_": gains[1]}
        given |= {"Queue/PI.setbit_": "true"} if marks else {}
    else:
        gamma = draws.choice([0.9, 0.98])
        ours |= {"gamma": gamma}
        given = {"discipline": "Vq", "limit": limit, "Queue/Vq.gamma_": gamma}
        given |= {"Queue/Vq.markpkts_": "true"} if marks else {}
    return ours | ({"ecn": True} if marks else {}), given


def red(
    draws: random.Random, name: str, packet: int, limit: int, marks: bool
) -> tuple[Table, Table]:
    """Return the same of RED, or of ARED."""
    ours: Table = {"discipline": name, "limit": f"{limit} packets", "mean_packet": f"{packet} B"}
    given: Table = {"discipline": "RED", "limit": limit, "Queue/RED.mean_pktsize_": packet}
    given |= {"Queue/RED.adaptive_": 1} if name == "ared" else {}
    if draws.random() < 0.5:
        ours["bytes"] = False
        given |= {"Queue/RED.bytes_": "false", "Queue/RED.queue_in_bytes_": "false"}
    if draws.random() < 0.6:
        low = round(log_uniform(draws, 3, max(4, limit / 3)))
        high = draws.choice([2, 3, 5]) * low
        ours |= {"min_th": f"{low} packets", "max_th": f"{high} packets"}
        given |= {"Queue/RED.thresh_": low, "Queue/RED.maxthresh_": high}
    if draws.random() < 0.6:
        ours["w_q"] = weight = draws.choice([0.002, 0.02, 0.2])
        given["Queue/RED.q_weight_"] = weight
    if draws.random() < 0.5 and name == "red":
        line = draws.choice([2, 5, 20, 50])
        ours["max_p"] = 1 / line
        given["Queue/RED.linterm_"] = line
    for ours_name, theirs in (
        ("gentle", "gentle_"),
        ("wait", "wait_"),
        ("use_mark_p", "use_mark_p_"),
    ):
        if draws.random() < 0.3:
            ours[ours_name] = False
            given[f"Queue/RED.{theirs}"] = "false"
    if marks:
        ours["ecn"] = True
        given["Queue/RED.setbit_"] = "true"
    return ours, given


def toml(table: Table) -> str:
    """Return an inline table."""
    return "{ " + ", ".join(f"{key} = {json.dumps(value)}" for key, value in table.items()) + " }"
