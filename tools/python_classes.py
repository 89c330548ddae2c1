"""The Python classes of all disciplines, sources and congestion controls, and the keys of tables.

One class for each line of a registry, one keyword for each parameter, typed by its JSON Schema and
documented by the very sentences of the reference pages.
"""

from __future__ import annotations

import json
import keyword
import re
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

from sojourn import _core

PACKAGE = Path(__file__).resolve().parent.parent / "python" / "sojourn"
WIDTH = 100
"""Columns of a line."""

NESTED = {"access": "Mapping[str, Any]", "rtt": "str | Sequence[str] | Mapping[str, str]"}
"""What keys may be that hold a table or a list, where a class of ours is not one of it."""

OWN_KEYS = {
    "scenario": ("name",),
    "link": ("name", "from", "to", "rate", "duplex"),
    "flow": ("name", "count", "from", "to", "transport", "traffic"),
    "tcp": ("protocol", "congestion_control"),
    "udp": ("protocol",),
}
"""Keys of tables that builders take as parameters of their own."""


def python_files() -> dict[Path, str]:
    """Return the generated modules."""
    reference: dict[str, Any] = json.loads(_core.reference())
    modules = {
        PACKAGE / "queue" / "registered.py": classes_module(
            "Every queue discipline of the registry.",
            reference["disciplines"],
            ("Queue", "discipline"),
            "``docs/reference/disciplines/NAME.md``",
        ),
        PACKAGE / "source.py": classes_module(
            "Every traffic source of the registry: what a flow sends.",
            reference["sources"],
            ("Source", "source"),
            "``docs/reference/sources.md``, under ``NAME``",
        ),
        PACKAGE / "transport" / "registered.py": classes_module(
            "Every congestion control of the registry.",
            reference["congestion_controls"],
            ("Control", "congestion_control"),
            "``docs/reference/congestion-controls.md``, under ``NAME``",
        ),
        PACKAGE / "build" / "keys.py": keys_module(reference["tables"]),
    }
    return {path: formatted(text) for path, text in modules.items()}


def formatted(text: str) -> str:
    """Return a module as the formatter leaves it."""
    call = [sys.executable, "-m", "ruff", "format", "--quiet", "--stdin-filename", "x.py", "-"]
    done = subprocess.run(
        call, input=text, capture_output=True, text=True, check=True, cwd=PACKAGE.parent.parent
    )
    return done.stdout


def classes_module(
    title: str, entries: list[dict[str, Any]], base: tuple[str, str], page: str
) -> str:
    """Return a module with a class for each entry; ``page`` says where the manual of NAME is."""
    kind, word = base
    names = sorted([kind, *(entry["class"] for entry in entries)])
    bodies = [one_class(entry, kind, word, page) for entry in entries]
    imports = ["ClassVar"]
    if any("Literal[" in body for body in bodies):
        imports.append("Literal")
    parts = [
        f'"""{title}\n\nGenerated from the code by `make generate`.\n"""',
        "from __future__ import annotations",
        "from dataclasses import dataclass\n"
        f"from typing import {', '.join(imports)}\n\n"
        f"from sojourn.named_table import {kind}",
        "__all__ = [\n" + "".join(f'    "{name}",\n' for name in names) + "]",
    ]
    return "\n\n".join(parts) + "\n\n\n" + "\n\n\n".join(bodies) + "\n"


def one_class(entry: dict[str, Any], kind: str, word: str, page: str) -> str:
    """Return the class of one line of a registry."""
    summary = " ".join(entry["manual"].split("\n\n")[0].split())
    params = sorted(entry["params"], key=lambda param: not param["required"])
    doc = [*paragraph(summary, 4, '"""'), ""]
    doc += paragraph(f"Its manual page: {page.replace('NAME', entry['name'])}.", 4)
    shown = [("preset", "Whose defaults and behaviour.", "reference", {})]
    shown += [
        (
            param["name"],
            param["doc"],
            "" if param["required"] else param["default"],
            param["presets"],
        )
        for param in params
    ]
    if word == "congestion_control":
        shown = shown[1:]
    if shown:
        doc += ["", "    Parameters:"]
        for name, text, default, presets in shown:
            doc += paragraph(f"{name}: {text} {default_text(default, presets)}", 8, "", 12)
    doc += ['    """']
    lines = [
        "@dataclass(frozen=True, kw_only=True, repr=False)",
        f"class {entry['class']}({kind}):",
        *doc,
        "",
    ]
    lines.append(f'    WORD: ClassVar[str] = "{word}"')
    lines.append(f'    NAME: ClassVar[str] = "{entry["name"]}"')
    fields = [field(param) for param in params]
    if word != "congestion_control":
        preset = '    preset: Literal["reference", "linux", "ns3", "ns2"] | None = None'
        required = sum(param["required"] for param in params)
        fields.insert(required, preset)
    if fields:
        lines += ["", *fields]
    return "\n".join(lines)


