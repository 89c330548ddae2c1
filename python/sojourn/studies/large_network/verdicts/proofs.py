"""Verdicts by proof, and where the paper says two things."""

from __future__ import annotations

from collections.abc import Mapping

from sojourn.studies.claims import Outcome, Verdict
from sojourn.studies.judging import Judgement, label, side_by_side
from sojourn.studies.large_network import bounds, network
from sojourn.studies.large_network.evidence import Evidence
from sojourn.studies.large_network.scenario import LIMITS, SENDERS, limit_name, senders_name
from sojourn.studies.large_network.verdicts.common import Rule, judged, printed
from sojourn.studies.tables import figure_text, interval_text


def delays(claim: str, many: bool) -> Rule:
    """The rule for printed end-to-end delays: below what the links alone take."""

    def rule(evidence: Evidence) -> Verdict:
        paper = evidence.published.many_to_many if many else evidence.published.many_to_one
        case = evidence.many if many else evidence.one
        values = paper["delay"]
        ours = side_by_side(evidence.seen.intervals("delay", case, list(values)), f"ms ({case})")
        return below_floor(evidence, claim, values, ours)

    return rule


def below_floor(evidence: Evidence, claim: str, numbers: Mapping[str, float], ours: str) -> Verdict:
    """Delays below propagation and serialisation of the path."""
    broken = [name for name in numbers if numbers[name] < bounds.path_ms()]
    reason = (
        f"The path takes {figure_text(bounds.path_ms(), 4)} ms without any queue: "
        f"{network.HOPS} links of {bounds.hop_ms():g} ms, and {figure_text(bounds.send_ms())} ms "
        f"to send {bounds.packet_bytes()} bytes on each. {len(broken)} of {len(numbers)} printed "
        f"delays lie below."
    )
    return Verdict(
        evidence.claim(claim),
        Outcome.IMPOSSIBLE if broken else Outcome.DISAGREES,
        printed(numbers, "ms"),
        ours,
        reason,
    )


def limit_delays(evidence: Evidence) -> Verdict:
    """The delays at the shortest queue."""
    shortest = LIMITS[0]
    case = limit_name(shortest, SENDERS[0])
    values = {name: at[shortest] for name, at in evidence.published.limits["delay"].items()}
    ours = side_by_side(evidence.seen.intervals("delay", case, list(values)), f"ms ({case})")
    return below_floor(evidence, "limits-delay-cells", values, ours)


def limit_contradiction(evidence: Evidence) -> Judgement:
    """The sentence and the numbers on the delays of RED and ARED."""
    shortest = LIMITS[0]
    values = {name: at[shortest] for name, at in evidence.published.limits["delay"].items()}
    case = limit_name(shortest, SENDERS[0])
    red, ared = values["red"], values["ared"]
    reason = (
        f"The text has RED with the higher delay, and ARED as the one that adapts to have less; "
        f"its own sample, at {shortest} packets, has RED at {1000 * red:g} and ARED at "
        f"{1000 * ared:g} µs. It also says that RED is higher than RED."
    )
    outcome = Outcome.CONTRADICTS_ITSELF if red < ared else Outcome.AGREES
    return Judgement(outcome, evidence.sample("delay", case, list(values)).text(), reason)


def above_capacity(evidence: Evidence) -> Judgement:
    """Printed throughputs against the links of the clients and of the servers."""
    values = evidence.published.many_to_many["throughput"]
    most = bounds.clients_kbps()
    over = [name for name in values if values[name] > most]
    every = evidence.interval("throughput", "all to all, 64 flows", "red")
    reason = (
        f"Three clients send, each over one link of {bounds.link_kbps():g} kbit/s: no more than "
        f"{most:g} kbit/s enter the network. Even if all sixteen sent, the links of the four "
        f"servers take in {bounds.servers_kbps():g} kbit/s, and ours with 64 flows reach "
        f"{interval_text(every)}. {len(over)} of {len(values)} printed numbers exceed both."
    )
    outcome = Outcome.IMPOSSIBLE if over else Outcome.DISAGREES
    ours = evidence.sample("throughput", evidence.many, list(values)).text()
    return Judgement(outcome, ours, reason)


