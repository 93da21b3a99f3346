"""Parameters of TCP's congestion control that fill tables of their own: CUBIC, Westwood+, Vegas and pacing.

Leaves out which algorithm is used: a field of `Tcp`.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from .fields import Flag, Number, Section, about


class Cubic(Section):
    """CUBIC (RFC 9438); not used by the other algorithms."""

    beta: Annotated[
        float,
        Number(above=0, below=1),
        about("beta_cubic: what a loss leaves of the window", "", "RFC 9438 section 4.6"),
    ] = 0.7
    c: Annotated[
        float,
        Number(above=0, at_most=1000),
        about("C: how fast the window grows", "segments/s^3", "RFC 9438 section 5"),
    ] = 0.4
    fast_convergence: Annotated[
        Flag, about("A flow that loses below its last maximum gives up more", "", "RFC 9438 section 4.7")
    ] = True
    reno_friendly: Annotated[Flag, about("The window is at least what Reno would have", "", "RFC 9438 section 4.3")] = (
        True
    )


class Westwood(Section):
    """Westwood+ ([Grieco04]); not used by the other algorithms."""

    filter_memory: Annotated[
        float,
        Number(at_least=0, below=1),
        about("alpha: what a sample of the rate leaves of the estimate", "", "[Grieco04]; Linux: 7/8"),
    ] = 0.9
    filter_stages: Annotated[
        int,
        Number(at_least=1, at_most=2, whole=True),
        about("Such filters in a row", "", "[Grieco04]: one; Linux: 2"),
    ] = 1
    least_window_ms: Annotated[
        float,
        Number(at_least=0, at_most=60_000),
        about(
            "The least time that a sample is taken over, besides a round trip",
            "ms",
            "[Grieco04]: a round trip; Linux: 50",
        ),
    ] = 0.0
    sets: Annotated[
        Literal["at_loss", "after_recovery"],
        about(
            "When a loss makes the windows BWE x RTTmin. at_loss: when it is noticed; after_recovery: when its "
            "recovery is over, in which they are Reno's (Linux)",
            "",
            "[Grieco04]",
        ),
    ] = "at_loss"
    forgets_least_rtt: Annotated[
        Flag,
        about(
            "true: after a timeout RTTmin is measured anew (Linux); false: it is the least of the connection",
            "",
            "[Grieco04]",
        ),
    ] = False


WAITING = Number(at_least=0, at_most=1_000_000)


class Vegas(Section):
    """Vegas ([Brakmo95]); not used by the other algorithms."""

    alpha_segments: Annotated[
        float,
        WAITING,
        about("alpha: with fewer segments waiting in the network the window grows", "MSS", "Linux; ns-2: 1"),
    ] = 2.0
    beta_segments: Annotated[
        float, WAITING, about("beta: with more it shrinks; at least alpha_segments", "MSS", "Linux; ns-2: 3")
    ] = 4.0
    gamma_segments: Annotated[float, WAITING, about("gamma: with more slow start ends", "MSS", "Linux, ns-2")] = 1.0
    slow_start: Annotated[
        Literal["every_other_round", "every_round"],
        about(
            "When slow start opens the window. every_other_round: in every second round trip, and the one between is "
            "compared; every_round: in each (Linux)",
            "",
            "[Brakmo95], slow start",
        ),
    ] = "every_other_round"
    slow_start_end: Annotated[
        Literal["at_actual_rate", "eighth_less"],
        about(
            "The window when gamma ends slow start. at_actual_rate: cwnd BaseRTT / RTT and a segment; eighth_less: "
            "7/8 of it (ns-2)",
            "",
            "Linux",
        ),
    ] = "at_actual_rate"
    difference: Annotated[
        Literal["over_rtt", "over_base_rtt"],
        about(
            "What counts as waiting. over_rtt: cwnd (RTT - BaseRTT) / RTT; over_base_rtt: cwnd (RTT - BaseRTT) / "
            "BaseRTT (Linux)",
            "",
            "[Brakmo95], congestion avoidance",
        ),
    ] = "over_rtt"
    round_trip: Annotated[
        Literal["least", "mean"],
        about(
            "Which round trip of a round is compared with BaseRTT. least: which no delayed acknowledgement made "
            "longer; mean: of all (ns-2)",
            "",
            "Linux",
        ),
    ] = "least"
    least_samples: Annotated[
        int,
        Number(at_least=1, at_most=1_000_000, whole=True),
        about("Round trips that must be measured in a round to be compared; with fewer its end is Reno's", "", "Linux"),
    ] = 3
    forgets_base_rtt: Annotated[
        Flag,
        about(
            "true: after a pause BaseRTT is measured anew (Linux); false: it is the least of the connection",
            "",
            "[Brakmo95], congestion avoidance",
        ),
    ] = False


class PacingOff(Section):
    """Segments leave as soon as the window allows."""

    kind: Annotated[Literal["off"], about("Not paced")] = "off"


class PacingByWindow(Section):
    """Segments leave at gain x cwnd / SRTT."""

    kind: Annotated[Literal["window"], about("Paced at a multiple of cwnd / SRTT")] = "window"
    slow_start_gain: Annotated[
        float,
        Number(above=0, at_most=100),
        about("Gain in slow start", "", "Linux: tcp_pacing_ss_ratio, 200 %"),
    ] = 2.0
    avoidance_gain: Annotated[
        float,
        Number(above=0, at_most=100),
        about("Gain in congestion avoidance", "", "Linux: tcp_pacing_ca_ratio, 120 %"),
    ] = 1.2


Pacing = Annotated[
    PacingOff | PacingByWindow,
    Field(discriminator="kind"),
    about("How segments are spaced", "", "airlink default: not at all"),
]
