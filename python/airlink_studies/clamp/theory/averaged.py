r"""When CLAMP settles if its access point averages the queue, and if its a follows a wait: flows of one delay.

The fluid of the paper charges for the queue itself. Its protocol charges for a mean of it over T, and steers by a
measured round trip, D = d + theta, with theta the wait in the queue. A small excess of the queue then has the roots of

.. math:: s (1 + s T) + \frac{b}{D} e^{-s d} = 0

For T well above d they are nearly those of T s^2 + (1 - b d/D) s + b/D: a swing with a period of
2 pi sqrt(D T / b) that only theta damps. So b = 1, far from pi/2, is near the edge where queues are short.

Where a moves by kappa for each second of missing wait, a' = -kappa q(t - theta):

.. math:: s^2 (1 + s T) + \frac{1}{D} e^{-s d} \big( b s + \kappa e^{-s \theta} (1 + s T) \big) = 0

Left out: that no price is below zero, which holds growing swings to a few tau; packets; unequal delays.
"""

from __future__ import annotations

import cmath
import math

from airlink_studies.clamp.theory.equilibrium import PAPER_B
from airlink_studies.clamp.theory.zero import zero

PAPER_AVERAGING_S = 0.5  # [Andrew08] sec. 4.1
LOOKS = 256  # at a turn of the loop, while crossings are looked for


def clamp_averaged_critical_b(
    delay_s: float, queueing_delay_s: float = 0.0, averaging_s: float = PAPER_AVERAGING_S
) -> float:
    r"""The b below which the queue settles where its mean is what costs.

    .. math:: b = \frac{D}{d} \frac{x}{\sin x}, \quad x \tan x = \frac{d}{T}, \quad D = d + \theta

    Parameters
    ----------
    delay_s : d, s, > 0: the round trip without the queue.
    queueing_delay_s : theta, s, >= 0, default 0: the wait in the queue, which measured round trips hold.
    averaging_s : T, time constant of the mean, s, >= 0, default 0.5.

    Returns
    -------
    float: pi/2 without averaging and wait, about 1 + d / (6 T) with much averaging.

    Raises
    ------
    ValueError : a value outside its range.

    References
    ----------
    Derived above; [Andrew08] eq. (5) is T = theta = 0.

    Examples
    --------
    Fig. 2 of the paper; without its averaging; and without its wait:

    >>> values = [(0.0048, 0.5), (0.0048, 0.0), (0.0, 0.5)]
    >>> [round(clamp_averaged_critical_b(0.05, theta, T), 3) for theta, T in values]
    [1.114, 1.722, 1.016]
    """
    _check(delay_s, queueing_delay_s, averaging_s)
    angle = math.pi / 2
    if averaging_s > 0:
        angle = zero(lambda x: x * math.sin(x) - delay_s / averaging_s * math.cos(x), 0.0, math.pi / 2)
    return (delay_s + queueing_delay_s) / delay_s * angle / math.sin(angle)


def clamp_delay_critical_speed(
    delay_s: float, target_s: float, averaging_s: float = PAPER_AVERAGING_S, b: float = PAPER_B
) -> float:
    r"""The speed kappa below which the queue settles where a follows a wait.

    .. math:: \kappa = \min_{\omega > 0} \Big\{ e^{j \omega \theta} \Big( D \omega^2 e^{j \omega d}
              - \frac{j b \omega}{1 + j \omega T} \Big) > 0 \Big\}, \quad \theta = W^*

    Parameters
    ----------
    delay_s : d, s, > 0: the round trip without the queue.
    target_s : the wait that is held, s, > 0.
    averaging_s : T, time constant of the mean, s, >= 0, default 0.5.
    b : reactivity, > 0, default 1.

    Returns
    -------
    float, 1/s; 0 where the queue would not settle with an a that stands still.

    Raises
    ------
    ValueError : a value outside its range.

    References
    ----------
    Derived above.

    Examples
    --------
    >>> [round(clamp_delay_critical_speed(delay, target_s=0.02), 3) for delay in (0.01, 0.05, 0.2)]
    [0.786, 0.323, 0.148]
    """
    _check(delay_s, target_s, averaging_s)
    if not target_s > 0 or not 0 < b < math.inf:
        raise ValueError(f"target_s {target_s} and b {b} must be above 0")
    if b >= clamp_averaged_critical_b(delay_s, target_s, averaging_s):
        return 0.0
    whole = delay_s + target_s

    def speed(omega: float) -> complex:
        lagged = 1j * b * omega / (1 + 1j * omega * averaging_s)
        return cmath.exp(1j * omega * target_s) * (whole * omega**2 * cmath.exp(1j * omega * delay_s) - lagged)

    best, low = math.inf, 0.0
    step = 1 / (LOOKS * max(whole, math.sqrt(whole * averaging_s)))
    # |kappa| is at least D omega^2 - b omega beyond there.
    while whole * low**2 - b * low < best:
        high = low + step
        if low and (speed(low).imag > 0) != (speed(high).imag > 0):
            at = speed(zero(lambda omega: speed(omega).imag, low, high)).real
            best = min(best, at) if at > 0 else best
        low = high
    return best


def _check(delay_s: float, queueing_delay_s: float, averaging_s: float) -> None:
    if not 0 < delay_s < math.inf:
        raise ValueError(f"delay_s is {delay_s}; it must be above 0")
    if not 0 <= queueing_delay_s < math.inf or not 0 <= averaging_s < math.inf:
        raise ValueError(f"the wait in the queue {queueing_delay_s} and averaging_s {averaging_s} must be at least 0")
