"""A queue as an environment of Gymnasium, for controllers that learn.

>>> env = sojourn.rl.QueueEnv(scenario, reward=my_reward)
>>> observation, info = env.reset(seed=1)
>>> observation, reward, terminated, truncated, info = env.step([0.01])

The simulation pauses every ``interval``; between two steps nothing runs, and no thread waits. It
needs ``pip install 'sojourn[rl]'``.
"""

from __future__ import annotations

import json
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from threading import Thread, current_thread
from typing import Any

import numpy as np

from sojourn import params
from sojourn._core import Cancel
from sojourn._core import Episode as CoreEpisode
from sojourn.errors.arguments import as_whole, kind_error, repr_of
from sojourn.errors.brief import InputError, brief
from sojourn.errors.extras import needed
from sojourn.errors.nearest import refusal
from sojourn.queue.discipline import Discipline
from sojourn.queue.verdicts import ACCEPT, mark
from sojourn.scenario import Scenario

with needed("rl"):
    import gymnasium
    from gymnasium.spaces import Box

UNFORCED = mark("unforced")

MOST = float(np.finfo(np.float32).max)
"""The largest number that an observation can hold."""

SEEDS = 2**63
"""How many seeds a scenario has, from 0 on."""


class DropProbability(Discipline):
    """Drops each arrival with probability ``prob``, or marks it if it is ECN-capable.

    It never changes ``prob`` itself: that is left to an agent, for example.
    """

    start = params.probability(0.0, "The probability in a new queue.")
    probes = ("prob",)

    def reset(self) -> None:
        """Begin with ``start``."""
        self.prob = self.start

    def enqueue(self, now: float, size: int, flow: int, ecn: int, /) -> int:
        """Toss the coin."""
        del now, size, flow, ecn
        return UNFORCED if self.prob > 0.0 and self.random() < self.prob else ACCEPT


@dataclass(frozen=True)
class Step:
    """What one step showed: the values of time series, rates and means over the interval.

    An undefined quantity, such as the delay of a flow of which nothing arrived, is left out.
    """

    time_s: float
    """The end of the step."""

    interval_s: float
    """How long it was; the last step of a run may be shorter than the others."""

    link: Mapping[str, float]
    """The observed link: ``queue_packets``, ``queue_bytes``, ``queue_mean_packets``,
    ``throughput_bps``, ``drops_packets``, ``marks_packets``, ``utilization``,
    ``queueing_delay_s`` (what waits, over the rate), and the discipline's inner variables, but for
    those of each flow's queue within it. Where the link's rate changes, both are by its ``rate`` as
    the file has it."""

    flows: Mapping[str, Mapping[str, float]]
    """Each flow: ``throughput_bps``, ``goodput_bps``, ``delay_mean_s``, ``marks_packets``; under
    TCP also ``cwnd_packets``, ``srtt_s`` and others."""


MEASURED = (
    "queue_packets",
    "queue_bytes",
    "queue_mean_packets",
    "throughput_bps",
    "drops_packets",
    "marks_packets",
    "utilization",
    "queueing_delay_s",
)
"""What is measured at every link, never below 0; all else in :attr:`Step.link` are inner variables
of its discipline."""

OBSERVED = ("queueing_delay_s", "utilization", "prob")
"""What an agent sees of the link unless told otherwise."""

PROBABILITY = {"prob": (0.0, 1.0)}
"""What it sets: the drop probability of :class:`DropProbability`."""


