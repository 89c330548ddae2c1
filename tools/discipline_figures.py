"""Draw the figure of each discipline: its law, and its queue and delay under a standard load.

The law comes from the evidence (``evidence/NAME/results.csv``): dots are ours, the line is theory.
The load is ``tools/standard-load.toml``. ``make figures`` draws all; with the names of disciplines
behind it this script draws those.
"""

from __future__ import annotations

import argparse
import io
import re
import tempfile
from pathlib import Path
from typing import Any

import matplotlib
import polars as pl
from matplotlib.axes import Axes
from matplotlib.ticker import EngFormatter, MaxNLocator

import sojourn as sj
from sojourn import registries
from sojourn.plots.style import INK, TEXT, name_axes, new_panels, titled
from sojourn.validate import properties, table
from sojourn.validate.properties import Property

ROOT = Path(__file__).resolve().parent.parent
EVIDENCE = ROOT / "evidence"
FIGURES = ROOT / "docs" / "images" / "disciplines"
LOAD = ROOT / "tools" / "standard-load.toml"
COLOUR = "#0072B2"
THEORY = "#9A9A9A"

SETTINGS: dict[str, dict[str, str]] = {
    "pi": {"target": "30 packets"},
    "tbf": {"rate": "9.5 Mbit/s", "burst": "15 kB"},
    "red": {"mean_packet": "1500 B"},
    "ared": {"mean_packet": "1500 B"},
    "choke": {"mean_packet": "1500 B"},
    "rem": {"mean_packet": "1500 B"},
}
"""What the standard load needs beside a limit of 100 packets."""


def main() -> None:
    """Draw the figures of the disciplines named, or of all."""
    names = [*registries.entries("disciplines")]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="these alone")
    parser.add_argument(
        "--preview", action="store_true", help="as PNG too, in the folder for temporary files"
    )
    given = parser.parse_args()
    if unknown := sorted(set(given.names) - set(names)):
        parser.error(f"found {', '.join(unknown)}; allowed: {', '.join(names)}")
    FIGURES.mkdir(parents=True, exist_ok=True)
    for name in given.names or names:
        print(draw(name, preview=given.preview).relative_to(ROOT), flush=True)


def draw(name: str, *, preview: bool) -> Path:
    """Draw the figure of a discipline; return its path."""
    figure, (law, queue, delay) = new_panels(1, 3, (10.5, 3.0), share=False)
    draw_law(law, name)
    draw_load(queue, delay, under_load(name))
    path = FIGURES / f"{name}.svg"
    fonts: Any = {"font.sans-serif": ["DejaVu Sans"]}
    with matplotlib.rc_context({"svg.hashsalt": name, "svg.fonttype": "none"} | fonts):
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None})
        path.write_text(rounded(text.getvalue()), encoding="utf-8")
        if preview:
            figure.savefig(Path(tempfile.gettempdir()) / f"{name}.png", dpi=80)
    return path


def rounded(svg: str) -> str:
    """Cut coordinates to a hundredth of a point, and blanks at the ends of lines."""
    short = re.sub(r"<[^>]*>", lambda tag: re.sub(r"(\.\d\d)\d+", r"\1", tag[0]), svg)
    return re.sub(r" +\n", "\n", short)


def draw_load(queue: Axes, delay: Axes, results: sj.Results) -> None:
    """Draw the queue over time, and how its delay is distributed."""
    bottleneck = pl.col("name") == "bottleneck"
    waiting = results.series("queue_packets").filter(bottleneck)
    queue.plot(*(waiting[name].to_numpy() for name in ("time_s", "value")), color=COLOUR, lw=0.9)
    queue.axvspan(10, 20, color=THEORY, alpha=0.15, linewidth=0)
    queue.set(xlim=(0, 30), ylim=(0, None))
    titled(queue, "4 TCP; shaded: and 4 Mbit/s of UDP")
    name_axes(queue, "time (s)", "queue (packets)")
    shares = results.delays.filter(bottleneck & (pl.col("entity") == "link"))
    delay.plot(shares["delay_s"].to_numpy() * 1e3, shares["share"].to_numpy(), color=COLOUR)
    delay.set(xlim=(0, None), ylim=(0, 1))
    titled(delay, "10 Mbit/s, 40 ms, limit 100 packets")
    name_axes(delay, "queueing delay (ms)", "share of packets below")


def draw_law(axes: Axes, name: str) -> None:
    """Draw the check of a discipline that has a figure: ours over theory."""
    (check,) = (check for check in properties.load(EVIDENCE / name) if check.figure)
    text = (EVIDENCE / name / "results.csv").read_text(encoding="utf-8")
    (row,) = (row for row in table.from_csv(text) if row.check == check.name)
    ours, theirs = ([float(value) for value in side.split()] for side in (row.ours, row.theirs))
    at = places(check, len(ours))
    axes.plot(at, theirs, color=THEORY, linewidth=2.5, label="theory")
    axes.plot(at, ours, "o", color=COLOUR, markersize=4, label="Sojourn")
    if all(place.is_integer() and place < 10 for place in at):
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_ylim(bottom=0, top=max(*ours, *theirs) * 1.08)
    if max(theirs) >= 1e4:
        axes.yaxis.set_major_formatter(EngFormatter())
    name_axes(axes, check.figure["x"], check.figure["y"])
    axes.legend(frameon=False, fontsize=TEXT - 2, labelcolor=INK)


def places(check: Property, count: int) -> list[float]:
    """Return where the numbers of a check stand: what it was repeated for, else 1, 2 ..."""
    at: list[Any] = check.figure.get("at") or check.over or list(range(1, count + 1))
    return [float(place) for place in at]


def under_load(name: str) -> sj.Results:
    """Run the standard load through a discipline."""
    queue = {"discipline": name, "limit": "100 packets"} | SETTINGS.get(name, {})
    keys = {f"dumbbell.bottleneck.queue.{key}": value for key, value in queue.items()}
    return sj.run(sj.Scenario.load(LOAD, keys))


if __name__ == "__main__":
    main()
