"""What would help a flow and what would not, by what held it back and what is known of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from airlink.explain.causes import Cause
from airlink.scenario.clamp import ClampClient, ClampOn, ClampSender

if TYPE_CHECKING:
    from airlink.explain.explanation import FlowExplanation

FAIR = 0.8
"""Share of an even share of the slots or subchannels from which on a user is not called passed over."""

WEAK_DB = 3.0
"""How far below the lowest threshold the mean SNR of a weak user is: 13 % of a Rayleigh fading is above it."""

ALL = 0.8
"""Share of the subchannels of a slot from which on a user is said to have had the band."""

SELDOM = 0.01
"""Share of lost frames below which it was not their loss that was waited for."""

OFTEN = 0.1
"""Share from which on what went unused is told: slots won in which nothing was sent, bits granted without data."""

MOSTLY = 0.5
"""Share of the slots won in vain above which nothing else is said."""


def hint(flow: FlowExplanation, cause: Cause) -> str:
    """One or two sentences: what to change, and what is not worth changing."""
    return HINTS[cause.name](flow)


def _application(_: FlowExplanation) -> str:
    return "More to send would be carried; a faster link, larger windows or another scheduler would not help."


def _receiver_window(flow: FlowExplanation) -> str:
    if flow.facts.settings.tcp.reader.kind == "stalling":
        return (
            "An application at the user that reads faster would help, a larger receiver window only for a while; "
            "a faster link or another scheduler would not."
        )
    if isinstance(clamp := flow.facts.settings.tcp.clamp, ClampOn):
        return f"What is offered is the smaller of the buffer and CLAMP's window.{_clamp(flow, clamp)}."
    window = _setting(flow, "tcp.receiver_window_bytes", flow.facts.settings.tcp.receiver_window_bytes)
    return (
        f"A larger receiver window would help ({window}): it was full while nothing of the flow waited in the "
        "network. So would a shorter round trip; a faster link or another scheduler would not."
    )


def _clamp(flow: FlowExplanation, clamp: ClampClient) -> str:
    """What makes a window grow that follows the price of queues."""
    tau = _setting(flow, "tcp.clamp.additive_bytes", clamp.additive_bytes)
    return (
        f" Where that is CLAMP's, a lower price of the queues on the way, a larger tau ({tau}) or a shorter round trip "
        "would help; a larger receiver window would not"
    )


def _congestion_window(flow: FlowExplanation) -> str:
    facts = flow.facts
    if isinstance(clamp := facts.settings.tcp.clamp, ClampSender):
        return (
            f"What may be out is the smaller of cwnd and CLAMP's window.{_clamp(flow, clamp)}. Where that is cwnd, "
            f"fewer losses would help{_lost(flow)}.{_too_fast(flow)}"
        )
    if not facts.retransmissions:
        return (
            "Nothing was lost and the window was still growing: a larger initial window or a shorter round trip "
            "would help; a larger receiver window or another scheduler would not."
        )
    control = _setting(flow, "tcp.congestion_control", facts.settings.tcp.congestion_control)
    return (
        f"Fewer losses would help ({facts.retransmissions} of {facts.segments} segments were sent again{_lost(flow)}), "
        f"so would a shorter round trip or a window that grows faster ({control}); a larger receiver window or another "
        f"scheduler would not.{_too_fast(flow)}"
    )


def _rto(flow: FlowExplanation) -> str:
    facts = flow.facts
    least = _setting(flow, "tcp.rto.min_ms", facts.settings.tcp.rto.min_ms)
    if 2 * facts.spurious_timeouts > facts.timeouts:
        return (
            f"Most of its timeouts were spurious: steadier delays, a longer least timeout ({least}) or their "
            "detection (Eifel, F-RTO) would help; larger windows would not."
        )
    return (
        "Only the timer could tell what was lost: more packets in flight, SACK with a tail loss probe or a shorter "
        f"least timeout ({least}) would help; a larger receiver window would not{_lost(flow)}.{_too_fast(flow)}"
    )


def _wire(flow: FlowExplanation) -> str:
    if flow.facts.settings.path.upstream:
        names = "upstream.rate_bps, bottleneck.rate_bps" if flow.facts.wired else "upstream.rate_bps"
        return (
            f"A higher rate of the queues that it passes ({names}) would help where they were in use, shorter delays "
            "elsewhere; larger windows would only lengthen those queues."
        )
    if flow.facts.wired:
        return (
            "The bottleneck was in use: a higher rate there (bottleneck.rate_bps) or fewer flows would help; larger "
            "windows would only lengthen its queue."
        )
    path = flow.facts.settings.path
    rates = {"downlink_rate_bps": path.downlink_rate_bps, "uplink_rate_bps": path.uplink_rate_bps}
    slow = [_setting(flow, f"path.{name}", rate) for name, rate in rates.items() if math.isfinite(rate)]
    if slow:
        return (
            f"A faster wire would help ({', '.join(slow)}); a faster radio link, larger windows or another scheduler "
            "would not."
        )
    return "Shorter delays of its wires would help: all it had to send was on its way; larger windows would not."


def _scheduler(flow: FlowExplanation) -> str:
    facts = flow.facts
    if facts.mean_snr_db < facts.lowest_db - WEAK_DB:
        return (
            f"Its channel seldom allows a rate: its mean SNR is {facts.mean_snr_db:.1f} dB, the lowest rate needs "
            f"{facts.lowest_db:.1f} dB. A better channel would help; another scheduler or larger windows hardly."
        )
    if _passed_over(flow):
        return _passed(flow) + _unsent(flow) + _padded(flow)
    if facts.unsent_share > MOSTLY and (vain := _unsent(flow)):
        return (
            f"It was chosen in vain.{vain} Smaller segments or a better channel would help; larger windows would not."
        )
    return (
        f"It had its share ({_won(flow)}): the cell is full. Fewer users, better channels or more bandwidth would "
        f"help, another scheduler only at the cost of others, larger windows not at all.{_unsent(flow)}{_padded(flow)}"
    )


def _air(flow: FlowExplanation) -> str:
    facts = flow.facts
    if facts.shared and facts.even_share < 1 and facts.air_share < ALL:
        if _passed_over(flow):
            return _passed(flow) + _unsent(flow) + _padded(flow)
        return (
            f"It shared its slots with others and had its share of them ({_won(flow)}): a better channel, more "
            "bandwidth or fewer users would help, another scheduler only at the cost of others, larger windows not at "
            f"all.{_unsent(flow)}{_padded(flow)}"
        )
    return (
        "It filled what it was given: a better channel or more bandwidth would help; larger windows or another "
        "scheduler hardly."
    )


def _arq(flow: FlowExplanation) -> str:
    facts = flow.facts
    lost = (
        f"Fewer lost frames would help ({_percent(facts.frame_error_share)} of its user's were lost): a better "
        "channel, a larger link.report.backoff_db. So would feedback that comes sooner; larger windows would not."
        f"{_too_fast(flow)}"
    )
    harq = facts.harq
    if harq is None or harq.processes >= harq.round_trip_slots:
        return lost
    room = (
        f"new data waits for a process that is free (link.harq.processes is {harq.processes}, "
        f"link.harq.round_trip_slots {harq.round_trip_slots})"
    )
    if facts.frame_error_share < SELDOM:
        return f"More HARQ processes or a shorter round trip would help: {room}; larger windows would not."
    return f"{lost} So would more HARQ processes: {room}."


def _passed_over(flow: FlowExplanation) -> bool:
    return flow.facts.cell_share < FAIR * flow.facts.even_share


def _passed(flow: FlowExplanation) -> str:
    radio = flow.facts.radio
    kind = radio.scheduler.kind if radio is not None else ""
    remedy = FAIRER.get(kind, "a scheduler that weighs what users got, as proportional_fair does,")
    return f"It was passed over ({_won(flow)}): {remedy} would help it at the cost of others; larger windows would not."


def _won(flow: FlowExplanation) -> str:
    facts = flow.facts
    of_what = "subchannels" if facts.shared else "slots"
    return f"its user won {_percent(facts.cell_share)} of the {of_what}, an even share is {_percent(facts.even_share)}"


def _unsent(flow: FlowExplanation) -> str:
    """A sentence on slots that were won in vain, of users that don't compete without data."""
    radio, share = flow.facts.radio, flow.facts.unsent_share
    if radio is None or radio.scheduler.serve_empty_queues or not share > OFTEN:
        return ""
    return (
        f" In {_percent(share)} of the slots that its user won nothing was sent: it had no rate, or fewer "
        f"bits than a segment with its headers takes (rlc.segment_bytes is {radio.rlc.segment_bytes})."
    )


