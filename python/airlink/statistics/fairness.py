"""How evenly a total is shared: Jain's index, its parts, and the mean of logarithms.

Left out: windows of time, which `airlink.fairness` cuts.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def jain_index(shares: ArrayLike, axis: int = -1) -> Floats:
    r"""Jain's fairness index: 1 when all are equal, 1/n when one has everything.

    .. math:: J = (\sum x_i)^2 / (n \sum x_i^2)

    Parameters
    ----------
    shares : array [..., user], non-negative, any unit (usually goodput, b/s).
    axis : the axis of users, default the last.

    Returns
    -------
    array without that axis (0-d for one set of users), 1/n..1, dimensionless; NaN when nobody got anything.

    References
    ----------
    [Jain84] eq. (1).

    Examples
    --------
    >>> float(jain_index([1.0, 1.0, 1.0, 1.0]))
    1.0
    >>> float(jain_index([1.0, 0.0, 0.0, 0.0]))
    0.25
    """
    x = np.asarray(shares, dtype=float)
    square = np.sum(x * x, axis=axis) * x.shape[axis]
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.sum(x, axis=axis) ** 2 / square)


@dataclass(frozen=True)
class JainParts:
    """Jain's index and its two factors; arrays [set], or of one set numbers in arrays of none dimension.

    Attributes
    ----------
    whole, within, across : dimensionless, NaN when nobody got anything.
    members, groups : how many count, and in how many groups they are.
    """

    whole: Floats
    within: Floats
    across: Floats
    members: Ints
    groups: Ints


def jain_parts(shares: ArrayLike, groups: ArrayLike, sets: ArrayLike | None = None) -> JainParts:
    r"""Jain's index as the product of that within groups and that across them.

    .. math:: J = \underbrace{\frac{\sum_g n_g \bar x_g^2}{\sum_i x_i^2}}_{J_\text{within}} \;
        \underbrace{\frac{(\sum_i x_i)^2}{n \sum_g n_g \bar x_g^2}}_{J_\text{across}}

    with :math:`n_g` members of group g and their mean :math:`\bar x_g`. Across is the index that would be left if every
    group shared equally what it has; within is the mean of the groups' own indices, harmonic, weighted by :math:`n_g
    \bar x_g^2`. Both are 1 at most. Since :math:`1/J - 1` is the squared coefficient of variation, twice the
    generalised entropy of order 2, they are that measure's exact decomposition: :math:`1/J - 1 = (1/J_\text{across} -
    1) + (1/J_\text{within} - 1) / J_\text{across}`.

    Parameters
    ----------
    shares : array [member], non-negative, any unit; NaN is left out.
    groups : array [member], the number of its group.
    sets : array [member], 0, 1, ...: which of several sets it belongs to, each judged by itself; default all are one.

    Returns
    -------
    JainParts; each an array [set] if `sets` was given.

    References
    ----------
    [Jain84] eq. (1) and its relation to the coefficient of variation; [Shorrocks80], c = 2.

    Examples
    --------
    >>> parts = jain_parts([3.0, 1.0, 2.0], [0, 0, 1])
    >>> round(float(parts.whole), 4), round(float(parts.within), 4), float(parts.across)
    (0.8571, 0.8571, 1.0)
    """
    x, group = np.asarray(shares, dtype=float), np.unique(np.asarray(groups), return_inverse=True)[1]
    which = np.zeros(x.size, dtype=np.int64) if sets is None else np.asarray(sets, dtype=np.int64)
    size = int(which.max(initial=-1)) + 1 if sets is not None else 1
    known = ~np.isnan(x)
    x, group, which = x[known], group[known], which[known]
    keys, cell = np.unique(which * (int(group.max(initial=0)) + 1) + group, return_inverse=True)
    own = keys // (int(group.max(initial=0)) + 1)
    count, total = np.bincount(cell, minlength=keys.size), np.bincount(cell, weights=x, minlength=keys.size)
    members, sums = (np.bincount(own, weights=each, minlength=size) for each in (count, total))
    levelled = np.bincount(own, weights=total * total / np.maximum(count, 1), minlength=size)
    squares = np.bincount(which, weights=x * x, minlength=size)
    with np.errstate(invalid="ignore", divide="ignore"):
        parts = (sums**2 / (members * squares), levelled / squares, sums**2 / (members * levelled))
    counts = (members.astype(np.int64), np.bincount(own, minlength=size))
    return JainParts(*(np.asarray(each if sets is not None else each[0]) for each in (*parts, *counts)))


def mean_log_throughput(goodput_bps: ArrayLike, axis: int = -1) -> Floats:
    r"""The proportional-fairness measure: mean over users of log10 of goodput in kB/s.

    .. math:: F = \frac1M \sum_i \log_{10}(\Gamma_i / 8000)

    Parameters
    ----------
    goodput_bps : array [..., user], b/s, >= 0.
    axis : the axis of users, default the last.

    Returns
    -------
    array without that axis, in log10(kB/s); -inf when a user got nothing.

    References
    ----------
    [Klein04] eq. (21); the base of the logarithm is ours (10 fits the paper's numbers, e does not).

    Examples
    --------
    >>> float(mean_log_throughput([8000.0, 800000.0]))
    1.0
    """
    rates = np.asarray(goodput_bps, dtype=float) / 8000.0
    with np.errstate(divide="ignore"):
        return np.asarray(np.mean(np.log10(rates), axis=axis))
