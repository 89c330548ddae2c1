"""Tables: one of all scenarios, and one for each with all that its section asks for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sojourn.comparing import LEAST
from sojourn.stats import compare_all
from sojourn.studies.base import Section
from sojourn.studies.judging import label
from sojourn.studies.observed import Observed
from sojourn.studies.rfc7928 import chapters, readings
from sojourn.studies.rfc7928.evidence import Evidence, by_phase
from sojourn.studies.rfc7928.queues import BASE
from sojourn.studies.tables import MISSING, Table, figure_text, interval_numbers, interval_text

MARK = "*"

NOTE = (
    f"Mean over the replicas ± half the 95 % interval (Student). {MARK} not as drop-tail, by the "
    f"paired difference with Holm's correction over all pairs of a case, and by more than "
    f"{LEAST:.0%}."
)


def apart_from_base(seen: Observed, column: str, case: str) -> Mapping[str, int]:
    """Who differs from drop-tail beyond doubt in one measure: 1 for more, -1 for less."""
    subjects = seen.subjects(case)
    if BASE not in subjects:
        return {}
    values = {one: seen.values(column, case, one) for one in subjects}
    found: dict[str, int] = {}
    for one in compare_all(values, resolution=LEAST):
        if one.separated and BASE in (one.first, one.second):
            other = one.second if one.first == BASE else one.first
            found[other] = 1 if one.lower == BASE else -1
    return found


def comparison(evidence: Evidence) -> Table:
    """All scenarios: use of the bottleneck and mean queueing delay, by discipline."""
    rows: list[tuple[str, ...]] = []
    records: list[dict[str, Any]] = []
    for plan, seen, case in evidence.compared():
        title = f"{plan.section} {plan.named(case)}"
        cells: list[str] = []
        record: dict[str, Any] = {"scenario": title}
        for subject in evidence.subjects:
            use = seen.interval("utilisation", case, subject).mean
            delay = seen.interval("delay", case, subject).mean
            cells.append(_pair(use, delay))
            record |= {f"{subject}_utilisation": use, f"{subject}_delay_ms": delay}
        rows.append((title, *cells))
        records.append(record)
    return Table(
        id="scenarios",
        caption="All scenarios: utilisation of the bottleneck, mean queueing delay",
        header=("Scenario", *(label(one) for one in evidence.subjects)),
        rows=tuple(rows),
        note="Means over the replicas. Where there are two bottlenecks it is the second, where "
        "traffic goes both ways the way there.",
        records=records,
    )


def _pair(use: float | None, delay: float | None) -> str:
    if use is None or delay is None:
        return MISSING
    return f"{use:.1f} %, {figure_text(delay, 2)} ms"


def table(identity: str, caption: str, seen: Observed, sole_case: str) -> Table:
    """One scenario: a row for each case and discipline, a column for each measure."""
    rows: list[tuple[str, ...]] = []
    records: list[dict[str, Any]] = []
    several = seen.cases != (sole_case,)
    columns = [one for one in seen.measures if seen.frame[one].is_not_null().any()]
    for case in seen.cases:
        apart = {one: apart_from_base(seen, one, case) for one in columns}
        for subject in seen.subjects(case):
            found = {one: seen.interval(one, case, subject) for one in columns}
            cells = (
                interval_text(interval) + MARK * (subject in apart[one])
                for one, interval in found.items()
            )
            rows.append((*((case,) if several else ()), label(subject), *cells))
            records.append({"case": case, "discipline": subject, **interval_numbers(found)})
    headings = (seen.measures[one].heading for one in columns)
    return Table(
        id=identity,
        caption=caption,
        header=(*(("Case",) if several else ()), "Discipline", *headings),
        rows=tuple(rows),
        records=records,
        heads=2 if several else 1,
    )


COME_AND_GO = (
    "Where flows come and go (5.1.2, 7.2, 8.2.5, 9.1) there is no column of the flows that lose at "
    "once: these are counted among all flows of a run, and section 2.4 means those that are there."
)


def sections(evidence: Evidence) -> list[Section]:
    """The RFC's chapters with their tables."""
    found: list[Section] = []
    for chapter, title in chapters.TITLES.items():
        names = [name for name, plan in evidence.plans.items() if plan.chapter == chapter]
        tables = [one for name in names for one in tables_of(evidence, name)]
        come_and_go = any(readings.AT_ONCE not in evidence.seen[name].measures for name in names)
        told = (NOTE, *((COME_AND_GO,) if come_and_go else ()))
        found.append(Section(f"section-{chapter}", f"{chapter}. {title}", told, tuple(tables)))
    return found


def tables_of(evidence: Evidence, name: str) -> Sequence[Table]:
    """The table of a scenario, and that of its phases where it has some."""
    plan = evidence.plans[name]
    caption = f"{plan.section}: {plan.title}"
    found = [table(name, caption, evidence.seen[name], plan.title)]
    if name in evidence.by_phase:
        found.append(table(by_phase(name), f"{caption}, by phase", evidence.by_phase[name], ""))
    return found
