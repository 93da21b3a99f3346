"""Parts of observations, actions and rewards: what the engine declares, with bounds of one's own."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from airlink.engine import DeclaredPart, RequestError, declared_parts


@dataclass(frozen=True)
class Part:
    """A number of an observation, an action or a reward.

    Attributes
    ----------
    name, unit : the name ends in the unit, "" for a plain number.
    low, high : what lies outside is shown, or done, as the bound. Rewards are not bounded, nor are observations in
        their units (scaled = False), unless `within` sets bounds.
    each : what has one each: "run", "user", "user, subchannel" or "flow".
    meaning : in a few words.

    Examples
    --------
    >>> from airlink.gym import parts
    >>> delay = parts("slots", "observation")["head_of_line_delay_s"]
    >>> delay.unit, delay.low, delay.high, delay.each
    ('s', 0.0, 10.0, 'user')
    >>> delay.within(high=0.5).high
    0.5
    """

    name: str
    unit: str
    low: float
    high: float
    each: str
    meaning: str = field(repr=False)
    number: int = field(repr=False)
    """Its place among the engine's."""

    def within(self, low: float | None = None, high: float | None = None) -> Part:
        """The same part with other bounds.

        Raises
        ------
        RequestError : a bound is no number, or the lower one is not below the upper one.
        """
        least, most = (self.low if low is None else low), (self.high if high is None else high)
        if not least < most:
            raise RequestError(f"{self.name}: bounds are {least} and {most}; the first must be below the second")
        return replace(self, low=float(least), high=float(most))

    def uncut(self) -> Part:
        """The same part without the declared bounds that cut what is above or below: for numbers in their units."""
        low = self.low if self.low == 0 else -math.inf
        return replace(self, low=low, high=self.high if self._is_share else math.inf)

    @property
    def _is_share(self) -> bool:
        """Whether it lies in 0..1 by itself, as a probability."""
        return self.unit == "" and (self.low, self.high) == (0.0, 1.0)

    @property
    def is_geometric(self) -> bool:
        """Whether a scaled action moves it by ratios: its lower bound is above 0."""
        return self.low > 0

    def of_scaled(self, scaled: NDArray[np.float64]) -> NDArray[np.float64]:
        """Values of an action in -1..1, in the part's unit: equal steps are equal ratios where that can be.

        Returns
        -------
        low (high / low)^((scaled + 1) / 2) if `is_geometric`, else low + (high - low) (scaled + 1) / 2.
        """
        share = (np.clip(scaled, -1.0, 1.0) + 1.0) / 2.0
        if self.is_geometric:
            return self.low * (self.high / self.low) ** share
        return self.low + (self.high - self.low) * share


@cache
def _declared(decision: str, use: str) -> Mapping[str, Part]:
    found: list[DeclaredPart] = [each for each in declared_parts() if (each.decision, each.use) == (decision, use)]
    return {
        each.name: Part(each.name, each.unit, each.low, each.high, each.each, each.meaning, number)
        for number, each in enumerate(found)
    }


def parts(decision: str, use: str) -> Mapping[str, Part]:
    """The parts of which observations, actions or rewards are composed, by name.

    Parameters
    ----------
    decision : "slots", "senders" or "queues".
    use : "observation", "action" or "reward".

    Raises
    ------
    RequestError : another word.

    Examples
    --------
    >>> list(parts("senders", "action"))
    ['window_bytes', 'pacing_bps']
    """
    if decision not in ("slots", "senders", "queues"):
        raise RequestError(f"decision is {decision!r}; it must be 'slots', 'senders' or 'queues'")
    if use not in ("observation", "action", "reward"):
        raise RequestError(f"use is {use!r}; it must be 'observation', 'action' or 'reward'")
    return _declared(decision, use)


def chosen(decision: str, use: str, names: Iterable[str | Part]) -> list[Part]:
    """The parts that are named, or that are parts already; each once, at least one.

    Raises
    ------
    RequestError : no list; an unknown name, with the nearest ones; one that is there twice; none.
    """
    known = parts(decision, use)
    if isinstance(names, str | Part) or not isinstance(names, Iterable):
        raise RequestError(f"{use} is {names!r}; it must be a list of names or parts, as [{next(iter(known))!r}]")
    found = [each if isinstance(each, Part) else _named(known, use, each) for each in names]
    doubled = {part.name for part in found if sum(other.name == part.name for other in found) > 1}
    if doubled:
        raise RequestError(f"{use}: {', '.join(sorted(doubled))} is there twice")
    if not found:
        raise RequestError(f"{use} is empty; choose from {', '.join(known)}")
    return found


def in_units(decision: str, found: Iterable[Part]) -> list[Part]:
    """Parts of an observation in its units: only bounds of one's own cut, the declared ones are for scaling."""
    declared = parts(decision, "observation")
    return [part.uncut() if part == declared[part.name] else part for part in found]


def weighted(decision: str, reward: Mapping[str, float]) -> list[tuple[Part, float]]:
    """The parts of a reward with their weights.

    Raises
    ------
    RequestError : no weights by name; an unknown name; a weight that is no finite number.
    """
    given: Any = reward
    if not isinstance(given, Mapping):
        name = next(iter(parts(decision, "reward")))
        raise RequestError(f"reward is {reward!r}; it must be weights by name, as {{{name!r}: 1.0}}")
    found = chosen(decision, "reward", reward)
    for name, weight in given.items():
        if not isinstance(weight, Real) or not math.isfinite(weight):
            raise RequestError(f"reward: the weight of {name} is {weight!r}; it must be a finite number")
    return [(part, float(reward[part.name])) for part in found]


def _named(known: Mapping[str, Part], use: str, name: str) -> Part:
    if name in known:
        return known[name]
    near = difflib.get_close_matches(str(name), known, n=2)
    hint = f"did you mean {' or '.join(map(repr, near))}?" if near else f"choose from {', '.join(known)}"
    raise RequestError(f"{use}: {name!r} is not known; {hint}")
