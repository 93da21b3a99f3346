"""What the three vector environments have in common: spaces, arrays, seeds, results, the end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from airlink.engine import (
    MOST_JOBS,
    Arrays,
    Environments,
    EnvironmentSetting,
    Request,
    RequestError,
    engine_version,
    extra,
    seeds_from,
    thread_count,
)
from airlink.gym.parts import Part, chosen, in_units, weighted
from airlink.result import Result
from airlink.scenario import Scenario

if TYPE_CHECKING:
    import gymnasium
    from gymnasium import spaces as spaces
    from gymnasium import vector
else:
    gymnasium = extra("gymnasium")
    spaces, vector = gymnasium.spaces, gymnasium.vector

MOST_SEED = 2**64 - 1

AUTORESET: dict[str, Any] = (
    {"autoreset_mode": vector.AutoresetMode.NEXT_STEP} if hasattr(vector, "AutoresetMode") else {}
)
"""How the next episode starts; gymnasium 1.0 knows this way only, and has no word for it."""


class Options(TypedDict, total=False):
    """What all environments may be told beside their decision.

    Keys
    ----
    observation : names or parts, in their order.
    layout : "box" (default): one vector; "dict": an array for each part.
    scaled : true (default): observations from 0 to 1 and actions from -1 to 1 between the bounds; false: in their
        units, and of observations only the bounds of `Part.within` hold.
    dtype : of observations, "float32" (default) or "float64".
    reward : weight by name of part.
    threads : default all cores; no number depends on it.
    record : kinds of series; with it, even empty, `results` has the result of each episode. Default: none is kept.
    copy : true (default): each step returns new arrays; false: the next step overwrites them, masks and ends included.
    """

    observation: Iterable[str | Part]
    layout: str
    scaled: bool
    dtype: str
    reward: Mapping[str, float]
    threads: int | None
    record: Sequence[str] | None
    copy: bool


class RunEnvs(vector.VectorEnv):
    """Runs of one scenario, of which one decision is made from outside: the base of three vector environments.

    An episode is a run to the scenario's end, where it is truncated; nothing terminates earlier. The step after that
    starts the next episode whatever its action, with reward 0 (`AutoresetMode.NEXT_STEP`). Environment i begins with
    seed + i; each later episode has the seed `num_envs` further on, so no seed comes twice. What is shown at an
    episode's end is what was known at its last decision, or at its end where steps have a fixed length.

    A run is not pickled: pickle what makes it. A child process makes its own.
    """

    metadata: dict[str, Any] = {"render_modes": [], **AUTORESET}  # noqa: RUF012

    def __init__(
        self, scenario: Scenario, num_envs: int, defaults: Options, setting: Mapping[str, Any], options: Options
    ) -> None:
        unknown = sorted(set(options) - set(Options.__annotations__))
        if unknown:
            raise RequestError(f"{', '.join(unknown)} unknown; choose from {', '.join(Options.__annotations__)}")
        asked: Options = {**defaults, **options}
        count: Any = num_envs
        if not isinstance(count, Integral) or not 1 <= num_envs <= MOST_JOBS:
            raise RequestError(f"num_envs is {num_envs!r}; it must be a whole number in 1..{MOST_JOBS}: at least 1")
        record = asked.get("record")
        request = Request([scenario], [1], () if record is None else record)
        if request.captures:
            raise RequestError("record: environments do not capture packets")
        self._request, self._keeps_results = request, record is not None
        self._decision = str(setting["decision"])
        self._parts = chosen(self._decision, "observation", asked["observation"])
        self._reward = weighted(self._decision, asked["reward"])
        self._scaled, self._copies = bool(asked.get("scaled", True)), bool(asked.get("copy", True))
        self._layout = one_of("layout", asked.get("layout", "box"), ("box", "dict"))
        self._dtype = np.dtype(one_of("dtype", asked.get("dtype", "float32"), ("float32", "float64")))
        if not self._scaled:
            self._parts = in_units(self._decision, self._parts)
        else:
            for part in self._parts:
                if not np.isfinite([part.low, part.high]).all():
                    raise RequestError(f"observation: {part.name} has no finite bounds; scaled = False, or within()")
        self.num_envs = int(num_envs)
        complete: EnvironmentSetting = {
            "count": self.num_envs,
            "threads": thread_count(asked.get("threads")),
            "observation": [(part.number, part.low, part.high) for part in self._parts],
            "scaled": self._scaled,
            "reward": [(part.number, weight) for part, weight in self._reward],
            "results": list(request.record) if self._keeps_results else None,
            **setting,  # type: ignore[typeddict-item]
        }
        self._engine = Environments(request, complete)
        self._arrays = self._engine.arrays(self._dtype)
        self._has_started = False
        self._in_vector = self._places()
        self._has_matrices = any(len(shape) > 1 for _, _, shape in self._in_vector)
        self.single_observation_space = self._observation_space()
        self.observation_space = vector.utils.batch_space(self.single_observation_space, self.num_envs)

    def _decided_by(self, single_action_space: Any) -> None:
        self.single_action_space = single_action_space
        self.action_space = vector.utils.batch_space(single_action_space, self.num_envs)
        self._action_shape = (self.num_envs, *single_action_space.shape)

    def _shape(self, part: Part) -> tuple[int, ...]:
        """The shape of a part in one environment."""
        sizes = self._engine.sizes
        shape = (sizes.deciders, sizes.subchannels) if part.each == "user, subchannel" else (sizes.deciders,)
        return shape[:1] if shape[1:] == (1,) else shape

    def _observation_space(self) -> Any:
        def box(part: Part) -> Any:
            low, high = (0.0, 1.0) if self._scaled else (part.low, part.high)
            # Rounded to the type, so that a bound lies within.
            return spaces.Box(self._dtype.type(low), self._dtype.type(high), self._shape(part), self._dtype.type)

        boxes = {part.name: box(part) for part in self._parts}
        if self._layout == "dict":
            return spaces.Dict(boxes)
        low = np.concatenate([each.low.ravel() for each in boxes.values()])
        high = np.concatenate([each.high.ravel() for each in boxes.values()])
        return spaces.Box(low, high, dtype=self._dtype.type)

    def _places(self) -> list[tuple[str, slice, tuple[int, ...]]]:
        """Name, place in a vector and shape of each part of an observation."""
        found, first = [], 0
        for part in self._parts:
            shape = self._shape(part)
            size = int(np.prod(shape))
            found.append((part.name, slice(first, first + size), shape))
            first += size
        return found

    def by_part(self, observations: NDArray[Any] | Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
        """Views of the parts of observations.

        Parameters
        ----------
        observations : of `reset` or `step`, shape (environments, numbers), or (numbers,) of a single environment; with
            layout "dict" the parts themselves.

        Returns
        -------
        By name of part, shape (environments, users or flows), with several subchannels (environments, users,
        subchannels).
        """
        if isinstance(observations, Mapping):
            return dict(observations)
        parts = {name: observations[..., place] for name, place, _ in self._in_vector}
        if self._has_matrices:
            rows = observations.shape[:-1]
            parts = {name: parts[name].reshape(*rows, *shape) for name, _, shape in self._in_vector}
        return parts

    def reset(
        self, *, seed: int | Sequence[int] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Starts an episode in each environment.

        Parameters
        ----------
        seed : of environment 0, the others have the next ones; or one for each. Default: seeds that no episode had,
            from 1.
        options : of no effect.

        Raises
        ------
        RequestError : a seed outside 0..2^64-1, or another number of them.
        """
        del options
        seeds = self._seeds(seed)
        super().reset(seed=seeds[0])
        arrays = self._to_fill()
        self._engine.reset(seeds, self.num_envs, arrays)
        self._arrays, self._has_started = arrays, True
        return self._shown(), self._infos()

    def _seeds(self, seed: int | Sequence[int] | None) -> list[int]:
        if seed is None:
            return self._later_seeds() if self._has_started else list(range(1, self.num_envs + 1))
        if isinstance(seed, Sequence | np.ndarray):
            seeds = [seeds_from(each, 1)[0] for each in seed]
        else:
            seeds = list(seeds_from(seed, self.num_envs))
        if len(seeds) != self.num_envs:
            raise RequestError(f"seed has {len(seeds)} numbers; there are {self.num_envs} environments")
        if not all(0 <= each <= MOST_SEED for each in seeds):
            raise RequestError("seed: every seed must lie in 0..2^64-1")
        return seeds

    def _later_seeds(self) -> list[int]:
        return [(each + self.num_envs) % (MOST_SEED + 1) for each in self._engine.seeds()]

    def step(self, actions: Any) -> tuple[Any, ...]:
        """Takes an action in each environment and runs to its next decision; see the class.

        Parameters
        ----------
        actions : of the shape of `action_space`, a row for each environment.

        Returns
        -------
        observations, rewards, terminations, truncations, infos, each with a row for each environment.

        Raises
        ------
        RequestError : no numbers; another shape; a number that is not allowed. Nothing has changed then. Also if a
            next episode ends before there is anything to decide: reset with other seeds then.
        gymnasium.error.ResetNeeded : before the first reset.
        """
        found = numbers(actions, self._action_shape)
        if not self._has_started:
            raise gymnasium.error.ResetNeeded("reset() must come before the first step()")
        arrays = self._to_fill()
        rows = self._in_units(found)
        refused = self._engine.step(rows if rows.ndim == 2 else rows.reshape(self.num_envs, -1), arrays)
        if refused is not None:
            raise RequestError(self._refusal(found, *divmod(refused, found.size // self.num_envs)))
        self._arrays = arrays
        return self._shown(), arrays.rewards, np.zeros(self.num_envs, np.bool_), arrays.truncated, self._infos()

    def _in_units(self, actions: NDArray[np.float64]) -> NDArray[np.float64]:
        """Actions as the engine takes them."""
        return actions

    def _refusal(self, actions: NDArray[np.float64], row: int, place: int) -> str:
        """What is wrong with the number at this place of an environment's action."""
        raise NotImplementedError

    def _to_fill(self) -> Arrays:
        """Arrays for the next step; new ones in the place of those that the last has returned."""
        kept = self._arrays
        if not self._copies:
            return kept
        observations = np.empty((self.num_envs, self._engine.sizes.observation), self._dtype)
        return Arrays(observations, kept.masks, np.empty(self.num_envs), kept.parts, np.empty(self.num_envs, np.bool_))

    def _shown(self) -> Any:
        observations = self._arrays.observations
        if self._layout == "box":
            return observations
        return {name: values.copy() for name, values in self.by_part(observations).items()}

    def _infos(self) -> dict[str, Any]:
        return {}

    def reward_parts(self) -> dict[str, NDArray[np.float64]]:
        """What the last rewards are weighted sums of, by name: shape (environments,), in their units."""
        return {part.name: self._arrays.parts[:, place].copy() for place, (part, _) in enumerate(self._reward)}

    def seeds(self) -> list[int]:
        """The seed of each environment's episode, or of the one that has just ended."""
        return self._engine.seeds()

    def results(self) -> list[Result | None]:
        """The result of the episode that each environment ended last, once; None where none has ended since.

        The digest is that of `airlink.run` with the same scenario and seed where the decisions were those of the
        scenario.

        Raises
        ------
        RequestError : results are not kept, without `record`.
        """
        if not self._keeps_results:
            raise RequestError("results are not kept; record = [] keeps them")
        (scenario,), record, version = self._request.scenarios, self._request.record, engine_version()
        return [
            None if replica is None else Result(scenario, [replica], record, version)
            for replica in self._engine.take_results()
        ]

    def close_extras(self, **_: Any) -> None:
        """Ends the threads."""
        if hasattr(self, "_engine"):
            self._engine.close()

    def __reduce__(self) -> Any:
        raise TypeError(f"{type(self).__name__} holds runs, which are not pickled: pickle a function that makes it")


def require_scenario(scenario: object) -> None:
    """Makes sure that it is a scenario.

    Raises
    ------
    RequestError : something else.
    """
    if not isinstance(scenario, Scenario):
        raise RequestError(f"a Scenario is needed, not {scenario!r}: airlink.Scenario.from_toml(...) reads one")


def clipped(part: Part, values: NDArray[np.float64], scaled: bool) -> NDArray[np.float64]:
    """Values of a part of an action, in its unit and within its bounds."""
    return part.of_scaled(values) if scaled else np.clip(values, part.low, part.high)


def numbers(actions: Any, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Actions as numbers of this shape.

    Raises
    ------
    RequestError : no numbers, another shape, or a mask.
    """
    if isinstance(actions, np.ma.MaskedArray):
        raise RequestError("actions are a masked array, whose mask nothing here would see; fill it: actions.filled(0)")
    try:
        found = np.asarray(actions, dtype=np.float64, order="C")
    except (TypeError, ValueError) as error:
        raise RequestError(f"actions must be numbers of the shape {shape}: {error}") from None
    if found.shape != shape:
        raise RequestError(f"actions have the shape {found.shape}; it must be {shape}")
    return found


def one_of(name: str, word: str, words: tuple[str, ...]) -> str:
    """The word, which must be one of these.

    Raises
    ------
    RequestError : another word.
    """
    if word not in words:
        raise RequestError(f"{name} is {word!r}; it must be {' or '.join(map(repr, words))}")
    return word