class QueueEnv(gymnasium.Env[np.ndarray, np.ndarray]):
    """A link of a scenario whose discipline an agent steers.

    - *Observation*: the quantities ``observed`` of :attr:`Step.link`, as float32; undefined ones
      are 0. Those of :data:`MEASURED` are within 0 and :data:`MOST`. Inner variables may be
      negative, and are within -MOST and MOST. What is beyond that, infinities too, stands at the
      bound; ``info["step"]`` has it as it is.
    - *Action*: a value for each inner variable in ``actions``, within its bounds. A discipline of
      your own names what may be set in ``probes``; built-in ones allow what ``sojourn drive`` can
      ``poke``, as far as that can.
    - *Reward*: what ``reward`` returns for a :class:`Step`.
    - An episode is one replica; it is truncated when the simulated time ends and never terminates
      before. ``reset(seed=...)`` sets the seed of the scenario's random streams; without it every
      episode has another. A seed above those of a scenario stands for one of them;
      ``info["seed"]`` says for which.

    ``info["step"]`` holds the :class:`Step`, and at the end ``info["tables"]`` those of the run,
    their columns as arrays of the standard library.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012

    @brief
    def __init__(
        self,
        scenario: Scenario,
        *,
        reward: Callable[[Step], float],
        link: str = "bottleneck",
        interval: str = "50 ms",
        observed: Sequence[str] = OBSERVED,
        actions: Mapping[str, tuple[float, float]] = PROBABILITY,
        point: int = 0,
    ) -> None:
        """Look at ``link`` and act on it every ``interval``.

        Raises ValueError where the scenario has no such link, the link no such quantity or inner
        variable, or the variable no such value as its bounds.
        """
        if not isinstance(scenario, Scenario):  # pyright: ignore[reportUnnecessaryIsInstance]
            allowed = 'a Scenario, such as sj.Scenario.load("FILE.toml")'
            raise kind_error("scenario", scenario, allowed)
        if not callable(reward):
            raise kind_error("reward", reward, "a function of a Step")
        if not isinstance(interval, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise kind_error("interval", interval, 'a time such as "50 ms"')
        point = as_whole("point", point, 0, scenario.core.points - 1)
        if scenario.core.warmup_s(point) is None:
            raise InputError(
                'warmup: found "auto"; allowed: a time: no pilot runs come before steps'
            )
        links = scenario.core.links(point)
        if link not in links:
            raise ValueError(f"link: {refusal(str(link), links)}")
        if isinstance(observed, str):
            raise kind_error("observed", observed, 'a list of quantities, such as ["prob"]')
        self.scenario, self.point, self.link, self.interval = scenario, point, link, interval
        self.reward, self.observed, self.actions = reward, tuple(observed), _bounds(actions)
        network = json.loads(scenario.core.layout(point))
        self._rate = next(of["rate_bps"] for of in network["links"] if of["name"] == link)
        self._check()
        low, high = np.array(list(self.actions.values()), np.float32).reshape(-1, 2).T
        self.action_space = Box(low, high, dtype=np.float32)
        least = [0.0 if name in MEASURED else -MOST for name in self.observed]
        self._least, self._most = np.array(least, np.float32), np.full(len(least), MOST, np.float32)
        self.observation_space = Box(self._least, self._most, dtype=np.float32)
        self._episode: CoreEpisode | None = None
        self._thread: Thread | None = None

    @brief
    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin an episode; nothing has happened in it yet."""
        self.close()
        super().reset(seed=seed)
        number = int(self.np_random.integers(2**31)) if seed is None else _seed(seed)
        seeded = self.scenario.with_overrides({"seed": number})
        self._episode = seeded.core.begin(self.point, 0)
        self._thread = current_thread()
        return np.zeros(len(self.observed), np.float32), {"seed": number}

    @brief
    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Set the inner variables, let an interval pass, look."""
        if self._episode is None:
            raise RuntimeError("no episode is open; allowed: reset() first")
        self._demand_thread()
        episode = self._episode
        for (name, (low, high)), value in zip(
            self.actions.items(), self._numbers(action), strict=True
        ):
            bounded = float(min(max(value, low), high))
            if not episode.poke(self.link, name, bounded):
                raise InputError(f"action: {name} of {self.link} cannot be set to {bounded}")
        step = self._advance(episode)
        values = [step.link.get(name, 0.0) for name in self.observed]
        observation = np.clip(values, self._least, self._most).astype(np.float32)
        info: dict[str, Any] = {"step": step}
        if over := episode.is_over:
            info["tables"] = dict(episode.finish())
            self.close()
        return observation, _number(self.reward(step)), False, over, info

    def close(self) -> None:
        """Give up the episode, if one is open."""
        self._demand_thread()
        self._episode = self._thread = None

    def _demand_thread(self) -> None:
        """Raise RuntimeError where an episode is open that was begun in another thread."""
        if self._episode is not None and self._thread is not current_thread():
            raise RuntimeError(
                "the episode was begun in another thread; allowed: all that is done to one in one"
            )

    def _numbers(self, action: Any) -> np.ndarray:
        """One for each inner variable. Raises :class:`InputError`."""
        try:
            given = np.asarray(action, float).ravel()
        except (TypeError, ValueError):
            given = np.array([math.nan])
        if len(given) != len(self.actions) or np.isnan(given).any():
            allowed = f"a number for each of {', '.join(self.actions) or 'none'}"
            raise InputError(f"action: found {repr_of(action)}; allowed: {allowed}")
        return given

    def _advance(self, episode: CoreEpisode) -> Step:
        before = episode.now_s
        shown = episode.advance(self.interval, Cancel())
        link: dict[str, float] = {}
        flows: dict[str, dict[str, float]] = {}
        for entity, name, metric, value in shown:
            if math.isnan(value):
                continue
            if entity == "flow":
                flows.setdefault(name, {})[metric] = value
            elif name == self.link:
                link[metric] = value
        link["utilization"] = link["throughput_bps"] / self._rate
        link["queueing_delay_s"] = link["queue_bytes"] * 8 / self._rate
        return Step(episode.now_s, episode.now_s - before, link, flows)

    def _check(self) -> None:
        """Try one step on a run of its own: what is asked for must be there."""
        episode = self.scenario.core.begin(self.point, 0)
        for name, (low, high) in self.actions.items():
            try:
                # One of your own may refuse some of what is within its bounds.
                episode.poke(self.link, name, high)
                is_set = episode.poke(self.link, name, low)
            except ValueError as error:
                raise InputError(f"actions: {error}") from None
            if not is_set:
                shown = self._advance(episode).link
                able = [each for each in shown if episode.poke(self.link, each, shown[each])]
                if able:
                    raise ValueError(f"actions: {refusal(name, able)}")
                message = "allowed: a discipline with inner variables that can be set"
                raise ValueError(f"actions: found {name!r} on {self.link}; {message}")
        shown = self._advance(episode).link
        for name in self.observed:
            if name not in shown:
                raise ValueError(f"observed: {refusal(str(name), shown)}")


def _bounds(actions: Mapping[str, tuple[float, float]]) -> dict[str, tuple[float, float]]:
    """The inner variables that are set, with their bounds. Raises :class:`InputError`."""
    try:
        given = dict(actions)
    except (TypeError, ValueError):
        allowed = 'inner variables with their bounds, such as {"prob": (0, 1)}'
        raise kind_error("actions", actions, allowed) from None
    for name, bounds in given.items():
        try:
            low, high = map(float, bounds)
        except (TypeError, ValueError):
            low = high = math.nan
        if not (isinstance(name, str) and low <= high):  # pyright: ignore[reportUnnecessaryIsInstance]
            allowed = 'a name with the least and the largest value, such as "prob": (0, 1)'
            raise InputError(f"actions: found {name!r}: {repr_of(bounds)}; allowed: {allowed}")
        given[name] = (low, high)
    return given


def _seed(given: int) -> int:
    """A seed that a scenario can have: the one given, or one that stands for it."""
    number = operator.index(given)
    if number < SEEDS:
        return number
    # NumPy promises that this stays what it is, which it does not of its generators.
    return int(np.random.SeedSequence(number).generate_state(1, np.uint64)[0]) % SEEDS


def _number(reward: Any) -> float:
    """What a reward is worth. Raises :class:`InputError`."""
    try:
        worth = float(reward)
    except (TypeError, ValueError, OverflowError):
        worth = math.nan
    if math.isnan(worth):
        raise InputError(f"reward: it answered {repr_of(reward)}; allowed: a number")
    return worth
