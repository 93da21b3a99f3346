"""Claims of a paper, judged: direction and size get a verdict each.

The direction holds when our whole 95 % interval lies inside the claim's bound (`judge`). A number that a paper prints
is itself a sample. So its size is compared with the interval in which the mean of as many runs as the paper had falls
with 95 % (`judge_size`). Bounds that were set or changed after a run are counted apart (`tally`).

What it leaves out: any correction for asking many questions of the same runs, and any notion of "nearly": an interval
that straddles a bound is undecided, and shown as such.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TypeAlias

from airlink.statistics import Estimate, prediction_interval

ABOUT_EQUAL = 0.15
LATE = "bounds set or changed after a run"
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

    @property
    def one_sided(self) -> bool:
        """Whether the set has one end: a direction, not a size.

        >>> above("x", 0).one_sided, between("x", 0, 1).one_sided, exactly("F", float("-inf")).one_sided
        (True, False, False)
        """
        return math.isinf(self.low) != math.isinf(self.high)

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


class Verdict(Enum):
    """What a comparison says."""

    HOLDS = "holds"
    FAILS = "does not hold"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class Printed:
    """A number that a paper prints, the mean of a sample.

    Attributes
    ----------
    value : as printed.
    trials : realizations (runs, seeds) that the paper averaged; None when the paper does not say.
    resolution : the number is exact to so much, on either side (a rounded digit, the bin of a histogram).
    """

    value: float
    trials: int | None
    resolution: float = 0.0

    def __str__(self) -> str:
        plural = "" if self.trials == 1 else "s"
        drops = f"realization{plural} unknown" if self.trials is None else f"{self.trials} realization{plural}"
        spread = f" ± {_text(self.resolution)}" if self.resolution else ""
        return f"{_text(self.value)}{spread}, {drops}"

    def lies_in(self, low: float, high: float) -> bool:
        """Whether the number, or one within its resolution, lies from low to high."""
        return low <= self.value + self.resolution and self.value - self.resolution <= high


def judge(measured: Estimate, bounds: Bounds) -> Verdict:
    """Whether a claim holds: its 95 % interval inside the bounds, outside them, or across one.

    Parameters
    ----------
    measured : the estimate and its interval; a count without spread is its own interval.
    bounds : the set of values for which the claim is true.

    Returns
    -------
    Verdict: HOLDS when the whole interval is inside, FAILS when all of it is outside, UNDECIDED when it straddles a
    bound or nothing was measured (NaN).

    Examples
    --------
    >>> ratio = Estimate(1.10, 1.07, 1.13, 50)
    >>> [judge(ratio, bound).value for bound in (above("x", 1), above("x", 1.2), above("x", 1.1))]
    ['holds', 'does not hold', 'undecided']
    """
    if any(math.isnan(value) for value in (measured.mean, measured.low, measured.high)):
        return Verdict.UNDECIDED
    if bounds.holds_at(measured.low) and bounds.holds_at(measured.high):
        return Verdict.HOLDS
    if bounds.all_outside(measured.low, measured.high):
        return Verdict.FAILS
    return Verdict.UNDECIDED


def judge_size(measured: Estimate, printed: Printed, direction: Bounds | None = None) -> Verdict:
    """Whether a printed number is one that the paper's number of realizations gives in our setting.

    Parameters
    ----------
    measured : ours, with its confidence interval.
    printed : the paper's number. Without a number of runs it is held against the prediction interval of one run,
        which it must not leave, and our confidence interval, which it must be in to agree.
    direction : the one-sided bound of the same claim. A prediction interval that crosses it can't tell the printed
        number from none, so that the size is undecided.

    Returns
    -------
    Verdict.

    Examples
    --------
    >>> ratio = Estimate(1.10, 1.07, 1.13, 50)
    >>> [judge_size(ratio, Printed(value, 50)).value for value in (1.06, 1.05)]
    ['holds', 'does not hold']
    """
    widest = prediction_interval(measured, printed.trials or 1)
    if not (math.isfinite(widest.low) and math.isfinite(widest.high)):
        return Verdict.UNDECIDED
    if not printed.lies_in(widest.low, widest.high):
        return Verdict.FAILS
    if direction is not None and judge(widest, direction) is not Verdict.HOLDS:
        return Verdict.UNDECIDED
    if printed.trials is None and not printed.lies_in(measured.low, measured.high):
        return Verdict.UNDECIDED
    return Verdict.HOLDS


@dataclass(frozen=True)
class Claim:
    """One claim of a paper and what was found.

    Attributes
    ----------
    id : checklist id and a letter, "001-1a".
    claim : the claim as a sentence.
    paper : the paper's number, its words, or None where it gives neither.
    measured, ci95 : ours and its 95 % interval; ci95 is None where the value has no spread (a count, a certainty).
    bound : the inequality or interval, in numbers, that each verdict was held against.
    direction : verdict on a one-sided bound; None when the claim has none.
    size : verdict on a printed number, or on a two-sided bound; None when the claim has neither.
    predicted95 : where the paper's number falls with 95 %, were the paper's setting ours; None without such a number.
    after_run : a bound was set or changed after a run of the study.
    profile : scenario profile and realizations.
    """

    id: str
    claim: str
    paper: Printed | float | str | None
    measured: float
    ci95: tuple[float, float] | None
    bound: str
    direction: Verdict | None
    size: Verdict | None
    predicted95: tuple[float, float] | None
    after_run: bool
    profile: str

    @property
    def holds(self) -> bool | None:
        """Both verdicts together: False when one does not hold, None when one is undecided, else True."""
        found = {self.direction, self.size}
        if Verdict.FAILS in found:
            return False
        return None if Verdict.UNDECIDED in found else True

    @property
    def verdict(self) -> str:
        """The verdicts in words, for readers."""
        named = (("direction", self.direction), ("size", self.size))
        return "; ".join(f"{name} {verdict.value}" for name, verdict in named if verdict is not None)

    def to_json(self) -> dict[str, Json]:
        """The record of claims.json; infinities and NaN are strings."""
        paper = self.paper.value if isinstance(self.paper, Printed) else self.paper
        return {
            "id": self.id,
            "claim": self.claim,
            "paper": _json_number(paper) if isinstance(paper, (int, float)) else paper,
            "paper_drops": self.paper.trials if isinstance(self.paper, Printed) else None,
            "measured": _json_number(self.measured),
            "ci95": _json_ends(self.ci95),
            "predicted95": _json_ends(self.predicted95),
            "bound": self.bound,
            "direction": None if self.direction is None else self.direction.value,
            "size": None if self.size is None else self.size.value,
            "holds": self.holds,
            "after_run": self.after_run,
            "profile": self.profile,
        }


@dataclass(frozen=True)
class Statement:
    """A claim before anything is measured.

    Attributes
    ----------
    id, claim : its id and sentence.
    paper : the paper's number (`Printed` if it is the mean of a sample) or words.
    after_run : its bound was set or changed after a run of the study.
    """

    id: str
    claim: str
    paper: Printed | float | str | None = None
    after_run: bool = False

    def against(self, measured: Estimate, bounds: Bounds | None, profile: str) -> Claim:
        """The claim, judged.

        Parameters
        ----------
        measured : ours.
        bounds : what the claim asks for; None when all it has is a printed number.
        profile : scenario profile and realizations.

        Raises
        ------
        ValueError : nothing to judge by, or a two-sided bound beside a printed number, whose interval is predicted.
        """
        printed = self.paper if isinstance(self.paper, Printed) else None
        one_sided = bounds if bounds is not None and bounds.one_sided else None
        if bounds is None and printed is None:
            raise ValueError(f"{self.id} has neither a bound nor a printed number")
        if printed is not None and bounds is not one_sided:
            raise ValueError(f"{self.id}: {printed} is held against its prediction interval, not {bounds}")
        predicted = None if printed is None else prediction_interval(measured, printed.trials or 1)
        if printed is not None:
            size: Verdict | None = judge_size(measured, printed, one_sided)
        else:
            size = None if bounds is None or one_sided is not None else judge(measured, bounds)
        words = [] if bounds is None else [bounds.predicate]
        if printed is not None and predicted is not None:
            words.append(f"{_text(printed.value)} in {_text(predicted.low)} .. {_text(predicted.high)}")
        return Claim(
            id=self.id,
            claim=self.claim,
            paper=self.paper,
            measured=measured.mean,
            ci95=None if measured.low == measured.high else (measured.low, measured.high),
            bound="; ".join(words),
            direction=None if one_sided is None else judge(measured, one_sided),
            size=size,
            predicted95=None if predicted is None else (predicted.low, predicted.high),
            after_run=self.after_run,
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


def tally(claims: Sequence[Claim]) -> str:
    """How many claims hold, by direction and by size; bounds that were set or changed after a run apart."""
    before = _counts([claim for claim in claims if not claim.after_run])
    after = _counts([claim for claim in claims if claim.after_run])
    if not after:
        return before or "No claims"
    return f"{before}. Apart, {LATE}: {after}" if before else f"{LATE.capitalize()}: {after}"


def _counts(claims: Sequence[Claim]) -> str:
    """How many verdicts are which.

    >>> _counts([Statement("1", "x").against(certain(value), above("x", 0), "") for value in (1, 2, -1)])
    '2 of 3 directions hold, 1 does not'
    """
    found = {
        "direction": [claim.direction for claim in claims if claim.direction is not None],
        "size": [claim.size for claim in claims if claim.size is not None],
    }
    return "; ".join(_count(name, verdicts) for name, verdicts in found.items() if verdicts)


def _count(name: str, verdicts: Sequence[Verdict]) -> str:
    held, failed, undecided = (verdicts.count(each) for each in (Verdict.HOLDS, Verdict.FAILS, Verdict.UNDECIDED))
    plural = "" if len(verdicts) == 1 else "s"
    told = [f"{held} of {len(verdicts)} {name}{plural} {'holds' if held == 1 else 'hold'}"]
    if failed:
        told.append(f"{failed} {'does' if failed == 1 else 'do'} not")
    if undecided:
        told.append(f"{undecided} {'is' if undecided == 1 else 'are'} undecided")
    return ", ".join(told)


def _json_ends(ends: tuple[float, float] | None) -> Json:
    return None if ends is None else [_json_number(end) for end in ends]


def _json_number(value: float) -> Json:
    return value if math.isfinite(value) else _text(value)


def _text(value: float) -> str:
    if math.isnan(value):
        return "nan"
    if math.isinf(value):
        return "-inf" if value < 0 else "inf"
    return f"{value:.5g}"
