"""How a number of several trials stands in a table: mean and 95 % half width, from three trials on.

Two trials have an interval as wide as the page and say nothing; they show their mean alone. Left out: verdicts.
"""

from __future__ import annotations

from airlink.report import plus_minus
from airlink.statistics import Estimate, mean_interval
from airlink_studies.imt_advanced.measures import Floats

FEWEST = 3
"""Trials that are worth an interval."""


def over_trials(values: Floats, decimals: int) -> str:
    """Of one value a trial.

    >>> import numpy as np
    >>> over_trials(np.array([1.0, 2.0, 3.0]), 1), over_trials(np.array([1.0, 2.0]), 1)
    ('2.0 ± 2.5', '1.5')
    """
    return estimated(mean_interval(values), decimals)


def estimated(estimate: Estimate, decimals: int) -> str:
    """Of what was estimated already.

    >>> estimated(Estimate(1.02, 0.99, 1.05, 10), 2), estimated(Estimate(1.02, -9.0, 11.0, 2), 2)
    ('1.02 ± 0.03', '1.02')
    """
    return plus_minus(estimate, decimals) if estimate.n >= FEWEST else f"{estimate.mean:.{decimals}f}"


def intervals(trials: int) -> str:
    """What a caption says of the lines of so many trials.

    >>> intervals(10), intervals(2)
    ('means of 10 trials, lines 95 %', 'means of 2 trials')
    """
    return f"means of {trials} trials" + (", lines 95 %" if trials >= FEWEST else "")
