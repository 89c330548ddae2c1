"""Tables: the numbers that the text names, and ours."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from sojourn.studies import readings
from sojourn.studies.base import Section
from sojourn.studies.judging import label
from sojourn.studies.large_network import against_ns3, measures, scenario
from sojourn.studies.large_network.disciplines import DISCIPLINES, SWEPT
from sojourn.studies.large_network.evidence import MANY_READINGS, ONE_READINGS, Evidence
from sojourn.studies.large_network.scenario import LIMITS, SWEEP_SENDERS, limit_name, senders_name
from sojourn.studies.large_network.verdicts.networks import JUDGES
from sojourn.studies.tables import MISSING, Table, figure_text, interval_numbers, interval_text

QUANTITIES = ("throughput", "goodput", "loss", "delay")
"""What the comparison shows; the paper has no goodput."""

PRINTED = "published"
"""Stands in the column of the cases where the row is the paper's."""

NOTE = "Mean over replicas ± half the 95 % interval (Student)."


def comparison(evidence: Evidence) -> Table:
    """Figs. 6 to 11: the printed row, then ours under every reading."""
    rows: list[tuple[str, ...]] = []
    records: list[dict[str, Any]] = []
    paper = evidence.published
    networks = (
        ("Many to one", paper.many_to_one, ONE_READINGS),
        ("Many to many", paper.many_to_many, MANY_READINGS),
    )
    for network, numbers, cases in networks:
        for column in QUANTITIES:
            heading = f"{network}: {evidence.seen.measures[column].heading.lower()}"
            if column in numbers:
                values = numbers[column]
                texts = (
                    figure_text(values[name]) if name in values else MISSING for name in DISCIPLINES
                )
                rows.append((heading, PRINTED, *texts))
                records.append({"quantity": heading, "case": PRINTED, **values})
            for case in cases:
                found = evidence.seen.intervals(column, case, DISCIPLINES)
                rows.append((heading, case, *(interval_text(found[one]) for one in DISCIPLINES)))
                records.append(record(heading, case, found))
    return Table(
        id="networks",
        caption="Both networks, published and ours",
        header=("Quantity", "Case", *(label(one) for one in DISCIPLINES)),
        rows=tuple(rows),
        note=f"Published: the numbers that the text names. Ours: {NOTE[0].lower()}{NOTE[1:]}",
        records=records,
    )


def record(quantity: str, case: str, found: dict[str, Any]) -> dict[str, Any]:
    """A row as numbers."""
    return {"quantity": quantity, "case": case} | interval_numbers(found)


def table(
    evidence: Evidence,
    name: str,
    caption: str,
    rows: Iterable[tuple[str, str, str]],
    subjects: Sequence[str],
) -> Table:
    """A table of (column, text of the case, case) rows over disciplines."""
    listed = list(rows)
    found = [evidence.seen.intervals(column, case, subjects) for column, _, case in listed]
    headings = [evidence.seen.measures[column].heading for column, _, _ in listed]
    return Table(
        id=name,
        caption=caption,
        header=("Quantity", "Case", *(label(one) for one in subjects)),
        rows=tuple(
            (heading, text, *(interval_text(cells[one]) for one in subjects))
            for heading, (_, text, _), cells in zip(headings, listed, found, strict=True)
        ),
        note=NOTE,
        records=[
            record(heading, text, cells)
            for heading, (_, text, _), cells in zip(headings, listed, found, strict=True)
        ],
    )


def limits(evidence: Evidence) -> Section:
    """RED against ARED over the queue limits."""
    rows = (
        (column, limit_name(limit, count), limit_name(limit, count))
        for column in ("throughput", "loss", "delay", "jain")
        for count in SWEEP_SENDERS
        for limit in LIMITS
    )
    text = (
        "ARED stands for ns-3's, which sets its own thresholds (5 and 15 packets at this rate); "
        "beside it ARED with RED's thresholds, which adapts max_p alone. At a limit of 20 packets "
        "RED with min_th 20 never drops early: it is drop-tail."
    )
    return Section(
        "limits",
        "RED against ARED over queue limits",
        (text,),
        (table(evidence, "limits", "Over queue limits", rows, SWEPT),),
    )


def phase(evidence: Evidence) -> Section:
    """The phase effect, and what removes it."""
    cases = [measures.access_case(rate) for rate in scenario.ACCESS_RATES]
    rows = ((column, case, case) for column in ("goodput", "loss", "jain") for case in cases)
    room, senders = scenario.PHASE_LIMIT, senders_name(scenario.SENDERS[0])
    text = (
        f"All links have one rate and one delay, all packets one size. So packets may reach a full "
        f"queue at the very instants at which it has room again, and always the same flows get in: "
        f"a phase effect (S. Floyd, V. Jacobson, “On Traffic Phase Effects in Packet-Switched "
        f"Gateways”, 1992). Clients with faster links of their own are out of step. With room for "
        f"{room} and {senders} "
    )
    text += (
        "there is one: see Jain's index. It weighs on RED and drop-tail in the sweep over short "
        "queues; ns-3 hides it by its order of simultaneous events."
        if evidence.phase_effect
        else "there is none that the intervals carry."
    )
    caption = f"Room for {room}, by the rate of the clients' own links"
    shown = table(evidence, "phase-effect", caption, rows, ("droptail", "red"))
    return Section("phase-effect", "A phase effect at short queues?", (text,), (shown,))


def under_readings(evidence: Evidence) -> Section:
    """The orders that the paper claims, judged again under the other readings."""
    judges = {claim: judge for claim, (_, judge) in JUDGES.items()}
    tables: list[Table] = []
    for network, cases in (("one", ONE_READINGS), ("many", MANY_READINGS)):
        own = {
            claim: judge
            for claim, judge in judges.items()
            if claim.startswith("many-") == (network == "many")
        }
        others = {case: evidence.read_as(**{network: case}) for case in cases[1:]}
        found = readings.section(evidence.published.claims, own, evidence, others)
        caption = f"Many to {network}: chosen is “{cases[0]}”"
        tables.append(replace(found.tables[0], id=f"readings-{network}", caption=caption))
    text = (
        "The paper leaves open who sends and when. Here the orders that it claims are judged again "
        "for other senders."
    )
    title = "Do the verdicts depend on who sends?"
    return Section("readings", title, (text,), tuple(tables))


def over_time(evidence: Evidence) -> Section:
    """How much queue and average vary."""
    found = evidence.varying
    rows: list[tuple[str, ...]] = []
    records: list[dict[str, Any]] = []
    case = found.cases[0]
    for column, measure in measures.TIMED.items():
        cells = found.intervals(column, case, found.subjects(case))
        rows.append((measure.heading, case, *(interval_text(one) for one in cells.values())))
        records.append(record(measure.heading, case, cells))
    shown = Table(
        id="over-time",
        caption="The queue at the shared link over time, sampled every 50 ms",
        header=("Quantity", "Case", *(label(one) for one in found.subjects(case))),
        rows=tuple(rows),
        note=NOTE,
        records=records,
    )
    return Section("over-time", "Queue and average over time", (), (shown,))


def sections(evidence: Evidence) -> tuple[Section, ...]:
    """What follows the comparison, in the order of the page."""
    return (
        under_readings(evidence),
        over_time(evidence),
        limits(evidence),
        phase(evidence),
        against_ns3.section(evidence),
    )
