"""The server's end of a TCP connection: Reno (RFC 5681), New Reno (RFC 6582), and the timer (RFC 6298)."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from reference.clock import ns

ACK, FAST_RETRANSMIT, TIMEOUT, RECOVERED = 0, 2, 3, 4


class Timer:
    """8 SRTT, 4 RTTVAR, RTO and the expiry in whole nanoseconds; what an average forgets is rounded down."""

    def __init__(self, rto: Any) -> None:
        self.rule = rto
        self.tick = ns(rto.tick_ms, 10**6)
        self.max = ns(rto.max_ms, 10**6)
        self.srtt8: int | None = None
        self.rttvar4 = 0
        self.rto = ns(rto.initial_ms, 10**6)
        self.expiry: int | None = None

    @property
    def srtt(self) -> int:
        return (self.srtt8 or 0) // 8

    def sample(self, sent: int, now: int) -> None:
        """Take in a measurement."""
        rtt = self.measured(sent, now)
        if self.srtt8 is None:
            self.srtt8, self.rttvar4 = 8 * rtt, 2 * rtt
        else:
            self.rttvar4 += abs(self.srtt - rtt) - self.rttvar4 // 4
            self.srtt8 += rtt - self.srtt8 // 8
        self.rto = self.computed()

    def measured(self, sent: int, now: int) -> int:
        if self.tick == 0:
            return now - sent
        return max(1, now // self.tick - sent // self.tick) * self.tick

    def computed(self) -> int:
        """The RTO that follows from the samples; before the first, the initial one."""
        if self.srtt8 is None:
            return min(ns(self.rule.initial_ms, 10**6), self.max)
        spread = max(self.tick, self.rttvar4) if self.rule.variance_floor else self.rttvar4
        return min(max(self.srtt + spread, ns(self.rule.min_ms, 10**6)), self.max)

    def back_off(self) -> None:
        self.rto = min(int(self.rto * Fraction(self.rule.backoff_factor) + Fraction(1, 2)), self.max)

    def start(self, now: int) -> None:
        over = now + self.rto
        self.expiry = (over // self.tick + 1) * self.tick if self.rule.next_tick else over


class Sender:
    """Sequence numbers are bytes from 0; windows are bytes, as real numbers."""

    def __init__(self, tcp: Any, size: float, stop: float, transmit: Callable[[int, int, int, bool], None]) -> None:
        self.tcp = tcp
        self.mss = tcp.mss_bytes
        self.size = size
        self.stop = stop
        self.transmit = transmit
        self.timer = Timer(tcp.rto)
        self.una = self.nxt = self.max = 0
        self.cwnd = float(tcp.initial_window_segments * self.mss)
        self.ssthresh = tcp.initial_ssthresh_segments * self.mss if tcp.initial_ssthresh_segments != "inf" else math.inf
        self.duplicates = 0
        self.recover: int | None = None
        self.guard = -1
        self.timed_out = -1
        self.partial = False
        self.resend = False
        self.timed: tuple[int, int] | None = None
        self.copies: dict[int, int] = {}
        self.sent_at: dict[int, int] = {}
        self.counts = dict.fromkeys(("timeouts", "fast_retransmits", "retransmissions", "segments_sent"), 0)
        self.acks: list[tuple[int, int, bool]] = []
        self.windows: list[tuple[int, float, float, int, int, int]] = []
        self.samples: list[tuple[int, int, int, int]] = []

    @property
    def flight(self) -> int:
        """Bytes in flight; after a timeout, of what was sent again since."""
        return self.nxt - self.una

    def length(self, sequence: int) -> int:
        return int(min(self.mss, self.size - sequence))

    def send_allowed(self, now: int) -> None:
        """Send what the window allows: resends after a timeout first, then new data."""
        window = min(self.cwnd, self.tcp.receiver_window_bytes)
        while self.nxt < self.size and self.nxt + self.length(self.nxt) - self.una <= window:
            if self.nxt >= self.max and now >= self.stop:
                break
            self.send(now, self.nxt)

    def send(self, now: int, sequence: int) -> None:
        length = self.length(sequence)
        again = sequence < self.max
        self.copies[sequence] = self.copies.get(sequence, 0) + 1
        self.sent_at[sequence] = now
        self.counts["segments_sent"] += 1
        self.counts["retransmissions"] += again
        self.nxt = max(self.nxt, sequence + length)
        self.max = max(self.max, sequence + length)
        if self.timed is None and not (again and self.tcp.rto.karn):
            self.timed = (sequence, now)
        if self.timer.expiry is None:
            self.timer.start(now)
        self.transmit(now, sequence, length, again)

    def on_ack(self, now: int, number: int) -> None:
        duplicate = number == self.una and self.max > self.una
        self.acks.append((now, number, duplicate))
        event = ACK
        if number > self.una:
            event = self.on_new_data(now, number)
        elif duplicate:
            event = self.on_duplicate()
        self.note(now, event)
        if self.resend:
            self.resend = False
            self.send(now, self.una)
        self.send_allowed(now)

    def note(self, now: int, event: int) -> None:
        self.windows.append((now, self.cwnd, self.ssthresh, self.flight, self.timer.rto, event))

    def on_new_data(self, now: int, number: int) -> int:
        covered = sorted(sequence for sequence in self.copies if sequence < number)
        if not self.tcp.rto.karn:
            self.timer.rto = self.timer.computed()
        self.measure(now, number, covered)
        for sequence in covered:
            del self.copies[sequence]
        acked = number - self.una
        self.una = number
        self.nxt = max(self.nxt, number)
        self.duplicates = 0
        if not self.impatient(number):
            self.timer.expiry = None
            if self.max > self.una:
                self.timer.start(now)
        return self.grow(acked)

    def impatient(self, number: int) -> bool:
        """Whether this is a second partial ACK of a recovery: those don't start the timer anew."""
        if self.recover is None or self.tcp.congestion_control != "new_reno" or number >= self.recover:
            self.partial = False
            return False
        self.partial, again = True, self.partial
        return again

    def grow(self, acked: int) -> int:
        """The window after an ACK of new data; what happened."""
        if self.recover is None:
            self.cwnd += min(acked, self.mss) if self.cwnd < self.ssthresh else self.mss * self.mss / self.cwnd
        elif self.tcp.congestion_control == "new_reno" and self.una < self.recover:
            self.cwnd = max(self.cwnd - acked, 0) + (self.mss if acked >= self.mss else 0)
            self.resend = True
        else:
            self.recover = None
            self.cwnd = self.ssthresh
            if self.tcp.congestion_control == "new_reno":
                self.cwnd = min(self.ssthresh, max(self.flight, self.mss) + self.mss)
            return RECOVERED
        return ACK

    def measure(self, now: int, number: int, covered: list[int]) -> None:
        """A sample, when the timed segment is covered and nothing covered was sent twice."""
        if self.tcp.rto.sample_every_ack:
            timed: tuple[int, int] | None = (covered[0], self.sent_at[covered[0]])
        elif self.timed is not None and self.timed[0] < number:
            timed, self.timed = self.timed, None
        else:
            return
        if timed is None or (self.tcp.rto.karn and any(self.copies[sequence] > 1 for sequence in covered)):
            return
        self.timer.sample(timed[1], now)
        self.samples.append((now, now - timed[1], self.timer.srtt, self.timer.rto))

    def stop_timing(self) -> None:
        if self.tcp.rto.karn:
            self.timed = None

    def on_duplicate(self) -> int:
        self.duplicates += 1
        if self.recover is not None:
            self.cwnd += self.mss
        elif self.duplicates == self.tcp.duplicate_ack_threshold:
            if self.una <= self.guard:
                return ACK
            self.counts["fast_retransmits"] += 1
            self.ssthresh = max(self.flight / 2, 2 * self.mss)
            self.recover = self.max
            if self.tcp.congestion_control == "new_reno":
                self.guard = self.max
            self.stop_timing()
            self.resend = True
            self.cwnd = self.ssthresh + self.tcp.duplicate_ack_threshold * self.mss
            return FAST_RETRANSMIT
        return ACK

    def on_timeout(self, now: int) -> None:
        self.counts["timeouts"] += 1
        if self.una != self.timed_out:
            self.ssthresh = max(self.flight / 2, 2 * self.mss)
        self.timed_out = self.una
        self.cwnd = float(self.mss)
        self.guard = self.max if self.tcp.rules.careful_fast_retransmit else -1
        self.recover = None
        self.partial = False
        self.duplicates = 0
        self.stop_timing()
        self.nxt = self.una
        self.timer.back_off()
        self.timer.start(now)
        self.note(now, TIMEOUT)
        self.send_allowed(now)
