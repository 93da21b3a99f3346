"""Hops on flows' paths: AQM of a wired queue against the RFCs' pseudocode, M/D/1, shared links, errors and warnings."""

from __future__ import annotations

import math

import numpy as np
import pytest

import airlink
from airlink import Scenario, ScenarioError
from airlink.scenario import warnings_of
from test_queue_rfc_models import AQM, DELIVERED, MS, SEED, CoDel, Pie, whole_ns

SEND = 1_200_000
"""Nanoseconds that a packet of 1500 bytes takes at 10 Mb/s."""

WIRED = Scenario.from_toml("""
duration_s = 12
users = 1
[bottleneck]
rate_bps = 10e6
delay_ms = 0
[[flows]]
path = { downlink_delay_ms = 13.7, uplink_delay_ms = 9.1 }
tcp = { congestion_control = "new_reno", mss_bytes = 1460, header_bytes = 40, receiver_window_bytes = 4_000_000 }
[[flows]]
start_s = 1.5
stop_s = 8
path = { downlink_delay_ms = 41.3, uplink_delay_ms = 20 }
tcp = { congestion_control = "cubic", mss_bytes = 1460, header_bytes = 40, receiver_window_bytes = 4_000_000 }
""")

FIRST_NAME = 1 << 20
"""The name of the draws of the queue in the cell's place, behind those of users."""


def played(rule: CoDel | Pie, arrivals: list[int]) -> list[tuple[int, int]]:
    """(number, when its last bit is sent): one sender, which takes the next packet as soon as it is free."""
    sent, free_at = [], 0
    for number, came in [*enumerate(arrivals), (-1, 2**62)]:
        while rule.queue and free_at <= came:
            begins = free_at
            sent.append((rule.deque(begins), free_at := begins + SEND))
        if number >= 0 and rule.enque(came, number) and free_at <= came:
            sent.append((rule.deque(came), free_at := came + SEND))
    return sent


@pytest.mark.parametrize("kind", ["codel", "pie"])
def test_a_wired_queue_drops_what_the_rfc_drops(kind: str) -> None:
    packets = airlink.run(WIRED.override([f"bottleneck.kind={kind}"]), seed=SEED, record=["packets"]).series("packets")
    ended, fates = whole_ns(packets["ended_s"]), packets["fate"]
    came = np.where(np.isnan(packets["queued_s"]), ended, whole_ns(packets["queued_s"]))
    arrived = np.isin(fates, (AQM, DELIVERED)) | ~np.isnan(packets["queued_s"])
    rows = np.flatnonzero(arrived)
    rows = rows[np.lexsort((packets["transmission"][rows], packets["flow"][rows], came[rows]))]
    rule = CoDel() if kind == "codel" else Pie(user=FIRST_NAME)
    sent = dict(played(rule, came[rows].tolist()))
    numbers = {fate: np.flatnonzero(fates[rows] == fate).tolist() for fate in (AQM, DELIVERED)}
    assert len(numbers[AQM]) >= 20
    dropped = [(number, at) for number, at in sorted(rule.dropped) if at <= 12_000 * MS]
    assert dropped == [(number, int(ended[rows][number])) for number in numbers[AQM]]
    assert [sent[number] for number in numbers[DELIVERED]] == ended[rows][numbers[DELIVERED]].tolist()


def test_files_of_many_users_wait_at_a_hop_as_in_m_d_1() -> None:
    """One packet a file, Poisson: the mean wait is load x service / 2 (1 - load), beside the service itself."""
    load, users, duration_s = 0.6, 40, 400.0
    scenario = Scenario.from_toml(f"""
        duration_s = {duration_s}
        users = {users}
        bottleneck = {{ rate_bps = 1e12, delay_ms = 1 }}
        hops = [{{ name = "core", rate_bps = 1e6, delay_ms = 1 }}]
        [[flows]]
        path.hops = ["core"]
        traffic.kind = "poisson"
        traffic.arrivals_per_s = {load / 0.004 / users}
        traffic.size = {{ kind = "constant", bytes = 460 }}
        tcp = {{ mss_bytes = 460, header_bytes = 40, rto.min_ms = 1000, rto.initial_ms = 1000 }}
    """)
    (hop,) = np.atleast_1d(airlink.run(scenario, seed=2, record=["hops"]).series("hops")["wait_mean_s"])
    expected_s = 0.004 + load * 0.004 / (2 * (1 - load))
    # 60 000 waits whose correlation lasts about 1 / (1 - load)^2 services: a standard error of 2 %.
    effective = load / 0.004 * duration_s * (1 - load) ** 2 / 4
    variance = 0.004**2 * load * (4 - load) / (12 * (1 - load) ** 2)
    assert abs(hop - expected_s) <= 4.5 * math.sqrt(variance / effective)


