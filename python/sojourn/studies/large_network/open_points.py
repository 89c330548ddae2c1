"""What the paper leaves open, and the choice that these settings take."""

from __future__ import annotations

from sojourn.studies import quantities
from sojourn.studies.base import OpenPoint
from sojourn.studies.knobs import Settings
from sojourn.studies.large_network.evidence import MANY, ONE


def open_points(settings: Settings) -> tuple[OpenPoint, ...]:
    """All open points, with the values in force."""
    text = settings.texts
    where = (
        "On all links, both ways, as ns-3 installs it on all devices"
        if settings["where"] == "all"
        else "On the links of routers, switch and servers; drop-tail on those of the clients"
    )
    always = quantities.seconds(settings["off"]) == 0
    rhythm = "always on" if always else f"{text['on']} on, {text['off']} off"
    thresholds = (
        "With automatic thresholds, as ns-3's ARED has them whatever is given"
        if settings["ared"] == "automatic"
        else "With the thresholds printed for RED"
    )
    return (
        OpenPoint(
            "Who sends in the first network: eight clients are drawn, three are connected to the "
            "server, N0 and N1 send.",
            f"Verdicts rest on {ONE}; 3 and 2 senders are run beside them.",
            "-",
        ),
        OpenPoint(
            "Whether the three cases of the second network are one run or three, and where N0, N4 "
            "and N13 are connected.",
            f"Verdicts rest on {MANY}, each client at a router of its own; each case alone, and "
            f"all sixteen clients to all four servers, are run beside them.",
            "-",
        ),
        OpenPoint(
            "Rate and rhythm of the on/off sources are not given.",
            f"{text['rate']} while on; {rhythm}, beginning off as ns-3's do; starts uniform in "
            f"{text['start']}.",
            "rate, on, off, start",
        ),
        OpenPoint(
            "The TCP is not named; packets carry 512 bytes.",
            f"{settings['tcp'].capitalize()} with ns-3's defaults (buffers of 131072 bytes, SACK, "
            f"timestamps, the PRR of ns-3.37), segments of 512 bytes. Three UDP sources are run "
            f"beside it.",
            "tcp",
        ),
        OpenPoint(
            "Where the discipline stands is not said.",
            f"{where}, over a device queue of {text['device_queue']} packets.",
            "where, device_queue",
        ),
        OpenPoint(
            "RED's weight and largest probability, CoDel's and ARED's settings are not given.",
            f"ns-3's defaults: w_q 0.002, max_p 1/50, gentle; CoDel 5 and 100 ms. ARED: "
            f"{thresholds[0].lower()}{thresholds[1:]}.",
            "ared",
        ),
        OpenPoint(
            "Which PFIFO is meant is not said; its text speaks of priorities.",
            "ns-3's default of the time, PFIFO-fast, with three bands. No source marks a priority.",
            "-",
        ),
        OpenPoint(
            "Which network, which senders and which rates the queue limits were compared in.",
            "The first network with 8 and with 2 senders.",
            "-",
        ),
        OpenPoint(
            "Whether throughput counts headers is not said.",
            "Both are shown; a printed number agrees if it fits one of them.",
            "-",
        ),
        OpenPoint(
            "Runs and seeds are not given; 20 s of simulation.",
            f"{text['replicas']} replicas of {text['duration']}.",
            "duration, replicas",
        ),
    )
