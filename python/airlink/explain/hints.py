"""What would help a flow and what would not, by what held it back and what is known of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from airlink.explain.causes import OF_PACKETS, OF_THE_CELL, Cause
from airlink.explain.schedulers import remedy
from airlink.explain.words import rate
from airlink.scenario.sections import Clamp
from airlink.tables import DROP_REASONS

if TYPE_CHECKING:
    from airlink.explain.explanation import FlowExplanation

FAIR = 0.8
"""Share of an even share of the band from which on a user is not called passed over."""

MORE = 1 / FAIR
"""Ratio to an even share above which a user is said to have had more than that."""

WEAK_DB = 3.0
"""How far below the lowest threshold, or the median user, the mean SNR of a weak user is: half the power. Of a Rayleigh
fading 13 % is above a threshold 3 dB over its mean."""

ABOVE_LEAST = 1.5
"""Ratio of the mean silence before a timeout to the least RTO from which on that least is not what made it long."""

SELDOM = 0.01
"""Share of lost frames below which it was not their loss that was waited for."""

UNSCALED_BYTES = 65_535
"""The largest window that a TCP header has room for, RFC 9293 section 3.1."""

OFTEN = 0.1
"""Share from which unused capacity is reported: slots won in which nothing was sent, bits granted without data."""

MOSTLY = 0.5
"""Share of the slots won in vain above which nothing else is said."""


def hint(flow: FlowExplanation, cause: Cause) -> str:
    """One or two sentences: what to change, and what is not worth changing."""
    return HINTS[cause.name](flow)


def _either(*remedies: str) -> str:
    """The remedies that there are, as "a, b or c"."""
    found = [remedy for remedy in remedies if remedy]
    return found[0] if len(found) == 1 else f"{', '.join(found[:-1])} or {found[-1]}"


def _shorter(flow: FlowExplanation) -> str:
    """A shorter round trip, where some delay of the wires or a wait for a grant is left."""
    uplink = flow.facts.uplink
    if uplink is not None:
        period = f"uplink.request_period_ms is {uplink.request_period_ms:g}"
        return f"a shorter round trip, of which the wait for a grant is a part ({period})"
    return "a shorter round trip" if flow.facts.delay_ms > 0 else ""


def _receiver_window(flow: FlowExplanation) -> str:
    if flow.facts.settings.tcp.reader.kind == "stalling":
        return (
            "An application at the user that reads faster would help, a larger receiver window only for a while; "
            "a faster link or another scheduler would not."
        )
    if (clamp := flow.facts.settings.tcp.clamp) is not None and clamp.side == "receiver":
        return f"What is offered is the smaller of the buffer and CLAMP's window.{_clamp(flow, clamp)}."
    window = _setting(flow, "tcp.receiver_window_bytes", flow.facts.settings.tcp.receiver_window_bytes)
    tcp = flow.facts.settings.tcp
    if not tcp.window_scaling and tcp.receiver_window_bytes >= UNSCALED_BYTES:
        window = f"{_setting(flow, 'tcp.window_scaling', 'false')}, {window}, the most that 16 bits say"
    if tcp.receive_autotuning:
        window = f"{window}; {_setting(flow, 'tcp.receive_autotuning', 'true')}, so that it grows only with the flow"
    return (
        f"A larger receiver window would help ({window}): it was full while nothing of the flow waited in the "
        f"network.{' So would a shorter round trip.' if _shorter(flow) else ''} "
        "A faster link or another scheduler would not."
    )


def _clamp(flow: FlowExplanation, clamp: Clamp) -> str:
    """What makes a window grow that follows the price of queues."""
    tau = _setting(flow, "tcp.clamp.tau_bytes", clamp.tau_bytes)
    return (
        f" Where that is CLAMP's, a lower price of the queues on the way, a larger tau ({tau}) or a shorter round trip "
        "would help; a larger receiver window would not"
    )


def _congestion_window(flow: FlowExplanation) -> str:
    facts = flow.facts
    if (clamp := facts.settings.tcp.clamp) is not None and clamp.side == "sender":
        return (
            f"What may be out is the smaller of cwnd and CLAMP's window.{_clamp(flow, clamp)}. Where that is cwnd, "
            f"fewer losses would help{_lost(flow)}.{_too_fast(flow)}"
        )
    if not facts.has_retransmitted:
        remedies = _either("a larger initial window", _shorter(flow))
        return (
            f"Nothing was lost and the window was still growing: {remedies} would help; a larger receiver window or "
            "another scheduler would not."
        )
    control = _setting(flow, "tcp.congestion_control", facts.settings.tcp.congestion_control)
    grows = facts.settings.tcp.congestion_control in SLOWLY_GROWING
    remedies = ", so would " + _either(_shorter(flow), f"a window that grows faster ({control})" if grows else "")
    return (
        f"Fewer losses would help ({facts.retransmitted}{_lost(flow)})"
        f"{remedies if grows or _shorter(flow) else ''}; a larger receiver window or another scheduler would not."
        f"{_too_fast(flow)}"
    )


def _rto(flow: FlowExplanation) -> str:
    facts, tcp = flow.facts, flow.facts.settings.tcp
    least = _setting(flow, "tcp.rto.min_ms", tcp.rto.min_ms)
    if 2 * facts.spurious_timeouts > facts.all_timeouts:
        detects = tcp.rules.eifel_detection or tcp.rules.frto or tcp.rules.dsack_detection
        remedies = _either(
            "steadier delays", f"a longer least timeout ({least})", "" if detects else "their detection (Eifel, F-RTO)"
        )
        return f"Most of its timeouts were spurious: {remedies} would help; larger windows would not."
    silence_ms = 1e3 * flow.seconds["rto"] / max(facts.all_timeouts, 1)
    is_least = silence_ms < ABOVE_LEAST * tcp.rto.min_ms
    probes = "" if tcp.rules.tail_loss_probe else "a tail loss probe" if tcp.sack else "SACK with a tail loss probe"
    remedies = _either("more packets in flight", probes, f"a shorter least timeout ({least})" if is_least else "")
    above = (
        "" if is_least else f" The silence was {silence_ms:.3g} ms a timeout, well above the least timeout ({least})."
    )
    return (
        f"Only the timer could tell what was lost: fewer losses, {remedies} would help; a larger receiver window would "
        f"not{_lost(flow)}.{above}{_too_fast(flow)}"
    )


def waited_for_a_rate(flow: FlowExplanation) -> bool:
    """Whether most of the time at a bottleneck passed in its queue or on its sender, and not in its constant delay."""
    return flow.facts.queued_s > MOSTLY * flow.seconds["wire"]


def waited_going_up(flow: FlowExplanation) -> bool:
    """Whether most of the time on the wired path was that of uploads or requests, going up."""
    return flow.of_requests.get("wire", 0.0) > MOSTLY * flow.seconds["wire"]


def waited_at_bottleneck(flow: FlowExplanation) -> bool:
    """Whether the time on the wired path passed mostly in the bottleneck's queue or on its sender."""
    return flow.facts.wired and not waited_going_up(flow) and waited_for_a_rate(flow)


