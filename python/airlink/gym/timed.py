"""Environments whose steps have a fixed length, and whose actions are numbers between bounds."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from airlink.engine import RequestError
from airlink.gym.parts import Part
from airlink.gym.vector import Options, RunEnvs, clipped, spaces
from airlink.scenario import Scenario


class TimedEnvs(RunEnvs):
    """The base of `SenderEnvs` and `QueueEnvs`: an action has a row of parts for each flow or user."""

    def __init__(
        self,
        scenario: Scenario,
        num_envs: int,
        defaults: Options,
        decided: tuple[list[Part], float, Mapping[str, Any]],
        options: Options,
    ) -> None:
        self._action_parts, step_s, own = decided
        given: Any = step_s
        if not isinstance(given, Real) or not 1e-6 <= step_s <= scenario.duration_s:
            raise RequestError(
                f"step_s is {step_s!r}; it must lie in 1e-6..{scenario.duration_s}, the scenario's duration"
            )
        setting = {
            "slot_action": "user",
            "invalid": "idle",
            "action": [part.number for part in self._action_parts],
            "step_s": float(step_s),
            **own,
        }
        super().__init__(scenario, num_envs, defaults, setting, options)
        self._decided_by(self._action_space())

    def _action_space(self) -> Any:
        rows = self._engine.sizes.deciders
        low = [-1.0 if self._scaled else part.low for part in self._action_parts]
        high = [1.0 if self._scaled else part.high for part in self._action_parts]
        bounds = [np.tile(np.asarray(each, dtype=self._dtype), (rows, 1)) for each in (low, high)]
        return spaces.Box(*bounds, dtype=self._dtype.type)

    def _in_units(self, actions: NDArray[np.float64]) -> NDArray[np.float64]:
        values = np.empty_like(actions)
        for place, part in enumerate(self._action_parts):
            values[..., place] = clipped(part, actions[..., place], self._scaled)
        return values

    def _refusal(self, actions: NDArray[np.float64], row: int, place: int) -> str:
        del actions
        which, number = divmod(place, len(self._action_parts))
        part = self._action_parts[number]
        return f"{part.name} of {part.each} {which} in environment {row} is not a number"
