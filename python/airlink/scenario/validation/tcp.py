"""Checks between the fields of one `[flows.tcp]`.

Leaves out what all flows together may ask for (`traffic.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from operator import attrgetter

from ..errors import Problem
from ..fields import number_text
from ..sections import Tcp

MOST_SEGMENTS_IN_FLIGHT = 10**6


def check(path: str, tcp: Tcp) -> Iterator[Problem]:
    """Every mistake between the fields of `tcp`, which stands at `path`."""
    others = ("profile", "rto", "mss_bytes", "vegas")
    reads = (*(f"{path}.{name}" for name in others), f"{path.removesuffix('.tcp')}.traffic")
    for name, value, message in (*_window(tcp), *_timer(tcp), *_vegas(tcp)):
        yield Problem(f"{path}.{name}", value, message, reads)
    for name, message, needed in _needs(tcp):
        yield Problem(f"{path}.{name}", True, message, (f"{path}.profile", *(f"{path}.{field}" for field in needed)))
    if tcp.timestamps and tcp.rules.sack_blocks > 3:
        message = "must be at most 3 with timestamps = true: TCP options have 40 bytes"
        yield Problem(
            f"{path}.rules.sack_blocks", tcp.rules.sack_blocks, message, (f"{path}.profile", f"{path}.timestamps")
        )


def _window(tcp: Tcp) -> Iterator[tuple[str, object, str]]:
    window = tcp.receiver_window_bytes
    if window < tcp.mss_bytes:
        yield "receiver_window_bytes", window, f"must be at least mss_bytes ({tcp.mss_bytes})"
    if window > MOST_SEGMENTS_IN_FLIGHT * tcp.mss_bytes:
        message = f"must be at most {MOST_SEGMENTS_IN_FLIGHT} segments of mss_bytes ({tcp.mss_bytes})"
        yield "receiver_window_bytes", window, message


def _timer(tcp: Tcp) -> Iterator[tuple[str, object, str]]:
    rto = tcp.rto
    for name, value in (("min_ms", rto.min_ms), ("initial_ms", rto.initial_ms)):
        if value > rto.max_ms:
            yield f"rto.{name}", value, f"must be at most max_ms ({number_text(rto.max_ms)})"
    if rto.estimator == "ns2" and rto.tick_ms == 0:
        yield "rto.tick_ms", rto.tick_ms, 'must be above 0 with estimator = "ns2", which counts in whole ticks'
    if rto.next_tick and rto.tick_ms == 0:
        yield "rto.next_tick", True, "needs tick_ms above 0: the tick to wait for; or set it to false"
    if rto.next_tick and rto.timer_tick_ms > 0:
        yield "rto.next_tick", True, "must be false with timer_tick_ms above 0: a timer has one clock"


def _vegas(tcp: Tcp) -> Iterator[tuple[str, object, str]]:
    alpha, beta = tcp.vegas.alpha_segments, tcp.vegas.beta_segments
    if beta < alpha:
        yield "vegas.beta_segments", beta, f"must be at least alpha_segments ({number_text(alpha)})"


def _needs(tcp: Tcp) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """The rules that are on and lack another one, what they lack in words, and the fields that it rests on."""
    rules = (
        ("rules.tail_loss_probe", tcp.rules.tail_loss_probe, ("sack", "rules.rack"), "RFC 8985 section 7.1"),
        ("rules.rack", tcp.rules.rack, ("sack",), "RFC 8985 section 3.3"),
        ("rules.dsack_detection", tcp.rules.dsack_detection, ("sack", "rules.dsack"), "RFC 3708 section 2"),
        (
            "rules.limited_transmit_resends",
            tcp.rules.limited_transmit_resends,
            ("rules.limited_transmit",),
            "after TcpAgent::send_one of ns-2",
        ),
        ("rules.eifel_detection", tcp.rules.eifel_detection, ("timestamps",), "RFC 3522 section 3.2"),
    )
    for name, is_on, needed, source in rules:
        missing = [field for field in needed if not attrgetter(field)(tcp)]
        if is_on and missing:
            lacks = " and ".join(f"{field.removeprefix('rules.')} = true" for field in missing)
            yield name, f"needs {lacks} ({source}); or set it to false", needed
