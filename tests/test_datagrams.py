"""Packets over UDP against closed forms and counts by hand: waits, losses, deadlines, voice and frames, either way."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import airlink
from airlink import Result, Scenario, ScenarioError
from airlink.explain import explain
from airlink.measures import measure
from airlink.statistics import batch_means
from readers import tshark

PACKET_BYTES, RATE_BPS = 1250, 1e7
SERVICE_S = 8 * PACKET_BYTES / RATE_BPS
LEVEL = 0.9999
"""Of intervals: one test in 10 000 fails by chance, if batches are independent."""


def wired(
    traffic: dict[str, Any], duration_s: float, flow: dict[str, Any] | None = None, **bottleneck: Any
) -> Scenario:
    """One flow without delays of its own through a bottleneck of 10 Mb/s."""
    path = {"downlink_delay_ms": 0, "uplink_delay_ms": 0, **(flow or {}).get("path", {})}
    values: dict[str, Any] = {
        "users": 1,
        "duration_s": duration_s,
        "bottleneck": {"rate_bps": RATE_BPS, "delay_ms": 0, **bottleneck},
        "flows": [{"traffic": traffic, **(flow or {}), "path": path}],
    }
    return Scenario(**values)


def poisson(load: float) -> dict[str, Any]:
    """Packets that take a millisecond each, as a Poisson process."""
    return {
        "kind": "constant_rate",
        "rate_bps": load * RATE_BPS,
        "packet_bytes": PACKET_BYTES,
        "spacing": "exponential",
    }


def delays_s(result: Result) -> NDArray[np.float64]:
    """Of each burst that arrived, in the order of sending."""
    bursts = result.series("bursts")
    return (bursts["ended_s"] - bursts["time_s"])[~np.isnan(bursts["ended_s"])]


def flow_of(result: Result) -> dict[str, Any]:
    """The row of flow 0."""
    return {name: column[0] for name, column in result.flows.items()}


@pytest.mark.parametrize("load", [0.3, 0.6, 0.85])
def test_poisson_packets_of_one_size_wait_as_in_an_m_d_1_queue(load: float) -> None:
    result = airlink.run(wired(poisson(load), 400), record=["bursts"], seed=3)
    waits_s = delays_s(result) - SERVICE_S
    expected_s = load * SERVICE_S / (2 * (1 - load))
    found = batch_means(waits_s, batches=40, level=LEVEL)
    assert found.estimate.low <= expected_s <= found.estimate.high
    # The interval is narrow enough to tell this from an M/M/1 queue, which waits twice as long.
    assert found.estimate.high < 1.5 * expected_s
    assert flow_of(result)["datagram_delay_mean_s"] == pytest.approx(waits_s.mean() + SERVICE_S, rel=1e-9)


def m_d_1_k_loss(load: float, room: int) -> float:
    """Share of packets lost of M/D/1/K, from the chain embedded where services end; K with the one in service.

    With p_j left behind, of K - 1 at most, the share of time that the server works is 1 - p_0' = load (1 - loss), and
    loss = 1 - 1 / (p_0 + load) (Gross & Harris, ch. 5).
    """
    arrivals = [math.exp(-load) * load**k / math.factorial(k) for k in range(room + 1)]
    chain = np.zeros((room, room))
    for left in range(room):
        begins = max(left, 1)
        for more in range(room - begins):
            chain[left, begins - 1 + more] += arrivals[more]
        chain[left, room - 1] += 1 - chain[left].sum()
    system = np.vstack([chain.T - np.eye(room), np.ones(room)])
    shares = np.linalg.lstsq(system, np.append(np.zeros(room), 1.0), rcond=None)[0]
    return float(1 - 1 / (shares[0] + load))


@pytest.mark.parametrize(("load", "room"), [(0.8, 3), (1.2, 5)])
def test_a_finite_queue_loses_as_m_d_1_k_says(load: float, room: int) -> None:
    result = airlink.run(wired(poisson(load), 300, limit_packets=room), record=["packets"], seed=5)
    lost = (result.series("packets")["fate"] != 0).astype(float)[:-100]
    found = batch_means(lost, batches=40, level=LEVEL)
    assert found.estimate.low <= m_d_1_k_loss(load, room) <= found.estimate.high
    row = flow_of(result)
    assert row["datagram_loss_rate"] == row["datagrams_lost"] / (row["datagrams_lost"] + row["datagrams_received"])
    assert row["datagrams_lost"] == result.users["drops_queue_full"][0] > 0


def test_what_m_d_1_k_loses_in_the_simplest_case() -> None:
    """Without room to wait it is Erlang's formula; with much room and little load it is nothing."""
    assert m_d_1_k_loss(0.5, 1) == pytest.approx(0.5 / 1.5)
    assert m_d_1_k_loss(0.3, 25) == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("load", [1.3, 2.7])
