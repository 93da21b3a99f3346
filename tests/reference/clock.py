"""Time in whole nanoseconds; slot n starts at n slot lengths, as an exact fraction, rounded down."""

from __future__ import annotations

from fractions import Fraction

SECOND = 10**9


def ns(value: float, unit: int) -> int:
    """A time given in seconds (unit 10^9 ns) or milliseconds (10^6 ns), to the nearest nanosecond."""
    return round(Fraction(value) * unit)


def slot_length_ns(duration_ms: float | str) -> Fraction:
    """The length of a slot: a fraction is exact, a number is taken to the picosecond."""
    if isinstance(duration_ms, str):
        return Fraction(duration_ms) * 10**6
    return Fraction(round(Fraction(duration_ms) * 10**9), 1000)


def slot_start_ns(slot: int, length_ns: Fraction) -> int:
    """The nanosecond at which a slot starts."""
    return int(slot * length_ns)


def transmission_ns(size_bytes: int, rate_bps: float) -> int:
    """How long a packet takes on a wire."""
    return 0 if rate_bps == float("inf") else round(Fraction(8 * size_bytes * SECOND) / Fraction(rate_bps))
