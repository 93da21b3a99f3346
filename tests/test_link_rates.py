"""Rates from schemes, coded blocks and their HARQ in the engine, against the closed forms of `airlink.models`.

Tolerances of counts are 4.5 standard errors of what the closed form says. Leaves out the link by itself: see
crates/model/tests/link_mcs.rs and link_block_errors.rs.
"""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
import pytest
from numpy.typing import NDArray

import airlink
from airlink import Result, Scenario, models
from airlink.engine import rate_table
from airlink.models import CodedBlock
from airlink.scenario.mcs_sets import MCS_SETS
from frames import fits, frames

Combining = Literal["none", "chase", "incremental_redundancy"]
Effective = Literal["mean_db", "eesm", "miesm"]
EFFECTIVE: tuple[Effective, ...] = ("mean_db", "eesm", "miesm")
Levels = NDArray[np.float64]

GAP_DB = 1.0
BLOCK_BITS = 96

# One user who always has something to get. A slot holds BLOCK_BITS; reports are 40 dB too good, so it's always sent.
CONSTANT = Scenario.from_toml(f"""
duration_s = 20
users = 1
slot.duration_ms = 1
channel.placement = {{ kind = "mean_snr", mean_snr_db = 0 }}
scheduler = {{ kind = "round_robin" }}
flows = [{{ traffic = {{ kind = "backlogged", packet_bytes = {BLOCK_BITS // 8} }} }}]

[link]
report.backoff_db = -40
errors.curve = {{ kind = "coded" }}

[link.rate]
kind = "mcs"
set = "custom"
bits_per_symbol = [2]
code_rates = [0.5]
bandwidth_hz = {1000 * BLOCK_BITS}
gap_db = {GAP_DB}
reference_bits = {BLOCK_BITS}
""")


def sent_by(bits: int, rate: float, snr_db: float, **changes: Any) -> Scenario:
    """The constant channel, with a slot of BLOCK_BITS of one scheme."""
    schemes = {"link.rate.bits_per_symbol": [bits], "link.rate.code_rates": [rate]}
    bandwidth = {"link.rate.bandwidth_hz": 1000 * BLOCK_BITS / (bits * rate)}
    return CONSTANT.with_(**{**schemes, **bandwidth, "channel.placement.mean_snr_db": snr_db, **changes})


def block(bits: int, rate: float) -> CodedBlock:
    return CodedBlock(BLOCK_BITS, bits, rate, GAP_DB)


CASES: list[tuple[int, float, float, Combining]] = [
    (2, 0.5, 1.0, "chase"),
    (2, 0.5, -2.0, "chase"),
    (2, 0.5, -3.0, "chase"),
    (6, 0.8, 12.0, "chase"),
    (2, 0.5, 2.0, "incremental_redundancy"),
    (2, 0.5, -2.0, "incremental_redundancy"),
    (2, 0.5, -3.0, "incremental_redundancy"),
    (6, 0.8, 8.0, "incremental_redundancy"),
]


@pytest.mark.parametrize(("bits", "rate", "snr_db", "combining"), CASES)
@pytest.mark.parametrize("subchannels", [1, 4])
def test_losses_and_transmissions_on_a_constant_channel_are_those_of_the_closed_form(
    bits: int, rate: float, snr_db: float, combining: Combining, subchannels: int
) -> None:
    lost = models.harq_error_rates(block(bits, rate), snr_db, combining, 2)
    scenario = sent_by(bits, rate, snr_db, **{"carrier.subchannels": subchannels, "link.harq.kind": combining})
    alone = scenario.with_(**{"link.harq.kind": "none"})
    sent, again, errors, _ = frames(alone)
    assert (sent, again) == (20_000, 0)
    assert fits(errors / sent, lost[0], sent)
    # Two transmissions at most. What is still in flight at the end, 8 blocks, counts for nothing.
    sent, again, errors, given_up = frames(scenario.with_(**{"link.harq.max_retransmissions": 1}))
    first = sent - again
    assert fits(given_up / first, lost.prod(), first) or abs(given_up - first * lost.prod()) <= 8
    assert abs(sent / first - (1 + lost[0])) <= 4.5 * math.sqrt(lost[0] * (1 - lost[0]) / first) + 8 / first
    assert first + again == 20_000


def test_the_third_and_fourth_transmission_combine_with_all_before_them() -> None:
    for snr_db, bits, rate in ((-3.0, 2, 0.5), (12.0, 6, 0.8)):
        lost = models.harq_error_rates(block(bits, rate), snr_db, "chase")
        sent, again, _, given_up = frames(sent_by(bits, rate, snr_db, **{"link.harq.kind": "chase"}))
        first = sent - again
        reached = np.concatenate([[1.0], np.cumprod(lost[:-1])])  # [transmission]
        mean = reached.sum()
        square = float(((2 * np.arange(1, 5) - 1) * reached).sum())
        assert abs(sent / first - mean) <= 4.5 * math.sqrt((square - mean**2) / first) + 24 / first
        assert fits(given_up / first, lost.prod(), first)


