"""HARQ in whole runs: chase combining on a constant channel against its closed form, and what waiting for order does.

The SINR is m dB above what the rate needs (m < 0). A block sent k times has its energies added, so transmission k is
lost with p_k = 1 / (1 + exp(2 (m + 10 log10 k + 1.472))). With at most r repetitions a block is given up with
probability p_1 .. p_(r+1) and is sent 1 + p_1 + p_1 p_2 + .. + p_1 .. p_r times in the mean. Blocks are independent,
so tolerances are 4.5 standard deviations of a mean over them.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import airlink
from airlink import Scenario

DELIVERED, RETRY_LIMIT = 0, 3
ROUND_TRIP = 5

CELL = Scenario.from_toml(f"""
duration_s = 30
users = 1
slot.duration_ms = 1
channel.placement = {{ kind = "mean_snr", mean_snr_db = 10 }}
link.rate = {{ kind = "table", thresholds_db = [10], rates_bps = [9.6e6] }}
link.report.backoff_db = -30
link.errors.curve = {{ kind = "logistic", slope_per_db = 2, offset_db = 1.472 }}
link.harq = {{ kind = "chase", processes = 5, round_trip_slots = {ROUND_TRIP} }}
rlc.segment_bytes = 40
scheduler.kind = "round_robin"
flows = [{{ traffic = {{ kind = "backlogged", packet_bytes = 700 }} }}]
""")


def losses(margin_db: float, transmissions: int) -> list[float]:
    """p_1, p_2, .. ."""
    margins = (margin_db + 10 * math.log10(count) for count in range(1, transmissions + 1))
    return [1 / (1 + math.exp(2 * (margin + 1.472))) for margin in margins]


@pytest.mark.parametrize(("unit", "subchannels"), [("block", 1), ("block", 16), ("pdu", 1), ("pdu", 16)])
@pytest.mark.parametrize(("margin_db", "repetitions"), [(0, 1), (-2, 0), (-3, 1), (-6, 3), (-8, 5), (-11, 9)])
def test_residual_losses_and_mean_transmissions_are_those_of_chase_combining(
    unit: str, subchannels: int, margin_db: float, repetitions: int
) -> None:
    lost = losses(margin_db, repetitions + 1)
    reached = [1.0, *itertools.accumulate(lost, lambda before, each: before * each)]
    residual, mean = reached[-1], sum(reached[:-1])
    square = sum((2 * count + 1) * share for count, share in enumerate(reached[:-1]))
    # A packet that is given up takes its other PDUs along, so it is to have one only: 30 of 40 bytes a slot.
    settings = {
        "duration_s": 4 if unit == "pdu" else 30,
        "flows.0.traffic.packet_bytes": 40 if unit == "pdu" else 700,
        "carrier.subchannels": subchannels,
        "link.harq.unit": unit,
        "link.harq.max_retransmissions": repetitions,
        "link.rate.thresholds_db": [10 - margin_db],
    }
    users = airlink.run(CELL.with_(**settings), seed=1).users
    sent, repeated, errors, given_up = (
        int(users[name][0]) for name in ("frames_sent", "frames_repeated", "frame_errors", "frames_given_up")
    )
    blocks, waiting = sent - repeated, errors - given_up - repeated
    per_slot = 30 if unit == "pdu" else 1
    assert 0 <= waiting <= ROUND_TRIP * per_slot
    assert blocks > 3000
    # What waits at the end may yet be given up, and sent so often.
    bound = 4.5 * math.sqrt(residual * (1 - residual) / blocks) + waiting / blocks
    assert abs(given_up / blocks - residual) <= bound, f"{given_up / blocks} for {residual} +- {bound}"
    bound = 4.5 * math.sqrt((square - mean**2) / blocks) + waiting * repetitions / blocks
    assert abs(sent / blocks - mean) <= bound, f"{sent / blocks} for {mean} +- {bound}"


@pytest.mark.parametrize(("unit", "subchannels"), [("block", 1), ("block", 7), ("pdu", 1), ("pdu", 7)])
@pytest.mark.parametrize("margin_db", [0, -3, -6])
def test_packets_in_order_go_when_all_before_them_have_and_not_later(
    unit: str, subchannels: int, margin_db: float
) -> None:
    """The same blocks are lost either way, so order makes a packet wait for those before it, given up or through."""
    settings = {
        "duration_s": 3,
        "flows.0.traffic.packet_bytes": 100,
        "carrier.subchannels": subchannels,
        "link.harq": {"kind": "chase", "unit": unit, "round_trip_slots": ROUND_TRIP, "max_retransmissions": 3},
        "link.rate.thresholds_db": [10 - margin_db],
    }
    ended, fates = {}, {}
    for in_order in (True, False):
        cell = CELL.with_(**settings, **{"rlc.in_order": in_order})
        result = airlink.run(cell, seed=5, record=["packets"])
        rows = result.series("packets")
        order = np.argsort(rows["transmission"])
        assert (rows["transmission"][order] == np.arange(order.size)).all(), "each packet is there once"
        fates[in_order] = rows["fate"][order]
        ended[in_order] = np.where(np.isnan(rows["ended_s"]), np.inf, rows["ended_s"])[order]
        delivered_bytes = int(rows["bytes"][rows["fate"] == DELIVERED].sum())
        assert int(result.users["delivered_bytes"][0]) == delivered_bytes
        assert int(result.users["drops_retry_limit"][0]) == int((rows["fate"] == RETRY_LIMIT).sum())
        assert int(result.users["bytes_in"][0]) == int(rows["bytes"].sum())
    delivered = fates[False] == DELIVERED
    expected = np.where(delivered, np.maximum.accumulate(ended[False]), ended[False])
    np.testing.assert_array_equal(ended[True], expected)
    assert np.mean(expected[delivered] > ended[False][delivered]) > 0.1, "some came early"
    assert ((fates[False] == RETRY_LIMIT).mean() > 0.004) == (margin_db == -6)
