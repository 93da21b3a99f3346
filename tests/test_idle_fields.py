"""Fields without effect: with each rule the numbers of a run stay the same, and without it the field moves some."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from airlink import Scenario, engine
from airlink.engine import Columns, Replica, Request
from airlink.scenario import parse_settings, warnings_of
from airlink.scenario.idle_cell import BOTTLENECK, CELL, SCENARIO, UPSTREAM
from airlink.scenario.idle_fields import Idle
from airlink.scenario.idle_tcp import FLOW, IMPAIRMENTS, TCP
from airlink.scenario.scenario_warnings import idle_fields
from strategies import scenarios

RADIO = """
duration_s = 3
users = 4
slot.duration_ms = 2
channel.placement = {kind = "mean_snr_range", low_db = 2, high_db = 12}
channel.fading = {kind = "rayleigh", terms = 16}
link.rate = {kind = "mcs", bandwidth_hz = 2e6}
queue.limit_packets = 30
scheduler = {kind = "proportional_fair", initial_average_bps = 16_000}
[[flows]]
start_spread_s = 0.2
tcp = {initial_window_segments = 1, delayed_ack.every = 1}
[[flows]]
users = [0, 1]
tcp = {initial_window_segments = 1, delayed_ack.every = 1}
traffic.kind = "file"
traffic.bytes = 100000
"""
WIRE = """
duration_s = 40
users = 2
[bottleneck]
rate_bps = 4e6
delay_ms = 20
limit_packets = 12
[bottleneck.impairments]
delay_spikes = [{at_s = 8, for_s = 1, extra_ms = 1500}, {at_s = 16, for_s = 1, extra_ms = 1500}]
[[flows]]
users = [0]
path = {uplink_rate_bps = 100e3}
tcp = {initial_window_segments = 1, delayed_ack.every = 1}
[[flows]]
users = [1]
start_s = 0.1
tcp = {initial_window_segments = 1, delayed_ack.every = 1}
[flows.path]
downlink_impairments = {loss = {kind = "random", p = 0.02}, reorder_probability = 0.01, reorder_extra_ms = 8}
uplink_impairments = {loss = {kind = "random", p = 0.1}}
[[flows]]
users = [0]
traffic = {kind = "stream", rate_bps = 1e5, message_bytes = 4000}
tcp = {initial_window_segments = 1, delayed_ack.every = 1}
path.downlink_impairments = {loss = {kind = "random", p = 0.05}}
"""
SELECTIVE = ["channel.fading.kind=tapped_delay_line", "channel.fading.profile=tu6"]
BAND = ["carrier.subchannels=6", *SELECTIVE, "carrier.subchannel_hz=300e3"]
TDL_B = "channel.fading.profile=tdl-b"
LOSSY = ["link.errors.probability=0.1"]
REPEATED = [*LOSSY, "link.arq.max_retransmissions=3"]
CODED = ["link.errors.curve.kind=coded"]
LATE = [*REPEATED, "link.arq.feedback_delay_slots=20"]
PACED = ["flows.*.traffic.kind=stream", "flows.*.traffic.rate_bps=3e6"]
NO_FADING = ["channel.fading.kind=none"]
DISC = ['channel.placement={kind="disc",radius_m=900}']
BUDGET = "channel.link_budget={bandwidth_hz=9e6,interference_margin_db=30}"
SHADOWED = ["channel.shadowing.sd_db=4", "channel.motion.speed_kmh=50"]
TRACE = Path(__file__).parent / "traces/trace.csv"
WALK = [f"channel.placement={{kind='trace',files=['{TRACE}']}}"]
COLUMNS = [*WALK, "channel.placement.time_column=time_ms", "channel.placement.value_column=snr_db"]
OPPORTUNITIES = [
    f"channel.placement={{kind='trace',files=['{TRACE.with_suffix('.mahimahi')}'],format='mahimahi',"
    "quantity='rate_bps',equivalent_bandwidth_hz=1e6}"
]
CLAMP = "flows.*.tcp.clamp.side=receiver"
PRICED = {
    "queue": ["queue.price.kind=clamp", CLAMP],
    "bottleneck": ["bottleneck.price.kind=clamp", CLAMP],
    "upstream": ["upstream.rate_bps=3e6", "flows.*.path.upstream=true", "upstream.price.kind=clamp", CLAMP],
}
REORDERS = "flows.1.path.downlink_impairments.reorder"
SESSIONS = "flows.1.traffic.kind=sessions"
THINK = "flows.1.traffic.think_s"
TCP_PF = "scheduler.kind=tcp_pf"
GUARANTEED = "scheduler.kind=guaranteed_rate"
SACK = ["sack=true"]
RACK = ["sack=true", "rules.rack=true"]
NEWRENO = ["congestion_control=new_reno"]
TAHOE = ["congestion_control=tahoe"]
READS = ["reader.kind=stalling", "reader.rate_bps=2e6"]
LOST_SYN = [
    "handshake=true",
    "initial_window=rfc6928",
    "rules.initial_window_after_lost_syn=falls_back",
    "rto.initial_ms=30",
]
RFC6298 = ["rto.min_ms=10"]
TICKS = ["rto.tick_ms=100", "rto.min_ms=10", "rto.initial_ms=200"]


class Case(NamedTuple):
    """A field, a scenario in which it has no effect, and what must change for it to have one (None: itself)."""

    base: str
    field: str
    idle: list[str]
    live: list[str] | None


def radio(field: str, idle: list[str], live: list[str] | None) -> Case:
    return Case(RADIO, field, idle, live)


def wire(field: str, idle: list[str], live: list[str] | None) -> Case:
    return Case(WIRE, field, idle, live)


def tcp(field: str, idle: list[str], live: list[str] | None) -> Case:
    def of_all(settings: list[str]) -> list[str]:
        return [f"flows.*.tcp.{each}" for each in settings]

    return Case(WIRE, f"flows.*.tcp.{field}", of_all(idle), None if live is None else of_all(live))


def per_flow(place: str) -> list[str]:
    return [*PRICED[place], f"{place}.price.per_flow_bytes=500"]


UDP = ["flows.1.traffic.kind=constant_rate"]
UP = [*UDP, "flows.1.direction=up"]
VOICE = ["flows.1.traffic.kind=voice"]

FORMULA = "scheduler.kind=formula"

CASES = [
    radio("slot.special_downlink_share=0.5", ["slot.tdd=DDU"], ["slot.tdd=DSU"]),
    wire("bottleneck.codel.target_ms=1", [], ["bottleneck.kind=codel"]),
    wire("bottleneck.pie.target_ms=5", [], ["bottleneck.kind=pie"]),
    wire("bottleneck.adaptive.target_ms=20", [], ["bottleneck.kind=adaptive"]),
    wire("flows.1.tcp.mss_bytes=536", UDP, []),
    wire("flows.1.path.uplink_delay_ms=33", UDP, UP),
    wire("flows.1.path.downlink_delay_ms=33", UP, UDP),
    wire("flows.1.traffic.descriptor_ms=400", [*VOICE, "flows.1.traffic.descriptor_bytes=0"], VOICE),
    wire("drain_s=5", [], ["flows.1.traffic.kind=file", "flows.1.traffic.bytes=9000000", "duration_s=4"]),
    radio("carrier.subchannel_hz=50e3", ["carrier.subchannels=6"], BAND),
    radio("channel.placement.missing=x", OPPORTUNITIES, [*COLUMNS, "channel.placement.missing='5.5'"]),
    radio("channel.placement.averaging_ms=500", WALK, OPPORTUNITIES),
    radio("channel.placement.time_unit=s", WALK, COLUMNS),
    radio("channel.placement.offset_s=1", [*WALK, "channel.placement.random_offset=true"], WALK),
    radio("channel.ceiling.sinr_db=7", WALK, [*WALK, "channel.ceiling.applies_to=instantaneous"]),
    radio("channel.path_loss.exponent=3", [], ['channel.placement={kind="disc",radius_m=900}']),
    radio("channel.path_loss.exponent=4", [*DISC, BUDGET], DISC),
    radio("channel.link_budget={bandwidth_hz=9e6}", [], DISC),
    radio("channel.ceiling.applies_to=instantaneous", [], ["channel.ceiling.sinr_db=8"]),
    radio("channel.placement_seed=12", [], SHADOWED),
    radio("channel.shadowing.decorrelation_m=3", [], SHADOWED),
    radio("channel.shadowing.decorrelation_m=2", [*SHADOWED, "channel.motion.speed_kmh=0"], SHADOWED),
    radio("channel.motion.speed_kmh=50", NO_FADING, []),
    radio("channel.motion.speed_kmh=51", ["channel.fading.doppler_hz=9"], []),
    radio("channel.motion.carrier_hz=5e9", NO_FADING, []),
    radio("channel.motion.carrier_hz=6e9", ["channel.fading.doppler_hz=9"], []),
    radio(
        "channel.motion.carrier_hz=7e9", ["channel.motion.speed_kmh=0"], [*DISC, BUDGET, "channel.motion.speed_kmh=0"]
    ),
    radio("channel.motion.carrier_hz=8e9", [f"{NO_FADING[0]}", BUDGET], [*NO_FADING, *DISC, BUDGET]),
    radio(
        "channel.fading.delay_spread_ns=900",
        ["channel.fading.kind=tapped_delay_line", "channel.fading.profile=tu6"],
        [*BAND, TDL_B],
    ),
    radio("channel.fading.delay_spread_ns=901", BAND, [*BAND, TDL_B]),
    radio("link.report.period_slots=9", NO_FADING, []),
    radio("link.report.group_subchannels=3", [], BAND),
    radio("link.report.effective=mean_capacity", BAND, [*BAND, "link.report.group_subchannels=3"]),
    radio("link.errors.threshold_rule=true", [], ["link.report.delay_slots=9"]),
    radio("link.errors.curve.effective=eesm", CODED, [*BAND, *CODED, "link.report.group_subchannels=3"]),
    radio("link.arq.max_retransmissions=2", [], LOSSY),
    radio("link.arq.feedback_delay_slots=9", LOSSY, REPEATED),
    radio("link.harq.processes=1", LOSSY, [*LOSSY, "link.harq.kind=chase"]),
    radio("link.harq.kind=chase", [], LOSSY),
    radio("link.harq.max_retransmissions=0", ["link.harq.kind=chase"], [*LOSSY, "link.harq.kind=chase"]),
    radio("rlc.in_order=false", LOSSY, LATE),
    radio("queue.limit_counts=unsent", ["queue.limit_packets=inf"], LATE),
    radio("queue.codel.target_ms=40", [], ["queue.kind=codel"]),
    radio("queue.pie.target_ms=40", [], ["queue.kind=pie"]),
    radio("queue.adaptive.target_ms=40", [], ["queue.kind=adaptive"]),
    radio("queue.price.flow_memory_ms=1", PRICED["queue"], per_flow("queue")),
    radio("scheduler.time_constant_slots=50", ["experimental.scheduler.kind=ideal_tcp_pf"], []),
    radio("scheduler.ties=lowest_index", ["scheduler.kind=round_robin"], ["scheduler.kind=max_rate"]),
    radio("scheduler.release_satisfied_users=true", [], [*BAND, *PACED]),
    radio(
        "scheduler.release_satisfied_users=true", [*BAND, *PACED, "scheduler.serve_empty_queues=true"], [*BAND, *PACED]
    ),
    radio("scheduler.average_updates=subchannel", [], BAND),
    radio("scheduler.weight=[1,2,3,4]", [], ["scheduler.kind=weighted_pf"]),
    radio(
        "scheduler.time_constant_slots=50",
        [FORMULA, "scheduler.metric=rate"],
        [FORMULA, "scheduler.metric=rate/average"],
    ),
    radio("scheduler.delay_budget_ms=50", BAND, ["scheduler.kind=earliest_deadline"]),
    radio(
        "scheduler.slope=2", ["scheduler.kind=log_rule"], ["scheduler.kind=log_rule", "scheduler.delay_budget_ms=50"]
    ),
    radio("scheduler.bucket_ms=50", [GUARANTEED], [GUARANTEED, "scheduler.guaranteed_rate_bps=1e5"]),
    radio("scheduler.gap_mean_weight=0.5", [TCP_PF, "scheduler.terms=queue"], [TCP_PF]),
    radio("flows.0.tcp.mss_bytes=500", ["flows.0.traffic.kind=backlogged"], []),
    radio("flows.1.traffic.think=constant", [SESSIONS, f"{THINK}=0"], [SESSIONS, f"{THINK}=0.2"]),
    wire("bottleneck.in_service_counts=false", ["bottleneck.limit_packets=inf"], []),
    wire("bottleneck.price.flow_memory_ms=1", PRICED["bottleneck"], per_flow("bottleneck")),
    wire("upstream.price.flow_memory_ms=1", PRICED["upstream"], per_flow("upstream")),
    wire(f"{REORDERS}_extra_ms=30", [f"{REORDERS}_probability=0"], []),
    tcp("rules.count_option_bytes=true", [], SACK),
    tcp("initial_window_segments=9", ["initial_window=rfc3390"], ["initial_window=segments"]),
    tcp("initial_window_segments=9", ["handshake=true", "initial_window=rfc6928"], LOST_SYN),
    tcp(
        "rules.initial_window_after_lost_syn=forgives_first",
        [],
        [*LOST_SYN, "rules.initial_window_after_lost_syn=one_segment"],
    ),
    tcp("rules.reduction_in_whole_segments=true", ["rules.growth=whole_segments"], []),
    tcp("rules.option_header_bytes=0", SACK, [*SACK, "rules.count_option_bytes=true"]),
    tcp("rules.forgets_recovery_point=true", SACK, NEWRENO),
    tcp("rules.first_loss_unguarded=true", SACK, None),
    tcp("rules.less_careful=true", [], [*NEWRENO, "rules.careful_fast_retransmit=true"]),
    tcp("rules.partial_window_deflation=false", [], NEWRENO),
    tcp("rules.byte_counting_limit_segments=9", [], ["rules.growth=byte_counting", "delayed_ack.every=4"]),
    tcp("cubic.beta=0.5", [], ["congestion_control=cubic"]),
    tcp("westwood.filter_memory=0.5", [], ["congestion_control=westwood"]),
    tcp("vegas.alpha_segments=1", [], ["congestion_control=vegas"]),
    tcp("rules.guard_after_recovery=true", NEWRENO, ["rules.careful_fast_retransmit=false"]),
    tcp(
        "rules.timeout_keeps_duplicates=true",
        [],
        [*TAHOE, "rules.careful_fast_retransmit=false", "receiver_window_bytes=6000"],
    ),
    tcp("rules.impatient=false", SACK, NEWRENO),
    tcp("rules.recovery_burst_segments=1", [], NEWRENO),
    tcp("rules.recovery_end=deflated", TAHOE, NEWRENO),
    tcp("rules.growth_at_recovery_end=true", SACK, []),
    tcp("rules.sack_blocks=1", [], [*SACK, "rules.count_option_bytes=true"]),
    tcp("rules.dsack=true", [], [*SACK, "rules.count_option_bytes=true"]),
    tcp("rules.sack_rescue=true", RACK, SACK),
    tcp("rules.sack_rescue=true", [*SACK, "rules.sack_pipe=ns2_sack1"], SACK),
    tcp("rules.frto_at_once=true", SACK, [*SACK, "rules.frto=true", "rto.min_ms=50"]),
    tcp("rules.tlp_max_ack_delay_ms=1", RACK, [*RACK, "rules.tail_loss_probe=true"]),
    tcp("rules.timer_slack_ms=9", SACK, RACK),
    tcp("rules.spurious_response=undo", [], ["timestamps=true", "rules.eifel_detection=true"]),
    tcp("rto.tick_ms=50", ["rto.estimator=linux", *RFC6298], RFC6298),
    tcp("rto.tick_offset_ms=30", RFC6298, TICKS),
    tcp("rto.variance_floor=false", ["rto.estimator=ns2", *TICKS], TICKS),
    tcp("rto.variance_floor=false", RFC6298, TICKS),
    tcp("rto.min_bounds_variance=true", ["rto.estimator=ns2", *TICKS], ["rto.min_ms=300"]),
    tcp("rto.sample_every_ack=true", ["rto.estimator=linux"], RFC6298),
    tcp("rto.sample_every_ack=true", ["timestamps=true", *RFC6298], RFC6298),
    tcp("window_scaling=false", [], ["receiver_window_bytes=66001"]),
    tcp("receive_autotuning=true", ["receiver_window_bytes=64000"], ["receiver_window_bytes=66001"]),
    tcp("reader.stall_after_s=1", READS, [*READS, "reader.stall_for_s=2"]),
    tcp("reader.stall_for_s=2", READS, [*READS, "reader.stall_after_s=1"]),
    tcp("delayed_ack.timer_ms=30", ["delayed_ack.merge_bytes=6000"], ["delayed_ack.every=4"]),
    tcp("delayed_ack.repetition_waits=true", SACK, [*SACK, "rules.dsack=true", "rules.count_option_bytes=true"]),
]


def changed(base: str, settings: list[str]) -> Scenario:
    return Scenario.from_toml(base, overrides=settings)


def run(scenario: Scenario) -> Replica:
    (replica,) = engine.run(Request([scenario], [1]), 1).replicas
    assert replica is not None
    return replica


def differing(one: Replica, other: Replica) -> set[str]:
    """The columns of both in which they differ: a switch may add some, which hold 0 where it has no effect."""
    cells: list[Columns] = [{name: np.array(value) for name, value in each.cell.items()} for each in (one, other)]
    pairs = [(one.users, other.users), (one.flows, other.flows), (cells[0], cells[1])]
    return {
        name
        for left, right in pairs
        for name in left.keys() & right.keys()
        if not np.array_equal(left[name], right[name], equal_nan=left[name].dtype.kind == "f")
    }


def is_told(scenario: Scenario, field: str) -> bool:
    steps = [step for step in field.split(".") if not step.isdigit() and step != "*"]
    for each in idle_fields(scenario):
        for name in each.values:
            path = [*each.path.split("."), *name.split(".")]
            if [step for step in path if step and not step.isdigit()] == steps:
                return True
    return False


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.field)
def test_a_field_that_is_told_to_have_no_effect_has_none(case: Case) -> None:
    scenario = changed(case.base, [*case.idle, case.field])
    assert is_told(scenario, case.field.split("=")[0])
    assert differing(run(scenario), run(changed(case.base, case.idle))) == set()


@pytest.mark.parametrize("case", [case for case in CASES if case.live is not None], ids=lambda case: case.field)
def test_a_field_that_is_not_told_moves_a_number(case: Case) -> None:
    assert case.live is not None
    scenario = changed(case.base, [*case.live, case.field])
    assert not is_told(scenario, case.field.split("=")[0])
    assert differing(run(scenario), run(changed(case.base, case.live))) != set()


def test_every_rule_has_a_case() -> None:
    rules = [rule.why for table in (SCENARIO, CELL, BOTTLENECK, UPSTREAM, FLOW, IMPAIRMENTS, TCP) for rule in table]
    told = {each.why for case in CASES for each in idle_fields(changed(case.base, [*case.idle, case.field]))}
    assert [why for why in rules if why not in told] == []


def defaults(each: Idle) -> dict[str, Any]:
    return {f"{each.path}.{name}" if each.path else name: value for name, value in each.defaults.items()}


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(scenario=scenarios())
def test_any_scenario_gives_the_same_numbers_without_what_has_no_effect(scenario: Scenario) -> None:
    told = list(idle_fields(scenario))
    if not told:
        return
    back = {path: value for each in told for path, value in defaults(each).items()}
    for index, flow in enumerate(scenario.flows):
        # To give a number of segments is to choose the rule that has it.
        back.setdefault(f"flows.{index}.tcp.initial_window", flow.tcp.initial_window)
    assert differing(run(scenario), run(scenario.with_(**back))) == set()


def test_warnings_name_what_to_do() -> None:
    for case in CASES:
        for told in warnings_of(changed(case.base, [*case.idle, case.field])):
            assert told.message.startswith("has no effect ") or told.path == "link.rate.bandwidth_hz"
            assert " set " in told.message or "leave it out" in told.message or "leave this out" in told.message
            assert parse_settings([f"{told.path}=0"])
