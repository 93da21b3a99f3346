"""Every power-delay profile as a scenario's users meet it: the true SINRs of series `grants`.

Gains g = |H|^2 of mean 1, from sums of N sinusoids on paths with shares p_k of the power, have exactly

    cov(g(f, t), g(f + d, t + u)) = J0(2 pi f_d u)^2 |R(d)|^2 - sum p_k^2 / N,    R(d) = sum p_k exp(j 2 pi d tau_k):

E g g' is 1 + |E H H'*|^2 but for the fourth cumulants, -p_k^2 / N a path, and these are free of d and u. Users and
seeds are independent, so a tolerance is 4.5 standard errors of a mean over them. The tables of paths stand here once
more, as their documents print them: what is expected owes nothing to the package.
"""

from __future__ import annotations

import functools
import math
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import j0

import airlink
from airlink import Scenario
from airlink.scenario.delay_profiles import DELAY_PROFILES

PRINTED = {
    "tu6": "0 -3, 0.2 0, 0.5 -2, 1.6 -6, 2.3 -8, 5.0 -10",
    "pedestrian-a": "0 0, 110 -9.7, 190 -19.2, 410 -22.8",
    "pedestrian-b": "0 0, 200 -0.9, 800 -4.9, 1200 -8.0, 2300 -7.8, 3700 -23.9",
    "vehicular-a": "0 0, 310 -1.0, 710 -9.0, 1090 -10.0, 1730 -15.0, 2510 -20.0",
    "vehicular-b": "0 -2.5, 300 0, 8900 -12.8, 12900 -10.0, 17100 -25.2, 20000 -16.0",
    "epa": "0 0.0, 30 -1.0, 70 -2.0, 90 -3.0, 110 -8.0, 190 -17.2, 410 -20.8",
    "eva": "0 0.0, 30 -1.5, 150 -1.4, 310 -3.6, 370 -0.6, 710 -9.1, 1090 -7.0, 1730 -12.0, 2510 -16.9",
    "etu": "0 -1.0, 50 -1.0, 120 -1.0, 200 0.0, 230 0.0, 500 0.0, 1600 -3.0, 2300 -5.0, 5000 -7.0",
    "tdl-a": (
        "0.0000 -13.4, 0.3819 0, 0.4025 -2.2, 0.5868 -4, 0.4610 -6, 0.5375 -8.2, 0.6708 -9.9, 0.5750 -10.5,"
        "0.7618 -7.5, 1.5375 -15.9, 1.8978 -6.6, 2.2242 -16.7, 2.1718 -12.4, 2.4942 -15.2, 2.5119 -10.8,"
        "3.0582 -11.3, 4.0810 -12.7, 4.4579 -16.2, 4.5695 -18.3, 4.7966 -18.9, 5.0066 -16.6, 5.3043 -19.9, 9.6586 -29.7"
    ),
    "tdl-b": (
        "0.0000 0, 0.1072 -2.2, 0.2155 -4, 0.2095 -3.2, 0.2870 -9.8, 0.2986 -1.2, 0.3752 -3.4, 0.5055 -5.2,"
        "0.3681 -7.6, 0.3697 -3, 0.5700 -8.9, 0.5283 -9, 1.1021 -4.8, 1.2756 -5.7, 1.5474 -7.5, 1.7842 -1.9,"
        "2.0169 -7.6, 2.8294 -12.2, 3.0219 -9.8, 3.6187 -11.4, 4.1067 -14.9, 4.2790 -9.2, 4.7834 -11.3"
    ),
    "tdl-c": (
        "0 -4.4, 0.2099 -1.2, 0.2219 -3.5, 0.2329 -5.2, 0.2176 -2.5, 0.6366 0, 0.6448 -2.2, 0.6560 -3.9,"
        "0.6584 -7.4, 0.7935 -7.1, 0.8213 -10.7, 0.9336 -11.1, 1.2285 -5.1, 1.3083 -6.8, 2.1704 -8.7, 2.7105 -13.2,"
        "4.2589 -13.9, 4.6003 -13.9, 5.4902 -15.8, 5.6077 -17.1, 6.3065 -16, 6.6374 -15.7, 7.0427 -21.6, 8.6523 -22.8"
    ),
}
"""Delay and power (dB) of each path; delays in ns, of TU-6 in us, of TDL in delay spreads."""
CUSTOM = ([700.0, 0.0, 250.0, 1900.0], [-4.0, -1.0, 0.0, -9.0])
"""In no order, and no path at 0 dB first."""
SPREADS_NS = {"tdl-a": (30.0, 300.0), "tdl-b": (100.0, 1000.0), "tdl-c": (363.0, 1148.0)}
"""TR 38.901 table 7.7.3-1 has most of them."""
TERMS, SUBCHANNELS = 32, 12


