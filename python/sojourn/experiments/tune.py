"""Searching the parameters of a discipline: the best settings that exist, against the defaults.

The open ranges of a scenario are searched; the other keys of ``[vary]`` make the cases in which
settings are tried. A quantity of a trial is compared with that of the defaults (the scenario
without the searched keys) in the same case. The score is the mean over the cases of the logarithm
of their ratio, so that a case with large numbers counts no more than one with small numbers.

The search is Optuna's: TPE of J. Bergstra et al., "Algorithms for hyper-parameter optimization",
NIPS 24 (2011), for several objectives Y. Ozaki et al., GECCO (2020) 533-541. It asks for eight
trials at a time, however many cores there are, so that the same command finds the same.

A search is drawn to luck as well as to merit: whatever it finds is best on the cases that it saw.
So the front, the settings that no other beats in all objectives, is run on cases that were held
out, and only these results count.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from sojourn._core import ScenarioError
from sojourn.experiments.space import Space
from sojourn.experiments.trying import Evaluator, Samples
from sojourn.experiments.tuning import Direction, Ratio, Trial, Tuning
from sojourn.stats.alike import NOT_DIFFERENT, sampled
from sojourn.stats.holm import holm
from sojourn.stats.intervals import defined
from sojourn.stats.paired import paired_difference, paired_p_value
from sojourn.store.identity import Keys
from sojourn.wording import in_full
from sojourn.workers.listener import Note
from sojourn.workers.tasks import Task

if TYPE_CHECKING:
    import optuna

BATCH = 8
"""The number of settings that are asked for at once."""

HELD_OUT = 3
"""One of this many cases is held out if no scenario is given for it."""

_OPTUNA: dict[Direction, Literal["minimize", "maximize"]] = {
    "minimise": "minimize",
    "maximise": "maximize",
}

USUAL: dict[str, Direction] = {
    "total.delay_mean_s": "minimise",
    "total.goodput_bps": "maximise",
}
"""The objectives unless others are named."""


@dataclass(frozen=True)
class _Ratios:
    """The logarithms of the ratios of a setting to the defaults, by replica.

    ``logs`` is by quantity, None where it is undefined. ``alike`` are the cases in which the
    replicas of the setting, or of the defaults, are all the same run.
    """

    logs: dict[str, list[float] | None]
    alike: set[int]

    def sampled(self, quantity: str) -> list[float | None] | None:
        """The values on which an interval may be based: one, if the replicas are alike."""
        logs = self.logs[quantity]
        return None if logs is None else sampled(logs, bool(self.alike))


@dataclass(frozen=True)
class _Cases:
    """Cases of one scenario, and the results of the defaults there."""

    space: Space
    cases: list[dict[str, Any]]
    defaults: Samples

    @classmethod
    def of(cls, space: Space, cases: list[dict[str, Any]], evaluator: Evaluator, of: Sequence[str]):
        """Run the defaults in the cases. Raises ScenarioError if a ratio would have no meaning."""
        defaults = evaluator.values(space.at([{}], cases), of)
        for quantity in of:
            for case, values in zip(cases, defaults[quantity], strict=True):
                if any(value is None or not value > 0 for value in values):
                    where = ", ".join(f"{key} = {in_full(value)}" for key, value in case.items())
                    message = f"{quantity} is zero or undefined under the defaults"
                    message += f" at {where}" if where else ""
                    raise ScenarioError(
                        f"{space.scenario.place}: {message}; allowed: an objective above zero"
                    )
        return cls(space, cases, defaults)

    def ratios(
        self, rows: Sequence[dict[str, Any]], evaluator: Evaluator, of: Sequence[str]
    ) -> list[_Ratios]:
        """The ratios of each row to the defaults."""
        found = evaluator.values(self.space.at(rows, self.cases), of)
        count = len(self.cases)
        ratios = []
        for first in range(0, len(rows) * count, count):
            logs = {
                quantity: _log_ratios(
                    found[quantity][first : first + count], self.defaults[quantity]
                )
                for quantity in of
            }
            alike = {case for case in range(count) if first + case in found.alike}
            ratios.append(_Ratios(logs, alike | self.defaults.alike))
        return ratios

    def warning(self, front: Sequence[_Ratios]) -> str | None:
        """Say that nothing random happens in cases of this scenario, if so."""
        alike: set[int] = set().union(*(each.alike for each in front))
        if not alike:
            return None
        few = f"in {len(alike)} of {len(self.cases)} cases "
        where = "in any case " if len(alike) == len(self.cases) else few
        return f"warning: {self.space.scenario.place}: the replicas {where}{NOT_DIFFERENT}"


def tune(
    space: Space,
    evaluator: Evaluator,
    *,
    objectives: dict[str, Direction] | None = None,
    trials: int = 64,
    held_out: Sequence[Space] = (),
    note: Note = lambda _: None,
) -> Tuning:
    """Search the open ranges of a scenario.

    ``held_out`` are scenarios in which the front is run in the end. Without any, every third case
    of the scenario is held out, if there are as many. Cases of ``held_out`` that the search sees
    are left out, and ``note`` is told. Raises :class:`sojourn.ScenarioError` if the search sees all
    of them, and if an objective does not exist, or is zero or undefined for the defaults or for all
    that was tried.
    """
    objectives = dict(objectives or USUAL)
    of = list(objectives)
    study = _study(space, objectives)
    seen_cases, held_out_cases = _split(space, held_out, note)
    seen = _Cases.of(space, seen_cases, evaluator, of)
    unseen = [_Cases.of(each, cases, evaluator, of) for each, cases in held_out_cases]
    found = _search(study, seen, evaluator, of, trials)
    front = _front(found, objectives)
    if not front:
        what = (
            f"{' or '.join(of)} is zero or undefined with each of the {len(found)} settings tried"
        )
        raise ScenarioError(f"{space.scenario.place}: {what}; allowed: ranges where none is")
    front = _on_front(front, seen, unseen, evaluator, of, note)
    further = [case for _, cases in held_out_cases for case in cases]
    return Tuning(objectives, found, front, seen_cases, further)


def _study(space: Space, objectives: dict[str, Direction]) -> optuna.Study:
    """A search of Optuna's that has not begun."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    return optuna.create_study(
        directions=[_OPTUNA[direction] for direction in objectives.values()],
        sampler=optuna.samplers.TPESampler(
            seed=space.scenario.seed % 2**32, multivariate=True, constant_liar=True
        ),
    )


