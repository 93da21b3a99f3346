"""Initial timeouts one by one: what the timer was, whether anything was lost, and which session to draw.

Left out: their number (measures.py).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from airlink.campaign import CampaignResult, Replica
from airlink.result import Table


@dataclass(frozen=True)
class Case:
    """An initial timeout: the setting, seed and session, its time, the RTO that ran out, and its segment."""

    label: str
    seed: int
    session: int
    time_s: float
    rto_s: float
    sequence: int


def expiries(result: CampaignResult, label: str) -> list[Table]:
    """Of each seed the initial timeouts, one a row: the columns of the series `timeouts`."""
    return [_initial(replica) for replica in result.result(label).replicas]


def _initial(replica: Replica) -> Table:
    every = Table(replica.series["timeouts"])
    return every.where((every["initial"] == 1) & (every["held"] == 0))


def first_case(result: CampaignResult, label: str, near: float) -> Case | None:
    """The earliest session, seed by seed, that an initial timeout without a loss had with its RTO near the minimum.

    Parameters
    ----------
    near : the RTO may be this times its minimum.

    Returns
    -------
    None when there is none.
    """
    least_s = result.plan.scenarios[label].flows[0].tcp.rto.min_ms / 1e3
    for seed, table in zip(result.plan.seeds, expiries(result, label), strict=True):
        chosen = table.where((table["spurious"] == 1) & (table["rto_s"] <= near * least_s))
        if chosen.rows:
            row = int(np.argmin(chosen["time_s"]))
            session, sequence = int(chosen["flow"][row]), int(chosen["sequence"][row])
            return Case(label, seed, session, float(chosen["time_s"][row]), float(chosen["rto_s"][row]), sequence)
    return None
