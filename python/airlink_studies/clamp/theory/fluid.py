r"""The fluid of CLAMP over time: eqs (1) to (12), with a queue that may empty and flows that come and go.

.. math:: \frac{dw_i}{dt} = g_i \big(\tau - p(q)\, \mu_i\big), \quad p(q) = \frac{b q - a}{\mu_c}

The receiver steers w_i; the queue feels it d_i later. The paper leaves open which rate a flow has while windows move.
Here a window stands for a round trip of its flow's rate, on the wires and in the queue, and a queue is there if the
windows more than fill the wires:

.. math:: \mu_i(t) = \frac{w_i(t - d_i)}{d_i + q(t)/\mu_c}, \qquad
          \sum_i \mu_i = \mu_c \;\text{ or }\; q = 0 \text{ and } \sum_i \mu_i < \mu_c

For one flow that is q = max(w - mu_c d, 0), eq. (1), whose slope is eq. (2); for equal delays the slope is eq. (12).

Left out: packets and estimators; the round trip that it takes until a new window is a new rate
(`theory.clocked`); what a flow that left still has in the queue, which goes with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from airlink.models import DelayedSolution, integrate_delayed
from airlink_studies.clamp.theory.equilibrium import ClampFlows
from airlink_studies.clamp.theory.start import ClampStart, ClampTrajectory, Floats, rising

STEPS_PER_DELAY = 10  # default, of the smallest delay
SETTLED = 1e-13  # relative change of a queue that Newton's method takes for none


def clamp_trajectory(
    flows: ClampFlows,
    start: ClampStart,
    times_s: ArrayLike,
    step_s: float | None = None,
    floored_price: bool = False,
) -> ClampTrajectory:
    """Windows, rates and queue over time.

    Parameters
    ----------
    flows : the flows that are there at any time.
    start : which are there when, and their first windows. Time 0 is where windows begin to move; before, those of
        flows that are there stand still.
    times_s : instants to report, s, rising, >= 0.
    step_s : longest step, s, > 0; default a tenth of the smallest delay.
    floored_price : whether a price is never below zero, as in eq. (13); default False, eq. (7).

    Returns
    -------
    ClampTrajectory

    Raises
    ------
    ValueError : a value outside its range.

    References
    ----------
    [Andrew08] eqs (1), (2), (6) to (12).

    Examples
    --------
    A second flow joins one that has settled, and both get half:

    >>> flows = ClampFlows((0.05, 0.05), rate_bps=10e6)
    >>> start = ClampStart((68_500.0, 0.0), stays_s=((-1.0, 99.0), (0.0, 99.0)))
    >>> course = clamp_trajectory(flows, start, [0.0, 30.0])
    >>> print(course.queue_bytes.round(), (course.rates_bps[-1] / 1e6).round(2))
    [6000. 6500.] [5. 5.]
    """
    times = rising(times_s)
    if len(start.windows_bytes) != len(flows.delays_s):
        raise ValueError(f"start has {len(start.windows_bytes)} windows for {len(flows.delays_s)} flows")
    step = min(flows.delays_s) / STEPS_PER_DELAY if step_s is None else step_s
    phases: list[_Phase] = []
    past: DelayedSolution | _Still = _Still(np.array(start.windows_bytes, dtype=np.float64))
    edges = _edges(flows, start, float(times[-1]))
    for begin, end in pairwise(edges):
        phase = _Phase(flows, start.stays, (begin, end), floored_price)
        past = integrate_delayed(phase.slope, past, (begin, end), flows.delays_s, step)
        phases.append(phase)
    return _report(flows, phases, past, times)


def clamp_queue(flows: ClampFlows, queue_bytes: float, until_s: float, step_s: float | None = None) -> DelayedSolution:
    r"""The queue alone, shares held equal and as if it could not empty: eqs (2), (9) and (12) to the letter.

    .. math:: \frac{dq}{dt} = \sum_i g_i \Big[\tau - \frac{b q(t - d_i) - a}{k}\Big]

    Parameters
    ----------
    flows : the k flows.
    queue_bytes : q up to time 0, bytes.
    until_s : where to end, s, > 0.
    step_s : longest step, s, > 0; default a tenth of the smallest delay.

    Returns
    -------
    DelayedSolution : q(t), array [1].

    Raises
    ------
    ValueError : a value outside its range.

    References
    ----------
    [Andrew08] eqs (2), (9), (12).

    Examples
    --------
    Linear on the first delay, from 0 towards 6000 bytes:

    >>> queue = clamp_queue(ClampFlows((0.05,), rate_bps=10e6), 0.0, until_s=1.0)
    >>> [round(float(queue(t)[0]), 6) for t in (0.025, 0.05, 0.1)]
    [3000.0, 6000.0, 9000.0]
    """
    shares = len(flows.delays_s)

    def slope(time_s: float, queue: Floats, late: list[Floats]) -> Floats:
        del time_s, queue
        moves = [
            gain * (flows.tau_bytes - (flows.b * then - flows.a_bytes) / shares)
            for gain, then in zip(flows.gains_hz, late, strict=True)
        ]
        return np.asarray(sum(moves))

    step = min(flows.delays_s) / STEPS_PER_DELAY if step_s is None else step_s
    return integrate_delayed(slope, _Still(np.array([queue_bytes])), (0.0, until_s), flows.delays_s, step)


def clamp_queue_bytes(windows_bytes: Sequence[float] | Floats, delays_s: Sequence[float], rate_bps: float) -> float:
    r"""The queue that windows leave behind: q with sum of w_i / (d_i + q/mu_c) = mu_c, 0 if they do not fill the wires.

    Parameters
    ----------
    windows_bytes : w_i, bytes, >= 0.
    delays_s : d_i, s, > 0.
    rate_bps : service rate, b/s, > 0.

    Returns
    -------
    float, bytes.

    Examples
    --------
    >>> [round(clamp_queue_bytes([window], [0.05], 10e6), 6) for window in (68_500.0, 40_000.0)]
    [6000.0, 0.0]
    """
    rate = rate_bps / 8
    pairs = [(float(window) / rate, delay) for window, delay in zip(windows_bytes, delays_s, strict=True)]
    if not pairs:
        return 0.0
    # From the left of a falling, convex function Newton's steps never overshoot; with equal delays the first one ends.
    waiting = max(0.0, sum(window for window, _ in pairs) - max(delays_s))
    while True:
        excess = sum(window / (delay + waiting) for window, delay in pairs) - 1
        if excess <= 0:
            break
        change = excess / sum(window / (delay + waiting) ** 2 for window, delay in pairs)
        waiting += change
        if change <= SETTLED * waiting:
            break
    return rate * waiting


@dataclass(frozen=True)
class _Still:
    """Before anything moved."""

    value: Floats

    def __call__(self, time_s: float) -> Floats:
        del time_s
        return self.value


class _Phase:
    """A time in which no flow comes or goes, neither at the receiver nor, a delay later, at the queue."""

    def __init__(
        self,
        flows: ClampFlows,
        stays: tuple[tuple[float, float], ...],
        interval_s: tuple[float, float],
        floored_price: bool,
    ) -> None:
        inside = sum(interval_s) / 2
        self.flows, self.end_s, self.floored_price = flows, interval_s[1], floored_price
        self.steered = [start <= inside < end for start, end in stays]
        self.present = [
            flow
            for flow, (delay, (start, end)) in enumerate(zip(flows.delays_s, stays, strict=True))
            if start <= inside - delay < end
        ]

    def queue_and_rates(self, late: list[Floats]) -> tuple[float, list[float]]:
        """q, bytes, and each flow's rate, bytes/s, from what windows were a delay ago."""
        flows = self.flows
        windows = [max(float(late[flow][flow]), 0.0) for flow in self.present]
        queue = clamp_queue_bytes(windows, [flows.delays_s[flow] for flow in self.present], flows.rate_bps)
        rates = [0.0] * len(flows.delays_s)
        for flow, window in zip(self.present, windows, strict=True):
            rates[flow] = window / (flows.delays_s[flow] + queue / flows.rate_bytes)
        return queue, rates

    def slope(self, time_s: float, windows: Floats, late: list[Floats]) -> Floats:
        """Eq. (6); a window does not fall below zero."""
        del time_s
        queue, rates = self.queue_and_rates(late)
        price = self.flows.price_s(queue)
        price = max(price, 0.0) if self.floored_price else price
        moves = [
            gain * (self.flows.tau_bytes - price * rate) if steered else 0.0
            for gain, rate, steered in zip(self.flows.gains_hz, rates, self.steered, strict=True)
        ]
        return np.array([move if window > 0 else max(move, 0.0) for move, window in zip(moves, windows, strict=True)])


def _edges(flows: ClampFlows, start: ClampStart, until_s: float) -> list[float]:
    """Where phases begin and end, s."""
    edges = {0.0, until_s}
    for delay, stay in zip(flows.delays_s, start.stays, strict=True):
        edges |= {instant for edge in stay for instant in (edge, edge + delay) if 0 < instant < until_s}
    return sorted(edges)


def _report(
    flows: ClampFlows, phases: list[_Phase], windows: DelayedSolution | _Still, times: Floats
) -> ClampTrajectory:
    phase, found = 0, []
    for time in times:
        while time >= phases[phase].end_s and phase < len(phases) - 1:
            phase += 1
        late = [windows(float(time) - delay) for delay in flows.delays_s]
        found.append((*phases[phase].queue_and_rates(late), windows(float(time)) * phases[phase].steered))
    return ClampTrajectory(
        times_s=times,
        queue_bytes=np.array([queue for queue, _, _ in found]),
        windows_bytes=np.array([window for _, _, window in found]),
        rates_bps=8 * np.array([rates for _, rates, _ in found]),
    )
