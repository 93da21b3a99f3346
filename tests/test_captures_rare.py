"""What a capture seldom meets: closed windows, lost handshakes, doubled data, packets of extreme sizes, no TCP."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import airlink
from airlink import Result, Scenario
from airlink.scenario import ready
from readers import passing, tcptrace, tshark

pytestmark = pytest.mark.thorough

STALLS = '{kind = "stalling", rate_bps = 2e6, stall_after_s = 1, stall_for_s = 4}'
CELL = """
duration_s = 2
users = 300
slot.duration_ms = 1
channel.placement = {kind = "mean_snr", mean_snr_db = 12}
link.rate = {kind = "capacity", bandwidth_hz = 20e6}
scheduler.kind = "round_robin"
[[flows]]
traffic = {kind = "backlogged", packet_bytes = 9000}
[[flows]]
users = [299, 7]
traffic = {kind = "file", bytes = 20_001}
[[flows]]
users = [7]
tcp = {profile = "linux"}
"""


def _wire(tcp: str, *overrides: str) -> Scenario:
    return ready("dumbbell", ["duration_s=8", f"flows.0.tcp={{{tcp}}}", *overrides])


RARE = {
    "a closed window": _wire(f'profile = "linux", receiver_window_bytes = 50_000, reader = {STALLS}'),
    "the first SYN lost": _wire('profile = "rfc"', "flows.0.path.downlink_impairments.drop_numbers=[0]"),
    "its answer lost": _wire('profile = "linux"', "flows.0.path.uplink_impairments.drop_numbers=[0]"),
    "the largest window": _wire("receiver_window_bytes = 1_073_741_824"),
    "the largest segments": _wire("mss_bytes = 65495, header_bytes = 0, receiver_window_bytes = 400_000"),
    "the largest with timestamps": _wire("mss_bytes = 65483, timestamps = true, receiver_window_bytes = 400_000"),
    "the smallest segments": _wire("mss_bytes = 1, receiver_window_bytes = 4"),
    "many users, some without TCP": Scenario.from_toml(CELL),
}


def captured(scenario: Scenario, folder: Path) -> Result:
    return airlink.run(scenario, record=["packets", "acks", "pcap"], captures=folder, snap=65535)


def server(folder: Path) -> Path:
    return folder / "server-1.pcapng"


@pytest.mark.parametrize("name", RARE)
def test_what_is_rare_is_read_without_a_complaint(name: str, tmp_path: Path) -> None:
    result = captured(RARE[name], tmp_path)
    for point in ("server", "queue", "user", "drops"):
        path = tmp_path / f"{point}-1.pcapng"
        assert tshark.read(path).broken == []
        assert tcptrace.warnings(path) == []
    (counts,) = (found for found in tcptrace.counts(server(tmp_path)) if found.user_port == busiest_port(result))
    sent = passing.sent(result, counts.user_port - passing.FIRST_PORT)
    assert counts.down("actual data pkts") == len(sent)
    assert counts.down("actual data bytes") == sum(packet.length for packet in sent)


def busiest_port(result: Result) -> int:
    """The user's port of the last flow with TCP that sent most."""
    return passing.FIRST_PORT + int(np.argmax(result.flows["segments_sent"]))


def test_a_closed_window_is_told_by_both(tmp_path: Path) -> None:
    result = captured(RARE["a closed window"], tmp_path)
    closed = int(np.sum(result.series("acks")["window_bytes"] == 0))
    assert closed > 0
    (counts,) = tcptrace.counts(server(tmp_path))
    assert counts.up("zero win adv") == closed
    assert tshark.read(server(tmp_path)).warnings["TCP Zero Window segment"] == closed


def test_data_that_a_wire_doubles_are_seen_twice_at_the_user(tmp_path: Path) -> None:
    doubled = [100, 200, 201]
    result = captured(_wire('profile = "linux"', f"bottleneck.impairments.duplicate_numbers={doubled}"), tmp_path)
    (told,) = tcptrace.warnings(tmp_path / "user-1.pcapng")
    assert "detected 3 hardware duplicate(s)" in told
    frames = [frame for frame in tshark.read(tmp_path / "user-1.pcapng").frames if frame.down and frame.length > 0]
    assert len(frames) == len(passing.arrived(result)) + len(doubled)


def test_packets_without_tcp_are_udp(tmp_path: Path) -> None:
    result = captured(RARE["many users, some without TCP"], tmp_path)
    told = tshark.asked(tmp_path / "user-1.pcapng", "-Y", "udp", "-T", "fields", "-e", "ip.dst", "-e", "frame.len")
    rows = [line.split() for line in told.splitlines()]
    assert {size for _, size in rows} == {"9000"}
    # User 255 is at 10.128.1.0.
    delivered = result.users["packets_delivered"][255]
    assert sum(address == "10.128.1.0" for address, _ in rows) == delivered > 0


def test_the_same_seed_gives_the_same_captures(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        captured(RARE["its answer lost"], tmp_path / folder)
    for path in (tmp_path / "a").iterdir():
        assert path.read_bytes() == (tmp_path / "b" / path.name).read_bytes()


def test_a_wrong_byte_and_a_block_cut_in_two_are_seen(tmp_path: Path) -> None:
    captured(_wire("mss_bytes = 100", "duration_s=0.2"), tmp_path)
    path = server(tmp_path)
    whole = bytearray(path.read_bytes())
    assert tshark.read(path).broken == []
    whole[-300] ^= 1
    path.write_bytes(whole)
    assert tshark.read(path).broken != []
    path.write_bytes(whole[:-2])
    with pytest.raises(AssertionError):
        tshark.read(path)
