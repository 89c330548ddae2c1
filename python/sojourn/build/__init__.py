"""Builds scenarios in code: flows, and networks by their shape."""

from sojourn.build.flows import Flow, Flows, tcp, udp
from sojourn.build.graph import from_networkx, to_networkx
from sojourn.build.topologies import Link, dumbbell, link, network, parking_lot, star, tree

__all__ = [
    "Flow",
    "Flows",
    "Link",
    "dumbbell",
    "from_networkx",
    "link",
    "network",
    "parking_lot",
    "star",
    "tcp",
    "to_networkx",
    "tree",
    "udp",
]
