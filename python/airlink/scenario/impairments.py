"""What a wire does to packets beside carrying them: lost, doubled, late or held, by number, by time or at random.

Leaves out jitter of every packet, damaged packets that arrive, and rates that change.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from .fields import Each, Flag, Number, Section, about

PROBABILITY = Number(at_least=0, at_most=1)
MOMENT = Number(at_least=0, at_most=1e6)
LENGTH = Number(above=0, at_most=1e6)
NUMBERS = Each(Number(at_least=0, at_most=10**12, whole=True))


class NoLoss(Section):
    """Nothing is lost at random."""

    kind: Annotated[Literal["none"], about("No random loss")] = "none"


class RandomLoss(Section):
    """Each packet is lost by itself."""

    kind: Annotated[Literal["random"], about("Independent losses")] = "random"
    p: Annotated[float, PROBABILITY, about("Probability that a packet is lost")]


class GilbertElliottLoss(Section):
    """Losses in bursts: a packet meets one of two states, then the state may change. Packet 0 meets the good one."""

    kind: Annotated[Literal["gilbert_elliott"], about("Losses in bursts")] = "gilbert_elliott"
    p: Annotated[float, PROBABILITY, about("Probability, per packet, to go from the good state to the bad one")]
    r: Annotated[float, PROBABILITY, about("Probability, per packet, to go back; bad stays are 1/r packets long")]
    loss_good: Annotated[
        float, PROBABILITY, about("Probability of a loss in the good state", "", "[Gilbert60]: no loss")
    ] = 0.0
    loss_bad: Annotated[
        float, PROBABILITY, about("Probability of a loss in the bad state", "", "airlink default: all are lost")
    ] = 1.0


Loss = Annotated[
    NoLoss | RandomLoss | GilbertElliottLoss,
    Field(discriminator="kind"),
    about("Random loss", "", "airlink default: none"),
]


class DelaySpike(Section):
    """A stretch of time in which packets take longer."""

    at_s: Annotated[float, MOMENT, about("When it begins", "s")]
    for_s: Annotated[float, LENGTH, about("How long it lasts", "s")]
    extra_ms: Annotated[float, Number(at_least=0, at_most=1e6), about("How much longer packets take", "ms")]
    keep_order: Annotated[
        Flag,
        about(
            "true: packets after the spike stay behind those in it; false: they overtake them", "", "airlink default"
        ),
    ] = True
    moment: Annotated[
        Literal["sent", "begun"],
        about(
            "Which moment of a packet lies in the spike: sent, its last bit has left the sender; begun, its first bit "
            "leaves, as where ns-2 changes the delay of a link",
            "",
            "airlink default",
        ),
    ] = "sent"


class Outage(Section):
    """A stretch of time in which nothing passes."""

    at_s: Annotated[float, MOMENT, about("When it begins", "s")]
    for_s: Annotated[float, LENGTH, about("How long it lasts", "s")]
    hold: Annotated[
        Flag,
        about(
            "true: packets wait and all go on at its end; false: they are lost; what stops a queue: bottleneck.freezes",
            "",
            "airlink default: lost",
        ),
    ] = False


class Impairments(Section):
    """What befalls the packets of one wire, which are counted from 0 in the order in which they pass.

    A packet passes when its last bit has left the wire's sender, before the delay. Acknowledgements are the packets of
    the uplink.
    """

    drop_numbers: Annotated[tuple[int, ...], NUMBERS, about("These packets are lost", "", "airlink default: none")] = ()
    duplicate_numbers: Annotated[
        tuple[int, ...], NUMBERS, about("These packets come twice, one right behind the other", "", "airlink default")
    ] = ()
    reorder_numbers: Annotated[
        tuple[int, ...],
        NUMBERS,
        about("These packets take `reorder_extra_ms` longer, and others overtake them", "", "airlink default: none"),
    ] = ()
    reorder_extra_ms: Annotated[
        float,
        Number(at_least=0, at_most=1e6),
        about("How much longer reordered packets take; above 0 when there are any", "ms", "airlink default"),
    ] = 0.0
    drop_at_s: Annotated[
        tuple[float, ...],
        Each(MOMENT),
        about("Of each of these times: the first packet that passes then or later is lost", "s", "airlink default"),
    ] = ()
    loss: Loss = NoLoss()
    reorder_probability: Annotated[
        float, PROBABILITY, about("Probability that a packet is reordered", "", "airlink default: none")
    ] = 0.0
    duplicate_probability: Annotated[
        float, PROBABILITY, about("Probability that a packet comes twice", "", "airlink default: none")
    ] = 0.0
    delay_spikes: Annotated[
        tuple[DelaySpike, ...], about("Times of longer delay, which don't overlap", "", "airlink default: none")
    ] = ()
    outages: Annotated[
        tuple[Outage, ...], about("Times in which nothing passes, which don't overlap", "", "airlink default: none")
    ] = ()
