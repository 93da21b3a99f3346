"""The link of [Andrew08] as its tests have it: three users who fade, always with data, and what an SNR supports."""

from __future__ import annotations

import math

W_HZ, C_BPS = 4.3e6, 1e7
DELIVERED, DROPPED = (0,), (2, 3)
"""Values of the column `fate` of the series `packets`, of what the link is done with."""

CELL = """
duration_s = 12
users = 3
slot.duration_ms = 3
channel.placement = {kind = "mean_snr", mean_snr_db = 6.0206}
channel.fading = {kind = "jakes", doppler_hz = 6}
link.rate = {kind = "capacity", bandwidth_hz = 4.3e6, max_rate_bps = 1e7}
link.report.delay_slots = 1
link.errors.threshold_rule = true
link.outer_loop.kind = "margin"
link.arq.max_retransmissions = 4
[scheduler]
kind = "proportional_fair"
time_constant_slots = 33.333333333333336
average_counts = "granted"
initial_average_bps = 1000
ties = "lowest_index"
[[flows]]
traffic = {kind = "backlogged", packet_bytes = 1500}
"""


def supports(snr: float) -> float:
    """The rate that an SNR supports, (18) without a margin, b/s."""
    return min(W_HZ * math.log2(1 + snr), C_BPS)
