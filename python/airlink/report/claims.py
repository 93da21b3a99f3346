"""Claims of a paper, judged: a number with its interval, held against a bound that was written down before.

One function, `judge`, decides for every study. What it leaves out: any correction for asking many questions of the
same drops, and any notion of "nearly": an interval that straddles a bound is undecided, and shown as such.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from airlink.statistics import Estimate

ABOUT_EQUAL = 0.15
Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"


@dataclass(frozen=True)
class Bounds:
    """The set of values for which a claim is true: an interval, its ends inside unless said otherwise.

    Attributes
    ----------
    quantity : what is measured, a word or two, without its unit.
    low, high : ends; infinite where there is none. Equal ends ask for exactly that value.
    low_open, high_open : the end itself is outside.
    """

    quantity: str
    low: float = -math.inf
    high: float = math.inf
    low_open: bool = False
    high_open: bool = False

    def __post_init__(self) -> None:
        if not self.low <= self.high:
            raise ValueError(f"the bounds of {self.quantity} are {self.low} and {self.high}")

    @property
    def predicate(self) -> str:
        """The inequality or interval, in numbers.

        >>> Bounds("ratio", 1.05, 1.20).predicate
        '1.05 <= ratio <= 1.2'
        >>> above("difference", 0).predicate
        'difference > 0'
        >>> exactly("F", float("-inf")).predicate
        'F == -inf'
        """
        if self.low == self.high:
            return f"{self.quantity} == {_text(self.low)}"
        below, beneath = "<" if self.low_open else "<=", "<" if self.high_open else "<="
        if math.isinf(self.high) and self.high > 0:
            return f"{self.quantity} {below.replace('<', '>')} {_text(self.low)}"
        left = "" if math.isinf(self.low) else f"{_text(self.low)} {below} "
        return f"{left}{self.quantity} {beneath} {_text(self.high)}"

    def holds_at(self, value: float) -> bool:
        """Whether one value lies inside."""
        return not (self._below(value) or self._above(value))

    def _below(self, value: float) -> bool:
        return value < self.low or (self.low_open and value == self.low)

    def _above(self, value: float) -> bool:
        return value > self.high or (self.high_open and value == self.high)

    def all_outside(self, low: float, high: float) -> bool:
        """Whether no value from low to high lies inside."""
        return self._below(high) or self._above(low)


def between(quantity: str, low: float, high: float) -> Bounds:
    """True from low to high, ends included."""
    return Bounds(quantity, low, high)


def about(quantity: str, value: float, share: float = ABOUT_EQUAL) -> Bounds:
    """True within that share (15 % unless said otherwise) of a value above 0.

    >>> about("kB/s", 200.0, 0.05).predicate
    '190 <= kB/s <= 210'
    """
    return Bounds(quantity, value * (1 - share), value * (1 + share))


def above(quantity: str, low: float) -> Bounds:
    """True strictly above low."""
    return Bounds(quantity, low=low, low_open=True)


def at_least(quantity: str, low: float) -> Bounds:
    """True at low and above."""
    return Bounds(quantity, low=low)


def at_most(quantity: str, high: float) -> Bounds:
    """True at high and below."""
    return Bounds(quantity, high=high)


def exactly(quantity: str, value: float) -> Bounds:
    """True at one value, which may be infinite."""
    return Bounds(quantity, value, value)


def judge(measured: Estimate, bounds: Bounds) -> bool | None:
    """Whether a claim holds: its 95 % interval inside the bounds, outside them, or across one.

    Parameters
    ----------
    measured : the estimate and its interval; a count without spread is its own interval.
    bounds : the set of values for which the claim is true.

    Returns
    -------
    True when the whole interval is inside, False when all of it is outside, None when it straddles a bound or
    nothing was measured (NaN).

    Examples
    --------
    >>> ratio = Estimate(1.10, 1.07, 1.13, 50)
    >>> judge(ratio, between("ratio", 1.05, 1.20)), judge(ratio, above("ratio", 1.2)), judge(ratio, above("ratio", 1.1))
    (True, False, None)
    """
    if any(math.isnan(value) for value in (measured.mean, measured.low, measured.high)):
        return None
    if bounds.holds_at(measured.low) and bounds.holds_at(measured.high):
        return True
    if bounds.all_outside(measured.low, measured.high):
        return False
    return None


@dataclass(frozen=True)
class Claim:
    """One claim of a paper and what was found.

    Attributes
    ----------
    id : checklist id and a letter, "001-1a".
    claim : the claim as a sentence.
    paper : the paper's number, its words, or None where it gives neither.
    measured, ci95 : ours and its 95 % interval; ci95 is None where the value has no spread (a count, a certainty).
    predicate : the inequality or interval in numbers that the claim was held against.
    holds : True, False, or None when the interval straddles a bound.
    profile : scenario profile and drops.
    """

    id: str
    claim: str
    paper: float | str | None
    measured: float
    ci95: tuple[float, float] | None
    predicate: str
    holds: bool | None
    profile: str

    @property
    def verdict(self) -> str:
        """The verdict in a word or two, for readers."""
        return {True: "holds", False: "does not hold", None: "undecided"}[self.holds]

    def to_json(self) -> dict[str, Json]:
        """The record of claims.json; infinities and NaN are strings."""
        return {
            "id": self.id,
            "claim": self.claim,
            "paper": _json_number(self.paper) if isinstance(self.paper, (int, float)) else self.paper,
            "measured": _json_number(self.measured),
            "ci95": None if self.ci95 is None else [_json_number(end) for end in self.ci95],
            "predicate": self.predicate,
            "holds": self.holds,
            "profile": self.profile,
        }


@dataclass(frozen=True)
class Statement:
    """A claim before anything is measured: its id, its sentence, and the paper's number or words."""

    id: str
    claim: str
    paper: float | str | None = None

    def against(self, measured: Estimate, bounds: Bounds, profile: str) -> Claim:
        """The claim, judged."""
        return Claim(
            id=self.id,
            claim=self.claim,
            paper=self.paper,
            measured=measured.mean,
            ci95=None if measured.low == measured.high else (measured.low, measured.high),
            predicate=bounds.predicate,
            holds=judge(measured, bounds),
            profile=profile,
        )


def certain(value: float) -> Estimate:
    """A value without spread: a count, a yes or no, an infinity."""
    return Estimate(value, value, value, 1)


def write_claims(claims: Sequence[Claim], path: Path) -> Path:
    """Writes claims.json: a list of records, valid JSON, one claim a line.

    Raises
    ------
    ValueError : two claims with the same id.
    """
    ids = [claim.id for claim in claims]
    if len(set(ids)) < len(ids):
        raise ValueError(f"claims need different ids: {ids}")
    lines = [json.dumps(claim.to_json(), ensure_ascii=False, allow_nan=False) for claim in claims]
    path.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")
    return path


def tally(claims: Iterable[Claim]) -> str:
    """How many claims hold, in a phrase."""
    held = [claim.holds for claim in claims]
    failed, undecided = held.count(False), held.count(None)
    return (
        f"{held.count(True)} of {len(held)} claims hold, {failed} {'does' if failed == 1 else 'do'} not, "
        f"{undecided} {'is' if undecided == 1 else 'are'} undecided"
    )


def _json_number(value: float) -> Json:
    return value if math.isfinite(value) else _text(value)


def _text(value: float) -> str:
    if math.isnan(value):
        return "nan"
    if math.isinf(value):
        return "-inf" if value < 0 else "inf"
    return f"{value:.5g}"
