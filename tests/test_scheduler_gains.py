"""Gains of schedulers on many subchannels, in whole runs, against order statistics and integrals.

Four users with full queues and exact reports; all fading is redrawn in every slot. Three channels over 16 subchannels:
`flat`, all alike; `near`, alike from one to the next but not over the band; `apart`, any two uncorrelated. Rates are
log2(1 + SNR), in proportion to the SNR where that is 40 dB down, or a table's. Then

- MaxCIR gives users of unequal means what the largest of unequal exponentials has, and RR gives each its mean / N;
- MC-PF gives each user 1 / N of the subchannels and 1 + 1/2 + .. + 1/N times what RR gives it, on all three channels;
- PF of one carrier, which knows the mean over the band, gives that much on `flat` alone: the largest of N such means,
  which are sums of exponentials with the eigenvalues of the band's correlation as their means;
- averages that forget cost PF what `cost_of_memory` derives.

Tolerances are 4.5 standard deviations of a mean over slots, from the variances of the same laws.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import trapezoid
from scipy.linalg import expm

import airlink
from airlink import Scenario
from airlink.scenario.tables import TABLES

pytestmark = pytest.mark.thorough

Array = NDArray[np.float64]
USERS, SUBCHANNELS, PATHS, WIDTH_HZ = 4, 16, 64, 200e3
SLOTS, WARMUP, MEMORY, SEEDS = 1500, 500, 500, 12
SAMPLES = SEEDS * SLOTS
BANDWIDTH_HZ, FAINT_DB, OFFSETS_DB, FAIR_DB = 1e10, -40.0, (0.0, -1.0, -3.0, -6.0), 10.0
SPREAD_NS = {"flat": 0.0, "near": 900.0, "apart": PATHS / (SUBCHANNELS * WIDTH_HZ) * 1e9}
"""The delay spread of 64 equal paths. The last is four periods of the band: subchannels are uncorrelated."""
INDEPENDENT = {"flat": 1, "near": 1, "apart": SUBCHANNELS}
"""Least number of subchannels that fade independently."""

CELL = Scenario.from_toml(f"""
duration_s = {(SLOTS + WARMUP) * 1e-3}
warmup_s = {WARMUP * 1e-3}
users = {USERS}
slot.duration_ms = 1
carrier = {{ subchannels = {SUBCHANNELS}, subchannel_hz = {WIDTH_HZ} }}
link.rate = {{ kind = "capacity", bandwidth_hz = {BANDWIDTH_HZ} }}
flows = [{{ traffic = {{ kind = "backlogged" }} }}]
""")
MC_PF = {
    "kind": "proportional_fair",
    "time_constant_slots": MEMORY,
    "average_counts": "granted",
    "average_window": "growing",
    "initial_average_bps": 0,
}
ONE_CARRIER = {"group_subchannels": "inf", "effective": "mean_capacity"}
channels = pytest.mark.parametrize("channel", SPREAD_NS)


class Got(NamedTuple):
    """Rate (b/s) and share of the subchannels, arrays [seed, user]."""

    rate_bps: Array
    share: Array


def run(channel: str, means_db: Sequence[float], scheduler: dict[str, Any], **settings: Any) -> Got:
    fading = {"kind": "tapped_delay_line", "profile": "custom", "terms": 64, "doppler_hz": 1e6}
    fading["delays_ns"] = [SPREAD_NS[channel] * path / PATHS for path in range(PATHS)]
    fading["powers_db"] = [0.0] * PATHS
    placement = {"kind": "mean_snr", "mean_snr_db": list(means_db)}
    given = {"channel.placement": placement, "channel.fading": fading, "scheduler": scheduler}
    users = airlink.run(CELL.with_(**given, **settings), seed=1, replicas=SEEDS).users
    rate_bps, won = (users[name].reshape(SEEDS, USERS).astype(float) for name in ("granted_bps", "subchannels_won"))
    return Got(rate_bps, won / (SLOTS * SUBCHANNELS))


@functools.cache
def unequal(channel: str, kind: str) -> Got:
    """Users 6 dB apart, with rates in proportion to their SNR."""
    report = {"link.report": ONE_CARRIER} if kind == "one carrier" else {}
    scheduler = {"kind": kind} if kind in ("round_robin", "max_rate") else MC_PF
    return run(channel, [FAINT_DB + offset for offset in OFFSETS_DB], scheduler, **report)


def alone_bps() -> Array:
    """The rate of each user alone: W SNR / ln 2."""
    return np.asarray(BANDWIDTH_HZ * 10 ** ((FAINT_DB + np.array(OFFSETS_DB)) / 10) / math.log(2))


def gains(channel: str, kind: str) -> Array:
    """The gain of each user over one turn in N."""
    return np.asarray(USERS * unequal(channel, kind).rate_bps.mean(axis=0) / alone_bps())


class Law(NamedTuple):
    """A distribution: its CDF on an even grid of values from 0 on."""

    value: Array
    below: Array

    def mean(self) -> float:
        return self.largest(1)[0]

    def largest(self, count: int = USERS) -> tuple[float, float]:
        """Mean and variance of the largest of several independent draws."""
        above = 1 - self.below**count
        mean = float(trapezoid(above, self.value))
        return mean, float(2 * trapezoid(above * self.value, self.value)) - mean**2


def faint() -> Law:
    """The distribution of |H|^2."""
    value = np.linspace(0, 40, 40_001)
    return Law(value, 1 - np.exp(-value))


def faint_band(channel: str) -> Law:
    """The distribution of the mean of |H|^2 over the band: a sum of exponentials; means below 1e-6 are left out."""
    places = np.arange(SUBCHANNELS) * WIDTH_HZ
    delays_s = SPREAD_NS[channel] * np.arange(PATHS) / PATHS * 1e-9
    waves = np.exp(2j * np.pi * np.subtract.outer(places, places)[..., np.newaxis] * delays_s)
    means = np.linalg.eigvalsh(waves.mean(axis=-1)) / SUBCHANNELS
    means = means[means > 1e-6]
    step = 2e-3
    onwards = expm(step * (np.diag(-1 / means) + np.diag(1 / means[:-1], 1)))
    value, stage, below = np.arange(0, 25, step), np.eye(1, means.size)[0], []
    for _ in value:
        below.append(1 - stage.sum())
        stage = stage @ onwards
    return Law(value, np.array(below))


def fair() -> Law:
    """Of log2(1 + SNR) at 10 dB."""
    value = np.linspace(0, 16, 16_385)
    return Law(value, 1 - np.exp(-(2**value - 1) / 10 ** (FAIR_DB / 10)))


def fair_band_apart() -> Law:
    """Of the mean of 16 independent ones: their sum by the product of transforms."""
    one = fair()
    density = np.diff(one.below, append=1.0)
    total = np.fft.irfft(np.fft.rfft(density, 2**18) ** SUBCHANNELS, 2**18)
    # A cell stands for its middle, so 16 cells do for 16 halves more.
    value = (np.arange(total.size) + SUBCHANNELS / 2) * (one.value[1] / SUBCHANNELS)
    return Law(np.concatenate([[0], value]), np.concatenate([[0], np.cumsum(total)]))


def cost_of_memory(law: Law, memory: float, independent: int) -> float:
    """The share of PF's gain that equal users lose as averages remember `memory` slots, to first order in its inverse.

    Let averages be off by shares e. Near a tie at x the wrong one of two users wins when they are closer than
    d = e_i - e_j, which loses x d^2 / 2: over all pairs C(N, 2) T E d^2 / 2, T the integral of x^2 f^2 F^(N - 2).
    In every slot d gets a shock of variance E (r_i - r_j)^2 / (m memory)^2, with r what a user gets, of mean m = G / N,
    r_i r_j = 0 and G the mean of the largest rate. It dies out by 1 / memory of itself, and N^2 T / G times that again
    since who seems poorer is served more. So E d^2 = N E max^2 / (G^2 memory (1 + N^2 T / G)).
    """
    gain, variance = law.largest()
    density = np.gradient(law.below, law.value)
    ties = float(trapezoid((law.value * density) ** 2 * law.below ** (USERS - 2), law.value))
    square = USERS * (variance + gain**2) / gain**2 / (memory * (1 + USERS**2 * ties / gain)) / independent
    return math.comb(USERS, 2) * ties * square / 2 / gain


def assert_gain(found: float, law: Law, independent: int) -> None:
    """Mean of the largest of N, but for the scatter of a mean over slots and what memory costs."""
    expected, variance = law.largest()
    bound = 4.5 * math.sqrt(variance / (SAMPLES * independent))
    expected *= 1 - cost_of_memory(law, MEMORY, independent)
    assert abs(found - expected) < bound, f"{found} for {expected} +- {bound}"


def assert_shares(share: Array, independent: int) -> None:
    """1 / N for all users."""
    bound = 4.5 * math.sqrt((USERS - 1) / USERS**2 / (SAMPLES * independent))
    assert abs(share.mean(axis=0) - 1 / USERS).max() < bound, f"{share.mean(axis=0)} +- {bound}"


def test_the_laws_are_what_they_should_be() -> None:
    harmonic = sum(1 / k for k in range(1, USERS + 1))
    assert faint().largest()[0] == pytest.approx(harmonic, rel=1e-5)
    assert faint_band("flat").largest()[0] == pytest.approx(harmonic, rel=1e-5)
    assert [faint_band(channel).mean() for channel in SPREAD_NS] == pytest.approx([1, 1, 1], rel=1e-4)
    assert faint_band("apart").largest(1)[1] == pytest.approx(1 / SUBCHANNELS, rel=1e-3)
    assert 0.2 < faint_band("near").largest(1)[1] < 0.5, "between a flat band and one whose subchannels are apart"
    # The mean capacity of a Rayleigh channel is e^(1/SNR) E1(1/SNR) / ln 2, 2.9065 bits at 10 dB.
    assert fair().mean() == pytest.approx(2.9065, rel=1e-4)
    assert fair_band_apart().mean() == pytest.approx(fair().mean(), rel=1e-4)
    assert fair_band_apart().largest(1)[1] == pytest.approx(fair().largest(1)[1] / SUBCHANNELS, rel=1e-3)


@channels
def test_round_robin_gives_each_its_own_mean(channel: str) -> None:
    np.testing.assert_allclose(unequal(channel, "round_robin").share, 1 / USERS, rtol=1e-12)
    # Of 16 subchannels a user has every fourth in a slot.
    independent = {"flat": 1, "near": 1, "apart": SUBCHANNELS / USERS}[channel]
    assert abs(gains(channel, "round_robin") - 1).max() < 4.5 / math.sqrt(SAMPLES * independent)


@channels
def test_the_largest_rate_wins_as_the_largest_of_unequal_exponentials(channel: str) -> None:
    """User i of mean 1 / a_i is the largest, with the rate x, with density a_i e^(-a_i x) prod_j (1 - e^(-a_j x))."""
    got, rates = unequal(channel, "max_rate"), 1 / alone_bps()
    for user in range(USERS):
        others = np.delete(rates, user).tolist()
        moments = np.zeros(3)
        for some in (some for count in range(USERS) for some in combinations(others, count)):
            total = rates[user] + sum(some)
            moments += (-1) ** len(some) * rates[user] * np.array([1 / total, 1 / total**2, 2 / total**3])
        share, rate_bps, square = moments
        sd = 4.5 / math.sqrt(SAMPLES * INDEPENDENT[channel])
        assert abs(got.share[:, user].mean() - share) < sd * math.sqrt(share * (1 - share))
        assert abs(got.rate_bps[:, user].mean() - rate_bps) < sd * math.sqrt(square - rate_bps**2)


@channels
def test_mc_pf_gains_the_harmonic_number_whatever_the_channel(channel: str) -> None:
    found = gains(channel, "mc_pf")
    assert_gain(float(found.mean()), faint(), INDEPENDENT[channel])
    assert_shares(unequal(channel, "mc_pf").share, INDEPENDENT[channel])
    # Each user for itself: what it gets in a slot is the largest once in N times, else nothing.
    gain, variance = faint().largest()
    bound = 4.5 * math.sqrt((USERS * (variance + gain**2) - gain**2) / (SAMPLES * INDEPENDENT[channel]))
    assert abs(found - gain).max() < bound


@channels
def test_pf_of_one_carrier_gains_the_largest_of_the_means_over_the_band(channel: str) -> None:
    assert_gain(float(gains(channel, "one carrier").mean()), faint_band(channel), 1)
    assert_shares(unequal(channel, "one carrier").share, 1)


@pytest.mark.parametrize(("channel", "about"), [("flat", 1.0), ("near", 1.31), ("apart", 1.64)])
def test_mc_pf_gains_over_one_carrier_what_the_two_laws_say(channel: str, about: float) -> None:
    laws = (faint(), 16 if channel == "apart" else 1), (faint_band(channel), 1)
    (many, many_variance), (one, one_variance) = (law.largest() for law, _ in laws)
    expected = many / one
    assert expected == pytest.approx(about, abs=0.005)
    found = float(gains(channel, "mc_pf").mean() / gains(channel, "one carrier").mean())
    parts = many_variance / many**2 / laws[0][1] + one_variance / one**2
    kept = (1 - cost_of_memory(laws[0][0], MEMORY, laws[0][1])) / (1 - cost_of_memory(laws[1][0], MEMORY, 1))
    assert abs(found / (expected * kept) - 1) < 4.5 * math.sqrt(parts / SAMPLES)


@pytest.mark.parametrize("channel", ["flat", "apart"])
def test_with_logarithmic_rates_both_gain_what_the_integrals_say(channel: str) -> None:
    """At 10 dB a rate hardly doubles in a good moment: 1.46 times RR where subchannels are picked one by one."""
    rates = {"kind": "capacity", "bandwidth_hz": 1e6}
    for report, independent in ({}, INDEPENDENT[channel]), (ONE_CARRIER, 1):
        law = fair() if channel == "flat" or not report else fair_band_apart()
        got = run(channel, [FAIR_DB] * USERS, MC_PF, **{"link.report": report, "link.rate": rates})
        assert_gain(float(got.rate_bps.sum(axis=1).mean()) / 1e6, law, independent)
        assert_shares(got.share, independent)
    assert fair().largest()[0] / fair().mean() == pytest.approx(1.460, abs=0.005)
    assert fair_band_apart().largest()[0] / fair().mean() == pytest.approx(1.116, abs=0.005)


@pytest.mark.parametrize("scheduler", [{"kind": "max_rate"}, MC_PF], ids=["max_rate", "mc_pf"])
def test_over_a_table_of_rates_equal_users_get_the_rate_of_the_best_of_them(scheduler: dict[str, Any]) -> None:
    """Steps of a rate are 12 % and more, averages scatter by less: both pick a user with the highest row.

    The mean of the largest is the sum of the steps, each times the chance that somebody reaches its threshold.
    """
    table = TABLES["imt-advanced"]
    reached = 1 - (1 - np.exp(-(10 ** ((np.array(table.thresholds_db) - 4) / 10)))) ** USERS
    steps = np.diff(table.rates_bps, prepend=0)
    mean, square = (float((np.diff(np.array(table.rates_bps) ** power, prepend=0) * reached).sum()) for power in (1, 2))
    assert steps @ reached == pytest.approx(mean)
    rates = {"kind": "table", "name": "imt-advanced"}
    got = run("apart", [4.0] * USERS, scheduler, **{"link.rate": rates})
    bound = 4.5 * math.sqrt((square - mean**2) / (SAMPLES * SUBCHANNELS))
    found = float(got.rate_bps.sum(axis=1).mean())
    assert abs(found - mean) < bound, f"{found} for {mean} +- {bound}"
    assert_shares(got.share, SUBCHANNELS)


@pytest.mark.parametrize("channel", ["flat", "apart"])
@pytest.mark.parametrize("memory", [20, 60])
def test_a_short_memory_costs_what_the_scatter_of_averages_does(channel: str, memory: int) -> None:
    """Equal users: MaxCIR picks the largest of the same draws, so the difference is the cost and nothing else."""
    means_db = [FAINT_DB] * USERS
    best = run(channel, means_db, {"kind": "max_rate"}).rate_bps.sum(axis=1)
    lost = 1 - run(channel, means_db, {**MC_PF, "time_constant_slots": memory}).rate_bps.sum(axis=1) / best
    expected = cost_of_memory(faint(), memory, INDEPENDENT[channel])
    bound = 4.5 * lost.std(ddof=1) / math.sqrt(SEEDS) + expected / memory
    assert abs(lost.mean() - expected) < bound, f"{lost.mean()} for {expected} +- {bound}"
    assert bound < 0.4 * expected
