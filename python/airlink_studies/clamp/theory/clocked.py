r"""When the fluid of CLAMP settles if its flows are clocked by their ACKs: unequal delays, moving shares.

A byte that leaves the queue lets the sender put the next one in d_i later, and a change of the window one more or less.
So each flow's past comes round again, and its share of the output is what its share of the input was when that joined
the queue. For arrivals x_i and departures mu_i, with theta = q*/mu_c the wait in the queue:

.. math:: x_i(t) = \mu_i(t - d_i) + w_i'(t - d_i), \quad
          \mu_i(t) = \mu_c \frac{x_i(t - \theta)}{\sum_j x_j(t - \theta)}, \quad q' = \sum_i x_i - \mu_c

With w_i' of eq. (6), a small disturbance of the equilibrium is a sum of e^{st} whose s are the roots of

.. math:: \sum_i \frac{s + b\, g_i e^{-s d_i}}{1 - \gamma_i\, e^{-s (d_i + \theta)}} = 0, \qquad
          \gamma_i = 1 - \frac{k \tau}{\mu_c} g_i

Derived here: put delta q = Q e^{st} in and the delta mu_i, whose sum is nothing, as shares add up to one. With equal
delays the numerator is left, and b < pi/2 is the answer again. Unequal delays can be unstable far below it: eq. (8)
takes it that the rates of all flows add up to mu_c also when each is seen at a time of its own, t - d_i; they do not.

Left out: packets, estimators, queues that empty (`theory.clocked_trajectory` has those).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from airlink_studies.clamp.theory.equilibrium import ClampFlows, clamp_equilibrium
from airlink_studies.clamp.theory.zero import zero

Floats = NDArray[np.float64]

NEAR = np.geomspace(1 / 8, 1e9, 700)  # distances from a resonance in its own width at which the loop is looked at
EVEN = 129  # looks at a whole turn beside
BAND = 64  # resonances of the longest round trip at a time


def clamp_clocked_critical_b(flows: ClampFlows, queueing_delay_s: float | None = None) -> float:
    r"""The b below which the queue settles, shares moving with the ACKs.

    .. math:: b = \min_{\omega > 0} \Big\{ \frac{-j \omega A(\omega)}{B(\omega)} > 0 \Big\}, \quad
              A = \sum_i \frac{1}{1 - \gamma_i e^{-j \omega (d_i + \theta)}}, \quad
              B = \sum_i \frac{g_i e^{-j \omega d_i}}{1 - \gamma_i e^{-j \omega (d_i + \theta)}}

    For small b every root lies on the left, and none comes from infinity, so this is the first to cross.

    Parameters
    ----------
    flows : delays, gains, rate and tau; k tau g_i must stay below 2 mu_c, or shares never settle. a and b are asked
        for the equilibrium's wait alone.
    queueing_delay_s : theta, s, >= 0; default that of the flows' equilibrium. It is held while b is looked for.

    Returns
    -------
    float: pi/2 for equal delays and the gain 1/d.

    Raises
    ------
    ValueError : a value outside its range.

    References
    ----------
    Derived above; [Tang10] for the clock.

    Examples
    --------
    >>> for delays in ((0.05, 0.05), (0.05, 0.1), (0.03, 0.13)):
    ...     print(f"{clamp_clocked_critical_b(ClampFlows(delays, rate_bps=10e6)):.3f}")
    1.571
    1.477
    1.084
    """
    theta = clamp_equilibrium(flows).queueing_delay_s if queueing_delay_s is None else queueing_delay_s
    if not 0 <= theta < math.inf:
        raise ValueError(f"queueing_delay_s is {theta}; it must be at least 0")
    loop = _Loop(flows, theta)
    best = math.inf
    width = BAND * 2 * math.pi / float(loop.round_trips.max())
    low = 0.0
    # No smaller b can cross from there on: |A| >= k/2, |B| <= sum of g_i / (1 - |gamma_i|).
    loudest = float((loop.gains / np.minimum(loop.spent, 2 - loop.spent)).sum())
    while low * len(loop.gains) / 2 < best * loudest:
        best = min(best, loop.least_crossing(loop.frequencies(low, low + width)))
        low += width
    return best


class _Loop:
    """A and B of the flows."""

    def __init__(self, flows: ClampFlows, theta_s: float) -> None:
        self.delays, self.gains = np.array(flows.delays_s), np.array(flows.gains_hz)
        self.round_trips = self.delays + theta_s
        self.spent = len(flows.delays_s) * flows.tau_bytes / flows.rate_bytes * self.gains  # 1 - gamma_i
        if not (self.spent < 2).all():
            raise ValueError(
                f"rate_bps is {flows.rate_bps}; in bytes/s it must be above k tau g / 2 of every flow, "
                "or shares never settle"
            )

    def frequencies(self, low: float, high: float) -> Floats:
        """Angular frequencies that follow every turn of A and B, 1/s, rising: dense where a flow is in resonance."""
        found = [np.array([high])] + ([np.array([low])] if low else [])
        for round_trip, spent in zip(self.round_trips, self.spent, strict=True):
            apart = spent * NEAR[spent * NEAR < math.pi]
            around = np.linspace(-math.pi, math.pi, EVEN)  # beyond resonance, and where gamma is negative
            apart = np.concatenate([-apart, [0.0], apart, around])
            turns = np.arange(
                math.floor(low * round_trip / 2 / math.pi), math.ceil(high * round_trip / 2 / math.pi) + 1
            )
            found.append((np.add.outer(2 * math.pi * turns, apart) / round_trip).ravel())
        omegas = np.unique(np.concatenate(found))
        return omegas[(omegas > 0) & (omegas >= low) & (omegas <= high)]

    def angle(self, omegas: Floats) -> tuple[Floats, Floats]:
        """Real part of A times B's conjugate, and the real part of the b that -j omega A / B is."""
        clocked = 1 / (1 - (1 - self.spent) * np.exp(-1j * np.multiply.outer(omegas, self.round_trips)))
        pull = (clocked * np.exp(-1j * np.multiply.outer(omegas, self.delays))) @ self.gains
        product = clocked.sum(axis=-1) * pull.conj()
        return product.real, omegas * product.imag / np.abs(pull) ** 2

    def least_crossing(self, omegas: Floats) -> float:
        """The smallest b > 0 for which a root stands between these frequencies, inf if none does."""
        across, reached = self.angle(omegas)
        places = np.flatnonzero(((across[1:] > 0) != (across[:-1] > 0)) & (np.maximum(reached[1:], reached[:-1]) > 0))
        found = math.inf
        for place in places:
            if min(reached[place], reached[place + 1]) < found:
                omega = zero(lambda at: float(self.angle(np.array([at]))[0][0]), omegas[place], omegas[place + 1])
                b = float(self.angle(np.array([omega]))[1][0])
                found = min(found, b) if b > 0 else found
        return found
