"""Captures read by tshark and tcptrace: no complaint, and their counts are those of airlink's own series.

Where a program means something else by a word, airlink's series are counted by its definition (tests/readers); what it
means is in docs/captures.md.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import airlink
from airlink import Result, Table
from airlink.plots.flow import flow_view
from readers import passing, tcptrace, tshark
from readers.definitions import MICROSECOND, by_tcptrace, by_tshark
from readers.flows import FLOWS
from readers.passing import FIRST_PORT, Passing
from readers.tshark import Capture, Frame

TCPTRACE_COUNTS = (
    "actual data pkts",
    "actual data bytes",
    "rexmt data pkts",
    "rexmt data bytes",
    "outoforder pkts",
    "RTT samples",
    "duplicate acks",
    "triple dupacks",
)
MET = ("timeouts", "spurious_timeouts", "fast_retransmits", "duplicate_acks", "sack_retransmissions", "uplink_doubled")
KINDS = ("packets", "acks", "sacks", "queue", "pcap")
POINTS = ("server", "queue", "user", "drops")
GAPS = {
    "Previous segment(s) not captured (common at capture start)",
    "ACKed segment that wasn't captured (common at capture start)",
}
ORDER = {"This frame is a (suspected) out-of-order segment"}
FULL = {"TCP window specified by the receiver is now completely full"}
DSACK = {"D-SACK Sequence"}
EXPECTED = {
    "server": ORDER | FULL | DSACK,
    "queue": ORDER | GAPS,
    "user": ORDER | GAPS | FULL | DSACK,
    "drops": ORDER | GAPS,
}
"""What tshark warns of where it is so: what was lost or overtaken before a point is missing or late there."""


@dataclass(frozen=True)
class Run:
    """A run with its captures."""

    result: Result
    folder: Path

    def path(self, point: str) -> Path:
        return self.folder / f"{point}-1.pcapng"

    @cached_property
    def seen(self) -> dict[str, Capture]:
        """What tshark sees at each point."""
        return {point: tshark.read(self.path(point)) for point in POINTS}

    def passing(self, point: str) -> list[Frame]:
        """Data and ACKs of flow 0, without its handshake."""
        own = [frame for frame in self.seen[point].frames if frame.user_port == FIRST_PORT and not frame.syn]
        return [frame for frame in own if frame.length > 0 or not frame.down]

    def frames(self, point: str, down: bool) -> list[Frame]:
        """Those of one way."""
        return [frame for frame in self.passing(point) if frame.down == down]

    def woven(self) -> list[Passing]:
        """What passes at the server, by airlink's series; both ways in the order of the capture."""
        ways = [frame.down for frame in self.passing("server")]
        return passing.woven(ways, passing.sent(self.result), passing.acknowledged(self.result))


@pytest.fixture(scope="module", params=FLOWS)
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Run:
    tshark.required()
    folder = tmp_path_factory.mktemp(request.param)
    result = airlink.run(FLOWS[request.param], record=KINDS, captures=folder, snap=65535)
    return Run(result, folder)


def test_the_ten_flows_meet_what_makes_counting_hard() -> None:
    met: Counter[str] = Counter()
    for scenario in FLOWS.values():
        flows = airlink.run(scenario).flows
        met.update({name: int(flows[name][0]) for name in MET if name in flows})
    assert len(FLOWS) == 10
    assert all(met[name] > 0 for name in MET), met


@pytest.mark.parametrize("point", [*POINTS[:1], *(pytest.param(one, marks=pytest.mark.thorough) for one in POINTS[1:])])
def test_tshark_finds_nothing_broken_and_warns_only_of_what_is_so(run: Run, point: str) -> None:
    capture = run.seen[point]
    assert capture.frames
    assert capture.broken == []
    assert set(capture.warnings) <= EXPECTED[point]


def test_tcptrace_finds_nothing_odd_but_what_came_twice(run: Run) -> None:
    for point in POINTS:
        doubled = run.result.flows["uplink_doubled"][0] if "uplink_doubled" in run.result.flows else 0
        told = tcptrace.warnings(run.path(point))
        assert all("hardware duplicate" in line for line in told)
        assert bool(told) == (doubled > 0 and point == "server")


def test_what_passes_at_the_server_is_what_the_series_hold_to_the_nanosecond(run: Run) -> None:
    data = [(frame.time_ns, frame.start, frame.length) for frame in run.frames("server", down=True)]
    assert data == [(packet.time_ns, packet.start, packet.length) for packet in passing.sent(run.result)]
    acks = [(frame.time_ns, frame.number, frame.window * frame.scale) for frame in run.frames("server", down=False)]
    assert acks == [(ack.time_ns, ack.number, ack.window_bytes) for ack in passing.acknowledged(run.result)]
    blocks = [(frame.time_ns, *block) for frame in run.frames("server", down=False) for block in frame.sack]
    assert blocks == passing.blocks(run.result)


def test_what_arrives_at_the_user_is_what_the_series_hold_to_the_nanosecond(run: Run) -> None:
    data = [(frame.time_ns, frame.start, frame.length) for frame in run.frames("user", down=True)]
    assert data == [(packet.time_ns, packet.start, packet.length) for packet in passing.arrived(run.result)]


def test_what_is_lost_is_what_the_series_hold_to_the_nanosecond(run: Run) -> None:
    frames = run.frames("drops", down=True)
    lost = [(frame.time_ns, int(frame.words["packet"]), frame.words["dropped"]) for frame in frames]
    assert sorted(lost) == sorted(passing.lost(run.result))


