"""The settings that the rule's constant is fitted on, and the others that it is tested on.

No test setting shares both t_c and Doppler with a training setting, and most differ in more: number of users, mean
SNRs, packet size, rate table, base round trip. Left out: what is done with them (rule.py).
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping

from airlink.scenario import Scenario
from airlink_studies.startup_timeout.setting import cell

MSS_BYTES = "flows.0.tcp.mss_bytes"

TRAINING: Mapping[str, Scenario] = {
    f"t_c {time_constant:g}, {doppler:g} Hz, {mean:g} ± {spread / 2:g} dB": cell(
        time_constant_slots=time_constant, doppler_hz=doppler, snr_mean_db=mean, snr_spread_db=spread
    )
    for time_constant, doppler, (mean, spread) in itertools.product(
        (300.0, 3000.0), (0.7, 2.5, 8.0), ((5.0, 0.0), (10.0, 12.0))
    )
}
"""20 users."""

TESTS: Mapping[str, Scenario] = {
    "study's default": cell(),
    "half time out (t_c 10 000)": cell(time_constant_slots=10_000.0),
    "10 users, t_c 2000": cell(10, time_constant_slots=2000.0),
    "40 users, 4 Hz, ±5 dB": cell(40, time_constant_slots=6000.0, doppler_hz=4.0, snr_spread_db=10.0),
    "50 users, default": cell(50),
    "all at 4 dB": cell(time_constant_slots=1500.0, doppler_hz=1.5, snr_mean_db=4.0, snr_spread_db=0.0),
    "7 ± 15 dB": cell(time_constant_slots=2000.0, snr_mean_db=7.0, snr_spread_db=30.0),
    "536 B packets": cell(time_constant_slots=2000.0).with_(**{MSS_BYTES: 536}),
    "1460 B, 13 ± 5 dB": cell(time_constant_slots=6000.0, snr_mean_db=13.0, snr_spread_db=10.0).with_(
        **{MSS_BYTES: 1460}
    ),
    "rates of [Klein04], 5 ms": cell(snr_mean_db=3.0, snr_spread_db=8.0).with_(
        **{"link.rate.name": "klein-2004", "slot.duration_ms": 5.0}
    ),
    "round trip 0.1 s": cell(time_constant_slots=2000.0).with_(
        **{"flows.0.path.downlink_delay_ms": 50.0, "flows.0.path.uplink_delay_ms": 50.0}
    ),
    "0.5 Hz, t_c 30 000": cell(time_constant_slots=30_000.0, doppler_hz=0.5),
    "15 Hz, t_c 500": cell(time_constant_slots=500.0, doppler_hz=15.0),
}

QUICK_TRAINING = ("t_c 3000, 0.7 Hz, 5 ± 0 dB",)
QUICK_TESTS = ("study's default", "half time out (t_c 10 000)", "10 users, t_c 2000")

SETTLED_WITHIN = 0.5
"""Averages settle within a run if t_c is at most this share of it (chosen)."""


def settles(scenario: Scenario) -> bool:
    """Whether PF forgets its equal starting averages within the run."""
    scheduler, slot = scenario.scheduler, scenario.slot
    assert slot is not None, "a cell"
    assert scheduler is not None, "a cell"
    assert scheduler.kind == "proportional_fair", "under PF"
    return scheduler.time_constant_slots * float(slot.exact_ms()) / 1e3 <= SETTLED_WITHIN * scenario.duration_s
