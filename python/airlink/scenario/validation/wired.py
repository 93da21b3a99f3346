"""Checks of the wired side: a cell or a bottleneck, and stretches of time that must not overlap.

Leaves out checks of single fields (their types hold them) and of the cell (`cell.py`).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from ..errors import NOTHING, Problem
from ..fields import number_text
from ..methods import RADIO
from ..paths import named, queues
from ..sections import (
    Backlogged,
    Bottleneck,
    ClampDelayPrice,
    DelaySpike,
    Flow,
    Freeze,
    Hop,
    Impairments,
    Outage,
    Price,
    ScenarioFields,
)

MOST_HOPS = 100
"""Packets count the hops behind them in a byte."""

LOOP = ("downlink_delay_ms", "downlink_rate_bps", "uplink_delay_ms")
"""Fields of `path` that make a packet's way take time."""


def check(scenario: ScenarioFields) -> Iterator[Problem]:
    """Every mistake of the bottleneck and of the wires."""
    yield from _either_or(scenario)
    if scenario.queue is not None:
        yield from _price("queue.price", scenario.queue.price)
    if scenario.bottleneck is not None:
        yield from _bottleneck(scenario, scenario.bottleneck)
    yield from _uplink(scenario)
    if scenario.upstream is not None:
        yield from limit_bytes(scenario, "upstream.limit_bytes", scenario.upstream.limit_bytes)
        yield from _price("upstream.price", scenario.upstream.price)
    yield from _hops(scenario)
    for index, flow in enumerate(scenario.flows):
        yield from _route(scenario, f"flows.{index}", flow)
        yield from _upstream(scenario, f"flows.{index}", flow)
        yield from _clamp(scenario, f"flows.{index}.tcp.clamp.side", flow)
        if isinstance(flow.traffic, Backlogged):
            continue
        if flow.has_tcp():
            yield from _handshake(scenario, f"flows.{index}.tcp", flow)
        path = f"flows.{index}.path"
        yield from _impairments(f"{path}.downlink_impairments", flow.path.downlink_impairments)
        yield from _impairments(f"{path}.uplink_impairments", flow.path.uplink_impairments)


def _uplink(scenario: ScenarioFields) -> Iterator[Problem]:
    """Grants are of slots; a timeout is held by what is on wires, not by what waits for a grant."""
    uplink = scenario.uplink
    if uplink is None:
        return
    if scenario.bottleneck is not None:
        message = "must be left out with [bottleneck], which has no slots to grant"
        yield Problem("uplink.request_period_ms", uplink.request_period_ms, message, ("bottleneck",))
    elif scenario.experimental is not None and scenario.experimental.hold_timeouts != "off":
        path, held = "experimental.hold_timeouts", scenario.experimental.hold_timeouts
        yield Problem(path, held, 'must be "off" with an [uplink]', ("uplink",))


def _hops(scenario: ScenarioFields) -> Iterator[Problem]:
    """Each hop is sound and has a name of its own."""
    if len(scenario.hops) > MOST_HOPS:
        yield Problem("hops", len(scenario.hops), f"must be at most {MOST_HOPS} of them", ())
    for index, hop in enumerate(scenario.hops):
        path = f"hops.{index}"
        for other, before in enumerate(scenario.hops[:index]):
            if before.name == hop.name:
                message = f"is the name of hops.{other}, too; give each hop a name of its own"
                yield Problem(f"{path}.name", hop.name, message, (f"hops.{other}.name",))
                break
        yield from limit_bytes(scenario, f"{path}.limit_bytes", hop.limit_bytes)
        yield from _queue(path, hop)


def _queue(path: str, hop: Hop | Bottleneck) -> Iterator[Problem]:
    """The queue, the price and the impairments of a hop."""
    if hop.arrivals_first and hop.kind != "drop_tail":
        message = f'must be false with kind = "{hop.kind}", which decides before what comes at the same nanosecond'
        yield Problem(f"{path}.arrivals_first", True, message, (f"{path}.kind",))
    yield from _apart(f"{path}.freezes", hop.freezes)
    yield from _impairments(f"{path}.impairments", hop.impairments)
    yield from _price(f"{path}.price", hop.price)


