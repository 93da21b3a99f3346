"""Who gets each subchannel of a slot."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import Unpack

from airlink.engine import RequestError
from airlink.gym.parts import chosen
from airlink.gym.vector import Options, RunEnvs, one_of, require_scenario, spaces
from airlink.scenario import Scenario

DEFAULTS: Options = {
    "observation": ("rate_bps", "average_bps", "backlog_bytes", "head_of_line_delay_s"),
    "reward": {"log_goodput": 1.0},
}


class SchedulerEnvs(RunEnvs):
    """Environments in which each step decides a slot of the cell.

    Slots that leave nothing to decide pass by inside a step: nobody can be served in them, or a retransmission takes
    them. The scenario's scheduler keeps its averages and decides nothing; its rule of ties decides between equal
    priorities.

    Parameters
    ----------
    scenario : of a cell.
    num_envs : runs, each with a seed of its own.
    action : how an action decides:
        "user" (default): a user's number, `Discrete`; with several subchannels one for each, `MultiDiscrete`.
        "priorities": a number for each user, or user and subchannel; of those who may win, the largest does, and minus
        infinity never. Of users who may not win it may be none (NaN), of others not.
        "weights": a number of at least 0 for each user; the largest product with the rate wins each subchannel.
    invalid : of "user": what becomes of a subchannel whose user may not win it. "idle" (default): nobody has it;
        "best": the largest rate has it.
    options : see `airlink.gym.vector.Options`. The default reward is "log_goodput", whose sum over an episode is the
        utility that is proportionally fair.

    Raises
    ------
    RequestError : a wired bottleneck; "average_bps" of a scheduler that keeps no averages; unknown words.

    Notes
    -----
    `infos["action_mask"]` is 1 for who may win: shape (environments, users), with several subchannels (environments,
    subchannels, users). Observations of users who may not win can be older.

    Examples
    --------
    Proportional fair as a policy:

    >>> import airlink.gym
    >>> from airlink.scenario import ready
    >>> scenario = ready("k3").with_(scheduler={"kind": "proportional_fair"})
    >>> envs = airlink.gym.SchedulerEnvs(
    ...     scenario, 2, action="priorities", observation=["rate_bps", "average_bps"], scaled=False, dtype="float64"
    ... )
    >>> observations, infos = envs.reset(seed=1)
    >>> for _ in range(10):
    ...     known = envs.by_part(observations)
    ...     observations, rewards, *_ = envs.step(known["rate_bps"] / known["average_bps"])
    >>> observations.shape, envs.single_action_space.shape
    ((2, 42), (21,))
    >>> envs.close()
    """

    def __init__(
        self,
        scenario: Scenario,
        num_envs: int = 1,
        *,
        action: str = "user",
        invalid: str = "idle",
        **options: Unpack[Options],
    ) -> None:
        self._action = one_of("action", action, ("user", "priorities", "weights"))
        _check(scenario)
        setting = {
            "decision": "slots",
            "slot_action": action,
            "invalid": one_of("invalid", invalid, ("idle", "best")),
            "action": [],
            "step_s": 1.0,
            "group": 0,
        }
        defaults = DEFAULTS if _keeps_averages(scenario) else {**DEFAULTS, "observation": _without_averages()}
        if "observation" in options:
            options["observation"] = chosen("slots", "observation", options["observation"])
        names = [getattr(each, "name", each) for each in options.get("observation", ())]
        if "average_bps" in names and not _keeps_averages(scenario):
            raise RequestError("observation: the scenario's scheduler keeps no average_bps")
        super().__init__(scenario, num_envs, defaults, setting, options)
        users, subchannels = self._engine.sizes.deciders, self._engine.sizes.subchannels
        self._users, self._subchannels = users, subchannels
        self._decided_by(self._action_space())
        self._has_masks = np.ones(self.num_envs, np.bool_)

    def _action_space(self) -> Any:
        if self._action == "user":
            one = self._subchannels == 1
            return spaces.Discrete(self._users) if one else spaces.MultiDiscrete([self._users] * self._subchannels)
        are_weights = self._action == "weights"
        shape = (self._users,) if are_weights or self._subchannels == 1 else (self._users, self._subchannels)
        # Only their order counts, so none is cut at the bounds; a learner begins with samples from between them.
        most = 1.0 if self._scaled else np.inf
        return spaces.Box(0.0 if are_weights else -most, most, shape, self._dtype.type)

    def _refusal(self, actions: NDArray[np.float64], row: int, place: int) -> str:
        value = actions[row].flat[place]
        if self._action == "user":
            return f"the action {value} in environment {row} is no user; it must be in 0..{self._users - 1}"
        if self._action == "weights":
            return f"the weight of user {place} in environment {row} is {value}; it must be at least 0"
        user = place // self._subchannels
        return f"the priority of user {user} in environment {row} is not a number; -inf never wins"

    def _infos(self) -> dict[str, Any]:
        if self._copies:
            return {"action_mask": self.action_masks(), "_action_mask": self._has_masks.copy()}
        return {"action_mask": self._masks(), "_action_mask": self._has_masks}

    def _masks(self) -> NDArray[np.int8]:
        masks = self._arrays.masks
        return masks if self._subchannels == 1 else masks.reshape(self.num_envs, self._subchannels, self._users)

    def action_masks(self) -> NDArray[np.int8]:
        """Who may win, 1 or 0: shape (environments, users), or (environments, subchannels, users)."""
        return self._masks().copy()


def _check(scenario: Scenario) -> None:
    require_scenario(scenario)
    if scenario.bottleneck is not None:
        raise RequestError("a wired bottleneck has no slots to decide")
    controls = scenario.experimental
    if controls is not None and controls.scheduler.kind != "none":
        raise RequestError("experimental.scheduler decides the slots already: it must be none")


def _keeps_averages(scenario: Scenario) -> bool:
    return scenario.scheduler is not None and hasattr(scenario.scheduler, "time_constant_slots")


def _without_averages() -> list[Any]:
    return [name for name in DEFAULTS["observation"] if name != "average_bps"]
