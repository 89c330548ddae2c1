"""The user's modules: which these are, what they import, and their source as it was loaded.

A module that a scenario names is looked for beside the scenario file first. Its source is read
once, and the module is made from these bytes. So the source that identifies a run, and that is
copied into a folder of results, is the source that ran, even if the file has changed since.
"""

from __future__ import annotations

import ast
import importlib
import importlib.machinery
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import RLock
from types import ModuleType
from typing import Any

INSTALLED = {"site-packages", "dist-packages"}
"""Folders of installed packages, which have a version and are not edited."""

STANDARD = Path(os.__file__).resolve().parent
"""Where the standard library lies."""

SOJOURN = Path(__file__).resolve().parent.parent

MAIN = "__main__"
"""The module of a running program or a notebook, which no other process can import."""


@dataclass(frozen=True)
class Source:
    """A module of the user and its source as it was loaded."""

    module: str
    file: Path
    content: bytes

    @property
    def name(self) -> str:
        """Its file relative to the folder where its import begins: ``package/module.py``."""
        path = self.module.replace(".", "/")
        return f"{path}/__init__.py" if self.file.name == "__init__.py" else f"{path}.py"

    def is_current(self, folder: Path) -> bool:
        """Whether a scenario in ``folder`` would load the same now, or nothing at all."""
        if self.module == MAIN:
            return True
        try:
            return self._file_for(folder).read_bytes() == self.content
        except FileNotFoundError:
            return True
        except OSError:
            return False

    def _file_for(self, folder: Path) -> Path:
        """Where a scenario in ``folder`` finds the module: beside itself first."""
        if "." in self.module:
            beside = folder / self.name
            return beside if beside.exists() else self.file
        spec = importlib.machinery.PathFinder.find_spec(self.module, [str(folder), *sys.path])
        return Path(spec.origin) if spec is not None and spec.origin else self.file


@dataclass(frozen=True)
class Loaded:
    """A module, and the source of it and of all modules of the user that it imports."""

    module: ModuleType
    sources: tuple[Source, ...]


_seen: dict[int, tuple[object, bytes]] = {}
"""Source by the identity of a module's spec, which a reload replaces; keeps the spec alive."""

_loaded: dict[tuple[Path, str], Loaded] = {}
"""Modules that scenarios name, by the scenario's folder and name."""

_lock = RLock()


def is_own(module: str) -> bool:
    """Whether a module is the user's: neither installed nor of the standard library or Sojourn."""
    top = module.partition(".")[0]
    if top in (MAIN, "sojourn"):
        return top == MAIN
    file = getattr(sys.modules.get(module), "__file__", None)
    return top not in sys.stdlib_module_names if file is None else _is_own_file(file)


def _is_own_file(file: str) -> bool:
    path = Path(file).resolve()
    return not INSTALLED & set(path.parts) and not {STANDARD, SOJOURN} & set(path.parents)


def load(name: str, folder: str | Path) -> Loaded:
    """The module that a scenario in ``folder`` names; loaded once for this folder.

    Raises what importing it raises.
    """
    place = Path(folder).resolve()
    with _lock:
        if (place, name) in _loaded:
            return _loaded[place, name]
        with _first(place):
            there = sys.modules.get(name)
            found = sources_of(there) if there is not None else ()
            if there is None or all(one.is_current(place) for one in found):
                module = importlib.import_module(name)
                loaded = Loaded(module, sources_of(module))
            else:
                loaded = _loaded_anew(name, found)
        _loaded[place, name] = loaded
        return loaded


def refresh(folder: str | Path) -> None:
    """Forget the modules of a folder whose source has changed: they are loaded again when named."""
    place = Path(folder).resolve()
    if not _loaded:
        return
    importlib.invalidate_caches()
    with _lock:
        for key in [key for key in _loaded if key[0] == place]:
            if not all(one.is_current(place) for one in _loaded[key].sources):
                del _loaded[key]


def forget() -> None:
    """Keep no module any more."""
    _loaded.clear()
    _seen.clear()


def sources_of(module: ModuleType) -> tuple[Source, ...]:
    """The source of a module and of all modules of the user that it imports, itself first."""
    found: dict[str, Source] = {}
    waiting: list[tuple[str, ModuleType | None]] = [(module.__name__, module)]
    place = Path(getattr(module, "__file__", None) or ".").resolve().parent
    while waiting:
        name, here = waiting.pop()
        if name in found:
            continue
        source = _source_of(name, here) if here is not None else _not_loaded(name, place)
        if source is not None:
            found[name] = source
            waiting += [(each, sys.modules.get(each)) for each in _imports(source)]
    return tuple(found.values())


