"""Traffic with deadlines beside downloads: who misses them under which scheduler, and what the downloads keep."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import airlink
from airlink import Result, Scenario

VIDEOS, DOWNLOADS = [0, 1, 2], [3, 4, 5, 6, 7, 8]
BUDGETS_MS = [50.0 if user in VIDEOS else float("inf") for user in range(9)]
SCHEDULERS: dict[str, dict[str, Any]] = {
    "m_lwdf": {"delay_budget_ms": BUDGETS_MS},
    "exp_pf": {"delay_budget_ms": BUDGETS_MS},
    "log_rule": {"delay_budget_ms": BUDGETS_MS},
    "earliest_deadline": {"delay_budget_ms": BUDGETS_MS},
    "guaranteed_rate": {"guaranteed_rate_bps": [1.3e6 if user in VIDEOS else 0.0 for user in range(9)]},
    "weighted_pf": {"weight": [4.0 if user in VIDEOS else 1.0 for user in range(9)]},
}
TRAFFIC: dict[str, dict[str, Any]] = {
    "frames": {"kind": "frames", "frames_per_s": 30, "size": {"kind": "constant", "bytes": 4000}, "deadline_ms": 100},
    "voice": {"kind": "voice", "packet_bytes": 400, "deadline_ms": 100},
    "constant_rate": {"kind": "constant_rate", "rate_bps": 8e5, "packet_bytes": 1000, "deadline_ms": 100},
}


def cell(kind: str, traffic: str) -> Scenario:
    """Three users with deadlines beside six downloads that take whatever they get, on channels that fade."""
    return Scenario(
        users=9,
        duration_s=20,
        slot={"duration_ms": 1},
        channel={"placement": {"kind": "mean_snr", "mean_snr_db": 10}, "fading": {"kind": "jakes", "doppler_hz": 10}},
        link={"rate": {"kind": "capacity", "bandwidth_hz": 2e6}},
        queue={"limit_packets": 100},
        scheduler={"kind": kind, **SCHEDULERS.get(kind, {})},
        flows=[
            {"users": VIDEOS, "traffic": TRAFFIC[traffic], "path": {"downlink_delay_ms": 5, "uplink_delay_ms": 5}},
            {"users": DOWNLOADS, "tcp": {"profile": "linux"}},
        ],
    )


@cache
def run(kind: str, traffic: str) -> Result:
    return airlink.run(cell(kind, traffic), seed=1)


def miss_rates(kind: str, traffic: str) -> np.ndarray[Any, Any]:
    """Of each user with deadlines."""
    return np.asarray(run(kind, traffic).flows["deadline_miss_rate"])[: len(VIDEOS)]


def goodput_bps(kind: str, traffic: str) -> float:
    """Of all downloads."""
    return float(np.asarray(run(kind, traffic).flows["goodput_bps"])[len(VIDEOS) :].sum())


@pytest.mark.parametrize("traffic", TRAFFIC)
@pytest.mark.parametrize("kind", ["m_lwdf", "exp_pf", "log_rule", "earliest_deadline"])
def test_every_user_misses_fewer_deadlines_than_under_pf(kind: str, traffic: str) -> None:
    assert (miss_rates(kind, traffic) < miss_rates("proportional_fair", traffic)).all()


