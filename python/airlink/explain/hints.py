"""What would help a flow and what would not, by what held it back and what is known of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from airlink.explain.causes import Cause

if TYPE_CHECKING:
    from airlink.explain.explanation import FlowExplanation

FAIR = 0.8
"""Share of an even share of the slots from which on a user is not called passed over."""


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
    window = _setting(flow, "tcp.receiver_window_bytes", flow.facts.settings.tcp.receiver_window_bytes)
    return (
        f"A larger receiver window would help ({window}): it was full while nothing of the flow waited in the "
        "network. So would a shorter round trip; a faster link or another scheduler would not."
    )


def _congestion_window(flow: FlowExplanation) -> str:
    facts = flow.facts
    if not facts.retransmissions:
        return (
            "Nothing was lost and the window was still growing: a larger initial window or a shorter round trip "
            "would help; a larger receiver window or another scheduler would not."
        )
    control = _setting(flow, "tcp.congestion_control", facts.settings.tcp.congestion_control)
    return (
        f"Fewer losses would help ({facts.retransmissions} of {facts.segments} segments were sent again), so would "
        f"a shorter round trip or a window that grows faster ({control}); a larger receiver window or another "
        "scheduler would not."
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
        f"least timeout ({least}) would help; a larger receiver window would not."
    )


def _wire(flow: FlowExplanation) -> str:
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
    won = f"its user won {_percent(facts.slot_share)} of the slots, an even share is {_percent(facts.even_share)}"
    if facts.slot_share < FAIR * facts.even_share:
        return (
            f"It was passed over ({won}): a scheduler that weighs what users got, as proportional_fair does, would "
            "help it at the cost of others; larger windows would not."
        )
    return (
        f"It had its share ({won}): the cell is full. Fewer users, better channels or more bandwidth would help, "
        "another scheduler only at the cost of others, larger windows not at all."
    )


def _air(_: FlowExplanation) -> str:
    return (
        "It filled what it was given: a better channel or more bandwidth would help; larger windows or another "
        "scheduler hardly."
    )


def _arq(flow: FlowExplanation) -> str:
    return (
        f"Fewer lost frames would help ({_percent(flow.facts.frame_error_share)} of its user's were lost): a better "
        "channel, a larger link.report.backoff_db. So would feedback that comes sooner; larger windows would not."
    )


def _setting(flow: FlowExplanation, name: str, value: object) -> str:
    """A field by the name that `--set` takes, and what it is."""
    return f"flows.{flow.facts.place}.{name} is {f'{value:.10g}' if isinstance(value, float) else value}"


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"


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
