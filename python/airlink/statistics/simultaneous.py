"""Every arm of a comparison against its baseline, with intervals that hold all at once.

Pairs come from equal seeds. An interval of each arm by itself would miss one arm too often when there are several. The
same resamples of the replicas are taken for all arms, so the correlation between arms is kept; the level of each arm
is raised until, in a share `level` of the resamples, all arms lie within their own interval at once [Beran88]. What the
largest studentised difference (max-t) does when all arms have one distribution, this does with each arm's own: means
keep the Student interval of `paired_difference`, which one arm alone has exactly; quantiles that of resampled replicas.
Left out: differences between two arms of which none is the baseline.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from airlink.result.estimate import Estimate

from .paired import paired_difference, paired_ratio
from .quantiles import resampled_quantiles
from .resampling import expanded_level, group_of, percentile_ends, resampled_counts
from .samples import Sample, check_share, pooled_quantile

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Difference:
    """An arm minus the baseline.

    Attributes
    ----------
    absolute : the difference, in the unit of the values.
    relative : the difference over the size of the baseline's, dimensionless; its interval is infinite where the
        baseline is not clearly different from 0.
    note : why an interval is a point or infinite; "" if there is nothing to say.
    """

    absolute: Estimate
    relative: Estimate
    note: str = ""


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
    [Beran88]; [Fieller54] for relative differences of means; [Hesterberg15] for those of quantiles.

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
    sizes = {label: len(values) for label, values in arms.items()}  # type: ignore[arg-type]
    if len(set(sizes.values())) > 1:
        raise ValueError(f"arms need the same replicas; they have {sizes}")
    if share is None:
        return _means({label: np.asarray(values, dtype=float) for label, values in arms.items()}, baseline, level)
    check_share(share)
    return _quantiles(dict(arms), baseline, level, share)  # type: ignore[arg-type]


def _means(arms: Mapping[str, Floats], baseline: str, level: float) -> dict[str, Difference]:
    base = arms[baseline]
    pairs = {}
    for label, values in arms.items():
        if label != baseline:
            known = ~(np.isnan(values) | np.isnan(base))
            pairs[label] = (values, base, known)
    differences = {label: _differences(*pair) for label, pair in pairs.items()}
    joint = _joint_level([_outside(_studentised(each)) for each in differences.values() if _varies(each)], level)
    return {label: _mean_difference(*pair, joint, level) for label, pair in pairs.items()}


def _differences(values: Floats, base: Floats, known: NDArray[np.bool_]) -> Floats:
    """Arm minus baseline [replica], NaN where one is missing; equal infinities are no difference."""
    with np.errstate(invalid="ignore"):
        return np.where(known, np.where(values == base, 0.0, values - base), math.nan)


def _varies(differences: Floats) -> bool:
    known = differences[~np.isnan(differences)]
    return known.size > 1 and bool(np.isfinite(known).all()) and float(np.ptp(known)) > 0


def _studentised(differences: Floats) -> Floats:
    """How many standard errors each resample's mean is from the mean, [resample], without sign."""
    group = group_of(differences.size)
    groups = int(group.max()) + 1
    known = ~np.isnan(differences)
    centred = np.where(known, differences - np.nanmean(differences), 0.0)
    sums = [np.bincount(group, weights=each, minlength=groups) for each in (known * 1.0, centred, centred**2)]
    size, total, squares = (resampled_counts(groups) @ each for each in sums)
    with np.errstate(invalid="ignore", divide="ignore"):
        variance = np.maximum(squares - total**2 / size, 0.0) / (size - 1)
        return np.nan_to_num(np.abs(total) / np.sqrt(size * variance), nan=0.0, posinf=math.inf)


def _outside(distance: Floats) -> Floats:
    """The share of resamples at least as far out as each."""
    ordered = np.sort(distance)
    return 1 - np.searchsorted(ordered, distance, side="left") / distance.size


def _joint_level(outside: Sequence[Floats], level: float) -> float:
    """The level of each arm's own interval with which all hold at once in that share of the resamples."""
    if len(outside) < 2:
        return level
    least = np.sort(np.min(outside, axis=0))
    found = float(least[math.floor((1 - level) * least.size)])
    return 1 - min(max(found, (1 - level) / len(outside)), 1 - level)


