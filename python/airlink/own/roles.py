"""What code of one's own sees, and the classes that it may begin with. Left out: how it is run (`airlink.engine`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

Verdict = Literal["pass", "mark", "drop"]
"""What becomes of a packet in a queue; one whose sender takes no marks is dropped instead of marked."""

Reals = NDArray[np.float64]


class Stream(Protocol):
    """Random draws, in order, from a stream named (seed of the run, own, index)."""

    def uniform(self) -> float:
        """A number from 0 to below 1."""

    def normal(self) -> float:
        """A standard normal number."""

    def exponential(self, mean: float) -> float:
        """An exponential number of this mean."""


@dataclass(frozen=True)
class Run:
    """What an object of one's own learns before a run, by its method `start`.

    Attributes
    ----------
    seed : of the run.
    users, subchannels : how many there are; 0 subchannels without a cell.
    slot_s : length of a slot, s; NaN without a cell.
    flow : whose congestion control it is; None for others.
    user : whose queue it is; None for others.
    """

    seed: int
    users: int
    subchannels: int
    slot_s: float
    flow: int | None = None
    user: int | None = None
    make_stream: Callable[[int, int], Stream] | None = field(default=None, repr=False)

    def stream(self, index: int = 0) -> Stream:
        """A stream of random draws, 0 <= index < 2^32: never one of another object, nor one of the simulator's own."""
        if not 0 <= index < 2**32 or self.make_stream is None:
            raise ValueError(f"index is {index}; it must lie in 0..2^32-1")
        whose = 0 if self.flow is None else 1 + self.flow
        if self.user is not None:
            whose = 2**31 + self.user
        return self.make_stream(self.seed, whose * 2**32 + index)


class View(Protocol):
    """What the base station knows at the start of a slot: arrays by user, two of them by user and subchannel.

    A column is filled when it is first read in a slot, and costs nothing otherwise. Arrays are read-only, and their
    memory is the same in all slots of a run: copy what must outlive the slot.

    Attributes
    ----------
    slot, now_s, slot_s : number of the slot, when it starts and how long it is, s.
    users, subchannels : how many there are.
    rate_bps : array [user, subchannel] of float64: the rate that the report permits, b/s; 0 if none.
    reported_db : array [user, subchannel]: the SNR that was reported, dB.
    mean_snr_db : array [user]: mean SNR, dB.
    average_bps : array [user]: the average of `[scheduler]` (time_constant_slots, average_counts, ...), b/s; by the
        defaults of these fields if its kind has none.
    head_of_line_delay_s : array [user]: how long the oldest packet has waited, s; 0 without one.
    backlog_bytes, retransmit_bytes : array [user] of int64: unsent bytes, and those of them that were lost before.
    last_won : array [user] of int64: number of the last slot won, -1 before the first.
    eligible : array [user] of bool: who may win.
    weight, delay_budget_s : array [user]: `scheduler.weight` and `scheduler.delay_budget_ms`, in s.
    granted_bits, sent_bits : array [user]: what the slot before gave, bits; 0 for who was not served.
    """

    slot: int
    now_s: float
    slot_s: float
    users: int
    subchannels: int
    rate_bps: Reals
    reported_db: Reals
    mean_snr_db: Reals
    average_bps: Reals
    head_of_line_delay_s: Reals
    backlog_bytes: NDArray[np.int64]
    retransmit_bytes: NDArray[np.int64]
    last_won: NDArray[np.int64]
    eligible: NDArray[np.bool_]
    weight: Reals
    delay_budget_s: Reals
    granted_bits: Reals
    sent_bits: Reals


class Allocation(Protocol):
    """Who gets which subchannel of a slot; what nobody is granted stays idle."""

    def grant(self, subchannel: int, user: int) -> None:
        """Gives a subchannel to a user, each once; the user may win (`View.eligible`) and has a rate there."""


class Event(Protocol):
    """What a congestion control hears; what an event does not have is NaN, 0 or false.

    Attributes
    ----------
    now_s : when, s.
    acked_bytes, acked_segments, delivered_bytes, marked_bytes : of an ACK: newly acknowledged, newly shown to have
        arrived, and of those marked.
    flight_bytes, in_flight_bytes : sent and not acknowledged; and without what is lost. Of an ACK after it, of a loss
        before it.
    rtt_s, newest_rtt_s, smoothed_rtt_s : of an ACK: round trips, s.
    delivery_rate_bps : of an ACK, with "rate_samples" in `needs`.
    is_window_limited : of an ACK: false where the window was not what limited the flow.
    receiver_window_bytes : of a loss.
    is_repeated, may_raise, is_validated : of a timeout or loss: the timer had expired for the same segment before;
        ssthresh may become larger than it is; the window was in use.
    bytes, is_retransmission : of a segment that is sent or given up.
    idle_s : of a pause: how long nothing was in flight, s.
    window_bytes, slow_start_threshold_bytes : what the windows become, of a pause and where the sender sets them.
    """

    now_s: float
    acked_bytes: float
    acked_segments: float
    delivered_bytes: float
    marked_bytes: float
    flight_bytes: float
    in_flight_bytes: float
    rtt_s: float
    newest_rtt_s: float
    smoothed_rtt_s: float
    delivery_rate_bps: float
    is_window_limited: bool
    receiver_window_bytes: float
    is_repeated: bool
    may_raise: bool
    is_validated: bool
    bytes: float
    is_retransmission: bool
    idle_s: float
    window_bytes: float
    slow_start_threshold_bytes: float


