"""Gaps and service intervals against the chain drawn slot by slot, against fading, and against the engine."""

from __future__ import annotations

import math

import numpy as np
import pytest

import airlink
from airlink.models import ServiceInterval, SlotGaps, lead_slots

SIGMAS = 5.0
CHAINS = [SlotGaps(0.25), SlotGaps(1 / 16, lead_slots=27.8), SlotGaps(0.5, lead_slots=3.0), SlotGaps(1.0)]
SLOT_S = 1 / 600


def drawn_gaps(gaps: SlotGaps, slots: int) -> np.ndarray:
    """Gaps of the chain as the module's text has it, slot by slot."""
    random = np.random.default_rng(3)
    keeps = math.exp(-1 / (gaps.lead_slots * (1 - gaps.share))) if gaps.lead_slots and gaps.share < 1 else 0.0
    on, won = True, []
    for slot, (renewed, drawn) in enumerate(zip(random.random(slots), random.random(slots), strict=True)):
        if renewed >= keeps:
            on = drawn < gaps.share
        if on:
            won.append(slot)
    return np.diff(won)


def within(samples: np.ndarray, expected: float) -> bool:
    return bool(abs(samples.mean() - expected) <= SIGMAS * samples.std() / math.sqrt(samples.size) + 1e-9)


@pytest.mark.parametrize("gaps", CHAINS)
def test_the_chain_drawn_slot_by_slot_has_these_gaps(gaps: SlotGaps) -> None:
    drawn = drawn_gaps(gaps, 300_000)
    assert within(drawn, gaps.mean())
    assert within((drawn - gaps.mean()) ** 2, gaps.variance())
    values, counts = np.unique(drawn, return_counts=True)
    apart = np.abs(np.cumsum(counts) / drawn.size - gaps.cdf(values)).max()
    assert apart <= math.sqrt(math.log(2 / 1e-4) / (2 * drawn.size))


@pytest.mark.parametrize("gaps", CHAINS)
def test_the_distribution_of_gaps_has_their_moments(gaps: SlotGaps) -> None:
    slots = np.arange(0, 20_000)
    shares = gaps.pmf(slots)
    assert shares.sum() == pytest.approx(1)
    assert shares @ slots == pytest.approx(gaps.mean())
    assert shares @ (slots - gaps.mean()) ** 2 == pytest.approx(gaps.variance(), abs=1e-9)
    assert np.cumsum(shares) == pytest.approx(gaps.cdf(slots))


def test_without_correlation_gaps_are_geometric() -> None:
    assert SlotGaps(0.2).variation() == pytest.approx(math.sqrt(0.8))
    assert SlotGaps(0.2, lead_slots=1e-3).variation() == pytest.approx(math.sqrt(0.8))


def test_two_users_meet_as_often_as_counted_by_hand() -> None:
    # The integral is gamma(3/2) / sqrt 2, so a lead lasts 1 / (pi f_d / sqrt 2) seconds.
    assert lead_slots(2, 10.0, 0.001) == pytest.approx(math.sqrt(2) / (math.pi * 10.0) / 0.001)


@pytest.mark.parametrize("users", [2, 5])
def test_a_lead_lasts_as_long_as_in_fading_that_is_summed_up(users: int) -> None:
    random = np.random.default_rng(5)
    time_s, cells, terms = np.arange(0, 20, 0.004), 8, 48
    changes = []
    for _ in range(cells):
        angles = random.uniform(0, 2 * math.pi, (users, terms, 1))
        phases = random.uniform(0, 2 * math.pi, (users, terms, 1))
        power = np.abs(np.exp(1j * (2 * math.pi * np.cos(angles) * time_s + phases)).sum(axis=1)) ** 2
        changes.append(np.count_nonzero(np.diff(power.argmax(axis=0))))
    expected = 20 / lead_slots(users, 1.0, 1.0)  # somebody always leads, each lead ends once
    allowed = SIGMAS * np.std(changes, ddof=1) / math.sqrt(cells) + expected / terms
    assert abs(np.mean(changes) - expected) <= allowed


