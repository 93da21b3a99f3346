"""A request and its answer take what the wires say: to the nanosecond, over a whole connection."""

from __future__ import annotations

from fractions import Fraction

import pytest

import airlink
from airlink import Scenario

SERVER_MS, BEHIND_MS, UP_MS = 7, 11, 13
"""Delays of the server's wire, of the wire behind the bottleneck and of the user's."""
RATE_BPS, UP_BPS = 8_000_000, 1_600_000
MSS, HEADER = 1000, 40


def scenario(segments: int, window: int, handshake: bool, request_bytes: int) -> Scenario:
    """Requests for answers of whole segments, with ACKs of each."""
    return Scenario.model_validate(
        {
            "duration_s": 30,
            "users": 1,
            "bottleneck": {"rate_bps": RATE_BPS, "delay_ms": BEHIND_MS},
            "flows": [
                {
                    "traffic": {
                        "kind": "requests",
                        "request_bytes": request_bytes,
                        "size": {"kind": "constant", "bytes": segments * MSS},
                        "think_s": 1,
                        "think": "constant",
                    },
                    "path": {"downlink_delay_ms": SERVER_MS, "uplink_delay_ms": UP_MS, "uplink_rate_bps": UP_BPS},
                    "tcp": {
                        "mss_bytes": MSS,
                        "handshake": handshake,
                        "initial_window_segments": window,
                        "receiver_window_bytes": 1_000_000,
                        "delayed_ack": {"every": 1},
                    },
                }
            ],
        }
    )


def down_ns(size: int) -> int:
    """From the server to the user, when nobody else is there."""
    return (SERVER_MS + BEHIND_MS) * 10**6 + serialisation_ns(size, RATE_BPS)


def up_ns(size: int) -> int:
    """From the user to the server."""
    return UP_MS * 10**6 + serialisation_ns(size, UP_BPS)


def serialisation_ns(size: int, rate_bps: int) -> int:
    exact = Fraction(8 * size * 10**9, rate_bps)
    assert exact.denominator == 1
    return int(exact)


def answer_ns(segments: int, window: int) -> int:
    """From the server's first segment to the user's last: rounds of slow start, of which each doubles the window.

    A round begins with the ACK of the first segment of the one before; within a round the bottleneck is never idle.
    """
    rounds_ns, left = 0, segments
    while left > window:
        rounds_ns += down_ns(MSS + HEADER) + up_ns(HEADER)
        left -= window
        window *= 2
    return rounds_ns + down_ns(MSS + HEADER) + (left - 1) * serialisation_ns(MSS + HEADER, RATE_BPS)


@pytest.mark.parametrize("handshake", [False, True])
@pytest.mark.parametrize(("segments", "window"), [(1, 1), (2, 1), (3, 2), (10, 10), (11, 4), (28, 4)])
def test_a_first_answer_takes_its_handshake_its_request_and_its_rounds(
    segments: int, window: int, handshake: bool
) -> None:
    downloads = airlink.run(scenario(segments, window, handshake, 360), record=["downloads"]).series("downloads")
    taken_ns = round(float(downloads["completed_s"][0] - downloads["requested_s"][0]) * 1e9)
    opening_ns = up_ns(HEADER) + down_ns(HEADER) if handshake else 0
    assert taken_ns == opening_ns + up_ns(360 + HEADER) + answer_ns(segments, window)


@pytest.mark.parametrize(("segments", "window"), [(1, 1), (3, 2), (10, 4), (25, 2)])
def test_later_answers_find_the_window_that_the_first_has_left(segments: int, window: int) -> None:
    """Each ACK of slow start adds a segment: after k answers the window is its first size and k answers more."""
    result = airlink.run(scenario(segments, window, True, 360), record=["downloads"])
    downloads = result.series("downloads")
    assert len(downloads["completed_s"]) > 10
    for number in range(1, 10):
        taken_ns = round(float(downloads["completed_s"][number]) * 1e9) - round(
            float(downloads["requested_s"][number]) * 1e9
        )
        assert taken_ns == up_ns(360 + HEADER) + answer_ns(segments, window + number * segments)


def test_a_long_request_leaves_in_rounds_of_its_own() -> None:
    """Five segments up from a window of two: a round trip of the first ACK, then the rest, one after the other."""
    downloads = airlink.run(scenario(1, 2, False, 5 * MSS), record=["downloads"]).series("downloads")
    whole = MSS + HEADER
    taken_ns = round(float(downloads["completed_s"][0] - downloads["requested_s"][0]) * 1e9)
    round_ns = up_ns(whole) + down_ns(HEADER)
    rest_ns = up_ns(whole) + 2 * serialisation_ns(whole, UP_BPS)
    assert taken_ns == round_ns + rest_ns + answer_ns(1, 2)
