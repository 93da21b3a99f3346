"""What a scenario asks for and a run can never do: load that fits no slot, starts too late, or times out by itself.

Each bound is on the safe side: what is reported here happens in every run. Leaves out what is likely only.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from . import paths
from .errors import NOTHING, Problem
from .fields import number_text
from .sections import (
    Backlogged,
    ConstantSize,
    File,
    Flow,
    Impairments,
    MeanSnr,
    MeanSnrRange,
    NoOuterLoop,
    Pages,
    ParetoSize,
    Poisson,
    RandomLoss,
    RateFromCapacity,
    RateFromMcs,
    RateFromTable,
    Requests,
    Sessions,
    Stalling,
    Stream,
    TappedDelayLine,
    TriangularSize,
)

if TYPE_CHECKING:
    from .methods import Radio
    from .scenario import Scenario

LEAST_SHARE_OF_BAND = 0.75
"""Of a band that subchannels fill: LTE's emptiest has 1.08 of 1.4 MHz (TS 36.101, table 5.6-1)."""

WHEEL_LATENESS = 9 / 8
"""How late Linux's timer wheel is at most, beside two of its ticks."""

OF_TCP = ("acks", "sacks", "cwnd", "rtt", "events", "timeouts")
"""Series of a TCP connection."""

MOST_USERS_NAMED = 8


def never_served(scenario: Scenario) -> Iterator[Problem]:
    """Every part of the scenario that can't be served, in the order of docs/scenario.md."""
    radio = scenario.radio()
    if radio is not None:
        yield from _band(radio)
        yield from _without_a_rate(scenario, radio)
        yield from _reports(scenario, radio)
        if radio.link.errors.probability == 1:
            message = "loses every frame: nothing is ever delivered; set it below 1"
            yield Problem("link.errors.probability", 1.0, message)
        yield from _segments(radio)
    if scenario.bottleneck is not None:
        freezes = {
            f"bottleneck.freezes.{index}.at_s": each.at_s for index, each in enumerate(scenario.bottleneck.freezes)
        }
        yield from _after_the_run(scenario, freezes)
        yield from _wire(scenario, "bottleneck.impairments", scenario.bottleneck.impairments)
    yield from _hops(scenario)
    if scenario.upstream is not None and not any(flow.path.upstream for flow in scenario.flows):
        message = "has no effect, as no flow passes this queue; set flows.N.path.upstream = true, or leave it out"
        yield Problem("upstream", NOTHING, message)
    for index, flow in enumerate(scenario.flows):
        yield from _flow(scenario, flow, f"flows.{index}")


def _hops(scenario: Scenario) -> Iterator[Problem]:
    """Hops that no flow passes, and freezes and impairments after the run."""
    passed = {name for flow in scenario.flows for name in (*flow.path.hops, *flow.path.uplink_hops)}
    for place, hop in enumerate(scenario.hops):
        if hop.name not in passed:
            message = f'has no effect, as no flow passes it; list "{hop.name}" in flows.N.path.hops, or leave it out'
            yield Problem(f"hops.{place}.name", hop.name, message)
        freezes = {f"hops.{place}.freezes.{index}.at_s": each.at_s for index, each in enumerate(hop.freezes)}
        yield from _after_the_run(scenario, freezes)
        yield from _wire(scenario, f"hops.{place}.impairments", hop.impairments)


def empty_series(scenario: Scenario, record: Sequence[str]) -> Iterator[Problem]:
    """Kinds of series that a run of this scenario can't fill."""
    flows = [flow for flow in scenario.flows if flow.has_tcp()]
    has_downloads = any(isinstance(flow.traffic, File | Poisson | Sessions | Requests | Pages) for flow in flows)
    for kind in record:
        if kind in OF_TCP and not flows:
            message = "stays empty, as flows without TCP have none; leave it out"
            yield Problem("record", kind, message)
        elif kind == "sacks" and not any(flow.tcp.sack for flow in flows):
            yield Problem("record", kind, "stays empty; set flows.N.tcp.sack = true, or leave it out")
        elif kind in ("bursts", "waits") and not any(flow.is_over_udp() for flow in scenario.flows):
            message = 'stays empty; set flows.N.traffic.kind = "constant_rate", "voice" or "frames", or leave it out'
            yield Problem("record", kind, message)
        elif kind == "hops" and not scenario.hops and scenario.upstream is None:
            yield Problem("record", kind, "stays empty without [[hops]] and [upstream]; write one, or leave it out")
        elif kind == "downloads" and not has_downloads:
            message = 'stays empty; set flows.N.traffic.kind to one with downloads, such as "file", or leave it out'
            yield Problem("record", kind, message)


