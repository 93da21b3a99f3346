"""Learners train on environments: a plain loop in NumPy, and stable-baselines3 in a Python that has it."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from airlink.gym import SchedulerEnvs
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


def python_with_sb3() -> str:
    """The Python that `AIRLINK_SB3_PYTHON` names, or this one; skips the test where it has no stable-baselines3."""
    named = os.environ.get("AIRLINK_SB3_PYTHON", "")
    if not named and importlib.util.find_spec("stable_baselines3") is None:
        pytest.skip("stable-baselines3 is not installed")
    return named or sys.executable


def test_stable_baselines3_trains_on_each_environment() -> None:
    program = Path(__file__).with_name("sb3_training.py")
    done = subprocess.run([python_with_sb3(), str(program)], check=False, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert sorted(found) == ["Queue", "Scheduler", "Sender"]
    for name, training in found.items():
        assert training == {"steps": 256, "moved": True, "finite": True, "acts": True}, name
