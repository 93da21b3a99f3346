"""Environments of the engine: runs whose decisions somebody else makes, many at once, one call a step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypedDict

import numpy as np
from numpy.typing import NDArray

from airlink import _rust
from airlink.engine.replica import Replica, replica_of
from airlink.engine.request import Request, RequestError


class DeclaredPart(NamedTuple):
    """A number of observations, actions or rewards as the engine declares it.

    Attributes
    ----------
    decision : "slots", "senders" or "queues".
    use : "observation", "action" or "reward".
    name, unit : its end is its unit; "" for a plain number.
    low, high : its bounds, in its unit.
    each : what has one each: "run", "user", "user, subchannel" or "flow".
    meaning : in a few words.
    """

    decision: str
    use: str
    name: str
    unit: str
    low: float
    high: float
    each: str
    meaning: str


class EnvironmentSetting(TypedDict):
    """What environments are built from: numbers of parts are those of `declared_parts`, by decision and use.

    Keys
    ----
    decision, count, threads : what is left open, how many environments, on how many threads.
    observation : number, low and high of each part; `scaled`: from 0 to 1 between them.
    slot_action, invalid : "user", "priorities" or "weights"; "idle" or "best".
    action, reward : parts of an action; parts and weights of a reward.
    step_s, group : length of a step, s, and group of flows, where no slots are decided.
    results : kinds of series that are recorded with kept results; None: none is kept.
    """

    decision: str
    count: int
    threads: int
    observation: list[tuple[int, float, float]]
    scaled: bool
    slot_action: str
    invalid: str
    action: list[int]
    reward: list[tuple[int, float]]
    step_s: float
    group: int
    results: list[str] | None


class Sizes(NamedTuple):
    """Numbers of one environment: of its observation, action, mask and reward's parts; users or flows; subchannels."""

    observation: int
    action: int
    mask: int
    reward: int
    deciders: int
    subchannels: int


class Arrays(NamedTuple):
    """What a step fills: a row for each environment.

    Attributes
    ----------
    observations : numbers of float32 or float64.
    masks : 1 for who may win, by subchannel, then user.
    rewards : weighted sums.
    parts : what they are sums of.
    truncated : whether an episode has ended.
    """

    observations: NDArray[Any]
    masks: NDArray[np.int8]
    rewards: NDArray[np.float64]
    parts: NDArray[np.float64]
    truncated: NDArray[np.bool_]


class Environments:
    """Environments of the first scenario of a request. See `airlink.gym`."""

    def __init__(self, request: Request, setting: EnvironmentSetting) -> None:
        self._count = setting["count"]
        try:
            self._engine = _rust.Environments(request.in_engine, setting)
        except ValueError as error:
            raise RequestError(str(error)) from None
        self.sizes = Sizes(*self._engine.sizes())

    def arrays(self, dtype: np.dtype[Any]) -> Arrays:
        """New arrays to be filled by steps, with observations of this type."""
        rows, sizes = self._count, self.sizes
        return Arrays(
            np.zeros((rows, sizes.observation), dtype),
            np.zeros((rows, sizes.mask), np.int8),
            np.zeros(rows),
            np.zeros((rows, sizes.reward)),
            np.zeros(rows, np.bool_),
        )

    def reset(self, seeds: Sequence[int], seed_step: int, arrays: Arrays) -> None:
        """Starts an episode in each; the seeds of the later ones are so far apart.

        Raises
        ------
        RequestError : a run ends before there is anything to decide.
        """
        try:
            self._engine.reset(seeds, seed_step, arrays)
        except ValueError as error:
            raise RequestError(str(error)) from None

    def step(self, actions: NDArray[np.float64], arrays: Arrays) -> int | None:
        """Takes a row of actions in each; one whose episode has ended starts the next.

        Returns
        -------
        None, or the place among all actions of the first number that is not allowed; nothing has changed then.

        Raises
        ------
        RequestError : a run that starts ends before there is anything to decide.
        """
        try:
            return self._engine.step(actions, arrays)
        except ValueError as error:
            raise RequestError(str(error)) from None

    def seeds(self) -> list[int]:
        """The seed of each environment's episode."""
        return self._engine.seeds()

    def take_results(self) -> list[Replica | None]:
        """The replica of the episode that each ended last; each once."""
        return [None if result is None else replica_of(*result) for result in self._engine.take_results()]

    def close(self) -> None:
        """Ends the threads and forgets the runs."""
        self._engine.close()


def declared_parts() -> list[DeclaredPart]:
    """Every part, in the order in which the engine numbers those of a decision and a use."""
    return [DeclaredPart(*part) for part in _rust.environment_parts()]
