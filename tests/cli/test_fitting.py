"""Tables fit into the terminal: columns are left out and named, no number is broken."""

import io

import pytest
from rich.console import Console

from sojourn.cli.fitting import FittingTable
from sojourn.columns import OF_FLOWS, OF_LINKS
from sojourn.comparison.answer import COMPARED

NUMBERS = ["goodput Mbit/s", "queueing delay ms", "p95 ms", "p99 ms", "loss %"]
COLUMNS = [each.column for each in COMPARED if each.column.heading in NUMBERS]
CELLS = ["9.659 ± 0.000", "1083.75 ± 1.01", "1206.89 ± 0.00", "1206.89 ± 0.00", "1.678 ± 0.052"]


def printed(width: int) -> list[str]:
    table = FittingTable("a title", ["discipline"], COLUMNS, caption="a caption")
    table.add(["droptail"], CELLS, [False, True, False, False, False])
    out = io.StringIO()
    table.print(Console(file=out, width=width))
    return out.getvalue().splitlines()


@pytest.mark.parametrize(
    ("width", "missing"),
    [(120, []), (90, ["p99 ms"]), (75, ["p95 ms", "p99 ms"]), (50, ["p95 ms", "p99 ms", "loss %"])],
)
def test_what_matters_least_is_left_out(width, missing):
    lines = printed(width)
    assert max(map(len, lines)) <= width
    text = "\n".join(lines)
    for heading, cell in zip(NUMBERS, CELLS, strict=True):
        if heading not in missing and heading != "queueing delay ms":
            assert cell in text
    assert "1083.75 ± 1.01 *" in text
    assert ("no room for: " + ", ".join(missing) in text) == bool(missing)
    assert "a title" in text
    assert "a caption" in text


def test_a_smaller_unit_changes_nothing_of_what_is_left_out(sojourn, small, monkeypatch):
    # The throughput, 8 kbit/s, cannot be read in Mbit/s.
    monkeypatch.setenv("COLUMNS", "100")
    slow = ("--set", "link.bottleneck.rate='8 kbit/s'", "--set", "duration='20 s'")
    lines = sojourn("run", small, *slow).out.splitlines()
    of_links = lines[: lines.index(next(line for line in lines if line.startswith("└")))]
    assert "utilisation" in "".join(of_links)
    missing = next(line for line in lines if line.startswith("no room for: "))
    assert missing.rstrip() == "no room for: throughput kbit/s, queue packets (--json has all)"


def test_percentiles_in_microseconds_can_be_left_out():
    delay, p95 = (OF_FLOWS[key].fitted([5e-6]) for key in ("delay_mean_s", "delay_p95_s"))
    assert (delay.heading, p95.heading) == ("one-way delay µs", "p95 µs")
    table = FittingTable("", ["flows"], [OF_LINKS["loss_ratio"], delay, p95])
    table.add(["bulk"], ["0.000 ± 0.000", "5.0 ± 0.1", "6.0 ± 0.1"])
    out = io.StringIO()
    table.print(Console(file=out, width=47))
    assert "no room for: p95 µs (--json has all)" in out.getvalue()
    assert "0.000 ± 0.000" in out.getvalue()


@pytest.mark.parametrize("width", range(60, 120))
def test_a_frame_is_closed_at_any_width(width):
    lines = [line.rstrip() for line in printed(width)]
    assert len({len(line) for line in lines if line[:1] in set("┏┃┡│└")}) == 1


@pytest.mark.parametrize("asked", ["100", ""])
def test_without_a_terminal_columns_says_how_wide(sojourn, small, monkeypatch, asked):
    monkeypatch.setenv("COLUMNS", asked)
    lines = sojourn("run", small).out.splitlines()
    table = next(line for line in lines if line.startswith("┏"))
    assert (len(table) <= 100) == bool(asked)
    assert ("no room for: " in "".join(lines)) == bool(asked)