def _search(
    study: optuna.Study, seen: _Cases, evaluator: Evaluator, of: Sequence[str], trials: int
) -> list[Trial]:
    """Try as many settings as asked for, in the cases that the search sees."""
    import optuna

    space = seen.space
    found: list[Trial] = []
    while len(found) < trials:
        asked = [study.ask() for _ in range(min(BATCH, trials - len(found)))]
        rows = [
            space.row([trial.suggest_float(each.key, 0, 1) for each in space.ranges])
            for trial in asked
        ]
        for trial, row, ratios in zip(asked, rows, seen.ratios(rows, evaluator, of), strict=True):
            scores = _scores(ratios.logs)
            found.append(Trial(len(found), row, scores))
            if scores is None:
                study.tell(trial, state=optuna.trial.TrialState.FAIL)
            else:
                study.tell(trial, [math.log(scores[quantity]) for quantity in of])
    return found


def _on_front(
    front: Sequence[Trial],
    seen: _Cases,
    unseen: Sequence[_Cases],
    evaluator: Evaluator,
    of: Sequence[str],
    note: Note,
) -> list[Trial]:
    """The trials of the front with their ratios, in the cases seen and in those held out."""
    rows = [trial.values for trial in front]
    on_seen = seen.ratios(rows, evaluator, of)
    on_held_out = [cases.ratios(rows, evaluator, of) for cases in unseen]
    for cases, ratios in zip((seen, *unseen), (on_seen, *on_held_out), strict=True):
        if (warning := cases.warning(ratios)) is not None:
            note(warning)

    def ratios_of(parts: Sequence[Sequence[_Ratios]]) -> list[dict[str, Ratio]]:
        return judged(
            [
                {quantity: [part[index].sampled(quantity) for part in parts] for quantity in of}
                for index in range(len(front))
            ]
        )

    held_out = ratios_of(on_held_out) if unseen else [None] * len(front)
    return [
        replace(trial, seen=ratios, held_out=others)
        for trial, ratios, others in zip(front, ratios_of([on_seen]), held_out, strict=True)
    ]


def _split(
    space: Space, held_out: Sequence[Space], note: Note
) -> tuple[list[dict[str, Any]], list[tuple[Space, list[dict[str, Any]]]]]:
    """The cases that the search sees, and those that it does not see."""
    cases = list(space.cases)
    if held_out:
        for each in held_out:
            _check_keys(each, space)
        return cases, [(each, _unseen(each, space, note)) for each in held_out]
    if len(cases) < HELD_OUT:
        return cases, []
    # From the middle: the ends of a range are better seen than guessed.
    kept_back = cases[1::HELD_OUT]
    return [case for case in cases if case not in kept_back], [(space, kept_back)]


