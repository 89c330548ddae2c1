"""A queue as an environment of Gymnasium."""

import gc
import itertools
import pickle
import signal
import sys
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import own
import pytest

import sojourn as sj

gymnasium = pytest.importorskip("gymnasium")


def scenario(queue=None, **head) -> sj.Scenario:
    queue = queue or sj.rl.DropProbability(limit="100 packets")
    given = {"duration": "2 s", "warmup": "500 ms", "seed": 7} | head
    return sj.dumbbell(
        rate="5 Mbit/s", rtt="30 ms", queue=queue, flows=2 * sj.tcp("cubic"), **given
    )


def environment(**options) -> sj.rl.QueueEnv:
    given = {"reward": lambda step: step.link["utilization"]} | options
    return sj.rl.QueueEnv(given.pop("scenario", scenario()), **given)


def episode(env, action, seed=7):
    env.reset(seed=seed)
    steps = []
    while not steps or not steps[-1][3]:
        steps.append(env.step(action))
    return steps


def test_it_passes_gymnasiums_own_check():
    from gymnasium.utils.env_checker import check_env

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*alternative render modes.*")
        check_env(environment())


def test_a_run_in_steps_is_the_run():
    steps = episode(environment(interval="70 ms"), [0.0])
    whole = sj.run(scenario())
    assert len(steps) == 29
    assert steps[-1][4]["step"].interval_s == pytest.approx(0.04)
    tables = steps[-1][4]["tables"]
    for name, frame in (("links", whole.links), ("flows", whole.flows), ("total", whole.totals)):
        for metric, values in tables[name].items():
            if metric != "name":
                found = frame[metric].cast(float).fill_null(np.nan).to_numpy()
                np.testing.assert_array_equal(values, found, err_msg=metric)


def test_actions_change_the_queue_from_then_on():
    env = environment(reward=lambda step: -step.link["drops_packets"])
    env.reset(seed=7)
    for _ in range(20):
        env.step([0.0])
    observation, reward, *_ = env.step([1.0])
    assert observation[2] == 1.0
    assert reward < -1
    for _ in range(6):
        later, _, _, _, info = env.step([1.0])
    assert later[1] == 0.0
    assert info["step"].link["queue_packets"] == 0


def test_seeds_choose_the_randomness():
    env = environment()
    first, again, other = (episode(env, [0.05], seed)[-1][4]["tables"] for seed in (1, 1, 2))
    assert list(first["flows"]["goodput_bps"]) == list(again["flows"]["goodput_bps"])
    assert list(first["flows"]["goodput_bps"]) != list(other["flows"]["goodput_bps"])
    assert len({env.reset()[1]["seed"] for _ in range(3)}) == 3


def test_inner_variables_of_the_registry_can_be_set():
    env = environment(
        scenario=scenario(sj.queue.Red()),
        actions={"max_p": (0.01, 0.5)},
        observed=("queue_packets", "avg", "max_p"),
    )
    env.reset(seed=1)
    assert env.step([0.25])[0][2] == pytest.approx(0.25)
    assert env.step([9.0])[0][2] == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"link": "botleneck"}, 'link: found "botleneck"; allowed: cubic.0.up.*mean "bottleneck"'),
        ({"actions": {"p": (0, 1)}}, 'actions: found "p"; allowed: prob$'),
        ({"actions": {"prb": (0, 1)}}, 'actions: found "prb"; allowed: prob; did you mean "prob"'),
        ({"link": 3}, 'link: found "3"; allowed: cubic'),
        ({"actions": {"prob": (1, 0)}}, r"actions: found 'prob': \(1, 0\); allowed: a name with"),
        ({"actions": {"prob": (float("nan"), 1)}}, r"actions: found 'prob': \(nan, 1\); allowed"),
        ({"actions": {"prob": 0.5}}, "actions: found 'prob': 0.5; allowed: a name with the least"),
        ({"actions": {1: (0, 1)}}, r"actions: found 1: \(0, 1\); allowed: a name with the least"),
        ({"observed": (1,)}, 'observed: found "1"; allowed: queue_packets'),
        ({"observed": ("delay",)}, 'observed: found "delay"; allowed: queue_packets'),
    ],
)
def test_what_is_wrong_is_named(options, message):
    with pytest.raises(ValueError, match=message):
        environment(**options)


