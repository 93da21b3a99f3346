"""A rate-limited link with an unlimited queue, then a constant delay: nothing is lost or reordered."""

from __future__ import annotations

from reference.clock import transmission_ns


class Wire:
    """One direction of one flow."""

    def __init__(self, rate_bps: float, delay_ns: int) -> None:
        self.rate_bps = rate_bps
        self.delay_ns = delay_ns
        self.free = 0

    def arrival(self, now: int, size_bytes: int) -> int:
        """When a packet handed over now is at the other end."""
        self.free = max(self.free, now) + transmission_ns(size_bytes, self.rate_bps)
        return self.free + self.delay_ns