def _check_keys(held_out: Space, space: Space) -> None:
    """Raise ScenarioError if a scenario held out does not know what the search sets.

    This is checked before the search: its results could not be tried in the end.
    """
    row, place = space.row([0.5] * len(space.ranges)), held_out.scenario.place
    try:
        held_out.at([row])
    except ScenarioError as error:
        message = str(error).removeprefix(f"{place}: ")
        for key in row:
            what = message.removeprefix(f"{key}: ")
            # Values that do not go together in the middle may do so elsewhere.
            if what.startswith(("unknown key: ", "there is no ")):
                said = f"{key}, which the search in {space.scenario.place} sets: {what}"
                raise ScenarioError(f"{place}: {said}") from None


def _unseen(held_out: Space, space: Space, note: Note) -> list[dict[str, Any]]:
    """The cases of a scenario held out that the search does not see."""
    seen = set(_keys(space))
    cases = [
        case for case, key in zip(held_out.cases, _keys(held_out), strict=True) if key not in seen
    ]
    count, place = len(held_out.cases), held_out.scenario.place
    common = count - len(cases)
    if not cases:
        raise ScenarioError(
            f"{place}: found {'the only case' if count == 1 else f'all {count} cases'} of it among "
            f"those of the search, {space.scenario.place}; allowed as held out: a scenario with "
            "cases that the search does not see"
        )
    if common:
        note(
            f"warning: {place}: the search sees {common} of its {count} cases; only the others "
            "are held out"
        )
    return cases


def _keys(space: Space) -> list[bytes]:
    """What distinguishes cases from those of other scenarios: the runs of the defaults there."""
    defaults = space.at([{}])
    keys = Keys(defaults)
    return [keys.of(Task(point, 0)) for point in range(defaults.core.points)]


def _log_ratios(
    tried: Sequence[Sequence[float | None]], defaults: Sequence[Sequence[float | None]]
) -> list[float] | None:
    """The logarithm of the ratio to the defaults in each replica, averaged over the cases.

    None if any value is zero or undefined. Cases with more replicas than others are cut to the
    common number.
    """
    replicas = min(len(values) for values in (*tried, *defaults))
    logs = []
    for replica in range(replicas):
        terms = []
        for values, standard in zip(tried, defaults, strict=True):
            value, default = values[replica], standard[replica]
            if value is None or default is None or not value > 0 or not default > 0:
                return None
            terms.append(math.log(value / default))
        logs.append(math.fsum(terms) / len(terms))
    return logs


def _scores(by_quantity: dict[str, list[float] | None]) -> dict[str, float] | None:
    scores = {}
    for quantity, logs in by_quantity.items():
        if logs is None:
            return None
        scores[quantity] = math.exp(math.fsum(logs) / len(logs))
    return scores


def judged(
    settings: Sequence[dict[str, Sequence[list[float | None] | None]]],
) -> list[dict[str, Ratio]]:
    """The ratios of settings to the defaults by quantity, judged together.

    The input has, for each setting and scenario, the logarithms by replica; None if undefined.
    """
    ratios = [{quantity: _ratio(parts) for quantity, parts in each.items()} for each in settings]
    adjusted = iter(holm([ratio.p_value for each in ratios for ratio in each.values()]))
    return [
        {quantity: replace(ratio, adjusted=next(adjusted)) for quantity, ratio in each.items()}
        for each in ratios
    ]


def _ratio(parts: Sequence[list[float | None] | None]) -> Ratio:
    """The ratio to the defaults over several scenarios, with its interval over the replicas."""
    known = [part for part in parts if part is not None]
    if not known or len(known) < len(parts):
        return Ratio(None, None, None, 0)
    replicas = [defined(logs) for logs in zip(*known, strict=False)]
    logs = [math.fsum(logs) / len(logs) for logs in replicas if len(logs) == len(known)]
    none = [0.0] * len(logs)
    interval = paired_difference(logs, none)
    low, mean, high = (
        None if value is None else math.exp(value)
        for value in (interval.low, interval.mean, interval.high)
    )
    return Ratio(mean, low, high, interval.n, paired_p_value(logs, none))


def _front(found: Sequence[Trial], objectives: dict[str, Direction]) -> list[Trial]:
    """The trials that no other beats in all objectives, sorted by their first objective."""
    signs = {"minimise": 1.0, "maximise": -1.0}

    def costs(one: Trial) -> list[float]:
        scores = one.scores or {}
        return [signs[direction] * scores[quantity] for quantity, direction in objectives.items()]

    known = [one for one in found if one.scores is not None]
    front: list[Trial] = []
    for one in sorted(known, key=lambda each: (costs(each), each.number)):
        beaten = any(
            all(x <= y for x, y in zip(costs(other), costs(one), strict=True)) for other in front
        )
        if not beaten:
            front.append(one)
    return front
