"""Proofs: what no run of these networks can give, whatever the algorithms."""

from __future__ import annotations

from fractions import Fraction

from sojourn.studies import quantities
from sojourn.studies.large_network import network

HEADERS = 52
"""Bytes of IP and TCP headers, timestamps included."""

WINDOW = 131072
"""Bytes that one connection may have under way with ns-3's default buffers."""


def packet_bytes() -> int:
    """A full segment on the wire."""
    return segment_bytes() + HEADERS + int(network.OVERHEAD.removesuffix(" B"))


def segment_bytes() -> int:
    """The payload of a segment."""
    return int(network.SEGMENT.removesuffix(" B"))


def send_ms() -> float:
    """How long a link takes to send one packet, in ms."""
    return float(1000 * Fraction(8 * packet_bytes()) / quantities.bits_per_second(network.RATE))


def hop_ms() -> float:
    """Propagation of one link, in ms."""
    return float(1000 * quantities.seconds(network.DELAY))


def path_ms() -> float:
    """The least that a packet takes from a client to a server, in ms."""
    return network.HOPS * (hop_ms() + send_ms())


def link_kbps() -> float:
    """The rate of a link, in kbit/s."""
    return float(quantities.bits_per_second(network.RATE) / 1000)


def clients_kbps() -> float:
    """The most that the sending clients of the second network get onto their own links."""
    clients = {client for case in network.CASES.values() for client, _ in case}
    return len(clients) * link_kbps()


def servers_kbps() -> float:
    """The most that all servers can take in."""
    return len(network.SERVERS) * link_kbps()


def under_way(connections: int) -> int:
    """The most segments that so many connections can have under way."""
    return connections * (WINDOW // segment_bytes())


def limit_packets() -> int:
    """The room of a queue."""
    return int(network.LIMIT.removesuffix(" packets"))
