"""Reinforcement learning: a controller of a drop probability that is found by search.

The agent sees the queueing delay and how busy the link is, every 50 ms, and changes the drop
probability; its policy is linear. Cross-entropy search finds the weights: draw some, keep the best,
draw around these (Rubinstein, 1999). The start is an agent that never drops.

You should see: the reward grows from round to round; and on a scenario that was held out, another
rate, round-trip time and number of flows, what was learned beats the start by far.

Needs: pip install 'sojourn[rl]'.
"""

import sys

import numpy as np

import sojourn as sj

QUICK = "--quick" in sys.argv
ROUNDS, CANDIDATES, ELITE = (4, 12, 3) if QUICK else (15, 32, 8)
TARGET_S = 0.015


def link(rate: str, rtt: str, flows: int) -> sj.Scenario:
    """Some downloads behind a queue that waits for its probability."""
    queue = sj.rl.DropProbability(limit="500 packets")
    return sj.dumbbell(
        rate=rate, rtt=rtt, queue=queue, flows=flows * sj.tcp("cubic"), duration="15 s"
    )


def reward(step: sj.rl.Step) -> float:
    """A busy link is worth 1; every 15 ms of queue beyond the first 15 ms costs as much."""
    excess = max(0.0, step.link["queueing_delay_s"] - TARGET_S)
    return step.link["utilization"] - excess / TARGET_S


def act(weights: np.ndarray, seen: np.ndarray, before: np.ndarray) -> float:
    """The next probability: the old one, moved by the delay and by its change (as PIE does)."""
    delay_s, utilization, probability = seen
    move = weights @ (delay_s - TARGET_S, delay_s - before[0], utilization - 1.0)
    return float(np.clip(probability + move, 0.0, 1.0))


def episode(env: sj.rl.QueueEnv, weights: np.ndarray, seed: int) -> float:
    """The mean reward of an episode."""
    seen, _ = env.reset(seed=seed)
    before, rewards, over = seen, [], False
    while not over:
        action = act(weights, seen, before)
        before = seen
        seen, gained, _, over, _ = env.step([action])
        rewards.append(gained)
    return float(np.mean(rewards))


def search(env: sj.rl.QueueEnv) -> np.ndarray:
    """The weights that cross-entropy search finds."""
    random = np.random.default_rng(1)
    mean, spread = np.zeros(3), np.array([0.5, 0.5, 0.05])
    for number in range(ROUNDS):
        drawn = random.normal(mean, spread, (CANDIDATES, 3))
        gained = np.array([episode(env, weights, seed=number) for weights in drawn])
        best = drawn[np.argsort(gained)[-ELITE:]]
        mean, spread = best.mean(axis=0), best.std(axis=0) + 1e-3
        print(f"round {number + 1}: best {gained.max():6.2f}, mean {gained.mean():6.2f}")
    return mean


start = np.zeros(3)
learned = search(sj.rl.QueueEnv(link("10 Mbit/s", "40 ms", 4), reward=reward))
held_out = sj.rl.QueueEnv(link("25 Mbit/s", "80 ms", 8), reward=reward)
before, after = (
    np.mean([episode(held_out, weights, seed) for seed in range(100, 103)])
    for weights in (start, learned)
)
print(f"held out: {before:.2f} at the start, {after:.2f} as learned; weights {learned.round(3)}")
