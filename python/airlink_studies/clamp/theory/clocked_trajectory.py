r"""The fluid of CLAMP over time, its flows clocked by their ACKs: bytes are counted, none is lost or made.

A_i(t) bytes of flow i have reached the queue and D_i(t) have left it:

.. math:: A_i(t) = \max_{s \le t} \big[ D_i(s - d_i) + w_i(s - d_i) \big], \qquad
          D(t) = \min_{s \le t} \big[ A(s) + \mu_c (t - s) \big], \qquad
          D_i(t) = A_i(u), \; A(u) = D(t)

A sender sends what its window allows and takes nothing back; the queue serves at mu_c in order of arrival. The receiver
moves its window by eq. (6), :math:`w_i' = g_i (\tau - p(q)\, D_i')`. Unlike `theory.fluid` this needs no
word on which rate a flow has; the two agree where delays are equal and the queue does not empty, and where everything
moves slowly.

Counts stand on a grid, straight lines between: second order.

Left out: packets and estimators.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from airlink_studies.clamp.theory.equilibrium import ClampFlows
from airlink_studies.clamp.theory.fluid import clamp_queue_bytes
from airlink_studies.clamp.theory.start import ClampStart, ClampTrajectory, Floats, rising

STEPS_PER_DELAY = 50  # default, of the smallest delay


def clamp_clocked_trajectory(
    flows: ClampFlows,
    start: ClampStart,
    times_s: ArrayLike,
    step_s: float | None = None,
    floored_price: bool = False,
) -> ClampTrajectory:
    """Windows, rates and queue over time, to the byte.

    Parameters
    ----------
    flows, start, times_s, floored_price : as in `theory.clamp_trajectory`. A flow that begins sends its first
        window at once; one that ends leaves in the queue what it has there.
    step_s : step of the grid, s, > 0, at most the smallest delay; default a fiftieth of it.

    Returns
    -------
    ClampTrajectory : rates are those of departures, over the last step.

    Raises
    ------
    ValueError : a value outside its range.

    References
    ----------
    [Andrew08] eqs (6), (7); [Tang10] for the clock.

    Examples
    --------
    Delays of 30 and 130 ms swing with b = 1.2, below pi/2, and settle with 0.8; q* is 5417 and 8125 bytes:

    >>> for b in (1.2, 0.8):
    ...     flows = ClampFlows((0.03, 0.13), rate_bps=10e6, b=b)
    ...     course = clamp_clocked_trajectory(flows, ClampStart((22_000.0, 85_000.0)), [10.0, 10.03, 10.06, 10.09])
    ...     print(course.queue_bytes.round())
    [ 9813. 11888.  7273.  1557.]
    [8124. 8124. 8124. 8124.]
    """
    times = rising(times_s)
    if len(start.windows_bytes) != len(flows.delays_s):
        raise ValueError(f"start has {len(start.windows_bytes)} windows for {len(flows.delays_s)} flows")
    step = min(flows.delays_s) / STEPS_PER_DELAY if step_s is None else step_s
    if not 0 < step <= min(flows.delays_s):
        raise ValueError(f"step_s is {step}; it must be above 0 and at most the smallest delay")
    counts = _Counts(flows, start, step)
    while counts.now_s < times[-1]:
        counts.advance(floored_price)
    return counts.report(times)


class _Counts:
    """The queue on the grid, from far enough before time 0."""

    def __init__(self, flows: ClampFlows, start: ClampStart, step_s: float) -> None:
        self.flows, self.step_s = flows, step_s
        windows = [
            window if begin < 0 else 0.0 for window, (begin, _) in zip(start.windows_bytes, start.stays, strict=True)
        ]
        queue = clamp_queue_bytes(windows, flows.delays_s, flows.rate_bps)
        wait = queue / flows.rate_bytes
        self.origin = math.ceil((max(flows.delays_s) + wait) / step_s) + 2
        past = [(place - self.origin) * step_s for place in range(self.origin + 1)]
        self.each = [
            _Flow(flows, flow, start, [window / (flows.delays_s[flow] + wait), window], past)
            for flow, window in enumerate(windows)
        ]
        self.arrived = [sum(column) for column in zip(*(flow.arrivals for flow in self.each), strict=True)]
        self.departed = sum(flow.departures[-1] for flow in self.each)
        self.queue = [queue] * len(past)
        self.served = 0  # the step of the past in which arrived what now departs

    @property
    def now_s(self) -> float:
        """Time of the last place on the grid, s."""
        return (len(self.queue) - 1 - self.origin) * self.step_s

    def advance(self, floored_price: bool) -> None:
        """One step."""
        for flow in self.each:
            flow.arrive(self.step_s)
        self.arrived.append(sum(flow.arrivals[-1] for flow in self.each))
        self.departed = min(self.arrived[-1], self.departed + self.flows.rate_bytes * self.step_s)
        while self.arrived[self.served + 1] < self.departed:
            self.served += 1
        joined = self.arrived[self.served + 1] - self.arrived[self.served]
        part = (self.departed - self.arrived[self.served]) / joined if joined > 0 else 1.0
        self.queue.append(self.arrived[-1] - self.departed)
        price = self.flows.price_s((self.queue[-1] + self.queue[-2]) / 2)
        for flow in self.each:
            flow.depart(self.served, part)
            flow.steer(max(price, 0.0) if floored_price else price, self.now_s, self.step_s)

    def report(self, times_s: Floats) -> ClampTrajectory:
        """What was asked for, from between the places of the grid."""
        grid = (np.arange(len(self.queue)) - self.origin) * self.step_s

        def at_times(columns: list[list[float]], times: Floats) -> Floats:
            return np.array([np.interp(times, grid, column) for column in columns]).T

        departures = [flow.departures for flow in self.each]
        left = at_times(departures, times_s) - at_times(departures, times_s - self.step_s)
        return ClampTrajectory(
            times_s=times_s,
            queue_bytes=np.interp(times_s, grid, self.queue),
            windows_bytes=at_times([flow.windows for flow in self.each], times_s),
            rates_bps=8 * left / self.step_s,
        )


class _Flow:
    """What one flow may send, has in the queue and has received, on the grid."""

    def __init__(
        self, flows: ClampFlows, index: int, start: ClampStart, rate_and_window: list[float], past_s: list[float]
    ) -> None:
        rate, window = rate_and_window
        self.delay_s, self.gain_hz, self.tau_bytes = flows.delays_s[index], flows.gains_hz[index], flows.tau_bytes
        self.begin_s, self.end_s = start.stays[index]
        self.first_window = start.windows_bytes[index]
        self.windows = [window] * len(past_s)
        self.departures = [rate * time for time in past_s]
        self.arrivals = [rate * (time - self.delay_s) + window for time in past_s]
        self.allowed = [left + window for left in self.departures]

    def arrive(self, step_s: float) -> None:
        """What was allowed a delay ago; what is on its way comes, even if less is allowed now."""
        whole, part = divmod(self.delay_s / step_s + 1e-9, 1)
        later = len(self.arrivals) - int(whole)
        allowed = self.allowed[later] + max(part - 1e-9, 0.0) * (self.allowed[later - 1] - self.allowed[later])
        self.arrivals.append(max(self.arrivals[-1], allowed))

    def depart(self, served: int, part: float) -> None:
        """What joined the queue when that did which now departs."""
        self.departures.append(self.arrivals[served] + part * (self.arrivals[served + 1] - self.arrivals[served]))

    def steer(self, price_s: float, now_s: float, step_s: float) -> None:
        """Eq. (6) over the step; a window does not fall below zero, and one whose flow is not there is none."""
        if not self.begin_s <= now_s < self.end_s:
            self.windows.append(0.0)
            self.allowed.append(self.allowed[-1])
            return
        paid = price_s * (self.departures[-1] - self.departures[-2])
        moved = self.windows[-1] + self.gain_hz * (self.tau_bytes * step_s - paid)
        self.windows.append(max(moved, 0.0) if now_s - step_s >= self.begin_s else self.first_window)
        self.allowed.append(self.departures[-1] + self.windows[-1])
