"""What the report leaves open, and the choice that these settings take."""

from __future__ import annotations

from sojourn.studies.base import OpenPoint
from sojourn.studies.ece6110.scenario import BIG
from sojourn.studies.knobs import Settings


def open_points(settings: Settings) -> tuple[OpenPoint, ...]:
    """All open points, with the values in force."""
    text = settings.texts
    tahoe = settings["tcp"] == "tahoe"
    return (
        OpenPoint(
            "Rate and delay of the first bottleneck stand in Fig. 1 only, which is missing.",
            f"{text['first_rate']} and 5 ms; every rate from 1 to 10 Mbit/s is tried at 90 % load.",
            "first_rate",
        ),
        OpenPoint(
            "TCP Tahoe's details, and segment and packet sizes, are not given.",
            (
                "Tahoe with ns-3's defaults of its time: no SACK, no timestamps, initial window of "
                "one segment, acknowledgement of every second one or after 200 ms"
                if tahoe
                else "NewReno as ns-3 has it now: SACK, timestamps, initial window of ten segments"
            )
            + "; 512 bytes a segment and a packet.",
            "tcp",
        ),
        OpenPoint(
            "How long on and off periods are, and by which law, is not said; only that sources are "
            "on for half the time.",
            f"{text['periods'].capitalize()} periods of {text['period']} each; sources begin off, "
            f"as ns-3's do.",
            "periods, period",
        ),
        OpenPoint(
            "How the load is shared among the three is not said.",
            "In equal parts: each writes load x 1 Mbit/s / 3 on average, and twice that while on.",
            "-",
        ),
        OpenPoint(
            "The queue sizes of Fig. 2 and the parameters of Fig. 3 are missing.",
            "Drop-tail of 2000 to 128000 bytes; each of RED's five parameters is moved over three "
            "to five values around the printed set.",
            "-",
        ),
        OpenPoint(
            "The unit of RED's thresholds and length is not said.",
            "Packets; bytes are tried beside them. RED is not gentle.",
            "-",
        ),
        OpenPoint(
            "Which drop-tail queue RED is compared with is not said.",
            f"That of {BIG} bytes, the only one that the text names.",
            "-",
        ),
        OpenPoint(
            "Runs, seeds and start times are not given; 10 s of simulation.",
            f"{text['replicas']} replicas of {text['duration']}, all sources from 0 s on.",
            "duration, replicas",
        ),
    )
