"""What is measured at every alpha, of runs with TCP and of runs whose queues are never empty.

"MAC throughput" is the rate granted. With TCP that can be what the scheduler granted to the connections as they were,
or what it would grant if queues were never empty (scheduled); the bits sent are beside both. The service interval is a
packet's time at the head of its queue, or the gap between a user's slots; its coefficient of variation is sd / mean
(the paper prints mean / sd, but its curve rises), averaged over users. Leaves out judging and drawing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from airlink.campaign import CampaignResult
from airlink.result import Table

Floats = NDArray[np.float64]
Points = Mapping[float, Floats]
"""Alpha -> array [seed], from the largest alpha to the smallest."""
RR = 0.0
"""Stands for round robin where an alpha is asked for."""


@dataclass(frozen=True)
class Curves:
    """Quantities against alpha, each alpha -> array [seed]; `rr` holds round robin's under the same names.

    Attributes
    ----------
    scheduled_bps : granted while queues are never empty.
    granted_bps, sent_bps, goodput_bps : of the runs with TCP.
    wait_cov, gap_cov : of the service interval with TCP: time at the head of the queue, gap between slots.
    scheduled_gap_cov : gap between slots while queues are never empty.
    timeouts_per_min : of one connection.
    """

    scheduled_bps: Points
    granted_bps: Points
    sent_bps: Points
    goodput_bps: Points
    wait_cov: Points
    gap_cov: Points
    scheduled_gap_cov: Points
    timeouts_per_min: Points

    @property
    def alphas(self) -> list[float]:
        """From the largest to the smallest, without round robin."""
        return [alpha for alpha in self.goodput_bps if alpha != RR]

    def only(self, name: str) -> list[Floats]:
        """A quantity at every alpha, without round robin's."""
        points: Points = getattr(self, name)
        return [points[alpha] for alpha in self.alphas]

    def ratio(self, mac: str) -> Points:
        """Goodput / MAC throughput, seed by seed; `mac` is one of the three rates."""
        rates: Points = getattr(self, mac)
        return {alpha: self.goodput_bps[alpha] / rates[alpha] for alpha in self.goodput_bps}


def curves(tcp: CampaignResult, backlogged: CampaignResult, labels: Mapping[float, str]) -> Curves:
    """Reads both campaigns; `labels` has the label of every alpha, and of round robin."""

    def each(result: CampaignResult, measure: Callable[[CampaignResult, str], Floats]) -> Points:
        return {alpha: measure(result, label) for alpha, label in labels.items()}

    def cell(name: str) -> Callable[[CampaignResult, str], Floats]:
        return lambda result, label: result.cell(label, name)

    return Curves(
        scheduled_bps=each(backlogged, cell("granted_bps")),
        granted_bps=each(tcp, cell("granted_bps")),
        sent_bps=each(tcp, cell("sent_bps")),
        goodput_bps=each(tcp, cell("goodput_bps")),
        wait_cov=each(tcp, lambda result, label: variation(result, label, "hol_delay", "s")),
        gap_cov=each(tcp, lambda result, label: variation(result, label, "gap", "slots")),
        scheduled_gap_cov=each(backlogged, lambda result, label: variation(result, label, "gap", "slots")),
        timeouts_per_min=each(tcp, timeouts_per_min),
    )


def variation(result: CampaignResult, label: str, column: str, unit: str) -> Floats:
    """Coefficient of variation of a user's delays or gaps, sd / mean, mean over users: array [seed]."""
    sd, mean = result.users(label, f"{column}_sd_{unit}"), result.users(label, f"{column}_mean_{unit}")
    return np.asarray(np.nanmean(sd / mean, axis=1))


def timeouts_per_min(result: CampaignResult, label: str) -> Floats:
    """Timeouts of a connection in a minute, mean over connections: array [seed]."""
    minutes = result.cell(label, "measured_s") / 60
    return np.asarray(result.flows(label, "timeouts").mean(axis=1) / minutes)


def machine_table(found: Curves, drops: Sequence[int]) -> Table:
    """One row an alpha and realization; round robin has alpha 0."""
    alphas = list(found.goodput_bps)
    columns: dict[str, Floats] = {"alpha": np.repeat(alphas, len(drops)), "seed": np.tile(drops, len(alphas))}
    for name in Curves.__dataclass_fields__:
        points: Points = getattr(found, name)
        columns[name] = np.concatenate([points[alpha] for alpha in alphas])
    return Table(columns)
