"""HARQ in whole runs: chase combining on a constant channel against its closed form, and what waiting for order does.

The SINR is m dB above what the rate needs (m < 0). A block sent k times has its energies added, so transmission k is
lost with p_k = 1 / (1 + exp(2 (m + 10 log10 k + 1.472))). With at most r repetitions a block is given up with
probability p_1 .. p_(r+1) and is sent 1 + p_1 + p_1 p_2 + .. + p_1 .. p_r times in the mean. Blocks are independent,
so tolerances are 4.5 standard deviations of a mean over them.
"""

from __future__ import annotations

import itertools
import math
import random
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

import airlink
from airlink import Scenario

DELIVERED, RETRY_LIMIT = 0, 3
ROUND_TRIP = 5
FADING = [{"kind": "rayleigh"}, {"kind": "tapped_delay_line", "profile": "tu6"}]

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


class Ends(NamedTuple):
    """Of each packet of a user, in the order in which they came: when it ended, and how."""

    ended_s: NDArray[np.float64]
    fate: NDArray[np.int64]


def ends(cell: Scenario, seed: int) -> list[Ends]:
    """Of each user; every packet is in the series once, and their bytes are those of the summary."""
    result = airlink.run(cell, seed=seed, record=["packets"])
    packets, found = result.series("packets"), []
    for user in range(cell.users):
        rows = np.flatnonzero(packets["user"] == user)
        rows = rows[np.argsort(packets["transmission"][rows])]
        assert packets["transmission"][rows].tolist() == list(range(rows.size))
        size, fate = packets["bytes"][rows], packets["fate"][rows]
        assert int(result.users["bytes_in"][user]) == int(size.sum())
        assert int(result.users["delivered_bytes"][user]) == int(size[fate == DELIVERED].sum())
        assert int(result.users["drops_retry_limit"][user]) == int((fate == RETRY_LIMIT).sum())
        ended_s = packets["ended_s"][rows]
        found.append(Ends(np.where(np.isnan(ended_s), np.inf, ended_s), fate))
    return found


def assert_order_only_waits(cell: Scenario, seed: int) -> tuple[float, float]:
    """The same blocks are lost either way, so order makes a packet wait for those before it, given up or through.

    Returns how many of the packets had to wait, and how many were given up.
    """
    waited, given_up, count = 0, 0, 0
    pairs = zip(*(ends(cell.with_(**{"rlc.in_order": in_order}), seed) for in_order in (True, False)), strict=True)
    for ordered, free in pairs:
        delivered = free.fate == DELIVERED
        expected = np.where(delivered, np.maximum.accumulate(free.ended_s), free.ended_s)
        np.testing.assert_array_equal(ordered.ended_s, expected)
        waited += int((expected > free.ended_s).sum())
        given_up += int((free.fate == RETRY_LIMIT).sum())
        count += free.fate.size
    return waited / count, given_up / count


@pytest.mark.parametrize(("unit", "subchannels"), [("block", 1), ("block", 7), ("pdu", 1), ("pdu", 7)])
@pytest.mark.parametrize("margin_db", [0, -3, -6])
def test_packets_in_order_go_when_all_before_them_have_and_not_later(
    unit: str, subchannels: int, margin_db: float
) -> None:
    settings = {
        "duration_s": 3,
        "flows.0.traffic.packet_bytes": 100,
        "carrier.subchannels": subchannels,
        "link.harq": {"kind": "chase", "unit": unit, "round_trip_slots": ROUND_TRIP, "max_retransmissions": 3},
        "link.rate.thresholds_db": [10 - margin_db],
    }
    waited, given_up = assert_order_only_waits(CELL.with_(**settings), 5)
    assert waited > 0.1, "some came early"
    assert (given_up > 0.004) == (margin_db == -6)


def any_cell(draws: random.Random) -> Scenario:
    """Users who fade, with late and wrong reports, any HARQ, ARQ above it, and PDUs of any size."""
    harq = {
        "kind": draws.choice(["none", "chase", "chase"]),
        "unit": "pdu",
        "processes": draws.choice([1, 3, 8]),
        "round_trip_slots": draws.choice([1, 4, 8]),
        "max_retransmissions": draws.choice([0, 1, 3]),
    }
    if harq["kind"] == "chase":
        harq["unit"] = draws.choice(["pdu", "block"])
    settings = {
        "duration_s": 1.5,
        "users": draws.choice([1, 2, 3]),
        "carrier.subchannels": draws.choice([1, 5, 16]),
        "channel.placement.mean_snr_db": draws.uniform(2, 14),
        "channel.fading": draws.choice(FADING) | {"doppler_hz": 15},
        "link.rate": {"kind": "table", "thresholds_db": [2, 8], "rates_bps": [4e6, 9.6e6]},
        "link.report": {"delay_slots": draws.choice([0, 3]), "error_sd_db": draws.choice([1, 3])},
        "link.harq": harq,
        "link.arq": {"max_retransmissions": draws.choice([0, 0, 1, 4]), "feedback_delay_slots": draws.choice([0, 3])},
        "rlc.segment_bytes": draws.choice([1, 40, 100]),
        "rlc.segment_header_bytes": draws.choice([0, 2]),
        "rlc.carry_fraction": draws.random() < 0.5,
        "scheduler": {"kind": draws.choice(["round_robin", "max_rate", "proportional_fair"])},
        "flows.0.traffic.packet_bytes": draws.choice([60, 300, 1500]),
    }
    return CELL.with_(**settings)


@pytest.mark.parametrize("cells", [20, pytest.param(300, marks=pytest.mark.validate)])
def test_in_any_cell_under_random_loss_order_only_waits(cells: int) -> None:
    shares = [assert_order_only_waits(any_cell(random.Random(seed)), seed) for seed in range(cells)]
    waited, given_up = np.mean(shares, axis=0)
    assert waited > 0.01
    assert given_up > 0.0005
