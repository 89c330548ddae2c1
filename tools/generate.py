"""Write what is derived from the code: schema, reference pages, Python classes, README's output.

``--check`` writes nothing and fails if anything on disk is stale.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from discipline_pages import discipline_files
from evidence_tables import of_control, results
from python_classes import python_files
from readme import readme_files

from sojourn import _core
from sojourn.cli import manual
from sojourn.cli.commands import SUMMARIES, function
from sojourn.metrics import METRICS, SERIES

ROOT = Path(__file__).resolve().parent.parent
REFERENCE = ROOT / "docs" / "reference"


def main() -> int:
    """Write all files, or compare them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing, fail if stale")
    check = parser.parse_args().check
    files = reference_files() | python_files() | readme_files()
    stale = [path for path in files if not is_same(path, files)]
    for path in stale:
        print(f"{'stale' if check else 'written'}: {path.relative_to(ROOT)}")
        if not check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content_of(files[path]))
    if stale and check:
        print("run `make generate` and commit what it writes", file=sys.stderr)
    return int(bool(stale) and check)


def is_same(path: Path, files: dict[Path, str | bytes]) -> bool:
    """Whether a file holds what it should; pictures are compared by the data beside them."""
    if path.suffix == ".png" and path.exists():
        return is_same(path.with_suffix(".csv"), files)
    return path.exists() and path.read_bytes() == content_of(files[path])


def content_of(content: str | bytes) -> bytes:
    """Bytes of a text or of what are bytes already."""
    return content if isinstance(content, bytes) else content.encode()


def reference_files() -> dict[Path, str | bytes]:
    """Return schema and reference pages."""
    reference: dict[str, Any] = json.loads(_core.reference())
    schema = json.dumps(json.loads(_core.schema()), indent=1) + "\n"
    return {
        REFERENCE / "scenario.schema.json": schema,
        REFERENCE / "sources.md": registry_page(
            "Traffic sources", "Named by `source` in a flow's `traffic`.", reference["sources"]
        ),
        REFERENCE / "congestion-controls.md": registry_page(
            "Congestion controls",
            'Named by `congestion_control` in a flow\'s `transport` with `protocol = "tcp"`.',
            reference["congestion_controls"],
            control_evidence(reference["congestion_controls"]),
        ),
        REFERENCE / "scenario.md": scenario_page(reference["tables"]),
        REFERENCE / "metrics.md": metrics_page(),
        REFERENCE / "commands.md": commands_page(),
    } | discipline_files(reference["disciplines"], GENERATED, param_table)


def control_evidence(entries: list[dict[str, Any]]) -> dict[str, list[str]]:
    """Return what peers say about each congestion control."""
    names = [entry["name"] for entry in entries]
    findings = results()
    return {name: of_control(name, findings, names) for name in names}


def registry_page(
    title: str,
    intro: str,
    entries: list[dict[str, Any]],
    further: dict[str, list[str]] | None = None,
) -> str:
    """Return a page with the manual and the parameters of each entry, and what is known further."""
    parts = [f"# {title}", GENERATED, intro]
    for entry in entries:
        name = entry["name"]
        parts += [f"## `{name}`", entry["manual"], param_table(entry["params"])]
        parts += further[name] if further else []
    return "\n\n".join(parts) + "\n"


def scenario_page(tables: dict[str, list[dict[str, Any]]]) -> str:
    """Return a page with the keys of each table of a scenario file."""
    headings = {
        "scenario": "Head of the file",
        "design": "`[design]`",
        "link": "`[[link]]`",
        "change": "An item of `changes`",
        "steps": "`changes` as a table",
        "loss": "`loss` as a table",
        "jitter": "`jitter` as a table",
        "flow": "`[[flow]]`",
        "udp": "`transport` of a flow over UDP",
        "tcp": "`transport` of a flow over TCP",
        "connection": "further keys of TCP's `transport`: the connection",
        "dumbbell": "`[dumbbell]`",
        "bottleneck": "`bottleneck` of a dumbbell",
        "access": "`access` of a dumbbell or of one of its flows",
    }
    parts = ["# Scenario files", GENERATED]
    for name, params in tables.items():
        if name == "design":
            parts += ["## `[vary]`", VARY.read_text(encoding="utf-8").rstrip()]
        parts += [f"## {headings[name]}", param_table(params)]
    parts += ["## Random values", LAWS.read_text(encoding="utf-8").rstrip()]
    return "\n\n".join(parts) + "\n"


