"""What the publication leaves open, and the choice that these settings take."""

from __future__ import annotations

from sojourn.studies.base import OpenPoint
from sojourn.studies.four_aqms.evidence import TCP_NAMES
from sojourn.studies.knobs import Settings


def open_points(settings: Settings) -> tuple[OpenPoint, ...]:
    """All open points, with the values in force."""
    text = settings.texts
    ns2 = settings["queues"] == "ns2"
    counts = (
        "counts packets"
        if settings["red.counts"] == "packets"
        else "counts bytes, in packets of 500 B, as ns-2 does unless told otherwise"
    )
    return (
        OpenPoint(
            "The rate of the CBR senders is not given.",
            f"{text['cbr_rate']} each; other rates stand in the figures against the load.",
            "cbr_rate",
        ),
        OpenPoint(
            "Which TCP, and its initial window, is not said; 25 packets bound its window.",
            f"{TCP_NAMES[settings['tcp']]} as ns-2 has it: initial window 2, no delayed "
            f"acknowledgements, 40 B of header beside the 1460 B.",
            "tcp",
        ),
        OpenPoint(
            "Duration, starts, number of runs and warm-up are not given.",
            f"{text['duration']}, starts uniform in {text['start']}, {text['replicas']} replicas, "
            f"warm-up {text['warmup']}.",
            "duration, start, replicas, warmup",
        ),
        OpenPoint(
            "RED's lower threshold is not given, nor whether it counts packets or bytes.",
            f"min_th {text['red.min_th']}; its average {counts}.",
            "red.min_th, red.counts",
        ),
        OpenPoint(
            "BLUE's steps and freeze time are not given; ns-2 has no BLUE, and the version used is "
            "not named.",
            f"{text['blue.increment']}, {text['blue.decrement']} and {text['blue.freeze_time']}.",
            "blue.increment, blue.decrement, blue.freeze_time",
        ),
        OpenPoint(
            "No parameter of REM or SFQ is given.",
            "ns-2's defaults and ways: REM with packets of 1000 B and room for one packet less, "
            "SFQ with its own limit of 40 packets and 16 buckets."
            if ns2
            else "The defaults of their publications, 50 packets of room for each.",
            "queues",
        ),
        OpenPoint(
            "The links to the receivers are not in the table.",
            "As those of the senders: 10 Mbit/s, 3 ms.",
            "-",
        ),
        OpenPoint(
            "What the graphs average over is not said, nor what a loss rate is.",
            "Instantaneous: half seconds. Average: since the start. Loss rate: packets dropped per "
            "second.",
            "-",
        ),
    )
