r"""Every arm of a comparison against its baseline, with intervals that hold all at once.

Pairs come from equal seeds. An interval of each arm by itself would miss one arm too often when there are several. So
replicas are resampled, the same for all arms, which keeps the correlation between them.

Means: each resample has the largest studentised deviation of all arms,

.. math:: T^* = \max_k |\bar d^*_k - \bar d_k| \sqrt{n} / s^*_k

and :math:`\bar d_k \pm c\, s_k / \sqrt n` with c its quantile, one standard error of counting resamples further out
[Efron93]; c is never below Student's of one arm. It follows skewed differences, where Student's t alone is wrong. Below
ten replicas resamples hold too few different ones: c is then Student's at a level of 1 - (1 - level) / arms.

Quantiles: the arms' levels are raised together until in a share `level` of the resamples all quantiles lie within
their own percentiles at once [Beran88]; those are taken further out for few replicas (see `resampling`).

Left out: differences between two arms of which none is the baseline.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from airlink.result.estimate import t_quantile

from .differences import Difference, Resampled, mean_difference, pair_differences, quantile_difference
from .product_limit import check_share
from .quantile_resamples import resampled_quantiles
from .quantiles import pooled_quantile
from .resampling import GROUPS, RESAMPLES, expanded_level, resampled_counts
from .samples import Sample

Floats = NDArray[np.float64]

FEW = 10
"""With fewer replicas than this resamples say nothing of tails."""
LEAST_SPREAD = 0.2
"""The least standard deviation of a resample's differences, as a share of that of all."""
FEWEST_OF_QUANTILES = 5
"""With fewer replicas than this the extremes of all resamples hold a difference of quantiles too seldom."""


def simultaneous(
    arms: Mapping[str, ArrayLike] | Mapping[str, Sequence[Sample]],
    baseline: str,
    level: float = 0.95,
    share: float | None = None,
) -> dict[str, Difference]:
    """Differences of all arms from the baseline, with intervals that hold all at once with probability `level`.

    Parameters
    ----------
    arms : label -> array [replica], any unit, the same seeds in the same order; NaN: this replica has no value, and its
        pair is left out. With `share`: label -> a `Sample` per replica.
    baseline : label of one of the arms.
    level : 0 < level < 1, default 0.95, for all intervals together.
    share : None for means; else the quantile of all replicas' values together that is compared, 0 < share <= 1.

    Returns
    -------
    label -> `Difference` of each other arm, in the order of `arms`.

    Raises
    ------
    ValueError : the baseline is no arm, arms differ in their number of replicas, or a level or share has no meaning.

    References
    ----------
    [Efron93] ch. 12 (studentised resamples); [Fieller54] for relative differences of means; [Beran88] and
    [Hesterberg15] for quantiles.

    Examples
    --------
    >>> found = simultaneous({"a": [5.0, 7.0, 6.0], "b": [6.0, 8.0, 7.5]}, "a")
    >>> print(found["b"].absolute, found["b"].relative)
    1.167 +- 0.72 0.1944 +- 0.16
    """
    if baseline not in arms:
        raise ValueError(f"the baseline is {baseline!r}; the arms are {', '.join(map(repr, arms))}")
    if not 0 < level < 1:
        raise ValueError(f"level is {level}; it must lie between 0 and 1")
    sizes = {label: len(cast("Sequence[object]", values)) for label, values in arms.items()}
    if len(set(sizes.values())) > 1:
        raise ValueError(f"arms need the same replicas; they have {sizes}")
    if share is None:
        numbers = {label: np.asarray(values, dtype=float).ravel() for label, values in arms.items()}
        found = _means(numbers, baseline, level)
    else:
        check_share(share)
        found = _quantiles(cast("Mapping[str, Sequence[Sample]]", arms), baseline, level, share)
    return {
        label: replace(each, absolute=replace(each.absolute, level=level), relative=replace(each.relative, level=level))
        for label, each in found.items()
    }


