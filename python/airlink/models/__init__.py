"""Closed forms: what theory says about the simple cases, to hold the simulator against.

Each function states its equation, its assumptions and its source; docs/closed-forms.md has them side by side with the
engine. Some equations are solved by numbers, not by a formula. Left out: TCP but for the square-root laws.
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
from airlink.models.clamp_averaged import clamp_averaged_critical_b, clamp_delay_critical_speed
from airlink.models.clamp_clocked import clamp_clocked_critical_b
from airlink.models.clamp_clocked_course import clamp_clocked_course
from airlink.models.clamp_equilibrium import ClampEquilibrium, ClampFlows, clamp_equilibrium
from airlink.models.clamp_fluid import clamp_course, clamp_queue, clamp_queue_bytes
from airlink.models.clamp_stability import clamp_critical_b, clamp_critical_delay, clamp_rightmost_roots, clamp_roots
from airlink.models.clamp_start import ClampCourse, ClampStart
from airlink.models.clamp_two_queues import ClampTwoQueues, clamp_two_queues
from airlink.models.delay_profiles import coherence_bandwidth, delay_spread, frequency_correlation
from airlink.models.delayed_equations import DelayedSolution, integrate_delayed
from airlink.models.fair_sharing import Sharing, fair_sharing, proportional_fair_mean
from airlink.models.finish_times import FinishTimes, finish_times
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
from airlink.models.transmission_delay import TransmissionDelay, constant_rate_delay
from airlink.models.vacation_queue import (
    Moments,
    cycle_second_moment,
    equal_users_residual_time,
    large_cell_residual_time,
    measured_system_time,
    packet_system_time,
    residual_time,
    segments_waiting,
    utilisation,
)

__all__ = [
    "ClampCourse",
    "ClampEquilibrium",
    "ClampFlows",
    "ClampStart",
    "ClampTwoQueues",
    "CodedBlock",
    "DelayedSolution",
    "FadingCell",
    "FinishTimes",
    "MeanField",
    "Moments",
    "ServiceInterval",
    "Sharing",
    "SlotGaps",
    "TransmissionDelay",
    "bandwidth_delay_product",
    "block_error_rate",
    "clamp_averaged_critical_b",
    "clamp_clocked_course",
    "clamp_clocked_critical_b",
    "clamp_course",
    "clamp_critical_b",
    "clamp_critical_delay",
    "clamp_delay_critical_speed",
    "clamp_equilibrium",
    "clamp_queue",
    "clamp_queue_bytes",
    "clamp_rightmost_roots",
    "clamp_roots",
    "clamp_two_queues",
    "coherence_bandwidth",
    "constant_rate_delay",
    "cycle_second_moment",
    "delay_spread",
    "equal_users_residual_time",
    "exponential_effective_snr",
    "fair_sharing",
    "finish_times",
    "frequency_correlation",
    "harq_error_rates",
    "information_moments",
    "integrate_delayed",
    "large_cell_residual_time",
    "lead_slots",
    "mathis_throughput",
    "max_rate_mean",
    "mean_field",
    "measured_system_time",
    "mutual_information_effective_snr",
    "packet_system_time",
    "padhye_send_rate",
    "padhye_throughput",
    "proportional_fair_gain",
    "proportional_fair_mean",
    "rate_probabilities",
    "required_snr_db",
    "residual_time",
    "round_robin_mean",
    "second_order_beta",
    "segments_waiting",
    "utilisation",
]
