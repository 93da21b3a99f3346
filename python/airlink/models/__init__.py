"""Closed forms: what theory says about the simple cases, to hold the simulator against.

Each function states its equation, its assumptions and its source; docs/closed-forms.md has them side by side with the
engine. Some equations are solved by numbers, not by a formula. Left out: TCP but for the square-root laws;
laws of a single paper, which are with its study in `airlink_studies`.
"""

from __future__ import annotations

from airlink.models.bandwidth_delay import bandwidth_delay_product
from airlink.models.block_errors import (
    CodedBlock,
    block_error_rate,
    exponential_effective_snr,
    harq_error_rates,
    information_moments,
    mutual_information_effective_snr,
    required_snr_db,
    second_order_beta,
)
from airlink.models.delay_profiles import coherence_bandwidth, delay_spread, frequency_correlation
from airlink.models.delayed_equations import DelayedSolution, integrate_delayed
from airlink.models.fair_sharing import Sharing, fair_sharing, proportional_fair_mean
from airlink.models.gaps import SlotGaps, lead_slots
from airlink.models.mean_field import FadingCell, MeanField, mean_field
from airlink.models.opportunistic import (
    max_rate_mean,
    proportional_fair_gain,
    rate_probabilities,
    round_robin_mean,
)
from airlink.models.service_interval import ServiceInterval
from airlink.models.tcp_throughput import mathis_throughput, padhye_send_rate, padhye_throughput

__all__ = [
    "CodedBlock",
    "DelayedSolution",
    "FadingCell",
    "MeanField",
    "ServiceInterval",
    "Sharing",
    "SlotGaps",
    "bandwidth_delay_product",
    "block_error_rate",
    "coherence_bandwidth",
    "delay_spread",
    "exponential_effective_snr",
    "fair_sharing",
    "frequency_correlation",
    "harq_error_rates",
    "information_moments",
    "integrate_delayed",
    "lead_slots",
    "mathis_throughput",
    "max_rate_mean",
    "mean_field",
    "mutual_information_effective_snr",
    "padhye_send_rate",
    "padhye_throughput",
    "proportional_fair_gain",
    "proportional_fair_mean",
    "rate_probabilities",
    "required_snr_db",
    "round_robin_mean",
    "second_order_beta",
]
