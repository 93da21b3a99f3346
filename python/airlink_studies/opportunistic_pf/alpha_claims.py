"""What the paper says of alpha, judged: [000-1] to [000-4].

The bounds are chosen where the paper has words: "saturates" is at most 5 % more for a tenth of alpha, "close" is 90 %
of the MAC throughput (headers alone take 8 %), "sharp" is a doubling, "periodic" a coefficient of variation of at most
0.05. A claim on every step of the sweep is held against the step that is worst for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from airlink.report import Bounds, Claim, Statement, above, at_least, at_most
from airlink.statistics import Estimate, mean_interval, paired_difference, paired_ratio
from airlink_studies.opportunistic_pf.alpha_curves import RR, Curves, Floats
from airlink_studies.opportunistic_pf.setting import PROFILE

SATURATED_PERCENT, CLOSE, DOUBLED, PERIODIC = 5.0, 0.9, 2.0, 0.05
LARGEST, SECOND, THIRD, SMALLEST = 0.1, 0.01, 0.001, 0.0001
"""A decade apart."""

FASTER = "Doppler 10 Hz"
"""The control of a channel that changes faster."""

Row = tuple[str, str, float | str | None, Estimate, Bounds]


def judged(found: Curves, controls: Mapping[str, Curves]) -> list[Claim]:
    """All claims of the sweep; `controls` are curves of other settings by name, at decades only."""
    rows = [*throughput_rows(found), *goodput_rows(found), *round_robin_rows(found), *jitter_rows(found)]
    claims = [_claim(row, PROFILE) for row in rows]
    if FASTER in controls:
        words = f"{FASTER}: growth of the scheduled rate per tenth of alpha is smaller below 0.01 than above, in points"
        row = ("000-1f", words, "diminishing", diminishing(controls[FASTER]), above("points", 0.0))
        claims.append(_claim(row, FASTER))
    for (name, curves), letter in zip(controls.items(), "ghijk", strict=False):
        words = f"{name}: goodput / scheduled rate falls from alpha 0.1 to 0.0001"
        row = (f"000-2{letter}", words, "diverge", widening(curves, "scheduled_bps"), above("fall", 0.0))
        claims.append(_claim(row, name))
    return claims


def throughput_rows(found: Curves) -> list[Row]:
    """[000-1]: MAC throughput rises as alpha falls, and saturates."""
    rising = at_least("ratio of steps", 1.0)
    flat = at_most("% per tenth", SATURATED_PERCENT)
    return [
        ("000-1a", "scheduled rate does not fall as alpha falls: least ratio of a step", "increases",
         least_step(found.only("scheduled_bps")), rising),
        ("000-1b", "granted rate (with TCP) does not fall as alpha falls: least ratio of a step", "increases",
         least_step(found.only("granted_bps")), rising),
        ("000-1c", "scheduled rate saturates: growth per tenth of alpha in the last step, %", "saturates",
         last_growth(found, "scheduled_bps"), flat),
        ("000-1d", "granted rate (with TCP) saturates: growth per tenth of alpha in the last step, %", "saturates",
         last_growth(found, "granted_bps"), flat),
        ("000-1e", "growth of the scheduled rate per tenth of alpha is smaller below 0.01 than above, in points",
         "diminishing", diminishing(found), above("points", 0.0)),
    ]  # fmt: skip


def goodput_rows(found: Curves) -> list[Row]:
    """[000-2]: goodput rises less than MAC throughput does."""
    close, fall = at_least("goodput / MAC", CLOSE), above("fall", 0.0)
    tracks = "tracks closely"
    return [
        ("000-2a", "goodput does not fall as alpha falls: least ratio of a step", "increases",
         least_step(found.only("goodput_bps")), at_least("ratio of steps", 1.0)),
        ("000-2b", "alpha = 0.1: goodput / scheduled rate", tracks, _at(found.ratio("scheduled_bps"), LARGEST), close),
        ("000-2c", "alpha = 0.1: goodput / granted rate (with TCP)", tracks,
         _at(found.ratio("granted_bps"), LARGEST), close),
        ("000-2d", "goodput / scheduled rate falls from alpha 0.1 to 0.0001", "diverge",
         widening(found, "scheduled_bps"), fall),
        ("000-2e", "goodput / granted rate (with TCP) falls from alpha 0.1 to 0.0001", "diverge",
         widening(found, "granted_bps"), fall),
        ("000-2f", "goodput / sent rate falls from alpha 0.1 to 0.0001 by a hundredth", "diverge",
         widening(found, "sent_bps"), above("fall", 0.01)),
    ]  # fmt: skip


def round_robin_rows(found: Curves) -> list[Row]:
    """[000-3]: PF beats round robin at alpha = 0.1 already; round robin is periodic."""
    better = above("PF / RR", 1.0)
    return [
        ("000-3a", "alpha = 0.1: scheduled rate, PF / RR", "better", _over_rr(found, "scheduled_bps"), better),
        ("000-3b", "alpha = 0.1: granted rate (with TCP), PF / RR", "better", _over_rr(found, "granted_bps"), better),
        ("000-3c", "alpha = 0.1: goodput, PF / RR", "better", _over_rr(found, "goodput_bps"), better),
        ("000-3d", "round robin, queues never empty: sd / mean of gaps between slots", "equally spaced",
         _at(found.scheduled_gap_cov, RR), at_most("sd / mean", PERIODIC)),
    ]  # fmt: skip


def jitter_rows(found: Curves) -> list[Row]:
    """[000-4]: the coefficient of variation of the service interval rises sharply."""
    sharp = at_least("ratio", DOUBLED)

    def rise(name: str) -> Estimate:
        points = getattr(found, name)
        return paired_ratio(points[SMALLEST], points[LARGEST])

    return [
        ("000-4a", "sd / mean of the time at the head of the queue: alpha 0.0001 / 0.1", "sharp increase",
         rise("wait_cov"), sharp),
        ("000-4b", "the same: least ratio of a step", "increases", least_step(found.only("wait_cov")),
         at_least("ratio of steps", 1.0)),
        ("000-4c", "sd / mean of gaps between slots with TCP: alpha 0.0001 / 0.1", "sharp increase",
         rise("gap_cov"), sharp),
        ("000-4d", "sd / mean of gaps between slots, queues never empty: alpha 0.0001 / 0.1", "sharp increase",
         rise("scheduled_gap_cov"), sharp),
    ]  # fmt: skip


def least_step(values: Sequence[Floats]) -> Estimate:
    """Of the ratios of each value to the one before it, paired by seed: the one whose interval reaches lowest."""
    steps = [paired_ratio(after, before) for before, after in pairwise(values)]
    return min(steps, key=lambda step: step.low)


def last_growth(found: Curves, name: str) -> Estimate:
    """Growth in % for a tenth of alpha, as in the step between the two smallest alphas."""
    before, after = found.alphas[-2:]
    points = getattr(found, name)
    growth = np.log10(points[after] / points[before]) / np.log10(before / after)
    return mean_interval(100 * (10**growth - 1))


def diminishing(found: Curves) -> Estimate:
    """By how many points the scheduled rate grows less from 0.01 to 0.001 than from 0.1 to 0.01."""
    rate = found.scheduled_bps
    return paired_difference(100 * rate[SECOND] / rate[LARGEST], 100 * rate[THIRD] / rate[SECOND])


def widening(found: Curves, mac: str) -> Estimate:
    """By how much goodput / MAC throughput falls from alpha 0.1 to 0.0001."""
    ratio = found.ratio(mac)
    return paired_difference(ratio[LARGEST], ratio[SMALLEST])


def _over_rr(found: Curves, name: str) -> Estimate:
    points = getattr(found, name)
    return paired_ratio(points[LARGEST], points[RR])


def _at(points: Mapping[float, Floats], alpha: float) -> Estimate:
    return mean_interval(points[alpha])


def _claim(row: Row, profile: str) -> Claim:
    name, words, paper, estimate, bounds = row
    return Statement(name, words, paper).against(estimate, bounds, profile)