def _mean_difference(values: Floats, base: Floats, known: NDArray[np.bool_], joint: float, level: float) -> Difference:
    differences = _differences(values, base, known)[known]
    left_out = f"{known.size - differences.size} of {known.size} replicas have no value" if not known.all() else ""
    if differences.size == 0:
        return Difference(_unknown(math.nan, 0, level), _unknown(math.nan, 0, level), left_out)
    infinite = int(np.count_nonzero(~np.isfinite(differences)))
    if infinite and not (differences == differences[0]).all():
        with np.errstate(invalid="ignore"):
            mean = float(np.mean(differences))
        note = f"{infinite} of {differences.size} replicas differ by an infinite amount"
        unknown = _unknown(mean, differences.size, level)
        return Difference(unknown, unknown, note)
    absolute = replace(paired_difference(values[known], base[known], joint), level=level)
    relative = replace(_relative(values[known], base[known], joint), level=level)
    if differences.size > 1 and float(np.ptp(differences)) == 0:
        left_out = f"all {differences.size} replicas differ by the same amount"
    return Difference(absolute, relative, left_out)


def _relative(values: Floats, base: Floats, level: float) -> Estimate:
    """The mean difference over the size of the baseline's mean, with Fieller's interval."""
    mean = float(np.mean(base))
    if mean == 0 or not math.isfinite(mean):
        same = bool((values == base).all())
        return Estimate(0.0, 0.0, 0.0, values.size, level) if same else _unknown(math.nan, values.size, level)
    ratio = paired_ratio(values, base, level)
    ends = ratio.low - 1, ratio.high - 1
    if mean < 0:
        ends = -ends[1], -ends[0]
    return Estimate(math.copysign(1, mean) * (ratio.mean - 1), *ends, ratio.n, level)


def _unknown(mean: float, count: int, level: float) -> Estimate:
    return Estimate(mean, -math.inf, math.inf, count, level)


def _quantiles(
    arms: Mapping[str, Sequence[Sample]], baseline: str, level: float, share: float
) -> dict[str, Difference]:
    count = len(arms[baseline])
    if count < 2:
        resampled = {label: np.full(1, math.nan) for label in arms}
    else:
        resampled = {label: resampled_quantiles(samples, share) for label, samples in arms.items()}
    others = [label for label in arms if label != baseline]
    sides = {label: _bounds(resampled[label], resampled[baseline]) for label in others}
    own = expanded_level(_joint_level([_beyond(*sides[label]) for label in others], level), count)
    found = {}
    for label in others:
        points = [pooled_quantile(arms[each], share) for each in (label, baseline)]
        absolute, relative = _quantile_difference(points, resampled[label], resampled[baseline], own)
        absolute, relative = (replace(each, n=count, level=level) for each in (absolute, relative))
        note = "" if math.isfinite(absolute.mean) else "a quantile lies beyond what is known"
        found[label] = Difference(absolute, relative, note)
    return found


def _quantile_difference(
    points: Sequence[float], values: Floats, base: Floats, own: float
) -> tuple[Estimate, Estimate]:
    low, high = _bounds(values, base)
    absolute = Estimate(points[0] - points[1], *percentile_ends(low, high, own), 0)
    size = np.abs(base)
    ends = percentile_ends(_over(low, size, -math.inf), _over(high, size, math.inf), own)
    share = _over(np.array([absolute.mean]), np.abs(np.array(points[1:])), math.nan)
    return absolute, Estimate(float(share[0]), *ends, 0)


def _over(differences: Floats, sizes: Floats, unknown: float) -> Floats:
    """Differences as shares of a size; 0 / 0 and inf / inf are not known."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.nan_to_num(differences / sizes, nan=unknown, posinf=math.inf, neginf=-math.inf)


def _bounds(values: Floats, base: Floats) -> tuple[Floats, Floats]:
    """The least and the greatest that each resample's difference can be: both, where both are beyond what is known."""
    with np.errstate(invalid="ignore"):
        difference = values - base
    unknown = np.isnan(difference)
    return np.where(unknown, -math.inf, difference), np.where(unknown, math.inf, difference)


def _beyond(low: Floats, high: Floats) -> Floats:
    """Twice the share of resamples on that side of each which is the smaller."""
    below = np.searchsorted(np.sort(low), high, side="right") / low.size
    above = 1 - np.searchsorted(np.sort(high), low, side="left") / high.size
    return np.asarray(np.minimum(2 * np.minimum(below, above), 1.0))
