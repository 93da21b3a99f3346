"""What can never be served: each warning is true in a run, and the nearest scenario that can be served has none."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from airlink import Scenario, engine
from airlink.engine import Replica, Request
from airlink.scenario import warnings_of
from airlink.scenario.never_served import never_served
from strategies import scenarios

RADIO = """
duration_s = 3
users = 3
slot.duration_ms = 2
channel.placement = {kind = "mean_snr", mean_snr_db = [-20, 4, 12]}
channel.fading = {kind = "rayleigh"}
link.rate = {kind = "table", name = "1xev-do"}
[[flows]]
"""
WIRE = """
duration_s = 10
users = 2
[bottleneck]
rate_bps = 4e6
delay_ms = 20
limit_packets = 50
[[flows]]
"""
BAND = [
    "carrier.subchannels=6",
    "channel.fading.kind=tapped_delay_line",
    "channel.fading.profile=tu6",
    "link.rate={kind='capacity',bandwidth_hz=1.2e6}",
]
FILE = ["flows.0.traffic.kind=file"]
VOICE = ["flows.0.traffic.kind=voice"]
PAGES = ["flows.0.traffic.kind=sessions", "flows.0.traffic.think_s=0"]
STREAM = ["flows.0.traffic.kind=stream", "flows.0.path.downlink_delay_ms=1"]
LINUX = ["flows.0.tcp.profile=linux", "flows.0.path.uplink_delay_ms=1700"]


def nothing_is_sent(replica: Replica) -> bool:
    return not replica.users["sent_bps"].any()


def nothing_is_delivered(replica: Replica) -> bool:
    return not replica.users["goodput_bps"].any() and not replica.users["packets_delivered"].any()


def nothing_reaches_users(replica: Replica) -> bool:
    return not replica.users["goodput_bps"].any()


def the_first_user_gets_nothing(replica: Replica) -> bool:
    sent = replica.users["sent_bps"]
    return bool(sent[0] == 0 and sent[1:].all())


def some_flows_never_start(replica: Replica) -> bool:
    return bool((replica.users["goodput_bps"] == 0).any())


def timers_expire_without_need(replica: Replica) -> bool:
    return bool((replica.flows["spurious_timeouts"] > 0).all())


def no_download_ends(replica: Replica) -> bool:
    return not np.isfinite(replica.flows["completion_s"]).any()


def streams_fall_behind(replica: Replica) -> bool:
    return bool((replica.flows["goodput_bps"] < 4e6).all())


def anything(replica: Replica) -> bool:
    return True


class Case(NamedTuple):
    """A field that can't be served, what a run then shows, and the nearest setting that can."""

    base: str
    path: str
    settings: list[str]
    shows: Callable[[Replica], bool]
    instead: list[str]


