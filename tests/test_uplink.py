"""The uplink with grants and patterns of slots: runs against a second implementation, checks of fields, words."""

from __future__ import annotations

import numpy as np
import pytest

import airlink
from airlink.explain import explain
from airlink.scenario import Scenario, ScenarioError
from grant_cycle import Cycle, leaves
from uplink_page import PAGE, page

SCENARIO = """
name = "uplink"
duration_s = 2
users = 3
slot.duration_ms = 1
channel.placement = { kind = "mean_snr", mean_snr_db = [20, 14, 9] }
channel.fading.kind = "rayleigh"
link.rate = { kind = "capacity", bandwidth_hz = 2e6 }
scheduler.kind = "round_robin"

[uplink]
request_period_ms = 7.3
grant_delay_ms = 3.5
transmit_delay_ms = 2
grant_period_ms = 5
grant_bytes = 130

[[flows]]
traffic.kind = "greedy"
path = { downlink_delay_ms = 8, uplink_delay_ms = 11 }
tcp = { delayed_ack.every = 1, ack_bytes = 40, receiver_window_bytes = 40_000 }
"""

CYCLE = Cycle(1_000_000, "", 3, 7_300_000, 5_500_000, 5_000_000, 130, None)


def scenario(*overrides: str) -> Scenario:
    return Scenario.from_toml(SCENARIO, overrides=overrides)


@pytest.mark.parametrize(
    ("tdd", "slot_bytes", "seed"), [("", None, 1), ("DDDSU", None, 2), ("", 90, 3), ("DSUUD", 150, 4), ("DDU", 200, 5)]
)
def test_acks_leave_as_a_second_implementation_says(tdd: str, slot_bytes: int | None, seed: int) -> None:
    shared = "inf" if slot_bytes is None else slot_bytes
    settings = scenario(f'slot.tdd="{tdd}"', f"uplink.slot_bytes={shared}")
    run = airlink.run(settings, seed=seed, record=["packets", "acks"])
    packets, acks = run.series("packets"), run.series("acks")
    delivered = packets.where(packets["fate"] == 0)
    order = np.lexsort((delivered["transmission"], delivered["flow"], delivered["ended_s"]))
    arrivals = [(round(1e9 * float(delivered["ended_s"][row])), int(delivered["flow"][row]), 40) for row in order]
    cycle = Cycle(**{**vars(CYCLE), "tdd": tdd, "slot_bytes": slot_bytes})
    left = leaves(cycle, arrivals)
    for flow in range(3):
        expected = sorted(at + 11_000_000 for at, (_, user, _) in zip(left, arrivals, strict=True) if user == flow)
        found = [round(1e9 * float(at)) for at in acks["time_s"][acks["flow"] == flow]]
        assert len(found) > 50
        assert found == [at for at in expected if at <= 2_000_000_000][: len(found)]
        assert len([at for at in expected if at < 2_000_000_000]) <= len(found)


@pytest.mark.parametrize(
    ("override", "path"),
    [
        ("slot.tdd=DDX", "slot.tdd"),
        ("slot.tdd=UU", "slot.tdd"),
        ("slot.tdd=SU", "slot.tdd"),
        ("slot.tdd=DDS", "slot.tdd"),
        ("experimental.hold_timeouts=spurious", "experimental.hold_timeouts"),
    ],
)
def test_what_cannot_be_together_is_named(override: str, path: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        scenario(override)
    assert path in str(caught.value)


def test_a_special_slot_with_a_share_is_downlink_enough() -> None:
    assert scenario("slot.tdd=SU", "slot.special_downlink_share=0.5").slot is not None


def test_a_bottleneck_has_no_slots_to_grant() -> None:
    text = """
        duration_s = 1
        users = 1
        bottleneck.rate_bps = 1e6
        uplink.grant_bytes = 100
        [[flows]]
        traffic.kind = "greedy"
    """
    with pytest.raises(ScenarioError, match="uplink"):
        Scenario.from_toml(text)


def test_a_flow_that_waits_for_grants_is_told_so() -> None:
    slow = [
        "users=1",
        "channel.fading.kind=none",
        "channel.placement.mean_snr_db=20",
        "uplink.request_period_ms=200",
        "uplink.grant_bytes=1500",
        "duration_s=6",
    ]
    result = airlink.run(scenario(*slow), record=["limits"])
    (flow,) = explain(result).flows
    assert flow.largest is not None
    assert flow.largest.name == "grant"
    assert sum(flow.seconds.values()) == pytest.approx(flow.active_s, abs=1e-9)
    words = " ".join(flow.sentences)
    assert "waited at the user for a grant of the uplink" in words
    assert "uplink.request_period_ms is 200" in words


def test_without_an_uplink_nobody_hears_of_grants() -> None:
    plain = Scenario.from_toml(SCENARIO[: SCENARIO.index("[uplink]")] + SCENARIO[SCENARIO.index("[[flows]]") :])
    result = airlink.run(plain, record=["limits"])
    assert "time_grant_s" not in result.replicas[0].flows
    assert all("grant" not in flow.seconds for flow in explain(result).flows)


@pytest.mark.validate
def test_the_page_has_the_table_of_todays_runs() -> None:
    assert page() == PAGE.read_text()
