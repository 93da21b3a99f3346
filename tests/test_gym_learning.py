"""Learners train on environments: a plain loop in NumPy, and stable-baselines3 where it is installed."""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from airlink.gym import QueueEnv, SchedulerEnv, SchedulerEnvs, SenderEnv
from environments import cell, played

CANDIDATES, BEST = 16, 4


def metric(known: dict[str, NDArray[Any]], exponents: NDArray[np.float64]) -> NDArray[np.float64]:
    """The logarithm of rate^a / average^b, with a row of exponents (a, b) for each environment."""
    rate, average = (np.log(np.maximum(known[name], 1.0)) for name in ("rate_bps", "average_bps"))
    return np.asarray(exponents[:, :1] * rate - exponents[:, 1:] * average)


def cross_entropy(envs: SchedulerEnvs, generations: int, seed: int) -> NDArray[np.float64]:
    """The mean exponents after so many generations: each environment plays a candidate, all on the same seed."""
    draws = np.random.default_rng(seed)
    mean, spread = np.zeros(2), np.ones(2)
    for generation in range(generations):
        candidates = mean + spread * draws.standard_normal((CANDIDATES, 2))
        scores = score_of(envs, candidates, 100 + generation)
        best = candidates[np.argsort(scores)[-BEST:]]
        mean, spread = best.mean(axis=0), best.std(axis=0) + 0.1
    return mean


def score_of(envs: SchedulerEnvs, exponents: NDArray[np.float64], seed: int) -> NDArray[np.float64]:
    """The utility of each row of exponents in the run of this seed."""
    observations, _ = envs.reset(seed=[seed] * CANDIDATES)
    score, goes_on = np.zeros(CANDIDATES), np.ones(CANDIDATES, np.bool_)
    while goes_on.any():
        actions = metric(envs.by_part(observations), exponents)
        observations, rewards, _, truncated, _ = envs.step(actions)
        score += rewards * goes_on
        goes_on &= ~truncated
    return score


def exact(num_envs: int) -> SchedulerEnvs:
    """Environments of one second whose observations are in their units."""
    observation = ["rate_bps", "average_bps"]
    return SchedulerEnvs(
        cell(duration_s=1), num_envs, action="priorities", observation=observation, scaled=False, dtype="float64"
    )


def test_a_plain_loop_learns_to_be_fair() -> None:
    envs = exact(CANDIDATES)
    learned = cross_entropy(envs, 5, seed=1)
    envs.close()
    # On seeds that it has not seen, beside the start (everybody equal, so chance) and the largest rate.
    fresh = exact(8)

    def utility(exponents: NDArray[np.float64]) -> float:
        return float(played(fresh, lambda known: metric(known, np.tile(exponents, (8, 1))), seed=500).mean())

    found, chance, largest_rate = utility(learned), utility(np.zeros(2)), utility(np.array([1.0, 0.0]))
    assert learned[1] > 0, "who had more is served less"
    assert found > chance + 0.5
    assert found > largest_rate + 0.5


@pytest.mark.filterwarnings("ignore")  # of others
@pytest.mark.parametrize(
    ("make", "options"), [(SchedulerEnv, {}), (SenderEnv, {"step_s": 0.02}), (QueueEnv, {"step_s": 0.02})]
)
def test_stable_baselines3_trains(make: Any, options: dict[str, Any]) -> None:
    if importlib.util.find_spec("stable_baselines3") is None:
        pytest.skip("stable-baselines3 is not installed")
    ppo = importlib.import_module("stable_baselines3").PPO
    env = make(cell(duration_s=0.5), **options)
    model = ppo("MlpPolicy", env, n_steps=64, batch_size=32, n_epochs=2, seed=1, device="cpu")
    before = [values.clone() for values in model.policy.parameters()]
    model.learn(256)
    assert any((values != old).any() for values, old in zip(model.policy.parameters(), before, strict=True))
    action, _ = model.predict(env.reset(seed=1)[0])
    assert action in env.action_space
