"""What tables of a scenario can do beside holding fields: bases of the classes of `sections.py` with the same names.

Leaves out fields, which the engine declares, and checks between them (`checks.py`).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from .fields import Section


class ConstantSize(Section):
    """Sizes that are all the same.

    >>> from airlink.scenario.sections import ConstantSize
    >>> ConstantSize(bytes=500_000).mean_bytes
    500000.0
    """

    if TYPE_CHECKING:
        bytes: int

    @property
    def mean_bytes(self) -> float:
        """The mean."""
        return float(self.bytes)


class LognormalSize(Section):
    """Sizes whose natural logarithm is normal.

    >>> from airlink.scenario.sections import LognormalSize
    >>> round(LognormalSize(median_bytes=20_000, sigma=1).mean_bytes)
    32974
    """

    if TYPE_CHECKING:
        median_bytes: float
        sigma: float

    @property
    def mean_bytes(self) -> float:
        """The mean, before sizes are rounded up."""
        return self.median_bytes * math.exp(self.sigma**2 / 2)


class ParetoSize(Section):
    """Sizes of a bounded Pareto law.

    >>> from airlink.scenario.sections import ParetoSize
    >>> round(ParetoSize(shape=1, min_bytes=10, max_bytes=1000).mean_bytes, 3)
    46.517
    """

    if TYPE_CHECKING:
        shape: float
        min_bytes: float
        max_bytes: float

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
    """Sizes with a triangular density.

    >>> from airlink.scenario.sections import TriangularSize
    >>> TriangularSize(min_bytes=1460, mode_bytes=2_920_730, max_bytes=5_840_000).mean_bytes
    2920730.0
    """

    if TYPE_CHECKING:
        min_bytes: float
        mode_bytes: float
        max_bytes: float

    @property
    def mean_bytes(self) -> float:
        """The mean, before sizes are rounded up."""
        return (self.min_bytes + self.mode_bytes + self.max_bytes) / 3


class Poisson(Section):
    """Files that arrive at random.

    >>> from airlink.scenario.sections import ConstantSize, Poisson
    >>> Poisson(arrivals_per_s=2, size=ConstantSize(bytes=100_000)).offered_bps
    1600000.0
    """

    if TYPE_CHECKING:
        arrivals_per_s: float
        size: Any

    @property
    def offered_bps(self) -> float:
        """Payload offered to each user in the mean, b/s: arrivals a second x mean size."""
        return 8 * self.arrivals_per_s * float(self.size.mean_bytes)
