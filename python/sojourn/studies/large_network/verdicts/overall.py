"""Verdict on the abstract: RED and CoDel before the others, in both networks."""

from __future__ import annotations

from sojourn.studies.judging import Judgement, apart
from sojourn.studies.large_network.evidence import Evidence
from sojourn.studies.large_network.verdicts.common import Rule, judged
from sojourn.studies.large_network.verdicts.networks import ACTIVE, PASSIVE
from sojourn.studies.trends import all_of


def best_two(evidence: Evidence) -> Judgement:
    """Throughput above and delay below those of drop-tail and PFIFO, in both networks."""
    parts: dict[str, Judgement] = {}
    for name, case in (("many to one", evidence.one), ("many to many", evidence.many)):
        throughput = evidence.sample("throughput", case)
        delay = evidence.sample("delay", case)
        parts[f"throughput, {name}"] = apart(throughput, list(PASSIVE), list(ACTIVE))
        parts[f"delay, {name}"] = apart(delay, list(ACTIVE), list(PASSIVE))
    return all_of(parts)


RULES: dict[str, Rule] = {
    "best-two": judged("best-two", "highest, with least latency", best_two),
}
