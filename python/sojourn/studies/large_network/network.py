"""The networks of the paper: who is joined to whom, and who sends to whom.

Every link has the same rate and delay in both directions, each direction with a queue of its own:
in ns-3 a discipline is installed on all devices at once. Nodes without traffic are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

RATE = "1.5 Mbit/s"
DELAY = "20 ms"
LIMIT = "1000 packets"
OVERHEAD = "2 B"
SEGMENT = "512 B"

Table = dict[str, Any]

CASES = {
    "case 1": (("n0", "n11"), ("n0", "n12")),
    "case 2": (("n4", "n10"), ("n4", "n9")),
    "case 3": (("n13", "n11"), ("n13", "n12"), ("n13", "n10"), ("n13", "n9")),
}
"""The many-to-many cases: client and server, as the paper numbers them."""

CLIENTS_PER_ROUTER = 4
ROUTERS = 4
SERVERS = ("n9", "n10", "n11", "n12")

HOPS = 3
"""Links from a client to a server, in both networks."""


def both_ways(name: str, a: str, b: str, device_queue: str) -> list[Table]:
    """A link and its way back."""
    shared = {
        "rate": RATE,
        "delay": DELAY,
        "overhead": OVERHEAD,
        "device_queue": device_queue,
        "queue": {"discipline": "droptail", "preset": "ns3", "limit": LIMIT},
    }
    return [
        {"name": name, "from": a, "to": b} | shared,
        {"name": f"{name}-back", "from": b, "to": a} | shared,
    ]


def many_to_one(device_queue: str) -> list[Table]:
    """Clients c0, c1 ... - router - switch - server n4; the other three servers are idle."""
    return [
        *both_ways("access", "c*", "router", device_queue),
        *both_ways("core-trunk", "router", "switch", device_queue),
        *both_ways("core-server", "switch", "n4", device_queue),
    ]


def many_to_many(pairs: Sequence[tuple[str, str]], device_queue: str) -> list[Table]:
    """Those clients and servers of the paper that have traffic, each client by its router."""
    links: list[Table] = []
    clients = list(dict.fromkeys(client for client, _ in pairs))
    routers = {client: f"r{int(client[1:]) // CLIENTS_PER_ROUTER}" for client in clients}
    for client, router in routers.items():
        links += both_ways(f"access-{client}", client, router, device_queue)
    for router in dict.fromkeys(routers.values()):
        links += both_ways(f"core-{router}", router, "switch", device_queue)
    for server in dict.fromkeys(server for _, server in pairs):
        links += both_ways(f"core-{server}", "switch", server, device_queue)
    return links


def everybody(device_queue: str) -> list[Table]:
    """All 16 clients, four to a router, and all four servers."""
    links: list[Table] = []
    for router in range(ROUTERS):
        links += both_ways(f"access-r{router}", f"r{router}c*", f"r{router}", device_queue)
        links += both_ways(f"core-r{router}", f"r{router}", "switch", device_queue)
    for server in SERVERS:
        links += both_ways(f"core-{server}", "switch", server, device_queue)
    return links


def everybody_to_all(common: Table) -> list[Table]:
    """Each of the 16 clients to each of the four servers: 64 flows."""
    return [
        {"name": f"r{router}-{server}", "count": CLIENTS_PER_ROUTER}
        | {"from": f"r{router}c*", "to": server}
        | common
        for router in range(ROUTERS)
        for server in SERVERS
    ]