GENERATED = "<!-- Generated from the code by `make generate`. -->"


def param_table(params: list[dict[str, Any]]) -> str:
    """Return the parameters as a Markdown table; in words that there are none."""
    if not params:
        return "It has no parameters of its own."
    rows = ["| key | default | what it is | allowed |", "| --- | --- | --- | --- |"]
    for param in params:
        default = "required" if param["required"] else default_of(param)
        for preset, value in param["presets"].items():
            default += f"<br>{preset}: `{value}`"
        cells = (f"`{param['name']}`", default, param["doc"], param["allowed"])
        rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(rows)


def default_of(param: dict[str, Any]) -> str:
    """Return what holds where a key is not given: a key that holds a table says it in words."""
    return param["default"] if "nested" in param else f"`{param['default']}`"


VARY = Path(__file__).with_name("vary.md")
"""What a reader of scenario files must know of the points."""

LAWS = Path(__file__).with_name("laws.md")
"""And of what is drawn at random."""


def metrics_page() -> str:
    """Return the metrics as a Markdown page."""
    parts = [
        "# Metrics",
        GENERATED,
        "Names end in their unit. Counters count events in `[warmup, duration)`; a packet's delay "
        "belongs to the window in which it is received, its loss to the window in which it was "
        "sent. Queues exclude the packet being sent. Packets of a flow are those with its data: a "
        "SYN counts, a retransmitted segment counts again, acknowledgements and requests do not "
        "count. Goodput counts payload once it is there in order: data held behind a hole counts "
        "in the window in which the hole is filled, so over a short window goodput may slightly "
        "exceed the rate of the link. Undefined values are null.",
        "Percentiles (`_p50_s`, `_p95_s`, `_p99_s`) come from a histogram with 128 buckets per "
        "power of two: buckets are 1/256 to 1/128 (0.4 to 0.8 %) of their value wide, and the "
        "middle of a bucket represents all that is in it, so a percentile is off by at most 0.4 %. "
        "That is why several replicas may have the same value, with an interval of no width, and "
        "why two percentiles that differ by 0.8 % or less are never called different. Means are "
        "exact.",
    ]
    kinds = {
        "link": "Links",
        "flow": "Flows, groups and the total",
        "group": "Groups and the total",
    }
    for kind, heading in kinds.items():
        rows = ["| metric | meaning |", "| --- | --- |"]
        rows += [f"| `{m.name}` | {m.meaning} |" for m in METRICS if m.of == kind]
        parts += [f"## {heading}", "\n".join(rows)]
    parts += [
        "## Time series",
        "`Results.series` gives these, and the inner variables of disciplines and congestion "
        "controls by their own names, but not those of each flow's queue within a discipline: "
        "[the log of events](../how-to/events.md) and [`sojourn drive`](../how-to/drive.md) show "
        "them. A run that notes more values than memory should hold ends with an error. Each value "
        "has the time of its interval's end; a series that is not of an interval is sampled just "
        "before that. Series begin with the run, whatever the warm-up; if `series` does not divide "
        "the duration, the last, shorter interval is left out.",
        "\n".join(
            ["| series | meaning |", "| --- | --- |"]
            + [f"| `{name}` | {meaning} |" for name, meaning in SERIES.items()]
        ),
    ]
    return "\n\n".join(parts) + "\n"


def commands_page() -> str:
    """Return the manual of every command."""
    parts = [
        "# Commands",
        GENERATED,
        "`sojourn COMMAND --help` shows the same on the terminal. Exit status: 0 done, 2 the input "
        "is wrong, 1 anything else, 130 interrupted; what is finished is kept.",
        *(manual.page(name, function(name)) for name in SUMMARIES),
    ]
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    sys.exit(main())