def _padded(flow: FlowExplanation) -> str:
    """A sentence on subchannels that went to users without data for them."""
    radio, share = flow.facts.radio, flow.facts.padded_share
    if radio is None or radio.scheduler.covered_users == "leave" or not share > OFTEN:
        return ""
    return (
        f" {_percent(share)} of what the cell granted went to users who had nothing left to fill it: with "
        'scheduler.covered_users = "leave" others get it.'
    )


def _lost(flow: FlowExplanation) -> str:
    """What the network lost of the user's packets, and where; nothing where it lost none."""
    drops = sorted(flow.facts.drops.items(), key=lambda drop: -drop[1])
    return (
        "; of its user's packets " + ", ".join(f"{count} {DROPPED[reason]}" for reason, count in drops) if drops else ""
    )


def _setting(flow: FlowExplanation, name: str, value: object) -> str:
    """A field by the name that `--set` takes, and what it is."""
    return f"flows.{flow.facts.place}.{name} is {f'{value:.10g}' if isinstance(value, float) else value}"


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"


def _too_fast(flow: FlowExplanation) -> str:
    """A sentence on whole slots that are lost by one subchannel."""
    facts = flow.facts
    if not facts.shared or facts.radio is None or not facts.frame_error_share > OFTEN:
        return ""
    link = facts.radio.link
    if not link.errors.threshold_rule or link.harq.kind != "none" or link.harq.unit == "pdu":
        return ""
    return (
        f" {_percent(facts.frame_error_share)} of its user's frames were lost: by link.errors.threshold_rule one "
        "subchannel that is sent too fast loses all of a slot; code blocks (link.harq) are lost one by one."
    )


FAIRER = {
    "proportional_fair": "a larger weight of what users got (kind lambda with an exponent above 1)",
    "lambda": "a larger scheduler.exponent",
}
"""What gives more to users passed over by a scheduler that weighs what users got already."""

DROPPED = {
    "queue_full": "met a full queue",
    "aqm": "were dropped by active queue management",
    "air_error": "were lost on air",
    "retry_limit": "were lost on air after all repetitions",
    "wire_loss": "were lost on the wire",
    "outage": "were lost in an outage",
}
"""How the reasons for which a packet is dropped are told."""

HINTS: Mapping[str, Callable[[FlowExplanation], str]] = {
    "application": _application,
    "receiver_window": _receiver_window,
    "congestion_window": _congestion_window,
    "rto": _rto,
    "wire": _wire,
    "scheduler": _scheduler,
    "air": _air,
    "arq": _arq,
}