def droptail_loss(evidence: Evidence) -> Judgement:
    """What two or three connections can have under way, against the room of the queue."""
    room = bounds.limit_packets()
    three, two = bounds.under_way(3), bounds.under_way(2)
    ours = "; ".join(
        f"{case} {interval_text(evidence.interval('loss', case, 'droptail'))} %"
        for case in (*(senders_name(count) for count in SENDERS), "3 senders, UDP")
    )
    reason = (
        f"ns-3's default buffers hold {bounds.WINDOW} bytes, so a connection has at most "
        f"{bounds.under_way(1)} segments of {bounds.segment_bytes()} bytes under way: {two} with "
        f"two clients, {three} with three. A queue with room for {room} packets never overflows. "
        f"Ours: {ours}. What loses about as much as printed is UDP."
    )
    return Judgement(Outcome.IMPOSSIBLE if three <= room else Outcome.DISAGREES, ours, reason)


def senders(evidence: Evidence) -> Judgement:
    """Three clients, two clients, eight clients."""
    ours = "; ".join(
        f"{case}: {label('red')} {interval_text(evidence.interval('throughput', case, 'red'))} "
        f"kbit/s"
        for case in (senders_name(count) for count in SENDERS)
    )
    reason = (
        "Section II.A has three clients connected to one server, section III.A.1 has N0 and N1 "
        "sending to the server N4; with eight clients N4 is a client if nodes are numbered from "
        "the clients on. All readings are run: 2, 3 and 8 senders."
    )
    return Judgement(Outcome.CONTRADICTS_ITSELF, ours, reason)


def nodes(evidence: Evidence) -> Judgement:
    """N13 sends, N9 to N12 serve, and there are sixteen clients."""
    reason = (
        "Table 2 has 16 clients and 4 servers. The text has N9 to N12 as servers and N13 as a "
        "client: then N0 to N15 are not the clients, and the servers stand among them. Where N0, "
        "N4 and N13 are connected is not said; four to a router puts them on three routers."
    )
    ours = evidence.sample("throughput", evidence.many).text()
    return Judgement(Outcome.CONTRADICTS_ITSELF, ours, reason)


def better_and_worst(evidence: Evidence) -> Judgement:
    """Drop-tail in the text to Fig. 6."""
    numbers = evidence.published.many_to_one["throughput"]
    reason = (
        f"One sentence says that PFIFO and drop-tail have the worst throughput, the next that "
        f"drop-tail has better throughput; printed are {numbers['droptail']:g} kbit/s against "
        f"{numbers['codel']:g} for CoDel."
    )
    ours = evidence.sample("throughput", evidence.one).text()
    return Judgement(Outcome.CONTRADICTS_ITSELF, ours, reason)


def fewer_drops(evidence: Evidence) -> Judgement:
    """The conclusion against Fig. 10."""
    loss = evidence.published.many_to_many["loss"]
    ours = evidence.sample("loss", evidence.many).text()
    reason = (
        f"The conclusion has RED and CoDel lose less in both networks; by the text to Fig. 10 RED "
        f"loses {loss['red']:g} %, PFIFO and drop-tail {loss['droptail']:g} %."
    )
    outcome = Outcome.CONTRADICTS_ITSELF if loss["red"] > loss["droptail"] else Outcome.AGREES
    return Judgement(outcome, ours, reason)


def red_best(evidence: Evidence) -> Judgement:
    """The conclusion against Figs. 6 and 7."""
    loss = evidence.published.many_to_one["loss"]
    ours = "; ".join(
        evidence.sample(column, evidence.one).text() for column in ("throughput", "loss", "delay")
    )
    reason = (
        f"By the text to Figs. 6 and 7 CoDel has clearly the highest throughput and loses "
        f"{loss['codel']:g} % against RED's {loss['red']:g} %, with the same delay: RED is not the "
        f"best in the first network."
    )
    return Judgement(Outcome.CONTRADICTS_ITSELF, ours, reason)


RULES: dict[str, Rule] = {
    "one-senders": judged("one-senders", "three clients; N0 and N1", senders),
    "one-droptail-better": judged("one-droptail-better", "better; worst", better_and_worst),
    "one-loss-droptail": judged("one-loss-droptail", "32 %", droptail_loss),
    "one-delay-cells": delays("one-delay-cells", many=False),
    "many-nodes": judged("many-nodes", "N13 sends; 16 clients", nodes),
    "many-throughput-cells": judged(
        "many-throughput-cells", "RED 11000, CoDel 9300 kbit/s", above_capacity
    ),
    "many-delay-cells": delays("many-delay-cells", many=True),
    "limits-delay-cells": limit_delays,
    "limits-delay-contradiction": judged(
        "limits-delay-contradiction", "RED higher; RED 60 µs, ARED 80 µs", limit_contradiction
    ),
    "better-and-fewer": judged(
        "better-and-fewer", "less in both; RED 28 %, drop-tail 25 %", fewer_drops
    ),
    "red-best": judged("red-best", "RED best in both; CoDel highest", red_best),
}
