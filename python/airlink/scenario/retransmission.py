"""The retransmission timer of TCP: what is measured, how RTO follows, when it expires.

Leaves out when the timer is started and stopped (docs/models/transport.md).
"""

from __future__ import annotations

from typing import Annotated, Literal

from .fields import Flag, Number, Section, about

SHORTEST_MS = 0.1  # a timer that runs faster than a packet can be answered never lets a run end


class Rto(Section):
    """The retransmission timer: SRTT and RTTVAR by RFC 6298, every number of it a parameter."""

    estimator: Annotated[
        Literal["rfc6298", "linux", "ns2"],
        about(
            "Arithmetic of SRTT and RTTVAR: rfc6298, to the nanosecond; linux, the largest deviation of a round trip, "
            "falling slowly; ns2, in whole ticks of `tick_ms`",
            "",
            "RFC 6298 section 2; others: docs/models/tcp-profiles.md",
        ),
    ] = "rfc6298"
    min_ms: Annotated[
        float,
        Number(at_least=SHORTEST_MS, at_most=600_000),
        about("Smallest RTO (with `min_bounds_variance`: of its variance term)", "ms", "RFC 6298 section 2.4; K3: 250"),
    ] = 1000.0
    min_bounds_variance: Annotated[
        Flag,
        about(
            "true: RTO = SRTT + max(min, 4 RTTVAR), as Linux has it; false: RTO is at least `min_ms`",
            "",
            "RFC 6298 section 2.4",
        ),
    ] = False
    initial_ms: Annotated[
        float,
        Number(at_least=SHORTEST_MS, at_most=600_000),
        about("RTO before the first measurement", "ms", "RFC 6298 section 2.1; K3: 3000"),
    ] = 1000.0
    max_ms: Annotated[
        float,
        Number(at_least=SHORTEST_MS, at_most=3_600_000),
        about(
            "Largest RTO, backed off or not; at least `min_ms` and `initial_ms`",
            "ms",
            "RFC 6298 section 2.5: at least 60 s",
        ),
    ] = 60_000.0
    tick_ms: Annotated[
        float,
        Number(at_least=SHORTEST_MS, at_most=10_000, or_zero=True),
        about(
            "Clock granularity G: the RTT is counted in boundaries of this clock crossed, at least 1; 0 = exact",
            "ms",
            "airlink default: exact; paper 001, given: 200",
        ),
    ] = 0.0
    tick_offset_ms: Annotated[
        float,
        Number(at_least=0, at_most=10_000),
        about(
            "How far that clock is ahead of the time of the run", "ms", 'airlink default (ns-2 draws it: "boot_time_")'
        ),
    ] = 0.0
    timer_tick_ms: Annotated[
        float,
        Number(at_least=SHORTEST_MS, at_most=10_000, or_zero=True),
        about(
            "Tick of the timer wheel (Linux: a jiffy): never early, 1 tick late, from 63 ticks on up to 8; 0 = exact",
            "ms",
            "airlink default: exactly",
        ),
    ] = 0.0
    next_tick: Annotated[
        Flag,
        about(
            "true: the timer expires at the first tick of that clock (`tick_ms`) after the RTO is over; false: exactly",
            "",
            "airlink default: exactly; K3: true, as OPNET does (docs/models/transport.md)",
        ),
    ] = False
    backoff_factor: Annotated[
        float,
        Number(at_least=1, at_most=10),
        about("The RTO grows by this at every timeout until a new measurement", "", "RFC 6298 section 5.5"),
    ] = 2.0
    karn: Annotated[
        Flag,
        about(
            "Segments that were sent twice are not timed, and a backed-off RTO is kept until one that was sent once "
            "is acknowledged",
            "",
            "RFC 6298 section 3",
        ),
    ] = True
    variance_floor: Annotated[
        Flag,
        about("true: RTO = SRTT + max(G, 4 RTTVAR); false: SRTT + 4 RTTVAR", "", "RFC 6298 section 2.3"),
    ] = True
    sample_every_ack: Annotated[
        Flag,
        about(
            "true: every acknowledgement of new data gives a sample; false: one segment is timed at a time",
            "",
            "airlink default (RFC 6298 section 3: at least once per RTT)",
        ),
    ] = False
