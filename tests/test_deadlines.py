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
    "voice": {"kind": "voice", "packet_bytes": 3000, "deadline_ms": 100},
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
            {"users": VIDEOS, "traffic": TRAFFIC[traffic], "path": {"downlink_delay_ms": 5}},
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
@pytest.mark.parametrize("kind", SCHEDULERS)
def test_every_user_misses_fewer_deadlines_than_under_pf(kind: str, traffic: str) -> None:
    assert (miss_rates(kind, traffic) < miss_rates("proportional_fair", traffic)).all()


@pytest.mark.parametrize("traffic", TRAFFIC)
def test_strict_priority_misses_none_and_costs_the_downloads_more_than_a_look_at_the_channel(traffic: str) -> None:
    assert (miss_rates("earliest_deadline", traffic) == 0).all()
    assert goodput_bps("earliest_deadline", traffic) < goodput_bps("m_lwdf", traffic)


def test_a_guaranteed_rate_above_what_a_video_sends_carries_all_of_it() -> None:
    assert (miss_rates("guaranteed_rate", "frames") == 0).all()
    result = run("guaranteed_rate", "frames")
    sent, received = (np.asarray(result.flows[f"datagrams_{name}"])[: len(VIDEOS)] for name in ("sent", "received"))
    # What is under way at the end, 100 ms of packets, is neither lost nor there.
    assert (received >= sent - 12).all()


def test_deadlines_move_slots_to_those_who_have_them_and_none_without() -> None:
    nobody = cell("m_lwdf", "frames").with_(**{"scheduler.delay_budget_ms": float("inf")})
    fair = airlink.run(cell("proportional_fair", "frames"), seed=1)
    assert airlink.run(nobody, seed=1).digest() == fair.digest()


@pytest.mark.parametrize(
    ("path", "values"),
    [("violation_probability", [0.1, 0.2]), ("delay_budget_ms", [10.0]), ("weight", [1.0] * 10)],
)
def test_a_list_needs_an_element_for_each_user(path: str, values: list[float]) -> None:
    with pytest.raises(airlink.ScenarioError, match=f"scheduler.{path}"):
        cell("m_lwdf", "frames").with_(**{f"scheduler.{path}": values})
    with pytest.raises(airlink.ScenarioError, match=r"scheduler.guaranteed_rate_bps"):
        cell("guaranteed_rate", "frames").with_(**{"scheduler.guaranteed_rate_bps": [1e6] * 4})
