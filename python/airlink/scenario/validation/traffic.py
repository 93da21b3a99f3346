"""Checks of what flows have to send, and of what a run must hold for it.

Leaves out packets of backlogged flows, whose number rests on the radio (`cell.py`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from ..errors import Problem
from ..fields import number_text
from ..sections import (
    ConstantRate,
    Flow,
    Frames,
    Objects,
    Pages,
    ParetoObjects,
    ParetoSize,
    Poisson,
    Requests,
    ScenarioFields,
    Sessions,
    Sizes,
    Stream,
    Traffic,
    TriangularSize,
    TruncatedNormalSize,
)

LEAST_MESSAGE_S = 1e-6
ONLY_DOWN = ("sessions", "requests", "pages", "backlogged")
MOST_FILES = 10**5
MOST_FILE_BYTES = 10**15
MOST_PACKETS_PER_FRAME = 10**4
MOST_SEGMENTS_OF_ALL = 10**7


def check(path: str, traffic: Traffic) -> Iterator[Problem]:
    """Every mistake between the fields of what one group sends."""
    if isinstance(traffic, Stream):
        yield from _messages(path, traffic)
    if isinstance(traffic, ConstantRate):
        yield from _packets(path, traffic)
    if isinstance(traffic, (Poisson, Sessions, Requests, Frames)):
        yield from _size(f"{path}.size", traffic.size)
    if isinstance(traffic, Frames) and traffic.size.mean_bytes > MOST_PACKETS_PER_FRAME * traffic.mtu_bytes:
        message = f"has a mean of {traffic.size.mean_bytes:.3g} bytes; must be at most 10000 packets of mtu_bytes"
        yield Problem(f"{path}.size", f"a {traffic.size.kind} law", message, (f"{path}.mtu_bytes",))
    if isinstance(traffic, Pages):
        yield from _size(f"{path}.main_size", traffic.main_size)
        yield from _size(f"{path}.object_size", traffic.object_size)
        yield from _objects(f"{path}.objects", traffic.objects)


def check_direction(path: str, flow: Flow) -> Iterator[Problem]:
    """Pages and answers go down, and so does what has no wires."""
    if flow.direction == "up" and flow.traffic.kind in ONLY_DOWN:
        message = 'must be "down" with this traffic.kind; "greedy", "file", "stream", "poisson" and UDP go up'
        yield Problem(f"{path}.direction", "up", message, (f"{path}.traffic.kind",))


def check_files(scenario: ScenarioFields) -> Iterator[Problem]:
    """Every file that arrives is a flow, and a run must hold all of them."""
    expected = [flow.expected_files(scenario.users, scenario.longest_s) for flow in scenario.flows]
    if sum(expected) <= MOST_FILES:
        return
    most = max(range(len(expected)), key=expected.__getitem__)
    flow = scenario.flows[most]
    assert isinstance(flow.traffic, Poisson)
    others = "" if expected[most] == sum(expected) else f" and, with those of other groups, {sum(expected):.3g}"
    message = (
        f"makes {expected[most]:.3g} files in the mean (arrivals x users x time){others}; "
        f"must be at most {MOST_FILES} in all"
    )
    fields = ("users", "start_s", "stop_s", "traffic")
    reads = (f"flows.{index}.{name}" for index, files in enumerate(expected) if files > 0 for name in fields)
    path = f"flows.{most}.traffic.arrivals_per_s"
    yield Problem(path, flow.traffic.arrivals_per_s, message, ("users", "duration_s", "drain_s", *reads))


def check_in_flight(scenario: ScenarioFields) -> Iterator[Problem]:
    """What all receivers together allow: memory must hold it."""
    groups = [(index, flow) for index, flow in enumerate(scenario.flows) if flow.has_tcp()]
    segments = sum(_segments(scenario, flow) for _, flow in groups)
    if segments > MOST_SEGMENTS_OF_ALL:
        message = (
            f"may have {segments:.10g} segments in flight (receiver_window_bytes / mss_bytes of each flow); "
            f"must be at most {MOST_SEGMENTS_OF_ALL}"
        )
        fields = ("users", "tcp.receiver_window_bytes", "tcp.mss_bytes", "traffic")
        reads = (f"flows.{index}.{name}" for index, _ in groups for name in fields)
        yield Problem("flows", "[[flows]] x " + str(len(scenario.flows)), message, ("users", *reads))


def check_endpoints(scenario: ScenarioFields) -> Iterator[Problem]:
    """Timeouts are held of senders whose ACKs come by themselves: not with data both ways, nor with FINs."""
    if scenario.experimental is None or scenario.experimental.hold_timeouts == "off":
        return
    held = ("experimental.hold_timeouts",)
    for index, flow in enumerate(scenario.flows):
        if isinstance(flow.traffic, (Requests, Pages)):
            message = "can't be with hold_timeouts, which knows data to the user alone; set another kind"
            yield Problem(f"flows.{index}.traffic.kind", flow.traffic.kind, message, held)
        if flow.direction == "up" and not flow.is_over_udp():
            yield Problem(f"flows.{index}.direction", "up", 'must be "down" with hold_timeouts', held)
        if flow.tcp.close:
            yield Problem(f"flows.{index}.tcp.close", True, "can't be with hold_timeouts; set it to false", held)


def _segments(scenario: ScenarioFields, flow: Flow) -> float:
    """The most of a group that is in flight; of a file that arrives, no more than it has in the mean."""
    window = flow.tcp.receiver_window_bytes // flow.tcp.mss_bytes
    if not isinstance(flow.traffic, Poisson):
        return window * flow.count(scenario.users)
    each = min(window, 1 + flow.traffic.size.mean_bytes / flow.tcp.mss_bytes)
    return each * flow.expected_files(scenario.users, scenario.longest_s)


def _messages(path: str, stream: Stream) -> Iterator[Problem]:
    """Messages that follow one another faster than any server takes them would only keep the run busy."""
    if 8 * stream.message_bytes < stream.rate_bps * LEAST_MESSAGE_S:
        least = math.ceil(stream.rate_bps * LEAST_MESSAGE_S / 8)
        message = f"must be at least {least} at {number_text(stream.rate_bps)} b/s: a message every microsecond"
        yield Problem(f"{path}.message_bytes", stream.message_bytes, message, (f"{path}.rate_bps",))


def _packets(path: str, packets: ConstantRate) -> Iterator[Problem]:
    """As `_messages`, of packets."""
    if 8 * packets.packet_bytes < packets.rate_bps * LEAST_MESSAGE_S:
        least = math.ceil(packets.rate_bps * LEAST_MESSAGE_S / 8)
        message = f"must be at least {least} at {number_text(packets.rate_bps)} b/s: a packet every microsecond"
        yield Problem(f"{path}.packet_bytes", packets.packet_bytes, message, (f"{path}.rate_bps",))


def _objects(path: str, objects: Objects) -> Iterator[Problem]:
    if isinstance(objects, ParetoObjects) and objects.max <= objects.min:
        message = f"must be above min ({number_text(objects.min)})"
        yield Problem(f"{path}.max", objects.max, message, (f"{path}.min",))


def _size(path: str, size: Sizes) -> Iterator[Problem]:
    if isinstance(size, (ParetoSize, TriangularSize, TruncatedNormalSize)) and size.max_bytes <= size.min_bytes:
        message = f"must be above min_bytes ({number_text(size.min_bytes)})"
        yield Problem(f"{path}.max_bytes", size.max_bytes, message, (f"{path}.min_bytes",))
    elif isinstance(size, TriangularSize) and not size.min_bytes <= size.mode_bytes <= size.max_bytes:
        bounds = f"min_bytes ({number_text(size.min_bytes)}) to max_bytes ({number_text(size.max_bytes)})"
        reads = (f"{path}.min_bytes", f"{path}.max_bytes")
        yield Problem(f"{path}.mode_bytes", size.mode_bytes, f"must be from {bounds}", reads)
    elif isinstance(size, TruncatedNormalSize) and not size.min_bytes <= size.center_bytes <= size.max_bytes:
        bounds = f"min_bytes ({number_text(size.min_bytes)}) to max_bytes ({number_text(size.max_bytes)})"
        reads = (f"{path}.min_bytes", f"{path}.max_bytes")
        yield Problem(f"{path}.center_bytes", size.center_bytes, f"must be from {bounds}", reads)
    elif size.mean_bytes > MOST_FILE_BYTES:
        message = f"has a mean of {size.mean_bytes:.3g} bytes; must be at most {number_text(MOST_FILE_BYTES)}"
        yield Problem(path, f"a {size.kind} law", message)
