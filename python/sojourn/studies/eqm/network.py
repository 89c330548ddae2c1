"""The numbers of the network that the proofs rest on, from the scenario itself."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sojourn.studies import quantities
from sojourn.studies.eqm import scenario
from sojourn.studies.knobs import Settings, settle


@dataclass(frozen=True)
class Network:
    """Rates in bit/s, times in s, sizes in bytes, loads in Mbit/s.

    `duration` is what is measured: it begins when the warm-up ends.
    """

    bottleneck_rate: float
    bottleneck_propagation: float
    path_propagation: float
    path_serialisation: float
    packet_bytes: float
    limit_packets: float
    duration: float
    warmup: float
    loads: tuple[float, ...]

    @property
    def packets_per_second(self) -> float:
        """What the bottleneck can carry."""
        return self.bottleneck_rate / (8 * self.packet_bytes)

    @property
    def capacity_mbps(self) -> float:
        """The rate of the bottleneck in Mbit/s."""
        return self.bottleneck_rate / 10**6

    @property
    def highest_sum_mbps(self) -> float:
        """The most that the throughputs of all loads can add up to, in Mbit/s."""
        return sum(min(load, self.capacity_mbps) for load in self.loads)

    @property
    def highest_mean_mbps(self) -> float:
        """The most that the throughput can be on average over the loads, in Mbit/s."""
        return self.highest_sum_mbps / len(self.loads)


def published() -> Network:
    """The network as published: 60 loads, the path from node 0 to node 5."""
    return of(scenario.document(settings := defaults()), settings)


def defaults() -> Settings:
    """Every knob at its default."""
    return settle("eqm", scenario.KNOBS, {})


def of(document: dict[str, Any], settings: Settings) -> Network:
    """The numbers of a scenario of this study; the path is that of the first source."""
    by_name = {one["name"]: one for one in document["link"]}
    path = ["access0", "bottleneck"] + (["last"] if settings["destination"] == "5" else [])
    flow = document["flow"][0]
    size = Fraction(flow["transport"]["payload"].removesuffix(" B"))
    bits = [quantities.bits_per_second(by_name[name]["rate"]) for name in path]
    delays = [quantities.seconds(by_name[name]["delay"]) for name in path]
    return Network(
        bottleneck_rate=float(quantities.bits_per_second(by_name["bottleneck"]["rate"])),
        bottleneck_propagation=float(quantities.seconds(by_name["bottleneck"]["delay"])),
        path_propagation=float(sum(delays)),
        path_serialisation=float(sum(8 * size / rate for rate in bits)),
        packet_bytes=float(size),
        limit_packets=float(by_name["bottleneck"]["queue"]["limit"].removesuffix(" packets")),
        duration=float(
            quantities.seconds(settings["duration"]) - quantities.seconds(settings["warmup"])
        ),
        warmup=float(quantities.seconds(settings["warmup"])),
        loads=tuple(
            float(rate * scenario.SOURCES / 10**6) for rate in scenario.stated_rates(settings)
        ),
    )
