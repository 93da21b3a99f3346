"""What a comparison may say: better, worse, equivalent or undecided.

The interval decides, never a single number. Left out: how much a difference matters beyond the margin.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from .differences import Difference

Verdict: TypeAlias = Literal["better", "worse", "higher", "lower", "equivalent", "undecided"]
Better: TypeAlias = Literal["higher", "lower", ""]

MARGIN = 0.01
"""Differences of at most 1 % of the baseline count as none."""


def verdict(difference: Difference, margin: float = MARGIN, better: Better = "") -> Verdict:
    """Judge a difference from the baseline by its interval.

    Equivalent: the whole interval of the relative difference lies within the margin. Else better or worse: the whole
    interval lies on one side of 0. Else undecided: more replicas are needed, as also where all have 0.

    Parameters
    ----------
    difference : of `simultaneous`.
    margin : >= 0, the share of the baseline that does not matter, default 0.01.
    better : "higher" or "lower" values are better; "": the verdict is "higher" or "lower" then.

    Returns
    -------
    "better", "worse" (or "higher", "lower"), "equivalent" or "undecided".

    Raises
    ------
    ValueError : a margin below 0, or another word.

    References
    ----------
    [Schuirmann87]: equivalence is shown by an interval within the margin, never by a difference that is not found.

    Examples
    --------
    >>> from airlink.statistics import simultaneous
    >>> arms = {"a": [50.0, 70.0, 60.0], "b": [60.0, 80.0, 72.0], "c": [50.1, 70.1, 60.0]}
    >>> found = simultaneous(arms, "a")
    >>> verdict(found["b"], better="higher"), verdict(found["c"], better="higher")
    ('better', 'equivalent')
    """
    if not margin >= 0:
        raise ValueError(f"margin is {margin}; it must be at least 0")
    if better not in ("higher", "lower", ""):
        raise ValueError(f'better is {better!r}; it must be "higher", "lower" or ""')
    absolute, relative = difference.absolute, difference.relative
    if difference.never_happened:
        return "undecided"
    if -margin <= relative.low and relative.high <= margin:
        return "equivalent"
    if not (absolute.low > 0 or absolute.high < 0):
        return "undecided"
    side: Literal["higher", "lower"] = "higher" if absolute.low > 0 else "lower"
    if better == "":
        return side
    return "better" if side == better else "worse"