def acks_waited_at_bottleneck(flow: FlowExplanation) -> bool:
    """Whether most of an upload's round trip passed in the bottleneck's queue, in which its ACKs come down."""
    facts = flow.facts
    return facts.wired and facts.is_up and facts.queued_mean_s > MOSTLY * facts.rtt_mean_s


def _queues(flow: FlowExplanation, up: bool) -> list[str]:
    """The rates, as `--set` names them, of the wired queues that what goes up or down passes."""
    facts, path = flow.facts, flow.facts.settings.path
    hops = [f"hops.{facts.hops.index(name)}.rate_bps" for name in (path.uplink_hops if up else path.hops)]
    if up:
        return hops
    others = (("upstream.rate_bps", path.upstream), ("bottleneck.rate_bps", facts.wired))
    return [*hops, *(name for name, is_there in others if is_there)]


def _passed(flow: FlowExplanation) -> str:
    """What helps where there are queues of hops or [upstream] on the way of its data, or of the ACKs of these."""
    up = waited_going_up(flow)
    names = list(dict.fromkeys([*_queues(flow, up), *_queues(flow, not up)]))
    return (
        f"A higher rate of the queues that its data and ACKs pass ({', '.join(names)}) would help where they were in "
        "use, shorter delays elsewhere; larger windows would only lengthen those queues."
    )


