"""Scenarios: checked files, or texts in the same format."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import orjson

from sojourn import _core
from sojourn.errors.arguments import as_path, kind_error
from sojourn.errors.brief import brief
from sojourn.files.toml_text import toml_text, value_text
from sojourn.named_table import plain
from sojourn.own import classes, modules

MAX_BYTES = 1_000_000
"""Files above this size are not scenario files."""

READY = Path(__file__).parent / "scenarios"
"""The ready files of the repository's folder ``scenarios``, which every installation has."""

Overrides = Mapping[str, object] | Sequence[tuple[str, str]]


class Scenario:
    """A checked scenario: every point of it can be run.

    Made by :meth:`load` from a file or by :meth:`from_toml` from a text. Raises
    :class:`sojourn.ScenarioError` with the file, line and key of the first thing that is wrong.
    """

    def __init__(
        self,
        text: str,
        place: str,
        folder: Path,
        overrides: Overrides = (),
        files: Mapping[str, bytes] | None = None,
    ) -> None:
        """Read and check ``text``; ``place`` names it in messages.

        Data files in ``files`` hold what is there, and are not read.
        """
        self.files = dict(files or {})
        self.text = text
        self.place = place
        self._folder = folder
        self._overrides = as_pairs(overrides)
        modules.refresh(folder)
        # A name in bytes that are no text cannot be shown as it is.
        shown = place.encode(errors="replace").decode()
        self.core = _core.Scenario.load(text, shown, folder, self._overrides, self.files)
        self._identities: dict[int, dict[str, Any]] = {}
        self.files = self._read_files()
        self._code = self._hash_code()
        self.sources = classes.sources(self._code, folder)

    @classmethod
    @brief
    def load(cls, path: str | Path, overrides: Overrides = ()) -> Scenario:
        """Read a scenario file.

        ``scenarios/NAME.toml`` is the ready-made file of that name if you have none there.
        """
        path = as_path("path", path)
        ready = READY / path.name
        place = ready if path.parent == Path("scenarios") and not path.exists() else path
        text = _read(place if place.exists() else path)
        scenario = cls(text, str(path), place.parent, overrides)
        try:
            # Those of the file alone: what was set may be objects.
            classes.check_current([name for name in scenario.code if name in text], place.parent)
        except classes.Refusal as error:
            raise _core.ScenarioError(f"{path}: {error}") from None
        return scenario

    @classmethod
    @brief
    def from_toml(cls, text: str, *, place: str = "<text>", overrides: Overrides = ()) -> Scenario:
        """Read a text in the format of scenario files."""
        if not isinstance(text, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise kind_error("text", text, "a text; files are read by sj.Scenario.load")
        return cls(text, place, Path(), overrides)

    @brief
    def with_overrides(self, overrides: Overrides) -> Scenario:
        """Return the same scenario with further keys set, as ``--set`` does."""
        pairs = [*self._overrides, *as_pairs(overrides)]
        return Scenario(self.text, self.place, self._folder, pairs)

    def current(self) -> Scenario:
        """Return the same with its modules and data files as they are now; itself if they are.

        So that a run is one of what the user sees, not of what was there when it was read. What is
        no longer there counts as it was.
        """
        if not (self._code or self.files):
            return self
        modules.refresh(self._folder)
        try:
            if all(map(self._is_as_read, self.files)) and self._hash_code() == self._code:
                return self
        except (OSError, classes.Refusal):
            # To read it says what is wrong, and where.
            pass
        return Scenario(self.text, self.place, self._folder, self._overrides)

    def _read_files(self) -> dict[str, bytes]:
        """The content of the files that distributions, rates of links and recordings are in."""
        if not any(map(self._has, ("empirical", "rates", "opportunities", "trace"))):
            return {}
        points = range(self.core.points)
        names = sorted({name for point in points for name in self._identity(point)["files"]})
        known = self.files
        return {
            name: known[name] if name in known else (self._folder / name).read_bytes()
            for name in names
        }

    def _is_as_read(self, name: str) -> bool:
        try:
            return (self._folder / name).read_bytes() == self.files[name]
        except FileNotFoundError:
            return True

    def _hash_code(self) -> dict[str, str]:
        """The classes in Python that it names, each with a hash of what it does."""
        if not self._has(":"):
            return {}
        points = range(self.core.points)
        names = dict.fromkeys(name for point in points for name in self.core.outside(point))
        return {name: classes.code_hash(name, self._folder) for name in names}

    def _has(self, text: str) -> bool:
        """Whether a text stands in it: most of many points name neither files nor classes."""
        return text in self.text or any(text in value for _, value in self._overrides)

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel as text, with its data files, and with the classes that it names and that were not
        imported by name.
        """
        parts = (self.text, self.place, self._folder.resolve(), self._overrides)
        return _rebuilt, (parts, classes.registered(self.outside), self.files)

    def __eq__(self, other: object) -> bool:
        """Whether it is the same text, with the same set from outside, data files and code."""
        if not isinstance(other, Scenario):
            return NotImplemented
        mine = (self.text, self._overrides, self.files, self._code)
        return mine == (other.text, other._overrides, other.files, other._code)

    def __hash__(self) -> int:
        """A hash of its text and what was set from outside."""
        return hash((self.text, *self._overrides))

    @property
    def name(self) -> str:
        """Its name."""
        return self.core.name

    @property
    def title(self) -> str:
        """Its title; its name where it has none."""
        return self.core.title

    @property
    def seed(self) -> int:
        """The seed of all random streams."""
        return self.core.seed

    @property
    def replicas(self) -> int:
        """How many replicas each point has."""
        return self.core.replicas

    @property
    def folder(self) -> Path:
        """Where the files that it names lie."""
        return self._folder

    @property
    def overrides(self) -> list[tuple[str, str]]:
        """What was set from outside: dotted keys and values as TOML."""
        return list(self._overrides)

    def check_point(self, point: int, name: str) -> None:
        """Raise :class:`sojourn.ScenarioError` if there is no such point; ``name`` asked for it."""
        points = self.core.points
        if not 0 <= point < points:
            raise _core.ScenarioError(f"{name}: found {point}; allowed: 0 to {points - 1}")

    def identity(self, point: int) -> dict[str, Any]:
        """Return all that the results of a point depend on, besides the replica."""
        if point not in self._identities:
            identity = self._identity(point)
            if names := self.core.outside(point):
                identity["code"] = {name: self._code[name] for name in names}
            self._identities[point] = identity
        return self._identities[point]

    def _identity(self, point: int) -> dict[str, Any]:
        return orjson.loads(self.core.identity(point))

    @property
    def outside(self) -> list[str]:
        """The disciplines and controllers in Python that it names, as ``module:Class``."""
        return list(self._code)

    @property
    def code(self) -> dict[str, str]:
        """These, each with a hash of all that it does."""
        return dict(self._code)

    @property
    def untold(self) -> dict[str, str]:
        """Those of them that use what cannot be told from others, each with the type of that."""
        found = {name: classes.indistinguishable_type(name, self._folder) for name in self._code}
        return {name: kind for name, kind in found.items() if kind is not None}

    def is_interpreted(self, point: int) -> bool:
        """Whether a point runs Python code."""
        return classes.is_interpreted(self.core.outside(point), self._folder)

    def to_toml(self) -> str:
        """Return it as a scenario file, with what was set from outside."""
        return self.as_run()

    def as_run(self) -> str:
        """Return the text of the scenario with what was set from outside.

        The very text of the file where nothing was set; else the same keys and values, without
        the file's comments.
        """
        if not self._overrides:
            return self.text
        head = f"# {self.name}, with what was set from outside:\n"
        head += "".join(
            f"#   {key} = {' '.join(value.split())}\n" for key, value in self._overrides
        )
        return head + toml_text(self.document())

    def document(self) -> dict[str, Any]:
        """Return the scenario as data, with what was set from outside."""
        return orjson.loads(self.core.document())

    @cached_property
    def vary(self) -> list[dict[str, Any]]:
        """The values that vary, by key, for each point."""
        return [orjson.loads(self.core.vary(point)) for point in range(self.core.points)]

    @cached_property
    def warnings(self) -> list[str]:
        """Settings that are allowed but a known mistake, each with its place and the reason."""
        return self.core.warnings()

    def _repr_html_(self) -> str:
        """A card for notebooks: what it is, and its text."""
        from sojourn.notebook import scenario_card

        return scenario_card(self)

    def __repr__(self) -> str:
        """Name, points and replicas."""
        points, replicas = self.core.points, self.replicas
        of = f"{points} point{'s' * (points != 1)} x {replicas} replica{'s' * (replicas != 1)}"
        return f"<Scenario {self.name!r}: {of}>"


def _rebuilt(
    parts: tuple[Any, ...], found: dict[str, type], files: dict[str, bytes] | None = None
) -> Scenario:
    """Read a scenario that travelled, under the names that its classes have here."""
    text, place, folder, overrides = parts
    names = classes.register(found)
    text = _renamed(text, names)
    overrides = [(key, _renamed(value, names)) for key, value in overrides]
    scenario = Scenario(text, place, folder, overrides, files)
    for there, here in names.items():
        if here not in scenario.outside:
            raise _core.ScenarioError(
                f"{place}: found {there!r}, which means another class in this process, and the "
                "text does not name it plainly; allowed: to read it in a new process"
            )
    return scenario


def _renamed(text: str, names: Mapping[str, str]) -> str:
    """A text in TOML with other names of classes, each of them a whole string."""
    if all(there == here for there, here in names.items()):
        return text
    quoted = rf"""(["'])({"|".join(map(re.escape, names))})\1"""
    return re.sub(quoted, lambda found: f"{found[1]}{names[found[2]]}{found[1]}", text)


def as_pairs(overrides: Overrides) -> list[tuple[str, str]]:
    """Return overrides as dotted keys and values in TOML."""
    if isinstance(overrides, Mapping):
        overrides = [(key, value_text(plain(value), key)) for key, value in overrides.items()]
    pairs: list[Any] = list(overrides) if isinstance(overrides, Sequence) else [overrides]
    for pair in pairs:
        match pair:
            case (str(), str()):
                pass
            case _:
                allowed = 'a table such as {"duration": "5 s"}, or pairs of such texts'
                raise kind_error("overrides", overrides, allowed)
    return pairs


def _read(path: Path) -> str:
    """Read a file that claims to be a scenario; one clear error where it cannot be one."""
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
        if len(content) > MAX_BYTES:
            message = f"{path}: found more than {MAX_BYTES} bytes; allowed: at most so many"
            raise _core.ScenarioError(message)
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        message = f"{path}:{line}: this is not TOML: found bytes that are not UTF-8 text"
        raise _core.ScenarioError(message) from None
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise _core.ScenarioError(f"{path}: cannot read it: {reason}") from None
