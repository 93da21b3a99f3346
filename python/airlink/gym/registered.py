"""The environments by gymnasium's ids, with a scenario that comes with airlink unless another one is given."""

from __future__ import annotations

from typing import Any

from airlink.engine import extra
from airlink.gym.queues import QueueEnvs
from airlink.gym.senders import SenderEnvs
from airlink.gym.single import QueueEnv, RunEnv, SchedulerEnv, SenderEnv
from airlink.gym.slots import SchedulerEnvs
from airlink.gym.vector import RunEnvs
from airlink.scenario import Scenario, ready

NAMES = ("Scheduler", "Sender", "Queue")
READY = "first-cell"


def register() -> None:
    """Registers `airlink/Scheduler-v0`, `airlink/Sender-v0` and `airlink/Queue-v0`, each once.

    `gymnasium.make` makes one environment, `gymnasium.make_vec` the native vector environment. `scenario` is a
    `Scenario` or the name of one that comes with airlink, default "first-cell"; all else goes to the class.
    """
    gymnasium = extra("gymnasium")
    for name in NAMES:
        if f"airlink/{name}-v0" not in gymnasium.registry:
            gymnasium.register(
                id=f"airlink/{name}-v0",
                entry_point=f"airlink.gym.registered:{name.lower()}",
                vector_entry_point=f"airlink.gym.registered:{name.lower()}s",
            )


def _scenario(scenario: Scenario | str) -> Scenario:
    return ready(scenario) if isinstance(scenario, str) else scenario


def scheduler(scenario: Scenario | str = READY, **options: Any) -> RunEnv:
    """A `SchedulerEnv`."""
    return SchedulerEnv(_scenario(scenario), **options)


def sender(scenario: Scenario | str = READY, **options: Any) -> RunEnv:
    """A `SenderEnv`."""
    return SenderEnv(_scenario(scenario), **options)


def queue(scenario: Scenario | str = READY, **options: Any) -> RunEnv:
    """A `QueueEnv`."""
    return QueueEnv(_scenario(scenario), **options)


def schedulers(num_envs: int = 1, scenario: Scenario | str = READY, **options: Any) -> RunEnvs:
    """`SchedulerEnvs`."""
    return SchedulerEnvs(_scenario(scenario), num_envs, **options)


def senders(num_envs: int = 1, scenario: Scenario | str = READY, **options: Any) -> RunEnvs:
    """`SenderEnvs`."""
    return SenderEnvs(_scenario(scenario), num_envs, **options)


def queues(num_envs: int = 1, scenario: Scenario | str = READY, **options: Any) -> RunEnvs:
    """`QueueEnvs`."""
    return QueueEnvs(_scenario(scenario), num_envs, **options)