class CongestionControl:
    """A congestion control to begin with: its window stays where the sender puts it.

    A class of one's own says what the windows become at an ACK, a loss and a timeout. They are read after each event.
    When what is lost is sent again remains the sender's business, and during a recovery so does the window
    (`on_window_set`), as with the built-in ones.

    Attributes
    ----------
    window_bytes, slow_start_threshold_bytes : cwnd and ssthresh; set before `start` to those of the flow's TCP.
    pacing_rate_bps : rate at which segments leave with "pacing" in `needs`, b/s of payload; None: the sender's own.
    mss_bytes : largest segment; set before `start`. The window is never less.
    needs : of "round_trips", "rate_samples" (also tells what is sent and lost), "pacing", "own_recovery" (the window
        is never moved by the sender).
    """

    needs: Sequence[str] = ("round_trips",)
    window_bytes: float = 0.0
    slow_start_threshold_bytes: float = float("inf")
    pacing_rate_bps: float | None = None
    mss_bytes: float = 0.0

    def start(self, run: Run) -> None:
        """A flow begins."""

    def on_ack(self, event: Event) -> None:
        """New data was acknowledged outside recovery; any ACK with "own_recovery"."""

    def on_loss(self, event: Event) -> None:
        """A loss was found before the timer expired: sets both windows to where a recovery leads."""

    def on_mark(self, event: Event) -> None:
        """An ACK reported congestion marks, for the first time in a round trip; by default as a loss (RFC 3168)."""
        self.on_loss(event)
        self.window_bytes = max(self.slow_start_threshold_bytes, self.mss_bytes)

    def on_recovered(self, event: Event) -> None:
        """A recovery is over."""

    def on_timeout(self, event: Event) -> None:  # noqa: ARG002 - what it may look at
        """The retransmission timer expired; by default the window becomes one segment."""
        self.window_bytes = self.mss_bytes

    def on_idle(self, event: Event) -> None:
        """The window went unused: takes the windows of the sender's rule."""
        self.window_bytes = max(event.window_bytes, self.mss_bytes)
        self.slow_start_threshold_bytes = event.slow_start_threshold_bytes

    def on_window_set(self, event: Event) -> None:
        """The sender sets the window, in a recovery or after a lost SYN."""
        self.window_bytes = event.window_bytes

    def on_restored(self, event: Event) -> None:
        """The last loss or timeout was none: takes the windows of before."""
        self.window_bytes = event.window_bytes
        self.slow_start_threshold_bytes = event.slow_start_threshold_bytes

    def on_sent(self, event: Event) -> None:
        """A segment leaves; heard with "rate_samples"."""

    def on_lost(self, event: Event) -> None:
        """A transmission is given up; heard with "rate_samples"."""


class Packet(Protocol):
    """A packet that comes to a queue or to its head, and what waits.

    Attributes
    ----------
    now_s, sent_s, queued_s : now; when it was sent; when it entered the queue, s.
    bytes : its size, headers included.
    waiting_bytes, waiting_packets : what it finds in the queue; at the head what waits behind it.
    in_service_bytes, in_service_packets : what the RLC holds, of a packet that comes.
    flow, user : whose it is.
    takes_marks, is_marked : its ECN field.
    """

    now_s: float
    sent_s: float
    queued_s: float
    bytes: float
    waiting_bytes: float
    waiting_packets: float
    in_service_bytes: float
    in_service_packets: float
    flow: int
    user: int
    takes_marks: bool
    is_marked: bool


class QueueManagement:
    """A queue's management to begin with: all pass that the limits of the scenario leave room for.

    Attributes
    ----------
    limit_bytes : most bytes that may wait or be in service, beside the limits of `[queue]`; None: no other.
    chooses_drops : whether it may answer "drop": a result then has columns of its drops.
    """

    limit_bytes: float | None = None
    chooses_drops: bool = True

    def start(self, run: Run) -> None:
        """A run begins."""

    def on_arrival(self, packet: Packet) -> Verdict:  # noqa: ARG002 - what it may look at
        """What becomes of a packet that comes and has room."""
        return "pass"

    def on_head(self, packet: Packet) -> Verdict:  # noqa: ARG002 - what it may look at
        """What becomes of the packet that is to be sent; the last one is sent whatever the answer."""
        return "pass"

    def on_refused(self) -> None:
        """A packet came for which the limits had no room."""

    def on_empty(self) -> None:
        """A packet was to be sent, and none waits."""

    def on_idle(self) -> None:
        """Nothing waits any more, and nothing is in service."""


Given = Any
"""A class, an object, a function that makes one, a compiled function, or a text "file.py:Name"."""
