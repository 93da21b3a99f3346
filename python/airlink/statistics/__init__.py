"""What many replicas say: intervals, comparisons, precision, warm-up, fairness, distributions.

Everything here is a pure function of arrays. Replicas are the unit: values of one run are not independent. Two
scenarios run with the same seeds see the same channel, so compare them pair by pair: the interval is several times
narrower than that of two separate means.

Left out: anything that knows of scenarios, tables or runs.
"""

from __future__ import annotations

from airlink.result.estimate import Estimate, mean_interval, prediction_interval

from .batch_means import BatchMeans, batch_means
from .control_variates import Controlled, control_variates
from .differences import Difference
from .distributions import cdf, coverage_rate, quantile
from .fairness import JainParts, jain_index, jain_parts, mean_log_throughput
from .intervals import replica_mean
from .paired import paired_difference, paired_ratio
from .precision import Looks, Precision
from .quantiles import pooled_quantile, quantile_interval
from .samples import Sample
from .simultaneous import simultaneous
from .verdicts import Verdict, verdict
from .warm_up import Truncation, common_mser, mser

__all__ = [
    "BatchMeans",
    "Controlled",
    "Difference",
    "Estimate",
    "JainParts",
    "Looks",
    "Precision",
    "Sample",
    "Truncation",
    "Verdict",
    "batch_means",
    "cdf",
    "common_mser",
    "control_variates",
    "coverage_rate",
    "jain_index",
    "jain_parts",
    "mean_interval",
    "mean_log_throughput",
    "mser",
    "paired_difference",
    "paired_ratio",
    "pooled_quantile",
    "prediction_interval",
    "quantile",
    "quantile_interval",
    "replica_mean",
    "simultaneous",
    "verdict",
]