def two_levels(seed: int, mean_db: float = 9.0, **changes: Any) -> tuple[Levels, Result]:
    """Two subchannels that stay as they are: their true SNR in dB, and the run."""
    taps = {"profile": "custom", "delays_ns": [0, 500], "powers_db": [0, -6]}
    scenario = sent_by(4, 0.6, mean_db).with_(
        **{
            "carrier.subchannels": 2,
            "carrier.subchannel_hz": 1e6,
            "channel.fading": {"kind": "tapped_delay_line", **taps, "doppler_hz": 0},
            **changes,
        }
    )
    result = airlink.run(scenario, seed=seed, record=["grants"])
    grants = result.series("grants")
    level = [grants["true_db"][grants["subchannel"] == subchannel] for subchannel in (0, 1)]
    assert all(np.ptp(each) == 0 for each in level)
    return np.array([float(each[0]) for each in level]), result


def lost_as(effective: Effective, beta: float, levels_db: Levels) -> float:
    """The share of lost blocks of 16QAM 0.6, half of each on each level."""
    reduced_db, same = levels_db - GAP_DB, [1, 1]
    if effective == "mean_db":
        mean_db = float(reduced_db.mean())
    elif effective == "eesm":
        mean_db = models.exponential_effective_snr(reduced_db, same, beta)
    else:
        mean_db = models.mutual_information_effective_snr(reduced_db, same, 4)
    return block(4, 0.6).error_rate(mean_db + GAP_DB)


def mean_for(effective: Effective, beta: float, levels_db: Levels, mean_db: float) -> float:
    """The mean SNR at which 0.3 are lost, when levels are `levels_db` at `mean_db`."""
    low, high = -20.0, 30.0
    for _ in range(30):
        middle = 0.5 * (low + high)
        too_weak = lost_as(effective, beta, levels_db + middle) > 0.3
        low, high = (middle, high) if too_weak else (low, middle)
    return mean_db + high


def lost_share(result: Result) -> tuple[float, float]:
    """Of the blocks sent, and how many those are."""
    sent, lost = (float(result.users[name].sum()) for name in ("frames_sent", "frame_errors"))
    return lost / sent, sent


SEEDS = range(1, 6)
# The engine reads its curves from tables: 5e-3 dB, at which shares near 0.3 differ by less than this.
SLACK = 3e-3


@pytest.mark.parametrize("effective", ["mean_db", "eesm", "miesm"])
def test_a_block_over_two_levels_is_lost_as_its_effective_snr_says(effective: Effective) -> None:
    threshold_db = models.required_snr_db(0.1, BLOCK_BITS, 4, 0.6)
    beta = models.second_order_beta(threshold_db, 4)
    told_apart = set()
    for seed in SEEDS:
        at_9_db, _ = two_levels(seed, duration_s=0.01)
        mean_db = mean_for(effective, beta, at_9_db, 9.0)
        levels_db, result = two_levels(seed, mean_db, **{"link.errors.curve.effective": effective})
        share, sent = lost_share(result)
        expected = lost_as(effective, beta, levels_db)
        assert 0.25 < expected < 0.35
        assert abs(share - expected) <= 4.5 * deviation(expected, sent) + SLACK
        for other in EFFECTIVE:
            value = lost_as(other, beta, levels_db)
            if abs(share - value) > 6 * deviation(value, sent) + SLACK:
                told_apart.add(other)
    assert told_apart == set(EFFECTIVE) - {effective}, "the levels tell one mapping from the others"


def deviation(probability: float, trials: float) -> float:
    return math.sqrt(probability * (1 - probability) / trials)


def test_betas_that_are_given_belong_to_the_schemes_of_the_set_also_where_one_is_of_no_use() -> None:
    """QPSK 0.99 asks for more than 16QAM 0.6, so that is the first row of the table, with the second beta."""
    schemes = {"link.rate.bits_per_symbol": [2, 4], "link.rate.code_rates": [0.99, 0.6]}
    curve = {"kind": "coded", "effective": "eesm", "betas": [0.1, 2.0]}
    changes = {**schemes, "link.errors.curve": curve}
    at_9_db, _ = two_levels(3, duration_s=0.01)
    levels_db, result = two_levels(3, mean_for("eesm", 2.0, at_9_db, 9.0), **changes)
    table = rate_table(result.scenario)
    assert table is not None
    assert (table["scheme"].tolist(), table["beta"].round(6).tolist()) == ([1], [2.0])
    share, sent = lost_share(result)
    expected = lost_as("eesm", 2.0, levels_db)
    assert 0.25 < expected < 0.35
    assert abs(share - expected) <= 4.5 * deviation(expected, sent) + SLACK
    assert abs(share - lost_as("eesm", 0.1, levels_db)) > 0.1


