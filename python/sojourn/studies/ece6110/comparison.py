"""Tables: the report prints none, so ours show what its figures would have to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sojourn.stats import Interval
from sojourn.studies.base import Section
from sojourn.studies.ece6110 import against_ns3, scenario
from sojourn.studies.ece6110.evidence import BASE, LOAD_NAMES, Evidence
from sojourn.studies.ece6110.measures import FLOWS, MEASURES
from sojourn.studies.ece6110.queues import MISREAD, RED, SIZES, SWEEPS, along, droptail_name
from sojourn.studies.tables import Table, interval_text, percent_text

Cells = Mapping[str, Interval]
"""Intervals by the heading of their column."""


def table(
    name: str, caption: str, heads: tuple[str, ...], rows: Iterable[tuple[tuple[str, ...], Cells]]
) -> Table:
    """A table of intervals; `heads` name the columns that say what a row is."""
    listed = list(rows)
    columns = list(listed[0][1])
    return Table(
        id=name,
        caption=caption,
        header=(*heads, *columns),
        rows=tuple(
            (*keys, *(interval_text(cells[one]) for one in columns)) for keys, cells in listed
        ),
        note="Mean over replicas ± half the 95 % interval (Student).",
        records=[record(heads, keys, cells) for keys, cells in listed],
    )


def record(heads: tuple[str, ...], keys: tuple[str, ...], cells: Cells) -> dict[str, Any]:
    """A row as numbers."""
    parts = ("mean", "low", "high", "n")
    numbers = {
        f"{name} {part}": getattr(one, part) for name, one in cells.items() for part in parts
    }
    return dict(zip(heads, keys, strict=True)) | numbers


def by_load(evidence: Evidence, column: str, subject: str) -> Cells:
    """A measure at each load."""
    return {f"{load} load": evidence.interval(column, load, subject) for load in LOAD_NAMES}


def comparison(evidence: Evidence) -> Table:
    """Goodput of each source behind each drop-tail queue, and behind RED."""
    subjects = [*(droptail_name(size) for size in SIZES), RED.name]
    return table(
        "goodput",
        "Goodput (kbit/s) by load: drop-tail of each size, and RED as printed",
        ("Source", "Queue"),
        (
            ((title, subject), by_load(evidence, flow, subject))
            for flow, title in FLOWS.items()
            for subject in subjects
        ),
    )


def sweeps(evidence: Evidence) -> Section:
    """Every set of RED parameters."""
    names = dict.fromkeys(one.name for name in SWEEPS for one in along(name).values())
    measures = ("udp", "tcp")
    rows = (
        ((MEASURES[column].title, subject), by_load(evidence, column, subject))
        for column in measures
        for subject in names
    )
    text = (
        "The report moves five parameters and prints one set of them. Here each is moved while the "
        "others stay as printed."
    )
    return Section(
        "red-sweeps",
        "RED with each parameter moved",
        (text,),
        (table("red-sweeps", "Goodput (kbit/s) with RED", ("Goodput", "Queue"), rows),),
    )


def queues(evidence: Evidence) -> Section:
    """What the goodputs hide: queue, delay, loss, fairness."""
    columns = ("queue", "udp_delay_ms", "loss_percent", "jain")
    rows = (
        ((MEASURES[column].heading, subject), by_load(evidence, column, subject))
        for column in columns
        for subject in (*(droptail_name(size) for size in SIZES), RED.name)
    )
    text = (
        "RED's gain on this link is not in the goodput, it is in the delay: at high load its queue "
        "is a fraction of that of a drop-tail queue of 64000 bytes, for the same goodput."
    )
    return Section(
        "queues",
        "What the goodputs do not show",
        (text,),
        (table("queues", "Queue, delay, loss, fairness", ("Quantity", "Queue"), rows),),
    )


def doubts(evidence: Evidence) -> Section:
    """What may have gone wrong, tried out."""
    always = evidence.parts["always-on"]
    first = evidence.parts["first-bottleneck"]
    slips = (
        ((one.name,), cells(evidence.main, load, one.name))
        for one in (RED, *MISREAD)
        for load in [LOAD_NAMES[2]]
    )
    on = (
        ((subject, load), cells(always, load, subject))
        for subject in (BASE, RED.name)
        for load in LOAD_NAMES
    )
    rates = (
        ((subject, rate), cells(first, f"90 %, {rate}", subject))
        for subject in (BASE, RED.name)
        for rate in scenario.FIRST_RATES
    )
    text = (
        "The authors suspect a fault in their simulation. Here is what some faults would have "
        "given: the printed numbers read in other units, sources that are never off, another "
        "first link."
    )
    return Section(
        "doubts",
        "Which fault could it have been?",
        (text,),
        (
            table("slips", "RED's numbers in other units, at 90 % load", ("Queue",), slips),
            table("always-on", "Sources that are always on", ("Queue", "Load"), on),
            table(
                "first-link", "Rate of the first link, at 90 % load", ("Queue", "First link"), rates
            ),
        ),
    )


def cells(seen: Any, case: str, subject: str) -> Cells:
    """Goodputs and drops of one case."""
    columns = {
        "UDP (kbit/s)": "udp",
        "One TCP (kbit/s)": "tcp",
        "Drops at the first": "drops_1",
        "Drops at the second": "drops",
    }
    return {head: seen.interval(column, case, subject) for head, column in columns.items()}


def scatter(evidence: Evidence) -> Section:
    """How much one run says, by its length."""
    rows: list[tuple[str, ...]] = []
    records: list[dict[str, Any]] = []
    for length in scenario.DURATIONS:
        for subject in (BASE, RED.name):
            found = {
                title: evidence.scatter("duration", flow, f"90 %, {length}", subject).mean
                for flow, title in FLOWS.items()
            }
            texts = (percent_text(one) if one is not None else "-" for one in found.values())
            rows.append((length, subject, *texts))
            records.append({"duration": length, "queue": subject} | found)
    shown = Table(
        id="scatter",
        caption="Standard deviation of one run's goodput, in per cent of its mean, at 90 % load",
        header=("Duration", "Queue", *FLOWS.values()),
        rows=tuple(rows),
        records=records,
    )
    text = (
        "The report rests on one run of 10 s for each point. So much do such runs differ by chance "
        "alone; differences smaller than that cannot be read from them."
    )
    return Section("scatter", "How much one run says", (text,), (shown,))


def sections(evidence: Evidence) -> tuple[Section, ...]:
    """What follows the comparison, in the order of the page."""
    return (
        queues(evidence),
        sweeps(evidence),
        scatter(evidence),
        doubts(evidence),
        against_ns3.section(evidence),
    )
