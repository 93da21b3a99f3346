"""What a base station makes of a user's reports for what became of what it sent: outer loops of link adaptation.

Leaves out steps that depend on how sure a report is.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from .fields import Number, Section, about


class NoOuterLoop(Section):
    """Reports are taken as they are, whatever is lost."""

    kind: Annotated[Literal["none"], about("No outer loop")] = "none"


class OuterLoopSteps(Section):
    """An offset is added to a user's reports, and moves until first transmissions fail as often as wanted.

    Of the frames or code blocks that a user was sent for the first time in a slot, a share s was lost. When the base
    station hears of it, the offset moves by up (1 - s) - step_down s with up = step_down target / (1 - target).
    """

    kind: Annotated[Literal["steps"], about("An offset to reports that moves in steps of fixed size")] = "steps"
    target_bler: Annotated[
        float,
        Number(above=0, below=1),
        about("Share of first transmissions that may be lost", "", "LTE: 10 % of transport blocks (TS 36.213 7.2.3)"),
    ] = 0.1
    step_down_db: Annotated[
        float,
        Number(above=0, at_most=50),
        about(
            "What a slot takes off whose first transmissions are all lost",
            "dB",
            "airlink default: small beside the dB or two over which blocks begin to fail; rule: [Sampath97]",
        ),
    ] = 0.1
    lowest_db: Annotated[
        float, Number(at_least=-50, at_most=0), about("The least offset", "dB", "airlink default")
    ] = -20.0
    highest_db: Annotated[
        float, Number(at_least=0, at_most=50), about("The largest offset", "dB", "airlink default")
    ] = 20.0
    initial_db: Annotated[
        float, Number(at_least=-50, at_most=50), about("The offset at the start", "dB", "airlink default: none")
    ] = 0.0
    feedback_delay_slots: Annotated[
        int,
        Number(at_least=0, at_most=100_000, whole=True),
        about(
            "Slots that pass before the base station hears what became of a slot (0: in the next slot)",
            "slots",
            "airlink default, as link.arq; LTE FDD: 7, a round trip of 8 (TS 36.213 section 7)",
        ),
    ] = 0


class OuterLoopMargin(Section):
    """A user's reported SNR is taken (1 - m) times; m moves until the link drops as many packets as wanted.

    After each slot that the user had, m moves by gain (drops - target_per (drops + deliveries)): packets of the user
    that the link gave up, and that it handed on, as the slot ended [Robbins51]. Paper 004 has such a margin and gives
    no rule for it.
    """

    kind: Annotated[Literal["margin"], about("A share of reports left out, which moves with packets dropped")] = (
        "margin"
    )
    gain: Annotated[
        float,
        Number(above=0, at_most=10),
        about("How far a dropped packet moves the margin", "", "profile C1 of paper 004"),
    ] = 0.05
    target_per: Annotated[
        float, Number(above=0, below=1), about("Share of packets that the link may drop", "", "paper 004, given")
    ] = 1e-3
    lowest: Annotated[
        float,
        Number(at_least=-1e6, at_most=0),
        about("The least margin; below 0 more is sent than is reported", "", "profile C1 of paper 004"),
    ] = -20.0
    highest: Annotated[
        float, Number(at_least=0, at_most=0.999999), about("The largest margin", "", "profile C1 of paper 004")
    ] = 0.95
    initial: Annotated[
        float,
        Number(at_least=-1e6, at_most=0.999999),
        about("The margin at the start", "", "profile C1 of paper 004"),
    ] = 0.0


OuterLoop = Annotated[
    NoOuterLoop | OuterLoopSteps | OuterLoopMargin,
    Field(discriminator="kind"),
    about("What moves reports for how much was lost", "", "airlink default"),
]
