"""Over slots many ACKs come in one moment, and nothing is sent again that has arrived.

A whole slot's packets are delivered at its end, so their ACKs reach the sender in one nanosecond, and it sends new data
and repairs in that nanosecond. Links here lose by full queues alone, so every segment sent again must be one that was
dropped: resent = dropped, but for the drops that are not yet repaired when the run ends.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import airlink
from airlink.scenario import Scenario

SLOTS_MS = (0.5, 1.0, 5.0)


def cell(slot_ms: float, *, users: int = 1, scheduler: str = "round_robin", **tcp: Any) -> Scenario:
    """Users at 20 dB and 10 Mb/s, 20 ms there and back, drop-tail queues; profile `linux`."""
    return Scenario.model_validate(
        {
            "duration_s": 40.0,
            "users": users,
            "slot": {"duration_ms": slot_ms},
            "channel": {"placement": {"kind": "mean_snr", "mean_snr_db": 20.0}},
            "link": {"rate": {"kind": "capacity", "bandwidth_hz": 1.5e6}},
            "scheduler": {"kind": scheduler},
            "queue": {"limit_packets": 40},
            "flows": [
                {
                    "users": "all",
                    "start_spread_s": 1.0 if users > 1 else 0.0,
                    "traffic": {"kind": "greedy"},
                    "path": {"downlink_delay_ms": 10.0, "uplink_delay_ms": 10.0},
                    "tcp": {"profile": "linux", **tcp},
                }
            ],
        }
    )


def needless(scenario: Scenario, seed: int) -> tuple[int, int]:
    """Segments sent again beyond those dropped, and those dropped, over the flows whose timer and probe never fired.

    A gap of the scheduler may expire a timer though nothing is lost: that is no mistake of loss detection.
    """
    replica = airlink.run(scenario, seed=seed).replicas[0]
    flows, dropped = replica.flows, replica.users["drops_queue_full"]
    calm = flows["timeouts"] + flows["tail_loss_probes"] == 0
    assert calm.sum() >= calm.size / 2
    return int(np.sum(np.maximum(flows["retransmissions"] - dropped, 0)[calm])), int(np.sum(dropped[calm]))


@pytest.mark.parametrize("slot_ms", SLOTS_MS)
@pytest.mark.parametrize("algorithm", ["reno", "cubic"])
@pytest.mark.parametrize("limit", [20, 40, 80])
def test_alone_nothing_is_sent_again_that_arrived(slot_ms: float, algorithm: str, limit: int) -> None:
    scenario = cell(slot_ms, congestion_control=algorithm).with_(**{"queue.limit_packets": limit})
    too_many, dropped = needless(scenario, seed=1)
    assert dropped > 10  # else there was nothing to repair
    assert too_many == 0


def test_a_terminal_that_merges_bursts_sends_one_ack_a_slot() -> None:
    acks = {
        merge_bytes: airlink.run(cell(5.0, delayed_ack={"merge_bytes": merge_bytes}), seed=1).replicas[0].flows
        for merge_bytes in (0, 65_535)
    }
    slots = 40.0 / 5e-3
    merged, each = (float(acks[merge_bytes]["acks_received"][0]) for merge_bytes in (65_535, 0))
    assert 0.97 * slots < merged < 1.03 * slots  # a slot in slow start or after a loss may have none, or two
    assert each > 2 * merged


@pytest.mark.parametrize("slot_ms", SLOTS_MS)
@pytest.mark.parametrize("scheduler", ["round_robin", "proportional_fair"])
@pytest.mark.parametrize("algorithm", ["reno", "cubic"])
def test_beside_others_nothing_is_sent_again_that_arrived(slot_ms: float, scheduler: str, algorithm: str) -> None:
    for seed in (1, 2):
        too_many, dropped = needless(cell(slot_ms, users=4, scheduler=scheduler, congestion_control=algorithm), seed)
        assert dropped > 10
        assert too_many == 0