def _wire(flow: FlowExplanation) -> str:
    path = flow.facts.settings.path
    up = waited_going_up(flow)
    fewer = "fewer flows" if flow.facts.flows > 1 else ""
    if acks_waited_at_bottleneck(flow):
        return (
            "The bottleneck, through which its ACKs come down, was in use: "
            f"{_either('a higher rate there (bottleneck.rate_bps)', fewer)} would help; a faster way up or larger "
            "windows hardly."
        )
    if path.uplink_hops if up else path.hops or path.upstream:
        return _passed(flow)
    if waited_at_bottleneck(flow):
        return (
            f"The bottleneck was in use: {_either('a higher rate there (bottleneck.rate_bps)', fewer)} would help; "
            "larger windows would only lengthen its queue."
        )
    if path.uplink_hops or path.hops or path.upstream:
        return _passed(flow)
    tcp, segments = flow.facts.settings.tcp, flow.facts.segments
    of_data, of_acks = tcp.mss_bytes + tcp.header_bytes, tcp.ack_bytes
    sent = {
        "downlink_rate_bps": (path.downlink_rate_bps, segments * (of_acks if flow.facts.is_up else of_data)),
        "uplink_rate_bps": (path.uplink_rate_bps, segments * of_acks + flow.facts.goodput_up_bytes),
    }
    least_s = OFTEN * flow.seconds["wire"]
    slow = [_setting(flow, f"path.{name}", bps) for name, (bps, size) in sent.items() if 8 * size / bps > least_s]
    if slow:
        return (
            f"A faster wire would help ({', '.join(slow)}); a faster radio link, larger windows or another scheduler "
            "would not."
        )
    shorter = "Shorter delays of its wires would help: all" if _shorter(flow) else "All"
    return f"{shorter} it had to send was on its way; larger windows would not help."


def _grant(flow: FlowExplanation) -> str:
    uplink = flow.facts.uplink
    if uplink is None:
        raise ValueError("only an uplink with grants lets a flow wait for one")
    if waited_between_grants(flow):
        return _between_grants(flow)
    larger = (
        "" if math.isinf(uplink.grant_bytes) else f", larger grants (uplink.grant_bytes is {uplink.grant_bytes:.10g})"
    )
    return (
        f"{_granted(flow)} left late, and together: more opportunities to ask (uplink.request_period_ms is "
        f"{uplink.request_period_ms:g}), grants that come sooner (uplink.grant_delay_ms is {uplink.grant_delay_ms:g}, "
        f"transmit_delay_ms {uplink.transmit_delay_ms:g}){larger} would help; a faster downlink or another scheduler "
        "would not."
    )


def _pause_ms(flow: FlowExplanation) -> tuple[float, float]:
    """From one grant of a user to the next while more waits: by `uplink.grant_period_ms`, by the slots of uplink."""
    facts = flow.facts
    period_ms = 0.0 if facts.uplink is None else facts.uplink.grant_period_ms
    if facts.radio is None or not (slots := facts.radio.slot.tdd.count("U")):
        return period_ms, 0.0
    slot = facts.radio.slot
    return period_ms, float(slot.exact_ms()) * len(slot.tdd) / slots


def waited_between_grants(flow: FlowExplanation) -> bool:
    """Whether most of the wait was for the next of many grants, as more was queued than one of them carries."""
    facts = flow.facts
    if facts.uplink is None or math.isinf(facts.uplink.grant_bytes):
        return False
    pauses_s = facts.goodput_up_bytes / facts.uplink.grant_bytes * max(_pause_ms(flow)) / 1e3
    return pauses_s > MOSTLY * flow.seconds["grant"]


