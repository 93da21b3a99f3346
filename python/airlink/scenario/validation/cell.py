"""Checks of the cell: its slots, channel, link, queue and scheduler.

Leaves out checks of single fields (their types hold them) and what all networks share (`scenario.py`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

from ..delay_profiles import DELAY_PROFILES
from ..errors import Problem
from ..fields import Section, number_text
from ..formula import formula_refusal
from ..methods import Radio
from ..sections import (
    Averaged,
    Backlogged,
    Channel,
    Disc,
    Distances,
    ExpPf,
    Fifo,
    Formula,
    GuaranteedRate,
    Jakes,
    Link,
    LogSnr,
    MeanSnr,
    MeanSnrRange,
    MLwdf,
    NoOuterLoop,
    OuterLoopMargin,
    OuterLoopSteps,
    RateFromCapacity,
    RateFromMcs,
    RateFromTable,
    RateFromTrace,
    Rayleigh,
    RelativeSnr,
    ScenarioFields,
    Slot,
    TappedDelayLine,
    Trace,
)
from . import rates, wired
from .rates import has_thresholds

MOST_USER_SLOTS = 10**12
MOST_REPORTS_ON_THEIR_WAY = 10**8
MOST_PATHS = 64
MOST_PACKETS_PER_GRANT = 10**6
MOST_PDUS_PER_GRANT = 65535
MOST_BITS_PER_HZ = 100
PLACEMENT = "channel.placement"


def check(scenario: ScenarioFields, radio: Radio) -> Iterator[Problem]:
    """Every mistake between the fields of a cell."""
    yield from _slots(scenario, radio)
    yield from _tdd(scenario, radio.slot)
    yield from _subchannels(scenario, radio)
    yield from _code_blocks(radio)
    yield from _arq(radio)
    yield from _shared_queue(radio)
    yield from _outer_loop(radio.link)
    yield from _placement(scenario, radio)
    yield from _one_per_user(scenario, "channel.motion.speed_kmh", radio.channel.motion.speed_kmh)
    yield from _one_per_user(scenario, "scheduler.weight", radio.scheduler.weight)
    yield from _one_per_user(scenario, "scheduler.delay_budget_ms", radio.scheduler.delay_budget_ms)
    if isinstance(radio.scheduler, MLwdf | ExpPf):
        path = "scheduler.violation_probability"
        yield from _one_per_user(scenario, path, radio.scheduler.violation_probability)
    if isinstance(radio.scheduler, GuaranteedRate):
        yield from _one_per_user(scenario, "scheduler.guaranteed_rate_bps", radio.scheduler.guaranteed_rate_bps)
    if isinstance(radio.channel.fading, TappedDelayLine):
        yield from _paths(radio.channel.fading)
    yield from _antennas(radio.channel)
    yield from _rates(radio)
    yield from _average(radio.scheduler, "scheduler")
    yield from _formula(radio.scheduler)
    if isinstance(radio.link.rate, RateFromTrace):
        yield from _nothing_on_top_of_a_rate(radio)
    for index, flow in enumerate(scenario.flows):
        if isinstance(flow.traffic, Backlogged):
            yield from _grant(radio, f"flows.{index}.traffic.packet_bytes", flow.traffic)
    yield from wired.limit_bytes(scenario, "queue.limit_bytes", radio.queue.limit_bytes)
    if radio.queue.kind == "adaptive":
        yield from wired.limit_bytes(scenario, "queue.adaptive.floor_bytes", radio.queue.adaptive.floor_bytes)


def _average(scheduler: Section | None, path: str) -> Iterator[Problem]:
    if isinstance(scheduler, Averaged) and scheduler.average_window == "fixed" and scheduler.initial_average_bps == 0:
        message = 'must be above 0 with average_window = "fixed"'
        yield Problem(f"{path}.initial_average_bps", 0, message, (f"{path}.average_window",))


def _formula(scheduler: Section) -> Iterator[Problem]:
    if isinstance(scheduler, Formula) and (refusal := formula_refusal(scheduler.metric)) is not None:
        yield Problem("scheduler.metric", scheduler.metric, f"must be a formula: {refusal}")


def experimental(scenario: ScenarioFields) -> Iterator[Problem]:
    """An experimental scheduler gives out the slots of a cell, and keeps no order over all users."""
    scheduler = scenario.experimental_scheduler()
    if scheduler is None:
        return
    path, queue = "experimental.scheduler.kind", scenario.queue
    if queue is None:
        yield Problem(path, scheduler.kind, 'must be "none" with a bottleneck, which has no slots', ("bottleneck",))
    elif queue.scope == "cell":
        message = 'must be "none" with queue.scope = "cell": one queue of all users is served in its order'
        yield Problem(path, scheduler.kind, message, ("queue.scope",))
    yield from _average(scheduler, "experimental.scheduler")


def _slots(scenario: ScenarioFields, radio: Radio) -> Iterator[Problem]:
    length = _slot_ns(radio.slot)
    # As in the engine: slot n starts at n x its length, rounded down to 1 ns.
    whole = math.ceil((round(scenario.duration_s * 1e9) + 1) / length) - 1
    before_warmup = math.ceil(round(scenario.warmup_s * 1e9) / length)
    if scenario.warmup_s < scenario.duration_s and whole and whole <= before_warmup:
        message = f"must leave at least one slot that starts then and ends by duration_s ({scenario.duration_s:g})"
        yield Problem("warmup_s", scenario.warmup_s, message, ("duration_s", "slot.duration_ms"))
    slots = scenario.duration_s * 1000 / float(radio.slot.exact_ms())
    if slots < 1:
        message = "must be at least one slot (slot.duration_ms)"
        yield Problem("duration_s", scenario.duration_s, message, ("slot.duration_ms",))
    subchannels = radio.carrier.subchannels
    slots *= scenario.longest_s / scenario.duration_s
    if slots * scenario.users * subchannels > MOST_USER_SLOTS:
        most = number_text(MOST_USER_SLOTS)
        of_each = "" if subchannels == 1 else f" on {subchannels} subchannels"
        product = "users x slots" if subchannels == 1 else "users x subchannels x slots"
        message = f"makes {slots:.3g} slots for {scenario.users} users{of_each}; {product} must be at most {most}"
        reads = ("drain_s", "slot.duration_ms", "users", "carrier.subchannels")
        yield Problem("duration_s", scenario.duration_s, message, reads)


def _tdd(scenario: ScenarioFields, slot: Slot) -> Iterator[Problem]:
    """A pattern has letters of its alphabet, some downlink, and some uplink where grants are of it."""
    path = "slot.tdd"
    if not set(slot.tdd) <= set("DSU"):
        yield Problem(path, slot.tdd, "must be a word of the letters D, S and U, or empty")
        return
    special = "S" in slot.tdd and slot.special_downlink_share > 0
    if slot.tdd and "D" not in slot.tdd and not special:
        message = "must have a D, or an S of which slot.special_downlink_share is downlink"
        yield Problem(path, slot.tdd, message, ("slot.special_downlink_share",))
    if scenario.uplink is not None and slot.tdd and "U" not in slot.tdd:
        yield Problem(path, slot.tdd, "must have a U where there is an [uplink]", ("uplink",))


def _subchannels(scenario: ScenarioFields, radio: Radio) -> Iterator[Problem]:
    subchannels, path = radio.carrier.subchannels, "carrier.subchannels"
    if subchannels == 1:
        return
    if isinstance(radio.link.rate, RateFromTrace):
        message = 'must be 1 with link.rate.kind = "trace": a replayed rate is that of one carrier'
        yield Problem(path, subchannels, message, ("link.rate.kind", PLACEMENT))
    reports = (radio.link.report.delay_slots + 1) * scenario.users * subchannels
    if reports > MOST_REPORTS_ON_THEIR_WAY:
        most = number_text(MOST_REPORTS_ON_THEIR_WAY)
        message = (
            f"makes {reports} reports on their way; users x subchannels x (delay_slots + 1) must be at most {most}"
        )
        yield Problem(path, subchannels, message, ("users", "link.report.delay_slots"))


def _code_blocks(radio: Radio) -> Iterator[Problem]:
    link = radio.link
    if not link.has_code_blocks():
        return
    name = "kind" if link.harq.kind != "none" else "unit"
    has_harq = link.harq.kind != "none" or link.harq.unit == "pdu"
    if has_harq and isinstance(link.rate, RateFromTrace):
        allowed = "none" if name == "kind" else "block"
        message = f'must be "{allowed}" with link.rate.kind = "trace": what is sent at a replayed rate is one frame'
        yield Problem(f"link.harq.{name}", getattr(link.harq, name), message, ("link.rate.kind",))
    elif link.errors.threshold_rule and not has_thresholds(link.rate):
        message = 'must be false with code blocks (link.harq) and link.rate.kind = "capacity", which has no thresholds'
        yield Problem("link.errors.threshold_rule", True, message, ("link.harq", "link.rate.kind"))
    rlc = radio.rlc
    pdu_bytes = rlc.segment_bytes + rlc.segment_header_bytes + rlc.block_header_bytes
    pdus = _top_bps(radio) * float(radio.slot.exact_ms()) / 8000 / pdu_bytes
    if link.harq.unit == "pdu" and pdus > MOST_PDUS_PER_GRANT:
        message = (
            f'makes {pdus:.3g} PDUs in a slot at the highest rate; with link.harq.unit = "pdu" '
            f"at most {MOST_PDUS_PER_GRANT} are allowed"
        )
        yield Problem("rlc.segment_bytes", rlc.segment_bytes, message, ("link.harq.unit", "link.rate"))


def _arq(radio: Radio) -> Iterator[Problem]:
    arq, path = radio.link.arq, "link.arq"
    if arq.unit == "slot" and radio.link.has_code_blocks():
        message = 'must be "part" with code blocks (link.harq, link.errors.curve): a slot has many, each with its fate'
        yield Problem(f"{path}.unit", arq.unit, message, ("link.harq", "link.errors.curve"))
    if arq.unit == "slot" and arq.feedback_delay_slots > 0:
        message = 'must be 0 with unit = "slot": a slot that was lost goes before all that is new'
        yield Problem(f"{path}.feedback_delay_slots", arq.feedback_delay_slots, message, (f"{path}.unit",))
    if arq.repeats == "at_once" and (arq.unit != "slot" or radio.carrier.subchannels > 1):
        message = 'must be "rescheduled" unless unit = "slot" and carrier.subchannels = 1: a whole slot goes again'
        yield Problem(f"{path}.repeats", arq.repeats, message, (f"{path}.unit", "carrier.subchannels"))
    if arq.repeats == "at_once" and radio.rlc.carry_fraction:
        message = 'must be false with link.arq.repeats = "at_once": what was carried on is in a block once'
        yield Problem("rlc.carry_fraction", True, message, (f"{path}.repeats",))


def _shared_queue(radio: Radio) -> Iterator[Problem]:
    queue, path = radio.queue, "queue.scope"
    if queue.scope == "user":
        return
    scheduler = radio.scheduler
    if not isinstance(scheduler, Fifo) or scheduler.serve_empty_queues or scheduler.skip_unservable:
        message = (
            'must be "user" unless scheduler.kind = "fifo", without serve_empty_queues and skip_unservable: one queue '
            "of all users is served in its order"
        )
        paths = ("scheduler.kind", "scheduler.serve_empty_queues", "scheduler.skip_unservable")
        yield Problem(path, queue.scope, message, paths)
    if queue.kind != "drop_tail":
        yield Problem(path, queue.scope, 'must be "user" unless queue.kind = "drop_tail"', ("queue.kind",))
    if radio.carrier.subchannels > 1 or radio.link.has_code_blocks():
        message = 'must be "user" with several subchannels or code blocks: a slot has packets of one user'
        yield Problem(path, queue.scope, message, ("carrier.subchannels", "link.harq", "link.errors.curve"))


def _outer_loop(link: Link) -> Iterator[Problem]:
    loop, path = link.outer_loop, "link.outer_loop"
    match loop:
        case NoOuterLoop():
            return
        case OuterLoopSteps():
            start, lowest, highest, unit = loop.initial_db, loop.lowest_db, loop.highest_db, "_db"
        case OuterLoopMargin():
            start, lowest, highest, unit = loop.initial, loop.lowest, loop.highest, ""
    if not lowest <= start <= highest:
        message = f"must be between lowest{unit} ({number_text(lowest)}) and highest{unit} ({number_text(highest)})"
        limits = (f"{path}.lowest{unit}", f"{path}.highest{unit}")
        yield Problem(f"{path}.initial{unit}", start, message, limits)
    if isinstance(link.rate, RateFromTrace):
        message = 'must be "none" with link.rate.kind = "trace": a replayed rate has no reports in dB'
        yield Problem(f"{path}.kind", loop.kind, message, ("link.rate.kind",))


def _slot_ns(slot: Slot) -> Fraction:
    """The length of a slot; a number is taken to the picosecond."""
    length = slot.exact_ms()
    return length * 10**6 if isinstance(slot.duration_ms, str) else Fraction(round(length * 10**9), 1000)


def _placement(scenario: ScenarioFields, radio: Radio) -> Iterator[Problem]:
    placement = radio.channel.placement
    if isinstance(placement, Disc) and placement.inner_radius_m >= placement.radius_m:
        message = f"must be below radius_m ({number_text(placement.radius_m)})"
        path = f"{PLACEMENT}.inner_radius_m"
        yield Problem(path, placement.inner_radius_m, message, (f"{PLACEMENT}.radius_m",))
    if isinstance(placement, Distances):
        yield from _one_per_user(scenario, f"{PLACEMENT}.distances_m", placement.distances_m)
    if isinstance(placement, MeanSnr):
        yield from _one_per_user(scenario, f"{PLACEMENT}.mean_snr_db", placement.mean_snr_db)
    if isinstance(placement, MeanSnrRange) and placement.high_db < placement.low_db:
        message = f"must be at least low_db ({number_text(placement.low_db)})"
        yield Problem(f"{PLACEMENT}.high_db", placement.high_db, message, (f"{PLACEMENT}.low_db",))
    if isinstance(placement, Trace):
        yield from _one_per_user(scenario, f"{PLACEMENT}.offset_s", placement.offset_s)
        yield from _trace(placement)
        yield from _rows(placement, radio)


def _one_per_user(scenario: ScenarioFields, path: str, values: object) -> Iterator[Problem]:
    if isinstance(values, tuple) and len(values) != scenario.users:
        message = f"has {len(values)} numbers; must have one per user (users = {scenario.users})"
        yield Problem(path, values, message, ("users",))


def _trace(trace: Trace) -> Iterator[Problem]:
    if trace.format == "mahimahi" and trace.quantity != "rate_bps":
        message = 'must be "rate_bps" when format is "mahimahi"'
        yield Problem(f"{PLACEMENT}.quantity", trace.quantity, message, (f"{PLACEMENT}.format",))
    if trace.equivalent_bandwidth_hz > 0 and trace.quantity != "rate_bps":
        message = 'must be 0 unless quantity is "rate_bps"'
        path = f"{PLACEMENT}.equivalent_bandwidth_hz"
        yield Problem(path, trace.equivalent_bandwidth_hz, message, (f"{PLACEMENT}.quantity",))
    if trace.sha256 and len(trace.sha256) != len(trace.files):
        message = f"has {len(trace.sha256)} hashes; must have one per file ({len(trace.files)}) or none"
        yield Problem(f"{PLACEMENT}.sha256", trace.sha256, message, (f"{PLACEMENT}.files",))


def _rows(trace: Trace, radio: Radio) -> Iterator[Problem]:
    """A trace with a value for each subchannel."""
    path, names = f"{PLACEMENT}.value_columns", trace.value_columns
    if not names:
        return
    if trace.value_column:
        message = "must be left out with value_column, which is one for all subchannels"
        yield Problem(path, names, message, (f"{PLACEMENT}.value_column",))
    if trace.quantity != "snr_db":
        yield Problem(path, names, 'must be left out unless quantity is "snr_db"', (f"{PLACEMENT}.quantity",))
    if isinstance(radio.channel.fading, TappedDelayLine):
        message = 'must not be "tapped_delay_line" with value_columns: the trace has the fading of each subchannel'
        yield Problem("channel.fading.kind", "tapped_delay_line", message, (path,))
    subchannels = radio.carrier.subchannels
    if len(names) != subchannels and not any("*" in name for name in names):
        message = f"has {len(names)} columns; must have one for each subchannel (carrier.subchannels = {subchannels})"
        yield Problem(path, names, message, ("carrier.subchannels",))


def _antennas(channel: Channel) -> Iterator[Problem]:
    if channel.beamforming.kind == "opportunistic" and not isinstance(channel.fading, Rayleigh | Jakes):
        message = 'must be "none" unless channel.fading.kind is "rayleigh" or "jakes"'
        yield Problem("channel.beamforming.kind", "opportunistic", message, ("channel.fading.kind",))


def _paths(fading: TappedDelayLine) -> Iterator[Problem]:
    delays, powers, profile = (f"channel.fading.{name}" for name in ("delays_ns", "powers_db", "profile"))
    named = DELAY_PROFILES.get(fading.profile)
    if named is not None:
        for path, given, known in (
            (delays, fading.delays_ns, named.delays_ns(fading.delay_spread_ns)),
            (powers, fading.powers_db, named.powers_db),
        ):
            if given and given != known:
                message = f'must be left out with profile = "{fading.profile}", which brings its own; or use "custom"'
                yield Problem(path, given, message, (profile,))
        return
    if not 1 <= len(fading.delays_ns) <= MOST_PATHS:
        message = f'must hold 1 to {MOST_PATHS} delays with profile = "custom"'
        yield Problem(delays, fading.delays_ns, message, (profile,))
    if len(fading.powers_db) != len(fading.delays_ns):
        message = f"has {len(fading.powers_db)} powers for {len(fading.delays_ns)} delays_ns; must be as many"
        yield Problem(powers, fading.powers_db, message, (delays, profile))


def _rates(radio: Radio) -> Iterator[Problem]:
    placement, rate = radio.channel.placement, radio.link.rate
    replays = isinstance(placement, Trace) and placement.replays_rates()
    needs = f'{PLACEMENT} with kind = "trace", quantity = "rate_bps" and equivalent_bandwidth_hz = 0'
    if isinstance(rate, RateFromTrace) and not replays:
        yield Problem("link.rate.kind", rate.kind, f"needs {needs}", (PLACEMENT,))
    if replays and not isinstance(rate, RateFromTrace):
        message = f'must be "trace" with {needs}; or give equivalent_bandwidth_hz above 0'
        yield Problem("link.rate.kind", rate.kind, message, (PLACEMENT,))
    yield from rates.check(radio.link)


def _nothing_on_top_of_a_rate(radio: Radio) -> Iterator[Problem]:
    """A replayed rate has no SNR, so nothing that acts on an SNR may be asked for."""
    report, channel = radio.link.report, radio.channel
    asked = (
        ("channel.fading.kind", channel.fading.kind, "none"),
        ("channel.shadowing.sd_db", channel.shadowing.sd_db, 0.0),
        ("channel.ceiling.sinr_db", channel.ceiling.sinr_db, float("inf")),
        ("link.report.error_sd_db", report.error_sd_db, 0.0),
        ("link.report.quantisation_db", report.quantisation_db, 0.0),
        ("link.report.backoff_db", report.backoff_db, 0.0),
    )
    why = 'with link.rate.kind = "trace": a replayed rate has no SNR (equivalent_bandwidth_hz above 0 makes one)'
    for path, value, neutral in asked:
        if value != neutral:
            word = f'"{neutral}"' if neutral in ("none", float("inf")) else number_text(float(neutral))
            yield Problem(path, value, f"must be {word} {why}", ("link.rate.kind", PLACEMENT))
    if isinstance(radio.scheduler, (LogSnr, RelativeSnr)):
        yield Problem("scheduler.kind", radio.scheduler.kind, f"can't be used {why}", ("link.rate.kind", PLACEMENT))


def _grant(radio: Radio, path: str, traffic: Backlogged) -> Iterator[Problem]:
    """The packets that one slot may take, all of which wait before it."""
    top_bps = _top_bps(radio)
    packets = top_bps * float(radio.slot.exact_ms()) / 8000 / traffic.packet_bytes
    if packets > MOST_PACKETS_PER_GRANT:
        message = (
            f"makes {packets:.3g} packets in a slot at the highest rate ({number_text(top_bps)} b/s); "
            f"must be at most {MOST_PACKETS_PER_GRANT}"
        )
        yield Problem(path, traffic.packet_bytes, message, ("link.rate", "slot.duration_ms"))


def _top_bps(radio: Radio) -> float:
    """The highest rate that a user could be sent at; 0 where a trace has it."""
    rate = radio.link.rate
    if isinstance(rate, RateFromTable):
        return max(rate.with_numbers().rates_bps, default=0.0)
    if isinstance(rate, RateFromMcs):
        return rate.top_bps()
    if isinstance(rate, RateFromCapacity):
        return min(rate.max_rate_bps, MOST_BITS_PER_HZ * rate.bandwidth_hz)
    return 0.0
