"""An explanation in words: what held a flow back and when, what would help and what would not."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from airlink.explain import hints
from airlink.explain.causes import BY_NAME, CELL, OF_PACKETS, OF_THE_CELL, Cause
from airlink.explain.words import rate

if TYPE_CHECKING:
    from airlink.explain.explanation import Explanation, FlowExplanation
    from airlink.explain.moments import Moment

WORTH_NAMING = 0.05
"""Share of the time from which on a cause is named beside the largest."""

CLEAR_MOMENT = 0.02
"""A stretch is pointed at if the cause held in it for this share of all that it held; else it is all over the time."""


def of_flow(flow: FlowExplanation) -> tuple[str, ...]:
    """What held a flow back, what else, what would help, what it achieved: a sentence each."""
    if flow.facts.without_tcp:
        helps = hints.of_packets(flow)
        return (_without_tcp(flow), *_where_packets_were(flow), *([helps] if helps else []))
    if flow.largest is None and flow.active_s > 0:
        return (f"{_name(flow)} loaded nothing: its user read for all of {_seconds(flow, flow.active_s)} s.",)
    if flow.largest is None:
        return (f"{_name(flow)} had no time: it was over, or had not begun, while the run was measured.",)
    cause = flow.largest
    others = [other for other in flow.causes[1:] if flow.share(other) >= WORTH_NAMING]
    told = [] if flow.think_s == 0 else [_thinking(flow)]
    held, whole = flow.held[cause.name], flow.waited_s
    active = f"{_seconds(flow, held)} of {_seconds(flow, whole)} s ({percent(flow.share(cause))})"
    named = pointed_at(flow, cause)
    when = f", most of all at {', '.join(map(span, named))}" if named else ", all along"
    # Of the cell's parts the last one would seem to have the moments of all.
    ends = f"{when}: {_what(flow, cause)}" if cause is CELL else f": {_what(flow, cause)}{when}"
    told += [f"{_name(flow)} was held back by {cause.by} for {active}{ends}."]
    if others:
        told.append("Also by " + "; ".join(f"{other.by} ({percent(flow.share(other))})" for other in others) + ".")
    told += _by_direction(flow)
    told.append(hints.hint(flow, cause))
    told.append(_achieved(flow))
    if flow.facts.downloads:
        told.append(_downloads(flow.facts.downloads))
    return tuple(told)


def of_flows(explanation: Explanation) -> tuple[str, ...]:
    """What held several flows back together, and why the slowest of them was slow."""
    slowest = explanation.slowest
    if slowest is None:
        return ("No flow had any time: none was active while the run was measured.",)
    if len(explanation.flows) == 1:
        return of_flow(slowest)
    over_udp = [flow for flow in explanation.flows if flow.facts.without_tcp]
    if len(over_udp) == len(explanation.flows):
        return (f"All {len(over_udp)} flows go over UDP; the worst was:", *of_flow(slowest))
    others = len(explanation.flows) - len(over_udp)
    beside = (f"{len(over_udp)} more went over UDP, at a pace of their own.",) if over_udp else ()
    ranked = sorted(explanation.held.items(), key=lambda item: -item[1])
    waited_s = sum(held for _, held in ranked)
    shares = [(BY_NAME[name], held / waited_s) for name, held in ranked]
    named = [shares[0], *((cause, share) for cause, share in shares[1:] if share >= WORTH_NAMING)]
    together = ", ".join(f"{cause.by.replace('its ', 'their ')} for {percent(share)}" for cause, share in named)
    apart = " outside think time" if explanation.think_s > 0 else ""
    during = "loaded" if slowest.facts.thinks else "was active"
    if others == 1 and over_udp:
        return (*of_flow(slowest), *beside)
    return (
        f"Together the {others} flows were held back by {together} of their time{apart}.",
        f"The slowest was flow {slowest.flow} (user {slowest.user}) with {rate(slowest.rate_bps)} while it {during}.",
        *of_flow(slowest),
        *beside,
    )


def percent(share: float) -> str:
    """A share in whole percent; what is not quite none or all is not said to be."""
    if 0 < share < 0.01:
        return "below 1 %"
    if 0.99 < share < 1:
        return "over 99 %"
    return f"{100 * share:.0f} %"


def span(moment: Moment) -> str:
    """A stretch of time; short ones with more digits."""
    length = moment.to_s - moment.from_s
    digits = 1 if length >= 1 else 2 if length >= 0.1 else 3
    return f"{moment.from_s:.{digits}f}-{moment.to_s:.{digits}f} s"


def pointed_at(flow: FlowExplanation, cause: Cause, most: int = 3) -> list[Moment]:
    """The stretches that are worth naming: none when it went on all the time, or was spread evenly."""
    if flow.share(cause) > 0.99:
        return []
    clear = CLEAR_MOMENT * flow.share(cause) * flow.waited_s
    return [moment for moment in flow.moments(cause.name, most) if moment.held_s >= clear]


def _name(flow: FlowExplanation) -> str:
    upload = ", upload" if flow.facts.is_up and flow.facts.tcp else ""
    return f"Flow {flow.flow} (user {flow.user}{upload})"


def _by_direction(flow: FlowExplanation) -> list[str]:
    """Which way it waited, where the user asks and the server answers."""
    if not flow.facts.asks:
        return []
    up, whole = flow.of_requests, flow.held
    down = {name: held - up.get(name, 0.0) for name, held in whole.items()}
    return [
        f"Of this time requests on their way up took {percent(sum(up.values()) / flow.waited_s)}{_most(flow, up)}, "
        f"answers on their way down {percent(sum(down.values()) / flow.waited_s)}{_most(flow, down)}."
    ]


def _most(flow: FlowExplanation, held: Mapping[str, float]) -> str:
    """What held one direction back, in brackets: the causes that are worth naming, the largest first."""
    ranked = sorted(held.items(), key=lambda item: -item[1])
    named = [(BY_NAME[name].by, seconds / flow.waited_s) for name, seconds in ranked]
    named = [(by, share) for by, share in named if share >= WORTH_NAMING][:3]
    return f" ({', '.join(f'{by} {percent(share)}' for by, share in named)})" if named else ""


def _where_packets_were(flow: FlowExplanation) -> list[str]:
    """When packets over UDP waited or were on their way, and where; nothing where none was sent."""
    parts = sorted(((name, flow.seconds.get(name, 0.0)) for name in OF_PACKETS), key=lambda part: -part[1])
    under_way = sum(seconds for _, seconds in parts)
    if not under_way or flow.active_s <= 0:
        return []
    told = [f"{OF_PACKETS[name]} for {percent(seconds / flow.active_s)}" for name, seconds in parts if seconds > 0]
    return [
        f"Packets of it were under way for {_seconds(flow, under_way)} of {_seconds(flow, flow.active_s)} s "
        f"({percent(under_way / flow.active_s)} of its time): they {', '.join(told)}."
    ]


def _without_tcp(flow: FlowExplanation) -> str:
    """What became of packets that nobody acknowledges: nothing holds them back, but they are lost, or late."""
    of = flow.facts.without_tcp
    way = "down" if flow.facts.settings.direction == "down" else "up"
    told = f"{_name(flow)} goes {way} over UDP, at its own pace: "
    received, lost = int(of["datagrams_received"]), int(of["datagrams_lost"])
    if not received + lost:
        return told + "no packet of it arrived or was lost while the run was measured."
    told += f"{lost} of {received + lost} packets were lost ({percent(of['datagram_loss_rate'])})"
    if received:
        mean_ms, p95_ms = 1e3 * of["datagram_delay_mean_s"], 1e3 * of["datagram_delay_p95_s"]
        told += f"; those that arrived took {mean_ms:.3g} ms in the mean, 95 % of them at most {p95_ms:.3g} ms"
    missed, due = int(of["deadline_misses"]), int(of["bursts_on_time"]) + int(of["deadline_misses"])
    deadline_ms = flow.facts.settings.deadline_ms()
    if due and math.isfinite(deadline_ms):
        what = "frames" if flow.facts.settings.traffic.kind == "frames" else "packets"
        told += f". Of {due} {what} {missed} missed their deadline of {deadline_ms:g} ms"
        told += f" ({percent(of['deadline_miss_rate'])})"
    return told + "."


def _what(flow: FlowExplanation, cause: Cause) -> str:
    if cause.name == "wire" and hints.waited_at_bottleneck(flow):
        return "its packets waited at the bottleneck or were being sent there"
    if cause.name == "wire" and hints.acks_waited_at_bottleneck(flow):
        return "its ACKs waited at the bottleneck or were being sent there"
    return _in_the_cell(flow) if cause is CELL else cause.what


def _in_the_cell(flow: FlowExplanation) -> str:
    """What went on at the base station, by share of the explained time."""
    harq = ", or all processes were busy" if flow.facts.harq is not None else ""
    data = "its ACKs" if flow.facts.is_up else "its data"
    elsewhere = "others had the slot or the rest of it" if flow.facts.shared else f"{data} waited for a turn"
    if flow.facts.is_alone:
        of_downlink = " of downlink" if flow.facts.has_uplink_slots else ""
        slot = f"a slot{of_downlink} in which its channel allows a rate"
        elsewhere = f"no other user had data, it waited for {slot}"
    words = {
        "scheduler": elsewhere,
        "air": "its user was on air",
        "arq": f"what was lost on air was repeated or awaited{harq}",
    }
    parts = sorted(
        (BY_NAME[name] for name in OF_THE_CELL if flow.seconds[name] > 0), key=lambda part: -flow.share(part)
    )
    told = [f"{words[part.name]} for {percent(flow.share(part))}" for part in parts]
    at = ", ".join(map(span, pointed_at(flow, parts[0]))) if len(parts) > 1 else ""
    return "; ".join([f"{told[0]}, most of all at {at}" if at else told[0], *told[1:]])


def _seconds(flow: FlowExplanation, length_s: float) -> str:
    return f"{length_s:.{1 if flow.active_s >= 10 else 3}f}"


def _thinking(flow: FlowExplanation) -> str:
    """That time between pages is not explained: no page took longer for it."""
    return (
        f"Of {_seconds(flow, flow.active_s)} s its user read for {_seconds(flow, flow.think_s)} s between pages; what "
        "follows is of the time from each request to the page's end."
    )


def _achieved(flow: FlowExplanation) -> str:
    facts = flow.facts
    told = f"It carried {rate(flow.rate_bps)}" + (" while it loaded" if facts.thinks else "")
    if not facts.tcp:
        return told + "."
    if facts.segments or facts.segments_up:
        told += f"; {facts.retransmitted}"
    if facts.all_timeouts:
        told += ", " + _timeouts(facts.all_timeouts, facts.spurious_timeouts)
    if facts.uncounted_bytes > WORTH_NAMING * facts.goodput_bytes:
        told += (
            f". {_kilobytes(facts.uncounted_bytes)} more had reached the user and are not counted: they waited behind "
            "a lost packet as the run ended, or came twice. A longer run counts those that waited"
        )
    return told + "."


def _kilobytes(size: float) -> str:
    """A size for people, three digits.

    >>> _kilobytes(1_234_567), _kilobytes(512)
    ('1230 kB', '0.512 kB')
    """
    return f"{float(f'{size / 1000:.3g}'):g} kB"


def _downloads(of: Mapping[str, float]) -> str:
    """How long the files or pages took, with those that have not ended: they are above their age."""
    count, unfinished = int(of["downloads"]), int(of["downloads_unfinished"])
    pending, still = int(of.get("downloads_pending_at_start", 0)), int(of.get("downloads_pending_unfinished", 0))
    told = _of_ended(count, unfinished, "")
    since = " requested before the measured time"
    if not count:
        told = _of_ended(pending, still, since)
    elif still:
        told = f"{_of_ended(pending, still, since)}its age is {of['pending_longest_age_s']:.3g} s. {told}"

    def above(name: str, bound: str, unit: str) -> str:
        value = of[name]
        return f"above {of[bound]:.3g}{unit}" if math.isinf(value) else f"{value:.3g}{unit}"

    times = [
        f"{share} {above(name, 'longest_age_s', ' s')}" for name, share in (("p50_s", "median"), ("p95_s", "95 %"))
    ]
    if math.isnan(of.get("slowdown_p50", math.nan)):
        return f"{told}{', '.join(times)}."
    slow = above("slowdown_p50", "slowdown_longest_age", "")
    return f"{told}{', '.join(times)}, {slow} times (median) what the same takes alone."


def _of_ended(count: int, unfinished: int, since: str) -> str:
    if count == 1 and not unfinished:
        return f"Its one file or page{since} has ended: "
    had = "file or page" if count == 1 else "files and pages"
    return f"Of {count} {had}{since} {unfinished} {'has' if unfinished == 1 else 'have'} not ended: "


def _timeouts(struck: int, spurious: int) -> str:
    if struck == 1:
        return f"1 {'spurious ' if spurious else ''}timeout"
    return f"{struck} timeouts, {spurious} of them spurious" if spurious else f"{struck} timeouts"
