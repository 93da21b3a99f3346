"""When fields of `[[flows]]` and of `[flows.tcp]` have no effect, in the order of docs/scenario.md."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache, partial
from typing import Any

from .idle_fields import Rule
from .profiles import DECIDING
from .sections import Backlogged, Flow, Impairments, Pages, Requests, Sessions, Stalling, Tcp, Voice

ALL_DECIDING = ("profile", *DECIDING)
LARGEST_UNSCALED_WINDOW = 65_535
# Half of Linux's tcp_rmem[1]: whole segments of it are the first window that grows.
FIRST_WINDOW = 65_536


def usual(tcp: Tcp) -> Flow:
    """A flow over a connection that holds what its profile says, given the fields that decide about others."""
    return _held_by_profile(tuple((name, getattr(tcp, name)) for name in ALL_DECIDING))


@lru_cache(maxsize=64)
def _held_by_profile(deciding: tuple[tuple[str, Any], ...]) -> Flow:
    # Not validated: to make the validator takes longer than the rest of a warning.
    return Flow.model_construct(tcp=Tcp(**dict(deciding)))


def _is_other_algorithm(name: str, tcp: Tcp) -> bool:
    return tcp.congestion_control != name


def _has_no_partial_acks(tcp: Tcp) -> bool:
    """Whether no recovery by inflation of the window goes on after an ACK of new data."""
    return not _inflates(tcp) or tcp.congestion_control in ("reno", "tahoe")


def _inflates(tcp: Tcp) -> bool:
    """Whether a recovery is by inflation of the window: without SACK or a window that comes down gradually."""
    return not tcp.sack and tcp.rules.prr == "off"


def _has_no_fast_recovery(tcp: Tcp) -> bool:
    return not _inflates(tcp) or tcp.congestion_control == "tahoe"


def _falls_back(tcp: Tcp) -> bool:
    return tcp.handshake and tcp.rules.initial_window_after_lost_syn == "falls_back"


def _stalls(tcp: Tcp) -> Stalling:
    return tcp.reader if isinstance(tcp.reader, Stalling) else Stalling()


def _acknowledges_any_repetition(tcp: Tcp) -> bool:
    """Whether a segment that repeats the last one in order has its ACK at once, which says nothing else either way."""
    return tcp.delayed_ack.every == 1 and tcp.reader.kind == "immediate" and not (tcp.sack and tcp.rules.dsack)


def _reads_no_tick(tcp: Tcp) -> bool:
    return tcp.rto.estimator == "linux" and not tcp.rto.next_tick and tcp.rules.spurious_response != "eifel"


def _reorders_nothing(wire: Impairments) -> bool:
    return not wire.reorder_numbers and wire.reorder_probability == 0


INFLATION = 'with sack = true, with prr or with "tahoe", whose recoveries inflate no window; leave it out'
PARTIAL = (
    'with sack = true, with prr, with "reno" or with "tahoe": no recovery goes on by inflation after an ACK '
    "of new data; leave it out"
)
EACH = "with every = 1: each segment is acknowledged at once; set every above 1, or leave it out"

FLOW: Sequence[Rule[Flow]] = (
    Rule(
        "",
        ("path", "tcp"),
        lambda flow: isinstance(flow.traffic, Backlogged),
        'with traffic.kind = "backlogged", which has neither wires nor TCP; set another traffic.kind, or leave it out',
    ),
    Rule(
        "",
        ("tcp",),
        lambda flow: flow.is_over_udp(),
        "with traffic over UDP, which has no TCP; set another traffic.kind, or leave it out",
    ),
    Rule(
        "path",
        ("uplink_rate_bps", "uplink_delay_ms", "uplink_impairments"),
        lambda flow: flow.is_over_udp() and flow.direction == "down",
        'with traffic over UDP that goes down: nothing goes up; set direction = "up", or leave it out',
    ),
    Rule(
        "path",
        ("downlink_rate_bps", "downlink_delay_ms", "downlink_impairments", "upstream"),
        lambda flow: flow.is_over_udp() and flow.direction == "up",
        'with direction = "up": nothing goes down; set direction = "down", or leave it out',
    ),
    Rule(
        "traffic",
        ("descriptor_ms",),
        lambda flow: isinstance(flow.traffic, Voice) and flow.traffic.descriptor_bytes == 0,
        "with descriptor_bytes = 0: there are no descriptors; set that above 0, or leave it out",
    ),
    Rule(
        "traffic",
        ("think",),
        lambda flow: isinstance(flow.traffic, Sessions | Requests | Pages) and flow.traffic.think_s == 0,
        "with think_s = 0: there is no time to think; set that above 0, or leave it out",
    ),
)

IMPAIRMENTS: Sequence[Rule[Impairments]] = (
    Rule(
        "",
        ("reorder_extra_ms",),
        _reorders_nothing,
        "as nothing is reordered; set reorder_probability or reorder_numbers, or leave it out",
    ),
)

WINDOW: Sequence[Rule[Tcp]] = (
    Rule(
        "rules",
        ("count_option_bytes",),
        lambda tcp: not tcp.sack,
        "with sack = false: ACKs have no SACK blocks; set sack = true, or leave it out",
    ),
    Rule(
        "rules",
        ("option_header_bytes",),
        lambda tcp: not (tcp.sack and tcp.rules.count_option_bytes),
        "without sack and count_option_bytes: ACKs have no option whose bytes count; set both to true, or leave it out",
    ),
    Rule(
        "",
        ("initial_window_segments",),
        lambda tcp: tcp.initial_window != "segments" and not _falls_back(tcp),
        'unless initial_window = "segments"; set that, or leave this out',
    ),
    Rule(
        "rules",
        ("initial_window_after_lost_syn",),
        lambda tcp: not tcp.handshake,
        "with handshake = false: there is no SYN to be lost; set that to true, or leave this out",
    ),
    Rule(
        "rules",
        ("reduction_in_whole_segments",),
        lambda tcp: tcp.rules.growth == "whole_segments" and tcp.rules.reduction_of != "window",
        'with growth = "whole_segments", which rounds all reductions but those of the window in force; leave it out',
    ),
    Rule(
        "rules",
        ("byte_counting_limit_segments",),
        lambda tcp: tcp.rules.growth != "byte_counting",
        'unless growth = "byte_counting"; set that, or leave this out',
    ),
    *(
        Rule(
            "",
            (name,),
            partial(_is_other_algorithm, name),
            f'unless congestion_control = "{name}"; set that, or leave this out',
        )
        for name in ("cubic", "westwood", "vegas")
    ),
)

RECOVERY: Sequence[Rule[Tcp]] = (
    Rule(
        "rules",
        ("guard_after_recovery",),
        lambda tcp: not _inflates(tcp) or tcp.congestion_control != "reno",
        'unless congestion_control = "reno" without sack and prr: others guard by themselves; leave it out',
    ),
    Rule(
        "rules",
        ("timeout_keeps_duplicates",),
        lambda tcp: tcp.congestion_control != "tahoe",
        'unless congestion_control = "tahoe"; set that, or leave this out',
    ),
    Rule(
        "rules",
        ("less_careful",),
        lambda tcp: tcp.sack or tcp.congestion_control in ("reno", "tahoe"),
        'with sack = true, "reno" or "tahoe", which have no such variant; leave it out',
    ),
    Rule(
        "rules",
        ("first_loss_unguarded",),
        lambda tcp: tcp.sack and tcp.rules.sack_pipe == "scoreboard",
        'with sack = true and sack_pipe = "scoreboard", whose guard is another; leave it out',
    ),
    Rule("rules", ("forgets_recovery_point",), _has_no_partial_acks, PARTIAL),
    Rule("rules", ("impatient", "recovery_burst_segments", "partial_window_deflation"), _has_no_partial_acks, PARTIAL),
    Rule("rules", ("recovery_end", "growth_at_recovery_end"), _has_no_fast_recovery, INFLATION),
    Rule(
        "rules",
        (
            "sack_blocks",
            "dsack",
            "sack_pipe",
            "sack_of_old_acks",
            "forget_sack_on_timeout",
            "sack_rescue",
        ),
        lambda tcp: not tcp.sack,
        "with sack = false; set sack = true, or leave it out",
    ),
    Rule(
        "rules",
        ("sack_rescue",),
        lambda tcp: tcp.sack and tcp.rules.rack,
        "with rack = true, which finds losses by time; leave it out",
    ),
    Rule(
        "rules",
        ("sack_rescue",),
        lambda tcp: tcp.sack and not tcp.rules.rack and tcp.rules.sack_pipe == "ns2_sack1",
        'with sack_pipe = "ns2_sack1", which sends no such repair; leave it out',
    ),
    Rule(
        "rules",
        ("frto_at_once",),
        lambda tcp: not tcp.rules.frto,
        "with frto = false; set that to true, or leave this out",
    ),
    Rule(
        "rules",
        ("tlp_max_ack_delay_ms",),
        lambda tcp: not tcp.rules.tail_loss_probe,
        "with tail_loss_probe = false; set that to true, or leave this out",
    ),
    Rule(
        "rules",
        ("timer_slack_ms",),
        lambda tcp: not tcp.rules.rack and not tcp.rules.tail_loss_probe,
        "with rack = false; set that to true, or leave this out",
    ),
    Rule(
        "rules",
        ("spurious_response",),
        lambda tcp: not (tcp.rules.frto or tcp.rules.eifel_detection or tcp.rules.dsack_detection),
        "as nothing detects a spurious recovery; set frto, eifel_detection or dsack_detection, or leave it out",
    ),
)

TIMER: Sequence[Rule[Tcp]] = (
    Rule(
        "rto",
        ("tick_ms", "tick_offset_ms"),
        _reads_no_tick,
        'with estimator = "linux", whose round trips are exact to 1 us; set timer_tick_ms or another estimator',
    ),
    Rule(
        "rto",
        ("tick_offset_ms",),
        lambda tcp: tcp.rto.tick_ms == 0 and not _reads_no_tick(tcp),
        "with tick_ms = 0: there is no clock to be ahead; set tick_ms, or leave it out",
    ),
    Rule(
        "rto",
        ("variance_floor",),
        lambda tcp: tcp.rto.estimator != "rfc6298",
        'unless estimator = "rfc6298"; leave it out',
    ),
    Rule(
        "rto",
        ("variance_floor",),
        lambda tcp: tcp.rto.estimator == "rfc6298" and tcp.rto.tick_ms == 0,
        "with tick_ms = 0, which is the floor; set tick_ms, or leave it out",
    ),
    Rule(
        "rto",
        ("min_bounds_variance",),
        lambda tcp: tcp.rto.estimator == "ns2",
        'with estimator = "ns2", which bounds the whole RTO; leave it out',
    ),
    Rule(
        "rto",
        ("sample_every_ack",),
        lambda tcp: tcp.rto.estimator != "rfc6298",
        'unless estimator = "rfc6298": "linux" samples every ACK, "ns2" one segment at a time; leave it out',
    ),
    Rule(
        "rto",
        ("sample_every_ack",),
        lambda tcp: tcp.rto.estimator == "rfc6298" and tcp.timestamps,
        "with timestamps = true: every ACK of new data gives a sample; leave it out",
    ),
)

RECEIVER: Sequence[Rule[Tcp]] = (
    Rule(
        "",
        ("window_scaling",),
        lambda tcp: tcp.receiver_window_bytes <= LARGEST_UNSCALED_WINDOW,
        "with receiver_window_bytes up to 65535, which needs no scale; leave it out",
    ),
    Rule(
        "",
        ("receive_autotuning",),
        lambda tcp: tcp.receiver_window_bytes <= FIRST_WINDOW // tcp.mss_bytes * tcp.mss_bytes,
        "with receiver_window_bytes no larger than the window that it begins with; raise that, or leave this out",
    ),
    Rule(
        "reader",
        ("stall_after_s",),
        lambda tcp: _stalls(tcp).rate_bps < math.inf and _stalls(tcp).stall_for_s == 0,
        "with stall_for_s = 0: the pause has no length; set that above 0, or leave this out",
    ),
    Rule(
        "reader",
        ("stall_for_s",),
        lambda tcp: _stalls(tcp).rate_bps < math.inf and _stalls(tcp).stall_after_s == math.inf,
        'with stall_after_s = "inf": the pause never comes; set that, or leave this out',
    ),
    Rule(
        "delayed_ack",
        ("timer_ms", "least_timer_ms", "quick_segments", "timer_first", "immediate_on_gap"),
        lambda tcp: tcp.delayed_ack.every == 1,
        EACH,
    ),
    Rule("delayed_ack", ("repetition_waits",), _acknowledges_any_repetition, EACH),
)

TCP: Sequence[Rule[Tcp]] = (*WINDOW, *RECOVERY, *TIMER, *RECEIVER)