def test_an_exception_ends_the_episode():
    env = environment(scenario=scenario(own.Fails()), actions={}, observed=("queue_packets",))
    with pytest.raises(sj.UserCodeError, match="the hundredth"):
        episode(env, [])
    with pytest.raises(RuntimeError, match="the episode is over"):
        env.step([])
    env.close()
    with pytest.raises(RuntimeError, match="no episode is open"):
        env.step([])


@pytest.mark.parametrize("action", [[0.1, 0.2], [], [float("nan")], "x", {"a": 1}, [1j]])
def test_an_action_that_is_none_is_refused(action):
    env = environment()
    env.reset(seed=1)
    with pytest.raises(ValueError, match=r"action: found .*; allowed: a number for each of prob"):
        env.step(action)


@pytest.mark.parametrize("options", [{"actions": "prob"}, {"observed": "prob"}])
def test_what_is_no_list_is_named(options):
    (name,) = options
    with pytest.raises(TypeError, match=f"{name}: found 'prob'; allowed: "):
        environment(**options)


@pytest.mark.parametrize("reward", [None, "a", [1], 10**400, float("nan")])
def test_a_reward_is_a_number(reward):
    env = environment(reward=lambda _step: reward)
    env.reset(seed=1)
    with pytest.raises(ValueError, match=r"reward: it answered .*; allowed: a number"):
        env.step([0.1])


class Refusing(sj.queue.Discipline):
    probes = ("prob",)

    def reset(self):
        self._prob = 0.0

    @property
    def prob(self):
        return self._prob

    @prob.setter
    def prob(self, value):
        if value > 0.5:
            raise ValueError("too much")
        self._prob = value

    def enqueue(self, now, size, flow, ecn):
        return sj.queue.ACCEPT


def test_what_a_discipline_does_not_take_is_told():
    env = environment(scenario=scenario(Refusing()))
    env.reset(seed=1)
    env.step([0.5])
    with pytest.raises(ValueError, match=r"action: prob of bottleneck cannot be set to 0.6"):
        env.step([0.6])


def test_an_episode_stays_in_its_thread():
    env = environment()
    env.reset(seed=1)
    for what, given in ((env.step, [[0.1]]), (env.reset, []), (env.close, [])):
        with ThreadPoolExecutor(1) as pool:
            done = pool.submit(what, *given)
            with pytest.raises(RuntimeError, match="begun in another thread; allowed: all that"):
                done.result()
    env.step([0.1])


def test_no_thread_is_taken_for_one_that_has_ended():
    """Their numbers are given again."""
    env = environment()
    with ThreadPoolExecutor(1) as pool:
        pool.submit(env.reset, seed=1).result()
    for _ in range(20):
        with ThreadPoolExecutor(1) as pool, pytest.raises(RuntimeError, match="another thread"):
            pool.submit(env.step, [0.1]).result()


def test_whichever_thread_drops_the_last_reference_drops_the_episode(monkeypatch):
    told = []
    monkeypatch.setattr(sys, "unraisablehook", told.append)
    kept = [environment()]
    kept[0].reset(seed=1)
    with ThreadPoolExecutor(1) as pool:
        pool.submit(kept.clear).result()
        pool.submit(gc.collect).result()
    assert told == []


class Inner(sj.queue.Discipline):
    """Variables of all kinds; the last is what an agent makes of it."""

    probes = ("below", "above", "beyond", "own")

    def reset(self):
        self.below, self.above, self.beyond, self.own = -3.5, float("inf"), -1e300, 0.0

    def enqueue(self, now, size, flow, ecn):
        return sj.queue.ACCEPT