def _route(scenario: ScenarioFields, path: str, flow: Flow) -> Iterator[Problem]:
    """Paths name hops that are there, each once, and TCP paces who passes them."""
    names = [hop.name for hop in scenario.hops]
    for field, listed in (("hops", flow.path.hops), ("uplink_hops", flow.path.uplink_hops)):
        place = f"{path}.path.{field}"
        if field == "uplink_hops" and listed and scenario.holds_timeouts():
            message = "must be empty with experimental.hold_timeouts, which knows of ACKs on the flow's own wire alone"
            yield Problem(place, ", ".join(listed), message, ("experimental.hold_timeouts",))
        if listed and isinstance(flow.traffic, Backlogged):
            message = "must be empty without TCP, which would fill these queues by itself"
            yield Problem(place, ", ".join(listed), message, (f"{path}.traffic.kind",))
        for index, name in enumerate(listed):
            if name not in names:
                there = ", ".join(f'"{other}"' for other in names) or "there are none"
                message = f"must be the name of one of [[hops]] ({there})"
                yield Problem(f"{place}.{index}", name, message, ("hops",))
            elif name in listed[:index]:
                yield Problem(f"{place}.{index}", name, "must be there once: a packet passes a hop once", (place,))


def _upstream(scenario: ScenarioFields, path: str, flow: Flow) -> Iterator[Problem]:
    """Who passes the queue upstream has one, and is paced by TCP."""
    if not flow.path.upstream:
        return
    if scenario.upstream is None:
        message = "needs the queue that packets pass: add [upstream], or set this to false"
        yield Problem(f"{path}.path.upstream", True, message, ("upstream",))
    if isinstance(flow.traffic, Backlogged):
        message = "must be false without TCP, which would fill that queue by itself"
        yield Problem(f"{path}.path.upstream", True, message, (f"{path}.traffic.kind",))


def _clamp(scenario: ScenarioFields, path: str, flow: Flow) -> Iterator[Problem]:
    """A window that follows a price needs a queue that tells one."""
    tcp = flow.tcp
    if any(passed.price.kind != "none" for passed in queues(scenario, flow)):
        return
    place = "queue" if scenario.bottleneck is None else "bottleneck"
    queue = scenario.queue if scenario.bottleneck is None else scenario.bottleneck
    if tcp.clamp is not None and queue is not None and queue.price.kind == "none":
        message = f'needs a price to follow: set {place}.price.kind = "clamp" or "clamp_delay", or leave tcp.clamp out'
        yield Problem(path, tcp.clamp.side, message, (f"{place}.price.kind", "upstream.price.kind"))


def _handshake(scenario: ScenarioFields, path: str, flow: Flow) -> Iterator[Problem]:
    """A SYN and a FIN are headers alone, and what has no bytes never fills a slot."""
    field, what = ("handshake", "SYN") if flow.tcp.handshake else ("close", "FIN")
    if scenario.bottleneck is None and getattr(flow.tcp, field) and flow.tcp.header_bytes == 0:
        message = f"must be at least 1 in a cell with {field} = true: a {what} without bytes never goes on air"
        yield Problem(f"{path}.header_bytes", 0, message, (f"{path}.{field}",))


def _either_or(scenario: ScenarioFields) -> Iterator[Problem]:
    for name in RADIO:
        held = getattr(scenario, name)
        if scenario.bottleneck is None and held is None:
            yield Problem(
                name, NOTHING, "is missing; a scenario has a cell, or [bottleneck] in its place", ("bottleneck",)
            )
        if scenario.bottleneck is not None and held is not None:
            message = "must be left out with [bottleneck], which takes the place of the cell; or leave out that"
            yield Problem(name, NOTHING, message, ("bottleneck",))


def _bottleneck(scenario: ScenarioFields, bottleneck: Bottleneck) -> Iterator[Problem]:
    for index, flow in enumerate(scenario.flows):
        if isinstance(flow.traffic, Backlogged):
            message = "must be another kind with [bottleneck]: without TCP only slots pace packets"
            yield Problem(f"flows.{index}.traffic.kind", flow.traffic.kind, message, ("bottleneck",))
    yield from _time_moves(scenario, bottleneck)
    yield from limit_bytes(scenario, "bottleneck.limit_bytes", bottleneck.limit_bytes)
    yield from _queue("bottleneck", bottleneck)


