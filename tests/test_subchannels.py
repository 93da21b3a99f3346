"""A carrier of many subchannels against a second model of it: winners, bits and bytes of every slot, in numpy.

What each user could have got comes from runs in which it is alone: draws are named by user, so its channel is the same.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import airlink
from airlink import Scenario

USERS, SUBCHANNELS, SLOTS, SLOT_S = 4, 24, 300, 1e-3
TIME_CONSTANT_SLOTS, INITIAL_BPS = 50.0, 1e5

SCENARIO = Scenario.from_toml(f"""
duration_s = {SLOTS * SLOT_S}
users = {USERS}
slot.duration_ms = 1
carrier = {{ subchannels = {SUBCHANNELS}, subchannel_hz = 200e3 }}
channel.placement = {{ kind = "mean_snr", mean_snr_db = [12, 6, 3, -1] }}
channel.motion = {{ speed_kmh = 30, carrier_hz = 2e9 }}
channel.fading = {{ kind = "tapped_delay_line", profile = "tu6" }}
link.rate = {{ kind = "capacity", bandwidth_hz = 4.8e6, gap_db = 3 }}
link.report = {{ delay_slots = 3, error_sd_db = 1 }}
rlc = {{ segment_bytes = 40, segment_header_bytes = 2 }}
scheduler = {{ kind = "max_rate", ties = "lowest_index" }}
flows = [{{ traffic = {{ kind = "backlogged", packet_bytes = 1500 }} }}]
""")
FAIR = {
    "kind": "proportional_fair",
    "ties": "lowest_index",
    "time_constant_slots": TIME_CONSTANT_SLOTS,
    "initial_average_bps": INITIAL_BPS,
    "average_counts": "granted",
}


@pytest.fixture(scope="module")
def offered() -> NDArray[np.float64]:
    """What each subchannel would carry for each user, bits, array [slot, subchannel, user]."""
    bits = np.zeros((SLOTS, SUBCHANNELS, USERS))
    for user in range(USERS):
        alone = airlink.run(SCENARIO.with_(**{"flows.0.users": [user]}), seed=3, record=["grants"]).series("grants")
        bits[alone["slot"], alone["subchannel"], user] = 8 * alone["granted_bytes"]
    return bits


def winners_of(scheduler: dict[str, object]) -> tuple[NDArray[np.int64], airlink.Result]:
    result = airlink.run(SCENARIO.with_(scheduler=scheduler), seed=3, record=["grants", "slots"])
    grants = result.series("grants")
    winners = np.full((SLOTS, SUBCHANNELS), -1)
    winners[grants["slot"], grants["subchannel"]] = grants["user"]
    return winners, result


def of_the_largest(metric: NDArray[np.float64]) -> NDArray[np.int64]:
    """The user with the largest metric on each subchannel; nobody where all are 0."""
    return np.where(metric.max(axis=-1) > 0, metric.argmax(axis=-1), -1)


def got(bits: NDArray[np.float64], winners: NDArray[np.int64]) -> NDArray[np.float64]:
    """The bits that each user got in a slot."""
    return np.array([bits[winners == user, user].sum() for user in range(USERS)])


def test_nobody_is_known_before_the_first_report(offered: NDArray[np.float64]) -> None:
    assert not offered[:3].any()
    assert (offered[3:] > 0).all()


def test_the_largest_rate_wins_each_subchannel(offered: NDArray[np.float64]) -> None:
    winners, _ = winners_of({"kind": "max_rate", "ties": "lowest_index"})
    np.testing.assert_array_equal(winners, of_the_largest(offered))
    assert set(winners.ravel()) >= {-1, 0, 1, 2}


def test_proportional_fair_wins_by_rate_over_an_average_that_waits_for_the_slots_end(
    offered: NDArray[np.float64],
) -> None:
    winners, _ = winners_of(FAIR)
    average_bps = np.full(USERS, INITIAL_BPS)
    for slot in range(SLOTS):
        expected = of_the_largest(offered[slot] / average_bps)
        np.testing.assert_array_equal(winners[slot], expected, err_msg=f"slot {slot}")
        served_bps = got(offered[slot], expected) / SLOT_S
        average_bps += (served_bps - average_bps) / TIME_CONSTANT_SLOTS
    shares = np.bincount(winners[3:].ravel(), minlength=USERS) / winners[3:].size
    assert (shares > 0.1).all()


def rates_over(average_bps: NDArray[np.float64], bits: NDArray[np.float64]) -> NDArray[np.float64]:
    """R / T of each user on a subchannel; infinite for who has had nothing yet, 0 for who cannot be served."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(bits > 0, bits / average_bps, 0.0)


@pytest.mark.parametrize("updates", ["slot", "subchannel"])
@pytest.mark.parametrize("memory", [7.0, 200.0])
def test_mc_pf_wins_by_equations_2_and_3_of_paper_002(
    offered: NDArray[np.float64], updates: str, memory: float
) -> None:
    """T(n + 1) = (1 - 1/L) T(n) + 1/L sum R, L = min(n, t_a), T(1) = 0; or with what this slot gave so far in T."""
    winners, _ = winners_of(
        FAIR
        | {
            "time_constant_slots": memory,
            "average_window": "growing",
            "initial_average_bps": 0,
            "average_updates": updates,
        }
    )
    average_bps = np.zeros(USERS)
    for slot in range(SLOTS):
        weight = 1 / min(slot + 1, memory)
        expected, served_bps = np.full(SUBCHANNELS, -1), np.zeros(USERS)
        for subchannel in range(SUBCHANNELS):
            known_bps = average_bps + (weight * served_bps if updates == "subchannel" else 0)
            winner = of_the_largest(rates_over(known_bps, offered[slot, subchannel]))
            if winner >= 0:
                expected[subchannel] = winner
                served_bps[winner] += offered[slot, subchannel, winner] / SLOT_S
        np.testing.assert_array_equal(winners[slot], expected, err_msg=f"slot {slot}")
        average_bps = (1 - weight) * average_bps + weight * served_bps
    assert (np.bincount(winners[3:].ravel(), minlength=USERS) > 0.1 * winners[3:].size).all()


def test_whole_segments_fill_what_a_user_won_in_a_slot(offered: NDArray[np.float64]) -> None:
    winners, result = winners_of(FAIR)
    rows = result.series("slots")
    sent = np.zeros((SLOTS, USERS))
    inside = rows["user"] >= 0
    sent[rows["slot"][inside], rows["user"][inside]] = rows["sent_bytes"][inside]
    bits = np.array([got(offered[slot], winners[slot]) for slot in range(SLOTS)])
    np.testing.assert_array_equal(sent, 42 * np.floor(bits * (1 + 1e-12) / 8 / 42))
    users = result.users
    np.testing.assert_array_equal(users["sent_bytes"], sent.sum(axis=0))
    np.testing.assert_array_equal(users["subchannels_won"], np.bincount(winners[winners >= 0], minlength=USERS))
