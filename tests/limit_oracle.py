"""Where the data of a flow is, told from the series of packets, slots, ACKs and windows: a second accounting.

The plainest form of the rule of docs/explain.md, to judge the engine's by. All times are whole nanoseconds.

Leaves out what it isn't asked about: wires that hold or delay at times, pacing, delayed ACKs before a slow uplink,
changing rates and other users where the link repeats late.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby, pairwise

import numpy as np

from airlink.result import Result, Table
from airlink.result.selection import group_of
from airlink.scenario.sections import Backlogged, File, Flow, Sessions, Stream

Piece = tuple[int, int, str]
"""From, to (ns) and cause."""

SERIES = ("slots", "packets", "acks", "cwnd", "downloads")
RADIO = ("scheduler", "air", "arq")


def accounted(result: Result, flow: int, replica: int = 0) -> list[Piece]:
    """The causes of one flow from its start to its end: no gaps, equal neighbours merged."""
    return merged(charged(list(LimitOracle(result, flow, replica).pieces())))


def seconds(pieces: Iterable[Piece]) -> dict[str, float]:
    """How long each cause held."""
    sums: dict[str, float] = defaultdict(float)
    for begin, end, cause in pieces:
        sums[cause] += (end - begin) / 1e9
    return dict(sums)


def merged(pieces: Iterable[Piece]) -> list[Piece]:
    """Pieces that touch and have one cause, as one."""
    joined: list[Piece] = []
    for begin, end, cause in pieces:
        if joined and joined[-1][2] == cause:
            joined[-1] = (joined[-1][0], end, cause)
        elif end > begin:
            joined.append((begin, end, cause))
    return joined


NETWORK, OWN_WIRE, NOWHERE, AWAY = 0, 1, 2, 3


@dataclass(frozen=True)
class Placed:
    """A piece of time, its cause, and where data of the flow was: the rank of the last place that serves it."""

    begin: int
    end: int
    cause: str
    rank: int


def charged(row: list[Placed]) -> Iterator[Piece]:
    """What passed through quickly goes to what it waited for afterwards: wires first, then the network."""
    row = list(taken_over(row, lambda piece: piece.rank))
    # A wire that is still held is what follows a stay in the network as much as a wait is.
    row = list(taken_over(row, lambda piece: piece.rank if piece.rank in (NETWORK, AWAY) else NOWHERE))
    return ((piece.begin, piece.end, piece.cause) for piece in row)


def taken_over(row: list[Placed], rank: Callable[[Placed], int]) -> Iterator[Placed]:
    """Stays shorter than the wait right after them get its largest cause; a silence before a timeout takes none."""
    runs = [list(run) for _, run in groupby(row, key=rank)]
    for run, after in zip(runs, [*runs[1:], []], strict=True):
        waits = bool(after) and rank(after[0]) == NOWHERE and length(run) < length(after)
        taken = largest(after) if waits else "rto"
        yield from run if taken == "rto" else (replace(piece, cause=taken) for piece in run)


def length(run: list[Placed]) -> int:
    return run[-1].end - run[0].begin


def largest(run: list[Placed]) -> str:
    sums = seconds((piece.begin, piece.end, piece.cause) for piece in run)
    return max(sums, key=lambda cause: sums[cause])


class LimitOracle:
    """One flow of one replica."""

    def __init__(self, result: Result, flow: int, replica: int) -> None:
        self.flow = flow
        self.scenario = result.scenario
        summary = result.replicas[replica].flows
        self.user = int(summary["user"][flow])
        self.kind = group_of(self.scenario, result.replicas[replica], flow)
        self.start = nanoseconds(summary["start_s"][flow])
        completion = float(summary["completion_s"][flow])
        whole = nanoseconds(self.scenario.duration_s)
        self.end = whole if math.isnan(completion) else self.start + nanoseconds(completion)
        packets = result.series("packets", replica)
        self.all_packets = packets
        self.packets = packets.where(packets["flow"] == flow)
        self.slots = Table({}) if self.scenario.bottleneck else result.series("slots", replica)
        self.acks = of_flow(result.series("acks", replica), flow)
        self.windows = of_flow(result.series("cwnd", replica), flow)
        self.downloads = of_flow(result.series("downloads", replica), flow)

    def pieces(self) -> Iterator[Placed]:
        """The flow's time, cut wherever anything changes."""
        keeps = self.keeps()
        slow = [(begin, end, "wire") for begin, end in union(self.on_slow_wires())]
        at = [self.at_network(), slow, self.silences() + keeps]
        cuts = {self.start, self.end}.union(*map(edges, at))
        points = sorted(cut for cut in cuts if self.start <= cut <= self.end)
        found, kept = [looked_up(pieces) for pieces in at], looked_up(keeps)
        for begin, end in pairwise(points):
            causes = [look(begin) for look in found]
            rank = next((rank for rank, cause in enumerate(causes) if cause), NOWHERE)
            if rank != NETWORK and isinstance(self.kind.traffic, Sessions) and kept(begin) == "application":
                # The user thinks: what it has read was not there any sooner for it.
                yield Placed(begin, end, "application", AWAY)
                continue
            # Of an application that has given all it has, even what is on its way tells nothing of the network.
            gives_no_more = kept(begin) == "application" and rank != NOWHERE
            yield Placed(begin, end, "application" if gives_no_more else causes[rank] or "wire", rank)

    def at_network(self) -> list[Piece]:
        """Stays at the base station, slot by slot, or at the bottleneck."""
        if self.scenario.bottleneck:
            return [(begin, end, "wire") for begin, end in self.at_bottleneck()]
        return list(self.at_station())

    def at_bottleneck(self) -> list[tuple[int, int]]:
        """The shared queue, in service included: sent at max(entry, the one before) + its time on the wire."""
        assert self.scenario.bottleneck is not None
        entered = self.all_packets.where(~np.isnan(self.all_packets["queued_s"]))
        order = np.argsort(entered["queued_s"], kind="stable")
        free, stays = 0, []
        for row in order:
            begin = nanoseconds(entered["queued_s"][row])
            free = max(begin, free) + round(8e9 * int(entered["bytes"][row]) / self.scenario.bottleneck.rate_bps)
            if entered["flow"][row] == self.flow:
                stays.append((begin, free))
        return union(stays)

    def at_station(self) -> Iterator[Piece]:
        """The queue and the RLC of the base station, cut into slots."""
        numbers = self.slots["time_s"]
        begins = [nanoseconds(time) for time in numbers]
        ends = [*begins[1:], self.end]
        won = (self.slots["user"] == self.user) & (self.slots["sent_bytes"] > 0)
        causes = self.on_air(won, self.slots["error"] == 1)
        for begin, end in self.station_stays():
            first = max(int(np.searchsorted(begins, begin, side="right")) - 1, 0)
            for slot in range(first, len(begins)):
                if begins[slot] >= end:
                    break
                # What came within a slot waits for the next one, whoever is on air.
                yield max(begin, begins[slot]), min(end, ends[slot]), causes[slot]
            if end > ends[-1]:
                yield max(begin, ends[-1]), end, "scheduler"

    def station_stays(self) -> list[tuple[int, int]]:
        stays = [
            (nanoseconds(queued), self.end if math.isnan(ended) else nanoseconds(ended))
            for queued, ended in zip(self.packets["queued_s"], self.packets["ended_s"], strict=True)
            if not math.isnan(queued)
        ]
        return union(stays)

    def on_air(self, won: np.ndarray, lost: np.ndarray) -> list[str]:
        """Cause of each slot: a lost block and the one that repeats it are ARQ's where the link repeats."""
        assert self.scenario.link is not None
        arq = self.scenario.link.arq
        causes: list[str] = []
        due: list[int] = []
        for slot, (mine, failed) in enumerate(zip(won, lost, strict=True)):
            repeats = bool(due) and due[0] <= slot
            is_arqs = arq.max_retransmissions > 0 and (failed or repeats)
            if mine:
                causes.append("arq" if is_arqs else "air")
                due = due[int(repeats) :] + [slot + 1 + arq.feedback_delay_slots] * int(failed)
            else:
                # A slot that nobody has, though data is there: none of it can be sent yet.
                causes.append("arq" if due and self.slots["user"][slot] < 0 else "scheduler")
        return causes

    def on_slow_wires(self) -> Iterator[tuple[int, int]]:
        """The server's wire and the uplink, where they have a rate: waiting and sending, without the delay."""
        if isinstance(self.kind.traffic, Backlogged):
            return
        path, tcp = self.kind.path, self.kind.tcp
        sent = [nanoseconds(time) for time in self.packets["sent_s"]]
        if math.isfinite(path.downlink_rate_bps):
            yield from served(sent, self.packets["bytes"].tolist(), path.downlink_rate_bps)
        if math.isfinite(path.uplink_rate_bps):
            came = sorted(
                nanoseconds(time)
                for time, fate in zip(self.packets["ended_s"], self.packets["fate"], strict=True)
                if fate == 0
            )
            yield from served(came, [tcp.ack_bytes] * len(came), path.uplink_rate_bps)

    def keeps(self) -> list[Piece]:
        """What keeps the sender, whether or not data is on its way."""
        if isinstance(self.kind.traffic, Backlogged):
            return [(self.start, self.end, "scheduler")]
        sender = Sender(self.kind)
        states = [(self.start, sender.waits_for())]
        for time, happen in self.happenings(sender):
            happen()
            states.append((time, sender.waits_for()))
        ends = [time for time, _ in states[1:]] + [self.end]
        return [(begin, end, cause) for (begin, cause), end in zip(states, ends, strict=True)]

    def happenings(self, sender: Sender) -> list[tuple[int, Callable[[], None]]]:
        """ACKs, then windows, then sendings, in the order of time."""
        packets, acks, windows = self.packets, self.acks, self.windows
        header = self.kind.tcp.header_bytes
        rows: list[tuple[int, int, Callable[[], None]]] = []
        for row in range(acks.rows):
            number = int(acks["number"][row])
            window = int(acks["window_bytes"][row]) if "window_bytes" in acks else self.kind.tcp.receiver_window_bytes
            rows.append((nanoseconds(acks["time_s"][row]), 0, lambda n=number, w=window: sender.on_ack(n, w)))  # type: ignore[misc]
        for row in range(windows.rows):
            sizes = float(windows["cwnd_bytes"][row]), int(windows["flight_bytes"][row])
            rows.append((nanoseconds(windows["time_s"][row]), 1, lambda s=sizes: sender.on_window(*s)))  # type: ignore[misc]
        for row in range(packets.rows):
            begin = int(packets["sequence"][row])
            span = begin, begin + int(packets["bytes"][row]) - header
            rows.append((nanoseconds(packets["sent_s"][row]), 2, lambda s=span: sender.on_sent(*s)))  # type: ignore[misc]
        if isinstance(self.kind.traffic, Sessions):
            rows += self.pages(sender)
        rows.sort(key=lambda row: row[:2])
        return [(time, happen) for time, _, happen in rows]

    def pages(self, sender: Sender) -> Iterator[tuple[int, int, Callable[[], None]]]:
        """Pages that come to the server, before they are sent, and those that the user has."""
        ends = np.cumsum(self.downloads["bytes"]).tolist()
        for row, end in enumerate(ends):
            asked, done = self.downloads["requested_s"][row], self.downloads["completed_s"][row]
            yield nanoseconds(asked), 1, lambda end=end: sender.on_page(end)  # type: ignore[misc]
            if not math.isnan(done):
                yield nanoseconds(done), 0, sender.on_read

    def silences(self) -> list[Piece]:
        """From the last packet sent before a timeout to the timeout."""
        if isinstance(self.kind.traffic, Backlogged):
            return []
        sent = sorted(nanoseconds(time) for time in self.packets["sent_s"])
        struck = [nanoseconds(time) for time in self.windows.where(self.windows["event"] == 3)["time_s"]]
        return [(max(time for time in sent if time < timeout), timeout, "rto") for timeout in struck]


