"""A mean made sharper by quantities of the same runs whose true means are known.

Where offered load happens to be high, delay is too; what is known of the load corrects the delay [Lavenberg81]. Left
out: controls whose mean is itself estimated, and the choice among many controls.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from airlink.result.estimate import Estimate, t_quantile

from .intervals import replica_mean

Floats = NDArray[np.float64]

SPARE = 10
"""Degrees of freedom that must remain."""


@dataclass(frozen=True)
class Controlled:
    """A mean with controls beside the plain one.

    Attributes
    ----------
    estimate : with controls.
    plain : without.
    used : which controls were of use, by their place; the others are constant or follow from those before.
    """

    estimate: Estimate
    plain: Estimate
    used: tuple[int, ...]

    @property
    def width_ratio(self) -> float:
        """Half width with controls over that without; NaN if the plain one is 0."""
        return self.estimate.half_width / self.plain.half_width if self.plain.half_width else math.nan

    @property
    def worth(self) -> float:
        """How many replicas without controls would be as sharp: n over the squared ratio of widths."""
        return self.plain.n / self.width_ratio**2 if self.width_ratio else math.inf


def control_variates(values: ArrayLike, controls: ArrayLike, known_means: ArrayLike, level: float = 0.95) -> Controlled:
    r"""The mean over replicas, corrected by controls with known means.

    .. math:: y_i = \mu + \beta^T (c_i - \mu_c) + e_i

    The intercept of this regression is the estimate; its Student-t interval has n - q - 1 degrees of freedom, exact if
    values and controls are jointly normal.

    Parameters
    ----------
    values : array [replica], any unit; NaN: this replica is left out. With an infinite one no control is of use.
    controls : array [replica, control] (or [replica] for one).
    known_means : array [control], the true means, in the unit of each control.
    level : 0 < level < 1, default 0.95.

    Returns
    -------
    Controlled.

    Raises
    ------
    ValueError : lengths differ, a mean is not finite, or fewer than q + 11 replicas for q controls.

    References
    ----------
    [Lavenberg81]; [Nelson90].

    Examples
    --------
    >>> load = np.array([9.0, 11.0, 10.5, 9.5] * 4)
    >>> noise = np.array([0.1, 0.1, -0.1, -0.1] * 4)
    >>> found = control_variates(2 * load + noise, load, [10.0])
    >>> print(found.estimate, "plain", found.plain)
    20 +- 0.057 plain 20 +- 0.87
    """
    y, c, known_means = _checked(values, controls, known_means)
    plain = replica_mean(y, level)
    used = _independent(c) if np.isfinite(y).all() else []
    if not used:
        return Controlled(plain, plain, ())
    spare = y.size - len(used) - 1
    if spare < SPARE:
        raise ValueError(f"{len(used)} controls need at least {len(used) + 1 + SPARE} replicas; there are {y.size}")
    design = np.column_stack([np.ones(y.size), (c - known_means)[:, used]])
    triangle = np.linalg.qr(design)
    slopes = np.linalg.solve(triangle.R, triangle.Q.T @ y)
    residual = y - design @ slopes
    inverse = np.linalg.solve(triangle.R.T, np.eye(len(used) + 1)[0])
    error = math.sqrt(float(residual @ residual) / spare * float(inverse @ inverse))
    half = t_quantile(spare, level) * error
    mean = float(slopes[0])
    return Controlled(Estimate(mean, mean - half, mean + half, y.size, level), plain, tuple(used))


def _checked(values: ArrayLike, controls: ArrayLike, known_means: ArrayLike) -> tuple[Floats, Floats, Floats]:
    y, c = np.asarray(values, dtype=float).ravel(), np.asarray(controls, dtype=float)
    c = c[:, None] if c.ndim == 1 else c
    means = np.asarray(known_means, dtype=float).ravel()
    if c.ndim != 2 or c.shape != (y.size, means.size):
        raise ValueError(f"{y.size} values and {means.size} known means do not fit controls of shape {c.shape}")
    if not np.isfinite(means).all():
        raise ValueError(f"known means must be finite; they are {means.tolist()}")
    kept = ~np.isnan(y) & np.isfinite(c).all(axis=1)
    return y[kept], c[kept], means


def _independent(controls: Floats) -> list[int]:
    """Controls that vary and do not follow from those before."""
    used: list[int] = []
    basis = np.empty((controls.shape[0], 0))
    for place, column in enumerate(controls.T):
        centred = column - column.mean()
        rest = centred - basis @ (basis.T @ centred)
        size = float(np.linalg.norm(rest))
        if size > 1e-9 * (float(np.linalg.norm(centred)) + abs(float(column.mean())) * 1e-3) and size > 0:
            used.append(place)
            basis = np.column_stack([basis, rest / size])
    return used