def top_bps(radio: Radio) -> float:
    """The highest rate of the carrier; infinite where nothing here bounds it, as of traces."""
    rate = radio.link.rate
    if isinstance(rate, RateFromTable):
        return max(rate.with_numbers().rates_bps, default=0.0)
    if isinstance(rate, RateFromMcs):
        return rate.top_bps()
    return rate.max_rate_bps if isinstance(rate, RateFromCapacity) else math.inf


def _band(radio: Radio) -> Iterator[Problem]:
    """Subchannels that do not fill the band by whose width rates are made."""
    rate, carrier = radio.link.rate, radio.carrier
    is_read = carrier.subchannels > 1 and isinstance(radio.channel.fading, TappedDelayLine)
    if not is_read or not isinstance(rate, RateFromMcs | RateFromCapacity):
        return
    filled_hz = carrier.subchannels * carrier.subchannel_hz
    if not LEAST_SHARE_OF_BAND * rate.bandwidth_hz <= filled_hz <= rate.bandwidth_hz * (1 + 1e-9):
        message = (
            f"does not fit carrier: {carrier.subchannels} subchannels of {number_text(carrier.subchannel_hz)} Hz take "
            f"{number_text(filled_hz)} Hz, over which fading is drawn; set this, or carrier.subchannel_hz, to match"
        )
        yield Problem("link.rate.bandwidth_hz", rate.bandwidth_hz, message)


def _without_a_rate(scenario: Scenario, radio: Radio) -> Iterator[Problem]:
    """Users whose SNR never moves and is below all thresholds."""
    rate = radio.link.rate
    table_db = rate.with_numbers().thresholds_db if isinstance(rate, RateFromTable) else ()
    thresholds_db = min(table_db, default=None)
    report, channel = radio.link.report, radio.channel
    is_still = channel.fading.kind == "none" and channel.shadowing.sd_db == 0 and report.error_sd_db == 0
    if thresholds_db is None or not is_still or not isinstance(radio.link.outer_loop, NoOuterLoop):
        return
    placement = channel.placement
    if isinstance(placement, MeanSnr):
        given = placement.mean_snr_db
        path, value = "channel.placement.mean_snr_db", given
        snrs_db = list(given) if isinstance(given, tuple) else [given] * scenario.users
    elif isinstance(placement, MeanSnrRange) and placement.spacing == "equal":
        path, value = "channel.placement.low_db", placement.low_db
        step_db = (placement.high_db - placement.low_db) / max(scenario.users - 1, 1)
        snrs_db = [placement.low_db + user * step_db for user in range(scenario.users)]
    else:
        return
    least_db = thresholds_db + report.backoff_db - report.quantisation_db / 2 - 1e-3
    below = [user for user, snr_db in enumerate(snrs_db) if snr_db < least_db]
    if below:
        named = ", ".join(map(str, below[:MOST_USERS_NAMED])) + ", ..." * (len(below) > MOST_USERS_NAMED)
        message = (
            f"gives user{'s' * (len(below) > 1)} {named} no rate in any slot: the lowest of link.rate needs "
            f"{number_text(thresholds_db + report.backoff_db)} dB, and without fading or shadowing the SNR stays; set "
            "a higher SNR, or lower rates"
        )
        yield Problem(path, value, message)


def _reports(scenario: Scenario, radio: Radio) -> Iterator[Problem]:
    delay_s = radio.link.report.delay_slots * float(radio.slot.exact_ms()) / 1000
    if delay_s >= scenario.longest_s:
        message = (
            f"makes the first report {number_text(delay_s)} s old when it is used, and the run has "
            f"{number_text(scenario.longest_s)} s: nobody is ever served; set fewer slots"
        )
        yield Problem("link.report.delay_slots", radio.link.report.delay_slots, message)


