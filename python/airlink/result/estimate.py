"""A mean and the interval that holds it, from a few independent samples.

Student-t, so right for a handful of replicas as long as their mean is roughly normal. Left out: bootstrap,
correlated samples (batch means), correction for asking many questions of the same samples.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

USUAL_LEVEL = 0.95
REACH = (
    12.706204736174694,
    4.302652729749462,
    3.1824463052837078,
    2.7764451051977934,
    2.5705818356363146,
    2.4469118511449786,
    2.364624251592784,
    2.306004135204166,
    2.262157162798205,
    2.228138851986274,
    2.200985160091639,
    2.1788128296672284,
    2.1603686564627913,
    2.144786687917804,
    2.131449545559776,
    2.1199052992212546,
    2.1098155778333156,
    2.1009220402410382,
    2.0930240544083087,
    2.085963447265864,
    2.0796138447276795,
    2.0738730679040254,
    2.0686576104190486,
    2.0638985616280245,
    2.0595385527532972,
    2.0555294386428735,
    2.0518305164802846,
    2.0484071417952454,
    2.045229642132703,
    2.0422724563012378,
    2.039513446396408,
    2.0369333434601016,
    2.0345152974493383,
    2.0322445093177186,
    2.030107928250343,
    2.0280940009804502,
    2.0261924630291093,
    2.0243941639119694,
    2.022690920036761,
    2.021075390306273,
    2.019540970441376,
    2.0180817028184443,
    2.016692199227824,
    2.0153675744437636,
)
"""`t_quantile` at that level for 1, 2, ... degrees of freedom, to the last digit: a few dozen runs need no
scipy, whose import takes longer than reading them."""


@dataclass(frozen=True)
class Estimate:
    """A mean with its confidence interval.

    Attributes
    ----------
    mean : the estimate, in the unit of the samples.
    low, high : ends of the interval; infinite when one sample says nothing about the spread.
    n : number of samples.
    level : probability that an interval made this way holds the true mean, 0..1.
    """

    mean: float
    low: float
    high: float
    n: int
    level: float = 0.95

    @property
    def half_width(self) -> float:
        """Half of the interval's length."""
        return 0.0 if self.low == self.high else (self.high - self.low) / 2

    def __str__(self) -> str:
        if not math.isfinite(self.mean):
            return f"{self.mean:g}"
        if not math.isfinite(self.half_width):
            return f"{self.mean:.4g} +- ?"
        return f"{self.mean:.4g} +- {self.half_width:.2g}"

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from airlink.result.rounding import interval_text

        return f"{interval_text(self)} <small>({100 * self.level:g} % interval, {self.n} samples)</small>"


def mean_interval(samples: ArrayLike, level: float = 0.95) -> Estimate:
    r"""The mean of independent samples with its Student-t interval.

    .. math:: \bar x \pm t_{n-1,(1+level)/2} \; s / \sqrt n

    One sample gives an infinite interval. A sample of -inf (a user who got nothing, in a mean of logarithms)
    makes the mean -inf for sure: the interval is that point. NaN in, NaN out.

    Parameters
    ----------
    samples : array [n], n >= 1, any unit.
    level : 0 < level < 1, default 0.95.

    Returns
    -------
    Estimate, in the unit of the samples.

    Raises
    ------
    ValueError : no samples, or a level outside (0, 1).

    References
    ----------
    [Student08].

    Examples
    --------
    >>> print(mean_interval([1.0, 2.0, 3.0]))
    2 +- 2.5
    >>> mean_interval([1.0, float("-inf")]).high
    -inf
    """
    values = np.asarray(samples, dtype=float).ravel()
    if values.size == 0:
        raise ValueError("mean_interval needs at least one sample")
    if not 0 < level < 1:
        raise ValueError(f"level is {level}; it must lie between 0 and 1")
    with np.errstate(invalid="ignore"):
        mean = float(np.mean(values))
    if not math.isfinite(mean):
        return Estimate(mean, mean, mean, values.size, level)
    half = t_half_width(values, level)
    return Estimate(mean, mean - half, mean + half, values.size, level)


def prediction_interval(measured: Estimate, samples: int) -> Estimate:
    r"""Where the mean of so many new samples falls, given the mean and interval of the samples at hand.

    .. math:: \bar x \pm t_{n-1,(1+level)/2} \; s \, \sqrt{1/n + 1/m}

    It is the confidence interval, :math:`\sqrt{1 + n/m}` times as wide: exact for Student's interval of a mean, to
    first order for a ratio or a quantile, whose two halves are widened each by itself.

    Parameters
    ----------
    measured : estimate from n independent samples, with the interval of its level.
    samples : m >= 1, the number of new samples.

    Returns
    -------
    Estimate with the same mean, n and level; infinite where the confidence interval is.

    Raises
    ------
    ValueError : samples below 1.

    References
    ----------
    [Hahn91] ch. 4 (the mean of m future observations).

    Examples
    --------
    >>> print(prediction_interval(mean_interval([1.0, 2.0, 3.0]), 1))
    2 +- 5
    >>> print(prediction_interval(mean_interval([1.0, 2.0, 3.0]), 10**9))
    2 +- 2.5
    """
    if samples < 1:
        raise ValueError(f"samples is {samples}; it must be at least 1")
    if measured.low == measured.high:
        return measured
    wider = math.sqrt(1 + measured.n / samples)
    low = measured.mean - wider * (measured.mean - measured.low)
    high = measured.mean + wider * (measured.high - measured.mean)
    return Estimate(measured.mean, low, high, measured.n, measured.level)


def t_quantile(degrees_of_freedom: int, level: float) -> float:
    """How many standard errors the two-sided Student-t interval of that level reaches to each side.

    >>> round(t_quantile(10, 0.95), 3)
    2.228
    """
    if level == USUAL_LEVEL and 1 <= degrees_of_freedom <= len(REACH):
        return REACH[degrees_of_freedom - 1]
    # Loaded when first needed: it takes longer than a small run.
    from scipy.special import stdtrit

    return float(stdtrit(degrees_of_freedom, (1 + level) / 2))


def t_half_width(values: np.ndarray, level: float) -> float:
    """Half of the Student-t interval's length; infinite for one sample."""
    if values.size < 2:
        return math.inf
    spread = float(np.std(values, ddof=1))
    return t_quantile(values.size - 1, level) * spread / math.sqrt(values.size)
