"""A test of the min RTO rule: a setting under one policy, and what is measured of it.

Left out: which settings (rule_settings.py), and what follows (rule.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from airlink.campaign import CampaignResult
from airlink.scenario import Scenario
from airlink.statistics import Estimate, mean_interval, paired_ratio
from airlink_studies.startup_timeout.gap_law import Knowledge, last_user_rto_s, least_rto_s
from airlink_studies.startup_timeout.measures import Floats, Outcome, held
from airlink_studies.startup_timeout.rule_settings import settles
from airlink_studies.startup_timeout.setting import loss

SHARE = 0.05
"""q as the fit gives it (fitted, base seed 1)."""
LAW_SHARE = 0.05
"""Quantile of the paper's law that it calls "with 5 %"."""
LOSS = 0.01
FILE_BYTES, FILE_LIMIT_S = 50_000, 30.0
"""Of the file that each user fetches with 1 % loss (chosen: short, so that one timeout is felt), and its limit."""

FIXED, LONG, LAW, RULE, UNSETTLED, HELD = "1 s", "3 s", "last user", "rule", "rule, unsettled", "held"
POLICIES = (FIXED, LONG, LAW, RULE, UNSETTLED, HELD)


def with_least(scenario: Scenario, least_s: float) -> Scenario:
    """The same with another min RTO; the RTO before a measurement is never below it."""
    initial_ms = max(scenario.flows[0].tcp.rto.initial_ms, 1e3 * least_s)
    return scenario.with_(**{"flows.0.tcp.rto.min_ms": 1e3 * least_s, "flows.0.tcp.rto.initial_ms": initial_ms})


def policed(scenario: Scenario, policy: str) -> Scenario:
    """The scenario under one of `POLICIES`."""
    if policy == HELD:
        return held(scenario)
    return with_least(scenario, least_of(scenario, policy))


def least_of(scenario: Scenario, policy: str) -> float:
    """The min RTO of a policy, s."""
    if policy in (FIXED, HELD):
        return 1.0
    if policy == LONG:
        return 3.0
    known = Knowledge.of(scenario, settled=policy != UNSETTLED)
    return last_user_rto_s(known, LAW_SHARE) if policy == LAW else least_rto_s(known, SHARE)


def fetching(scenario: Scenario) -> Scenario:
    """One file for each user, and 1 % of the packets lost."""
    file = {"flows.0.traffic": {"kind": "file", "bytes": FILE_BYTES}, "duration_s": FILE_LIMIT_S}
    return scenario.with_(**file, **loss(LOSS))


def times(result: CampaignResult, label: str) -> Floats:
    """Array [seed, user]: time of each file, s; at most the limit."""
    return np.nan_to_num(result.flows(label, "completion_s"), nan=FILE_LIMIT_S)


@dataclass(frozen=True)
class Trial:
    """A test setting under one policy.

    Attributes
    ----------
    least_s : min RTO, s.
    outcome : of endless downloads without loss.
    file_s : array [seed], mean time of a file with 1 % loss; one that was not there in time counts as the limit.
    """

    least_s: float
    outcome: Outcome
    file_s: Floats

    @classmethod
    def of(cls, results: Mapping[str, CampaignResult], name: str, scenario: Scenario, policy: str) -> Trial:
        """From the campaigns."""
        label = f"{name}/{policy}"
        taken = times(results["files"], label)
        return cls(least_of(scenario, policy), Outcome.of(results["tests"], label), np.mean(taken, axis=1))

    @property
    def share(self) -> Floats:
        """Array [seed]: share of the sessions with an initial timeout, 0..1."""
        return self.outcome.timed_out / self.outcome.sessions


@dataclass(frozen=True)
class Evidence:
    """What was found.

    Attributes
    ----------
    trials : by setting and policy.
    settings : by name.
    alone_s : policy -> array [seed], time of a file of a session alone with 1 % loss, min RTO as for the study's cell.
    """

    trials: Mapping[tuple[str, str], Trial]
    settings: Mapping[str, Scenario]
    alone_s: Mapping[str, Floats]

    def pooled(self, policy: str, names: Sequence[str] | None = None) -> Floats:
        """Share of the sessions with an initial timeout, mean over settings: array [seed]."""
        asked = list(self.settings) if names is None else names
        return np.asarray(np.mean([self.trials[name, policy].share for name in asked], axis=0))

    def prevented(self, policy: str, names: Sequence[str] | None = None) -> Estimate:
        """1 - timed-out sessions / those with a min RTO of 1 s, pooled over settings, paired by seed."""
        ratio = paired_ratio(self.pooled(policy, names), self.pooled(FIXED, names))
        return Estimate(1 - ratio.mean, 1 - ratio.high, 1 - ratio.low, ratio.n, ratio.level)

    def ratio(self, measure: str, policy: str, other: str) -> Estimate:
        """Throughput ("kbps") or time of a file ("file_s") against another policy: mean over settings of the ratio."""
        rows = [measured(self.trials[name, policy], measure) / measured(self.trials[name, other], measure)
                for name in self.settings]  # fmt: skip
        return mean_interval(np.mean(rows, axis=0))

    @property
    def settled(self) -> list[str]:
        """Settings in which the averages of PF settle within a run."""
        return [name for name, scenario in self.settings.items() if settles(scenario)]

    def mean_least_s(self, policy: str) -> float:
        """Mean min RTO over the settings, s."""
        return float(np.mean([self.trials[name, policy].least_s for name in self.settings]))


def measured(trial: Trial, measure: str) -> Floats:
    """Array [seed]: throughput in kb/s ("kbps"), or the time of a file in s ("file_s")."""
    return trial.outcome.kbps if measure == "kbps" else trial.file_s
