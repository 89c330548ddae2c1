"""What is wrong with a class of the user: found when an object is made, not during a run."""

from __future__ import annotations

import inspect
import operator
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from types import FunctionType
from typing import Any

from sojourn.errors.arguments import repr_of
from sojourn.errors.brief import InputError
from sojourn.errors.nearest import nearest

MOST_QUEUES = 2**16 - 1
"""The largest number of queues that a discipline may have."""

LIKENESS = 0.8
"""How similar, from 0 to 1, the name of a method must be to that of a hook to count as a typo."""


class HookError(InputError):
    """A class whose hooks cannot be called; ``message`` says what was found and is allowed."""

    param: str | None = None

    def __init__(self, message: str) -> None:
        """Say what is wrong."""
        super().__init__(message)
        self.message = message


class NotYet:
    """Stands for what ``__init__`` of a base class sets, in case a class does not call it."""

    def __get__(self, made: object, cls: type) -> Any:
        """Raise :class:`HookError`: nothing was set."""
        if made is None:
            return self
        raise HookError(
            f"{cls.__module__}:{cls.__qualname__}: found an __init__ that does not call "
            "super().__init__(**given); allowed: one that does, or reset(self), which sets the "
            "state that a run begins with"
        )


class HookWarning(UserWarning):
    """A method that may be meant as a hook."""


@cache
def check(
    cls: type,
    base: type,
    hooks: tuple[str, ...],
    needed: tuple[str, ...],
    further: tuple[str, ...] = (),
) -> None:
    """Compare the hooks of a class with those that its base declares.

    The class must have at least one of ``hooks``, and all that are ``needed``; ``further`` hooks
    alone would not make it do anything. Raises :class:`HookError`; gives a :class:`HookWarning` if
    a method looks like a misspelt hook.
    """
    name = f"{cls.__module__}:{cls.__qualname__}"
    own = [hook for hook in hooks if getattr(cls, hook) is not getattr(base, hook)]
    slips = [f"{found}: did you mean {meant}?" for found, meant in _slips(cls, base, hooks)]
    if not own and cls is not base:
        fault = f"{name}: found no hook; allowed: at least one of {', '.join(hooks)}"
        raise HookError("; ".join([fault, *slips]))
    if missing := [hook for hook in needed if hook not in own]:
        fault = f"{name}: found no {', no '.join(missing)}; allowed: all of {', '.join(needed)}"
        raise HookError("; ".join([fault, *slips]))
    for hook in (*own, *further):
        _check_arguments(cls, base, hook, name)
    for slip in slips:
        warnings.warn(f"{name}: never called: {slip}", HookWarning, stacklevel=3)


def check_facts(made: object, *facts: str) -> None:
    """Compare what an object says about itself, in addition to its parameters, with what is
    allowed.

    Raises :class:`HookError`.
    """
    cls = type(made)
    for fact in facts:
        found = getattr(made, fact)
        holds, allowed = _FACTS[fact]
        if not holds(found):
            name = f"{cls.__module__}:{cls.__qualname__}"
            raise HookError(f"{name}: found {fact} = {repr_of(found)}; allowed: {allowed}")


def _counts_queues(found: Any) -> bool:
    try:
        return not _is_flag(found) and 1 <= operator.index(found) <= MOST_QUEUES
    except TypeError:
        return False


def _names_all(found: object) -> bool:
    return isinstance(found, list | tuple) and all(isinstance(name, str) for name in found)


def _is_flag(found: object) -> bool:
    # NumPy's is none of Python's.
    return isinstance(found, bool) or type(found).__name__ in ("bool", "bool_")


_FACTS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "queues": (_counts_queues, f"a whole number from 1 to {MOST_QUEUES}"),
    "probes": (_names_all, 'names of attributes, such as ("count",)'),
    "pacing": (_is_flag, "True or False"),
    "own_recovery": (_is_flag, "True or False"),
}
"""What holds of each, and how it is told."""


def _slips(cls: type, base: type, hooks: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Public methods whose names nearly are that of a hook, with the hook."""
    for each in cls.__mro__:
        if each is base:
            return
        for name, value in vars(each).items():
            is_method = callable(value) or hasattr(value, "function")
            if name.startswith("_") or hasattr(base, name) or not is_method:
                continue
            if meant := nearest(name, hooks, LIKENESS):
                yield name, meant


def _check_arguments(cls: type, base: type, hook: str, name: str) -> None:
    """Check that a hook accepts the arguments with which it will be called."""
    found: Any = inspect.getattr_static(cls, hook)
    compiled = getattr(found, "function", None)
    function = compiled or found
    if not isinstance(function, FunctionType):
        return
    given = ("state", "packet")
    if compiled is None:
        given = tuple(inspect.signature(getattr(base, hook)).parameters)
    # Called, these do nothing yet.
    for kind, is_kind in (
        ("async def", inspect.iscoroutinefunction(function)),
        ("a yield in", inspect.isgeneratorfunction(function)),
    ):
        if is_kind:
            raise HookError(f"{name}: found {kind} {hook}; allowed: a plain function")
    signature = inspect.signature(function)
    try:
        signature.bind(*given)
    except TypeError:
        taken, allowed = ", ".join(signature.parameters), ", ".join(given)
        message = f"{name}: found {hook}({taken}); allowed: {hook}({allowed})"
        raise HookError(message) from None
