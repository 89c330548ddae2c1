"""What all scenarios of this study are made of, for given settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sojourn.studies import quantities
from sojourn.studies.knobs import Settings
from sojourn.studies.parts import Axis, Part
from sojourn.studies.rfc7928 import network, queues, readings, traffic
from sojourn.studies.rfc7928.network import BOTTLENECK
from sojourn.studies.rfc7928.readings import Reading

STUDY = "rfc7928"
PACKAGE = "sojourn.studies.rfc7928"

SHARES = {"mild": 0.036, "medium": 0.081, "heavy": 0.114}
"""Flows of each level of congestion by packet of pipe and buffer (sections 8.2.2 to 8.2.4)."""

CAPACITIES = ("100 Mbit/s", "10 Mbit/s")
"""Between what capacities the bottleneck varies (section 8.2.6)."""

BACKGROUND = Fraction(1, 10)
"""Rate of constant traffic in mixes, as a share of the capacity."""


@dataclass(frozen=True)
class Plan:
    """A scenario of the RFC: its section, its name in print, and what is read of its runs.

    `case` says what a step of its case axis is: "round trip of {}".
    """

    part: Part
    section: str
    title: str
    readings: tuple[Reading, ...]
    case: str = "{}"

    @property
    def name(self) -> str:
        """The name of its scenario file."""
        return self.part.name

    def named(self, case: str) -> str:
        """What a case of it is called; without a case axis its title is the case."""
        return self.title if case == self.title else f"{self.title}, {case}"

    @property
    def chapter(self) -> str:
        """The first number of its section."""
        return self.section.partition(".")[0]


class Laboratory:
    """Makes scenarios: the settings as numbers, and the parts that many of them share."""

    def __init__(self, settings: Settings) -> None:
        """Read the settings."""
        self.settings = settings
        self.rate_text: str = settings["rate"]
        self.rate = quantities.bits_per_second(self.rate_text)
        fastest = max(self.rate, *(quantities.bits_per_second(one) for one in CAPACITIES))
        self.access_rate = network.access_rate(fastest)
        self.rtt = quantities.seconds(settings["rtt"])
        self.settle = quantities.seconds(settings["settle"])
        self.measured = quantities.seconds(settings["duration"])
        self.fairness_settle = quantities.seconds(settings["fairness_settle"])
        self.fairness_measured = quantities.seconds(settings["fairness_duration"])
        self.phase = quantities.seconds(settings["phase"])

    def access(self, groups: Mapping[str, Fraction], **where: Any) -> network.Links:
        """The links of senders and receivers, fast enough for every bottleneck here."""
        return network.access(groups, self.access_rate, **where)

    def room(self, rate: str | None = None, rtt: Fraction | None = None) -> int:
        """The room of a queue in packets."""
        whole = network.bdp_packets(rate or self.rate_text, rtt or self.rtt)
        return max(1, round(self.settings["buffer"] * whole))

    def flows_of(self, level: str, rate: str | None = None) -> int:
        """How many flows make a level of congestion, one at least (section 8.2.1)."""
        pipe = network.bdp_packets(rate or self.rate_text, self.rtt)
        return max(1, round(SHARES[level] * (pipe + self.room(rate))))

    def step(self) -> str:
        """The interval of time series: forty to a phase."""
        return quantities.time_text(self.phase / 40)

    def document(
        self,
        title: str,
        links: network.Links,
        flows: Sequence[traffic.Flow],
        *,
        settle: Fraction | None = None,
        measured: Fraction | None = None,
        **keys: Any,
    ) -> dict[str, Any]:
        """A scenario without what varies; `keys` are further ones of its head."""
        begin = self.settle if settle is None else settle
        end = begin + (self.measured if measured is None else measured)
        return {
            "name": STUDY,
            "title": title,
            "duration": quantities.time_text(end),
            "warmup": quantities.time_text(begin),
            "seed": 1,
            "replicas": self.settings["replicas"],
            **keys,
            "link": links,
            "flow": list(flows),
        }

    def subjects(self, link: str = BOTTLENECK, *, ecn: bool = False) -> Axis:
        """The disciplines, on the links that go by this name."""
        wanted: tuple[str, ...] = self.settings["queues"]
        return Axis("subject", f"link.{link}.queue", queues.tables(wanted, ecn=ecn))

    def plan(
        self,
        name: str,
        section: str,
        title: str,
        flows: Sequence[traffic.Flow],
        *further: Reading,
        case: Axis | None = None,
        case_text: str = "{}",
        come_and_go: bool = False,
        **keys: Any,
    ) -> Plan:
        """A scenario on one bottleneck with drop-tail on the way back.

        `come_and_go` says that not all flows are there all the time.
        """
        groups = {one["name"]: self.rtt for one in flows}
        links = self.access(groups) + network.dumbbell(self.rate_text, self.room())
        document = self.document(title, links, flows, **keys)
        axes = (*((case,) if case else ()), self.subjects())
        found = (*readings.common(come_and_go=come_and_go), *further)
        return Plan(Part(name, document, axes), section, title, found, case_text)
