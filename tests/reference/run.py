"""The main loop: events in a heap by (time, class, flow), slots at their boundaries."""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import count
from typing import Any

import numpy as np

from airlink import Result, Scenario
from airlink.scenario.methods import Radio
from reference.clock import SECOND, ns, slot_length_ns, slot_start_ns
from reference.packet import DELIVERED, Packet
from reference.receiver import Receiver
from reference.schedulers import Users
from reference.sender import Sender
from reference.slots import SlotStation
from reference.station import Frame, Station
from reference.wire import Wire

ARRIVAL, ACK, TIMER = range(3)
RECORD = ("slots", "packets", "acks", "cwnd", "rtt", "snr", "queue", "gaps", "downloads")


@dataclass
class Slot:
    """What happened in one slot."""

    winner: int
    rate: float
    sent_bytes: int
    padded: bool


@dataclass
class Flow:
    """One flow: both ends, the wires, and what the application got."""

    number: int
    user: int
    start: int
    group: Any
    size: float
    pages: list[tuple[int, int]] = field(default_factory=list)
    downloads: list[tuple[int, int, int | None]] = field(default_factory=list)
    packets: list[Packet] = field(default_factory=list)
    received: list[tuple[int, int]] = field(default_factory=list)
    completed: int | None = None

    def __post_init__(self) -> None:
        path = self.group.path
        self.down = Wire(path.downlink_rate_bps, ns(path.downlink_delay_ms, 10**6))
        self.up = Wire(path.uplink_rate_bps, ns(path.uplink_delay_ms, 10**6))
        self.receiver = Receiver(self.group.tcp)
        self.stop = math.inf if self.group.stop_s == math.inf else ns(self.group.stop_s, SECOND)
        if self.group.traffic.kind == "poisson":
            self.stop = math.inf


def cell_of(scenario: Scenario) -> Radio:
    """The sections of the cell, which the reference needs."""
    radio = scenario.radio()
    assert radio is not None
    return radio


