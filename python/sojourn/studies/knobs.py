"""The knobs of a study: what a publication leaves open, by name, with the choice taken."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sojourn.errors.nearest import hint_or_all
from sojourn.studies import quantities


class StudyError(Exception):
    """A study cannot be run as asked: an unknown study or knob, or a value that makes no sense.

    The message is one line for the user; the command line ends with exit status 2 on it.
    """


@dataclass(frozen=True)
class Knob:
    """One choice of a study.

    `read` turns the text of the command line into the value, raising ValueError with a message
    that says what is allowed.
    """

    name: str
    default: str
    doc: str
    read: Callable[[str], Any]


def choice(*allowed: str) -> Callable[[str], str]:
    """A reader for one of a few words."""

    def read(text: str) -> str:
        if text not in allowed:
            raise ValueError(f'"{text}" is none of {", ".join(allowed)}')
        return text

    return read


def duration(text: str) -> str:
    """A reader for a duration above zero, kept as text."""
    if quantities.seconds(text) <= 0:
        raise ValueError(f'"{text}" is not above zero')
    return text


def duration_or_zero(text: str) -> str:
    """A reader for a duration, zero included, kept as text."""
    quantities.seconds(text)
    return text


def rate(text: str) -> str:
    """A reader for a rate above zero, kept as text."""
    if quantities.bits_per_second(text) <= 0:
        raise ValueError(f'"{text}" is not above zero')
    return text


def whole(least: int, most: int) -> Callable[[str], int]:
    """A reader for a whole number from `least` to `most`."""

    def read(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = least - 1
        if not least <= number <= most:
            raise ValueError(f'"{text}" is not a whole number from {least} to {most}')
        return number

    return read


def number(above: float, most: float) -> Callable[[str], float]:
    """A reader for a number above `above`, up to `most`."""

    def read(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = float("nan")
        if not above < value <= most:
            raise ValueError(f'"{text}" is not a number above {above:g}, up to {most:g}')
        return value

    return read


@dataclass(frozen=True)
class Settings:
    """The values of all knobs of a study: the texts given and what they mean."""

    texts: Mapping[str, str]
    values: Mapping[str, Any]
    changed: tuple[str, ...]

    def __getitem__(self, name: str) -> Any:
        """The value of a knob."""
        return self.values[name]


def settle(
    study: str,
    knobs: Iterable[Knob],
    given: Mapping[str, str],
    defaults: Mapping[str, str] | None = None,
) -> Settings:
    """The settings of `study` with the texts `given` over `defaults` over the knobs' own.

    Raises StudyError for an unknown knob or a value that its knob does not take.
    """
    table = {knob.name: knob for knob in knobs}
    for name in given:
        if name not in table:
            raise StudyError(f'study "{study}" has no knob "{name}"{hint_or_all(name, table)}')
    texts = {name: knob.default for name, knob in table.items()}
    texts.update(defaults or {})
    changed = tuple(name for name in table if name in given and given[name] != texts[name])
    texts.update(given)
    values: dict[str, Any] = {}
    for name, text in texts.items():
        try:
            values[name] = table[name].read(text)
        except ValueError as error:
            raise StudyError(f'knob "{name}" of study "{study}": {error}') from None
    return Settings(texts, values, changed)


def demand_window(study: str, settings: Settings) -> None:
    """Raise StudyError where the warm-up leaves nothing to measure."""
    warmup, duration = settings["warmup"], settings["duration"]
    if quantities.seconds(warmup) >= quantities.seconds(duration):
        raise StudyError(
            f'knob "warmup" of study "{study}": {warmup} leaves nothing of a duration of {duration}'
        )


def demand_start(study: str, settings: Settings) -> None:
    """Raise StudyError where senders may start when the run is over."""
    start, end = settings["start"], settings["duration"]
    if quantities.seconds(start) >= quantities.seconds(end):
        raise StudyError(f'knob "start" of study "{study}": {start} is not before the end, {end}')


def read_assignments(assignments: Iterable[str]) -> dict[str, str]:
    """`key=value` texts of the command line as a table. Raises StudyError."""
    given: dict[str, str] = {}
    for assignment in assignments:
        name, equals, value = assignment.partition("=")
        name, value = name.strip(), value.strip().strip('"')
        if not equals or not name or not value:
            raise StudyError(f'"{assignment}" is not key=value, as in --set on="0.5 s"')
        if name in given:
            raise StudyError(f'knob "{name}" is given twice')
        given[name] = value
    return given
