"""Classes of the user: found by name, made with their parameters, told apart by their source.

A name is ``module:Class``. The module is looked for beside the scenario file first, then where
Python looks for modules. Classes of a notebook or of the running script are known by themselves.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import json
import sys
import traceback
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any

from sojourn.brief import InputError

KINDS = {
    "discipline": ("sojourn.queue.discipline", "Discipline", "sojourn.queue.Discipline"),
    "controller": (
        "sojourn.transport.control",
        "CongestionControl",
        "sojourn.transport.CongestionControl",
    ),
}
"""What may be named: module and name of the base class, and what it is called in public."""

_known: dict[str, type] = {}
"""Classes that objects were made of here, by name: some have no module that could be imported."""

_imported: set[str] = set()
"""Modules of the user that were imported here, or begun to be."""

_results: set[Path] = set()
"""Folders of results: what was run there need not be there to be looked at."""


class Refused(InputError):
    """A name that cannot be taken; ``message`` says what was found and what is allowed."""

    param: str | None = None

    def __init__(self, message: str) -> None:
        """Say what is wrong."""
        super().__init__(message)
        self.message = message


def name_of(cls: type) -> str:
    """The name of a class in scenario files; from now on it is known by it."""
    name = f"{cls.__module__}:{cls.__qualname__}"
    _known[name] = cls
    return name


def known(names: Iterable[str]) -> dict[str, type]:
    """The classes of these names that were not found by importing."""
    return {name: _known[name] for name in names if name in _known}


def know(classes: dict[str, type]) -> None:
    """Make classes known that another process sent."""
    _known.update(classes)


def has_imported() -> bool:
    """Whether a module of the user was imported here, or begun to be."""
    return bool(_imported)


def find(name: str, folder: str | Path = ".", kind: str | None = None) -> type:
    """Find a class by its name, one of a ``kind`` where that is given. Raises :class:`Refused`."""
    cls = _found(name, folder)
    if kind is not None:
        module, base, public = KINDS[kind]
        if not issubclass(cls, getattr(importlib.import_module(module), base)):
            raise Refused(f"found {name!r}; allowed: a class that inherits from {public}")
    return cls


def _found(name: str, folder: str | Path) -> type:
    if name in _known:
        return _known[name]
    module_name, _, path = name.partition(":")
    # Even where it fails half-way, what it imported is here.
    _imported.add(module_name)
    try:
        with _first(folder):
            found: Any = importlib.import_module(module_name)
    except Exception as error:
        what = f"{type(error).__name__}: {error}"
        message = f"found {name!r}, but the module {module_name} cannot be imported: {what}"
        raise Refused(message) from None
    for part in path.split("."):
        if not hasattr(found, part):
            raise Refused(f"found {name!r}, but the module {module_name} has no {path}")
        found = getattr(found, part)
    if not isinstance(found, type):
        raise Refused(f"found {name!r}, which is no class")
    return found


def make(kind: str, name: str, params: str, folder: str | Path) -> Any:
    """Make the object of a class; ``params`` is a JSON object.

    In a folder of results it is a stand-in where the class cannot be had. Raises :class:`Refused`,
    :class:`sojourn.hooks.HookError` or :class:`sojourn.params.ParamError`.
    """
    try:
        return find(name, folder, kind)(**json.loads(params))
    except ValueError as error:
        if Path(folder).resolve() not in _results:
            raise
        module, base, _ = KINDS[kind]
        return _stand_in(getattr(importlib.import_module(module), base), str(error))()


def read_results(folder: str | Path) -> None:
    """Let the scenario of a folder of results be read without its classes.

    Its tables are there, and nothing is run: who does run it meets the error then.
    """
    _results.add(Path(folder).resolve())


def _stand_in(base: type, why: str) -> type:
    def refuse(*_: object) -> int:
        raise Refused(why)

    hooks = {name: refuse for name in ("enqueue", "on_ack", "on_loss") if hasattr(base, name)}
    return type("StandIn", (base,), hooks)


def sources(names: Iterable[str], folder: str | Path) -> dict[str, bytes]:
    """The modules of classes by file name, those that lie beside the scenario or are run from."""
    beside = {Path(folder).resolve(), Path.cwd().resolve()}
    found: dict[str, bytes] = {}
    for name in names:
        module = name.partition(":")[0]
        with suppress(Refused):
            find(name, folder)
        file = Path(getattr(sys.modules.get(module), "__file__", None) or ".")
        if file.name == f"{module}.py" and file.resolve().parent in beside:
            found[file.name] = file.read_bytes()
    return found


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


def source_hash(name: str, folder: str | Path) -> str:
    """A hash of the source that a class is made of: that of its module, or its own.

    Empty in a folder of results where the class cannot be had.
    """
    try:
        cls = find(name, folder)
    except Refused:
        if Path(folder).resolve() not in _results:
            raise
        return ""
    module = sys.modules.get(cls.__module__)
    file = getattr(module, "__file__", None)
    if file is not None and Path(file).exists():
        source = Path(file).read_bytes()
    else:
        try:
            source = inspect.getsource(cls).encode()
        except (OSError, TypeError):
            source = repr(sorted(_code(cls))).encode()
    # Takes its time to import, and most scenarios need no class of the user.
    import hashlib

    return hashlib.sha256(source).hexdigest()


def is_importable(cls: type) -> bool:
    """Whether another process finds a class by the name of its module."""
    module = cls.__module__
    if module == "__main__" or "<locals>" in cls.__qualname__:
        return False
    try:
        return importlib.util.find_spec(module) is not None
    except (ImportError, ValueError):
        return False


def _code(cls: type) -> list[tuple[str, str]]:
    """The bytecode of a class's functions, where its source is nowhere."""
    functions = ((name, getattr(value, "__code__", None)) for name, value in vars(cls).items())
    return [(name, f"{code.co_code.hex()} {code.co_consts}") for name, code in functions if code]


@contextmanager
def _first(folder: str | Path) -> Iterator[None]:
    """Look for modules in a folder first."""
    place = str(Path(folder).resolve())
    sys.path.insert(0, place)
    try:
        yield
    finally:
        sys.path.remove(place)
