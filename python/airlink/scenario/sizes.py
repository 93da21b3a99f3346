"""How large files and pages are: laws of size in bytes, each with its mean as a closed form.

What is drawn is rounded up to whole bytes, at least 1. Leaves out sizes that depend on one another or on time.
"""

from __future__ import annotations

import math
from typing import Annotated, Literal

from .fields import Number, Section, about

SIZE = Number(at_least=1, at_most=10**15)


class ConstantSize(Section):
    """All of one size.

    >>> ConstantSize(bytes=500_000).mean_bytes
    500000.0
    """

    kind: Annotated[Literal["constant"], about("All of one size")] = "constant"
    bytes: Annotated[int, Number(at_least=1, at_most=10**15, whole=True), about("The size, payload only", "bytes")]

    @property
    def mean_bytes(self) -> float:
        """The mean."""
        return float(self.bytes)


class ExponentialSize(Section):
    """Exponential sizes: P(size > x) = exp(-x / mean)."""

    kind: Annotated[Literal["exponential"], about("Exponential sizes")] = "exponential"
    mean_bytes: Annotated[float, SIZE, about("The mean, before sizes are rounded up", "bytes")]


class LognormalSize(Section):
    """Sizes whose natural logarithm is normal: median x exp(sigma z) with z standard normal.

    Their mean is median x exp(sigma^2 / 2).

    >>> round(LognormalSize(median_bytes=20_000, sigma=1).mean_bytes)
    32974
    """

    kind: Annotated[Literal["lognormal"], about("Lognormal sizes")] = "lognormal"
    median_bytes: Annotated[float, SIZE, about("Half of the sizes are smaller", "bytes")]
    sigma: Annotated[
        float, Number(at_least=0, at_most=10), about("Standard deviation of the natural logarithm of the size")
    ]

    @property
    def mean_bytes(self) -> float:
        """The mean, before sizes are rounded up."""
        return self.median_bytes * math.exp(self.sigma**2 / 2)


class ParetoSize(Section):
    """Sizes of a Pareto law cut off at both ends: P(size > x) = ((L/x)^a - (L/H)^a) / (1 - (L/H)^a) from L to H.

    Their mean is a L^a / (1 - (L/H)^a) x (H^(1-a) - L^(1-a)) / (1 - a), at a = 1 it is L H / (H - L) x ln(H/L). Sizes
    beyond H are left out of the law, not set to H.

    >>> round(ParetoSize(shape=1, min_bytes=10, max_bytes=1000).mean_bytes, 3)
    46.517
    """

    kind: Annotated[Literal["pareto"], about("Sizes of a bounded Pareto law")] = "pareto"
    shape: Annotated[
        float, Number(at_least=1e-3, at_most=1e3), about("a: the smaller, the more of all bytes is in few files")
    ]
    min_bytes: Annotated[float, SIZE, about("L, the smallest size", "bytes")]
    max_bytes: Annotated[float, SIZE, about("H, the largest size; above `min_bytes`", "bytes")]

    @property
    def mean_bytes(self) -> float:
        """The mean, before sizes are rounded up."""
        if self.max_bytes <= self.min_bytes:
            return self.min_bytes
        octaves = math.log1p((self.max_bytes - self.min_bytes) / self.min_bytes)
        rising, falling = (1 - self.shape) * octaves, self.shape * octaves
        growth = math.expm1(rising) / rising if rising != 0 else 1.0
        return self.min_bytes * growth * falling / -math.expm1(-falling)


class TriangularSize(Section):
    """Sizes whose density rises linearly from min to mode and falls linearly to max.

    >>> TriangularSize(min_bytes=1460, mode_bytes=2_920_730, max_bytes=5_840_000).mean_bytes
    2920730.0
    """

    kind: Annotated[Literal["triangular"], about("Sizes with a triangular density")] = "triangular"
    min_bytes: Annotated[float, Number(at_least=0, at_most=10**15), about("The smallest size", "bytes")]
    mode_bytes: Annotated[
        float,
        Number(at_least=0, at_most=10**15),
        about("The most likely size, from `min_bytes` to `max_bytes`", "bytes"),
    ]
    max_bytes: Annotated[float, SIZE, about("The largest size; above `min_bytes`", "bytes")]

    @property
    def mean_bytes(self) -> float:
        """The mean, before sizes are rounded up."""
        return (self.min_bytes + self.mode_bytes + self.max_bytes) / 3