def intervals(interval: ServiceInterval, random: np.random.Generator) -> np.ndarray:
    """Slots from the end of each packet to the end of the next one, packet after packet."""
    gaps = drawn_gaps(interval.gaps, 400_000)
    sent = np.cumsum(random.choice(np.asarray(interval.slot_bytes), gaps.size, p=np.asarray(interval.probabilities)))
    ends = np.searchsorted(sent, np.arange(1, sent[-1] // interval.packet_bytes) * interval.packet_bytes)
    slots: np.ndarray = np.diff(np.cumsum(gaps)[ends])
    return slots


INTERVALS = [
    ServiceInterval(300, [8, 16, 64, 512], [0.3, 0.3, 0.2, 0.2], SlotGaps(0.1, 5.0)),
    ServiceInterval(512, [8, 16, 40], [0.5, 0.3, 0.2], SlotGaps(0.3)),
    ServiceInterval(100, [7], [1.0], SlotGaps(0.5)),
]


@pytest.mark.parametrize("interval", INTERVALS)
def test_packets_sent_slot_by_slot_have_these_service_intervals(interval: ServiceInterval) -> None:
    slots = intervals(interval, np.random.default_rng(4))
    blocks = slots[: slots.size // 20 * 20].reshape(20, -1)  # packets that follow share a slot, so blocks are compared
    for moment, expected in ((blocks, interval.mean()), ((blocks - interval.mean()) ** 2, interval.variance())):
        assert within(moment.mean(axis=1), expected)
    reach = int(3 * interval.mean())
    for at in (0, 1, reach // 4, reach // 2, reach):
        share = (blocks <= at).mean(axis=1)
        assert within(share, float(interval.cdf(reach)[at])), at


def test_the_distribution_of_service_intervals_has_their_moments() -> None:
    for interval in INTERVALS:
        shares = interval.pmf(4000)
        slots = np.arange(shares.size)
        assert shares.sum() == pytest.approx(1)
        assert shares @ slots == pytest.approx(interval.mean())
        assert shares @ (slots - interval.mean()) ** 2 == pytest.approx(interval.variance(), rel=1e-6)


def test_a_packet_takes_its_size_over_what_a_slot_won_carries() -> None:
    for interval in INTERVALS:
        carried = float(np.asarray(interval.slot_bytes) @ np.asarray(interval.probabilities))
        assert interval.mean() == pytest.approx(interval.packet_bytes / carried / interval.gaps.share)


def best_of(users: int, doppler_hz: float, duration_s: float) -> airlink.Result:
    """Equal users, the best SNR wins: proportional fair with an endless memory."""
    return airlink.run(
        airlink.Scenario.model_validate(
            {
                "users": users,
                "duration_s": duration_s,
                "slot": {"duration_ms": "5/3"},
                "channel": {"fading": {"kind": "rayleigh", "doppler_hz": doppler_hz, "terms": 64}},
                "scheduler": {"kind": "relative_snr"},
                "flows": [{"traffic": {"kind": "backlogged"}}],
            }
        ),
        seed=1,
        replicas=4,
    )


def test_the_engine_has_geometric_gaps_in_very_fast_fading() -> None:
    measured = best_of(8, 1e5, 100.0).users
    variation = np.asarray(measured["gap_sd_slots"]) / np.asarray(measured["gap_mean_slots"])
    assert within(variation, SlotGaps(1 / 8).variation())


def test_the_engine_has_the_gaps_of_leads_in_slow_fading() -> None:
    """The chain's times on and off are exponential, those of fading are not: it comes within a tenth, draws do not."""
    measured = best_of(16, 4.0, 200.0).users
    gaps = np.asarray(measured["gap_mean_slots"])
    variation = math.sqrt(float(np.mean(np.asarray(measured["gap_square_mean_slots2"])))) / float(np.mean(gaps))
    model = SlotGaps(1 / 16, lead_slots(16, 4.0, SLOT_S))
    expected = math.sqrt(1 + model.variation() ** 2)
    assert variation == pytest.approx(expected, rel=0.1)
    assert expected > 4 * math.sqrt(1 + SlotGaps(1 / 16).variation() ** 2)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: SlotGaps(0.0),
        lambda: SlotGaps(1.1),
        lambda: SlotGaps(0.5, lead_slots=-1.0),
        lambda: lead_slots(1, 4.0, SLOT_S),
        lambda: ServiceInterval(100, [8.5], [1.0], SlotGaps(0.5)),
        lambda: ServiceInterval(100, [8, 16], [0.5, 0.4], SlotGaps(0.5)),
        lambda: ServiceInterval(0, [8], [1.0], SlotGaps(0.5)),
    ],
)
def test_values_out_of_range_are_refused(wrong: object) -> None:
    assert callable(wrong)
    with pytest.raises(ValueError, match="must"):
        wrong()
