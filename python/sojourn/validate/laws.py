"""The laws that every discipline keeps, over random operations through the driver.

Whatever is offered: what came in is what went out, was dropped or waits, in packets and in bytes;
nothing comes out twice; the limit holds; packets of one flow keep their order; only ECN-capable
packets are marked.
"""

from __future__ import annotations

import random
from typing import Any

from sojourn.validate.finding import Finding, Verdict
from sojourn.validate.play import Player, PlayError, Record

OPERATIONS = 3000
LIMIT = 20
LINK = {"mbps": 10, "delay_s": 0.02}
PRESETS = ("reference", "linux", "ns3", "ns2")
SIZES = (64, 500, 1000, 1500)
CODEPOINTS = ("not", "ect0", "ect1")

OWN_LIMIT = {(name, "ns2") for name in ("sfq", "red", "ared", "avq")}
"""Those that ignore ``limit`` or take it for bytes, as the peer does."""


def check(discipline: str, preset: str) -> Finding:
    """Do operations at random; count the laws that are broken."""
    player, ecn = _operated(discipline, preset)
    bounded = (discipline, preset) not in OWN_LIMIT
    broken = sum(broken_laws(player.record, ecn, LIMIT if bounded else None).values())
    return Finding(
        evidence=discipline,
        discipline=discipline,
        case=preset,
        check=f"laws broken in {OPERATIONS} random operations",
        ours=str(broken),
        theirs="0",
        tolerance="none",
        verdict=Verdict.DIFFERS if broken else Verdict.AGREES,
        source="conservation, limit, order within a flow, marks",
    )


def _operated(discipline: str, preset: str) -> tuple[Player, list[str]]:
    stream = random.Random(f"{discipline} {preset}")
    player = _player(discipline, {"preset": preset, "limit_packets": LIMIT})
    t_ns, codepoints = 0, []
    for _ in range(OPERATIONS):
        t_ns += stream.choice((0, 100_000, 800_000, 3_000_000))
        if stream.random() < 0.6:
            size, flow = stream.choice(SIZES), stream.randrange(5)
            codepoints.append(CODEPOINTS[flow % len(CODEPOINTS)])
            player.enqueue(t_ns, size, flow, ecn=codepoints[-1], src=flow)
        else:
            player.dequeue(t_ns)
    return player, codepoints


def _player(discipline: str, params: dict[str, Any]) -> Player:
    try:
        return Player(discipline, params | {"ecn": True}, LINK, 1)
    except PlayError:
        return Player(discipline, params, LINK, 1)


def broken_laws(record: Record, ecn: list[str], limit: int | None) -> dict[str, int]:
    """How often each law was broken."""
    gone = [departure.packet for departure in record.departures]
    gone += [drop.packet for drop in record.drops]
    state = record.states[-1][1]
    sizes = [arrival.size for arrival in record.arrivals]
    last: dict[int, int] = {}
    disorder = 0
    for departure in record.departures:
        flow = record.arrivals[departure.packet].flow
        disorder += departure.packet < last.get(flow, -1)
        last[flow] = departure.packet
    return {
        "packets": int(len(sizes) != len(gone) + state["packets"]),
        "bytes": int(sum(sizes) != sum(sizes[packet] for packet in gone) + state["bytes"]),
        "twice": len(gone) - len(set(gone)),
        "limit": 0 if limit is None else sum(s["packets"] > limit for _, s in record.states),
        "order": disorder,
        "marks": sum(ecn[mark.packet] == "not" for mark in record.marks),
    }
