"""The user's end of a TCP connection: data in order, and when an ACK goes back."""

from __future__ import annotations

from typing import Any

from reference.clock import ns


class Receiver:
    """Counts bytes from 0; `answer_at` is when a delayed ACK is due, or None."""

    def __init__(self, tcp: Any) -> None:
        self.every = tcp.delayed_ack.every
        self.timer_ns = ns(tcp.delayed_ack.timer_ms, 10**6)
        self.expected = 0
        self.early: dict[int, int] = {}
        self.waiting = 0
        self.answer_at: int | None = None

    def on_segment(self, now: int, sequence: int, payload: int) -> bool:
        """Take a segment; whether it is acknowledged at once."""
        had_gap = bool(self.early)
        in_order = sequence == self.expected
        if sequence >= self.expected:
            self.early[sequence] = payload
        while self.expected in self.early:
            self.expected += self.early.pop(self.expected)
        self.waiting += 1
        if not in_order or had_gap or self.waiting >= self.every:
            return self.answered()
        if self.answer_at is None:
            self.answer_at = now + self.timer_ns
        return False

    def answered(self) -> bool:
        self.waiting = 0
        self.answer_at = None
        return True
