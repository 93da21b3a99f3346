"""Profiles of TCP: sets of defaults for `[flows.tcp]`. Any field that is given overrides its profile.

Where each value comes from, with file and symbol or RFC section, is in docs/models/tcp-profiles.md. Leaves out the
values of `classic`: they are the defaults of the classes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .fields import Section

Values = dict[str, Any]

NS2: Values = {
    "congestion_control": "reno",
    "vegas": {
        "alpha_segments": 1.0,
        "beta_segments": 3.0,
        "slow_start_end": "eighth_less",
        "round_trip": "mean",
        "least_samples": 1,
    },
    "mss_bytes": 1000,
    "header_bytes": 40,
    "ack_bytes": 40,
    "handshake": True,
    "initial_window": "segments",
    "initial_window_segments": 2,
    "initial_ssthresh_segments": 20.0,
    "restart_after_idle": "initial_window",
    "rto": {
        "estimator": "ns2",
        "min_ms": 200.0,
        "initial_ms": 3000.0,
        "max_ms": 60_000.0,
        "tick_ms": 100.0,
        "karn": True,
        "variance_floor": False,
        "sample_every_ack": False,
    },
    "receiver_window_bytes": 20_000,
    "window_scaling": True,
    "delayed_ack": {"every": 1, "timer_ms": 100.0, "repetition_waits": True, "timer_first": True},
    "rules": {
        "count_option_bytes": True,
        "option_header_bytes": 0,
        "initial_window_after_lost_syn": "falls_back",
        "growth": "per_ack",
        "reduction_of": "window",
        "timeout_raises_threshold": True,
        "guard_after_recovery": True,
        "first_loss_unguarded": True,
        "timeout_keeps_duplicates": True,
        "impatient": True,
        "restart_timer_on_retransmission": True,
        "recovery_end": "deflated",
        "growth_at_recovery_end": True,
        "recovery_burst_segments": 2,
        "limited_transmit": True,
        "limited_transmit_resends": True,
        "sack_pipe": "ns2_sack1",
        "sack_of_old_acks": True,
        "forget_sack_on_timeout": True,
        "careful_fast_retransmit": True,
    },
}

RFC: Values = {
    "congestion_control": "new_reno",
    "mss_bytes": 1460,
    "header_bytes": 40,
    "ack_bytes": 40,
    "handshake": True,
    "initial_window": "rfc3390",
    "restart_after_idle": "initial_window",
    "sack": True,
    "delayed_ack": {"every": 2, "timer_ms": 200.0},
    "rules": {
        "count_option_bytes": True,
        "growth": "byte_counting",
        "byte_counting_limit_segments": 1,
        "reduction_of": "flight",
        "impatient": True,
        "limited_transmit": True,
        "sack_blocks": 4,
        "dsack": True,
        "sack_of_old_acks": True,
        "spurious_response": "eifel",
        "careful_fast_retransmit": True,
        "sack_rescue": True,
        "frto": True,
    },
}

LINUX: Values = {
    "congestion_control": "cubic",
    "mss_bytes": 1448,
    "header_bytes": 52,
    "ack_bytes": 52,
    "handshake": True,
    "initial_window": "segments",
    "initial_window_segments": 10,
    "cubic": {"beta": 717 / 1024, "c": 410 / 1024, "fast_convergence": True, "reno_friendly": True},
    "westwood": {
        "filter_memory": 7 / 8,
        "filter_stages": 2,
        "least_window_ms": 50.0,
        "sets": "after_recovery",
        "forgets_least_rtt": True,
    },
    "vegas": {"slow_start": "every_round", "difference": "over_base_rtt", "forgets_base_rtt": True},
    "restart_after_idle": "decay",
    "sack": True,
    "timestamps": True,
    "rto": {
        "estimator": "linux",
        "min_ms": 200.0,
        "min_bounds_variance": True,
        "initial_ms": 1000.0,
        "max_ms": 120_000.0,
        "timer_tick_ms": 4.0,
        "sample_every_ack": True,
    },
    "receiver_window_bytes": 3_145_728,
    "window_scaling": True,
    "receive_autotuning": True,
    "delayed_ack": {
        "every": 2,
        "timer_ms": 200.0,
        "least_timer_ms": 40.0,
        "quick_segments": 16,
        "merge_bytes": 65_535,
    },
    "rules": {
        "count_option_bytes": True,
        "initial_window_after_lost_syn": "forgives_first",
        "growth": "whole_segments",
        "slow_start_exit": "hystart",
        "reduction_of": "congestion_window",
        "window_validation": "linux",
        "timeout_in_recovery_reduces": False,
        "restart_timer_on_retransmission": True,
        "limited_transmit": True,
        "sack_blocks": 3,
        "dsack": True,
        "sack_of_old_acks": True,
        "rack": True,
        "tail_loss_probe": True,
        "timer_slack_ms": 2.0,
        "eifel_detection": True,
        "dsack_detection": True,
        "spurious_response": "undo",
        "prr": "linux",
        "frto": True,
        "frto_at_once": True,
    },
}

# Fields that change what a profile sets when they are given: other rules need them, or belong to them.
DECIDING = ("sack", "timestamps", "congestion_control")
LINUX_WITHOUT: Mapping[str, Values] = {
    "sack": {"rules": {"rack": False, "tail_loss_probe": False, "dsack_detection": False}},
    "timestamps": {"mss_bytes": 1460, "header_bytes": 40, "ack_bytes": 40, "rules": {"eifel_detection": False}},
}
LINUX_NOT_CUBIC: Values = {"rules": {"slow_start_exit": "loss"}}

PROFILES: Mapping[str, Values] = {"classic": {}, "ns2": NS2, "rfc": RFC, "linux": LINUX}


def completed(data: Any) -> Any:
    """The fields of a `[flows.tcp]` as given, and its profile's values for those that aren't."""
    if not isinstance(data, Mapping):
        return data
    profile = profile_of(data)
    if "initial_window_segments" in data and "initial_window" not in data:
        profile = {**profile, "initial_window": "segments"}
    return merged(profile, data) if profile else data


def profile_of(data: Mapping[str, Any]) -> Values:
    """What the profile of a `[flows.tcp]` sets beside the classes' defaults; nothing for one that isn't known."""
    name = data.get("profile", "classic")
    profile = PROFILES.get(name, {}) if isinstance(name, str) else {}
    if name != "linux":
        return profile
    for field, values in LINUX_WITHOUT.items():
        if data.get(field) is False:
            profile = merged(profile, values)
    # HyStart is a part of the kernel's CUBIC (tcp_cubic.c), its other algorithms have none.
    return merged(profile, LINUX_NOT_CUBIC if data.get("congestion_control", "cubic") != "cubic" else {})


def merged(defaults: Values, given: Mapping[str, Any]) -> Values:
    """The given fields over the defaults, table by table; a table of another kind is taken as it is."""
    both = {**defaults, **given}
    for name, default in defaults.items():
        value = given.get(name, default)
        if isinstance(value, Section):
            value = value.model_dump(exclude_unset=True)
        if isinstance(default, dict) and isinstance(value, Mapping):
            same_kind = value.get("kind", default.get("kind")) == default.get("kind")
            both[name] = merged(default, value) if same_kind else value
    return both