def _means(arms: Mapping[str, Floats], baseline: str, level: float) -> dict[str, Difference]:
    base = arms[baseline]
    others = {label: values for label, values in arms.items() if label != baseline}
    differences = {label: pair_differences(values, base) for label, values in others.items()}
    varying = [each for each in differences.values() if _varies(each)]
    deviation = np.max([studentised(each) for each in varying], axis=0) if varying else np.zeros(1)
    common = float(np.quantile(deviation, min(level + math.sqrt(level * (1 - level) / RESAMPLES), 1.0)))
    found = {}
    for label, values in others.items():
        count = int(np.count_nonzero(~np.isnan(differences[label])))
        if count < FEW:
            reach = t_quantile(max(count - 1, 1), 1 - (1 - level) / len(others))
        else:
            reach = max(common, t_quantile(count - 1, level))
        found[label] = mean_difference(values, base, reach)
    return found


def _varies(differences: Floats) -> bool:
    known = differences[~np.isnan(differences)]
    return known.size >= FEW and bool(np.isfinite(known).all()) and float(np.ptp(known)) > 0


def studentised(differences: Floats) -> Floats:
    """How many standard errors each resample's mean is from the mean, [resample], without sign; NaN are left out."""
    known = ~np.isnan(differences)
    centred = np.where(known, differences - np.nanmean(differences), 0.0)
    group, groups = np.arange(differences.size) % GROUPS, min(differences.size, GROUPS)
    sums = [np.bincount(group, weights=each, minlength=groups) for each in (known * 1.0, centred, centred**2)]
    size, total, squares = (resampled_counts(groups) @ each for each in sums)
    own = float(sums[2].sum() / (sums[0].sum() - 1))
    with np.errstate(invalid="ignore", divide="ignore"):
        # Where few replicas differ at all, some resamples hold none of them: these have no spread of their own.
        variance = np.maximum((squares - total**2 / size) / (size - 1), LEAST_SPREAD**2 * own)
        return np.nan_to_num(np.abs(total) / np.sqrt(size * variance), nan=0.0)


def _quantiles(
    arms: Mapping[str, Sequence[Sample]], baseline: str, level: float, share: float
) -> dict[str, Difference]:
    count = len(arms[baseline])
    resampled = {label: _resampled(samples, share) for label, samples in arms.items()}
    base = resampled.pop(baseline)
    common = _common_level([each.minus(base) for each in resampled.values()], level)
    own = expanded_level(common, count) if count > 1 else level
    points = {label: pooled_quantile(samples, share) for label, samples in arms.items()}
    return {
        label: quantile_difference((points[label], points[baseline]), each, base, count, own)
        for label, each in resampled.items()
    }


def _resampled(samples: Sequence[Sample], share: float) -> Resampled:
    if len(samples) < FEWEST_OF_QUANTILES:
        return Resampled(np.array([-math.inf]), np.array([math.inf]))
    largest = max((float(sample.values.max()) for sample in samples if sample.values.size), default=math.inf)
    return Resampled.of(resampled_quantiles(samples, share), largest)


def _common_level(differences: Sequence[tuple[Floats, Floats]], level: float) -> float:
    """The level of each arm's percentiles within which all differences lie at once in that share of the resamples."""
    if len(differences) < 2:
        return level
    least = np.sort(np.min([_outside(*each) for each in differences], axis=0))
    found = float(least[math.floor((1 - level) * least.size)])
    return 1 - min(max(found, (1 - level) / len(differences)), 1 - level)


def _outside(low: Floats, high: Floats) -> Floats:
    """How much lies beyond each resample's difference on both sides, if as much did on the one as on the other."""
    below = np.searchsorted(np.sort(low), high, side="right")
    above = high.size - np.searchsorted(np.sort(high), low, side="left")
    return np.asarray(np.minimum(2 * np.minimum(below, above) / high.size, 1.0))
