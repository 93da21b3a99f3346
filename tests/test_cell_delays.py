"""The delay of the packets of all users, as one table of the cell: users pooled, not users averaged."""

from __future__ import annotations

import numpy as np
import pytest

from airlink import Scenario, run
from airlink.engine import Replica

CELL = """
duration_s = 4
warmup_s = 1
users = 6
slot.duration_ms = 2
channel.placement = { kind = "mean_snr_range", low_db = 0, high_db = 20 }
link.rate = { kind = "capacity", bandwidth_hz = 1e6 }
queue.limit_packets = 40
[[flows]]
users = [0, 1, 2, 5]
"""
WIRE = """
duration_s = 6
warmup_s = 2
users = 3
[bottleneck]
rate_bps = 3e6
delay_ms = 0
limit_packets = 25
[[flows]]
users = [0, 2]
path.downlink_delay_ms = 20
"""
HALF_A_BIN = 0.035


def replica_of(text: str) -> Replica:
    (replica,) = run(Scenario.from_toml(text), seed=3, record=["packets"]).replicas
    return replica


def waited_s(replica: Replica, warmup_s: float) -> np.ndarray:
    """What each packet waited that left after the warm-up."""
    packets = replica.series["packets"]
    is_counted = (packets["fate"] == 0) & (packets["ended_s"] > warmup_s)
    return np.asarray((packets["ended_s"] - packets["queued_s"])[is_counted])


@pytest.mark.parametrize(("text", "warmup_s"), [(CELL, 1), (WIRE, 2)], ids=["cell", "bottleneck"])
def test_the_cell_has_the_delay_of_the_packets_of_all_users(text: str, warmup_s: float) -> None:
    replica = replica_of(text)
    cell, delay_s = replica.cell, waited_s(replica, warmup_s)
    assert cell["queueing_delay_count"] == len(delay_s) > 500
    assert cell["queueing_delay_mean_s"] == pytest.approx(delay_s.mean(), rel=1e-9)
    assert cell["queueing_delay_sd_s"] == pytest.approx(delay_s.std(ddof=1), rel=1e-9)
    assert cell["queueing_delay_min_s"] == pytest.approx(delay_s.min(), rel=1e-9)
    assert cell["queueing_delay_max_s"] == pytest.approx(delay_s.max(), rel=1e-9)
    for percent in (50, 90, 95, 99):
        expected = np.quantile(delay_s, percent / 100)
        assert cell[f"queueing_delay_p{percent}_s"] == pytest.approx(expected, rel=HALF_A_BIN)


@pytest.mark.parametrize("text", [CELL, WIRE], ids=["cell", "bottleneck"])
def test_users_are_pooled_by_packets_and_who_had_none_counts_nothing(text: str) -> None:
    replica = replica_of(text)
    cell, users = replica.cell, replica.users
    counts = np.asarray(users["queueing_delay_count"])
    means = np.where(counts > 0, users["queueing_delay_mean_s"], 0)
    assert np.any(counts == 0)
    assert cell["queueing_delay_count"] == counts.sum()
    assert cell["queueing_delay_mean_s"] == pytest.approx((means * counts).sum() / counts.sum(), rel=1e-12)
    assert cell["queueing_delay_mean_s"] != pytest.approx(means[counts > 0].mean(), rel=1e-3)
    assert cell["queueing_delay_max_s"] == np.nanmax(users["queueing_delay_max_s"])
    assert cell["queueing_delay_min_s"] == np.nanmin(users["queueing_delay_min_s"])


def test_a_cell_without_packets_has_no_delay() -> None:
    idle = Scenario.from_toml(CELL).with_(**{"flows.0.start_s": 3.999, "warmup_s": 0})
    (replica,) = run(idle, seed=1).replicas
    assert replica.cell["queueing_delay_count"] == 0
    assert np.isnan([replica.cell[f"queueing_delay_{name}_s"] for name in ("mean", "sd", "p95", "max")]).all()
