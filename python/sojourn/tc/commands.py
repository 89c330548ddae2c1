"""From a link of a scenario to the commands that make one like it on Linux.

The queue stands behind HTB, which keeps the rate, on the interface that the link leaves. The delay
stands where the link arrives, on an IFB device that takes in what comes: netem below an AQM on one
interface would hide the queue from it.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sojourn import _core
from sojourn.tc import units
from sojourn.tc.qdiscs import QDISCS, WITHOUT, Qdisc
from sojourn.tc.units import Link

ETHERNET_HEADER = 14
"""Bytes that Linux counts for each packet on an Ethernet, and a scenario does not."""


@dataclass(frozen=True)
class Commands:
    """The commands of one link.

    ``variables`` are the placeholders of interfaces and where each of them is.
    """

    link: str
    variables: dict[str, str]
    lines: list[str]


def commands(link: dict[str, Any], number: int) -> Commands:
    """The commands of a link as ``Scenario.network`` describes it, the ``number``-th, from 0."""
    leaves = _variable(link["name"])
    arrives = f"{leaves}_IN"
    variables = {leaves: f"at {link['from']}, towards {link['to']}"}
    lines = [*_shape(link, leaves), *_queue(link, leaves)]
    if link["delay_s"] > 0:
        variables[arrives] = f"at {link['to']}, from {link['from']}"
        lines += _delay(link, arrives, f"ifb{number}")
    return Commands(link["name"], variables, lines)


def _variable(name: str) -> str:
    """A shell variable for a link."""
    plain = re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_").upper()
    return plain if plain[:1].isalpha() else f"LINK_{plain}"


def _shape(link: dict[str, Any], dev: str) -> Iterator[str]:
    """The rate."""
    rate = f"rate {link['rate_bps']}bit ceil {link['rate_bps']}bit"
    beyond = link["overhead_bytes"] - ETHERNET_HEADER
    if beyond > 0:
        rate += f" overhead {beyond}"
    elif beyond < 0:
        yield (
            f"# overhead = {link['overhead_bytes']} B: Linux counts {ETHERNET_HEADER} B of "
            "Ethernet for each packet, and HTB cannot take them off"
        )
    if link["device_queue_packets"]:
        yield (
            f"# device_queue = {link['device_queue_packets']} packets: no equivalent below HTB; "
            "a real interface has its ring (ethtool -G)"
        )
    yield f"tc qdisc replace dev ${dev} root handle 1: htb default 1"
    yield f"tc class replace dev ${dev} parent 1: classid 1:1 htb {rate}"


def _queue(link: dict[str, Any], dev: str) -> Iterator[str]:
    """The queue behind it."""
    queue = link["queue"]
    name = queue["discipline"]
    qdisc = QDISCS.get(name)
    if qdisc is None:
        more = WITHOUT.get(name)
        yield f"# {name}: no equivalent in Linux{f'; {more}' if more else ''}"
        yield "# HTB's own queue stands in its place: drop-tail, txqueuelen packets"
        return
    about = Link(link["rate_bps"], link["base_rtt_s"], link["mtu_bytes"])
    params = queue["params"]
    if name in ("droptail", "pfifo") and not _counts_packets(params["limit"]):
        qdisc = Qdisc("bfifo", {"limit": _bytes_limit})
    yield from (f"# {name}: {note}" for note in qdisc.notes)
    yield from _unwritten(name, qdisc, params, queue["preset"])
    words = [qdisc.name, *qdisc.always]
    for param, write in qdisc.options.items():
        written = write(params[param], params, about)
        if written is not None:
            words.append(written)
    yield f"tc qdisc replace dev ${dev} parent 1:1 handle 10: {' '.join(words)}"


def _counts_packets(limit: Any) -> bool:
    return limit == "none" or units.in_packets(limit)


def _bytes_limit(value: Any, _: Any, link: Link) -> str:
    return f"limit {round(units.length_bytes(value, link.mtu_bytes, link))}"


def _unwritten(name: str, qdisc: Qdisc, params: dict[str, Any], preset: str) -> Iterator[str]:
    """What tc has no option for, where Linux does something else."""
    entries = json.loads(_core.reference())["disciplines"]
    declared = next(entry["params"] for entry in entries if entry["name"] == name)
    for param in declared:
        linux = param["presets"].get("linux", param["default"])
        key, value = param["name"], _plain(params[param["name"]])
        is_written = key in qdisc.options and key != "w_q"
        if not is_written and value != linux:
            yield f"# {key} = {value}: no option of {qdisc.name}, which has {linux}"
    if preset in ("ns2", "ns3"):
        yield f'# preset = "{preset}": the ways of that program have no equivalent'


def _plain(value: Any) -> str:
    return json.dumps(value) if isinstance(value, bool) else str(value)


def _delay(link: dict[str, Any], dev: str, ifb: str) -> Iterator[str]:
    """The delay, where the link arrives."""
    if link["delay_is_drawn"]:
        yield "# delay: drawn once for each replica; this is replica 0's"
    # Room for the smallest packets of an Ethernet.
    room = math.ceil(link["rate_bps"] * link["delay_s"] / 8 / 64)
    delay = units.time_text(link["delay_s"])
    yield f"ip link add {ifb} type ifb"
    yield f"ip link set dev {ifb} up"
    yield f"tc qdisc replace dev {ifb} root netem delay {delay} limit {max(room, 1000)}"
    yield f"tc qdisc replace dev ${dev} ingress"
    yield (
        f"tc filter replace dev ${dev} parent ffff: protocol all prio 1 matchall "
        f"action mirred egress redirect dev {ifb}"
    )


def script(title: str, links: list[dict[str, Any]]) -> str:
    """A shell script for links as ``Scenario.network`` describes them."""
    made = [commands(link, number) for number, link in enumerate(links)]
    lines = [
        "#!/bin/sh",
        f"# {title}, in Linux's words. Name the interfaces, then run each part on its machine.",
        "# Flows have no equivalent in tc: make them with iperf3 or flent.",
    ]
    for one in made:
        lines += ["", f"# {one.link}"]
        lines += [f"{name}=eth0  # {where}" for name, where in one.variables.items()]
        lines += one.lines
    return "\n".join(lines) + "\n"