class Run:
    """One run of a scenario along the draws of the engine's run of it."""

    def __init__(self, scenario: Scenario, result: Result) -> None:
        self.scenario = scenario
        self.radio = cell_of(scenario)
        self.length = slot_length_ns(self.radio.slot.duration_ms)
        self.slot_count = int(Fraction(str(scenario.duration_s)) * SECOND / self.length)
        self.take_draws(result)
        self.users = Users(self.radio.scheduler, self.mean_db, float(self.length) / SECOND)
        of_kind = SlotStation if self.radio.link.arq.unit == "slot" else Station
        self.stations = [of_kind(scenario) for _ in range(scenario.users)]
        if self.radio.queue.scope == "cell":
            line: list[Packet] = []
            for station in self.stations:
                station.share(self.stations, line)
        self.events: list[tuple[int, int, int, int, Any]] = []
        self.order = count()
        self.slots: list[Slot] = []
        self.occupancy: list[tuple[int, int, int, int]] = []
        self.flows = self.make_flows(result)
        self.senders = [self.make_sender(flow) for flow in self.flows]

    def take_draws(self, result: Result) -> None:
        """What is random: the channel, the reported rates, the lost frames."""
        shape = (self.slot_count, self.scenario.users)
        snr = result.series("snr")
        self.true_db = np.asarray(snr["true_db"]).reshape(shape).tolist()
        self.rates = np.asarray(snr["reported_bps"]).reshape(shape).tolist()
        self.mean_db = np.asarray(result.users["mean_snr_db"]).tolist()
        self.errors = np.asarray(result.series("slots")["error"]).tolist()

    def make_flows(self, result: Result) -> list[Flow]:
        starts = [round(float(start) * SECOND) for start in result.flows["start_s"]]
        flows: list[Flow] = []
        for group in self.scenario.flows:
            if group.traffic.kind != "poisson":
                for user in range(self.scenario.users) if group.users == "all" else group.users:
                    size = group.traffic.bytes if group.traffic.kind == "file" else math.inf
                    flows.append(Flow(len(flows), user, starts[len(flows)], group, size))
        for number in range(len(flows), len(starts)):
            group = self.scenario.flows[int(result.flows["group"][number])]
            size = int(result.flows["file_bytes"][number])
            flows.append(Flow(number, int(result.flows["user"][number]), starts[number], group, size))
        for flow in flows:
            if flow.group.traffic.kind == "sessions":
                flow.size, flow.pages = 0, self.pages_of(flow, result)
        return flows

    def pages_of(self, flow: Flow, result: Result) -> list[tuple[int, int]]:
        """Size of each page and the time to think before it, 0 of the first: both are random."""
        pages = result.series("downloads").where(result.series("downloads")["flow"] == flow.number)
        requested, completed = pages["requested_s"][1:], pages["completed_s"][:-1]
        delay = ns(flow.group.path.uplink_delay_ms, 10**6)
        pauses = [
            round(float(request) * SECOND) - round(float(done) * SECOND) - delay
            for request, done in zip(requested, completed, strict=True)
        ]
        return list(zip(pages["bytes"].tolist(), [0, *pauses], strict=True))

    def make_sender(self, flow: Flow) -> Sender | None:
        traffic = flow.group.traffic
        if traffic.kind == "backlogged":
            return None

        def transmit(now: int, sequence: int, payload: int, again: bool) -> None:
            packet = self.new_packet(flow, now, sequence, payload, again)
            self.push(flow.down.arrival(now, packet.size), ARRIVAL, flow, packet)

        sender = Sender(flow.group.tcp, flow.size, flow.stop, transmit)
        self.push(flow.start, TIMER, flow, "page" if traffic.kind == "sessions" else "start")
        return sender

    def new_packet(self, flow: Flow, now: int, sequence: int, payload: int, again: bool) -> Packet:
        size = payload + (flow.group.tcp.header_bytes if flow.group.traffic.kind != "backlogged" else 0)
        packet = Packet(flow.number, flow.user, sequence, payload, size, len(flow.packets), again, now)
        flow.packets.append(packet)
        return packet

    def push(self, time: int, kind: int, flow: Flow, what: Any) -> None:
        heapq.heappush(self.events, (time, kind, flow.number, next(self.order), what))

    def run(self) -> Run:
        """All slots; events of the nanosecond at which the last one ends are handled."""
        frame = Frame([], 0, False)
        for slot in range(self.slot_count):
            now = slot_start_ns(slot, self.length)
            self.handle_until(now - 1)
            if slot:
                self.end_slot(slot - 1, frame, now)
            self.handle_until(now)
            self.top_up(now)
            frame = self.start_slot(slot)
        now = slot_start_ns(self.slot_count, self.length)
        self.handle_until(now - 1)
        self.end_slot(self.slot_count - 1, frame, now)
        self.handle_until(max(now, ns(self.scenario.duration_s, SECOND)))
        return self

    def handle_until(self, last: int) -> None:
        while self.events and self.events[0][0] <= last:
            now, kind, number, _, what = heapq.heappop(self.events)
            flow, sender = self.flows[number], self.senders[number]
            assert sender is not None
            if kind == ARRIVAL:
                self.enter(what, now)
            elif kind == ACK:
                sender.on_ack(now, what)
            elif what == "start":
                sender.send_allowed(now)
            elif what == "page":
                self.ask(flow, sender, now)
            elif what == "answer" and flow.receiver.answer_at == now:
                flow.receiver.answered()
                self.answer(flow, now)
            elif what == "expiry" and sender.timer.expiry == now:
                sender.on_timeout(now)
            self.arm(flow, sender)

    def arm(self, flow: Flow, sender: Sender) -> None:
        if sender.timer.expiry is not None:
            self.push(sender.timer.expiry, TIMER, flow, "expiry")

    def enter(self, packet: Packet, now: int) -> None:
        if self.stations[packet.user].enter(packet, now):
            self.note(packet.user, now)

    def note(self, user: int, now: int) -> None:
        inside = self.stations[user].inside
        self.occupancy.append((now, user, len(inside), sum(packet.size for packet in inside)))

    def start_slot(self, slot: int) -> Frame:
        """The scheduler decides and the frame is filled."""
        rates = self.rates[slot]
        serve_all = self.radio.scheduler.serve_empty_queues
        eligible = [serve_all or station.has_something(slot) for station in self.stations]
        if self.radio.queue.scope == "cell" and any(station.goes_on(slot) for station in self.stations):
            eligible = [station.goes_on(slot) for station in self.stations]
        bits = [8.0 * station.bytes_to_send() for station in self.stations]
        if any(isinstance(station, SlotStation) and station.held for station in self.stations):
            return self.repeat_slot(slot, bits)
        if self.radio.scheduler.kind == "fifo":
            winner = self.users.first_come(rates, eligible, [station.oldest_since() for station in self.stations])
        else:
            now = slot_start_ns(slot, self.length)
            waits_s = [max(0.0, now - station.oldest_since()) / SECOND for station in self.stations]
            winner = self.users.choose(slot, rates, eligible, bits, self.true_db[slot], waits_s)
        frame = Frame([], 0, False)
        if winner >= 0:
            frame = self.stations[winner].fill(slot, Fraction(rates[winner]) * self.length / SECOND)
        self.slots.append(Slot(winner, rates[winner] if winner >= 0 else 0.0, frame.sent, frame.padded))
        return frame

    def repeat_slot(self, slot: int, bits: list[float]) -> Frame:
        """The block that was lost is there again, whatever the scheduler thinks of it."""
        before = self.slots[-1]
        self.users.stand_by(slot, before.winner, bits)
        self.slots.append(before)
        return self.stations[before.winner].fill(slot, Fraction(0))

    def top_up(self, now: int) -> None:
        """Backlogged flows: more than the largest grant is always there."""
        rate = cell_of(self.scenario.resolved()).link.rate
        assert rate.kind != "trace"
        if rate.kind == "mcs":
            peak_bps = rate.top_bps()
        else:
            peak_bps = rate.rates_bps[-1] if rate.kind == "table" else rate.max_rate_bps
        largest = int(peak_bps * float(self.length) / SECOND / 8) + 1
        for flow in self.flows:
            traffic = flow.group.traffic
            if traffic.kind == "backlogged" and flow.start <= now < flow.stop:
                while self.short_of_data(flow, largest + traffic.packet_bytes):
                    packet = self.new_packet(
                        flow, now, len(flow.packets) * traffic.packet_bytes, traffic.packet_bytes, False
                    )
                    self.enter(packet, now)

    def short_of_data(self, flow: Flow, enough: float) -> bool:
        station = self.stations[flow.user]
        fresh = sum(packet.unsent for packet in station.unsent)
        return fresh < enough and station.has_room(flow.group.traffic.packet_bytes)

    def end_slot(self, slot: int, frame: Frame, now: int) -> None:
        done = self.slots[slot]
        if done.winner >= 0:
            station = self.stations[done.winner]
            for packet in station.end_slot(slot, frame, bool(self.errors[slot]), now):
                self.note(done.winner, now)
                if packet.fate == DELIVERED:
                    self.receive(packet, now)
        self.users.end_slot(done.winner, done.rate, done.sent_bytes)

    def receive(self, packet: Packet, now: int) -> None:
        """A packet has reached the user."""
        flow = self.flows[packet.flow]
        if self.senders[flow.number] is None:
            flow.received.append((now, packet.size))
            return
        before = flow.receiver.expected
        at_once = flow.receiver.on_segment(now, packet.sequence, packet.payload)
        flow.received.append((now, flow.receiver.expected - before))
        if flow.pages and flow.receiver.expected == flow.size and flow.downloads[-1][2] is None:
            self.read(flow, now)
        elif flow.completed is None and not flow.pages and flow.receiver.expected == flow.size:
            flow.completed = now
        if at_once:
            self.answer(flow, now)
        elif flow.receiver.answer_at is not None:
            self.push(flow.receiver.answer_at, TIMER, flow, "answer")

    def ask(self, flow: Flow, sender: Sender, now: int) -> None:
        """The next page is at the server."""
        if now < flow.stop:
            size, _ = flow.pages[len(flow.downloads)]
            flow.downloads.append((size, now, None))
            flow.size += size
            sender.size = flow.size
            sender.send_allowed(now)

    def read(self, flow: Flow, now: int) -> None:
        """A page is there: it is read, then the next one is asked for."""
        size, asked, _ = flow.downloads[-1]
        flow.downloads[-1] = (size, asked, now)
        if len(flow.downloads) < len(flow.pages):
            _, thought = flow.pages[len(flow.downloads)]
            self.push(now + thought + ns(flow.group.path.uplink_delay_ms, 10**6), TIMER, flow, "page")

    def answer(self, flow: Flow, now: int) -> None:
        time = flow.up.arrival(now, flow.group.tcp.ack_bytes)
        self.push(time, ACK, flow, flow.receiver.expected)
