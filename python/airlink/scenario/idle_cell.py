"""When fields of the cell, the bottleneck and hops have no effect, in the order of docs/scenario.md."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from .formula import names_of
from .idle_fields import Rule
from .sections import (
    Channel,
    ClampPrice,
    Disc,
    Distances,
    File,
    Formula,
    GuaranteedRate,
    Harq,
    Link,
    MeanSnrRange,
    Pages,
    Poisson,
    Price,
    Requests,
    Sessions,
    TappedDelayLine,
    TcpMax,
    TcpPf,
    Trace,
)

if TYPE_CHECKING:
    from .methods import Radio
    from .scenario import Scenario
    from .sections import Bottleneck, Hop, Queue, Upstream


LIGHT_M_PER_S = 299_792_458
SAME_DOPPLER = 0.01
"""Share by which a Doppler shift that is written out may differ from that of the speed: papers round theirs."""

OWN_DOPPLER = (
    'with channel.fading.doppler_hz in Hz, which is not that of this motion; set it to "from_motion", or leave this out'
)


def _has_no_downloads(scenario: Scenario) -> bool:
    return not any(isinstance(flow.traffic, File | Poisson | Sessions | Requests | Pages) for flow in scenario.flows)


def _fades(channel: Channel) -> bool:
    return channel.fading.kind != "none"


def _has_doppler_of_motion(channel: Channel) -> bool:
    return getattr(channel.fading, "doppler_hz", 0.0) == "from_motion"


def _has_another_doppler(channel: Channel) -> bool:
    """Whether fading has a Doppler shift of its own, and not that of `motion` once more."""
    doppler_hz, motion = getattr(channel.fading, "doppler_hz", "from_motion"), channel.motion
    if not isinstance(doppler_hz, float):
        return False
    moving_hz = [speed / 3.6 / LIGHT_M_PER_S * motion.carrier_hz for speed in _speeds_kmh(channel)]
    return not all(math.isclose(doppler_hz, moving, rel_tol=SAME_DOPPLER) for moving in moving_hz)


def _speeds_kmh(channel: Channel) -> tuple[float, ...]:
    """Every speed that is written."""
    speed_kmh = channel.motion.speed_kmh
    return speed_kmh if isinstance(speed_kmh, tuple) else (speed_kmh,)


def _nobody_moves(channel: Channel) -> bool:
    return not any(_speeds_kmh(channel))


def _has_no_distances(channel: Channel) -> bool:
    return not isinstance(channel.placement, Disc | Distances)


def _carrier_sets_the_mean(channel: Channel) -> bool:
    """Whether a link budget with a frequency in it sets the mean SNR of anybody."""
    budget = channel.link_budget
    return budget is not None and budget.frequency_exponent > 0 and not _has_no_distances(channel)


def _draws_no_users(channel: Channel) -> bool:
    """Whether places are given, and no shadowing is drawn for them."""
    placement = channel.placement
    is_drawn = isinstance(placement, Disc) or (isinstance(placement, MeanSnrRange) and placement.spacing == "random")
    return not is_drawn and channel.shadowing.sd_db == 0


def _varies(radio: Radio) -> bool:
    """Whether two reports of a user can differ."""
    channel = radio.channel
    is_still = not _fades(channel) and channel.shadowing.sd_db == 0 and not isinstance(channel.placement, Trace)
    return not is_still or radio.link.report.error_sd_db > 0


def _is_flat(radio: Radio) -> bool:
    return radio.carrier.subchannels == 1 or not isinstance(radio.channel.fading, TappedDelayLine)


def _loses_nothing(link: Link) -> bool:
    return link.errors.probability == 0 and not link.errors.threshold_rule and link.errors.curve.kind == "none"


def _reports_are_exact(radio: Radio) -> bool:
    """Whether every rate is that of the true SNR of its slot, or below."""
    report, link = radio.link.report, radio.link
    is_fresh = report.delay_slots == 0 and (report.period_slots == 1 or not _varies(radio))
    is_true = report.error_sd_db == 0 and report.quantisation_db == 0 and report.backoff_db >= 0
    is_of_each = report.group_subchannels == 1 or radio.carrier.subchannels == 1
    keeps_no_rate = link.harq.kind == "none" and link.harq.unit == "block" and link.arq.repeats == "rescheduled"
    return is_fresh and is_true and is_of_each and keeps_no_rate and link.outer_loop.kind == "none"


def _never_waits_for_a_process(harq: Harq) -> bool:
    return harq.unit == "block" and harq.processes >= harq.round_trip_slots


def _repeats_nothing(link: Link) -> bool:
    repeats_blocks = link.harq.kind != "none" and link.harq.max_retransmissions > 0
    return _loses_nothing(link) or (link.arq.max_retransmissions == 0 and not repeats_blocks)


def _has_no_limits(queue: Queue | Bottleneck | Hop) -> bool:
    return queue.limit_packets == math.inf and queue.limit_bytes == math.inf and queue.price.kind == "none"


def _is_other_queue(kind: str, radio: Radio) -> bool:
    return radio.queue.kind != kind


def _trace(test: Callable[[Trace], bool], radio: Radio) -> bool:
    return isinstance(radio.channel.placement, Trace) and test(radio.channel.placement)


def _has_no_price_per_flow(price: Price) -> bool:
    return isinstance(price, ClampPrice) and price.per_flow_bytes == 0


SCENARIO: Sequence[Rule[Scenario]] = (
    Rule(
        "",
        ("drain_s",),
        _has_no_downloads,
        'without downloads to wait for (flows.N.traffic.kind = "file" and others); leave it out',
    ),
)

CHANNEL: Sequence[Rule[Radio]] = (
    Rule(
        "carrier",
        ("subchannel_hz",),
        _is_flat,
        'unless carrier.subchannels is above 1 and channel.fading.kind = "tapped_delay_line": other fading is the same '
        "on all subchannels; set both, or leave it out",
    ),
    *(
        Rule(
            "channel.placement",
            names,
            partial(_trace, test),
            why,
        )
        for names, test, why in (
            (
                ("separator", "value_column", "value_columns", "time_column", "time_unit", "row_interval_s", "missing"),
                lambda trace: trace.format == "mahimahi",
                'with format = "mahimahi", which has neither columns nor marks; leave it out, or set format = "csv"',
            ),
            (("averaging_ms",), lambda trace: trace.format == "csv", 'unless format = "mahimahi"; leave it out'),
            (
                ("time_unit",),
                lambda trace: trace.format == "csv" and trace.time_column == "",
                "without time_column, whose unit it is; set that, or row_interval_s",
            ),
            (
                ("offset_s",),
                lambda trace: trace.random_offset,
                "with random_offset = true, which draws the offset; set one of the two",
            ),
        )
    ),
    Rule(
        "channel",
        ("placement_seed",),
        lambda radio: _draws_no_users(radio.channel),
        "without shadowing and where places are given: there is nothing to draw from it; set "
        "channel.shadowing.sd_db, or leave it out",
    ),
    Rule(
        "channel",
        ("path_loss",),
        lambda radio: _has_no_distances(radio.channel),
        'unless channel.placement.kind = "disc" or "distances": other placements give the mean SNR; leave it out',
    ),
    Rule(
        "channel",
        ("path_loss",),
        lambda radio: not _has_no_distances(radio.channel) and radio.channel.link_budget is not None,
        "with channel.link_budget, which gives the mean SNR in its place; leave it out, or leave out link_budget",
    ),
    Rule(
        "channel",
        ("link_budget",),
        lambda radio: _has_no_distances(radio.channel),
        'unless channel.placement.kind = "disc" or "distances": no other placement has distances; leave it out',
    ),
    Rule(
        "channel.ceiling",
        ("applies_to",),
        lambda radio: radio.channel.ceiling.sinr_db == math.inf,
        'with sinr_db = "inf": there is no ceiling; set sinr_db, or leave it out',
    ),
    Rule(
        "channel.ceiling",
        ("sinr_db",),
        lambda radio: isinstance(radio.channel.placement, Trace) and radio.channel.ceiling.applies_to == "mean",
        'with channel.placement.kind = "trace" and applies_to = "mean", as a trace has no mean to limit; set '
        'applies_to = "instantaneous"',
    ),
    Rule(
        "channel.shadowing",
        ("decorrelation_m",),
        lambda radio: radio.channel.shadowing.sd_db == 0,
        "with sd_db = 0: there is no shadowing; set sd_db, or leave it out",
    ),
    Rule(
        "channel.shadowing",
        ("decorrelation_m",),
        lambda radio: radio.channel.shadowing.sd_db > 0 and _nobody_moves(radio.channel),
        "with channel.motion.speed_kmh = 0: shadowing stays as drawn; set a speed, or leave it out",
    ),
    Rule(
        "channel.motion",
        ("speed_kmh",),
        lambda radio: radio.channel.shadowing.sd_db == 0 and not _fades(radio.channel),
        "without fading and without shadowing; set channel.fading.kind or channel.shadowing.sd_db, or leave it out",
    ),
    Rule(
        "channel.motion",
        ("carrier_hz",),
        lambda radio: not _fades(radio.channel) and not _carrier_sets_the_mean(radio.channel),
        "without fading; set channel.fading.kind, or leave it out",
    ),
    Rule(
        "channel.motion",
        ("speed_kmh",),
        lambda radio: radio.channel.shadowing.sd_db == 0 and _has_another_doppler(radio.channel),
        OWN_DOPPLER,
    ),
    Rule(
        "channel.motion",
        ("carrier_hz",),
        lambda radio: _has_another_doppler(radio.channel) and not _carrier_sets_the_mean(radio.channel),
        OWN_DOPPLER,
    ),
    Rule(
        "channel.motion",
        ("carrier_hz",),
        lambda radio: (
            _has_doppler_of_motion(radio.channel)
            and _nobody_moves(radio.channel)
            and not _carrier_sets_the_mean(radio.channel)
        ),
        "with speed_kmh = 0: there is no Doppler shift; set a speed, or leave it out",
    ),
    Rule(
        "channel.fading",
        ("delay_spread_ns",),
        lambda radio: radio.carrier.subchannels == 1,
        "with carrier.subchannels = 1: the delays of paths are of no consequence on one; set more, or leave it out",
    ),
    Rule(
        "channel.fading",
        ("delay_spread_ns",),
        lambda radio: (
            radio.carrier.subchannels > 1 and not getattr(radio.channel.fading, "profile", "").startswith("tdl")
        ),
        'unless profile = "tdl-a", "tdl-b" or "tdl-c": other profiles have delays of their own; leave it out',
    ),
)

LINK: Sequence[Rule[Radio]] = (
    Rule(
        "link.report",
        ("period_slots",),
        lambda radio: not _varies(radio),
        "without fading, shadowing, a trace or errors of reports: every report of a user is the same; leave it out",
    ),
    Rule(
        "link.report",
        ("group_subchannels",),
        lambda radio: radio.carrier.subchannels == 1,
        "with carrier.subchannels = 1: there is one report; set more subchannels, or leave it out",
    ),
    Rule(
        "link.report",
        ("effective",),
        lambda radio: radio.carrier.subchannels == 1 or radio.link.report.group_subchannels == 1,
        "unless a report is of several subchannels; set carrier.subchannels and group_subchannels above 1, or leave "
        "it out",
    ),
    Rule(
        "link.errors",
        ("threshold_rule",),
        _reports_are_exact,
        "as reports are exact and of the slot itself, so no rate is ever too high; set link.report.delay_slots, "
        "period_slots or error_sd_db, or leave it out",
    ),
    Rule(
        "link.errors.curve",
        ("effective",),
        lambda radio: radio.carrier.subchannels == 1,
        "with carrier.subchannels = 1: a block lies on one; set more subchannels, or leave it out",
    ),
    Rule(
        "link.arq",
        ("max_retransmissions", "feedback_delay_slots", "unit", "repeats"),
        lambda radio: _loses_nothing(radio.link),
        "as nothing is lost on air; set link.errors.probability, threshold_rule or a curve, or leave it out",
    ),
    Rule(
        "link.arq",
        ("feedback_delay_slots",),
        lambda radio: not _loses_nothing(radio.link) and radio.link.arq.max_retransmissions == 0,
        "with max_retransmissions = 0: nothing is retransmitted; set that above 0, or leave it out",
    ),
    Rule(
        "link.harq",
        ("processes", "round_trip_slots", "max_retransmissions"),
        lambda radio: radio.link.harq.kind == "none",
        'with kind = "none": there is no HARQ; set kind = "chase" or "incremental_redundancy", or leave it out',
    ),
    Rule(
        "link.harq",
        ("kind",),
        lambda radio: _loses_nothing(radio.link) and _never_waits_for_a_process(radio.link.harq),
        "as nothing is lost on air; set link.errors.probability, threshold_rule or a curve, or leave it out",
    ),
    Rule(
        "link.harq",
        ("max_retransmissions",),
        lambda radio: radio.link.harq.kind != "none" and _loses_nothing(radio.link),
        "as nothing is lost on air; set link.errors.probability, threshold_rule or a curve, or leave it out",
    ),
    Rule(
        "rlc",
        ("in_order",),
        lambda radio: _repeats_nothing(radio.link),
        "as nothing is retransmitted on air, so nothing overtakes; set link.arq.max_retransmissions, or leave it out",
    ),
)

QUEUE: Sequence[Rule[Radio]] = (
    Rule(
        "queue",
        ("limit_counts",),
        lambda radio: radio.queue.kind == "drop_tail" and _has_no_limits(radio.queue),
        "without a limit; set limit_packets or limit_bytes, or leave it out",
    ),
    *(
        Rule(
            "queue",
            (kind,),
            partial(_is_other_queue, kind),
            f'unless queue.kind = "{kind}"; set that, or leave this out',
        )
        for kind in ("codel", "pie", "adaptive")
    ),
    Rule(
        "queue.price",
        ("flow_memory_ms",),
        lambda radio: _has_no_price_per_flow(radio.queue.price),
        "with per_flow_bytes = 0; set that above 0, or leave it out",
    ),
)

GAPS = ("gap_mean_weight", "gap_square_weight", "initial_gap_mean_slots", "initial_gap_square_slots2")
AVERAGES = ("time_constant_slots", "average_counts", "initial_average_bps", "average_window", "average_updates")

OF_ONE_SCHEDULER = (
    *AVERAGES,
    *("exponent", "skip_unservable", *GAPS, "vacation_unit", "terms", "metric"),
    *("divisor", "offset", "slope", "violation_probability", "guaranteed_rate_bps", "bucket_ms"),
)
"""The fields of `[scheduler]` that belong to its kind."""

WEIGHED = ("weighted_pf", "m_lwdf", "exp_pf", "log_rule")
"""Kinds of `[scheduler]` that read its `weight`."""

WITH_DEADLINES = ("m_lwdf", "exp_pf", "log_rule", "earliest_deadline")
"""Kinds of `[scheduler]` that read its `delay_budget_ms`."""


def _reads(radio: Radio, kinds: Sequence[str], name: str) -> bool:
    """Whether its scheduler is one of `kinds`, or a formula with that name."""
    scheduler = radio.scheduler
    return not radio.has_experimental_scheduler and (scheduler.kind in kinds or name in names_of(scheduler))


def _has_deadlines(radio: Radio) -> bool:
    budgets_ms = radio.scheduler.delay_budget_ms
    return any(each < math.inf for each in (budgets_ms if isinstance(budgets_ms, tuple) else (budgets_ms,)))


def _guarantees(scheduler: GuaranteedRate) -> bool:
    rates_bps = scheduler.guaranteed_rate_bps
    return any(each > 0 for each in (rates_bps if isinstance(rates_bps, tuple) else (rates_bps,)))


SCHEDULER: Sequence[Rule[Radio]] = (
    Rule(
        "scheduler",
        OF_ONE_SCHEDULER,
        lambda radio: radio.has_experimental_scheduler,
        "with experimental.scheduler, which decides in its place; set the fields there, or leave it out",
    ),
    Rule(
        "scheduler",
        ("ties",),
        lambda radio: radio.scheduler.kind in ("round_robin", "fifo") and not radio.has_experimental_scheduler,
        'with kind = "round_robin" or "fifo", which have no ties to break; leave it out',
    ),
    Rule(
        "scheduler",
        ("release_satisfied_users",),
        lambda radio: radio.carrier.subchannels == 1,
        "with carrier.subchannels = 1: nobody has won anything in a slot before; set more, or leave it out",
    ),
    Rule(
        "scheduler",
        ("release_satisfied_users",),
        lambda radio: radio.carrier.subchannels > 1 and radio.scheduler.serve_empty_queues,
        "with serve_empty_queues = true: users with nothing to send compete; set that to false, or leave this out",
    ),
    Rule(
        "scheduler",
        ("average_updates",),
        lambda radio: radio.carrier.subchannels == 1,
        "with carrier.subchannels = 1; set more subchannels, or leave it out",
    ),
    Rule(
        "scheduler",
        ("weight",),
        lambda radio: not _reads(radio, WEIGHED, "weight"),
        'unless kind is "weighted_pf", "m_lwdf", "exp_pf" or "log_rule", a formula names it, or the scheduler is your '
        "own; leave it out",
    ),
    Rule(
        "scheduler",
        ("delay_budget_ms",),
        lambda radio: not _reads(radio, WITH_DEADLINES, "delay_budget_s"),
        'unless kind is "m_lwdf", "exp_pf", "log_rule" or "earliest_deadline", a formula names delay_budget_s, or the '
        "scheduler is your own; leave it out",
    ),
    Rule(
        "scheduler",
        AVERAGES,
        lambda radio: isinstance(radio.scheduler, Formula) and "average" not in names_of(radio.scheduler),
        'without "average" in the metric; leave it out',
    ),
    Rule(
        "scheduler",
        ("violation_probability", "slope", "offset"),
        lambda radio: radio.scheduler.kind in WITH_DEADLINES and not _has_deadlines(radio),
        "with scheduler.delay_budget_ms = inf for all: nobody has a deadline; set it, or leave this out",
    ),
    Rule(
        "scheduler",
        ("bucket_ms",),
        lambda radio: isinstance(radio.scheduler, GuaranteedRate) and not _guarantees(radio.scheduler),
        "with scheduler.guaranteed_rate_bps = 0 for all: nothing is guaranteed; set it, or leave this out",
    ),
)

VACATION: Sequence[Rule[Radio]] = (
    Rule(
        "scheduler",
        GAPS,
        lambda radio: isinstance(radio.scheduler, TcpPf | TcpMax) and radio.scheduler.terms == "queue",
        'with terms = "queue": the vacation term does not count; set terms = "both", or leave it out',
    ),
)

SLOT: Sequence[Rule[Radio]] = (
    Rule(
        "slot",
        ("special_downlink_share",),
        lambda radio: "S" not in radio.slot.tdd,
        "without an S in slot.tdd; write one, or leave it out",
    ),
)

CELL: Sequence[Rule[Radio]] = (*SLOT, *CHANNEL, *LINK, *QUEUE, *SCHEDULER, *VACATION)


def _is_other_hop(kind: str, hop: Bottleneck | Hop) -> bool:
    return hop.kind != kind


BOTTLENECK: Sequence[Rule[Bottleneck | Hop]] = (
    *(
        Rule("", (kind,), partial(_is_other_hop, kind), f'unless kind = "{kind}"; set that, or leave this out')
        for kind in ("codel", "pie", "adaptive")
    ),
    Rule(
        "",
        ("in_service_counts", "arrivals_first"),
        lambda hop: hop.kind == "drop_tail" and _has_no_limits(hop),
        "without a limit; set limit_packets or limit_bytes, or leave it out",
    ),
    Rule(
        "price",
        ("flow_memory_ms",),
        lambda bottleneck: _has_no_price_per_flow(bottleneck.price),
        "with per_flow_bytes = 0; set that above 0, or leave it out",
    ),
)

UPSTREAM: Sequence[Rule[Upstream]] = (
    Rule(
        "price",
        ("flow_memory_ms",),
        lambda upstream: _has_no_price_per_flow(upstream.price),
        "with per_flow_bytes = 0; set that above 0, or leave it out",
    ),
)
