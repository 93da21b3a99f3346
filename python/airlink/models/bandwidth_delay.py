"""How much data a path holds: what must be on its way before the bottleneck can be busy all the time.

Left out: what waits in queues. A rate that varies has no one product: give its mean, or the highest.
"""

from __future__ import annotations


def bandwidth_delay_product(rate_bps: float, rtt_s: float, packet_bytes: float = 1.0) -> float:
    r"""Data that fills a path: rate times round-trip time, in packets, or in bytes.

    .. math:: \mathrm{BDP} = \frac{R \cdot \mathrm{RTT}}{8 \cdot \mathrm{packet}}

    A window below it leaves the bottleneck idle; whatever is above it waits in the queue. [EvdoTcp] (sec. VII) says
    "about 10 packets or less" of its cell. With its packets of 512 bytes and 35 ms (both inferred) that is 21 at the
    highest rate of Table I, 10 at 1.17 Mb/s, and 1.3 where 16 users share the highest rate.

    Parameters
    ----------
    rate_bps : rate R of the bottleneck, b/s, >= 0.
    rtt_s : round-trip time without queueing, s, >= 0.
    packet_bytes : what is counted, bytes, > 0; 1 (default) counts bytes.

    Returns
    -------
    float, packets of `packet_bytes`, not rounded; bytes for the default.

    Raises
    ------
    ValueError : a value outside its range.

    References
    ----------
    [EvdoTcp], sec. VII.

    Examples
    --------
    >>> round(bandwidth_delay_product(2.4576e6, 0.035))
    10752
    >>> round(bandwidth_delay_product(2.4576e6, 0.035, packet_bytes=512), 3)
    21.0
    >>> round(bandwidth_delay_product(2.4576e6 / 16, 0.035, packet_bytes=512), 2)
    1.31
    """
    if rate_bps < 0 or rtt_s < 0 or packet_bytes <= 0:
        raise ValueError(f"rate_bps {rate_bps} and rtt_s {rtt_s} must be >= 0, packet_bytes {packet_bytes} above 0")
    return rate_bps * rtt_s / (8 * packet_bytes)
