"""Evolution strategies: a policy's numbers learnt from whole episodes, an environment for each candidate [Salimans17].

All candidates of a generation play one seed, so that they differ by what they do and not by chance, and the next
generation plays another. Candidates come in mirrored pairs about a centre theta, with the spread s:

    theta + s e_k and theta - s e_k,  e_k standard normal
    g = sum over pairs of (u+_k - u-_k) e_k,  u the rank of a candidate's reward: 0 for the least, 1 for the largest
    v <- (1 - c) v + c g,  theta <- theta + step s v / |v| sqrt(size),  c = 0.2
    policy = mean of the last ten centres, in which the noise of single steps cancels

Ranks make the rewards' unit and size irrelevant. A policy may be any function of its numbers, as nothing is derived.
Left out: gradients of policies, networks, and what is worth a reward.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from airlink.engine import RequestError
from airlink.gym.vector import RunEnvs

Floats = NDArray[np.float64]
Known = Mapping[str, NDArray[Any]]
"""Parts of observations by name, as `RunEnvs.by_part` has them."""

SMOOTHING = 0.2
"""The share of the newest direction in the one that is followed."""

CENTRES = 10
"""Of so many of them the policy is the mean."""

FEWEST_ENVS = 4
"""The start, the policy so far, and a pair of candidates."""


@dataclass(frozen=True)
class Generation:
    """What a generation showed, and the policy after it.

    Attributes
    ----------
    number : from 0.
    seed : that all its candidates played.
    start_reward : what the start has got with this seed.
    reward : what the policy before this generation has got with this seed, which it had not learnt from.
    parameters : of the policy after it, array [number].
    """

    number: int
    seed: int
    start_reward: float
    reward: float
    parameters: Floats = field(repr=False)

    @property
    def gain(self) -> float:
        """How much more reward the policy has got than the start, with the same seed."""
        return self.reward - self.start_reward


def episode(envs: RunEnvs, policy: Callable[[Known], NDArray[Any]], seeds: Sequence[int]) -> Floats:
    """Plays an episode in each environment.

    Parameters
    ----------
    envs : with layout "box".
    policy : from parts of observations, arrays [environment, user or flow], to the actions of all environments.
    seeds : one for each environment.

    Returns
    -------
    Sum of rewards, array [environment].

    Examples
    --------
    >>> from airlink.gym import SchedulerEnvs, episode
    >>> from airlink.scenario import ready
    >>> envs = SchedulerEnvs(ready("first-cell", ["duration_s=1", "warmup_s=0"]), 2, action="priorities")
    >>> episode(envs, lambda known: known["rate_bps"], seeds=[7, 7]).round(3).tolist()
    [27.041, 27.041]
    >>> envs.close()
    """
    observations, _ = envs.reset(seed=list(seeds))
    rewards, goes_on = np.zeros(envs.num_envs), np.ones(envs.num_envs, np.bool_)
    while goes_on.any():
        observations, gained, _, truncated, _ = envs.step(policy(envs.by_part(observations)))
        rewards += np.where(goes_on, gained, 0.0)
        goes_on &= ~truncated
    return rewards


def evolve(  # noqa: PLR0913 - what a search can be asked for
    envs: RunEnvs,
    policy: Callable[[Floats, Known], NDArray[Any]],
    start: ArrayLike,
    seeds: Sequence[int],
    *,
    spread: float = 0.1,
    step: float = 1.0,
    draws: int = 1,
) -> Iterator[Generation]:
    """Learns a policy's numbers, a generation for each seed; stop when you like, each generation has the policy so far.

    Parameters
    ----------
    envs : an even number, at least 4: one plays the start, one the policy so far, the others a candidate each.
    policy : from numbers, array [environment, number], and parts of observations, arrays [environment, user or flow],
        to the actions of all environments.
    start : the policy's first numbers, array [number].
    seeds : of the runs, one for each generation. Judge the policy with others.
    spread : s > 0, how far candidates are from the centre.
    step : > 0, how far the centre moves, as a share of a candidate's usual distance from it.
    draws : names the candidates' random draws; the same draws and seeds learn the same on the same machine.

    Raises
    ------
    RequestError : another number of environments; a start that is no list of numbers; spread or step not above 0.

    References
    ----------
    [Salimans17]: mirrored pairs, ranks. There the step is Adam's; here it has a fixed length.

    Examples
    --------
    How much the average should count, of which the largest rate knows nothing:

    >>> import numpy as np
    >>> from airlink.gym import SchedulerEnvs, evolve
    >>> from airlink.scenario import ready
    >>> def priorities(numbers, known):
    ...     return np.log(known["rate_bps"] + 1) - numbers * np.log(known["average_bps"])
    >>> cell = ready("first-cell", ["duration_s=0.5", "warmup_s=0"])
    >>> envs = SchedulerEnvs(
    ...     cell, 8, action="priorities", observation=["rate_bps", "average_bps"], scaled=False, copy=False
    ... )
    >>> *_, last = evolve(envs, priorities, [0.0], seeds=range(10), spread=0.5)
    >>> bool(last.parameters[0] > 0.5), last.gain > 0
    (True, True)
    >>> envs.close()
    """
    theta = _checked(envs, start, spread, step)
    pairs = (envs.num_envs - 2) // 2
    first, learnt, direction = theta, theta, np.zeros_like(theta)
    centres = deque([theta], CENTRES)
    for number, seed in enumerate(seeds):
        noise = np.random.default_rng([draws, number]).standard_normal((pairs, theta.size))
        candidates = np.concatenate([[first, learnt], theta + spread * noise, theta - spread * noise])
        rewards = episode(envs, lambda known, each=candidates: policy(each, known), [seed] * envs.num_envs)  # type: ignore[misc]
        ranks = np.argsort(np.argsort(rewards[2:], kind="stable")) / (2 * pairs - 1)
        slope = (ranks[:pairs] - ranks[pairs:]) @ noise
        direction = (1 - SMOOTHING) * direction + SMOOTHING * slope
        length = float(np.linalg.norm(direction))
        if length > 0:
            theta = theta + step * spread * np.sqrt(theta.size) * direction / length
        centres.append(theta)
        learnt = np.mean(centres, axis=0)
        yield Generation(number, int(seed), float(rewards[0]), float(rewards[1]), learnt.copy())


def _checked(envs: RunEnvs, start: ArrayLike, spread: float, step: float) -> Floats:
    """The start as an array."""
    if envs.num_envs < FEWEST_ENVS or envs.num_envs % 2:
        raise RequestError(f"there are {envs.num_envs} environments; it must be an even number of at least 4")
    for name, value in (("spread", spread), ("step", step)):
        if not 0 < value < np.inf:
            raise RequestError(f"{name} is {value!r}; it must be a number above 0")
    found = np.asarray(start, dtype=np.float64)
    if found.ndim != 1 or not found.size or not np.isfinite(found).all():
        raise RequestError(f"start has the shape {found.shape}; it must be a list of finite numbers, at least one")
    return found
