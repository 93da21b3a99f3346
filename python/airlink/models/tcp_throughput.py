r"""What a long Reno connection gets from a path of fixed round-trip time that loses packets at random.

Left out: queueing (the round-trip time does not depend on the window), slow start at the beginning, SACK, and
losses that come one by one within a round: Padhye's rounds lose a run up to their end.
"""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class _Path:
    loss: float
    rtt_s: float
    rto_s: float
    window: float
    per_ack: int


def mathis_throughput(loss: float, rtt_s: float, mss_bytes: int, segments_per_ack: int = 1) -> float:
    r"""The square-root law: congestion avoidance alone, one loss a cycle, no timeouts.

    .. math:: B = \frac{8\,\mathrm{MSS}}{\mathrm{RTT}} \sqrt{\frac{3}{2 b p}}

    Parameters
    ----------
    loss : probability p that a segment is lost, 0 < p < 1 (meant for p below about 0.01).
    rtt_s : round-trip time, s, > 0.
    mss_bytes : payload of a segment, bytes.
    segments_per_ack : b, 1 (default) or 2 with delayed ACKs.

    Returns
    -------
    float, b/s of payload.

    Raises
    ------
    ValueError : a value outside its range.

    References
    ----------
    [Mathis97] eq. (3).

    Examples
    --------
    >>> round(mathis_throughput(0.0015, 0.1, 1000))
    2529822
    """
    _check(loss, rtt_s)
    return 8.0 * mss_bytes / rtt_s * math.sqrt(1.5 / (segments_per_ack * loss))


def padhye_send_rate(
    loss: float,
    rtt_s: float,
    rto_s: float,
    mss_bytes: int,
    window_segments: float = math.inf,
    segments_per_ack: int = 1,
) -> float:
    r"""What Reno sends, timeouts and the receiver's window included.

    .. math::
        B = \frac{\frac{1-p}{p} + W + \frac{Q}{1-p}}
                 {\mathrm{RTT}\,(\frac b2 W_u + 1) + Q\,T_0 \frac{f(p)}{1-p}}, \quad
        W_u = \tfrac{2+b}{3b} + \sqrt{\tfrac{8(1-p)}{3bp} + (\tfrac{2+b}{3b})^2}

    with W = W_u, f(p) = 1 + p + 2p^2 + 4p^3 + 8p^4 + 16p^5 + 32p^6 and Q(W) the share of losses that end in a
    timeout. A window W_m below W_u takes its place: W = W_m, and the rounds of a cycle become b W_m / 8 +
    (1-p) / (p W_m) + 2.

    Parameters
    ----------
    loss : probability p that a round loses its next segment, 0 < p < 1.
    rtt_s : round-trip time, s, > 0.
    rto_s : first retransmission timeout T_0, s.
    mss_bytes : payload of a segment, bytes.
    window_segments : the receiver's window W_m, segments, default unlimited.
    segments_per_ack : b, 1 (default) or 2 with delayed ACKs.

    Returns
    -------
    float, b/s of payload put on the path, retransmissions included.

    Raises
    ------
    ValueError : a value outside its range.

    References
    ----------
    [Padhye98] sec. 2.3 (the full model, with its limited window).

    Examples
    --------
    >>> round(padhye_send_rate(0.01, 0.1, 1.0, 1000) / 8000, 2)
    98.83
    >>> padhye_send_rate(0.001, 0.1, 1.0, 1000, window_segments=8) <= 8 * 8000 / 0.1
    True
    """
    path = _path(loss, rtt_s, rto_s, window_segments, segments_per_ack)
    window = _window(path)
    sent = (1 - loss) / loss + window + _timeout_share(loss, window) / (1 - loss)
    return 8.0 * mss_bytes * sent / _cycle_s(path)


def padhye_throughput(
    loss: float,
    rtt_s: float,
    rto_s: float,
    mss_bytes: int,
    window_segments: float = math.inf,
    segments_per_ack: int = 1,
) -> float:
    r"""What arrives of `padhye_send_rate`: each loss costs half a window, each timeout sequence delivers one segment.

    .. math:: T = \frac{\frac{1-p}{p} + \frac W2 + Q}
                       {\mathrm{RTT}\,(\frac b2 W_u + 1) + Q\,T_0 \frac{f(p)}{1-p}}

    Parameters
    ----------
    loss, rtt_s, rto_s, mss_bytes, window_segments, segments_per_ack : as in `padhye_send_rate`.

    Returns
    -------
    float, b/s of payload that reaches the receiver.

    Raises
    ------
    ValueError : a value outside its range.

    References
    ----------
    [Padhye00] (throughput, as against send rate).

    Examples
    --------
    >>> padhye_throughput(0.01, 0.1, 1.0, 1000) < padhye_send_rate(0.01, 0.1, 1.0, 1000)
    True
    """
    path = _path(loss, rtt_s, rto_s, window_segments, segments_per_ack)
    window = _window(path)
    arrived = (1 - loss) / loss + window / 2 + _timeout_share(loss, window)
    return 8.0 * mss_bytes * arrived / _cycle_s(path)


def _path(loss: float, rtt_s: float, rto_s: float, window: float, per_ack: int) -> _Path:
    _check(loss, rtt_s)
    if rto_s < 0 or window < 1 or per_ack < 1:
        raise ValueError(f"rto_s {rto_s} must be >= 0, window_segments {window} and segments_per_ack {per_ack} >= 1")
    return _Path(loss, rtt_s, rto_s, window, per_ack)


def _check(loss: float, rtt_s: float) -> None:
    if not 0 < loss < 1:
        raise ValueError(f"loss is {loss}; it must lie between 0 and 1")
    if rtt_s <= 0:
        raise ValueError(f"rtt_s is {rtt_s}; it must be above 0")


def _unlimited_window(path: _Path) -> float:
    """E[W_u], segments."""
    offset = (2 + path.per_ack) / (3 * path.per_ack)
    return offset + math.sqrt(8 * (1 - path.loss) / (3 * path.per_ack * path.loss) + offset * offset)


def _window(path: _Path) -> float:
    return min(_unlimited_window(path), path.window)


def _cycle_s(path: _Path) -> float:
    """Mean time from one loss indication to the next, s, timeouts included."""
    unlimited = _unlimited_window(path)
    if unlimited < path.window:
        rounds = path.per_ack / 2 * unlimited + 1
    else:
        rounds = path.per_ack / 8 * path.window + (1 - path.loss) / (path.loss * path.window) + 2
    p = path.loss
    backed_off = 1 + p + 2 * p**2 + 4 * p**3 + 8 * p**4 + 16 * p**5 + 32 * p**6
    return path.rtt_s * rounds + _timeout_share(p, _window(path)) * path.rto_s * backed_off / (1 - p)


def _timeout_share(p: float, window: float) -> float:
    """Q: the share of loss indications that end in a timeout."""
    if window <= 3:
        return 1.0
    log_stays = math.log1p(-p)

    def some_lost(segments: float) -> float:
        """1 - (1 - p)^segments, to full precision for the rarest losses."""
        return -math.expm1(segments * log_stays)

    return min(1.0, some_lost(3) * (1 + (1 - p) ** 3 * some_lost(window - 3)) / some_lost(window))
