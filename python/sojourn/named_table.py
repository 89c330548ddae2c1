"""What all classes that stand for a table of a scenario file have in common."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import PurePath
from typing import Any, ClassVar


@dataclass(frozen=True, kw_only=True, repr=False)
class Table:
    """A table whose word says which parameters it has: ``discipline = "codel"``.

    What is not given is left to the scenario file's defaults.
    """

    WORD: ClassVar[str]
    """The word that names it."""

    NAME: ClassVar[str]
    """Its name in scenario files."""

    def table(self) -> dict[str, Any]:
        """Return the table as a scenario file has it."""
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        return {self.WORD: self.NAME} | {k: v for k, v in given.items() if v is not None}

    def __repr__(self) -> str:
        """The call that makes it."""
        _, *given = self.table().items()
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in given)})"


@dataclass(frozen=True, kw_only=True, repr=False)
class Queue(Table):
    """A queue discipline of the registry."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Source(Table):
    """A traffic source of the registry."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Control(Table):
    """A congestion control of the registry."""


def plain(value: Any) -> Any:
    """Return a value as a scenario file has it: objects as their tables, all the way down.

    A class stands for an object of it with all defaults.
    """
    if isinstance(value, type) and hasattr(value, "table"):
        value = value()
    if hasattr(value, "table"):
        return plain(value.table())
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items() if item is not None}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    if hasattr(value, "tolist"):
        # A number or an array of NumPy.
        return value.tolist()
    if isinstance(value, PurePath):
        return str(value)
    if isinstance(value, list | tuple | range):
        return [plain(item) for item in value]  # pyright: ignore[reportUnknownVariableType]
    return value