def _segments(radio: Radio) -> Iterator[Problem]:
    """A segment that no grant holds; what is carried on from grant to grant holds any."""
    rlc, slot_s = radio.rlc, float(radio.slot.exact_ms()) / 1000
    needed = rlc.block_header_bytes + rlc.segment_bytes + rlc.segment_header_bytes
    grant_bytes = top_bps(radio) * slot_s / 8
    if needed > grant_bytes and not rlc.carry_fraction:
        message = (
            f"fits no slot: with headers it takes {needed} bytes, and the highest rate ({number_text(top_bps(radio))} "
            f"b/s) gives {math.floor(grant_bytes)} bytes a slot, so nothing is ever sent; set smaller segments, longer "
            "slots, or carry_fraction = true"
        )
        yield Problem("rlc.segment_bytes", rlc.segment_bytes, message)


def _flow(scenario: Scenario, flow: Flow, path: str) -> Iterator[Problem]:
    latest_s = flow.start_s + flow.start_spread_s
    if latest_s > scenario.longest_s:
        share = min((latest_s - scenario.longest_s) / flow.start_spread_s, 1.0)
        message = (
            f"draws starts up to {number_text(latest_s)} s, and the run ends at {number_text(scenario.longest_s)} s: "
            f"about {100 * share:.2g} % of these flows never start; set start_s + start_spread_s below duration_s"
        )
        yield Problem(f"{path}.start_spread_s", flow.start_spread_s, message)
    yield from _after_the_run(scenario, {f"{path}.stop_s": flow.stop_s})
    if isinstance(flow.traffic, Backlogged):
        return
    yield from _wire(scenario, f"{path}.path.downlink_impairments", flow.path.downlink_impairments)
    yield from _wire(scenario, f"{path}.path.uplink_impairments", flow.path.uplink_impairments)
    if not flow.has_tcp():
        yield from _deadline(scenario, flow, path)
        return
    yield from _timer(scenario, flow, f"{path}.tcp.rto")
    yield from _pause(scenario, flow, f"{path}.tcp.reader")
    yield from _load(scenario, flow, f"{path}.traffic")


def _deadline(scenario: Scenario, flow: Flow, path: str) -> Iterator[Problem]:
    """What is late on its wires alone."""
    up = flow.direction == "up"
    behind_ms = scenario.bottleneck.delay_ms if scenario.bottleneck is not None and not up else 0.0
    way_ms = (flow.path.uplink_delay_ms if up else flow.path.downlink_delay_ms) + behind_ms
    if flow.deadline_ms() < way_ms:
        message = (
            f"is below the delay of the wires alone, {number_text(way_ms)} ms: every burst is late; set it above, or "
            f"{'uplink' if up else 'downlink'}_delay_ms below"
        )
        yield Problem(f"{path}.traffic.deadline_ms", flow.deadline_ms(), message)


def _wire(scenario: Scenario, path: str, impairments: Impairments | None) -> Iterator[Problem]:
    """What loses everything, and what comes after the end of the run."""
    if impairments is None:
        return
    if isinstance(impairments.loss, RandomLoss) and impairments.loss.p == 1:
        yield Problem(f"{path}.loss.p", 1.0, "loses every packet: nothing ever passes; set it below 1")
    stretches = {
        f"{path}.{name}.{index}.at_s": stretch.at_s
        for name in ("delay_spikes", "outages")
        for index, stretch in enumerate(getattr(impairments, name))
    }
    drops = {f"{path}.drop_at_s.{index}": time_s for index, time_s in enumerate(impairments.drop_at_s)}
    yield from _after_the_run(scenario, stretches | drops)


def _after_the_run(scenario: Scenario, times_s: Mapping[str, float]) -> Iterator[Problem]:
    """Of these times by their paths, those that the run does not come to."""
    for path, time_s in times_s.items():
        if scenario.longest_s < time_s < math.inf:
            message = f"comes after the run, which ends at {number_text(scenario.longest_s)} s; set an earlier time"
            yield Problem(path, time_s, message)


def _pause(scenario: Scenario, flow: Flow, path: str) -> Iterator[Problem]:
    """A pause of the reader that comes after the run, as it is counted from the flow's first segment on."""
    reader, left_s = flow.tcp.reader, scenario.longest_s - flow.start_s
    if isinstance(reader, Stalling) and left_s < reader.stall_after_s < math.inf:
        message = (
            f"comes after the run, which ends {number_text(left_s)} s after the first of these flows may start; set an "
            "earlier time"
        )
        yield Problem(f"{path}.stall_after_s", reader.stall_after_s, message)


