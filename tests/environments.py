"""What tests of `airlink.gym` share: small scenarios, and runs under a policy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from airlink.gym import SchedulerEnvs
from airlink.gym.vector import RunEnvs
from airlink.scenario import Scenario, ready

Policy = Callable[[dict[str, NDArray[Any]]], NDArray[Any]]
"""Actions from the parts of observations."""


def cell(**changes: Any) -> Scenario:
    """Eight users with endless downloads at unequal SNR, and two who load pages, for two seconds."""
    return ready("first-cell").with_(**{"duration_s": 2, "warmup_s": 0, **changes})


def fair_cell(subchannels: int, ties: str) -> Scenario:
    """[Klein04]'s cell under proportional fair, with late reports and losses that ARQ repairs."""
    scheduler = {"kind": "proportional_fair", "time_constant_slots": 100, "ties": ties}
    changes: dict[str, Any] = {
        "duration_s": 2,
        "scheduler": scheduler,
        "carrier.subchannels": subchannels,
        "link.report.delay_slots": 2,
        "link.errors.probability": 0.1,
        "link.arq.max_retransmissions": 3,
    }
    return ready("k3").with_(**changes)


def fairness(known: dict[str, NDArray[Any]]) -> NDArray[Any]:
    """Proportional fair as the engine computes it: R / A, over several subchannels R x (1 / A)."""
    rate, average = known["rate_bps"], known["average_bps"]
    return rate / average if rate.ndim == average.ndim else rate * (1.0 / average)[..., None]


def decided(scenario: Scenario, num_envs: int, threads: int = 1, **options: Any) -> SchedulerEnvs:
    """Environments of priorities whose observations are exact."""
    exact = {"scaled": False, "dtype": "float64", "observation": ["rate_bps", "average_bps"], "record": []}
    return SchedulerEnvs(scenario, num_envs, action="priorities", threads=threads, **{**exact, **options})


def played(envs: RunEnvs, policy: Policy, seed: int = 1) -> NDArray[np.float64]:
    """The sum of rewards of each environment's first episode."""
    observations, _ = envs.reset(seed=seed)
    score, goes_on = np.zeros(envs.num_envs), np.ones(envs.num_envs, np.bool_)
    while goes_on.any():
        observations, rewards, _, truncated, _ = envs.step(policy(envs.by_part(observations)))
        score += rewards * goes_on
        goes_on &= ~truncated
    return score