HOPS = Scenario.from_toml("""
duration_s = 5
users = 2
hops = [{ name = "core", rate_bps = 2e6 }, { name = "edge", rate_bps = 1e6, kind = "codel" }]
bottleneck = {}
[[flows]]
path.hops = ["core", "edge"]
""")


@pytest.mark.parametrize(
    ("setting", "path", "part"),
    [
        ("flows.0.path.hops=['core', 'egde']", "flows.0.path.hops.1", '("core", "edge")'),
        ("flows.0.path.hops=['core', 'core']", "flows.0.path.hops.1", "once"),
        ("flows.0.path.uplink_hops=['back']", "flows.0.path.uplink_hops.0", "[[hops]]"),
        ("hops.1.name=core", "hops.1.name", "hops.0"),
        ("hops.1.arrivals_first=true", "hops.1.arrivals_first", "codel"),
        ("hops.0.limit_bytes=1000", "hops.0.limit_bytes", "largest packet"),
        ("hops.0.kind=red", "hops.0.kind", "codel"),
    ],
)
def test_a_mistake_is_named_by_its_path_with_what_is_allowed(setting: str, path: str, part: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        HOPS.override([setting])
    assert path in str(caught.value)
    assert part in str(caught.value)


def test_a_hop_that_nobody_passes_and_a_rule_that_it_does_not_follow_are_warned_of() -> None:
    told = [str(each) for each in warnings_of(HOPS.override(["flows.0.path.hops=['core']", "hops.0.pie.target_ms=3"]))]
    assert any(text.startswith("hops.1.name") and '"edge"' in text for text in told)
    assert any(text.startswith("hops.0.pie") and 'kind = "pie"' in text for text in told)
    assert not warnings_of(HOPS)


def test_rows_of_hops_balance() -> None:
    hops = airlink.run(HOPS, record=["hops"]).series("hops")
    drops = sum(hops[name] for name in hops if name.startswith("drops_"))
    assert (hops["packets_in"] == hops["packets_delivered"] + drops + hops["packets_held"]).all()
    assert hops["drops_aqm"].tolist()[0] == 0 < hops["drops_aqm"].tolist()[1]
    assert (hops["packets_delivered"][:1] == hops["packets_in"][1:]).all()


def test_rows_of_hops_balance_after_a_warm_up() -> None:
    """At 10 kb/s a packet takes more than a second, so that some are there whenever measuring begins."""
    slow = HOPS.override(["warmup_s=3", "hops.0.rate_bps=10000"])
    hops = airlink.run(slow, record=["hops"]).series("hops")
    gone = hops["packets_delivered"] + sum(hops[name] for name in hops if name.startswith("drops_"))
    assert hops["packets_held_at_start"][0] > 0
    assert (hops["packets_in"] + hops["packets_held_at_start"] == gone + hops["packets_held"]).all()


def test_users_of_a_cell_share_a_link_before_it_and_acks_one_behind_it() -> None:
    """Two of three users have a link of 1 Mb/s in common; the air could carry ten times as much."""
    scenario = Scenario.from_toml("""
        duration_s = 20
        users = 3
        slot.duration_ms = 1
        channel.placement = { kind = "mean_snr", mean_snr_db = 20 }
        link.rate = { kind = "table", thresholds_db = [0], rates_bps = [30e6] }
        hops = [{ name = "link", rate_bps = 1e6, limit_packets = 30 }, { name = "back", rate_bps = 1e6 }]
        [[flows]]
        users = [0, 1]
        path = { hops = ["link"], uplink_hops = ["back"] }
        [[flows]]
        users = [2]
        path = { uplink_hops = ["back"] }
    """)
    result = airlink.run(scenario, record=["hops", "acks", "packets"])
    hops, flows, users = result.series("hops"), result.flows, result.users
    packets = result.series("packets")
    down, back = range(2)
    assert hops["drops_queue_full"][down] > 0
    # What was sent by the queue and has not come out is on the wire, for 20 ms.
    on_wire = hops["utilisation"][down] * 1e6 / 8 * 20 - hops["bytes_delivered"][down]
    assert -0.5 <= on_wire <= 1e6 / 8 * 0.02 + 1500
    assert users["delivered_bytes"][:2].sum() <= 1e6 / 8 * 20
    assert flows["goodput_bps"][2] > 5 * flows["goodput_bps"][:2].sum()
    on_own_wire = ((packets["user"] < 2) & (packets["sent_s"] > 20 - 0.02)).sum()
    assert hops["packets_in"][down] == flows["segments_sent"][:2].sum() - on_own_wire
    # Every ACK passes the hop on the way up, in its order.
    assert hops["packets_delivered"][back] >= len(result.series("acks")["time_s"])
    gaps_ns = np.diff(whole_ns(result.series("acks")["time_s"]))
    assert gaps_ns.min() >= 8e9 * 40 / 1e6 - 1
