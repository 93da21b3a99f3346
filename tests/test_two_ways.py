"""Flows with data both ways, in whole runs: captures of both directions, read by tshark and tcptrace, and columns.

Times against sums by hand are in `crates/sim/tests/engine/two_ways.rs`.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import airlink
from airlink import Result, Scenario
from airlink.campaign.edge_notes import waiting
from airlink.cli.tables import console
from airlink.cli.user_tables import print_result
from airlink.explain import explain
from airlink.scenario import ready
from readers import tcptrace, tshark
from readers.passing import FIRST_PORT

LOSSES = '{loss = {kind = "random", p = 0.03}, duplicate_probability = 0.02}'
REQUESTS = 'kind = "requests", request_bytes = 4000, size = {kind = "constant", bytes = 60_000}, think_s = 0.2'
PAGES = 'kind = "pages", connections = 3, think_s = 0.5, object_size = {kind = "constant", bytes = 9000}'
LINUX = 'profile = "linux", handshake = true'
CLASSIC = 'profile = "classic", handshake = false'
REPAIRED = {
    "This frame is a (suspected) out-of-order segment",
    "D-SACK Sequence",
    "Previous segment(s) not captured (common at capture start)",
    "ACKed segment that wasn't captured (common at capture start)",
}
"""What tshark warns of where losses are repaired, and where what was lost before it is missing."""


def scenario(traffic: str, path: str = "", tcp: str = LINUX) -> Scenario:
    """Two users of 10 Mb/s; 11 ms there and 10 ms back."""
    flows = (
        f"[{{traffic = {{{traffic}}}, path = {{downlink_delay_ms = 1, uplink_delay_ms = 10{path}}}, tcp = {{{tcp}}}}}]"
    )
    wire = "bottleneck={rate_bps = 1e7, delay_ms = 10, limit_packets = 1000}"
    return ready("dumbbell", ["duration_s=20", "users=2", wire, f"flows={flows}"])


def captured(folder: Path, traffic: str, path: str = "", tcp: str = LINUX) -> Result:
    tshark.required()
    return airlink.run(
        scenario(traffic, path, tcp), record=("packets", "pcap", "downloads"), captures=folder, snap=65535
    )


def both_ways(capture: tshark.Capture) -> dict[int, tuple[int, int]]:
    """The ends of both streams, down and up, by the user's port."""
    ends: dict[int, tuple[int, int]] = {}
    for frame in capture.frames:
        down, up = ends.get(frame.user_port, (0, 0))
        reached = frame.start + frame.length
        ends[frame.user_port] = (max(down, reached), up) if frame.down else (down, max(up, reached))
    return ends


@pytest.mark.parametrize("traffic", [REQUESTS, PAGES], ids=["requests", "pages"])
def test_tshark_reads_both_directions_without_a_complaint(traffic: str, tmp_path: Path) -> None:
    result = captured(tmp_path, traffic)
    for point in ("server", "user"):
        capture = tshark.read(tmp_path / f"{point}-1.pcapng")
        assert (capture.broken, capture.warnings) == ([], {})
        opened = {frame.user_port: frame for frame in reversed(capture.frames) if frame.syn}
        assert opened
        assert not any(frame.down for frame in opened.values()), "the user's SYN comes first"
        ends, flows = both_ways(capture), result.flows
        for flow in np.flatnonzero(flows["goodput_up_bytes"]):
            down, up = ends[FIRST_PORT + int(flow)]
            # What is on its way as the run ends is seen where it set out alone.
            assert 0 <= down - flows["goodput_bytes"][flow] <= 60_000
            assert 0 <= up - flows["goodput_up_bytes"][flow] <= 4000


def test_a_segment_with_data_acknowledges_and_an_ack_needs_no_segment_of_its_own(tmp_path: Path) -> None:
    captured(tmp_path, REQUESTS)
    frames = tshark.read(tmp_path / "server-1.pcapng").frames
    first = [frame for frame in frames if frame.user_port == frames[0].user_port]
    reached = 0
    for frame in first:
        if frame.down and frame.length > 0:
            assert frame.number >= reached, "an answer acknowledges the request that came before it"
        elif not frame.down:
            reached = max(reached, frame.start + frame.length)
    assert reached > 4000


@pytest.mark.parametrize("traffic", [REQUESTS, PAGES], ids=["requests", "pages"])
def test_tcptrace_counts_both_ways_what_the_columns_hold(traffic: str, tmp_path: Path) -> None:
    tcptrace.required()
    losses = f", downlink_impairments = {LOSSES}, uplink_impairments = {LOSSES}"
    # Without a handshake every retransmission is of data.
    result = captured(tmp_path, traffic, losses, 'profile = "linux", handshake = false')
    flows = result.flows
    assert np.sum(flows["retransmissions_up"]) > 0
    for point, side, column in (("server", "down", "retransmissions"), ("user", "up", "retransmissions_up")):
        capture = tshark.read(tmp_path / f"{point}-1.pcapng")
        assert (capture.broken, set(capture.warnings) - REPAIRED) == ([], set())
        counted = tcptrace.counts(tmp_path / f"{point}-1.pcapng")
        repeated = sum(getattr(each, side)("rexmt data pkts") for each in counted)
        assert repeated == np.sum(flows[column])


