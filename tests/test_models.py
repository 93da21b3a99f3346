"""Closed forms against sampling, limits and one another. Tolerances follow from the sample size."""

from __future__ import annotations

import math

import numpy as np
import pytest

from airlink import models

THRESHOLDS_DB = [-7.1, -5.2, -3.7, 0.1, 2.8, 5.0]
RATES_BPS = [320e3, 480e3, 640e3, 1280e3, 1920e3, 2560e3]
SAMPLES = 200_000
SIGMAS = 5.0


def rayleigh_rates(mean_snr_db: list[float]) -> np.ndarray:
    """Rates of independent Rayleigh users: array [sample, user], b/s."""
    draws = np.random.default_rng(1).exponential(size=(SAMPLES, len(mean_snr_db)))
    snr_db = 10 * np.log10(draws * 10 ** (np.array(mean_snr_db) / 10))
    return np.concatenate([[0.0], RATES_BPS])[np.searchsorted(THRESHOLDS_DB, snr_db, side="right")]


def within(samples: np.ndarray, expected: float) -> bool:
    error = float(samples.std()) / math.sqrt(samples.size)
    return bool(abs(float(samples.mean()) - expected) <= SIGMAS * error)


def test_the_gain_of_pf_is_the_mean_of_the_largest_of_n_exponentials() -> None:
    for users in (1, 2, 5, 21):
        largest = np.random.default_rng(users).exponential(size=(SAMPLES, users)).max(axis=1)
        assert within(largest, models.proportional_fair_gain(users))
        assert not within(largest, models.proportional_fair_gain(users) + 0.05), "the test can fail"


def test_round_robin_gives_each_user_a_share_of_its_own_mean_rate() -> None:
    mean_snr_db = [-5.0, 0.0, 12.0]
    expected = models.round_robin_mean(THRESHOLDS_DB, RATES_BPS, mean_snr_db)
    sampled = rayleigh_rates(mean_snr_db) / len(mean_snr_db)
    for user in range(3):
        assert within(sampled[:, user], float(expected[user]))


def test_max_rate_is_the_mean_of_the_largest_rate() -> None:
    mean_snr_db = [-5.0, 0.0, 2.0]
    assert within(rayleigh_rates(mean_snr_db).max(axis=1), models.max_rate_mean(THRESHOLDS_DB, RATES_BPS, mean_snr_db))


def test_max_rate_of_one_user_is_round_robin_of_one_user() -> None:
    alone = models.max_rate_mean(THRESHOLDS_DB, RATES_BPS, [3.0])
    assert alone == pytest.approx(float(models.round_robin_mean(THRESHOLDS_DB, RATES_BPS, [3.0])[0]))


def test_the_probabilities_of_the_rates_leave_the_probability_of_none() -> None:
    used = models.rate_probabilities(THRESHOLDS_DB, [0.0, 10.0]).sum(axis=1)
    lowest = 10 ** (THRESHOLDS_DB[0] / 10)
    assert used.tolist() == pytest.approx([math.exp(-lowest), math.exp(-lowest / 10)])


def test_padhye_becomes_the_square_root_law_when_losses_are_rare() -> None:
    for loss in (1e-5, 1e-6, 1e-17, 1e-300):
        ratio = models.padhye_send_rate(loss, 0.1, 1.0, 1000) / models.mathis_throughput(loss, 0.1, 1000)
        assert abs(ratio - 1.0) < 5 * math.sqrt(loss) + 1e-12  # the second is for rounding


def test_padhye_never_exceeds_the_receivers_window() -> None:
    for loss in (1e-4, 1e-3, 1e-2):
        assert models.padhye_send_rate(loss, 0.1, 1.0, 1000, window_segments=10) <= 10 * 8000 / 0.1


def test_padhye_falls_with_loss_rtt_and_timeout() -> None:
    base = models.padhye_throughput(0.01, 0.1, 1.0, 1000)
    assert models.padhye_throughput(0.02, 0.1, 1.0, 1000) < base
    assert models.padhye_throughput(0.01, 0.2, 1.0, 1000) < base
    assert models.padhye_throughput(0.01, 0.1, 2.0, 1000) < base
    assert models.padhye_throughput(0.01, 0.1, 1.0, 1000, segments_per_ack=2) < base


def test_one_segment_is_sent_once_a_timeout_when_nearly_everything_is_lost() -> None:
    p, rto_s = 0.9, 1.0
    backed_off = 1 + p + 2 * p**2 + 4 * p**3 + 8 * p**4 + 16 * p**5 + 32 * p**6
    assert models.padhye_send_rate(p, 1e-6, rto_s, 1000) < 10 * 8000 / (rto_s * backed_off)


def test_the_bandwidth_delay_product_counts_bytes_or_packets() -> None:
    assert models.bandwidth_delay_product(8e6, 0.1) == 100_000
    assert models.bandwidth_delay_product(8e6, 0.1, packet_bytes=1000) == 100


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: models.proportional_fair_gain(0),
        lambda: models.rate_probabilities([1.0, 0.0], 3.0),
        lambda: models.max_rate_mean([0.0, 1.0], [2e6, 1e6], [3.0]),
        lambda: models.mathis_throughput(0.0, 0.1, 1000),
        lambda: models.padhye_send_rate(0.01, 0.0, 1.0, 1000),
        lambda: models.padhye_send_rate(0.01, 0.1, -1.0, 1000),
        lambda: models.bandwidth_delay_product(-1.0, 0.1),
        lambda: models.bandwidth_delay_product(1.0, 0.1, packet_bytes=0),
    ],
)
def test_values_out_of_range_are_refused(wrong: object) -> None:
    assert callable(wrong)
    with pytest.raises(ValueError, match=r"must|needs|no random time"):
        wrong()
