"""What the guidelines leave to the tester, and the choice that these settings take."""

from __future__ import annotations

from sojourn.studies.base import OpenPoint
from sojourn.studies.judging import label
from sojourn.studies.knobs import Settings
from sojourn.studies.rfc7928 import traffic
from sojourn.studies.rfc7928.chapters import profiles, senders, stability
from sojourn.studies.rfc7928.laboratory import BACKGROUND, SHARES, Laboratory


def open_points(settings: Settings) -> tuple[OpenPoint, ...]:
    """All open points, with the values in force."""
    text = settings.texts
    laboratory = Laboratory(settings)
    names = ", ".join(label(one) for one in settings["queues"])
    flows = ", ".join(f"{laboratory.flows_of(one)} {one}" for one in SHARES)
    return (
        OpenPoint("Which disciplines, and how they are set (4.3).", f"{names}.", "queues"),
        OpenPoint(
            "Capacity and round trip are not given, but for 8.2.6 and category I.",
            f"{text['rate']}, {text['rtt']}: {flows} flows make the levels of congestion.",
            "rate, rtt",
        ),
        OpenPoint(
            "The room of the queues may be the bandwidth-delay product (3.2).",
            f"{text['buffer']} of it, by the longest round trip of a case, the same for all.",
            "buffer",
        ),
        OpenPoint(
            "When the state is steady, how long a run is and how many there are.",
            f"Measured for {text['duration']} after {text['settle']}, {text['replicas']} replicas.",
            "duration, settle, replicas",
        ),
        OpenPoint(
            "The same where round trips are unequal (6.2, 4.5).",
            f"Measured for {text['fairness_duration']} after {text['fairness_settle']}: long "
            "windows grow slowly, and behind drop-tail minutes pass from loss to loss.",
            "fairness_duration, fairness_settle",
        ),
        OpenPoint(
            "Phases last 20 s, or what the path needs (8.2.5, 8.2.6).",
            f"{text['phase']}, {stability.CYCLES} times each; {stability.CAPACITY_FLOWS} NewReno "
            f"flows where the capacity varies.",
            "phase",
        ),
        OpenPoint(
            "Rates of UDP, of constant traffic and of videos (5.3, 7.2, 9.1).",
            f"UDP alone {float(senders.ABOVE):g} of the capacity, beside TCP "
            f"{float(senders.BESIDE):g}; constant traffic {float(BACKGROUND):g}; a video "
            f"1/{traffic.SHARE}, in frames every {traffic.FRAME_MS} ms at {traffic.BURST} times "
            f"the capacity (7.2), or chunks over TCP (9.1), each of what the capacity carries in "
            f"{traffic.CHUNK_MS} ms and asked for {traffic.PAUSE_S} s after the one before has "
            "arrived: how many there are adapts, not their size.",
            "-",
        ),
        OpenPoint(
            "The pages (7.2): at least 50 objects of at least 1 KB.",
            f"{traffic.OBJECTS} objects of 1 to 15 kB and one of 10 kB, six connections, the next "
            f"page after 1 s.",
            "-",
        ),
        OpenPoint(
            "How unequal the two ways are (9.2).",
            f"Equal, and 1:{profiles.ASYMMETRY}; the discipline on the way there, and on both.",
            "-",
        ),
        OpenPoint(
            "Which schemes stand at two routers (10.2), and how fast the first link is.",
            "The same at both, and drop-tail at the first; the first link has half of the "
            "capacity, so that both are congested.",
            "-",
        ),
        OpenPoint(
            "Which losses are one event (2.4).",
            "Those within a round trip of the first, the wait at that time counted.",
            "-",
        ),
        OpenPoint(
            "How many flows lose at once (2.4), where flows come and go (5.1.2, 7.2, 8.2.5, 9.1).",
            "Not told: a link counts them among all flows of a run, not among those that are "
            "there.",
            "-",
        ),
        OpenPoint(
            "For what delay is drawn against goodput (2.7).",
            "For one flow (5.1.1, 5.2), congestion, bursts IV, the mix, both directions where the "
            "discipline is on both (9.2), and two queues; not for other scenarios, nor for classes "
            "of traffic apart (5.1.2, 5.3, 5.4, 9.1).",
            "-",
        ),
        OpenPoint(
            "Distributions (2.7) are shown by their percentiles.",
            "A log of every packet has them: sojourn events.",
            "-",
        ),
        OpenPoint(
            "How jitter is told (2.6): by the packet delay variation of RFC 5481.",
            "Its 99th percentile, above the least delay of the flow, and the jitter of RFC 3550.",
            "-",
        ),
        OpenPoint(
            "From when on time counts (8.2): when all flows are in congestion avoidance.",
            f"From {text['settle']} on, whatever they are in.",
            "settle",
        ),
        OpenPoint(
            "Delay is to be drawn against goodput by phase (8.2.5, 8.2.6).",
            "Not drawn; goodput, delay and drops of the phases are in their tables.",
            "-",
        ),
        OpenPoint(
            "The time until a flow starts: DNS, TCP and TLS (2.2).",
            "Not measured; TCP's handshake counts for the time of a transfer.",
            "-",
        ),
        OpenPoint(
            "How many SYNs and acknowledgements are lost (9.2).",
            "Not told apart: drops on the way back are of all packets there.",
            "-",
        ),
        OpenPoint(
            "LEDBAT beside TCP has a target of 5 ms and a gain of 10 (5.4).",
            "As the section says, though RFC 6817 (2.5) allows no gain above 1.",
            "-",
        ),
    )