def test_a_block_over_two_rows_is_one_of_the_higher_with_the_margins_of_both() -> None:
    """Each subchannel is sent by the row that its own report allows; 1.5 dB too good, so that blocks are lost."""
    set_rows: dict[str, Any] = {
        "link.rate.set": "nr-mcs-256qam",
        "link.rate.bandwidth_hz": 2e6,
        "link.report.backoff_db": -1.5,
    }
    spanned = set()
    for seed in SEEDS:
        levels_db, result = two_levels(seed, **set_rows)
        table = rate_table(result.scenario)
        assert table is not None
        rows = np.searchsorted(table["threshold_db"], levels_db + 1.5, side="right") - 1
        bits = table["rate_bps"][rows] / 2 * 1e-3
        high = int(rows.max())
        scheme = (int(table["bits_per_symbol"][high]), float(table["code_rate"][high]))
        margins_db = levels_db - table["threshold_db"][rows]
        reduced_db = table["threshold_db"][high] + margins_db - GAP_DB
        effective_db = models.mutual_information_effective_snr(reduced_db, bits, scheme[0])
        expected, beside = models.block_error_rate(
            [effective_db, effective_db - 5e-3], 8 * math.floor(bits.sum() / 8), *scheme
        )
        share, sent = lost_share(result)
        assert abs(share - expected) <= 4.5 * deviation(float(expected), sent) + float(beside - expected)
        spanned.add(int(np.ptp(rows)))
    assert max(spanned) > 1


@pytest.mark.parametrize("subchannels", [1, 8])
def test_rows_of_the_series_mcs_are_those_of_the_table_and_its_rates_are_granted(subchannels: int) -> None:
    rate = {"kind": "mcs", "set": "nr-mcs-64qam", "bandwidth_hz": 5e6, "overhead": 0.2}
    scenario = CONSTANT.with_(
        **{
            "duration_s": 0.1,
            "users": 30,
            "carrier.subchannels": subchannels,
            "channel.placement": {"kind": "mean_snr_range", "low_db": -8, "high_db": 22},
            "link": {"rate": rate},
            "flows.0.traffic.packet_bytes": 1500,
        }
    )
    table = rate_table(scenario)
    assert table is not None
    result = airlink.run(scenario, seed=1, record=["mcs"])
    used = result.series("mcs")
    snr_db = np.asarray(result.users["mean_snr_db"])[used["user"]]
    best = np.searchsorted(table["threshold_db"], snr_db, side="right") - 1
    granted = used["grants"] > 0
    assert (used["mcs"] == np.maximum(best, 0))[granted].all()
    assert len(set(used["mcs"])) > 20
    bytes_each = table["rate_bps"][used["mcs"]] / subchannels * 1e-3 / 8
    assert used["granted_bytes"] == pytest.approx(used["grants"] * bytes_each, rel=1e-6)
    efficiency = table["bits_per_symbol"] * table["code_rate"]
    assert table["rate_bps"] == pytest.approx(efficiency * 5e6 * 0.8)


@pytest.mark.parametrize("name", sorted(MCS_SETS))
def test_thresholds_are_the_snr_at_which_the_closed_form_has_the_target(name: str) -> None:
    rate = {"kind": "mcs", "set": name, "bandwidth_hz": 1e6, "gap_db": 2, "reference_bits": 1000, "target_bler": 0.01}
    table = rate_table(CONSTANT.with_(link={"rate": rate}))
    assert table is not None
    for scheme in (0, len(table["scheme"]) // 2, -1):
        bits, code_rate = int(table["bits_per_symbol"][scheme]), float(table["code_rate"][scheme])
        asked_db = models.required_snr_db(0.01, 1000, bits, code_rate, gap_db=2)
        assert table["threshold_db"][scheme] == pytest.approx(asked_db, abs=1.5e-3)
        place = int(table["scheme"][scheme])
        assert (bits, code_rate) == (MCS_SETS[name].bits_per_symbol[place], MCS_SETS[name].code_rates[place])


def test_the_threshold_rule_loses_a_frame_whose_row_asks_for_more_than_there_is() -> None:
    plain = {"link": {"rate": {"kind": "mcs", "bandwidth_hz": 1e6}, "errors": {"threshold_rule": True}}}
    table = rate_table(CONSTANT.with_(**plain))
    assert table is not None
    threshold_db = float(table["threshold_db"][12])
    for harq in ({}, {"link.harq.unit": "pdu"}):
        for backoff_db, lost in ((0.0, 0.0), (-0.2, 1.0)):
            changes = {"channel.placement.mean_snr_db": threshold_db - 0.1, "link.report.backoff_db": backoff_db}
            users = airlink.run(CONSTANT.with_(**plain, **harq, **changes, duration_s=0.1), seed=1).users
            assert users["frame_errors"].sum() == lost * users["frames_sent"].sum() > -1
            assert users["frames_sent"].sum() > 0


def test_a_logistic_curve_takes_its_margins_over_the_thresholds_of_schemes() -> None:
    curve = {"link.errors.curve": {"kind": "logistic", "slope_per_db": 2, "offset_db": 0}}
    table = rate_table(CONSTANT)
    assert table is not None
    threshold_db = float(table["threshold_db"][0])
    for margin_db in (-0.5, 0.0, 1.0):
        sent, _, lost, _ = frames(sent_by(2, 0.5, threshold_db + margin_db, **curve))
        assert fits(lost / sent, 1 / (1 + math.exp(2 * margin_db)), sent)
