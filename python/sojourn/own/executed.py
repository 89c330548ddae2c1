"""Whether a module, or a class of it, was made of a certain source: its code is compared.

Python keeps the functions of a module that it made, and not the source.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib.machinery import SourceFileLoader
from itertools import chain
from types import CodeType, FunctionType, ModuleType
from typing import Any

from sojourn.own.native import Policy


def is_made_of(module: ModuleType, source: bytes) -> bool:
    """Whether the functions of a module are those of a source.

    Whoever else makes modules may change their code, as pytest does: nothing is known of these.
    Neither is it of functions that the source does not have: a reload leaves them behind.
    """
    if type(getattr(module, "__loader__", None)) is not SourceFileLoader:
        return True
    codes = _codes(module, source)
    names = {code.co_qualname for code in codes}
    values = [*vars(module).values()]
    classes = (one for one in values if isinstance(one, type) and one.__module__ == module.__name__)
    members = chain.from_iterable(vars(cls).values() for cls in classes)
    functions = _functions(chain(values, members))
    found = [one.__code__ for one in functions if one.__globals__ is vars(module)]
    return bool(codes) and all(code in codes for code in found if code.co_qualname in names)


def is_of(cls: type, module: ModuleType, source: bytes) -> bool:
    """Whether a class is of a module as it is now, and of this source of it."""
    loader = getattr(module, "__loader__", None)
    if not isinstance(loader, SourceFileLoader):
        return True
    members = _functions(vars(cls).values())
    own = [one for one in members if one.__code__.co_filename == module.__file__]
    # Python's own loader also makes the main module of a process, which then is a copy.
    is_copied = type(loader) is SourceFileLoader
    is_here = is_copied or all(one.__globals__ is vars(module) for one in own)
    codes = _codes(module, source)
    return is_here and all(one.__code__ in codes for one in own)


def _functions(values: Iterable[Any]) -> Iterator[FunctionType]:
    """The functions among some values, and those that others of them are made of."""
    for value in values:
        match value:
            case FunctionType():
                yield value
            case staticmethod() | classmethod():
                yield from _functions([value.__func__])
            case property():
                yield from _functions([value.fget])
            case Policy():
                yield value.function
            case _:
                pass


def _codes(module: ModuleType, source: bytes) -> set[CodeType]:
    """What a source is compiled to, each function by itself; nothing where it cannot be."""
    try:
        waiting = [compile(source, str(module.__file__), "exec", dont_inherit=True)]
    except (SyntaxError, ValueError):
        return set()
    found: set[CodeType] = set()
    while waiting:
        code = waiting.pop()
        found.add(code)
        waiting += [one for one in code.co_consts if isinstance(one, CodeType)]
    return found
