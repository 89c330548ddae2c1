"""The knobs of this study, and its scenarios for given settings."""

from __future__ import annotations

from sojourn.studies import quantities
from sojourn.studies.knobs import Knob, Settings, StudyError, duration, number, whole
from sojourn.studies.rfc7928 import chapters, network, queues
from sojourn.studies.rfc7928.laboratory import STUDY, Laboratory, Plan

LEAST_RATE = 100_000
"""Bits per second: a tenth of it still carries something (section 9.2)."""


def rate(text: str) -> str:
    """A reader for a rate of 100 kbit/s or more, kept as text."""
    if quantities.bits_per_second(text) < LEAST_RATE:
        raise ValueError(f'"{text}" is below {LEAST_RATE // 1000} kbit/s')
    return text


KNOBS = (
    Knob(
        "queues",
        queues.DEFAULT,
        "disciplines as compare takes them, with semicolons between them; drop-tail is always run",
        queues.read,
    ),
    Knob("rate", "20 Mbit/s", "capacity of the bottleneck", rate),
    Knob("rtt", "100 ms", "round trip of all flows but those of category II", duration),
    Knob("buffer", "1", "room of every queue, in bandwidth-delay products", number(0, 1000)),
    Knob("settle", "20 s", "time before measurements begin", duration),
    Knob("duration", "100 s", "measured time of a run", duration),
    Knob(
        "fairness_settle",
        "1200 s",
        "the same where round trips are unequal (6.2, 4.5)",
        duration,
    ),
    Knob(
        "fairness_duration", "600 s", "measured time of a run where they are (6.2, 4.5)", duration
    ),
    Knob("phase", "20 s", "length of a phase where loads or capacities vary", duration),
    Knob("replicas", "10", "replicas of each point", whole(1, 100_000)),
)
"""What the guidelines leave to the tester."""

QUICK = {
    "duration": "20 s",
    "settle": "10 s",
    "fairness_settle": "10 s",
    "fairness_duration": "20 s",
    "phase": "5 s",
    "replicas": "3",
}
"""The quick form: shorter runs, and fewer."""


def plans(settings: Settings) -> dict[str, Plan]:
    """All scenarios by name. Raises StudyError where a round trip is too short for two hops."""
    lab = Laboratory(settings)
    least = 4 * network.HOP
    if lab.rtt < least:
        raise StudyError(
            f'knob "rtt" of study "{STUDY}": "{settings["rtt"]}" is less than two hops there and '
            f"back take, {quantities.time_text(least)}"
        )
    return {one.name: one for one in chapters.plans(lab)}


def scenarios(settings: Settings) -> dict[str, str]:
    """The scenario files, by part."""
    return {name: plan.part.text() for name, plan in plans(settings).items()}