class Paths(NamedTuple):
    """Delays (s) and shares of the power, arrays [path]."""

    delays_s: NDArray[np.float64]
    shares: NDArray[np.float64]

    @property
    def spread_s(self) -> float:
        mean_s = self.shares @ self.delays_s
        return math.sqrt(self.shares @ (self.delays_s - mean_s) ** 2)

    def power_correlation(self, hz: NDArray[np.float64]) -> NDArray[np.float64]:
        """|R|^2 at each distance."""
        return np.asarray(np.abs(np.exp(2j * np.pi * hz[..., np.newaxis] * self.delays_s) @ self.shares) ** 2)

    @property
    def fourth_cumulant(self) -> float:
        return float((self.shares**2).sum() / TERMS)


def paths(profile: str, delay_spread_ns: float) -> Paths:
    if profile == "custom":
        delays, powers_db = map(np.array, CUSTOM)
    else:
        delays, powers_db = np.array([row.split() for row in PRINTED[profile].split(",")], dtype=float).T
    unit_ns = {"tu6": 1e3}.get(profile, delay_spread_ns if profile.startswith("tdl") else 1.0)
    shares = 10 ** (powers_db / 10)
    return Paths(delays * unit_ns * 1e-9, shares / shares.sum())


CASES = [
    *((name, spread_ns) for name in PRINTED for spread_ns in SPREADS_NS.get(name, (100.0,))),
    ("custom", 100.0),
]
named = pytest.mark.parametrize(("profile", "delay_spread_ns"), CASES, ids=[f"{name}-{ns:g}" for name, ns in CASES])


def scenario(profile: str, delay_spread_ns: float, users: int, slots: int, **settings: object) -> Scenario:
    """Users whose subchannels are given out in turn, with an SINR of |H|^2."""
    fading = {"kind": "tapped_delay_line", "profile": profile, "delay_spread_ns": delay_spread_ns, "terms": TERMS}
    if profile == "custom":
        fading |= {"delays_ns": CUSTOM[0], "powers_db": CUSTOM[1]}
    cell = Scenario.from_toml("""
        duration_s = 1
        users = 1
        slot.duration_ms = 0.25
        channel.placement = { kind = "mean_snr", mean_snr_db = 0 }
        link.rate = { kind = "capacity", bandwidth_hz = 1e6 }
        scheduler.kind = "round_robin"
        flows = [{ traffic = { kind = "backlogged" } }]
    """)
    return cell.with_(**{"duration_s": slots * 0.25e-3, "users": users, "channel.fading": fading}, **settings)


def gains(cell: Scenario, slots: int, subchannels: int, replicas: int) -> NDArray[np.float64]:
    """True SINRs as ratios, array [user of a seed, slot, subchannel]; NaN where somebody else got it."""
    result = airlink.run(cell, seed=1, replicas=replicas, record=["grants"])
    found = np.full((replicas, cell.users, slots, subchannels), np.nan)
    for replica in range(replicas):
        rows = result.series("grants", replica)
        found[replica, rows["user"], rows["slot"], rows["subchannel"]] = 10 ** (rows["true_db"] / 10)
    return found.reshape(-1, slots, subchannels)


def assert_mean(values: NDArray[np.float64], expected: float, what: str) -> float:
    """Of a value for each user; returns the tolerance."""
    bound = 4.5 * float(values.std()) / math.sqrt(values.size)
    assert abs(values.mean() - expected) < bound, f"{what}: {values.mean()} for {expected} +- {bound}"
    return bound


def test_the_tables_are_those_of_their_documents() -> None:
    assert set(PRINTED) == set(DELAY_PROFILES)
    for name, profile in DELAY_PROFILES.items():
        delays_s, shares = paths(name, 100.0)
        np.testing.assert_allclose(profile.delays_ns(100.0), delays_s * 1e9, rtol=1e-12)
        powers = 10 ** (np.array(profile.powers_db) / 10)
        np.testing.assert_allclose(powers / powers.sum(), shares, rtol=1e-12)