def test_captures_of_a_connection_without_a_handshake_show_one_that_the_user_opens(tmp_path: Path) -> None:
    captured(tmp_path, REQUESTS, tcp=CLASSIC)
    frames = tshark.read(tmp_path / "server-1.pcapng").frames
    own = [frame for frame in frames if frame.user_port == frames[0].user_port]
    assert [(frame.syn, frame.down) for frame in own[:4]] == [
        (True, False),
        (True, True),
        (False, False),
        (False, False),
    ]


def test_pages_have_a_flow_for_each_connection_and_rows_for_the_first_of_them() -> None:
    result = airlink.run(scenario(PAGES), record=("downloads",))
    assert list(result.flows["user"]) == [0, 0, 0, 1, 1, 1]
    rows = result.series("downloads")
    assert set(rows["flow"]) == {0, 3}
    assert list(result.flows["downloads"] > 0) == [True, False, False] * 2
    assert np.all(result.users["download_slowdown_p50"] >= 1.0)


def test_fins_of_both_ends_follow_a_file_and_tshark_takes_them(tmp_path: Path) -> None:
    captured(tmp_path, 'kind = "file", bytes = 100_000', tcp=f"{LINUX}, close = true")
    for point in ("server", "user"):
        capture = tshark.read(tmp_path / f"{point}-1.pcapng")
        assert (capture.broken, capture.warnings) == ([], {})
        fins = tshark.asked(tmp_path / f"{point}-1.pcapng", "-Y", "tcp.flags.fin==1", "-T", "fields", "-e", "ip.src")
        # Each end once, for each of the two users.
        assert sorted(source == tshark.SERVER for source in fins.split()) == [False, False, True, True]
    assert tcptrace.warnings(tmp_path / "server-1.pcapng") == []


def test_explain_tells_what_held_requests_and_answers_back() -> None:
    result = airlink.run(scenario(REQUESTS), record=("limits", "downloads"))
    flows = result.flows
    causes = [name for name in flows if name.startswith("time_")]
    assert np.allclose(sum(flows[name] for name in causes), flows["active_s"])
    # It thinks for most of the time, and each answer takes round trips on wires.
    assert np.all(flows["time_application_s"] > 0.3 * flows["active_s"])
    assert np.all(flows["time_wire_s"] + flows["time_congestion_window_s"] > 0.2 * flows["active_s"])


def test_what_a_user_sends_is_told_by_run_and_explain(capsys: pytest.CaptureFixture[str]) -> None:
    """A file of 400 kB in 10 s; nothing but ACKs goes down."""
    path = "path = {uplink_rate_bps = 1e6}"
    traffic = '{traffic = {kind = "file", bytes = 400_000}, direction = "up", tcp = {ack_bytes = 52}, ' + path + "}"
    uploads = ready("dumbbell", ["duration_s=10", "users=1", "bottleneck={rate_bps = 1e7}", f"flows=[{traffic}]"])
    result = airlink.run(uploads, record=("limits", "downloads"))
    (told,) = explain(result).flows
    assert told.rate_bps == pytest.approx(8 * 400_000 / float(result.flows["completion_s"][0]))
    assert "had reached the user" not in " ".join(told.sentences)
    assert waiting(result.replicas[0]) == (0, 0)
    print_result(result, console())
    lines = capsys.readouterr().out.splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith(" user "))
    assert lines[at - 1].split()[:2] == ["sent", "up"]
    # User, and 3.2 Mb in 10 s: what goes down, nothing but ACKs, has no column of zeros.
    assert lines[at + 2].split()[:2] == ["0", "320"]


def test_the_last_segment_of_each_request_and_answer_has_psh_and_no_other(tmp_path: Path) -> None:
    captured(tmp_path, REQUESTS)
    fields = [word for field in ("ip.src", "tcp.flags.push", "tcp.seq", "tcp.len") for word in ("-e", field)]
    for point in ("server", "user"):
        lines = tshark.asked(tmp_path / f"{point}-1.pcapng", "-T", "fields", *fields).splitlines()
        assert len(lines) > 100
        for source, push, number, length in (line.split("\t") for line in lines):
            end = int(number) - 1 + int(length)
            is_last = int(length) > 0 and end % (60_000 if source == tshark.SERVER else 4000) == 0
            assert (push in {"1", "True"}) == is_last
