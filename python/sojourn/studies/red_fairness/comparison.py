"""Tables 1 to 4: ours beside theirs."""

from __future__ import annotations

from typing import Any

from sojourn.studies import readings
from sojourn.studies.base import Section
from sojourn.studies.judging import label
from sojourn.studies.red_fairness import against_ns2
from sojourn.studies.red_fairness.evidence import Evidence, Reading, t1_ms
from sojourn.studies.red_fairness.measures import DISCIPLINES, MEASURES
from sojourn.studies.red_fairness.verdicts.common import JUDGES
from sojourn.studies.tables import MISSING, Table, interval_text

COLUMNS = {1: "goodput_mbps", 2: "goodput_mbps", 3: "jain", 4: "jain"}
"""What each case measures."""

PRINTED = "published"


def table(evidence: Evidence, case: int) -> Table:
    """One of the four tables: published, ours, and ours with windows of 1000."""
    reading = evidence.chosen
    theirs = reading.published.tables[case]
    at = list(theirs.values["red"])
    name = "N" if case < 3 else "D"
    rows: list[tuple[str, ...]] = []
    records: list[dict[str, Any]] = []
    sources: dict[str, Reading | None] = {PRINTED: None, "ours": reading}
    if not evidence.large.frame.equals(reading.frame):
        sources["ours, windows of 1000"] = evidence.large
    for title, source in sources.items():
        for discipline in DISCIPLINES:
            if source is None:
                texts = [f"{theirs.values[discipline][one]:g}" for one in at]
                numbers: dict[int, Any] = dict(theirs.values[discipline])
            else:
                found = source.intervals(COLUMNS[case], case, discipline)
                texts = [interval_text(found[one]) if one in found else MISSING for one in at]
                numbers = {one: interval.mean for one, interval in found.items()}
            rows.append((label(discipline), title, *texts))
            records.append(
                {"discipline": discipline, "source": title}
                | {f"{name}{one}": numbers.get(one) for one in at}
            )
    return Table(
        id=f"table-{case}",
        caption=f"{theirs.place}: {MEASURES[COLUMNS[case]].heading}, "
        f"T1 {t1_ms(evidence.settings, case)}",
        header=("Discipline", "Source", *(f"{name} = {one}" for one in at)),
        rows=tuple(rows),
        note="Ours: mean over the replicas ± half the 95 % interval (Student).",
        records=records,
    )


def comparison(evidence: Evidence) -> Table:
    """All four tables in one: what the terminal shows."""
    rows: list[tuple[str, ...]] = []
    records: list[dict[str, Any]] = []
    for case in COLUMNS:
        theirs = evidence.chosen.published.tables[case].values
        for at in evidence.chosen.at(case):
            what = f"Case {case}, {'N' if case < 3 else 'D'} = {at}"
            unit = MEASURES[COLUMNS[case]].unit
            cells: list[str] = []
            record: dict[str, Any] = {"case": case, "at": at}
            for name in DISCIPLINES:
                cells.append(f"{theirs[name][at]:g}")
                record[f"{name}_published"] = theirs[name][at]
            for key, reading in (("ours", evidence.chosen), ("large", evidence.large)):
                found = reading.sample(COLUMNS[case], case, at).intervals()
                for name in DISCIPLINES:
                    cells.append(interval_text(found[name]))
                    record[f"{name}_{key}"] = found[name].mean
            rows.append((what, unit or "Jain's index", *cells))
            records.append(record)
    window = evidence.settings["window"]
    return Table(
        id="all-tables",
        caption="Tables 1 to 4, published and ours",
        header=(
            "Where",
            "Measure",
            *(f"{label(name)}, published" for name in DISCIPLINES),
            *(f"{label(name)}, windows of {window}" for name in DISCIPLINES),
            *(f"{label(name)}, windows of 1000" for name in DISCIPLINES),
        ),
        rows=tuple(rows),
        note=(
            "Ours: mean over the replicas ± half the 95 % interval (Student). The publication does "
            "not give the window; ns-2's default is 20 packets."
        ),
        records=records,
    )


def sections(evidence: Evidence) -> tuple[Section, ...]:
    """What follows the comparison, in the order of the page."""
    claims = evidence.chosen.published.claims
    return (
        Section("tables", "Tables 1 to 4", (), tuple(table(evidence, case) for case in COLUMNS)),
        readings.section(claims, JUDGES, evidence.chosen, evidence.readings),
        against_ns2.section(evidence),
    )