def _between_grants(flow: FlowExplanation) -> str:
    """What helps a user who has more to send than one grant carries: grants that carry more, or follow sooner."""
    uplink = flow.facts.uplink
    if uplink is None:
        raise ValueError("only an uplink with grants lets a flow wait for one")
    period_ms, slots_ms = _pause_ms(flow)
    sooner = f"grants that follow one another sooner (uplink.grant_period_ms is {period_ms:g})"
    slots = f'more slots of uplink (slot.tdd is "{_pattern(flow)}")' if slots_ms > 0 else ""
    remedies = _either(
        f"larger grants (uplink.grant_bytes is {uplink.grant_bytes:.10g})",
        *((sooner, slots) if period_ms > slots_ms else (slots, sooner if not slots else "")),
    )
    return (
        f"{_granted(flow)} waited for one grant after another: {remedies} would help; more opportunities to ask "
        "(uplink.request_period_ms), an earlier first grant or a faster downlink hardly."
    )


def of_packets(flow: FlowExplanation) -> str:
    """What would help packets over UDP that are lost or late; empty where few are."""
    facts = flow.facts
    of = facts.without_tcp
    if not any(of[name] >= SELDOM for name in ("datagram_loss_rate", "deadline_miss_rate")):
        return ""
    seconds = {name: flow.seconds.get(name, 0.0) for name in OF_PACKETS}
    cell_s = sum(seconds[name] for name in OF_THE_CELL)
    if seconds["grant"] > max(cell_s, seconds["wire"]):
        return _grant(flow)
    less = "sending less" + (f", or later deadlines{_lost(flow)}" if of["deadline_misses"] else _lost(flow))
    if cell_s > seconds["wire"]:
        others = ", fewer users or a scheduler that favours its user" if facts.is_shared else " or more bandwidth"
        return f"A better channel{others} would help; so would {less}."
    return _on_wires(flow, less)


def _on_wires(flow: FlowExplanation, less: str) -> str:
    """The same where most of their time passed on wires: in queues, or by the constant delays, or lost at random."""
    facts, of, path = flow.facts, flow.facts.without_tcp, flow.facts.settings.path
    way = "uplink" if facts.is_up else "downlink"
    rate_bps, impairments = getattr(path, f"{way}_rate_bps"), getattr(path, f"{way}_impairments")
    delay_ms = facts.delay_ms - (path.downlink_delay_ms if facts.is_up else path.uplink_delay_ms)
    is_queued = MOSTLY * 1e3 * of["datagram_delay_mean_s"] > delay_ms
    is_lossy = of["datagram_loss_rate"] >= SELDOM
    of_wire = [] if math.isinf(rate_bps) else [_setting(flow, f"path.{way}_rate_bps", rate_bps)]
    names = [*of_wire, *_queues(flow, facts.is_up)] if is_queued or (is_lossy and impairments is None) else []
    is_late = of["deadline_miss_rate"] > of["datagram_loss_rate"]
    helps = [
        f"a higher rate where it queues ({', '.join(names)})" if names else "",
        "shorter delays of its wires" if is_late and not is_queued else "",
        f"fewer losses on its wires (flows.{facts.place}.path.{way}_impairments)" if is_lossy and impairments else "",
    ]
    if not any(helps):
        return ""
    told = _either(*helps)
    return f"{told[0].upper()}{told[1:]} would help{f'; so would {less}' if names else ''}."


def _granted(flow: FlowExplanation) -> str:
    """What its user sends."""
    return "Data" if flow.facts.is_up else "Requests and ACKs" if flow.facts.asks else "ACKs"


def _cell(flow: FlowExplanation) -> str:
    facts = flow.facts
    if facts.mean_snr_db < facts.lowest_db - WEAK_DB:
        return (
            f"Its channel seldom allows a rate: its mean SNR is {facts.mean_snr_db:.1f} dB, the lowest rate needs "
            f"{facts.lowest_db:.1f} dB. A better channel would help; another scheduler or larger windows hardly."
        )
    is_passed = facts.is_shared and facts.of_even < FAIR
    if not is_passed and facts.unsent_share > MOSTLY and (vain := _unsent(flow)):
        return (
            f"It was chosen in vain.{vain} Smaller segments or a better channel would help; larger windows would not."
        )
    of_cell = flow.held["cell"]
    if not facts.is_shared and flow.seconds["arq"] > MOSTLY * of_cell:
        return _arq(flow)
    told = _beside_others(flow) if facts.is_shared else _alone(flow)
    repeats = f" {_arq(flow)}" if flow.seconds["arq"] > OFTEN * of_cell else ""
    return f"{told}{repeats}{_unsent(flow)}{_padded(flow)}"


