"""Limits between fields, at their very edge; the engine has the same ones. What is beyond is in tests/bad_inputs/."""

from __future__ import annotations

from typing import Any

import pytest

from airlink.scenario import Scenario, ScenarioError

CELL = Scenario.from_toml('duration_s = 1\nusers = 10\nslot.duration_ms = "5/3"\n[[flows]]\n')


def wrong_paths(**changes: Any) -> list[str]:
    try:
        CELL.with_(**changes)
    except ScenarioError as error:
        return [problem.path for problem in error.problems]
    return []


@pytest.mark.parametrize(
    ("slot_ms", "warmup_s", "duration_s", "holds"),
    [
        ("5/3", 0.998333333, 1, True),  # the last of 600 slots starts at 998 333 333.3 ns, rounded down
        ("5/3", 0.998333334, 1, False),
        ("5/3", 0, 0.001666667, True),
        (10, 0.01, 0.02, True),
        (10, 0.01, 0.0199, False),
        (10, 0.010000001, 0.02, False),
        (0.1, 0.2, 0.3, True),  # none of them a binary fraction
    ],
)
def test_a_warm_up_leaves_at_least_one_whole_slot(
    slot_ms: float | str, warmup_s: float, duration_s: float, holds: bool
) -> None:
    changes = {"slot.duration_ms": slot_ms, "warmup_s": warmup_s, "duration_s": duration_s}
    assert wrong_paths(**changes) == ([] if holds else ["warmup_s"])


def test_windows_are_counted_in_segments_over_all_flows() -> None:
    def window(segments: int, users: int) -> list[str]:
        tcp = {"mss_bytes": 100, "receiver_window_bytes": 100 * segments}
        return wrong_paths(users=users, **{"flows.0.tcp": tcp})

    assert window(10**6, 10) == []
    assert window(10**6 + 1, 1) == ["flows.0.tcp.receiver_window_bytes"]
    assert window(10**6, 11) == ["flows"]


@pytest.mark.parametrize(("most", "packet_bytes", "holds"), [(8e9, 1, True), ("inf", 13, True), ("inf", 12, False)])
def test_the_packets_of_a_grant_are_counted_at_the_highest_rate(most: Any, packet_bytes: int, holds: bool) -> None:
    rate = {"kind": "capacity", "bandwidth_hz": 1e9, "max_rate_bps": most}
    traffic = {"kind": "backlogged", "packet_bytes": packet_bytes}
    paths = wrong_paths(**{"slot.duration_ms": 1, "link.rate": rate, "flows.0.traffic": traffic})
    assert paths == ([] if holds else ["flows.0.traffic.packet_bytes"])


def test_timers_have_a_floor_and_a_clock_may_be_exact() -> None:
    assert wrong_paths(**{"flows.0.tcp.rto.min_ms": 0.1, "flows.0.tcp.rto.tick_ms": 0}) == []
    assert wrong_paths(**{"flows.0.tcp.rto.tick_ms": 0.1}) == []
    assert wrong_paths(**{"flows.0.tcp.rto.tick_ms": 0.09}) == ["flows.0.tcp.rto.tick_ms"]