CASES = [
    Case(RADIO, "link.rate.bandwidth_hz", [*BAND, "carrier.subchannel_hz=201e3"], anything, [*BAND]),
    Case(RADIO, "link.rate.bandwidth_hz", [*BAND, "carrier.subchannel_hz=140e3"], anything, [*BAND]),
    Case(
        RADIO,
        "channel.placement.mean_snr_db",
        ["channel.fading.kind=none"],
        the_first_user_gets_nothing,
        ["channel.fading.kind=none", "channel.placement.mean_snr_db=[-12,4,12]"],
    ),
    Case(
        RADIO,
        "channel.placement.low_db",
        ["channel.fading.kind=none", "channel.placement={kind='mean_snr_range',low_db=-13,high_db=5}"],
        the_first_user_gets_nothing,
        ["channel.fading.kind=none", "channel.placement={kind='mean_snr_range',low_db=-12.5,high_db=5}"],
    ),
    Case(
        RADIO,
        "link.report.delay_slots",
        ["link.report.delay_slots=1500"],
        nothing_is_sent,
        ["link.report.delay_slots=1400"],
    ),
    Case(
        RADIO,
        "link.errors.probability",
        ["link.errors.probability=1"],
        nothing_is_delivered,
        ["link.errors.probability=0.9"],
    ),
    Case(RADIO, "rlc.segment_bytes", ["rlc.segment_bytes=615"], nothing_is_sent, ["rlc.segment_bytes=614"]),
    Case(
        RADIO,
        "rlc.segment_bytes",
        ["rlc.segment_bytes=600", "rlc.segment_header_bytes=10", "rlc.block_header_bytes=5"],
        nothing_is_sent,
        ["rlc.segment_bytes=700", "rlc.carry_fraction=true"],
    ),
    Case(
        WIRE,
        "bottleneck.impairments.loss.p",
        ["bottleneck.impairments.loss={kind='random',p=1}"],
        nothing_reaches_users,
        ["bottleneck.impairments.loss={kind='random',p=0.9}"],
    ),
    Case(
        WIRE,
        "flows.0.path.downlink_impairments.loss.p",
        ["flows.0.path.downlink_impairments.loss={kind='random',p=1}"],
        nothing_reaches_users,
        [],
    ),
    Case(
        WIRE,
        "bottleneck.impairments.outages.0.at_s",
        ["bottleneck.impairments.outages=[{at_s=11,for_s=1}]"],
        anything,
        ["bottleneck.impairments.outages=[{at_s=9,for_s=1}]"],
    ),
    Case(
        WIRE,
        "flows.0.path.uplink_impairments.delay_spikes.0.at_s",
        ["flows.0.path.uplink_impairments.delay_spikes=[{at_s=11,for_s=1,extra_ms=100}]"],
        anything,
        ["flows.0.path.uplink_impairments.delay_spikes=[{at_s=9,for_s=1,extra_ms=100}]"],
    ),
    Case(
        WIRE,
        "bottleneck.freezes.1.at_s",
        ["bottleneck.freezes=[{at_s=9,for_s=1},{at_s=11,for_s=1}]"],
        anything,
        ["bottleneck.freezes=[{at_s=9,for_s=1}]"],
    ),
    Case(WIRE, "flows.0.stop_s", ["flows.0.stop_s=11"], anything, ["flows.0.stop_s=9"]),
    Case(
        WIRE,
        "flows.0.tcp.reader.stall_after_s",
        ["flows.0.start_s=1", "flows.0.tcp.reader={kind='stalling',rate_bps=1e6,stall_after_s=9.5,stall_for_s=1}"],
        anything,
        ["flows.0.start_s=1", "flows.0.tcp.reader={kind='stalling',rate_bps=1e6,stall_after_s=8.5,stall_for_s=1}"],
    ),
    Case(
        WIRE,
        "bottleneck.impairments.drop_at_s.1",
        ["bottleneck.impairments.drop_at_s=[9,11]"],
        anything,
        ["bottleneck.impairments.drop_at_s=[9]"],
    ),
    Case(
        WIRE, "upstream", ["upstream.rate_bps=1e5"], anything, ["upstream.rate_bps=1e5", "flows.0.path.upstream=true"]
    ),
    Case(
        WIRE,
        "flows.0.start_spread_s",
        ["flows.0.start_spread_s=1e5"],
        some_flows_never_start,
        ["flows.0.start_spread_s=10"],
    ),
    Case(
        WIRE,
        "flows.0.tcp.rto.initial_ms",
        ["flows.0.tcp.rto.initial_ms=35"],
        timers_expire_without_need,
        ["flows.0.tcp.rto.initial_ms=70"],
    ),
    Case(
        WIRE,
        "flows.0.tcp.rto.max_ms",
        [f"flows.0.tcp.rto.{name}_ms=35" for name in ("min", "initial", "max")],
        timers_expire_without_need,
        [f"flows.0.tcp.rto.{name}_ms=70" for name in ("min", "initial", "max")],
    ),
    Case(
        WIRE,
        "flows.0.tcp.rto.initial_ms",
        LINUX,
        timers_expire_without_need,
        [*LINUX, "flows.0.tcp.rto.initial_ms=1800"],
    ),
    Case(RADIO, "flows.0.tcp.rto.initial_ms", ["flows.0.tcp.rto.initial_ms=35"], timers_expire_without_need, []),
    Case(
        WIRE,
        "flows.0.traffic.bytes",
        [*FILE, "flows.0.traffic.bytes=5000000"],
        no_download_ends,
        [*FILE, "flows.0.traffic.bytes=4800000"],
    ),
    Case(
        RADIO,
        "flows.0.traffic.bytes",
        [*FILE, "flows.0.traffic.bytes=900000"],
        no_download_ends,
        [*FILE, "flows.0.traffic.bytes=800000"],
    ),
    Case(
        WIRE,
        "flows.0.traffic.size.bytes",
        [*PAGES, "flows.0.traffic.size={kind='constant',bytes=5000000}"],
        anything,
        [*PAGES, "flows.0.traffic.size={kind='constant',bytes=4800000}"],
    ),
    Case(
        WIRE,
        "flows.0.traffic.rate_bps",
        [*STREAM, "flows.0.traffic.rate_bps=4e6"],
        streams_fall_behind,
        [*STREAM, "flows.0.traffic.rate_bps=3.8e6"],
    ),
]


