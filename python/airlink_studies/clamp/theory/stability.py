r"""When the fluid of CLAMP settles while its flows' shares of the link stand still: roots of eqs (2), (9) and (12).

With shares s_i = mu_i / mu_c that do not change, what eq. (9) leaves of a small excess of the queue is

.. math:: \delta q' = -b \sum_i s_i g_i\, \delta q(t - d_i), \qquad
          F(s) = s + b \sum_i s_i g_i e^{-s d_i}, \qquad g_i = 1/d_i

and it dies out if all roots of F lie on the left. With equal delays that is b < pi/2. With unequal ones b < pi/2 is
enough, and more is allowed ([Bernard14] has it for any spread of delays). With theta_i = omega d_i, a root on the
imaginary axis asks for sum s_i cos(theta_i)/theta_i = 0 and sum s_i sin(theta_i)/theta_i = 1/b; the second is at most
2/pi where the first holds, because sin(theta) - (2/pi) cos(theta) <= (2/pi) theta for all theta > 0.

Left out: that shares move while the queue does (`theory.clocked` has that, and it changes the answer).
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from airlink_studies.clamp.theory.equilibrium import Gain, check_delays, gains_hz
from airlink_studies.clamp.theory.zero import zero

Floats = NDArray[np.float64]
Complexes = NDArray[np.complex128]

NODES, MOST_NODES = 64, 1000  # of the past in which roots are looked for, beside those that a fast root's turns take
STEPS_PER_TURN = 64  # of the fastest phase, while a crossing is looked for
NEWTON_STEPS = 30
HALLEY_STEPS = 50  # five do, except beside the point where two branches meet
SAME_ROOT = 1e-6  # relative


def clamp_roots(b: float, delay_s: float, count: int = 1) -> Complexes:
    r"""The rightmost roots of s + (b/d) e^{-sd}, in closed form.

    .. math:: s_n = W_n(-b) / d

    W is Lambert's function, n its branch; n = 0 is the rightmost and, with its conjugate n = -1, the one that crosses.

    Parameters
    ----------
    b : reactivity, > 0.
    delay_s : d, s, > 0.
    count : how many, from the right, conjugates left away, >= 1, default 1.

    Returns
    -------
    array [root], 1/s: the real part is how fast it grows, the imaginary part its angular frequency.

    Raises
    ------
    ValueError : a value outside its range.

    References
    ----------
    [Andrew08] eq. (5); [Corless96].

    Examples
    --------
    >>> root = clamp_roots(b=1.0, delay_s=0.05)[0]
    >>> print(f"{root:.3f}")  # settles within a few round trips
    -6.363+26.745j
    >>> print(f"{abs(clamp_roots(math.pi / 2, 0.05)[0].real):.6f}")
    0.000000
    """
    if not b > 0 or not delay_s > 0 or count < 1:
        raise ValueError(f"b {b} and delay_s {delay_s} must be above 0, count {count} at least 1")
    branches = np.arange(count)
    if b < 1 / math.e:  # two real roots in the place of the first pair
        branches = np.concatenate([[0, -1], branches[1:]])[:count]
    return np.array([_lambert(-b, int(branch)) for branch in branches], dtype=np.complex128) / delay_s


def _lambert(z: float, branch: int) -> complex:
    """Lambert's W ([Corless96]) of z < 0 on one branch, the w of w e^w = z, by Halley's method."""
    if branch in (0, -1) and z > -1:
        w = -1 + (1 if branch == 0 else -1) * cmath.sqrt(2 * (math.e * z + 1))  # about the point where both meet
    else:
        far = cmath.log(z) + 2j * math.pi * branch
        w = far - cmath.log(far)
    for _ in range(HALLEY_STEPS):
        error = w - z * cmath.exp(-w)
        slope = w + 1
        if error == 0 or slope == 0:
            break
        step = error / (slope - (w + 2) * error / (2 * slope))
        w -= step
        if abs(step) <= 1e-15 * abs(w):
            break
    return w


def clamp_critical_delay(b: float, gain_hz: float) -> float:
    r"""The delay from which one flow oscillates for ever, when its gain does not follow its delay.

    .. math:: d = \frac{\pi}{2 b g}

    With g = 1/d' of another delay d' this is the paper's pi d' / (2 b): how far an estimate of the delay may be off.

    Parameters
    ----------
    b : reactivity, > 0.
    gain_hz : g, 1/s, > 0.

    Returns
    -------
    float, s.

    Raises
    ------
    ValueError : a value outside its range.

    References
    ----------
    [Andrew08] proof of Theorem 1.

    Examples
    --------
    >>> round(clamp_critical_delay(b=1.0, gain_hz=20.0), 4)
    0.0785
    """
    if not b > 0 or not gain_hz > 0:
        raise ValueError(f"b {b} and gain_hz {gain_hz} must be above 0")
    return math.pi / (2 * b * gain_hz)


def clamp_critical_b(
    delays_s: tuple[float, ...], shares: tuple[float, ...] | None = None, gain_hz: Gain = None
) -> float:
    r"""The b below which the queue settles, shares held.

    .. math:: b = \min \Big\{ \frac{\omega}{\sum s_i g_i \sin \omega d_i} :
              \sum s_i g_i \cos \omega d_i = 0 \Big\}

    Parameters
    ----------
    delays_s : d_i, s, > 0.
    shares : s_i, each flow's share of the link, > 0, together 1; default equal ones.
    gain_hz : g_i, 1/s, > 0, one for all flows or one for each; default 1/d_i.

    Returns
    -------
    float: pi/2 for equal delays, never less with the gain 1/d_i.

    Raises
    ------
    ValueError : a value outside its range.

    References
    ----------
    [Andrew08] eqs (4), (9).

    Examples
    --------
    >>> round(clamp_critical_b((0.05, 0.05)), 4), round(clamp_critical_b((0.03, 0.13)), 4)
    (1.5708, 2.8349)
    >>> round(clamp_critical_b((0.03, 0.13), gain_hz=20.0), 4)
    1.7671
    """
    pulls = _pulls(delays_s, shares, gain_hz)
    delays = np.array(delays_s)

    def cosines(omega: float) -> float:
        return float(pulls @ np.cos(omega * delays))

    def sines(omega: float) -> float:
        return float(pulls @ np.sin(omega * delays))

    best, total = math.inf, float(pulls.sum())
    step = 2 * math.pi / max(delays_s) / STEPS_PER_TURN
    low = 0.0
    # A root at omega asks for b >= omega / sum(s_i g_i): beyond that none can be smaller than the best found.
    while low < best * total:
        for omega in _zeros(cosines, np.linspace(low, low + 64 * step, 65)):
            if sines(omega) > 0:
                best = min(best, omega / sines(omega))
        low += 64 * step
    return best


def clamp_rightmost_roots(
    b: float,
    delays_s: tuple[float, ...],
    shares: tuple[float, ...] | None = None,
    gain_hz: Gain = None,
    count: int = 1,
) -> Complexes:
    r"""The rightmost roots of F(s) = s + b sum s_i g_i e^{-s d_i}, by numbers.

    The past over the longest delay stands on Chebyshev nodes, whose operator has eigenvalues near the roots; Newton's
    method ends on them.

    Parameters
    ----------
    b : reactivity, > 0.
    delays_s, shares, gain_hz : as in `clamp_critical_b`.
    count : how many, from the right, conjugates left away, >= 1, default 1; trustworthy up to about 16.

    Returns
    -------
    array [root], 1/s, at most `count`.

    Raises
    ------
    ValueError : a value outside its range; delays so far apart, or a b so large, that 1000 nodes do not do.

    References
    ----------
    [Andrew08] eq. (9); [Breda05].

    Examples
    --------
    >>> print(f"{clamp_rightmost_roots(1.0, (0.03, 0.13))[0]:.3f}")
    -8.742+19.088j
    """
    if not b > 0 or count < 1:
        raise ValueError(f"b {b} must be above 0, count {count} at least 1")
    pulls, delays = b * _pulls(delays_s, shares, gain_hz), np.array(delays_s)
    found: list[complex] = []
    for guess in sorted(np.linalg.eigvals(_generator(pulls, delays)), key=lambda root: -root.real):
        root = _newton(complex(guess), pulls, delays)
        # The far left of the spectrum is the nodes' own.
        if root is not None and root.imag >= 0 and not any(abs(root - one) <= SAME_ROOT * abs(root) for one in found):
            found.append(root)
        if len(found) >= count + 2:
            break
    return np.array(sorted(found, key=lambda root: -root.real)[:count], dtype=np.complex128)


def _pulls(delays_s: tuple[float, ...], shares: tuple[float, ...] | None, gain_hz: Gain) -> Floats:
    """s_i g_i, 1/s."""
    check_delays(delays_s)
    held = shares if shares is not None else (1 / len(delays_s),) * len(delays_s)
    if len(held) != len(delays_s) or not all(share > 0 for share in held) or abs(sum(held) - 1) > 1e-9:
        raise ValueError(f"shares is {held}; it must have one above 0 for each delay, together 1")
    return np.array([share * gain for share, gain in zip(held, gains_hz(delays_s, gain_hz), strict=True)])


def _zeros(function: Callable[[float], float], grid: Floats) -> list[float]:
    values = [function(float(point)) for point in grid]
    brackets = [place for place in range(len(grid) - 1) if (values[place] > 0) != (values[place + 1] > 0)]
    return [zero(function, float(grid[place]), float(grid[place + 1])) for place in brackets]


def _generator(pulls: Floats, delays: Floats) -> Floats:
    """What moves the past along: derivative on the nodes, the equation at the present one. [Breda05]."""
    count = NODES + math.ceil(pulls.sum() * delays.max())  # a root on the right is no larger than the sum of the pulls
    if count > MOST_NODES:
        raise ValueError(f"delays_s is {delays.tolist()}; the longest is too far from the others for roots by numbers")
    angles = np.arange(count + 1) * math.pi / count
    nodes = delays.max() / 2 * (np.cos(angles) - 1)  # from the present, 0, back to the longest delay
    weights = np.where(np.arange(count + 1) % 2, -1.0, 1.0)
    weights[[0, -1]] /= 2
    gaps = nodes[:, None] - nodes[None, :] + np.eye(count + 1)
    matrix: Floats = weights[None, :] / weights[:, None] / gaps
    np.fill_diagonal(matrix, 0.0)
    np.fill_diagonal(matrix, -matrix.sum(axis=1))
    matrix[0] = -sum(pull * _read(-delay, nodes, weights) for pull, delay in zip(pulls, delays, strict=True))
    return matrix


def _read(place: float, nodes: Floats, weights: Floats) -> Floats:
    """Weights of the nodes in the value at `place`."""
    gaps = place - nodes
    nearest = int(np.argmin(np.abs(gaps)))
    if abs(gaps[nearest]) < 1e-14 * np.abs(nodes).max():
        return np.array(np.arange(len(nodes)) == nearest, dtype=np.float64)
    parts: Floats = weights / gaps
    parts /= parts.sum()
    return parts


def _newton(guess: complex, pulls: Floats, delays: Floats) -> complex | None:
    root = guess
    for _ in range(NEWTON_STEPS):
        waves = pulls * np.exp(-root * delays)
        change = (root + waves.sum()) / (1 - (waves * delays).sum())
        root -= complex(change)
        if abs(change) <= 1e-13 * abs(root):
            return root if abs(root - guess) <= 0.05 * abs(guess) else None
    return None