def default_text(default: str, presets: dict[str, str]) -> str:
    """Return what holds where a parameter is not given."""
    if not default:
        return "Must be given."
    others = "".join(f"; {name}: ``{value}``" for name, value in presets.items())
    return f"Default ``{default}``{others}."


def field(param: dict[str, Any]) -> str:
    """Return the field of a parameter."""
    name = param["name"]
    if keyword.iskeyword(name):
        raise ValueError(f"{name} is a word of Python: a parameter cannot be called so")
    of = type_of(param["schema"], param["default"])
    return f"    {name}: {of}" + ("" if param["required"] else " | None = None")


def type_of(schema: dict[str, Any], default: str = "") -> str:
    """Return the Python type of a JSON Schema."""
    kinds = sorted(set(_types(schema)) | ({"str"} if default in ("auto", "none") else set()))
    if "str" in kinds:
        kinds = [kind for kind in kinds if not kind.startswith("Literal")]
    if "float" in kinds:
        kinds = [kind for kind in kinds if kind != "int"]
    return " | ".join(kinds)


def _types(schema: dict[str, Any]) -> list[str]:
    if "anyOf" in schema:
        return [kind for each in schema["anyOf"] for kind in _types(each)]
    if "const" in schema:
        return [f"Literal[{_literal(schema['const'])}]"]
    if "enum" in schema:
        flags = [value for value in schema["enum"] if isinstance(value, bool)]
        words = ", ".join(_literal(v) for v in schema["enum"] if not isinstance(v, bool))
        return [f"Literal[{words}]"] + (["bool"] if flags else [])
    names = schema.get("type", "string")
    known = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}
    return [known[name] for name in ([names] if isinstance(names, str) else names)]


def _literal(value: object) -> str:
    return json.dumps(value)


def keys_module(tables: dict[str, list[dict[str, Any]]]) -> str:
    """Return a module with the keys of tables, for keywords of builders."""
    wanted = {
        "Head": ("The head of a scenario.", [("scenario", tables["scenario"])]),
        "LinkKeys": ("A link.", [("link", tables["link"])]),
        "FlowKeys": ("A flow.", [("flow", tables["flow"])]),
        "UdpKeys": (
            "A flow over UDP.",
            [("flow", tables["flow"]), ("udp", tables["udp"])],
        ),
        "TcpKeys": (
            "A flow over TCP.",
            [
                ("flow", tables["flow"]),
                ("tcp", tables["tcp"]),
                ("connection", tables["connection"]),
            ],
        ),
    }
    bodies = []
    for name, (title, of) in wanted.items():
        doc = [*paragraph(title, 4, '"""'), "", "    Keys:"]
        fields = []
        for table, params in of:
            for param in params:
                if param["name"] in OWN_KEYS.get(table, ()):
                    continue
                if "nested" in param:
                    says = f"Default: {param['default'].replace('`', '``')}."
                    kind = NESTED.get(param["name"], "Any")
                else:
                    says = default_text(param["default"], param["presets"])
                    kind = type_of(param["schema"], param["default"])
                text = f"{param['name']}: {without_links(param['doc'])} {says}"
                doc += paragraph(text, 8, "", 12)
                fields.append(f"    {param['name']}: {kind}")
        if of[0][0] == "scenario":
            fields += ["    vary: Any", "    design: Any"]
        doc += ['    """', ""]
        bodies.append("\n".join([f"class {name}(TypedDict, total=False):", *doc, *fields]))
    imports = "Any, Literal, TypedDict" if "Literal[" in "".join(bodies) else "Any, TypedDict"
    head = (
        '"""The keys of the tables of a scenario file, as keywords.\n\n'
        'Generated from the code by `make generate`.\n"""\n\n'
        "from __future__ import annotations\n\nfrom collections.abc import Mapping, Sequence\n"
        f"from typing import {imports}"
    )
    return "\n\n\n".join([head, *bodies]) + "\n"


def without_links(text: str) -> str:
    """Return a text of the reference with the names of pages where it links to them."""
    return re.sub(r"\[(\w+)\]\(\.\./([\w/-]+\.md)\)", r"\1: docs/\2", text)


def paragraph(text: str, indent: int, begin: str = "", further: int | None = None) -> list[str]:
    """Return a text in lines of the right width."""
    further = indent if further is None else further
    text = text.replace("\\", "\\\\")
    return textwrap.wrap(
        begin + " ".join(text.split()),
        WIDTH - 1,
        initial_indent=" " * indent,
        subsequent_indent=" " * further,
        break_long_words=False,
        break_on_hyphens=False,
    )
