"""The result of the study in words, from its numbers."""

from __future__ import annotations

from collections.abc import Sequence

from sojourn.studies.claims import Outcome, Verdict, tally
from sojourn.studies.judging import Sample, apart, label, labels, not_measured
from sojourn.studies.large_network.disciplines import ADAPTIVE, DISCIPLINES
from sojourn.studies.large_network.evidence import Evidence
from sojourn.studies.large_network.verdicts.networks import ACTIVE, PASSIVE
from sojourn.studies.tables import MISSING, interval_text, percent_text


def answer(evidence: Evidence, verdicts: Sequence[Verdict]) -> tuple[str, ...]:
    """Paragraphs that say what came out."""
    by_claim = {one.claim.id: one.outcome for one in verdicts}
    holds = by_claim["best-two"] is Outcome.AGREES
    equal = by_claim["pfifo-active"] is Outcome.DISAGREES
    same = " PFIFO is drop-tail, packet for packet." if equal else ""

    def all_in(column: str, unit: str, names: Sequence[str] = DISCIPLINES) -> str:
        found = evidence.seen.intervals(column, evidence.one, names)
        return ", ".join(f"{label(name)} {interval_text(x)}" for name, x in found.items()) + unit

    return (
        f"That RED and CoDel have the highest throughput with the least delay "
        f"{'holds' if holds else 'does not hold'} in our runs. Of {len(verdicts)} published claims "
        f"{tally(verdicts)}.",
        f"Many to one, {evidence.one}: the delay is {all_in('delay', ' ms')}; the throughput "
        f"{all_in('throughput', ' kbit/s')}; the loss {all_in('loss', ' %')}. "
        f"{of_active(evidence)}",
        f"ARED against RED: {all_in('delay', ' ms', ADAPTIVE)} and "
        f"{all_in('throughput', ' kbit/s', ADAPTIVE)}.{same}",
    )


def of_active(evidence: Evidence) -> str:
    """Whether RED and CoDel shorten the delay in the first network, and what that costs."""
    delay, throughput = (evidence.sample(one, evidence.one) for one in ("delay", "throughput"))
    if not delay.measured:
        return not_measured(delay).reason
    shorter = [name for name in ACTIVE if below(delay, [name], PASSIVE)]
    if not shorter:
        return f"Neither {label('red')} nor {label('codel')} shortens the delay beyond doubt."
    shares = " and ".join(share_text(delay, name) for name in shorter)
    text = (
        f"{labels(shorter)} {'shorten' if len(shorter) > 1 else 'shortens'} the delay, to {shares} "
        f"of drop-tail's"
    )
    less = [name for name in shorter if below(throughput, [name], PASSIVE)]
    more = [name for name in shorter if below(throughput, PASSIVE, [name])]
    for names, word in ((less, "less"), (more, "more")):
        if names:
            shares = " and ".join(share_text(throughput, name) for name in names)
            text += f"; {labels(names)} with {word} throughput, {shares} of drop-tail's"
    if not less and not more:
        text += "; no difference in throughput that the intervals carry"
    return f"{text}."


def below(sample: Sample, lower: Sequence[str], higher: Sequence[str]) -> bool:
    """Whether some disciplines lie below others beyond doubt."""
    return apart(sample, lower, higher).outcome is Outcome.AGREES


def share_text(sample: Sample, name: str) -> str:
    """A discipline's mean as a share of drop-tail's."""
    means = {one: interval.mean or 0.0 for one, interval in sample.intervals().items()}
    return percent_text(means[name] / means["droptail"], 1) if means["droptail"] else MISSING
