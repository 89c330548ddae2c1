"""Why Numba cannot compile a hook, in one sentence with its place."""

from __future__ import annotations

import dis
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import CodeType, FunctionType

from sojourn.errors.nearest import hint

COLOURS = re.compile(r"\x1b\[[0-9;]*m")
PLACE = re.compile(r'^File "(?P<file>[^"]+)", line (?P<line>\d+):', re.MULTILINE)
PREAMBLE = re.compile(r"Failed in \w+ mode pipeline|During:|File \"")
"""Lines in which Numba says how it came to its message, not what is wrong."""

MODULE = re.compile(r"Module\(<module '([^']+)'[^>]*>\)")


def why(function: FunctionType, error: Exception, records: Mapping[str, Sequence[str]]) -> str:
    """What is wrong with a hook: ``state has no 'count' (it has n): crash.py, line 58``.

    ``records`` are the fields of what the hook is given, by the names of its own arguments.
    """
    code = function.__code__
    unknown = _unknown_field(code, records)
    if unknown is not None:
        record, field, line = unknown
        fields = ", ".join(records[record]) or "nothing: variables are declared in the class"
        what = f"{record} has no {field!r} (it has {fields}){hint(field, records[record])}"
    else:
        text = COLOURS.sub("", str(error))
        what, line = _said(text) or type(error).__name__, _line(text, code)
    return f"{what}: {Path(code.co_filename).name}, line {line}"


def _unknown_field(
    code: CodeType, records: Mapping[str, Sequence[str]]
) -> tuple[str, str, int] | None:
    """The first field that a record does not have: record, field and line."""
    loaded: object = None
    line = code.co_firstlineno
    for step in dis.get_instructions(code):
        place = step.positions.lineno if step.positions is not None else None
        line = place or line
        if "ATTR" in step.opname or "METHOD" in step.opname:
            fields = records.get(str(loaded))
            if fields is not None and step.argval not in fields:
                return str(loaded), str(step.argval), line
        if step.opname in ("COPY", "SWAP"):
            continue
        is_local = "FAST" in step.opname
        # Python 3.13 puts two loads into one step; the last is on top.
        local = step.argval[-1] if isinstance(step.argval, tuple) else step.argval
        loaded = local if is_local else None
    return None


def _said(text: str) -> str:
    """Numba's own sentence."""
    lines = (line.strip() for line in text.splitlines())
    said = next((line for line in lines if line and not PREAMBLE.match(line)), "")
    return MODULE.sub(r"the module \1", said).rstrip(".:")


def _line(text: str, code: CodeType) -> int:
    """The line of a hook that Numba names; where the hook begins, if it names none."""
    lines = [line for _, _, line in code.co_lines() if line is not None]
    name = Path(code.co_filename).name
    named = (
        int(place["line"]) for place in PLACE.finditer(text) if Path(place["file"]).name == name
    )
    return next((line for line in named if line in lines), code.co_firstlineno)
