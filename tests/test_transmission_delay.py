"""Closed forms of delays ([Choi05]), against sampling of the model in its own words."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
from scipy.stats import nbinom, poisson

from airlink_studies.startup_timeout.finish_times import finish_times
from airlink_studies.startup_timeout.transmission_delay import TransmissionDelay, constant_rate_delay

PACKETS = 5_000
SIGMAS = 5.0
PAPER = [
    TransmissionDelay(1500, 100, users=50),
    TransmissionDelay(1500, 100, users=50, error_probability=0.1),
]
OTHERS = [
    TransmissionDelay(40, 100, users=1, error_probability=0.3),
    TransmissionDelay(1040, 256, users=3),
    TransmissionDelay(1500, 100, users=1, error_probability=0.6),
]


def slots_of_one_packet(delay: TransmissionDelay, random: np.random.Generator) -> int:
    """Slot by slot, as section 4.2 tells it."""
    sent, slots = 0.0, 0
    while sent < delay.packet_bytes:
        sent += random.exponential(delay.slot_bytes)
        slots += 1
        while random.random() < delay.error_probability:
            slots += 1
    return slots


@cache
def sampled(delay: TransmissionDelay) -> np.ndarray:
    """D of as many cells as PACKETS independent packets make: array [cell], slots."""
    random = np.random.default_rng(1)
    cells = PACKETS // delay.users
    alone = [slots_of_one_packet(delay, random) for _ in range(cells * delay.users)]
    slots: np.ndarray = np.array(alone).reshape(cells, delay.users).sum(axis=1)
    return slots


def test_the_five_numbers_of_the_paper_come_from_its_printed_variance() -> None:
    assert constant_rate_delay(1500, 100, users=50) == 750
    numbers = [delay.normal_quantile(p, "printed") for delay in PAPER for p in (0.5, 0.95)]
    assert [round(number) for number in numbers] == [800, 847, 889, 943]
    assert [round(number, 1) for number in numbers] == [800.0, 846.5, 888.9, 943.1]


def test_the_corrected_variance_moves_two_of_them() -> None:
    numbers = [delay.normal_quantile(p, "corrected") for delay in PAPER for p in (0.5, 0.95)]
    assert [round(number, 1) for number in numbers] == [800.0, 845.0, 888.9, 941.5]


def test_by_hand_a_packet_of_one_mean_slot_takes_two_and_the_variance_is_one() -> None:
    delay = TransmissionDelay(100, 100)
    assert (delay.mean(), delay.variance("corrected"), delay.variance("printed")) == (2.0, 1.0, 2.0)
    assert delay.pmf([1, 2, 3]).tolist() == pytest.approx([math.exp(-1), math.exp(-1), math.exp(-1) / 2])


@pytest.mark.parametrize("delay", OTHERS + PAPER)
def test_the_model_slot_by_slot_has_the_corrected_moments(delay: TransmissionDelay) -> None:
    slots = sampled(delay)
    assert abs(slots.mean() - delay.mean()) <= SIGMAS * slots.std() / math.sqrt(slots.size)
    squares = (slots - delay.mean()) ** 2
    error = SIGMAS * float(squares.std()) / math.sqrt(squares.size)
    assert abs(squares.mean() - delay.variance("corrected")) <= error


def test_the_printed_variance_is_not_that_of_the_model() -> None:
    delay = OTHERS[0]
    squares = (sampled(delay) - delay.mean()) ** 2
    error = SIGMAS * float(squares.std()) / math.sqrt(squares.size)
    assert abs(squares.mean() - delay.variance("printed")) > error


@pytest.mark.parametrize("delay", OTHERS + PAPER)
def test_the_model_slot_by_slot_has_the_exact_distribution(delay: TransmissionDelay) -> None:
    slots = np.sort(sampled(delay))
    values, counts = np.unique(slots, return_counts=True)
    empirical = np.cumsum(counts) / slots.size
    # Dvoretzky-Kiefer-Wolfowitz: beyond this distance once in ten thousand samples.
    assert np.abs(empirical - delay.cdf(values)).max() <= math.sqrt(math.log(2 / 1e-4) / (2 * slots.size))


@pytest.mark.parametrize("delay", OTHERS + PAPER)
def test_the_exact_distribution_sums_to_one_and_has_the_corrected_moments(delay: TransmissionDelay) -> None:
    slots = np.arange(0, math.ceil(delay.mean() + 40 * math.sqrt(delay.variance()) + 40))
    shares = delay.pmf(slots)
    assert shares.sum() == pytest.approx(1, abs=1e-9)
    assert shares @ slots == pytest.approx(delay.mean(), rel=1e-7)
    assert shares @ (slots - delay.mean()) ** 2 == pytest.approx(delay.variance(), rel=1e-6)
    assert np.cumsum(shares) == pytest.approx(delay.cdf(slots), abs=1e-9)


@pytest.mark.parametrize("probability", [1e-6, 0.05, 0.5, 0.95, 1 - 1e-6])
@pytest.mark.parametrize("delay", OTHERS + PAPER)
def test_a_quantile_is_the_fewest_slots_that_suffice(delay: TransmissionDelay, probability: float) -> None:
    slots = delay.quantile(probability)
    assert delay.cdf(slots - 1) < probability <= delay.cdf(slots)


def test_no_packet_takes_less_than_a_slot_and_no_cell_less_than_one_a_user() -> None:
    for delay in OTHERS:
        assert delay.cdf(delay.users - 1) == 0 < delay.cdf(delay.users)


def test_the_gaussian_is_near_the_exact_law_for_fifty_users_and_not_for_one() -> None:
    for probability in (0.05, 0.5, 0.95):
        for delay in PAPER:
            assert abs(delay.normal_quantile(probability) - delay.quantile(probability)) < 2
    alone = TransmissionDelay(100, 1000, error_probability=0.1)
    assert alone.normal_quantile(0.05) < 1 == alone.quantile(0.05)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: TransmissionDelay(0, 100),
        lambda: TransmissionDelay(1500, 0),
        lambda: TransmissionDelay(1500, 100, users=0),
        lambda: TransmissionDelay(1500, 100, error_probability=1.0),
        lambda: TransmissionDelay(math.nan, 100),
        lambda: TransmissionDelay(1500, math.inf),
        lambda: finish_times(math.nan, 100, users=3),
        lambda: finish_times(1500, math.inf, users=3),
        lambda: TransmissionDelay(1500, 100).quantile(1.0),
        lambda: TransmissionDelay(1500, 100).normal_quantile(0.0),
        lambda: constant_rate_delay(1500, 100, users=0),
    ],
)
def test_values_out_of_range_are_refused(wrong: object) -> None:
    assert callable(wrong)
    with pytest.raises(ValueError, match="must"):
        wrong()


@pytest.mark.parametrize("delay", [*PAPER, *OTHERS])
def test_the_distribution_is_the_mixture_of_negative_binomial_ones(delay: TransmissionDelay) -> None:
    slots = np.arange(0, 2 * math.ceil(delay.mean()), 7)
    beyond = np.arange(1000)
    needed = delay.users + beyond
    shares = poisson.pmf(beyond, delay.users * delay.packet_bytes / delay.slot_bytes)
    mixture = nbinom.cdf(slots[:, None] - needed, needed, 1 - delay.error_probability) @ shares
    assert delay.cdf(slots) == pytest.approx(mixture, abs=1e-11)
    assert np.diff(delay.cdf(slots), prepend=0.0) == pytest.approx(
        [delay.pmf(np.arange(max(slot - 6, 0), slot + 1)).sum() for slot in slots.tolist()], abs=1e-11
    )


def test_no_slot_is_enough_before_the_first_and_all_are_at_last() -> None:
    assert PAPER[0].cdf([-3.0, -0.5, 0.0, 1e6]).tolist() == [0.0, 0.0, 0.0, 1.0]