class Sender:
    """What a sender has, as far as packets and ACKs tell."""

    def __init__(self, flow: Flow) -> None:
        tcp = flow.tcp
        self.mss = tcp.mss_bytes
        self.acknowledged = 0
        self.sent = 0
        self.flight = 0
        self.is_open = not tcp.handshake
        self.receiver_window = tcp.receiver_window_bytes
        self.congestion_window = float(tcp.mss_bytes * tcp.initial_window_segments)
        self.streams = isinstance(flow.traffic, Stream)
        self.size = flow.traffic.bytes if isinstance(flow.traffic, File) else math.inf
        self.is_read = False

    def on_ack(self, number: int, window: int) -> None:
        self.acknowledged, self.receiver_window = max(self.acknowledged, number), window

    def on_window(self, size: float, flight: int) -> None:
        self.congestion_window, self.flight = size, flight

    def on_sent(self, begin: int, until: int) -> None:
        self.sent, self.flight = max(self.sent, until), self.flight + until - begin
        self.is_open = self.is_open or until > begin

    def on_page(self, end: int) -> None:
        self.size, self.is_read = end, False

    def on_read(self) -> None:
        self.is_read = True

    def waits_for(self) -> str:
        if self.is_read:
            return "application"
        if not self.is_open or self.sent >= self.size:
            return "wire"
        is_full = self.sent - self.acknowledged + self.mss > self.receiver_window
        has_room = self.flight + self.mss <= self.congestion_window
        if self.streams and has_room and not is_full:
            return "application"
        by_receiver = is_full and (has_room or self.receiver_window <= self.congestion_window)
        return "receiver_window" if by_receiver else "congestion_window"


def served(came: list[int], sizes: list[int], rate_bps: float) -> Iterator[tuple[int, int]]:
    free = 0
    for begin, size in zip(came, sizes, strict=True):
        free = max(begin, free) + round(8e9 * size / rate_bps)
        yield begin, free


def union(stays: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for begin, end in sorted(stays):
        if joined and begin <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((begin, end))
    return joined


def looked_up(pieces: list[Piece]) -> Callable[[int], str | None]:
    """The cause that holds at a time, asked for in the order of time; of several the one listed first."""
    waiting = sorted(enumerate(pieces), key=lambda item: item[1][0], reverse=True)
    open_: list[tuple[int, Piece]] = []

    def at(time: int) -> str | None:
        while waiting and waiting[-1][1][0] <= time:
            open_.append(waiting.pop())
        open_[:] = [item for item in open_ if item[1][1] > time]
        return min(open_, key=lambda item: item[0])[1][2] if open_ else None

    return at


def edges(pieces: Iterable[Piece]) -> Iterator[int]:
    for begin, end, _ in pieces:
        yield begin
        yield end


def of_flow(table: Table, flow: int) -> Table:
    return table.where(table["flow"] == flow)


def nanoseconds(time_s: float) -> int:
    return round(float(time_s) * 1e9)