def _alone(flow: FlowExplanation) -> str:
    if behind := _behind_its_own(flow):
        return f"No other user had data meanwhile. {behind}"
    if flow.seconds["scheduler"] > flow.seconds["air"] + flow.seconds["arq"]:
        if flow.facts.has_uplink_slots:
            return (
                "Nobody else had data: it waited for slots of downlink in which its channel allows a rate. More "
                f'downlink (slot.tdd is "{_pattern(flow)}") or a better channel would help; another scheduler hardly, '
                "larger windows not at all."
            )
        return (
            "Nobody else had data: it waited for slots in which its channel allows a rate. A better channel would "
            "help; another scheduler hardly, larger windows not at all."
        )
    limited = [(name, flow.held.get(name, 0.0) / flow.waited_s) for name in ("congestion_window", "receiver_window")]
    limited = [(name, share) for name, share in limited if share >= OFTEN]
    dropped = flow.facts.drops.get("aqm", 0)
    if not limited and not dropped:
        return (
            "It had the cell for itself and filled what it was given: a better channel or more bandwidth would help; "
            "larger windows or another scheduler hardly."
        )
    return (
        "It had the cell for itself, but did not always fill it: a better channel or more bandwidth would help, "
        f"another scheduler hardly.{_unfilled(flow, limited)}"
    )


def _pattern(flow: FlowExplanation) -> str:
    return "" if flow.facts.radio is None else flow.facts.radio.slot.tdd


def _unfilled(flow: FlowExplanation, limited: list[tuple[str, float]]) -> str:
    """What windows and the AQM have to do with a cell that one flow does not fill: each a sentence."""
    told = "".join(
        f" A larger {name.replace('_', ' ')} would help as well: it held the flow back for {_percent(share)} of its "
        "time."
        for name, share in limited
    )
    dropped = flow.facts.drops.get("aqm", 0)
    if not dropped:
        return told
    kind = flow.facts.queue.kind
    target = f": a larger queue.{kind}.target_ms would carry more, at longer waits" if kind in ("codel", "pie") else ""
    return (
        f"{told} The AQM (queue.kind is {kind}) dropped {dropped} packets of its user, which keeps congestion windows "
        f"small{target}."
    )


def _behind_its_own(flow: FlowExplanation) -> str:
    """A sentence on a flow that waits in the queue behind other flows of its own user, which carry much more."""
    facts = flow.facts
    if not (facts.behind_share > MOSTLY and facts.behind_bytes > facts.goodput_bytes):
        return ""
    kind = facts.queue.kind
    queue = (
        f"a shorter queue (queue.kind is {kind})"
        if kind != "drop_tail"
        else (f"a shorter queue (queue.limit_packets is {facts.queue.limit_packets}) or an AQM (queue.kind is {kind})")
    )
    return (
        f"It waited behind its own user's other flows: for {_percent(facts.behind_share)} of its time at the base "
        f"station these had data there as well, and packets leave in the order in which they came. Less of the other "
        f"flows or {queue} would help most; a better channel serves both, larger windows or another scheduler hardly."
    )


def _beside_others(flow: FlowExplanation) -> str:
    """A user beside its even share: only what it lacks of that is the scheduler's, all else is due to sharing."""
    facts = flow.facts
    compared = f"{_won(flow)}{_given(flow)}"
    scheduler = facts.scheduler
    # What would help most is said once: of a flow behind its own user's others that is not the channel.
    most = f" {text}" if (text := _behind_its_own(flow)) else _weak(flow)
    if facts.of_even < FAIR and scheduler is not None:
        lacking = _percent(1 - facts.of_even)
        return f"It was passed over: {compared}; it lacks {lacking} of an even share. {remedy(scheduler)}{most}"
    if facts.of_even > MORE:
        compared = f"{_more(flow)}{_won(flow)}"
    had = "more than an even share of" if facts.of_even > MORE else "its share of"
    return (
        f"It is slow because the cell is shared, and it had {had} it: {compared}. Fewer users, better channels "
        "or more bandwidth would help, another scheduler only at the cost of others, larger windows not at all."
        f"{most}"
    )


