"""When an experiment has enough replicas: looks at growing numbers of them until the interval is narrow enough.

At least 20 replicas, then half as many more at each look, up to a cap. Looking more than once costs coverage, since an
interval that is too narrow by chance ends the experiment; docs/statistics.md has what it costs. Left out: a guarantee
of the width at the cap.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from airlink.result.estimate import Estimate

from .differences import Difference

LEAST = 20
MOST = 1000
GROWTH = 1.5


@dataclass(frozen=True)
class Looks:
    """The numbers of replicas at which an experiment is looked at: 20, 30, 45, 68, ... up to the cap.

    Attributes
    ----------
    most : the cap, >= 1; it is the last look, also if it is below `least`.
    least : the first look, >= 2, default 20.
    growth : of each look over the one before, > 1, default 1.5; rounded up.

    Raises
    ------
    ValueError : a number outside its range.

    Examples
    --------
    >>> list(Looks(most=100))
    [20, 30, 45, 68, 100]
    """

    most: int = MOST
    least: int = LEAST
    growth: float = GROWTH

    def __post_init__(self) -> None:
        if self.most < 1:
            raise ValueError(f"most is {self.most}; it must be at least 1")
        if self.least < 2:
            raise ValueError(f"least is {self.least}; it must be at least 2")
        if not self.growth > 1:
            raise ValueError(f"growth is {self.growth}; it must be above 1")

    def __iter__(self) -> Iterator[int]:
        size = self.least
        while size < self.most:
            yield size
            size = math.ceil(size * self.growth)
        yield self.most


@dataclass(frozen=True)
class Precision:
    """A half width that is wanted.

    Attributes
    ----------
    half_width : > 0; in the unit of the estimate, or a share of its size.
    relative : it is a share: of the estimate, or for a difference of the baseline.

    Raises
    ------
    ValueError : a half width that is not above 0.

    Examples
    --------
    >>> Precision(0.01).is_met(Estimate(100.0, 99.5, 100.5, 20)), Precision(0.4, relative=False).half_width
    (True, 0.4)
    """

    half_width: float
    relative: bool = True

    def __post_init__(self) -> None:
        if not (self.half_width > 0 and math.isfinite(self.half_width)):
            raise ValueError(f"half_width is {self.half_width}; it must be above 0 and finite")

    def width(self, found: Estimate | Difference) -> float:
        """The half width that was found, to compare with the one wanted; inf where it or the mean is not known."""
        if isinstance(found, Difference):
            found = found.relative if self.relative else found.absolute
            size = 1.0
        else:
            size = abs(found.mean) if self.relative else 1.0
        known = math.isfinite(found.mean) and math.isfinite(found.half_width) and size > 0
        return found.half_width / size if known else math.inf

    def is_met(self, found: Estimate | Difference) -> bool:
        """Whether the interval is narrow enough."""
        return self.width(found) <= self.half_width
