"""The user's modules: which these are, what they import, and their source as it was loaded.

A module that a scenario names is looked for beside the scenario file first. Its source is read
once, and the module is made from these bytes, also where a method imports it only when it is
called. So the source that identifies a run, and that is copied into a folder of results, is the
source that ran, even if the file has changed since. A module that the user imported, and whose file
was edited before it was seen here, is refused: its source is not known any more.
"""

from __future__ import annotations

import ast
import importlib
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from threading import RLock
from types import ModuleType
from typing import Any, Literal

from sojourn.errors.brief import InputError

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
    state: Literal["executed", "awaited", "edited"] = "executed"
    """Whether the module was made of it, or will be once it is imported, or was made of another."""

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
            found = self._file_for(folder).read_bytes()
            return found == self.content and self.state != "edited"
        except FileNotFoundError:
            return True
        except OSError:
            return False

    def _file_for(self, folder: Path) -> Path:
        """Where a scenario in ``folder`` finds the module: beside itself first."""
        if "." in self.module:
            beside = folder / self.name
            return beside if beside.exists() else self.file
        spec = PathFinder.find_spec(self.module, [str(folder), *sys.path])
        return Path(spec.origin) if spec is not None and spec.origin else self.file


@dataclass(frozen=True)
class Loaded:
    """A module, and the source of it and of all modules of the user that it imports."""

    module: ModuleType
    sources: tuple[Source, ...]


_seen: dict[int, tuple[object, bytes, bool]] = {}
"""Of modules that were not made here, by the identity of their spec, which a reload replaces: the
spec, which is kept alive, the source as first seen, and whether it is that of the module."""

_awaited: dict[str, Source] = {}
"""What modules will be made of that are imported later, if at all."""

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
            module = importlib.import_module(name)
            found = _reached(module)
            tried: set[str] = set()
            # What is imported anew may import others that are not of this folder.
            while stale := {one.module for one in found if not one.is_current(place)} - tried:
                tried |= stale
                module, found = _loaded_anew(name, found, place)
        _loaded[place, name] = Loaded(module, _known(found))
        return _loaded[place, name]


def refresh(folder: str | Path) -> None:
    """Forget the modules of a folder whose source has changed: they are loaded again when named."""
    place = Path(folder).resolve()
    if not _loaded:
        return
    importlib.invalidate_caches()
    with _lock:
        for key in [key for key in _loaded if key[0] == place]:
            if all(one.is_current(place) for one in _loaded[key].sources):
                expect(one for one in _loaded[key].sources if one.state == "awaited")
            else:
                del _loaded[key]


def expect(sources: Iterable[Source]) -> None:
    """Make the modules of these sources of them once they are imported.

    One of the same name that was imported for a scenario in another folder makes room.
    """
    _keep_finder()
    for one in sources:
        there = _loader_of(sys.modules.get(one.module))
        if there is not None and there.is_scenarios and there.content != one.content:
            del sys.modules[one.module]
        _awaited[one.module] = one


def forget() -> None:
    """Keep no module any more."""
    _loaded.clear()
    _seen.clear()
    _awaited.clear()
    with suppress(ValueError):
        sys.meta_path.remove(_finder)


def sources_of_class(cls: type) -> tuple[Source, ...]:
    """The source of a class's module and of all modules of the user that it imports.

    Raises :class:`InputError` where the class is not of the module as it is now, or this not of its
    file: their source is not known then.
    """
    # Takes its time to import, and most scenarios need no class of the user.
    from sojourn.own import executed

    module = sys.modules.get(cls.__module__)
    if module is None:
        return ()
    found = _reached(module)
    for place, one in enumerate(found):
        if one.module == cls.__module__ and not executed.is_of(cls, module, one.content):
            found[place] = replace(one, state="edited")
    return _known(found)


def _known(sources: Sequence[Source]) -> tuple[Source, ...]:
    """Those that were executed or will be: that of the running program may have been edited.

    Raises :class:`InputError` where another one was.
    """
    for one in sources:
        if one.state == "edited" and one.module != MAIN:
            raise InputError(
                f"{one.name} was edited after its import, and what ran is not known any more; "
                "allowed: to import it anew"
            )
    return tuple(one for one in sources if one.state != "edited")


def _reached(module: ModuleType) -> list[Source]:
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
    expect(one for one in found.values() if one.state == "awaited")
    return [*found.values()]


def installed_source(name: str) -> bytes:
    """The source of a module that was installed; nothing for a module of the user."""
    file = getattr(sys.modules.get(name), "__file__", None)
    return b"" if file is None or is_own(name) else Path(file).read_bytes()


