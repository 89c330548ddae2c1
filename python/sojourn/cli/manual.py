"""The manual page of a command: what ``--help`` and the reference of commands say of it.

A command's file holds its examples, as ``EXAMPLES``, beside its options and its text.
"""

from __future__ import annotations

import inspect
import sys
import types
import typing
from collections.abc import Callable, Iterator
from enum import Enum
from pathlib import Path
from typing import Any

from typer.models import ArgumentInfo, OptionInfo

WORDS = {int: "N", float: "NUMBER", str: "TEXT", Path: "PATH"}
"""What an option takes, by the type of its value."""


def examples(function: Callable[..., Any]) -> tuple[tuple[str, str], ...]:
    """What for, and the command, for each example of a command."""
    return sys.modules[function.__module__].EXAMPLES


def epilog(function: Callable[..., Any]) -> str:
    """The examples as they end a help page; each begins with the mark that keeps its lines."""
    shown = [f"\b\n  # {purpose}\n  {command}" for purpose, command in examples(function)]
    return "\n\n".join(["Examples:", *shown])


def name_values(function: Callable[..., Any], command: Any) -> None:
    """Name what the options of a command take, as its page does: N, PATH, RATE, morris|sobol."""
    taken = {
        name: _argument(name, kind, info) if isinstance(info, ArgumentInfo) else _taken(kind, info)
        for name, kind, info, _ in _declared(function)
    }
    for parameter in command.params:
        parameter.metavar = taken.get(parameter.name) or parameter.metavar or None


def page(name: str, function: Callable[..., Any]) -> str:
    """The manual of a command in Markdown."""
    usage = " ".join(["sojourn", name, "[OPTIONS]", *_arguments(function)])
    rows = ["| option | takes | default | what it does |", "| --- | --- | --- | --- |"]
    for cells in _rows(function):
        rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    shown = "\n\n".join(f"# {purpose}\n{text}" for purpose, text in examples(function))
    text = inspect.cleandoc(function.__doc__ or "")
    parts = [f"## {name}", text, f"```text\n{usage}\n```", "\n".join(rows), f"```sh\n{shown}\n```"]
    return "\n\n".join(parts)


def _declared(
    function: Callable[..., Any],
) -> Iterator[tuple[str, Any, ArgumentInfo | OptionInfo, Any]]:
    """Name, type, declaration and default of each argument and option."""
    hints = typing.get_type_hints(function, include_extras=True)
    for name, parameter in inspect.signature(function).parameters.items():
        kind, info = typing.get_args(hints[name])
        if isinstance(kind, types.UnionType):
            kind = next(each for each in typing.get_args(kind) if each is not type(None))
        yield name, kind, info, parameter.default


def _arguments(function: Callable[..., Any]) -> Iterator[str]:
    for name, kind, info, default in _declared(function):
        if isinstance(info, ArgumentInfo):
            word = _argument(name, kind, info)
            yield word if default is inspect.Parameter.empty else f"[{word}]"


def _argument(name: str, kind: Any, info: ArgumentInfo) -> str:
    """What stands for an argument; dots say that there may be several."""
    several = "..." if typing.get_origin(kind) is list else ""
    return (info.metavar or name.upper()) + several


def _rows(function: Callable[..., Any]) -> Iterator[tuple[str, ...]]:
    for name, kind, info, default in _declared(function):
        if isinstance(info, ArgumentInfo):
            # In code of a Markdown table a bar cannot be escaped in a way that all readers know.
            names = f"<code>{_argument(name, kind, info).replace('|', '&#124;')}</code>"
        else:
            # Within Annotated, Typer takes the first name for a default until it is called.
            first = (info.default,) if isinstance(info.default, str) else ()
            words = (*first, *(info.param_decls or ()))
            words = words or (f"--{name.strip('_').replace('_', '-')}",)
            names = ", ".join(f"`{word}`" for word in words)
        is_required = default is inspect.Parameter.empty
        shown = "required" if is_required else _default(default)
        help_text = " ".join((info.help or "").split()).replace("[", "\\[")
        yield names, _takes(kind, info), shown, help_text


def _taken(kind: Any, info: OptionInfo) -> str:
    """What an option takes in a word; empty for a switch."""
    if typing.get_origin(kind) is list:
        kind = typing.get_args(kind)[0]
    if info.metavar or kind is bool:
        return info.metavar or ""
    if isinstance(kind, type) and issubclass(kind, Enum):
        return "|".join(str(each.value) for each in kind)
    return WORDS[kind]


def _takes(kind: Any, info: ArgumentInfo | OptionInfo) -> str:
    if isinstance(info, ArgumentInfo):
        return ""
    words = _taken(kind, info).split("|")
    return ", ".join(f"`{word}`" for word in words if word)


def _default(default: Any) -> str:
    if default in (None, False, True):
        return "on" if default is True else ""
    return f"`{default.value if isinstance(default, Enum) else default}`"
