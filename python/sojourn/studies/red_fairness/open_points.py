"""What the publication leaves open, and the choice that these settings take."""

from __future__ import annotations

from sojourn.studies.base import OpenPoint
from sojourn.studies.knobs import Settings
from sojourn.studies.red_fairness import scenario
from sojourn.studies.red_fairness.evidence import SPREAD_WORDS, t1_ms

TCP_NAMES = {"tahoe": "Tahoe", "reno": "Reno", "newreno": "NewReno"}


def open_points(settings: Settings) -> tuple[OpenPoint, ...]:
    """All open points, with the values in force."""
    text = settings.texts
    limits = ", ".join(str(one) for one in scenario.LIMITS)
    return (
        OpenPoint(
            "The window of the connections is not given.",
            f"{text['window']} packets (ns-2's default: 20, which Table 1 resembles), and windows "
            f"of {scenario.LARGE_WINDOW} beside it.",
            "window",
        ),
        OpenPoint(
            "Which TCP, and the size of its packets, is not said.",
            f"{TCP_NAMES[settings['tcp']]} as ns-2 has it, 1000 B and 40 B of header.",
            "tcp",
        ),
        OpenPoint(
            "The buffer is not given.",
            f"{text['limit']} packets, ns-2's default; limits of {limits} in the figures against "
            f"the buffer.",
            "limit",
        ),
        OpenPoint(
            "RED's parameters are not given.",
            "As ns-2 takes them from the link by itself (automatic)."
            if settings["red"] == "automatic"
            else "Thresholds of 5 and 15 packets and a weight of 0.002 (classic).",
            "red",
        ),
        OpenPoint(
            "D has neither a unit nor an explanation: delays or starts, in ms or s.",
            f"{SPREAD_WORDS[settings['d_is']]}, in ms of access delay; the other readings are "
            f"judged beside it. Starts D s apart are not run: the last of 16 senders would start "
            f"after 150 s or more.",
            "d_is",
        ),
        OpenPoint(
            "T1 of case 3 is 75 ms in its heading and 80 ms in the figure of the network.",
            f"{t1_ms(settings, 3)}.",
            "case3_t1",
        ),
        OpenPoint(
            "Duration, starts, number of runs and warm-up are not given.",
            f"{text['duration']}, starts uniform in {text['start']}, {text['replicas']} replicas, "
            f"warm-up {text['warmup']}; {text['counts']} of the 8 numbers of connections.",
            "duration, start, replicas, warmup, counts",
        ),
        OpenPoint(
            "The access links are not given.",
            "100 Mbit/s, no delay but D, room for 10000 packets: they never drop.",
            "-",
        ),
        OpenPoint(
            "The formula of the fairness index cannot be read in the copy we have.",
            "Jain's: (sum of x)^2 / (N sum of x^2), x the goodput of a connection.",
            "-",
        ),
    )
