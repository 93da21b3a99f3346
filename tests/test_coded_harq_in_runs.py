"""Coded blocks of whole runs on a constant channel, against the normal approximation reckoned here from constellations.

k bits in n = k / (m r) symbols of a square constellation with 2^m points, at an SINR less the gap, are lost with
probability Q((n C - k + log2(n) / 2) / sqrt(n V)). C and V are mean and variance of a symbol's information density, by
the trapezoidal rule over the noise of one of its two dimensions. Chase combining adds SINRs; incremental redundancy
adds C, and the block is as at the SINR that has the sum. Residual losses and mean transmissions follow as products;
tolerances are 4.5 standard deviations over blocks.
"""

from __future__ import annotations

import functools
import itertools
import math

import numpy as np
import pytest
from scipy.integrate import trapezoid
from scipy.optimize import brentq
from scipy.stats import norm

import airlink
from airlink import Scenario

BITS, GAP_DB, SLOTS = 96, 1.5, 20_000


@functools.cache
def density(bits_per_symbol: int, snr: float) -> tuple[float, float]:
    """Mean and variance of the information density of a symbol, bits."""
    levels = 2 ** (bits_per_symbol // 2)
    points = np.arange(levels) * 2.0 - (levels - 1)
    points /= math.sqrt((points**2).mean())
    noise = np.linspace(-9, 9, 4001)
    weight = np.exp(-(noise**2) / 2) / math.sqrt(2 * math.pi)
    # Both dimensions have half of the signal and half of the noise.
    apart = math.sqrt(snr) * (points[:, np.newaxis, np.newaxis] - points[:, np.newaxis])
    likely = np.exp(-(((apart + noise) ** 2) - noise**2) / 2).mean(axis=1)  # [point sent, noise]
    information = -np.log2(likely)
    mean = float(trapezoid(information * weight, noise).mean())
    square = float(trapezoid(information**2 * weight, noise).mean())
    return 2 * mean, 2 * (square - mean**2)


def lost(bits_per_symbol: int, rate: float, snr: float) -> float:
    """Of a block of BITS, at an SINR from which the gap is taken already."""
    symbols = BITS / (bits_per_symbol * rate)
    mean, variance = density(bits_per_symbol, snr)
    return float(norm.sf((symbols * mean - BITS + math.log2(symbols) / 2) / math.sqrt(symbols * variance)))


def losses(bits_per_symbol: int, rate: float, snr_db: float, combining: str, transmissions: int) -> list[float]:
    """Of the first transmission, of the second after a first that was lost, .. ."""
    snr = 10 ** ((snr_db - GAP_DB) / 10)
    if combining == "chase":
        return [lost(bits_per_symbol, rate, snr * count) for count in range(1, transmissions + 1)]
    mean = density(bits_per_symbol, snr)[0]

    def worth(count: int) -> float:
        return float(brentq(lambda at: density(bits_per_symbol, at)[0] - count * mean, snr * 0.9, snr * 1e3))

    return [lost(bits_per_symbol, rate, worth(count)) for count in range(1, transmissions + 1)]


def cell(bits_per_symbol: int, rate: float, snr_db: float, combining: str, repetitions: int) -> Scenario:
    """A block of BITS in every slot; what is reported is far too good, so that it is always sent."""
    return Scenario.from_toml(f"""
        duration_s = {SLOTS / 1000}
        users = 1
        slot.duration_ms = 1
        channel.placement = {{ kind = "mean_snr", mean_snr_db = {snr_db} }}
        scheduler.kind = "round_robin"
        flows = [{{ traffic = {{ kind = "backlogged", packet_bytes = {BITS // 8} }} }}]
        [link]
        report.backoff_db = -40
        errors.curve = {{ kind = "coded" }}
        harq = {{ kind = "{combining}", max_retransmissions = {repetitions}, round_trip_slots = 4, processes = 4 }}
        [link.rate]
        kind = "mcs"
        set = "custom"
        bits_per_symbol = [{bits_per_symbol}]
        code_rates = [{rate}]
        bandwidth_hz = {1000 * BITS / (bits_per_symbol * rate)}
        gap_db = {GAP_DB}
        reference_bits = {BITS}
    """)


@pytest.mark.parametrize(
    ("bits_per_symbol", "rate", "snr_db", "repetitions", "combining"),
    [
        (2, 0.5, 2.0, 0, "chase"),
        (2, 0.5, -1.0, 1, "chase"),
        (2, 1 / 3, -5.0, 2, "chase"),
        (4, 0.6, 5.5, 1, "chase"),
        (6, 0.75, 12.0, 2, "chase"),
        (2, 0.5, -2.0, 1, "incremental_redundancy"),
        (2, 1 / 3, -6.0, 2, "incremental_redundancy"),
        (4, 0.6, 3.0, 1, "incremental_redundancy"),
        (6, 0.75, 4.0, 2, "incremental_redundancy"),
    ],
)
def test_residual_losses_and_mean_transmissions_are_those_of_the_normal_approximation(
    bits_per_symbol: int, rate: float, snr_db: float, repetitions: int, combining: str
) -> None:
    each = losses(bits_per_symbol, rate, snr_db, combining, repetitions + 1)
    reached = [1.0, *itertools.accumulate(each, lambda before, loss: before * loss)]
    residual, mean = reached[-1], sum(reached[:-1])
    variance = sum((2 * count + 1) * share for count, share in enumerate(reached[:-1])) - mean**2
    users = airlink.run(cell(bits_per_symbol, rate, snr_db, combining, repetitions), seed=1).users
    names = ("frames_sent", "frames_repeated", "frame_errors", "frames_given_up")
    sent, repeated, errors, given_up = (int(users[name][0]) for name in names)
    blocks, waiting = sent - repeated, errors - given_up - repeated
    assert sent == SLOTS
    assert 0 <= waiting <= 4
    open_end = (waiting + 4) / blocks
    # The engine's tables of C and V are off by a few thousandths of a dB, and a dB is worth half of all blocks or less.
    slack = 0.003
    bound = 4.5 * math.sqrt(residual * (1 - residual) / blocks) + slack + open_end
    assert abs(given_up / blocks - residual) < bound, f"{given_up / blocks} for {residual} +- {bound}, {each}"
    bound = 4.5 * math.sqrt(variance / blocks) + slack * repetitions + open_end * repetitions + 1e-9
    assert abs(sent / blocks - mean) < bound, f"{sent / blocks} for {mean} +- {bound}, {each}"
    assert 0.05 < each[-1] < 0.65
