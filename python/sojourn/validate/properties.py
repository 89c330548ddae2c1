"""Properties of a discipline: ``evidence/NAME/checks.toml``, read, played and judged.

Each ``[[check]]`` says

- ``name``, ``source``: the property, and who says so
- ``queue``, ``link``: the parameters of the discipline NAME, and the link that it stands at
- ``load`` and ``duration_s``, or ``operations``: what is done (:mod:`.play`); ``begin`` sets inner
  variables at first, ``poke`` before each arrival; ``seed`` (1), and ``runs`` to take the mean over
  so many seeds
- or ``scenario``, a file of the folder; ``measure`` then has a ``metric``, taken ``over`` a number
  at each of its points
- ``measure``: a function of :mod:`.measures` by its ``name``, with its arguments
- ``expected``: a number, a list, or a function of :mod:`.theory` with its arguments
- ``tolerance``: ``absolute``, ``relative``; without one, equality but for rounding
- ``over``: values to repeat all this for; ``{x}`` stands for them
- ``figure``: ``x`` and ``y``, the axes of the discipline's figure, and ``at`` where that is not
  ``over``
- ``slow``: whether ``--quick`` leaves it out
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any

from sojourn.results import Results
from sojourn.runner import run
from sojourn.scenario import Scenario
from sojourn.stats.intervals import defined
from sojourn.validate import theory
from sojourn.validate.entries import entries, wrong
from sojourn.validate.evidence import EvidenceError
from sojourn.validate.finding import Finding, Verdict, number
from sojourn.validate.measures import MEASURES, Measured
from sojourn.validate.play import Player, PlayError, offer, operate, reason_of
from sojourn.validate.tolerance import ROUNDING, Tolerance


@dataclass(frozen=True)
class Property:
    """One entry of a ``checks.toml``."""

    discipline: str
    place: Path
    name: str
    source: str
    measure: dict[str, Any]
    expected: Any
    queue: dict[str, Any] = field(default_factory=dict)
    link: dict[str, float] = field(default_factory=dict)
    load: list[dict[str, Any]] = field(default_factory=list)
    duration_s: float = 1
    operations: list[dict[str, Any]] = field(default_factory=list)
    begin: dict[str, float] = field(default_factory=dict)
    poke: dict[str, float] = field(default_factory=dict)
    seed: int = 1
    runs: int = 1
    scenario: str = ""
    tolerance: Tolerance = ROUNDING
    over: list[Any] = field(default_factory=list)
    figure: dict[str, Any] = field(default_factory=dict)
    slow: bool = False

    @property
    def preset(self) -> str:
        """The preset under which it holds."""
        return self.queue.get("preset", "reference")


@dataclass(frozen=True)
class Found:
    """A property as it was found."""

    said: Property
    ours: list[float]
    theirs: list[float]

    @property
    def agrees(self) -> bool:
        """Whether every number is within the tolerance of the expected one."""
        pairs = list(zip(self.ours, self.theirs, strict=False))
        allows = self.said.tolerance.allows
        alike = all(abs(ours - theirs) <= allows(theirs) for ours, theirs in pairs)
        return len(self.ours) == len(self.theirs) and alike

    @property
    def finding(self) -> Finding:
        """The property as a line of the table."""
        said = self.said
        return Finding(
            evidence=said.discipline,
            discipline=said.discipline,
            case=said.preset,
            check=said.name,
            ours=" ".join(map(number, self.ours)),
            theirs=" ".join(map(number, self.theirs)),
            tolerance="none" if said.tolerance == ROUNDING else str(said.tolerance),
            verdict=Verdict.AGREES if self.agrees else Verdict.DIFFERS,
            source=said.source,
        )


def load(folder: Path) -> list[Property]:
    """Read the checks of a folder; none if it has no ``checks.toml``.

    Raises :class:`EvidenceError` with the place of what is wrong.
    """
    found = entries(folder / "checks.toml", "check", Property)
    return [_property(entry) for entry in found]


def _property(entry: dict[str, Any]) -> Property:
    measure = entry["measure"].get("name")
    if "scenario" not in entry and measure not in MEASURES:
        raise wrong(entry, f"there is no measure {measure!r}")
    if "tolerance" in entry:
        entry["tolerance"] = Tolerance(**{"relative": 0.0} | entry["tolerance"])
    return Property(**entry)


def names(root: Path) -> list[str]:
    """Return the disciplines that have checks under ``root``, sorted."""
    return sorted(path.parent.name for path in root.glob("*/checks.toml"))


def check(said: Property) -> Found:
    """Play a property and compare.

    Raises :class:`EvidenceError` for what cannot be played.
    """
    try:
        measured = _of_scenario(said) if said.scenario else _of_plays(said)
        expected = [number for x in said.over or [None] for number in _expected(said, x)]
    except (PlayError, KeyError, AttributeError, TypeError) as error:
        raise EvidenceError(f"{said.place}: {said.name}: {reason_of(error)}") from None
    return Found(said, measured, expected)


def _of_plays(said: Property) -> list[float]:
    measured: list[float] = []
    for x in said.over or [None]:
        runs = [_play(said, x, said.seed + number) for number in range(said.runs)]
        measured += [fmean(values) for values in zip(*runs, strict=True)]
    return measured


def _play(said: Property, x: Any, seed: int) -> list[float]:
    put = lambda value: _put(value, x)  # noqa: E731
    about = put((said.queue, said.link, said.poke))
    player = Player(said.discipline, about[0], about[1], seed, about[2])
    for variable, value in said.begin.items():
        player.poke(variable, value)
    if said.load:
        offer(player, put(said.load), put(said.duration_s), seed)
    operate(player, put(said.operations))
    name, *arguments = put(said.measure).items()
    return _listed(MEASURES[name[1]](player.record, **dict(arguments)))


def _of_scenario(said: Property) -> list[float]:
    results = run(Scenario.load(said.place.parent / said.scenario))
    return [_metric(results, said.measure, point) for point in range(results.points.height)]


def _metric(results: Results, measure: dict[str, Any], point: int) -> float:
    table, *name, metric = measure["metric"].split(".")
    frames = {"links": results.links, "groups": results.groups, "total": results.totals}
    rows = frames[table].filter(point=point)
    if name:
        rows = rows.filter(**{table.removesuffix("s"): ".".join(name)})
    return fmean(defined(rows[metric].to_list())) / measure.get("over", 1)


def _expected(said: Property, x: Any) -> list[float]:
    expected = _put(said.expected, x)
    if isinstance(expected, dict):
        name, *arguments = expected.items()
        return _listed(theory.function(name[1])(**dict(arguments)))
    return _listed(expected)


def _listed(measured: Measured) -> list[float]:
    values = measured if isinstance(measured, list) else [measured]
    return [float(value) for value in values]


def _put(value: Any, x: Any) -> Any:
    """Put ``x`` where ``{x}`` stands."""
    match value:
        case "{x}":
            return x
        case str():
            return value.replace("{x}", str(x))
        case dict():
            return {name: _put(inner, x) for name, inner in value.items()}
        case list() | tuple():
            return [_put(inner, x) for inner in value]
        case _:
            return value