def test_the_queue_of_a_comment_is_that_of_the_series(run: Run) -> None:
    queued_ns, lengths = passing.queued(run.result), passing.queue_lengths(run.result)
    entered = [frame for frame in run.frames("queue", down=True) if "dropped" not in frame.words]
    assert entered
    for frame in entered:
        assert frame.time_ns == queued_ns[int(frame.words["packet"])]
        assert (frame.time_ns, int(frame.words["queue_packets"]), int(frame.words["queue_bytes"])) in lengths


def test_slot_attempts_and_wait_of_a_comment_are_those_of_the_series(run: Run) -> None:
    frames = run.frames("user", down=True)
    if run.result.scenario.slot is None:
        assert all("slot" not in frame.words for frame in frames)
        return
    carried = passing.carried(run.result)
    for frame in frames:
        slot, attempts, wait_ns = carried[int(frame.words["packet"])]
        told = (int(frame.words["slot"]), int(frame.words["attempts"]), frame.words["queue_ms"])
        assert told == (slot, attempts, f"{wait_ns // MICROSECOND / 1000:.3f}")


def test_tcptrace_counts_what_airlink_counts(run: Run) -> None:
    (theirs,) = (counts for counts in tcptrace.counts(run.path("server")) if counts.user_port == FIRST_PORT)
    ours = by_tcptrace(run.woven()).counts
    # The SYN is a segment that was acknowledged as well.
    ours["RTT samples"] += 1
    assert {name: theirs.down(name) for name in TCPTRACE_COUNTS} == {name: ours[name] for name in TCPTRACE_COUNTS}
    flows = run.result.flows
    assert theirs.down("rexmt data pkts") == flows["retransmissions"][0]
    assert theirs.down("duplicate acks") == flows["duplicate_acks"][0]
    assert theirs.up("sack pkts sent") == sum(bool(frame.sack) for frame in run.frames("server", down=False))


def test_tcptrace_counts_at_the_user_what_came_out_of_order(run: Run) -> None:
    (theirs,) = (counts for counts in tcptrace.counts(run.path("user")) if counts.user_port == FIRST_PORT)
    ours = by_tcptrace(passing.arrived(run.result)).counts
    for name in ("actual data pkts", "actual data bytes", "rexmt data pkts", "outoforder pkts"):
        assert theirs.down(name) == ours[name]


def test_tshark_says_of_each_packet_what_its_definitions_say_of_the_series(run: Run) -> None:
    answer = next(
        frame for frame in run.seen["server"].frames if frame.syn and not frame.down and frame.user_port == FIRST_PORT
    )
    frames = run.passing("server")
    ours = by_tshark(run.woven(), initial_rtt_ns(frames), answer.window)
    assert [(frame.repeated, frame.duplicate, frame.rtt_ns) for frame in frames] == [
        (said.repeated, said.duplicate, said.rtt_ns) for said in ours
    ]
    repeated = Counter(frame.repeated for frame in frames if frame.repeated)
    assert repeated.total() == run.result.flows["retransmissions"][0]


def test_tshark_says_of_what_arrives_what_its_definitions_say_of_the_series(run: Run) -> None:
    frames = run.passing("user")
    # No series holds ACKs as they are sent; those are the capture's own.
    acks = [
        Passing(frame.time_ns, False, 0, 0, frame.number, frame.window * frame.scale)
        for frame in frames
        if not frame.down
    ]
    woven = passing.woven([frame.down for frame in frames], passing.arrived(run.result), acks)
    ours = by_tshark(woven, initial_rtt_ns(frames), first_window=-1)
    assert [frame.repeated for frame in frames] == [said.repeated for said in ours]


def initial_rtt_ns(frames: list[Frame]) -> int:
    """What tshark takes for the handshake's round trip: from its second packet to its third; 0 when it gives none."""
    return next((frame.initial_rtt_ns for frame in frames if frame.initial_rtt_ns is not None), 0)


def test_the_marks_of_tcptrace_are_those_of_the_view(run: Run, tmp_path: Path) -> None:
    view = flow_view(run.result, flow=0)
    ours = [
        *marks(view.segments, view.segments["retransmission"] == 1, "sent_s", "end", "R"),
        *marks(view.acks, view.acks["third"] == 1, "time_s", "number", "3"),
    ]
    theirs = [mark for mark in tcptrace.marks(run.path("server"), FIRST_PORT, tmp_path) if mark[2] in "R3"]
    # Stream byte 0 has sequence number 1.
    assert sorted(ours) == sorted((at, number - 1, letter) for at, number, letter in theirs)


def test_what_tcptrace_marks_at_the_user_as_out_of_order_is_so_in_the_view(run: Run, tmp_path: Path) -> None:
    segments = flow_view(run.result, flow=0).segments
    ours = marks(segments, segments["out_of_order"] == 1, "ended_s", "end", "O")
    theirs = [mark for mark in tcptrace.marks(run.path("user"), FIRST_PORT, tmp_path) if mark[2] == "O"]
    assert {(at, number - 1, letter) for at, number, letter in theirs} <= set(ours)
    # The view marks what comes a second time as well, which tcptrace marks as repeated.
    first = Counter((packet.start + packet.length) for packet in passing.arrived(run.result))
    assert sorted(mark for mark in ours if first[mark[1]] == 1) == sorted(
        (at, number - 1, letter) for at, number, letter in theirs if first[number - 1] == 1
    )


def marks(table: Table, chosen: NDArray[np.bool_], when: str, where: str, letter: str) -> list[tuple[int, int, str]]:
    return [
        (passing.nanoseconds(at) // MICROSECOND, int(place), letter)
        for at, place in zip(table[when][chosen], table[where][chosen], strict=True)
    ]
