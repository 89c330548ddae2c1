"""A hash of what a class does: everything that its methods can reach, distinguished by value.

This covers the code of its methods, the class's own attributes, the variables around its methods,
the globals that they name, and the same for every function and class of the user that is reached in
this way. Installed packages, and Sojourn itself, count only by name.
"""

from __future__ import annotations

import copyreg
import functools
import hashlib
from collections.abc import Iterable, Iterator
from types import (
    BuiltinFunctionType,
    CodeType,
    FunctionType,
    GetSetDescriptorType,
    MappingProxyType,
    MemberDescriptorType,
    MethodDescriptorType,
    MethodType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any

from sojourn.own.modules import is_own

PLAIN = (type(None), type(Ellipsis), type(NotImplemented), bool, int, float, complex, str, bytes)
"""Types for which the text of a value says everything about it."""

BUILT_IN = (
    BuiltinFunctionType,
    GetSetDescriptorType,
    MemberDescriptorType,
    MethodDescriptorType,
    WrapperDescriptorType,
)
"""Types whose values are distinguished by their names."""

OF_NO_EFFECT = {
    "__abstractmethods__",
    "__annotate__",
    "__annotate_func__",
    "__annotations__",
    "__annotations_cache__",
    "__dict__",
    "__doc__",
    "__firstlineno__",
    "__module__",
    "__qualname__",
    "__static_attributes__",
    "__weakref__",
    "_abc_impl",
}
"""Attributes of a class that say where it is defined, or repeat something else."""


class NoValue(Exception):
    """A value that cannot be distinguished from others; the text is its type."""


def fingerprint(cls: type) -> str:
    """A hash of what a class does, the same in every process. Raises :class:`NoValue`."""
    walk = _Walk()
    try:
        walk.value(cls)
    except RecursionError:
        raise NoValue("something nested very deeply") from None
    return walk.hexdigest()


class _Walk:
    """Visits everything that a value consists of, once."""

    def __init__(self) -> None:
        """Nothing has been met."""
        self._hash = hashlib.sha256()
        self._met: dict[object, int] = {}
        # What was made on the way must not leave its identity to something else.
        self._alive: list[object] = []

    def hexdigest(self) -> str:
        """The hash of all that was met."""
        return self._hash.hexdigest()

    def value(self, value: Any) -> None:
        """Any value."""
        kind = type(value)
        if kind in PLAIN:
            self._put(kind.__name__, repr(value))
        elif isinstance(value, tuple) and kind is tuple:
            self._many("tuple", value)
        elif kind in (set, frozenset):
            self._put(kind.__name__, *sorted(_alone(each) for each in value))
        elif isinstance(value, ModuleType):
            self._put("module", value.__name__)
        elif not self._is_met(id(value), value):
            self._compound(value)

    def _compound(self, value: Any) -> None:
        """A value that may contain itself."""
        match value:
            case list() if type(value) is list:
                self._many("list", value)
            case dict() | MappingProxyType() if type(value) in (dict, MappingProxyType):
                self._many("dict", (part for item in value.items() for part in item))
            case type():
                self._class(value)
            case FunctionType():
                self._function(value)
            case CodeType():
                self._code(value)
            case MethodType():
                self._many("method", (value.__func__, value.__self__))
            case staticmethod() | classmethod():
                self._many(type(value).__name__, (value.__func__,))
            case property():
                self._many("property", (value.fget, value.fset, value.fdel))
            case functools.cached_property():
                self._many("cached", (value.func,))
            case _ if isinstance(value, BUILT_IN):
                module = getattr(value, "__module__", None)
                self._put("built in", str(module), value.__qualname__)
            case _:
                self._object(value)

    def _class(self, cls: type) -> None:
        self._put("class", cls.__module__, cls.__qualname__)
        if not is_own(cls.__module__):
            return
        self._many("bases", (type(cls), *cls.__bases__))
        for name, value in sorted(vars(cls).items()):
            if name not in OF_NO_EFFECT:
                self._put(name)
                self.value(value)

    def _function(self, function: FunctionType) -> None:
        module = str(function.__globals__.get("__name__"))
        self._put("function", module, function.__qualname__)
        if not is_own(module):
            return
        self._code(function.__code__)
        self._many("given", (function.__defaults__, function.__kwdefaults__, function.__dict__))
        for cell in function.__closure__ or ():
            try:
                content = cell.cell_contents
            except ValueError:
                self._put("empty")
            else:
                self.value(content)
        names = sorted(set(_names(function.__code__)))
        self._named(function.__globals__, names)

    def _named(self, variables: dict[str, Any], names: list[str]) -> None:
        """The variables of these names, and attributes of these names in modules of the user."""
        for name in names:
            if name not in variables:
                continue
            value = variables[name]
            self._put(name)
            self.value(value)
            if isinstance(value, ModuleType) and is_own(value.__name__):
                key = (id(value), tuple(names))
                if not self._is_met(key, value):
                    self._named(vars(value), names)

    def _code(self, code: CodeType) -> None:
        counts = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)
        self._put("code", code.co_name, code.co_code.hex(), *map(str, counts))
        self._put(*code.co_names, *code.co_freevars)
        self._put(getattr(code, "co_exceptiontable", b"").hex())
        self._many("constants", code.co_consts)

    def _object(self, value: Any) -> None:
        """An object, by the way it is copied."""
        # A compiled or a remembering function is what it was made of.
        inner = getattr(value, "py_func", None) or getattr(value, "__wrapped__", None)
        if isinstance(inner, FunctionType):
            self._many("wrapped", (inner,))
            return
        try:
            reduce = copyreg.dispatch_table.get(type(value))
            parts = value.__reduce_ex__(4) if reduce is None else reduce(value)
        except Exception:
            raise NoValue(f"{type(value).__module__}.{type(value).__qualname__}") from None
        if isinstance(parts, str):
            self._put("global", str(getattr(value, "__module__", None)), parts)
            return
        listed = [list(part) if isinstance(part, Iterator) else part for part in parts]
        self._many("object", listed)

    def _many(self, what: str, values: Iterable[Any]) -> None:
        """Several values, and where they end."""
        listed = list(values)
        self._alive.append(listed)
        self._put(what, str(len(listed)))
        for value in listed:
            self.value(value)

    def _is_met(self, key: object, value: object) -> bool:
        if key in self._met:
            self._put("again", str(self._met[key]))
            return True
        self._met[key] = len(self._met)
        self._alive.append(value)
        return False

    def _put(self, *words: str) -> None:
        for word in words:
            content = word.encode("utf-8", "surrogatepass")
            self._hash.update(b"%d:%b" % (len(content), content))


def _alone(value: Any) -> str:
    """The hash of one member of a set: members have no order."""
    walk = _Walk()
    walk.value(value)
    return walk.hexdigest()


def _names(code: CodeType) -> Iterator[str]:
    """The names that a function uses, including those used by functions inside it."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)