@functools.cache
def frozen(profile: str, delay_spread_ns: float, seeds: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Gains of 25 users a seed who stand still, [user, subchannel], and distances of subchannels by number, Hz."""
    users = 25
    width_hz = 0.2 / paths(profile, delay_spread_ns).spread_s
    carrier = {"subchannels": SUBCHANNELS, "subchannel_hz": width_hz}
    cell = scenario(profile, delay_spread_ns, users, users, carrier=carrier).with_(**{"channel.fading.doppler_hz": 0})
    # 25 and 12 have no common factor: in 25 slots each user has each subchannel once.
    found = gains(cell, users, SUBCHANNELS, seeds)
    assert (np.isfinite(found).sum(axis=1) == 1).all()
    return np.nansum(found, axis=1), np.arange(SUBCHANNELS, dtype=np.float64) * width_hz


@named
def test_the_gain_has_mean_1_on_every_subchannel(profile: str, delay_spread_ns: float) -> None:
    gain, _ = frozen(profile, delay_spread_ns, 80)
    for subchannel in range(SUBCHANNELS):
        assert_mean(gain[:, subchannel], 1.0, f"subchannel {subchannel}")


@named
@pytest.mark.parametrize("seeds", [80, pytest.param(1600, marks=pytest.mark.validate)])
def test_gains_part_over_frequency_as_the_printed_paths_have_it(
    profile: str, delay_spread_ns: float, seeds: int
) -> None:
    """Half of a squared difference has the mean 1 - |R|^2, whatever N; where gains are alike it hardly scatters."""
    gain, hz = frozen(profile, delay_spread_ns, seeds)
    line = paths(profile, delay_spread_ns)
    assert_mean(((gain - 1) ** 2).mean(axis=1), 1 - line.fourth_cumulant, "variance")
    expected = 1 - line.power_correlation(hz)
    tolerance = np.ones(SUBCHANNELS)
    for lag in range(1, SUBCHANNELS):
        parted = ((gain[:, :-lag] - gain[:, lag:]) ** 2).mean(axis=1) / 2
        tolerance[lag] = assert_mean(parted, expected[lag], f"{hz[lag] / 1e3:.0f} kHz")
    assert max(expected / tolerance) > 5, "the test can tell a flat carrier"
    assert max((1 - expected[1:]) / tolerance[1:]) > 5, "and subchannels that fade alone"


@pytest.mark.parametrize("profile", ["tu6", "vehicular-b"])
def test_users_of_a_seed_and_seeds_of_a_user_fade_apart(profile: str) -> None:
    """Over pairs of the 25 users, and of neighbouring seeds; users in step would correlate with 1."""
    gain, _ = frozen(profile, 100.0, 80)
    above = gain.reshape(80, 25, SUBCHANNELS) - 1
    pairs = (above.sum(axis=1) ** 2 - (above**2).sum(axis=1)).mean(axis=1) / (25 * 24)
    assert assert_mean(pairs, 0.0, "two users") < 0.05
    assert assert_mean((above[1:] * above[:-1]).mean(axis=2).ravel(), 0.0, "two seeds") < 0.15


@pytest.mark.parametrize(("profile", "speed_kmh"), [("tu6", 120.0), ("eva", 30.0), ("tdl-c", 250.0)])
def test_gains_correlate_over_time_and_frequency_together(profile: str, speed_kmh: float) -> None:
    """Subchannels go in turn to as many users as divide them, so each keeps every 20th of them all the time."""
    users, each, slots, replicas = 20, 4, 25, 100
    line, doppler_hz = paths(profile, 100.0), speed_kmh / 3.6 / 299_792_458 * 2e9
    carrier = {"subchannels": users * each, "subchannel_hz": 0.25 / line.spread_s / users}
    motion = {"speed_kmh": speed_kmh, "carrier_hz": 2e9}
    cell = scenario(profile, 100.0, users, slots, carrier=carrier, **{"channel.motion": motion})
    found = gains(cell, slots, users * each, replicas)
    own = np.isfinite(found)
    assert (own == own[:, :1]).all()
    assert (own[:, 0].sum(axis=1) == each).all()
    above = found[own].reshape(-1, slots, each) - 1
    for lag in range(each):
        over_frequency = line.power_correlation(np.array(lag * 0.25 / line.spread_s))
        for later in range(0, slots, 4):
            over_time = j0(2 * np.pi * doppler_hz * later * 0.25e-3) ** 2
            product = (above[:, 0, : each - lag] * above[:, later, lag:]).mean(axis=1)
            what = f"{lag} subchannels and {later} slots apart"
            assert_mean(product, over_time * float(over_frequency) - line.fourth_cumulant, what)
