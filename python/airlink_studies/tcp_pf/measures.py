"""What the paper measures, from the tables of a campaign: Gamma, F, Gamma_0.9, gaps, timeouts; and their intervals.

kB is 1000 bytes. Means over runs have Student-t intervals; quantiles over all users of all runs are resampled run
by realization (the users of one realization share a cell), with a fixed seed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from airlink.campaign import CampaignResult
from airlink.statistics import Estimate, coverage_rate, mean_interval, mean_log_throughput, paired_ratio
from airlink.statistics import quantile as sample_quantile

Floats = NDArray[np.float64]
RESAMPLES = 1000
RESAMPLING_SEED = 20041129


@dataclass(frozen=True)
class Outcome:
    """One scheduler in one setting, over all realizations.

    Attributes
    ----------
    goodput_kBps : array [realization, user].
    granted_kBps : array [realization], nominal rate of the slots won, sum over users (the paper's MAC throughput).
    delivered_kBps : array [realization], rate of packets delivered to all users, headers and duplicates included.
    timeouts, spurious_timeouts : array [realization, user].
    longest_gap : array [realization, user], longest gap / mean gap of the user; NaN when there is no gap.
    longest_gap_slots : array [realization, user].
    wasted_share : array [realization], slots given in which nothing was sent / slots.
    """

    goodput_kBps: Floats  # noqa: N815 (the unit is kB/s)
    granted_kBps: Floats  # noqa: N815
    delivered_kBps: Floats  # noqa: N815
    timeouts: Floats
    spurious_timeouts: Floats
    longest_gap: Floats
    longest_gap_slots: Floats
    wasted_share: Floats

    @classmethod
    def of(cls, campaign: CampaignResult, label: str) -> Outcome:
        """Reads a scenario of a campaign; flows are one per user, in order."""
        longest = campaign.users(label, "gap_max_slots")
        mean = campaign.users(label, "gap_mean_slots")
        with np.errstate(invalid="ignore", divide="ignore"):
            ratio = np.where(mean > 0, longest / mean, np.nan)
        return cls(
            goodput_kBps=campaign.users(label, "goodput_bps") / 8000.0,
            granted_kBps=campaign.cell(label, "granted_bps") / 8000.0,
            delivered_kBps=campaign.cell(label, "delivered_bps") / 8000.0,
            timeouts=campaign.flows(label, "timeouts"),
            spurious_timeouts=campaign.flows(label, "spurious_timeouts"),
            longest_gap=ratio,
            longest_gap_slots=longest,
            wasted_share=campaign.cell(label, "slots_wasted") / campaign.cell(label, "slots"),
        )

    @classmethod
    def joined(cls, parts: Sequence[Outcome]) -> Outcome:
        """The same scheduler and setting over more realizations."""
        columns = {field.name: [getattr(part, field.name) for part in parts] for field in fields(cls)}
        return cls(**{name: np.concatenate(values) for name, values in columns.items()})

    @property
    def system_kBps(self) -> Floats:  # noqa: N802
        """Gamma_sys of each realization: array [realization], kB/s."""
        return np.asarray(self.goodput_kBps.sum(axis=1))

    @property
    def fairness(self) -> Floats:
        """F of each realization, eq. (21): array [realization], log10(kB/s); -inf when a user got nothing."""
        return mean_log_throughput(self.goodput_kBps * 8000.0)

    def users_with_gap_over(self, times: float) -> Floats:
        """Users of each realization whose longest gap exceeds so many times their mean gap: array [realization]."""
        with np.errstate(invalid="ignore"):
            return np.asarray((self.longest_gap > times).sum(axis=1), dtype=float)


def coverage(outcome: Outcome, share: float = 0.9) -> Estimate:
    """The throughput that a share of all users of all realizations reach, kB/s."""
    return _resampled((outcome,), lambda parts: coverage_rate(parts[0], share))


def coverage_difference(a: Outcome, b: Outcome, share: float = 0.9) -> Estimate:
    """By how much that throughput is larger in a than in b, kB/s, the same realizations resampled in both."""
    return _resampled((a, b), lambda parts: coverage_rate(parts[0], share) - coverage_rate(parts[1], share))


def quantile_ratio(a: Outcome, b: Outcome, share: float) -> Estimate:
    """Quantile of all users' throughput in a / the same quantile in b, the same realizations resampled in both."""
    return _resampled((a, b), lambda parts: _ratio(sample_quantile(parts[0], share), sample_quantile(parts[1], share)))


def mean_ratio_change(a: tuple[Floats, Floats], b: tuple[Floats, Floats]) -> Estimate:
    r"""Change of a ratio of means between two settings of the same realizations: (a0/a1) - (b0/b1).

    Each ratio is linearised in its runs, :math:`r + (x_i - r y_i)/\bar y`, and the differences of these, run by
    realization, get the Student-t interval.
    """
    return mean_interval(_linearised(*a) - _linearised(*b))


def gain(a: Outcome, b: Outcome) -> Estimate:
    """Ratio of mean cell goodputs a / b, paired by realization."""
    return paired_ratio(a.system_kBps, b.system_kBps)


def _linearised(numerator: Floats, denominator: Floats) -> Floats:
    ratio = float(numerator.mean() / denominator.mean())
    return np.asarray(ratio + (numerator - ratio * denominator) / denominator.mean())


def _ratio(a: float, b: float) -> float:
    return a / b if b > 0 else float("inf") if a > 0 else float("nan")


def _resampled(outcomes: tuple[Outcome, ...], statistic: Callable[[list[Floats]], float]) -> Estimate:
    """The statistic with the central 95 % of its values over realizations drawn again with replacement."""
    samples = [outcome.goodput_kBps for outcome in outcomes]
    drops = samples[0].shape[0]
    draws = np.random.default_rng(RESAMPLING_SEED).integers(drops, size=(RESAMPLES, drops))
    values = [statistic([sample[draw] for sample in samples]) for draw in draws]
    with np.errstate(invalid="ignore"):
        low, high = np.quantile(values, [0.025, 0.975])
    return Estimate(statistic(samples), float(low), float(high), drops)
