"""Decisions compiled by Numba: a discipline in Python at the speed of a built-in one.

>>> class Coin(sj.queue.Discipline):
...     threshold = sj.params.packets("20 packets")
...
...     @sj.njit_policy
...     def enqueue(state, packet):
...         if packet.packets > state.threshold and sj.uniform(packet) < 0.5:
...             return sj.queue.DROP
...         return sj.queue.ACCEPT

A compiled hook gets two records. ``state`` holds the parameters and the variables that the class
names in ``state``; it may change them. ``packet`` holds what :data:`PACKET` lists. The core calls
the machine code by its address: no interpreter, no lock.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from types import FunctionType
from typing import Any, cast

from sojourn import _core, params
from sojourn.own.compile_errors import why
from sojourn.own.hooks import HookError

HOOKS = ("enqueue", "dequeue", "on_empty", "on_timer")
"""Hooks that may be compiled."""

PACKET = {
    "now": "f8",
    "sojourn": "f8",
    "link_rate": "f8",
    "link_delay": "f8",
    "base_rtt": "f8",
    "wait_until": "f8",
    "flow": "u8",
    "stream": "u8",
    "size": "i8",
    "ecn": "i8",
    "packets": "i8",
    "bytes": "i8",
    "source": "i8",
    "destination": "i8",
    "dscp": "i8",
    "mtu": "i8",
}
"""The fields of ``packet``, in the units of :class:`sojourn.queue.Discipline`, with NumPy's types.

``packet.wait_until`` must be set before ``WAIT`` is answered: each time, for the hook is asked
again at that instant, and earlier if a packet arrives meanwhile. In ``on_empty`` and ``on_timer``,
which do not judge a packet, the fields that describe a packet are 0. ``on_timer`` runs at
``state.next_timer``, in seconds, which the class declares in ``state``. The hook finds its instant
there, and sets a later one to continue. The field is infinite while no timer is set.
"""


FAILED = -(2**63)
"""The answer of a compiled hook that raised an exception."""


class Policy:
    """A hook to be compiled."""

    def __init__(self, function: Callable[..., int | None]) -> None:
        """Keep the function until its class is known."""
        self.function = cast("FunctionType", function)


def njit_policy(function: Callable[..., int | None]) -> Any:
    """Have a hook of a discipline compiled by Numba: ``def enqueue(state, packet)``.

    It may use those parts of Python that Numba compiles: numbers, branches, loops, ``math``. A
    division by zero raises, as in Python.
    """
    return Policy(function)


def hooks_of(cls: type) -> dict[str, Policy]:
    """The compiled hooks of a class."""
    found = {name: getattr(cls, name, None) for name in (*HOOKS, "choose", "on_link")}
    return {name: hook for name, hook in found.items() if isinstance(hook, Policy)}


def fields_of(cls: Any) -> list[str]:
    """The names in ``state``: numeric parameters, then the variables of the class."""
    declared = params.declared(cls).items()
    numeric = [name for name, param in declared if param.kind not in ("limit", "choice")]
    return [*numeric, *cls.state]


_compiled: dict[type, dict[str, Any]] = {}
"""Machine code by class and hook; it must live as long as the core may call it."""


def addresses(cls: Any) -> dict[str, int]:
    """Compile the hooks of a class; return where their code begins."""
    if cls not in _compiled:
        _compiled[cls] = _compile(cls)
    return {name: code.address for name, code in _compiled[cls].items()}


def start(instance: Any) -> list[float]:
    """The values of ``state`` in a new queue, in the order of :func:`fields_of`."""
    cls = type(instance)
    values = [
        cls.state[name] if name in cls.state else getattr(instance, name) for name in fields_of(cls)
    ]
    return [float(value) for value in values]


def _compile(cls: Any) -> dict[str, Any]:
    name = f"{cls.__module__}:{cls.__qualname__}"
    try:
        import numba
        import numpy as np
        from numba import types
    except ImportError:
        needs = "needs Numba, which is not installed; install it with: pip install 'sojourn[numba]'"
        raise HookError(f"{name}: {needs}") from None
    state = numba.from_dtype(np.dtype([(name, "f8") for name in fields_of(cls) or ("_",)]))
    packet = numba.from_dtype(np.dtype(list(PACKET.items())))
    signature = types.int64(types.CPointer(state), types.CPointer(packet))
    compiled: dict[str, Any] = {}
    for hook, policy in hooks_of(cls).items():
        inner = numba.njit(error_model="python", inline="never")(policy.function)
        answers = hook in ("enqueue", "dequeue")
        try:
            compiled[hook] = numba.cfunc(signature)(_entry(numba, inner, answers))
        # What Numba raises has no common base: KeyError for a field that a record does not have.
        except Exception as error:
            reason = why(policy.function, error, _records(cls, policy.function))
            raise HookError(f"{name}: {hook} cannot be compiled: {reason}") from None
        answer = inner.nopython_signatures[0].return_type
        # Machine code would cut it off: 0.9 would be ACCEPT.
        if answers and isinstance(answer, types.Float):
            raise HookError(f"{name}: {hook} answers {answer}; allowed: verdicts, whole numbers")
    return compiled


def _records(cls: Any, function: FunctionType) -> dict[str, list[str]]:
    """The fields of what a hook is given, by the names of its arguments."""
    return dict(zip(function.__code__.co_varnames, (fields_of(cls), [*PACKET]), strict=False))


def _entry(numba: Any, inner: Any, answers: bool) -> Callable[..., int]:
    """The function that the core calls: from addresses to records."""
    carray = numba.carray
    if answers:

        def entry(state: Any, packet: Any) -> int:
            try:
                return inner(carray(state, 1)[0], carray(packet, 1)[0])
            except Exception:
                return FAILED

    else:

        def entry(state: Any, packet: Any) -> int:
            try:
                inner(carray(state, 1)[0], carray(packet, 1)[0])
            except Exception:
                return FAILED
            return 0

    return entry


def raise_again(cls: Any, hook: str, state: list[float], packet: list[float]) -> None:
    """Run a compiled hook in the interpreter, on the records with which it failed.

    There it raises the same exception as the machine code did, now with a traceback.
    """
    import numpy as np

    names = fields_of(cls)
    given = np.array([tuple(state) or (0.0,)], dtype=[(name, "f8") for name in names or ("_",)])
    judged = np.array([tuple(packet)], dtype=list(PACKET.items()))
    try:
        # NumPy's numbers warn of a division by zero unless they are told to raise.
        with np.errstate(divide="raise", invalid="raise"):
            hooks_of(cls)[hook].function(np.rec.array(given)[0], np.rec.array(judged)[0])
    except FloatingPointError as error:
        raise ZeroDivisionError("division by zero").with_traceback(error.__traceback__) from None


_uniform = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_uint64)(_core.UNIFORM)


def _draw(packet: Any) -> float:
    return _uniform(packet.stream)


def __getattr__(name: str) -> Any:
    """Make ``uniform`` when it is asked for: importing Numba takes long.

    ``uniform(packet)`` is a random number in [0, 1) from the discipline's own stream.
    """
    if name != "uniform":
        raise AttributeError(f"module 'sojourn.own.native' has no attribute {name!r}")
    try:
        from numba import njit
    except ImportError:
        return _draw
    globals()["uniform"] = compiled = njit(_draw)
    return compiled
