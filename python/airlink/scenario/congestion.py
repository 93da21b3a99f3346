"""Parameters of TCP's congestion control that fill tables of their own: CUBIC and pacing.

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
