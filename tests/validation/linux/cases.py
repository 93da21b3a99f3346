"""The experiments: a bottleneck, what happens to packets, the settings of the kernel. One case, one result table."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any


@dataclass(frozen=True)
class Spell:
    """A time during which packets that enter a wire are delayed or, in an outage, held or dropped. Seconds."""

    start_s: float
    length_s: float
    extra_ms: float = 0.0
    hold: bool = False


@dataclass(frozen=True)
class Case:
    """One experiment. Rates in bit/s of IP packets; delays one way; packets of data numbered from 0 by flow."""

    name: str
    what: str
    rate_bps: float = 10e6
    forward_ms: tuple[float, ...] = (25.0,)
    backward_ms: tuple[float, ...] = (25.0,)
    limit_packets: int = 1_000_000
    in_service_counts: bool = False
    duration_s: float = 20.0
    congestion_control: str = "cubic"
    sack: bool = True
    timestamps: bool = True
    sysctls: dict[str, str] = field(default_factory=dict)
    drop: tuple[int, ...] = ()
    drop_acks: tuple[int, ...] = ()
    """ACKs in the order they were sent, from 0, the one of the SYN apart."""
    file_bytes: int = 0
    """0: there is always data."""
    spikes: tuple[Spell, ...] = ()
    outages: tuple[Spell, ...] = ()
    send_buffer: int = 8_000_000
    receive_buffer: int = 4_000_000
    """0: the kernel lets it grow."""

    @property
    def flows(self) -> int:
        return len(self.forward_ms)

    def settings(self) -> dict[str, str]:
        """The sysctls of both namespaces."""
        return {
            "tcp_sack": str(int(self.sack)),
            "tcp_timestamps": str(int(self.timestamps)),
            "tcp_no_metrics_save": "1",
            "tcp_slow_start_after_idle": "1",
            **self.sysctls,
        }


SMALL_QUEUE = Case("", "", rate_bps=10e6, forward_ms=(20.0,), backward_ms=(20.0,), limit_packets=20)
LOSSES = Case("", "", rate_bps=10e6, forward_ms=(25.0,), backward_ms=(25.0,), duration_s=6.0)
GROWN = replace(SMALL_QUEUE, receive_buffer=0)
SPIKE = replace(SMALL_QUEUE, duration_s=8.0, spikes=(Spell(4.0, 0.6, 600.0),))
OUTAGE = replace(SMALL_QUEUE, duration_s=12.0, outages=(Spell(4.0, 2.0),))
TWO_RTTS = Case(
    "", "", rate_bps=10e6, forward_ms=(10.0, 40.0), backward_ms=(10.0, 40.0), limit_packets=30, duration_s=40.0
)
FILE = Case("", "", rate_bps=5e6, forward_ms=(30.0,), backward_ms=(30.0,), duration_s=2.0, file_bytes=100_000)
FOUR = (120, 124, 128, 132)


def _case(base: Case, name: str, what: str, **changes: Any) -> Case:
    return replace(base, name=name, what=what, **changes)


def _reno(base: Case, name: str, what: str, **changes: Any) -> Case:
    return _case(base, name, what, congestion_control="reno", **changes)


CASES = (
    _reno(SMALL_QUEUE, "reno_no_sack_steady", "Reno without SACK on a small queue", sack=False),
    _reno(SMALL_QUEUE, "reno_steady", "Reno with SACK on a small queue"),
    _case(SMALL_QUEUE, "cubic_steady", "CUBIC on a small queue", duration_s=30.0),
    _reno(GROWN, "reno_no_sack_grown", "Reno without SACK on a small queue, a receive buffer that grows", sack=False),
    _reno(GROWN, "reno_grown", "Reno with SACK on a small queue, a receive buffer that grows"),
    _case(GROWN, "cubic_grown", "CUBIC on a small queue, a receive buffer that grows", duration_s=30.0),
    _reno(LOSSES, "reno_one_loss", "one loss in slow start", drop=(60,)),
    _reno(LOSSES, "reno_no_sack_one_loss", "one loss in slow start, no SACK", sack=False, drop=(60,)),
    _case(LOSSES, "cubic_one_loss", "one loss in slow start", drop=(60,)),
    _reno(LOSSES, "reno_four_losses", "four losses in a window", drop=FOUR),
    _reno(LOSSES, "reno_no_sack_four_losses", "four losses in a window, no SACK", sack=False, drop=FOUR),
    _case(LOSSES, "cubic_four_losses", "four losses in a window", drop=FOUR),
    _reno(FILE, "reno_tail_losses", "the last three segments of a file", drop=(67, 68, 69)),
    _case(
        FILE,
        "cubic_file_losses",
        "losses at the end of a file on a fast link",
        rate_bps=47e6,
        forward_ms=(8.5,),
        backward_ms=(8.5,),
        file_bytes=200_000,
        drop=(130, 135, 136, 137, 138),
    ),
    _reno(
        FILE,
        "reno_late_losses",
        "four losses at the end of a file, three of which may still be late",
        forward_ms=(10.0,),
        backward_ms=(10.0,),
        file_bytes=119 * 1460,
        timestamps=False,
        drop=(113, 115, 116, 117),
    ),
    _reno(LOSSES, "reno_lost_again_losses", "a retransmission is lost, too", rate_bps=6.1e6, drop=(40, 92)),
    _reno(
        LOSSES,
        "reno_lost_acks_one_loss",
        "ACKs are lost before a segment is and while it is repaired",
        rate_bps=6.1e6,
        drop=(50,),
        drop_acks=(*range(20, 28), *range(52, 60)),
    ),
    _reno(SPIKE, "reno_spike", "a delay spike that outlasts the timeout"),
    _reno(SPIKE, "reno_no_timestamps_spike", "a delay spike that outlasts the timeout", timestamps=False),
    _reno(OUTAGE, "reno_outage", "nothing passes for 2 s"),
    _case(OUTAGE, "cubic_outage", "nothing passes for 2 s"),
    _reno(TWO_RTTS, "reno_two_rtts", "round trips of 20 and 80 ms"),
    _case(TWO_RTTS, "cubic_two_rtts", "round trips of 20 and 80 ms"),
)
