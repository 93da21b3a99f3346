"""One run as a `gymnasium.Env`: a vector environment with one place, for learners that want no more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import Unpack

from airlink.engine import extra
from airlink.gym.queues import QueueEnvs
from airlink.gym.senders import SenderEnvs
from airlink.gym.slots import SchedulerEnvs
from airlink.gym.vector import Options, RunEnvs
from airlink.result import Result
from airlink.scenario import Scenario

if TYPE_CHECKING:
    import gymnasium
else:
    gymnasium = extra("gymnasium")


class RunEnv(gymnasium.Env):
    """One run, of which one decision is made from outside: the base of three environments."""

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012

    def __init__(self, envs: RunEnvs) -> None:
        self.envs = envs
        self.render_mode = None
        self.observation_space = envs.single_observation_space
        self.action_space = envs.single_action_space
        self._goes_on = False

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Starts an episode: with this seed, or with the next that no episode had."""
        super().reset(seed=seed)
        observations, infos = self.envs.reset(seed=seed, options=options)
        self._goes_on = True
        return _first(observations), _of_one(infos)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Takes an action.

        Returns
        -------
        observation, reward, terminated (never), truncated (at the scenario's end), info.

        Raises
        ------
        gymnasium.error.ResetNeeded : before a reset, or after the episode's end.
        """
        if not self._goes_on:
            raise gymnasium.error.ResetNeeded("reset() must come before step(), and after an episode's end")
        observations, rewards, _, truncated, infos = self.envs.step(
            action[None] if isinstance(action, np.ma.MaskedArray) else np.asarray(action)[None]
        )
        self._goes_on = not truncated[0]
        return _first(observations), float(rewards[0]), False, bool(truncated[0]), _of_one(infos)

    def result(self) -> Result | None:
        """The result of the episode that has ended, once; see `RunEnvs.results`."""
        return self.envs.results()[0]

    def close(self) -> None:
        """Forgets the run."""
        self.envs.close()

    def __reduce__(self) -> Any:
        raise TypeError(f"{type(self).__name__} holds a run, which is not pickled: pickle a function that makes it")


class SchedulerEnv(RunEnv):
    """One run of which each step decides a slot; parameters are those of `SchedulerEnvs`.

    Examples
    --------
    >>> import airlink.gym
    >>> from airlink.scenario import ready
    >>> env = airlink.gym.SchedulerEnv(ready("first-cell"))
    >>> observation, info = env.reset(seed=1)
    >>> observation, reward, terminated, truncated, info = env.step(env.action_space.sample(mask=info["action_mask"]))
    >>> terminated, truncated
    (False, False)
    """

    def __init__(
        self, scenario: Scenario, *, action: str = "user", invalid: str = "idle", **options: Unpack[Options]
    ) -> None:
        super().__init__(SchedulerEnvs(scenario, 1, action=action, invalid=invalid, **_of_one_thread(options)))

    def action_masks(self) -> NDArray[np.bool_]:
        """Who may win: shape (users,), with several subchannels (subchannels, users)."""
        return np.asarray(self.envs.action_masks()[0], np.bool_)


class SenderEnv(RunEnv):
    """One run of which each step sets windows and pacing rates; parameters are those of `SenderEnvs`."""

    def __init__(self, scenario: Scenario, **options: Any) -> None:
        super().__init__(SenderEnvs(scenario, 1, **_of_one_thread(options)))


class QueueEnv(RunEnv):
    """One run of which each step sets limits and marks of queues; parameters are those of `QueueEnvs`."""

    def __init__(self, scenario: Scenario, **options: Any) -> None:
        super().__init__(QueueEnvs(scenario, 1, **_of_one_thread(options)))


def _of_one_thread(options: Any) -> Any:
    return {"threads": 1, **options}


def _first(observations: Any) -> Any:
    return (
        {name: values[0] for name, values in observations.items()}
        if isinstance(observations, dict)
        else observations[0]
    )


def _of_one(infos: dict[str, Any]) -> dict[str, Any]:
    return {name: values[0] for name, values in infos.items() if not name.startswith("_")}
