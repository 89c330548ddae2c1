"""Parameters of classes of your own: declared once, validated, with units.

>>> class MyAqm(sj.queue.Discipline):
...     target = sj.params.time("5 ms", "Sojourn that is good for a packet.")

The instance has the value in base units (seconds, bytes, bit/s, packets); scenario files and the
constructor take it with its unit, as for a discipline of the registry.
"""

from __future__ import annotations

from typing import Any, cast

from sojourn import _core
from sojourn.errors.brief import InputError, brief
from sojourn.errors.nearest import hint


class ParamError(InputError):
    """A parameter that cannot be taken: ``param`` and ``message``."""

    def __init__(self, param: str, message: str) -> None:
        """Name the parameter, what was found and what is allowed."""
        super().__init__(param, message)
        self.param = param
        self.message = message

    def __str__(self) -> str:
        """Both."""
        return f"{self.param}: {self.message}"


class Param:
    """The declaration of a parameter."""

    def __init__(
        self, kind: str, default: object, doc: str = "", options: tuple[str, ...] = ()
    ) -> None:
        """Declare one of a ``kind`` that the core can read, or one of some ``options``."""
        self.kind = kind
        self.default = default
        self.doc = doc
        self.options = options

    def read(self, name: str, value: object) -> Any:
        """Return a value in base units. Raises :class:`ParamError`."""
        if hasattr(value, "tolist"):
            # A number of NumPy.
            value = value.tolist()  # pyright: ignore[reportAttributeAccessIssue]
        if self.options:
            if value not in self.options:
                allowed = ", ".join(self.options)
                raise ParamError(name, f"found {value!r}; allowed: {allowed}")
            return value
        if not isinstance(value, str | int | float):
            raise ParamError(name, f"found {value!r}; allowed: a text, a number or a flag")
        try:
            return _core.read_quantity(self.kind, value)
        except TypeError:
            # Neither a whole number of the core's nor a float.
            message = f"found a number of more than 308 digits; allowed: {self.allowed}"
            raise ParamError(name, message) from None
        except ValueError as error:
            raise ParamError(name, str(error)) from None

    @property
    def allowed(self) -> str:
        """What it takes, in words."""
        try:
            self.read("", "")
        except ParamError as error:
            return error.message.partition("allowed: ")[2]
        return ""

    def with_default(self, default: object) -> Param:
        """The same with another default."""
        return Param(self.kind, default, self.doc, self.options)


def time(default: str, doc: str = "") -> float:
    """A duration such as ``"5 ms"``; in seconds."""
    return cast("float", Param("time", default, doc))


def rate(default: str, doc: str = "") -> float:
    """A rate such as ``"2 Mbit/s"``; in bit/s."""
    return cast("float", Param("rate", default, doc))


def size(default: str, doc: str = "") -> int:
    """A size such as ``"1500 B"``; in bytes."""
    return cast("int", Param("size", default, doc))


def packets(default: str, doc: str = "") -> float:
    """A number of packets such as ``"5 packets"``."""
    return cast("float", Param("packets", default, doc))


def probability(default: float, doc: str = "") -> float:
    """A number from 0 to 1."""
    return cast("float", Param("probability", default, doc))


def number(default: float, doc: str = "") -> float:
    """A number without a unit."""
    return cast("float", Param("number", default, doc))


def whole(default: int, doc: str = "") -> int:
    """A whole number from 0 on."""
    return cast("int", Param("whole", default, doc))


def flag(default: bool, doc: str = "") -> bool:
    """True or false."""
    return cast("bool", Param("flag", default, doc))


def choice(default: str, options: tuple[str, ...], doc: str = "") -> str:
    """One of some words."""
    return cast("str", Param("choice", default, doc, options))


def limit(default: str, doc: str = "") -> str:
    """The most that may wait: ``"50 packets"``, ``"64 kB"``, ``"100 ms"``, ``"1 bdp"`` or none."""
    return cast("str", Param("limit", default, doc))


def declared(cls: type) -> dict[str, Param]:
    """The parameters of a class, those of its bases first.

    A plain value in place of an inherited parameter is its new default.
    """
    params: dict[str, Param] = {}
    for each in reversed(cls.__mro__):
        for name, value in vars(each).items():
            if isinstance(value, Param):
                params[name] = value
            elif name in params:
                params[name] = params[name].with_default(value)
    return params


@brief
def read_all(cls: type, given: dict[str, Any]) -> dict[str, Any]:
    """The values of all parameters of a class, in base units. Raises :class:`ParamError`."""
    params = declared(cls)
    for name in given:
        if name not in params:
            allowed = ", ".join(params)
            message = f"unknown key: found {name!r}; allowed: {allowed}{hint(name, params)}"
            raise ParamError(name, message)
    return {
        name: param.read(name, given.get(name, param.default)) for name, param in params.items()
    }
