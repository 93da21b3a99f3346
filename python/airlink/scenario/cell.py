"""The slot clock, the carrier and its subchannels, and segmentation on air.

Leaves out several base stations, and queues (`sections.py`).
"""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated

from .fields import Flag, Length, Number, Section, about, exact

BYTES_OR_NONE = Number(at_least=0, at_most=65535, whole=True)


class Slot(Section):
    """Time runs in slots of equal length; slot n starts at n x duration."""

    duration_ms: Annotated[
        float | str,
        Length(Fraction(1, 100), Fraction(1000)),
        about(
            'Length of a slot; a fraction is exact ("5/3" = 600 slots a second)', "ms", "paper 000: 5/3; paper 001: 5"
        ),
    ]

    def exact_ms(self) -> Fraction:
        """The length as an exact fraction, ms."""
        return exact(self.duration_ms)


class Carrier(Section):
    """The band of the cell: one channel, or subchannels of equal width that are given out one by one in every slot.

    The rates of `link.rate` are those of the whole carrier: a subchannel carries rate / `subchannels`.
    """

    subchannels: Annotated[
        int,
        Number(at_least=1, at_most=10_000, whole=True),
        about(
            "Subchannels, each with a report, a rate and an owner of its own in every slot",
            "",
            "airlink default: one; paper 002, given: 400",
        ),
    ] = 1
    subchannel_hz: Annotated[
        float,
        Number(above=0, at_most=1e9),
        about(
            "Distance of the centres of two neighbours; only fading that depends on the frequency reads it",
            "Hz",
            "paper 002, given: 200 kHz",
        ),
    ] = 200e3


class Rlc(Section):
    """How packets are cut to fit into slots: whole segments, several packets or parts of them in one slot."""

    segment_bytes: Annotated[
        int,
        Number(at_least=1, at_most=65535, whole=True),
        about(
            "Payload of an air-link segment; 1 = to the byte. The last segment of a packet is padded",
            "bytes",
            "airlink default; paper 000, given: 8",
        ),
    ] = 1
    segment_header_bytes: Annotated[
        int, BYTES_OR_NONE, about("Header sent with every segment", "bytes", "airlink default; paper 002: 2")
    ] = 0
    block_header_bytes: Annotated[
        int, BYTES_OR_NONE, about("Header sent once per slot used", "bytes", "airlink default: none")
    ] = 0
    carry_fraction: Annotated[
        Flag,
        about(
            "true: what a grant holds below one whole segment is kept for the user's next grant; false: it is lost",
            "",
            "airlink default: lost (paper 000: 204.8 kb/s = 5.33 segments of 8 bytes a slot, taken as 5)",
        ),
    ] = False
    in_order: Annotated[
        Flag,
        about(
            "Packets that wait for a repeated part before them are held back until it arrives", "", "airlink default"
        ),
    ] = True