def _source_of(name: str, module: ModuleType) -> Source | None:
    """The source of a module as it was loaded; of one that was not loaded here, as first seen."""
    file = getattr(module, "__file__", None)
    if file is None or not file.endswith(".py") or not _is_own_file(file):
        return None
    path = Path(file).resolve()
    if (loader := _loader_of(module)) is not None:
        return Source(name, path, loader.content)
    mark = getattr(module, "__spec__", None) or module
    if id(mark) not in _seen:
        from sojourn.own import executed

        try:
            content = path.read_bytes()
        except OSError:
            return None
        _seen[id(mark)] = (mark, content, executed.is_made_of(module, content))
    _, content, is_executed = _seen[id(mark)]
    return Source(name, path, content, "executed" if is_executed else "edited")


def _not_loaded(name: str, place: Path) -> Source | None:
    """The source of a module that a method imports once it is called."""
    file = _own_source(_spec_for(name, [str(place), *sys.path]))
    if file is None:
        return None
    with suppress(OSError):
        return Source(name, Path(file).resolve(), Path(file).read_bytes(), "awaited")
    return None


def _spec_for(name: str, path: list[str]) -> ModuleSpec | None:
    """Where a module would be found, or one inside a package; nothing is imported."""
    package = name.rpartition(".")[0]
    if not package:
        return PathFinder.find_spec(name, path)
    around = _spec_for(package, path)
    inside = around.submodule_search_locations if around is not None else None
    return None if inside is None else PathFinder.find_spec(name, inside)


def _own_source(spec: ModuleSpec | None) -> str | None:
    """The file of a module of the user that Python would make of its source."""
    if spec is None or spec.origin is None or type(spec.loader) is not SourceFileLoader:
        return None
    return spec.origin if _is_own_file(spec.origin) else None


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


def _loaded_anew(name: str, old: Sequence[Source], place: Path) -> tuple[ModuleType, list[Source]]:
    """Import a module again, with all of the user's modules that it imports; return their sources.

    Modules that others imported are put back afterwards, so that their users are not disturbed; not
    those that a method imports later, where they are not as their file.
    """
    names = [one.module for one in old if one.module != MAIN]
    aside = {each: sys.modules.pop(each) for each in names if each in sys.modules}
    back = aside
    try:
        module = importlib.import_module(name)
        found = _reached(module)
        fit = {*sys.modules} | {one.module for one in old if one.is_current(place)}
        back = {each: one for each, one in aside.items() if each in fit and not _is_ours(one)}
        return module, found
    finally:
        sys.modules.update(back)


def _is_ours(module: ModuleType) -> bool:
    """Whether a module was imported for a scenario."""
    loader = _loader_of(module)
    return loader is not None and loader.is_scenarios


def _loader_of(module: ModuleType | None) -> _Loader | None:
    """Of a module whose source was kept as it was made, what made it."""
    loader = getattr(getattr(module, "__spec__", None), "loader", None)
    return loader if isinstance(loader, _Loader) else None


class _Loader(SourceFileLoader):
    """Makes a module from bytes that were read, never from a compiled file, which may be older."""

    def __init__(self, name: str, path: str, content: bytes, is_scenarios: bool) -> None:
        """Make a loader for the ``content`` of ``path``; whether a scenario wants the module."""
        super().__init__(name, path)
        self.content = content
        self.is_scenarios = is_scenarios

    def get_code(self, fullname: str) -> Any:
        """Compile it."""
        del fullname
        return self.source_to_code(self.content, self.path)


class _Finder:
    """Finds modules where Python does, and keeps the source of the user's modules.

    What a scenario's module may import later counts as read with it, whoever imports it. Else
    folders of scenarios come last, so that what the user imports is what it would be without; and
    while a scenario's module is loaded, its own folder is the only one.
    """

    is_loading = False
    """Whether a module is being loaded that a scenario names."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """Find one."""
        awaited = None if self.is_loading else _awaited.pop(name, None)
        # A module that is reloaded is made of what its file is now.
        if awaited is not None and target is None:
            loader = _Loader(name, str(awaited.file), awaited.content, is_scenarios=True)
            return spec_from_file_location(name, awaited.file, loader=loader)
        if path is None and not self.is_loading:
            path = [*sys.path, *dict.fromkeys(str(place) for place, _ in [*_loaded])]
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and (file := _own_source(spec)) is not None:
            spec.loader = _Loader(name, file, Path(file).read_bytes(), self.is_loading)
        return spec


_finder = _Finder()


def _keep_finder() -> None:
    """Find modules by ours from now on, right before Python does: others may come before it."""
    if _finder not in sys.meta_path:
        places = [n for n, one in enumerate(sys.meta_path) if one is PathFinder]
        sys.meta_path.insert(places[0] if places else len(sys.meta_path), _finder)


@contextmanager
def _first(folder: Path) -> Iterator[None]:
    """Look for modules in a folder first."""
    # A file that was written a moment ago may be missing in what Python remembers of its folder.
    importlib.invalidate_caches()
    _keep_finder()
    sys.path.insert(0, str(folder))
    before, _finder.is_loading = _finder.is_loading, True
    try:
        yield
    finally:
        _finder.is_loading = before
        sys.path.remove(str(folder))
