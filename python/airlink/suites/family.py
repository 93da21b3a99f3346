"""A family of scenarios: named fields with ranges, and how values of them become a scenario.

Each value is a draw from a stream of its own, named (seed, family, instance, field), so a new field moves no other one:

    value = low + (high - low) u,  u uniform on [0, 1) from SHA-256 of the stream's name

or the same between logarithms. Values are rounded to three digits, so that a scenario reads as somebody would write it.
Left out: which families there are (`public`, `hidden`), and what is run on them (`judging`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from airlink.engine import RequestError
from airlink.scenario import Scenario
from airlink.suites.aim import Aim

DIGITS = 3
"""Of a drawn value."""

Values = Mapping[str, float]
"""Name of a field -> its value."""


def uniform(*name: object) -> float:
    """The number in [0, 1) that belongs to a stream's name; the same on every machine.

    >>> 0 <= uniform(1, "few-users", 0, "speed_kmh") < 1
    True
    >>> uniform(1, "few-users", 0, "speed_kmh") == uniform(2, "few-users", 0, "speed_kmh")
    False
    """
    text = "/".join(map(str, name))
    return int.from_bytes(sha256(text.encode()).digest()[:8], "big") / 2**64


@dataclass(frozen=True)
class Axis:
    """A field of a family.

    Attributes
    ----------
    name : ends in its unit.
    low, high : the ends of its range.
    meaning : what it is, in a line.
    log : whether it is drawn between logarithms; low is then above 0.
    whole : whether it is a whole number.
    """

    name: str
    low: float
    high: float
    meaning: str
    log: bool = False
    whole: bool = False

    def at(self, share: float) -> float:
        """The value at a share of the range, 0..1; a share beyond is cut off."""
        share = min(max(share, 0.0), 1.0)
        if self.log:
            value = math.exp(math.log(self.low) + (math.log(self.high) - math.log(self.low)) * share)
        else:
            value = self.low + (self.high - self.low) * share
        if self.whole:
            return float(min(max(round(value), math.ceil(self.low)), math.floor(self.high)))
        return min(max(float(f"{value:.{DIGITS}g}"), self.low), self.high)

    def share(self, value: float) -> float:
        """Where in the range a value lies, 0..1; the inverse of `at`, but for rounding.

        >>> round(Axis("speed_kmh", 1, 100, "", log=True).share(10), 6)
        0.5
        """
        if self.high == self.low:
            return 0.0
        if self.log:
            return (math.log(value) - math.log(self.low)) / (math.log(self.high) - math.log(self.low))
        return (value - self.low) / (self.high - self.low)


@dataclass(frozen=True)
class Family:
    """Scenarios that differ in the values of named fields.

    Attributes
    ----------
    name : of the family.
    about : what it is, in a line.
    aim : the measure by which schedulers are judged there.
    axes : the named fields.
    make : values -> scenario, whose `scheduler` is the default one.
    """

    name: str
    about: str
    aim: Aim
    axes: Sequence[Axis]
    make: Callable[[Values], Scenario]

    def drawn(self, seed: int, instance: int = 0) -> dict[str, float]:
        """The values of one member of the family."""
        return {axis.name: axis.at(uniform(seed, self.name, instance, axis.name)) for axis in self.axes}

    def scenario(self, values: Values) -> Scenario:
        """The scenario of these values.

        Raises
        ------
        RequestError : a field that the family does not have, a missing one, or a value outside its range.
        """
        names = [axis.name for axis in self.axes]
        if set(values) != set(names):
            raise RequestError(f"family {self.name} has the fields {', '.join(names)}; given: {', '.join(values)}")
        for axis in self.axes:
            if not axis.low <= values[axis.name] <= axis.high:
                told = f"{self.name}: {axis.name} is {values[axis.name]:g}"
                raise RequestError(f"{told}; it must lie from {axis.low:g} to {axis.high:g}")
        return self.make(values).with_(name=self.name, description=f"{self.about}: {told_of(values)}")


def told_of(values: Values) -> str:
    """Values as text: `users 8, speed_kmh 3`."""
    return ", ".join(f"{name} {value:g}" for name, value in values.items())
