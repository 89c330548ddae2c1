"""The user's classes: finding them by name, making objects with parameters, telling them apart.

A name is ``module:Class``. The module is looked for beside the scenario file first, and then where
Python looks for modules. A class of which objects were made in this process, for example one of a
notebook or of the running script, is known without an import. If several such classes have the same
name, the later ones are called ``module:Class-2`` and so on.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import traceback
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from threading import RLock
from types import TracebackType
from typing import Any

from sojourn.errors.brief import InputError
from sojourn.own import modules
from sojourn.own.modules import MAIN, Source
from sojourn.own.stdout import redirected_to_stderr

KINDS = {
    "discipline": ("sojourn.queue.discipline", "Discipline", "sojourn.queue.Discipline"),
    "controller": (
        "sojourn.transport.control",
        "CongestionControl",
        "sojourn.transport.CongestionControl",
    ),
}
"""What a name may refer to: module and name of the base class, and what it is called in public."""


@dataclass(frozen=True)
class _Named:
    """A class of which objects were made here, and the source of its modules at that time."""

    cls: type
    sources: tuple[Source, ...]


_named: dict[str, _Named] = {}
"""Classes of which objects were made here, by name: some have no module that could be imported."""

_naming = RLock()
"""Held while a class gets its name: no two classes get one, in whatever threads they are made."""

_imported: set[str] = set()
"""Modules of the user that were imported here, or whose import was begun."""

_results: set[Path] = set()
"""Folders of results: to read one, the classes that ran there need not be available."""


class Refusal(InputError):
    """A name that cannot be used; ``message`` says what was found and what is allowed."""

    param: str | None = None

    def __init__(self, message: str) -> None:
        """Say what is wrong."""
        super().__init__(message)
        self.message = message


def name_of(cls: type) -> str:
    """The name of a class in scenario files; from now on the class is known by it.

    The first class of a name keeps it. Another class gets a name of its own, unless it does exactly
    the same: then it counts as the first one, for example if a notebook's cell was run once more.
    """
    with _naming:
        name = _name_for(cls, f"{cls.__module__}:{cls.__qualname__}")
        if name not in _named:
            _named[name] = _Named(cls, modules.sources_of_class(cls))
    return name


def _name_for(cls: type, wanted: str) -> str:
    """The name that is wanted, unless it means another class here; then the next that does not."""
    name, number = wanted, 1
    while name in _named and not _is_same(_named[name].cls, cls):
        number += 1
        name = f"{plain_name(wanted)}-{number}"
    return name


def _is_same(first: type, second: type) -> bool:
    if first is second:
        return True
    # Takes its time to import, and hardly ever have two classes one name.
    from sojourn.own.fingerprint import NoValue, fingerprint

    try:
        return fingerprint(first) == fingerprint(second)
    except NoValue:
        return False


def plain_name(name: str) -> str:
    """A name without the number that distinguishes classes of one name in this process."""
    module, _, path = name.partition(":")
    return f"{module}:{path.partition('-')[0]}"


def find_all(names: Iterable[str], folder: str | Path) -> dict[str, type]:
    """The classes of these names."""
    return {name: find(name, folder) for name in names}


def is_importable(cls: type) -> bool:
    """Whether another process finds a class by the name of its module."""
    if cls.__module__ == MAIN:
        return False
    found: Any = sys.modules.get(cls.__module__)
    for part in cls.__qualname__.split("."):
        found = getattr(found, part, None)
    return found is cls


def registered(names: Iterable[str]) -> dict[str, type]:
    """The classes of these names that were not found by importing."""
    return {name: _named[name].cls for name in names if name in _named}


def register(sent: dict[str, type]) -> dict[str, str]:
    """Take classes that another process sent, by their names there; return their names here.

    A name that means another class here stays that one's.
    """
    names: dict[str, str] = {}
    with _naming:
        for there, cls in sent.items():
            names[there] = _name_for(cls, there)
            _named.setdefault(names[there], _Named(cls, ()))
    return names


def forget() -> None:
    """Keep no class or module of the user any more."""
    with _naming:
        _named.clear()
    modules.forget()


def has_imported() -> bool:
    """Whether a module of the user was imported here, or its import was begun."""
    return bool(_imported)


def find(name: str, folder: str | Path = ".", kind: str | None = None) -> type:
    """Find a class by its name, of a certain ``kind`` if that is given. Raises :class:`Refusal`."""
    cls = _found(name, folder)
    if kind is not None:
        module, base, public = KINDS[kind]
        if not issubclass(cls, getattr(importlib.import_module(module), base)):
            raise Refusal(f"found {name!r}; allowed: a class that inherits from {public}")
    return cls


def _found(name: str, folder: str | Path) -> type:
    if name in _named:
        return _named[name].cls
    module_name, _, path = name.partition(":")
    if not (module_name and path):
        raise Refusal(f"found {name!r}; allowed: module:Class")
    if "-" in path or "<locals>" in path:
        allowed = f"a class that {module_name} has under a name of its own"
        raise Refusal(
            f"found {name!r}, which only the program knows that made it; allowed: {allowed}"
        )
    found: Any = _module(name, folder).module
    for part in path.split("."):
        if not hasattr(found, part):
            raise Refusal(f"found {name!r}, but the module {module_name} has no {path}")
        found = getattr(found, part)
    if not isinstance(found, type):
        raise Refusal(f"found {name!r}, which is no class")
    return found


def _module(name: str, folder: str | Path) -> modules.Loaded:
    """The module of a name. Raises :class:`Refusal`."""
    module_name = name.partition(":")[0]
    # Even where it fails half-way, what it imported is here.
    _imported.add(module_name)
    try:
        with redirected_to_stderr():
            return modules.load(module_name, folder)
    except Exception as error:
        what = f"{type(error).__name__}: {error}"
        message = f"found {name!r}, but the module {module_name} cannot be imported: {what}"
        raise Refusal(message) from None


def make(kind: str, name: str, params: str, folder: str | Path) -> Any:
    """Make an object of a class; ``params`` is a JSON object.

    In a folder of results it is a stand-in if the class is not available. Raises :class:`Refusal`,
    :class:`sojourn.own.hooks.HookError` or :class:`sojourn.params.ParamError`.
    """
    try:
        with redirected_to_stderr():
            made: Any = find(name, folder, kind)(**json.loads(params))
            # Tells of an `__init__` that leaves out its base's.
            _ = made.given
            return made
    except ValueError as error:
        if not _is_of_results(folder):
            raise
        module, base, _ = KINDS[kind]
        return _stand_in(getattr(importlib.import_module(module), base), str(error))()


def read_results(folder: str | Path) -> None:
    """Let the scenario of a folder of results be read without its classes.

    Its tables are there, and nothing is run. If a run is attempted, the error is raised then.
    """
    _results.add(Path(folder).resolve())


def _is_of_results(folder: str | Path) -> bool:
    return Path(folder).resolve() in _results


def _stand_in(base: type, why: str) -> type:
    def refuse(*_: object) -> int:
        raise Refusal(why)

    hooks = {name: refuse for name in ("enqueue", "on_ack", "on_loss") if hasattr(base, name)}
    return type("StandIn", (base,), hooks)


def sources(names: Iterable[str], folder: str | Path) -> tuple[Source, ...]:
    """The source of the user's modules that these classes need, as it was loaded.

    In a folder of results, sources that are not available are left out.
    """
    found: dict[str, Source] = {}
    for name in names:
        for one in _sources(name, folder):
            found.setdefault(one.name, one)
    return tuple(found.values())


def _sources(name: str, folder: str | Path) -> tuple[Source, ...]:
    if name in _named:
        return _named[name].sources
    try:
        return _module(name, folder).sources
    except Refusal:
        if not _is_of_results(folder):
            raise
        return ()


def check_current(names: Iterable[str], folder: str | Path) -> None:
    """Check that a scenario file means the classes that are known here by its names.

    Raises :class:`Refusal` if the source has changed since: a name cannot mean both versions.
    """
    if _is_of_results(folder):
        return
    place = Path(folder).resolve()
    for name in names:
        for one in _named[name].sources if name in _named else ():
            if not one.is_current(place):
                change = f"{one.name} was another when objects of this class were made here"
                raise Refusal(f"found {name!r}, but {change}; allowed: start Python anew")


def in_brief(error: Exception, trace: TracebackType | None) -> str:
    """An exception on one line, with the place where it was raised."""
    what = " ".join(f"{type(error).__name__}: {error}".split())
    frames = traceback.extract_tb(trace)
    return (
        f"{what} ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else what
    )


def is_interpreted(names: Iterable[str], folder: str | Path) -> bool:
    """Whether any of these classes runs in the interpreter, and not as machine code."""
    return not all(getattr(find(name, folder), "is_native", False) for name in names)


def code_hash(name: str, folder: str | Path) -> str:
    """A hash of everything that a class does: the source of its modules, and what its methods
    reach.

    If they reach a value that cannot be distinguished from others, the hash is different each time,
    so that none of its runs is ever reused: see :func:`indistinguishable_type`. The hash is empty
    in a folder of results if the class is not available.
    """
    # Takes its time to import, and most scenarios need no class of the user.
    import hashlib

    from sojourn.own.fingerprint import NoValue, fingerprint

    try:
        cls = find(name, folder)
    except Refusal:
        if not _is_of_results(folder):
            raise
        return ""
    hashed = hashlib.sha256()
    for one in sorted(_sources(name, folder), key=lambda one: one.name):
        hashed.update(f"{one.name}:{len(one.content)}:".encode() + one.content)
    hashed.update(modules.installed_source(cls.__module__))
    try:
        hashed.update(fingerprint(cls).encode())
    except NoValue:
        hashed.update(os.urandom(32))
    return hashed.hexdigest()


def indistinguishable_type(name: str, folder: str | Path) -> str | None:
    """The type of a used value that cannot be distinguished from others, if there is any."""
    from sojourn.own.fingerprint import NoValue, fingerprint

    try:
        fingerprint(find(name, folder))
    except NoValue as error:
        return str(error)
    return None