def least_round_trip_ms(scenario: Scenario, flow: Flow, payload_bytes: int) -> float:
    """The least time from a segment's departure to its ACK's arrival: delays, transmissions and a slot."""
    path, bits = flow.path, 8 * (payload_bytes + flow.tcp.header_bytes)
    spent_ms = path.downlink_delay_ms + path.uplink_delay_ms
    spent_ms += 1000 * (bits / path.downlink_rate_bps + 8 * flow.tcp.ack_bytes / path.uplink_rate_bps)
    spent_ms += sum(queue.delay_ms + 1000 * bits / queue.rate_bps for queue in paths.queues(scenario, flow))
    back = paths.named(scenario, path.uplink_hops)
    spent_ms += sum(hop.delay_ms + 8000 * flow.tcp.ack_bytes / hop.rate_bps for hop in back)
    radio = scenario.radio()
    return spent_ms if radio is None else spent_ms + float(radio.slot.exact_ms())


def _timer(scenario: Scenario, flow: Flow, path: str) -> Iterator[Problem]:
    """A timer that expires before the first ACK can come; a probe in its place, or one that is held, does not."""
    rto = flow.tcp.rto
    if scenario.holds_timeouts() or (flow.tcp.rules.tail_loss_probe and not flow.tcp.handshake):
        return
    left_ms = 1000 * (scenario.longest_s - flow.start_s - flow.start_spread_s)
    least_ms = least_round_trip_ms(scenario, flow, 0)
    bounds = [("max_ms", rto.max_ms)] if not flow.tcp.rules.tail_loss_probe else []
    for name, value in (*bounds, ("initial_ms", rto.initial_ms)):
        latest_ms = value * (WHEEL_LATENESS if rto.timer_tick_ms else 1) + 2 * rto.timer_tick_ms
        latest_ms += rto.tick_ms if rto.next_tick else 0
        if rto.estimator == "ns2":
            latest_ms = max(latest_ms, rto.min_ms, 2 * rto.tick_ms)
        if latest_ms < min(least_ms, left_ms):
            when = "every time" if name == "max_ms" else "at the start of each connection"
            message = (
                f"is below the least round trip ({least_ms:.4g} ms): the timer expires {when} before an ACK can come, "
                f"and segments are sent twice without need; set it above"
            )
            yield Problem(f"{path}.{name}", value, message)
            return


def _load(scenario: Scenario, flow: Flow, path: str) -> Iterator[Problem]:
    """More than the way of the flow can carry, if it had it all to itself."""
    most_bps = _most_bps(scenario, flow)
    left_s = scenario.longest_s - flow.start_s
    traffic = flow.traffic
    if isinstance(traffic, Stream):
        if traffic.rate_bps > most_bps:
            message = (
                f"is above what the network can carry of payload for one flow ({number_text(most_bps)} b/s): it falls "
                "further and further behind; set a lower rate"
            )
            yield Problem(f"{path}.rate_bps", traffic.rate_bps, message)
        return
    name, least = _least_size(traffic)
    if least * 8 > most_bps * left_s:
        message = (
            f"can't end: at most {number_text(most_bps)} b/s of payload for {number_text(left_s)} s bring "
            f"{number_text(math.floor(most_bps * left_s / 8))} bytes; set fewer, or a longer duration_s"
        )
        yield Problem(f"{path}.{name}", least, message)


def _least_size(traffic: object) -> tuple[str, float]:
    """The field that holds the smallest size of a file or a page, and that size; 0 where it has no bound."""
    if isinstance(traffic, File):
        return "bytes", traffic.bytes
    size = traffic.size if isinstance(traffic, Poisson | Sessions | Requests) else None
    if isinstance(size, ConstantSize):
        return "size.bytes", size.bytes
    if isinstance(size, ParetoSize | TriangularSize):
        return "size.min_bytes", size.min_bytes
    return "", 0


def _most_bps(scenario: Scenario, flow: Flow) -> float:
    """The highest rate of payload of one flow: of the wires, the air, and a window each round trip."""
    tcp, path, radio = flow.tcp, flow.path, scenario.radio()
    rates = [path.downlink_rate_bps, *(queue.rate_bps for queue in paths.queues(scenario, flow))]
    if radio is not None:
        rates.append(top_bps(radio))
    payload = tcp.mss_bytes / (tcp.mss_bytes + tcp.header_bytes)
    return min(rates) * payload