def test_an_even_overload_loses_to_the_packet_what_the_queue_cannot_take(load: float) -> None:
    room, duration_s = 7, 20.0
    traffic = {"kind": "constant_rate", "rate_bps": load * RATE_BPS, "packet_bytes": PACKET_BYTES}
    row = flow_of(airlink.run(wired(traffic, duration_s, {"stop_s": 19.0}, limit_packets=room)))
    gap_s = SERVICE_S / load
    sent = math.ceil(19.0 / gap_s)
    # The server never rests: of those that got in all but a full queue have been served when the last one comes.
    taken = math.floor((sent - 1) * gap_s / SERVICE_S) + room
    assert (row["datagrams_sent"], row["datagrams_received"], row["datagrams_lost"]) == (sent, taken, sent - taken)


@pytest.mark.parametrize("direction", ["down", "up"])
def test_a_frame_misses_its_deadline_by_a_nanosecond(direction: str) -> None:
    """Three packets on a wire of 12 Mb/s: 1500, 1500 and 120 bytes are there after 1, 2 and 2.08 ms and the delay."""
    path = {f"{direction}link_rate_bps": 12e6, f"{direction}link_delay_ms": 5}
    for deadline_ms, missed in ((7.08, 0), (7.079999, 10)):
        traffic = {
            "kind": "frames",
            "frames_per_s": 10,
            "size": {"kind": "constant", "bytes": 3000},
            "jitter_sd_ms": 0,
            "jitter_most_ms": 0,
            "deadline_ms": deadline_ms,
        }
        group = {"path": path, "direction": direction, "stop_s": 0.95}
        # A bottleneck without a delay that takes no nanosecond.
        result = airlink.run(wired(traffic, 1.0, group, rate_bps=1e15), record=["bursts"])
        row = flow_of(result)
        assert (row["bursts_sent"], row["deadline_misses"], row["bursts_on_time"]) == (10, missed, 10 - missed)
        assert delays_s(result) == pytest.approx(np.full(10, 0.00708), abs=1e-12)
        assert row["burst_delay_max_s"] == pytest.approx(0.00708, abs=1e-12)
        assert (result.series("bursts")["on_time"] == (missed == 0)).all()


def test_a_frame_that_loses_a_packet_misses_its_deadline_once() -> None:
    traffic = {"kind": "frames", "frames_per_s": 50, "size": {"kind": "constant", "bytes": 3000}, "deadline_ms": "inf"}
    lossy = {"path": {"downlink_impairments": {"loss": {"kind": "random", "p": 0.2}}}}
    result = airlink.run(wired(traffic, 20, lossy), record=["bursts", "packets"])
    packets, row = result.series("packets"), flow_of(result)
    whole = (packets["fate"].reshape(-1, 3) == 0).all(axis=1)
    assert row["deadline_misses"] == (~whole).sum() > 0
    assert row["bursts_on_time"] == whole.sum() > 0
    assert row["datagrams_lost"] == (packets["fate"] != 0).sum()
    assert (result.series("bursts")["on_time"] == whole).all()


