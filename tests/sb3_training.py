"""stable-baselines3 on each environment for a few seconds, as a program: the Python that has it may be another one.

Prints a JSON object: by environment what `trained` found. What gymnasium's and stable-baselines3's own checks of an
environment find wrong ends the program.
"""

from __future__ import annotations

import json
import sys
import warnings
from typing import Any

import numpy as np
from gymnasium.utils.env_checker import check_env as gymnasium_check
from stable_baselines3 import PPO
from stable_baselines3.common.env_checker import check_env as sb3_check

from airlink.gym import QueueEnv, SchedulerEnv, SenderEnv
from environments import cell

STEPS = 256


def trained(env: Any) -> dict[str, Any]:
    """How many steps were learnt from, whether the policy moved, whether it is of numbers, whether it acts."""
    gymnasium_check(env, skip_render_check=True)
    sb3_check(env)
    model = PPO("MlpPolicy", env, n_steps=64, batch_size=32, n_epochs=2, seed=1, device="cpu")
    before = [values.detach().numpy().copy() for values in model.policy.parameters()]
    model.learn(STEPS)
    after = [values.detach().numpy() for values in model.policy.parameters()]
    action, _ = model.predict(env.reset(seed=1)[0])
    return {
        "steps": model.num_timesteps,
        "moved": any((old != new).any() for old, new in zip(before, after, strict=True)),
        "finite": all(np.isfinite(values).all() for values in after),
        "acts": bool(env.action_space.contains(action)),
    }


def main() -> None:
    """Train on all three."""
    scenario = cell(duration_s=0.5)
    environments: dict[str, Any] = {
        "Scheduler": SchedulerEnv(scenario),
        "Sender": SenderEnv(scenario, step_s=0.02),
        "Queue": QueueEnv(scenario, step_s=0.02),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of others
        json.dump({name: trained(env) for name, env in environments.items()}, sys.stdout)


if __name__ == "__main__":
    main()
