"""Writes a table as TOML, as scenario files are written.

The standard library reads TOML but does not write it. Only what scenario files hold is known:
texts, numbers, booleans, lists, and tables; tables inside lists of tables are written in line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, cast

from sojourn.errors.arguments import kind_error

BITS = 63
"""Of a whole number in TOML, besides its sign."""

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def key_text(key: str) -> str:
    """A key, quoted where it must be."""
    return key if _BARE.fullmatch(key) else _quoted(key)


def _quoted(text: str) -> str:
    """A text as JSON quotes it; DEL too, which stands for itself there."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def value_text(value: Any, key: str = "value") -> str:
    """A value on one line. Raises :class:`KindError` for what scenario files do not hold."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int) and value.bit_length() > BITS:
        # No number of TOML; a text is refused under its key, with what is allowed there.
        return json.dumps(str(value))
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, list):
        return "[" + ", ".join(value_text(one, key) for one in cast("list[Any]", value)) + "]"
    if isinstance(value, Mapping):
        table = cast("Mapping[str, Any]", value)
        pairs = ", ".join(_pair(k, v, key) for k, v in table.items())
        return f"{{ {pairs} }}" if pairs else "{}"
    raise kind_error(key, value, "what a scenario file can hold: a text, a number, a list, a table")


def _pair(key: str, value: Any, above: str) -> str:
    return f"{key_text(key)} = {value_text(value, f'{above}.{key}')}"


def long_value_text(value: Any, key: str) -> str:
    """A value of a top table: a list of tables gets one line each."""
    if isinstance(value, list) and value and all(isinstance(x, Mapping) for x in value):  # pyright: ignore[reportUnknownVariableType]
        items = "".join(f"  {value_text(one, key)},\n" for one in cast("list[Any]", value))
        return f"[\n{items}]"
    return value_text(value, key)


def toml_text(document: Mapping[str, Any]) -> str:
    """A whole document: plain keys first, then tables, then lists of tables."""
    plain: list[str] = []
    tables: list[str] = []
    for key, value in document.items():
        if isinstance(value, Mapping):
            table = cast("Mapping[str, Any]", value)
            lines = [f"[{key_text(key)}]"]
            lines += [
                f"{key_text(k)} = {long_value_text(v, f'{key}.{k}')}" for k, v in table.items()
            ]
            tables.append("\n".join(lines))
        elif isinstance(value, list) and value and isinstance(value[0], Mapping):
            for one in cast("list[Mapping[str, Any]]", value):
                lines = [f"[[{key_text(key)}]]"]
                lines += [_pair(k, v, key) for k, v in one.items()]
                tables.append("\n".join(lines))
        else:
            plain.append(f"{key_text(key)} = {value_text(value, key)}")
    return "\n\n".join(["\n".join(plain), *tables]) + "\n"