def warned_paths(scenario: Scenario) -> list[str]:
    return [problem.path for problem in never_served(scenario)]


def run(scenario: Scenario) -> Replica:
    (replica,) = engine.run(Request([scenario], [1]), 1).replicas
    assert replica is not None
    return replica


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.path}, {case.settings[-1]}")
def test_what_can_never_be_served_is_told_and_true(case: Case) -> None:
    scenario = Scenario.from_toml(case.base, overrides=case.settings)
    assert warned_paths(scenario) == [case.path]
    assert case.shows(run(scenario))


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.path}, {case.settings[-1]}")
def test_what_can_be_served_is_not_told(case: Case) -> None:
    assert warned_paths(Scenario.from_toml(case.base, overrides=case.instead)) == []


OF_TCP = ["acks", "sacks", "cwnd", "rtt", "events", "downloads", "timeouts"]
OF_BACKLOGGED = [*OF_TCP, "bursts", "hops", "waits"]


@pytest.mark.parametrize(
    ("settings", "kinds"),
    [
        (
            ["flows.0.traffic.kind=backlogged"],
            OF_BACKLOGGED,
        ),
        ([], ["sacks", "downloads", "bursts", "hops", "waits"]),
        (["flows.0.tcp.sack=true"], ["downloads", "bursts", "hops", "waits"]),
        ([*FILE, "flows.0.tcp.sack=true"], ["bursts", "hops", "waits"]),
        (["upstream.rate_bps=3e6"], ["sacks", "downloads", "bursts", "waits"]),
        (VOICE, [*OF_TCP, "hops"]),
    ],
)
def test_series_that_stay_empty_are_told(settings: list[str], kinds: list[str]) -> None:
    scenario = Scenario.from_toml(RADIO, overrides=[*settings, "queue.limit_packets=4"])
    every = engine.recordable(scenario)
    assert [problem.value for problem in warnings_of(scenario, every) if problem.path == "record"] == kinds
    (replica,) = engine.run(Request([scenario], [1], every), 1).replicas
    assert replica is not None
    assert [kind for kind in every if not len(next(iter(replica.series[kind].values())))] == kinds


LATE = ("impairments", "freezes", "stop_s", "stall_after_s")
AFTER_THE_RUN = [case for case in CASES if any(name in case.path for name in LATE) and case.shows is anything]


@pytest.mark.parametrize("case", AFTER_THE_RUN, ids=lambda case: case.path)
def test_what_comes_after_the_run_changes_no_number(case: Case) -> None:
    kept = {"at_s=11": "at_s=11.5", "[9,11]": "[9]", "stop_s=11": "stop_s='inf'", "after_s=9.5": "after_s=9.8"}
    without = [reduce(lambda text, pair: text.replace(*pair), kept.items(), setting) for setting in case.settings]
    assert without != case.settings
    changed, usual = (Scenario.from_toml(case.base, overrides=each) for each in (case.settings, without))
    assert run(changed).digest == run(usual).digest


SHOWN = {case.path: case.shows for case in CASES if case.shows in (nothing_is_sent, nothing_is_delivered)}


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(scenario=scenarios())
def test_of_any_scenario_what_is_told_is_true(scenario: Scenario) -> None:
    problems = list(never_served(scenario))
    if not problems:
        return
    replica = run(scenario)
    for problem in problems:
        if problem.path in SHOWN:
            assert SHOWN[problem.path](replica)
        if problem.path == "channel.placement.mean_snr_db":
            assert (replica.users["sent_bps"] == 0).any()
        if problem.path.endswith("traffic.bytes"):
            flows = [index for index, flow in enumerate(scenario.flows) if flow.traffic.kind == "file"]
            assert flows
            assert not np.isfinite(replica.flows["completion_s"]).all()
