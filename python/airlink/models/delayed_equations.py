r"""Delay differential equations with constant delays, by the method of steps.

.. math:: y'(t) = f\big(t, y(t), y(t - d_1), \dots, y(t - d_m)\big)

No step is longer than the smallest delay, so what a step asks of the past is known. Steps are those of the classical
Runge-Kutta method, the past between them is the cubic through values and slopes at their ends: fourth order. A kink
of the past comes back one delay later, one derivative weaker, and so on; steps end at the first four returns of each,
after which none is left that this order could see.

Left out: delays that depend on the solution, slopes that depend on past slopes, steps that choose their own length. A
kink that `slope` makes itself, as where a queue empties, falls inside a step, whose result is then of second order.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Past: TypeAlias = Callable[[float], Floats]
Slope: TypeAlias = Callable[[float, Floats, list[Floats]], Floats]

RETURNS = 4  # of a kink, one derivative weaker each, until a method of fourth order no longer sees it
SAME_INSTANT = 1e-12  # of the interval: two kinks nearer than this are one


@dataclass
class DelayedSolution:
    """A solution and what came before it, as a function of time.

    Attributes
    ----------
    past : the solution before `start_s`.
    start_s, end_s : s, where it begins and ends.
    kinks_s : instants at which it may have a kink, its own beginning included.
    """

    past: Past
    start_s: float
    end_s: float
    kinks_s: tuple[float, ...]
    _ends_s: list[float] = field(repr=False)
    _pieces: list[tuple[float, Floats, Floats, Floats, Floats]] = field(repr=False, default_factory=list)

    def __call__(self, time_s: float) -> Floats:
        """Value y(t): array [component].

        Parameters
        ----------
        time_s : t, s, any up to `end_s`.

        Raises
        ------
        ValueError : beyond the end.
        """
        if time_s <= self.start_s:
            return self.past(time_s)
        if time_s > self._ends_s[len(self._pieces)]:
            raise ValueError(f"time_s is {time_s}; the solution ends at {self.end_s}")
        start, value, slope, square, cube = self._pieces[bisect_right(self._ends_s, time_s, hi=len(self._pieces)) - 1]
        x = time_s - start
        return value + x * (slope + x * (square + x * cube))

    def sample(self, times_s: Sequence[float] | Floats) -> Floats:
        """Values at each of these instants: array [time, component].

        Parameters
        ----------
        times_s : s, each up to `end_s`.
        """
        return np.array([self(float(time)) for time in times_s])

    def _append(self, step_s: float, ends: tuple[Floats, Floats], slopes: tuple[Floats, Floats]) -> None:
        """The cubic through both ends of the next step."""
        rise = (ends[1] - ends[0]) / step_s
        square = (3 * rise - 2 * slopes[0] - slopes[1]) / step_s
        cube = (slopes[0] + slopes[1] - 2 * rise) / step_s**2
        self._pieces.append((self._ends_s[len(self._pieces)], ends[0], slopes[0], square, cube))


def integrate_delayed(
    slope: Slope, past: Past, interval_s: tuple[float, float], delays_s: Sequence[float], step_s: float
) -> DelayedSolution:
    """Solve y'(t) = f(t, y(t), y(t - d_1), ...) over an interval.

    Parameters
    ----------
    slope : f(t, y, [y(t - d_1), y(t - d_2), ...]), arrays [component]; smooth within the interval.
    past : y(t) for all t up to the beginning of the interval. A `DelayedSolution` that ends there carries on: so what
        changes at an instant (a flow comes or goes) is one interval before it and one behind.
    interval_s : where it begins and ends, s.
    delays_s : d_1, d_2, ..., s, each > 0.
    step_s : longest step, s, > 0; the smallest delay is another limit. The error falls with its fourth power.

    Returns
    -------
    DelayedSolution

    Raises
    ------
    ValueError : a value outside its range; a solution that grows beyond all numbers.

    References
    ----------
    [Bellen03] ch. 3.

    Examples
    --------
    y' = -y(t - 1) from y = 1 is 1 - t on the first delay and 1 - t + (t - 1)^2 / 2 on the second:

    >>> solution = integrate_delayed(lambda t, y, late: -late[0], lambda t: np.ones(1), (0.0, 2.0), [1.0], 0.5)
    >>> [round(float(solution(t)[0]), 12) for t in (0.5, 1.0, 1.5, 2.0)]
    [0.5, 0.0, -0.375, -0.5]
    """
    start, end = interval_s
    if not (math.isfinite(start) and start < end < math.inf):
        raise ValueError(f"interval_s is {interval_s}; it must end after it begins")
    if not delays_s or not all(0 < delay < math.inf for delay in delays_s):
        raise ValueError(f"delays_s is {list(delays_s)}; each must be above 0 and finite")
    if not 0 < step_s < math.inf:
        raise ValueError(f"step_s is {step_s}; it must be above 0")
    kinks = (*(past.kinks_s if isinstance(past, DelayedSolution) else ()), start)
    # A kink that no longer returns within the interval is forgotten.
    kinks = tuple(kink for kink in kinks if kink + RETURNS * max(delays_s) >= start)
    ends = _step_ends(kinks, (start, end), sorted(set(delays_s)), min(step_s, *delays_s))
    solution = DelayedSolution(past, start, end, kinks, ends)
    _march(solution, slope, delays_s)
    return solution


def _step_ends(
    kinks_s: tuple[float, ...], interval_s: tuple[float, float], delays_s: list[float], step_s: float
) -> list[float]:
    """Both ends of the interval, the kinks that return within it, and equal steps between."""
    start, end = interval_s
    returned, latest = set(), set(kinks_s)
    for _ in range(RETURNS):
        latest = {kink + delay for kink in latest for delay in delays_s if kink + delay < end}
        returned |= latest
    ends = [start]
    for instant in [*sorted(kink for kink in returned if kink > start), end]:
        last = ends[-1]
        if instant - last > SAME_INSTANT * (end - start):
            steps = math.ceil((instant - last) / step_s * (1 - 1e-12))
            ends += [last + (instant - last) * part / steps for part in range(1, steps)]
            ends.append(instant)
    ends[-1] = end
    return ends


def _march(solution: DelayedSolution, slope: Slope, delays_s: Sequence[float]) -> None:
    ends = solution._ends_s
    value = np.asarray(solution.past(solution.start_s), dtype=np.float64)

    distinct = list(dict.fromkeys(delays_s))

    def delayed(time_s: float) -> list[Floats]:
        found = {delay: solution(min(time_s - delay, known)) for delay in distinct}
        return [found[delay] for delay in delays_s]

    known = solution.start_s
    first = slope(known, value, delayed(known))
    for known, after in pairwise(ends):
        step = after - known
        halfway, at_end = delayed(known + step / 2), delayed(after)
        second = slope(known + step / 2, value + step / 2 * first, halfway)
        third = slope(known + step / 2, value + step / 2 * second, halfway)
        fourth = slope(after, value + step * third, at_end)
        later = value + step / 6 * (first + 2 * (second + third) + fourth)
        if not np.isfinite(later).all():
            raise ValueError(f"the solution grows beyond all numbers at {after} s")
        last = slope(after, later, at_end)
        solution._append(step, (value, later), (first, last))
        value, first = later, last
