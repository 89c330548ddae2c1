"""From a link of a scenario to the commands that make one like it on Linux.

The queue stands behind HTB, which keeps the rate, on the interface that the link leaves. The delay
stands where the link arrives, on an IFB device that takes in what comes: netem below an AQM on one
interface would hide the queue from it.

What an earlier script has put there is removed first. tc would keep a qdisc of the same handle and
say so in a line that is easily missed, and the next measurement would be one of the first queue.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from sojourn import registries
from sojourn.files.toml_text import value_text
from sojourn.tc import units
from sojourn.tc.qdiscs import (
    MOST,
    MOST_BPS,
    QDISCS,
    WITHOUT,
    Counts,
    Qdisc,
    Written,
    bits_per_s,
    bytes_limit,
    in_numbers,
)
from sojourn.tc.units import ETHERNET_HEADER, Link

MOST_OVERHEAD = 65_535
"""Most bytes that HTB adds to a packet."""

MOST_DELAY = MOST * 64 // 1000
"""The longest delay of netem in microseconds: 32 bits of ticks of 64 ns."""

NO_TIME = "10tbit"
"""A rate at which a packet takes no time: 1.2 ns at most."""


def commands(link: dict[str, Any], number: int, *, queue_only: bool = False) -> list[str]:
    """The lines of a link as ``Scenario.network`` describes it, the ``number``-th, from 0.

    ``queue_only`` leaves out the path: delay, jitter and losses.
    """
    leaves = _variable(link["name"])
    arrives = f"{leaves}_IN"
    lines = [
        f"# {link['name']}",
        "# Rate and queue.",
        f"{leaves}=eth0  # at {link['from']}, towards {link['to']}",
        _if_there(f"tc qdisc del dev ${leaves} root"),
        *_shape(link, leaves),
        *_queue(link, leaves),
    ]
    has_path = link["delay_s"] > 0 or link["loss"] or link["jitter"] or link["delay_changes"]
    if has_path and not queue_only:
        lines += [
            "# The path, imitated: delay and losses. Not for a real line, which has its own.",
            f"{arrives}=eth0  # at {link['to']}, from {link['from']}",
            *_wire(link, arrives, f"sojourn{number}"),
        ]
    return lines


def _if_there(removal: str) -> str:
    """A command that removes what an earlier script may have made."""
    return f"{removal} 2>/dev/null || true"


def _variable(name: str) -> str:
    """A shell variable for a link."""
    plain = re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_").upper()
    return plain if plain[:1].isalpha() else f"LINK_{plain}"


def _shape(link: dict[str, Any], dev: str) -> Iterator[str]:
    """The rate."""
    kept = bits_per_s("rate", link["rate_bps"], MOST_BPS)
    rate = f"{kept.words} {kept.words.replace('rate', 'ceil')}"
    if kept.note:
        yield f"# rate = {link['rate_bps']} bit/s: {kept.note}"
    beyond = link["overhead_bytes"] - ETHERNET_HEADER
    if beyond > 0:
        counted = in_numbers("overhead", beyond, Counts("bytes", most=MOST_OVERHEAD))
        rate += f" {counted.words}"
        if counted.note:
            yield f"# overhead = {link['overhead_bytes']} B: {counted.note}"
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
    if link["rate_changes"]:
        yield "# changes: HTB has one rate, here the link's; `tc class change` gives it another"
    yield f"tc qdisc add dev ${dev} root handle 1: htb default 1"
    yield f"tc class add dev ${dev} parent 1: classid 1:1 htb {rate}"


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
        qdisc = Qdisc("bfifo", {"limit": bytes_limit})
    given = {**params, "preset": queue["preset"]}
    tried = {key: write(params[key], given, about) for key, write in qdisc.options.items()}
    written = {key: one for key, one in tried.items() if one is not None}
    yield from (f"# {name}: {note}" for note in qdisc.notes)
    yield from _differences(name, qdisc, params, written)
    if queue["preset"] in ("ns2", "ns3"):
        yield f'# preset = "{queue["preset"]}": the ways of that program have no equivalent'
    words = [qdisc.name, *qdisc.always, *(one.words for one in written.values() if one.words)]
    if qdisc.of_link is not None:
        of_link = qdisc.of_link(about)
        words.append(of_link.words)
        if of_link.note:
            yield f"# {name}: {of_link.note}"
    yield f"tc qdisc add dev ${dev} parent 1:1 handle 10: {' '.join(words)}"


def _counts_packets(limit: Any) -> bool:
    return limit == "none" or units.in_packets(limit)


def _differences(
    name: str, qdisc: Qdisc, params: dict[str, Any], written: dict[str, Written]
) -> Iterator[str]:
    """What tc has no option for, where Linux does something else, and what it takes otherwise."""
    for param in registries.entries("disciplines")[name]["params"]:
        linux = param["presets"].get("linux", param["default"])
        key, value = param["name"], _plain(params[param["name"]])
        if key in written:
            if written[key].note:
                yield f"# {key} = {value}: {written[key].note}"
        elif value != linux:
            without = "not written for" if key in qdisc.options else "no option of"
            yield f"# {key} = {value}: {without} {qdisc.name}, which has {linux}"


def _plain(value: Any) -> str:
    return json.dumps(value) if isinstance(value, bool) else str(value)


def _wire(link: dict[str, Any], dev: str, ifb: str) -> Iterator[str]:
    """Delay, jitter and losses, where the link arrives."""
    if link["delay_is_drawn"]:
        yield "# delay: drawn once for each replica; this is replica 0's"
    if link["delay_changes"]:
        yield "# changes: netem has one delay, here the link's; `tc qdisc change` gives it another"
    least_s, most_s = link["delay_s"], link["delay_s"]
    if link["jitter"]:
        bounds = link["jitter"]["uniform_s"]
        if bounds is None or link["jitter"]["share"] < 1:
            yield f"# jitter = {value_text(link['jitter']['words'])}: netem has other laws"
        else:
            least_s, most_s = (link["delay_s"] + bound for bound in bounds)
    # Room for the smallest packets of an Ethernet.
    room = math.ceil(link["rate_bps"] * most_s / 8 / 64)
    limit = in_numbers("limit", max(room, 1000), Counts("packets"))
    if limit.note:
        yield f"# {room} of the smallest packets are under way: {limit.note}"
    delay = _delay(least_s, most_s)
    if delay.note:
        yield f"# delay = {link['delay_s']} s: {delay.note}"
    wire = f"{delay.words} {limit.words}"
    if most_s > least_s and not link["reorders"]:
        yield "# reorders = false: with a rate, here one that takes no time, netem keeps the order"
        wire += f" rate {NO_TIME}"
    if link["loss"]:
        lost = _loss(link["loss"])
        if lost is None:
            yield f"# loss = {value_text(link['loss'])}: netem loses packets by other laws"
        else:
            wire += f" loss {lost}"
    yield _if_there(f"tc qdisc del dev ${dev} ingress")
    yield _if_there(f"ip link del {ifb}")
    yield f"ip link add {ifb} type ifb"
    yield f"ip link set dev {ifb} up"
    yield f"tc qdisc add dev {ifb} root netem {wire}"
    yield f"tc qdisc add dev ${dev} ingress"
    yield (
        f"tc filter add dev ${dev} parent ffff: protocol all prio 1 matchall "
        f"action mirred egress redirect dev {ifb}"
    )


def _delay(least_s: float, most_s: float) -> Written:
    """netem's words for delays between two bounds: the middle, and how far they reach from it."""
    counts = Counts("microseconds", most=MOST_DELAY)
    middle, reach = ((most_s + least_s) / 2, (most_s - least_s) / 2)

    def part(option: str, exact_s: float) -> Written:
        return in_numbers(option, exact_s * 1e6, counts, lambda us: units.time_text(us / 1e6))

    delay = part("delay", middle)
    if reach <= 0:
        return Written(delay.words, _beyond(delay, middle))
    jitter = part("", reach)
    return Written(f"{delay.words}{jitter.words}", _beyond(delay, middle) or _beyond(jitter, reach))