@pytest.mark.parametrize("direction", ["down", "up"])
def test_copies_count_once_and_what_lost_all_of_them_is_lost(direction: str) -> None:
    traffic = {"kind": "constant_rate", "rate_bps": 1e6, "packet_bytes": 250, "deadline_ms": 50}
    impaired = {"loss": {"kind": "random", "p": 0.1}, "duplicate_probability": 0.3}
    group = {"direction": direction, "path": {f"{direction}link_impairments": impaired}}
    result = airlink.run(wired(traffic, 20, group), record=["packets"])
    row, fates = flow_of(result), result.series("packets")["fate"]
    assert row["datagrams_received"] == (fates == 0).sum()
    assert row["datagrams_lost"] == ((fates != 0) & (fates != 4)).sum() > 0
    assert row["datagrams_sent"] == row["datagrams_received"] + row["datagrams_lost"] + (fates == 4).sum()
    assert row["datagrams_doubled"] == row[f"{direction}link_doubled"] > 0


def test_up_and_down_are_alike_where_the_wires_are() -> None:
    """The same draws over the same wires, where the network takes no time."""
    rows = []
    for direction in ("down", "up"):
        path = {"downlink_delay_ms": 7, "uplink_delay_ms": 7, "downlink_rate_bps": 5e6, "uplink_rate_bps": 5e6}
        group = {"direction": direction, "path": path}
        rows.append(flow_of(airlink.run(wired(poisson(0.3), 20, group, rate_bps=1e15))))
    for name in ("datagrams_sent", "datagrams_received", "datagram_delay_mean_s", "datagram_delay_p95_s"):
        assert rows[0][name] == pytest.approx(rows[1][name], rel=1e-12)


def test_what_goes_up_leaves_the_network_alone() -> None:
    up = {"direction": "up", "traffic": {"kind": "constant_rate", "rate_bps": 5e6}}
    alone = airlink.run(airlink.scenario.ready("dumbbell"))
    beside = airlink.run(airlink.scenario.ready("dumbbell").with_(flows=[{}, up]))
    plain = airlink.run(airlink.scenario.ready("dumbbell").with_(flows=[{}]))
    assert alone.users["packets_delivered"][0] > 0
    assert beside.users["packets_delivered"][0] == plain.users["packets_delivered"][0]
    assert beside.flows["goodput_bps"][0] == plain.flows["goodput_bps"][0]


def test_voice_offers_its_mean_rate() -> None:
    """Of n cycles of talk and silence the share talked has the standard deviation a (1 - a) sqrt(2 / n)."""
    duration_s, talk_s, silence_s = 5000.0, 1.004, 1.587
    traffic = {"kind": "voice", "descriptor_bytes": 0}
    row = flow_of(airlink.run(wired(traffic, duration_s)))
    share, cycles = talk_s / (talk_s + silence_s), duration_s / (talk_s + silence_s)
    sd = share * (1 - share) * math.sqrt(2 / cycles)
    assert abs(row["datagrams_sent"] * 0.02 / duration_s - share) < 4.5 * sd
    assert row["goodput_bps"] == row["datagrams_received"] * 72 * 8 / duration_s
    assert row["deadline_misses"] == 0


def test_frames_have_the_sizes_of_their_law() -> None:
    result = airlink.run(wired({"kind": "frames"}, 100, rate_bps=1e9), record=["bursts"])
    bursts = result.series("bursts")
    sizes = np.sort(bursts["bytes"] - 40 * bursts["packets"])
    mean, sd, low, high = 62_500.0, 6562.5, 31_250.0, 93_750.0

    def up_to(size: float) -> float:
        return 0.5 * (1 + math.erf((size - mean) / sd / math.sqrt(2)))

    law = np.array([(up_to(size) - up_to(low)) / (up_to(high) - up_to(low)) for size in sizes])
    count = len(sizes)
    assert count > 5900
    # Kolmogorov and Smirnov: one in 10^6 is further away; sizes are rounded up to whole bytes, 1/6562 of a deviation.
    assert np.abs(law - (np.arange(count) + 0.5) / count).max() < 2.69 / math.sqrt(count) + 1e-4
    assert (bursts["packets"] == np.ceil((bursts["bytes"] - 40 * bursts["packets"]) / 1460)).all()