def installed_source(name: str) -> bytes:
    """The source of a module that was installed; nothing for a module of the user."""
    file = getattr(sys.modules.get(name), "__file__", None)
    return b"" if file is None or is_own(name) else Path(file).read_bytes()


def _source_of(name: str, module: ModuleType) -> Source | None:
    """The source of a module as it was loaded; of one that others imported, as first seen here."""
    file = getattr(module, "__file__", None)
    if file is None or not file.endswith(".py") or not _is_own_file(file):
        return None
    mark = getattr(module, "__spec__", None) or module
    if id(mark) not in _seen:
        try:
            _seen[id(mark)] = (mark, Path(file).read_bytes())
        except OSError:
            return None
    return Source(name, Path(file).resolve(), _seen[id(mark)][1])


def _not_loaded(name: str, place: Path) -> Source | None:
    """The source of a module that a method imports once it is called."""
    if "." in name:
        return None
    spec = importlib.machinery.PathFinder.find_spec(name, [str(place), *sys.path])
    file = getattr(spec, "origin", None)
    if file is None or not file.endswith(".py") or not _is_own_file(file):
        return None
    with suppress(OSError):
        return Source(name, Path(file).resolve(), Path(file).read_bytes())
    return None


def _imports(source: Source) -> set[str]:
    """The modules that a module may import, packages around them included."""
    try:
        tree = ast.parse(source.content)
    except (SyntaxError, ValueError):
        return set()
    is_package = source.file.name == "__init__.py"
    package = source.module if is_package else source.module.rpartition(".")[0]
    named = {source.module}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            named |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            around = package.split(".")[: len(package.split(".")) - node.level + 1]
            base = ".".join([*(around if node.level else []), *filter(None, [node.module])])
            named |= {base} | {f"{base}.{alias.name}" for alias in node.names}
    parts = [name.split(".") for name in named]
    found = {".".join(part[:end]) for part in parts for end in range(1, len(part) + 1)}
    return found - {"", source.module}


def _loaded_anew(name: str, old: Iterable[Source]) -> Loaded:
    """Import a module again, with all of the user's modules that it imports.

    Modules that others imported are put back afterwards, so that their users are not disturbed.
    """
    names = [one.module for one in old if one.module != MAIN]
    aside = {each: sys.modules.pop(each) for each in names if each in sys.modules}
    back = aside
    try:
        module = importlib.import_module(name)
        loaded = Loaded(module, sources_of(module))
        back = {each: one for each, one in aside.items() if not _is_loaded_here(one)}
        return loaded
    finally:
        sys.modules.update(back)


def _is_loaded_here(module: ModuleType) -> bool:
    return isinstance(getattr(module.__spec__, "loader", None), _Loader)


class _Loader(importlib.machinery.SourceFileLoader):
    """Makes a module from bytes that were read, never from a compiled file, which may be older."""

    def __init__(self, name: str, path: str, content: bytes) -> None:
        """Make a loader for the ``content`` of ``path``."""
        super().__init__(name, path)
        self._content = content

    def get_code(self, fullname: str) -> Any:
        """Compile it."""
        del fullname
        return self.source_to_code(self._content, self.path)


class _Finder:
    """Finds modules where Python does, and keeps the source of the user's modules."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """Find one; none where it is not the user's."""
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        loader, file = getattr(spec, "loader", None), getattr(spec, "origin", None)
        is_source = type(loader) is importlib.machinery.SourceFileLoader
        if spec is None or file is None or not is_source or not _is_own_file(file):
            return None
        content = Path(file).read_bytes()
        spec.loader = _Loader(name, file, content)
        _seen[id(spec)] = (spec, content)
        return spec


_finder = _Finder()


@contextmanager
def _first(folder: Path) -> Iterator[None]:
    """Look for modules in a folder first, and keep the source of the user's modules."""
    # A file that was written a moment ago may be missing in what Python remembers of its folder.
    importlib.invalidate_caches()
    sys.path.insert(0, str(folder))
    sys.meta_path.insert(0, _finder)
    try:
        yield
    finally:
        sys.meta_path.remove(_finder)
        sys.path.remove(str(folder))