def _beyond(written: Written, exact_s: float) -> str:
    """What to say of a time that netem has no room for; that it counts in whole ones is known."""
    return written.note if exact_s * 1e6 > MOST_DELAY else ""


def _loss(law: dict[str, Any]) -> str | None:
    """netem's words for a law of losses; None where it has none."""
    if "ratio" in law:
        return f"random {_percent(law['ratio'])}"
    if "good_to_bad" not in law:
        return None
    shares = (law["good_to_bad"], law["bad_to_good"], law["in_bad"], law["in_good"])
    return f"gemodel {' '.join(map(_percent, shares))}"


def _percent(share: float) -> str:
    return f"{100 * share:.7g}%"


def script(title: str, links: Mapping[int, dict[str, Any]], *, queue_only: bool = False) -> str:
    """A shell script for links as ``Scenario.network`` describes them, by their numbers there.

    ``queue_only`` leaves out the path: delay, jitter and losses.
    """
    named = f"# {' '.join(title.split())}, in Linux's words."
    lines = [
        "#!/bin/sh",
        f"{named} Name the interfaces, then run each part on its machine.",
        "# Each part removes the qdiscs that its interface has had.",
        "# Flows have no equivalent in tc: make them with iperf3 or flent.",
        "set -e",
    ]
    for number, link in links.items():
        lines += ["", *commands(link, number, queue_only=queue_only)]
    return "\n".join(lines) + "\n"