def test_in_a_cell_packets_over_udp_share_slots_with_tcp() -> None:
    voice = {"users": [0, 1], "traffic": {"kind": "voice"}}
    scenario = airlink.scenario.ready("first-cell", ["duration_s=12"]).with_(flows=[{}, voice])
    result = airlink.run(scenario)
    users, flows = result.users, result.flows
    over_udp = flows["datagrams_sent"] > 0
    assert over_udp.sum() == 2
    assert (users["datagrams_received"][:2] == flows["datagrams_received"][over_udp]).all()
    assert (users["datagrams_sent"][2:] == 0).all()
    assert np.isnan(users["deadline_miss_rate"][2:]).all()
    assert result.cell["datagrams_received"][0] == flows["datagrams_received"].sum()
    (talker,) = explain(result, flow=int(np.flatnonzero(over_udp)[0])).flows
    assert talker.sentences[0].startswith(f"Flow {talker.flow} (user 0) goes down over UDP, at its own pace: 0 of ")
    assert "2 more went over UDP" in " ".join(explain(result).sentences)


def test_measures_know_delays_and_misses() -> None:
    scenario = airlink.scenario.ready("dumbbell", ["duration_s=9"]).with_(
        users=2, flows=[{"traffic": {"kind": "frames", "deadline_ms": 90}}]
    )
    result = airlink.run(scenario)
    for text in ("users.max(deadline_miss_rate)", "users.p95(datagram_delay_p95_s)", "cell.datagram_loss_rate"):
        estimate = airlink.measures.estimate(measure(text), [airlink.measures.found(measure(text), result.replicas[0])])
        assert 0 < estimate.mean <= 1
    with pytest.raises(airlink.measures.MeasureError, match="some flow goes over UDP"):
        airlink.measures.check([measure("cell.datagram_loss_rate")], airlink.scenario.ready("dumbbell"))


@pytest.mark.parametrize(
    ("flow", "field"),
    [
        ({"direction": "up", "traffic": {"kind": "sessions"}}, "direction"),
        ({"traffic": {"kind": "constant_rate", "rate_bps": 1e10, "packet_bytes": 100}}, "traffic.packet_bytes"),
        (
            {"traffic": {"kind": "frames", "size": {"kind": "constant", "bytes": 10**9}}},
            "traffic.size",
        ),
    ],
)
def test_mistakes_are_told_by_their_field(flow: dict[str, Any], field: str) -> None:
    with pytest.raises(ScenarioError, match=f"flows.0.{field}"):
        airlink.scenario.ready("dumbbell").with_(flows=[flow])


def test_tshark_reads_udp_either_way(tmp_path: Path) -> None:
    tshark.required()
    lossy = {"loss": {"kind": "random", "p": 0.05}, "duplicate_probability": 0.05}
    frames = {"kind": "frames", "size": {"kind": "constant", "bytes": 3000}}
    flows = [
        {"traffic": frames, "path": {"downlink_impairments": lossy}},
        {"traffic": {"kind": "voice"}, "direction": "up", "path": {"uplink_impairments": lossy}},
        {},
    ]
    scenario = airlink.scenario.ready("dumbbell", ["duration_s=6"]).with_(flows=flows)
    result = airlink.run(scenario, record=["packets", "pcap"], captures=tmp_path)
    seen = {point: tmp_path / f"{point}-1.pcapng" for point in ("server", "queue", "user", "drops")}
    assert all(tshark.read(path).broken == [] for path in seen.values())

    def udp(point: str, *more: str) -> list[str]:
        fields = ("-Y", " && ".join(["udp", *more]), "-T", "fields", "-e", "udp.length")
        return tshark.asked(seen[point], *fields).split()

    row = result.flows
    down, up = "ip.src == 10.0.0.1", "ip.dst == 10.0.0.1"
    assert len(udp("server", down)) == row["datagrams_sent"][0]
    assert len(udp("user", down)) == row["datagrams_received"][0] + row["datagrams_doubled"][0]
    assert len(udp("user", up)) == row["datagrams_sent"][1]
    assert len(udp("server", up)) == row["datagrams_received"][1] + row["datagrams_doubled"][1]
    assert set(udp("user", up)) == {"52", "27"}
    assert len(udp("drops", up)) >= row["datagrams_lost"][1] > 0
