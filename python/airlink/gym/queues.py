"""Limits and marks of the users' queues at the base station."""

from __future__ import annotations

from collections.abc import Iterable

from typing_extensions import Unpack

from airlink.engine import RequestError
from airlink.gym.parts import Part, chosen
from airlink.gym.timed import TimedEnvs
from airlink.gym.vector import Options, require_scenario
from airlink.scenario import Scenario

DEFAULTS: Options = {
    "observation": ("backlog_bytes", "wait_s", "arrived_bps", "left_bps"),
    "reward": {"goodput_bits": 1e-6, "wait_s": -1.0},
}


class QueueEnvs(TimedEnvs):
    """Environments in which each step sets the limit of each user's queue and the chance of a packet to be marked.

    They take the place of what `queue.kind` names; the limits of `[queue]` hold beside them. A packet that is marked
    carries CE, or is dropped if its sender takes no part in ECN (RFC 3168 section 5); each draw comes from the stream
    (seed, own, user). Before the first step nothing is limited or marked.

    Parameters
    ----------
    scenario : of a cell whose users each have a queue.
    num_envs : runs, each with a seed of its own.
    action : parts of an action, "limit_bytes" and "mark_probability" (default both), each with bounds
        (`Part.within`). `Box` of shape (users, parts): from -1 to 1 between the bounds (a limit by equal ratios), or
        in the parts' units (scaled = False).
    step_s : length of a step, s, default 0.1.
    options : see `airlink.gym.vector.Options`.

    Raises
    ------
    RequestError : a wired bottleneck, a queue that all users share; unknown words.

    Examples
    --------
    >>> import airlink.gym
    >>> from airlink.scenario import ready
    >>> envs = airlink.gym.QueueEnvs(ready("first-cell"), 4, action=["limit_bytes"])
    >>> observations, infos = envs.reset(seed=1)
    >>> observations, rewards, *_ = envs.step(envs.action_space.sample())
    >>> sorted(envs.reward_parts())
    ['goodput_bits', 'wait_s']
    >>> envs.close()
    """

    def __init__(
        self,
        scenario: Scenario,
        num_envs: int = 1,
        *,
        action: Iterable[str | Part] = ("limit_bytes", "mark_probability"),
        step_s: float = 0.1,
        **options: Unpack[Options],
    ) -> None:
        _check(scenario)
        setting = {"decision": "queues", "group": 0}
        super().__init__(scenario, num_envs, DEFAULTS, (chosen("queues", "action", action), step_s, setting), options)


def _check(scenario: Scenario) -> None:
    require_scenario(scenario)
    if scenario.queue is None:
        raise RequestError("a wired bottleneck has no queues of users")
    if scenario.queue.scope != "user":
        raise RequestError(f"queue.scope is {scenario.queue.scope!r}; each user must have a queue")
