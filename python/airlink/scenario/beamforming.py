"""Antennas of the base station whose weights turn at random, so that slow fading becomes fast.

Leaves out antennas of the user, correlation between antennas, beams that are aimed.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from .fields import Number, Section, about


class NoBeamforming(Section):
    """The base station has one antenna."""

    kind: Annotated[Literal["none"], about("One antenna")] = "none"


class OpportunisticBeamforming(Section):
    """Several antennas send the same with weights that turn at random and are common to all users [Viswanath02].

    Each antenna of each user fades on its own, as `channel.fading` says, which must be "rayleigh" or "jakes". Weights
    are independent sums of sinusoids divided by their common amplitude: powers that add up to 1, and phases. The mean
    power stays 1.
    """

    kind: Annotated[Literal["opportunistic"], about("Several antennas with weights that turn at random")] = (
        "opportunistic"
    )
    antennas: Annotated[
        int,
        Number(at_least=1, at_most=16, whole=True),
        about("Antennas of the base station", "", "airlink default: the fewest that make a difference, [Viswanath02]"),
    ] = 2
    turn_hz: Annotated[
        float,
        Number(at_least=0, at_most=1e6),
        about(
            "Largest frequency of a weight, as the Doppler shift of fading: fast beside the scheduler's memory, slow "
            "beside the age of reports",
            "Hz",
            "airlink default",
        ),
    ] = 10.0
    terms: Annotated[
        int,
        Number(at_least=4, at_most=64, whole=True),
        about("Number of sinusoids of a weight", "", "airlink default, as of fading"),
    ] = 16


Beamforming = Annotated[
    NoBeamforming | OpportunisticBeamforming,
    Field(discriminator="kind"),
    about("What the base station's antennas do", "", "airlink default: one antenna"),
]
