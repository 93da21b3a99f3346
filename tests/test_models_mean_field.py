"""PF with a memory over fading that lasts: limits, sums that must hold, and the engine."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
from scipy.linalg import expm

import airlink
from airlink import models
from airlink.models import FadingCell, MeanField, mean_field
from airlink.models.mean_field import _exponential

THRESHOLDS_DB = (-9.0, -3.0, 3.0, 9.0)
RATES_BPS = (100e3, 400e3, 1000e3, 2000e3)
MEAN_SNR_DB = (-6.0, -2.0, 1.0, 3.0, 6.0, 8.0, 10.0, 12.0)
CARRIED = np.array([20, 80, 208, 416])  # bytes a slot
SLOT_S = 1 / 600


@cache
def solved(doppler_hz: float, memory: float, exponent: float = 1.0) -> MeanField:
    return mean_field(FadingCell(THRESHOLDS_DB, RATES_BPS, MEAN_SNR_DB, doppler_hz, SLOT_S, memory, exponent), 0.02)


@cache
def measured(doppler_hz: float, memory: float) -> airlink.Result:
    return airlink.run(
        airlink.Scenario.model_validate(
            {
                "users": len(MEAN_SNR_DB),
                "duration_s": 220.0,
                "warmup_s": 20.0,
                "slot": {"duration_ms": "5/3"},
                "channel": {
                    "placement": {"kind": "mean_snr", "mean_snr_db": MEAN_SNR_DB},
                    "fading": {"kind": "rayleigh", "doppler_hz": doppler_hz, "terms": 64},
                },
                "link": {"rate": {"kind": "table", "thresholds_db": THRESHOLDS_DB, "rates_bps": RATES_BPS}},
                "scheduler": {
                    "kind": "proportional_fair",
                    "time_constant_slots": memory,
                    "average_counts": "granted",
                    "initial_average_bps": 1e5,
                },
                "flows": [{"traffic": {"kind": "backlogged", "packet_bytes": 512}}],
            }
        ),
        seed=1,
        replicas=2,
    )


def by_user(result: airlink.Result, column: str) -> np.ndarray:
    of = np.asarray(result.users["user"])
    return np.array([np.asarray(result.users[column])[of == user].mean() for user in range(len(MEAN_SNR_DB))])


def variation(shares: np.ndarray) -> float:
    slots = np.arange(shares.size)
    mean = float(shares @ slots)
    return math.sqrt(float(shares @ slots**2) - mean**2) / mean


def test_in_fast_fading_a_longer_memory_comes_nearer_to_the_sharing_of_an_endless_one() -> None:
    endless = models.fair_sharing(THRESHOLDS_DB, RATES_BPS, MEAN_SNR_DB).slot_shares()
    short, longer = (solved(1e5, memory).sharing.slot_shares() / endless - 1 for memory in (30.0, 100.0))
    assert np.abs(longer).max() < 0.75 * np.abs(short).max()
    # Four rates tie often, and a memory that ends breaks ties: the second user gets half as many slots again.
    assert short[1] > 0.4


@pytest.mark.parametrize(("doppler_hz", "memory"), [(4.0, 50.0), (1e5, 30.0)])
def test_slots_gaps_and_packets_are_counted_alike(doppler_hz: float, memory: float) -> None:
    field = solved(doppler_hz, memory)
    served = 1 - np.prod(1 - models.rate_probabilities(THRESHOLDS_DB, MEAN_SNR_DB).sum(axis=1))
    # Against draws of the others the slots of all add up only nearly.
    assert field.sharing.slot_shares().sum() == pytest.approx(served, abs=0.01)
    for user in (0, 7):
        gaps = field.gap_pmf(user, 4000)
        assert gaps.sum() == pytest.approx(1, abs=1e-3)
        assert gaps @ np.arange(gaps.size) == pytest.approx(1 / field.sharing.slot_shares()[user], rel=0.01)
        intervals = field.service_intervals(user, 512, CARRIED, packets=4000)
        expected = 512 / float(field.sharing.rate_shares[user] @ CARRIED)
        assert abs(intervals.mean() - expected) <= 5 * intervals.std() / math.sqrt(intervals.size) + 0.01 * expected


@pytest.mark.parametrize(("doppler_hz", "memory"), [(4.0, 50.0), (1e5, 30.0)])
def test_the_engine_has_these_shares_and_rates(doppler_hz: float, memory: float) -> None:
    """Draws of the others in place of the others: within 5 % of slots and 8 % of rates for eight users."""
    result, field = measured(doppler_hz, memory), solved(doppler_hz, memory)
    assert field.sharing.slot_shares() == pytest.approx(1 / by_user(result, "gap_mean_slots"), rel=0.05)
    assert field.sharing.means_bps() == pytest.approx(by_user(result, "granted_bps"), rel=0.08)


@pytest.mark.parametrize(("doppler_hz", "memory"), [(4.0, 50.0), (1e5, 30.0)])
def test_the_engine_has_these_gaps(doppler_hz: float, memory: float) -> None:
    """Within a fifth in the coefficient of variation; independent slots miss by a factor of two in slow fading."""
    result, field = measured(doppler_hz, memory), solved(doppler_hz, memory)
    engine = by_user(result, "gap_sd_slots") / by_user(result, "gap_mean_slots")
    found = np.array([variation(field.gap_pmf(user, 4000)) for user in range(len(MEAN_SNR_DB))])
    assert found == pytest.approx(engine, rel=0.2)


def test_gaps_vary_more_and_rates_grow_with_the_memory() -> None:
    fields = [solved(4.0, memory) for memory in (10.0, 25.0, 50.0)]
    rates = [float(field.sharing.means_bps().sum()) for field in fields]
    variations = [variation(field.gap_pmf(7, 4000)) for field in fields]
    assert rates == sorted(rates)
    assert variations == sorted(variations)


def test_a_larger_exponent_gives_the_weak_more_slots() -> None:
    shares = [solved(20.0, 50.0, exponent).sharing.slot_shares() for exponent in (0.5, 1.0, 2.0)]
    weakest = [float(share[0] / share.max()) for share in shares]
    assert weakest == sorted(weakest)


def test_the_same_seed_draws_the_same_intervals() -> None:
    field = solved(20.0, 50.0)
    first, again = (field.service_intervals(3, 512, CARRIED, packets=500, seed=7) for _ in range(2))
    assert first.tolist() == again.tolist()


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: FadingCell((0.0,), (1e6,), (3.0, 3.0), 0.0, SLOT_S, 100.0),
        lambda: FadingCell((0.0,), (1e6,), (3.0, 3.0), 4.0, SLOT_S, 1.0),
        lambda: FadingCell((0.0,), (1e6,), (3.0,), 4.0, SLOT_S, 100.0),
    ],
)
def test_values_out_of_range_are_refused(wrong: object) -> None:
    assert callable(wrong)
    with pytest.raises(ValueError, match="must"):
        wrong()


@pytest.mark.parametrize("speed", [1e-3, 1.0, 300.0])
def test_the_exponential_of_speeds_is_that_of_scipy(speed: float) -> None:
    speeds = np.random.default_rng(1).exponential(speed, (11, 11))
    generator = speeds - np.diag(speeds.sum(axis=1))
    assert _exponential(generator) == pytest.approx(expm(generator), abs=1e-12)