def _won(flow: FlowExplanation) -> str:
    facts = flow.facts
    of_what = "subchannels" if facts.shared else "slots"
    all_compete = facts.radio is not None and facts.radio.scheduler.serve_empty_queues
    return (
        f"{1 / facts.even_share:.3g} users {'compete' if all_compete else 'had data'}, "
        f"an even share is {_percent(facts.even_share)} of the {of_what} "
        f"and it won {_percent(facts.cell_share)}"
    )


def _given(flow: FlowExplanation) -> str:
    """The same as rates, where it is known what the user would get alone."""
    facts = flow.facts
    if not facts.even_bps > 0:
        return ""
    alone, even, given = (rate(bps) for bps in (facts.alone_bps, facts.even_bps, facts.given_bps))
    return f"; alone it would be given {alone}, an even share of that is {even}, and it was given {given}"


def _more(flow: FlowExplanation) -> str:
    """The rates first, where they are known: a user may have more than an even share of the rate with fewer slots."""
    facts = flow.facts
    if not facts.even_bps > 0:
        return ""
    alone, even, given = (rate(bps) for bps in (facts.alone_bps, facts.even_bps, facts.given_bps))
    better = ""
    if facts.cell_share < facts.even_share:
        better = f"in {'subchannels' if facts.shared else 'slots'} better than its average one, "
    return f"{better}it was given {given}, an even share of the {alone} that it would be given alone is {even}; "


def _weak(flow: FlowExplanation) -> str:
    """A sentence on a user whose channel is worse than that of most."""
    facts = flow.facts
    if not facts.mean_snr_db < facts.median_snr_db - WEAK_DB:
        return ""
    return (
        f" Its channel is weak (mean SNR {facts.mean_snr_db:.1f} dB, the median user's {facts.median_snr_db:.1f} dB): "
        "a better one would help it most."
    )


def _arq(flow: FlowExplanation) -> str:
    facts = flow.facts
    link = facts.radio.link if facts.radio is not None else None
    late = link is not None and (link.arq.feedback_delay_slots > 0 or facts.harq is not None)
    by_margin = link is not None and (link.errors.threshold_rule or link.errors.curve.kind != "none")
    fewer = "a better channel, a larger link.report.backoff_db" if by_margin else "a smaller link.errors.probability"
    lost = (
        f"Fewer lost frames would help ({_percent(facts.frame_error_share)} of its user's were lost): {fewer}."
        f"{' So would feedback that comes sooner.' if late else ''} Larger windows would not.{_too_fast(flow)}"
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
    if radio is None or radio.scheduler.release_satisfied_users or not share > OFTEN:
        return ""
    return (
        f" {_percent(share)} of what the cell granted went to users who had nothing left to fill it: with "
        "scheduler.release_satisfied_users = true others get it."
    )


def _lost(flow: FlowExplanation) -> str:
    """What the network lost of the user's packets, and where; nothing where it lost none."""
    if flow.facts.is_up:
        return ""  # what the network dropped are ACKs
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


SLOWLY_GROWING = ("tahoe", "reno", "new_reno", "vegas", "westwood")
"""Congestion controls whose window grows by a segment a round trip at most, so that another one grows faster."""

DROPPED = {reason.name: f"were {reason.meaning}" for reason in DROP_REASONS}
"""The reasons for dropped packets, in words."""

HINTS: Mapping[str, Callable[[FlowExplanation], str]] = {
    "application": lambda _: (
        "More to send would be carried; a faster link, larger windows or another scheduler would not help."
    ),
    "receiver_window": _receiver_window,
    "congestion_window": _congestion_window,
    "rto": _rto,
    "wire": _wire,
    "grant": _grant,
    "cell": _cell,
}