def _time_moves(scenario: ScenarioFields, bottleneck: Bottleneck) -> Iterator[Problem]:
    """A packet and its ACK take time, or a sender goes on for ever in one moment: without slots nothing else does."""
    for index, flow in enumerate(scenario.flows):
        if not flow.has_tcp():
            continue
        wires, least_bytes = flow.path, flow.tcp.header_bytes + 1
        hops: list[Bottleneck | Hop] = [bottleneck, *named(scenario, (*wires.hops, *wires.uplink_hops))]
        delays_ms = (wires.downlink_delay_ms, *(hop.delay_ms for hop in hops), wires.uplink_delay_ms)
        rates_bps = (wires.downlink_rate_bps, *(hop.rate_bps for hop in hops))
        times_ns = [*(ms * 1e6 for ms in delays_ms), *(least_bytes * 8e9 / bps for bps in rates_bps)]
        if all(time_ns < 1 for time_ns in times_ns):
            wire = f"flows.{index}.path"
            message = (
                f"must be at most {number_text(least_bytes * 8e9)}, or time stands still: a packet of {least_bytes} "
                "bytes takes no nanosecond to its user and back; or set bottleneck.delay_ms or "
                f"{wire}.uplink_delay_ms above 0"
            )
            reads = ("bottleneck.delay_ms", *(f"{wire}.{name}" for name in LOOP), f"flows.{index}.tcp.header_bytes")
            yield Problem("bottleneck.rate_bps", bottleneck.rate_bps, message, reads)


def _price(path: str, price: Price) -> Iterator[Problem]:
    """An a that moves begins within its bounds."""
    if not isinstance(price, ClampDelayPrice):
        return
    least, initial, most = price.least_free_a_bytes, price.initial_free_a_bytes, price.most_free_a_bytes
    if not least <= initial <= most:
        bounds = f"least_free_a_bytes ({number_text(least)}) and most_free_a_bytes ({number_text(most)})"
        reads = (f"{path}.least_free_a_bytes", f"{path}.most_free_a_bytes")
        yield Problem(f"{path}.initial_free_a_bytes", initial, f"must be between {bounds}", reads)


def limit_bytes(scenario: ScenarioFields, path: str, limit: float) -> Iterator[Problem]:
    """A queue takes the largest packet of the scenario, or some never get in."""
    largest = max(flow.largest_packet_bytes() for flow in scenario.flows)
    if limit < largest:
        message = f"must be at least the largest packet ({largest} bytes), or none gets in"
        fields = ("tcp.mss_bytes", "tcp.header_bytes", "traffic")
        reads = (f"flows.{index}.{name}" for index in range(len(scenario.flows)) for name in fields)
        yield Problem(path, limit, message, tuple(reads))


def _impairments(path: str, impairments: Impairments | None) -> Iterator[Problem]:
    if impairments is None:
        return
    reorders = bool(impairments.reorder_numbers) or impairments.reorder_probability > 0
    if reorders and impairments.reorder_extra_ms == 0:
        reads = (f"{path}.reorder_numbers", f"{path}.reorder_probability")
        message = "must be above 0 when packets are reordered, or none is overtaken"
        yield Problem(f"{path}.reorder_extra_ms", impairments.reorder_extra_ms, message, reads)
    yield from _apart(f"{path}.delay_spikes", impairments.delay_spikes)
    yield from _apart(f"{path}.outages", impairments.outages)


def _apart(path: str, stretches: Sequence[DelaySpike | Outage | Freeze]) -> Iterator[Problem]:
    """Each stretch ends before the next begins, whatever their order in the list."""
    order = sorted(range(len(stretches)), key=lambda index: stretches[index].at_s)
    for before, after in itertools.pairwise(order):
        end_s = stretches[before].at_s + stretches[before].for_s
        if end_s > stretches[after].at_s:
            message = f"must not begin before the one in front of it ends ({number_text(end_s)})"
            yield Problem(f"{path}.{after}.at_s", stretches[after].at_s, message, (path,))