def utilization(step) -> float:
    return step.link["utilization"]


def test_it_travels_while_no_episode_is_open():
    env = environment(reward=utilization, interval="1 s")
    env.reset(seed=7)
    env.step([0.0])
    env.close()
    again = pickle.loads(pickle.dumps(env))
    assert [step[1] for step in episode(again, [0.0])] == [step[1] for step in episode(env, [0.0])]
    # At its end an episode closes itself.
    assert pickle.loads(pickle.dumps(env)).interval == "1 s"


def test_others_go_on_during_a_step_and_a_signal_ends_it():
    """A step of minutes, interrupted after a third of a second."""
    endless = scenario(sj.queue.CoDel(), duration="20000 s")
    env = environment(scenario=endless, observed=["utilization"], actions={})
    env.reset(seed=1)
    env.interval = "19000 s"
    turns = itertools.count()
    over = threading.Event()

    def take_turns():
        while not over.wait(0.01):
            next(turns)

    def stop(*_):
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, stop)
    other = threading.Thread(target=take_turns)
    other.start()
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(TimeoutError):
            env.step([])
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        over.set()
        other.join()
    assert next(turns) >= 3
    with pytest.raises(RuntimeError, match="a step of it failed"):
        env.step([])


def test_what_is_observed_is_in_its_space():
    seen = (*Inner.probes, "utilization")
    env = environment(scenario=scenario(Inner()), observed=seen, actions={"own": (-2, 2)})
    env.reset(seed=1)
    observation, *_, info = env.step([-2.0])
    most = float(np.finfo(np.float32).max)
    assert observation[:4].tolist() == [-3.5, most, -most, -2.0]
    assert env.observation_space.contains(observation)
    assert env.observation_space.low.tolist() == [-most] * 4 + [0.0]
    assert env.observation_space.high.tolist() == [most] * 5
    assert info["step"].link["above"] == float("inf")


def test_every_seed_that_gymnasium_allows_is_one():
    env = environment()
    largest = 2**63 - 1
    assert env.reset(seed=largest)[1] == {"seed": largest}
    seeds = [env.reset(seed=seed)[1]["seed"] for seed in (2**63, 2**63 + 1, 2**64, 10**30)]
    assert len({*seeds}) == 4
    assert all(0 <= seed <= largest for seed in seeds)
    assert seeds[0] == env.reset(seed=2**63)[1]["seed"] == 6008048061828916490


@pytest.mark.parametrize(
    ("queue", "bounds", "message"),
    [
        (sj.queue.Cobalt(), {"count": (0, 1e300)}, r"found 1e300 for count; allowed: -1 to 42949"),
        (
            sj.queue.Cobalt(),
            {"count": (-5, 3)},
            r"found -5\.0 for count; allowed: -1 to 4294967295",
        ),
        (
            sj.queue.FqCodel(),
            {"flow[0].deficit": (-1e300, 0)},
            r"found -1e300 for flow\[0\]\.deficit; allowed: -1000000000 to 1000000000",
        ),
    ],
)
def test_bounds_are_what_the_variable_comes_to(queue, bounds, message):
    with pytest.raises(ValueError, match=f"^actions: {message}"):
        environment(scenario=scenario(queue), observed=("queue_packets",), actions=bounds)


def test_a_warm_up_that_pilot_runs_would_choose_is_refused():
    auto = scenario(sj.queue.Pie()).with_overrides({"warmup": "auto"})
    with pytest.raises(ValueError, match='warmup: found "auto"; allowed: a time: no pilot runs'):
        environment(scenario=auto)


def test_a_discipline_without_anything_to_set_is_named():
    with pytest.raises(ValueError, match="on bottleneck; allowed: a discipline with inner"):
        environment(scenario=scenario(sj.queue.DropTail()), observed=("queue_packets",))
