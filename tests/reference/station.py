"""The base station's side of one user: the drop-tail queue, cutting packets into slots, and link repetition."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from airlink import Scenario
from reference.packet import AIR_ERROR, DELIVERED, QUEUE_FULL, RETRY_LIMIT, WAITING, Packet


@dataclass
class Part:
    """Bytes of one packet in one frame; `due` is the first slot in which a lost part may be sent again."""

    packet: Packet
    size: int
    repeated: int
    due: int


@dataclass
class Frame:
    """What one slot carried; `sent` are bytes on air, `padded` says that whole segments were left empty."""

    parts: list[Part]
    sent: int
    padded: bool


class Station:
    """Queue and segmentation of one user."""

    def __init__(self, scenario: Scenario) -> None:
        radio = scenario.radio()
        assert radio is not None
        self.rlc, self.queue, self.arq = radio.rlc, radio.queue, radio.link.arq
        self.inside: list[Packet] = []
        self.unsent: list[Packet] = []
        self.lost: list[Part] = []
        self.carry = Fraction(0)
        self.last_left = 0
        self.neighbours = [self]
        self.line: list[Packet] = []

    def share(self, neighbours: list[Station], line: list[Packet]) -> None:
        """Make this queue a part of one that all users have."""
        self.neighbours, self.line = neighbours, line

    def enter(self, packet: Packet, now: int) -> bool:
        """Put a packet that has come over the wire into the queue, or drop it."""
        if not self.has_room(packet.size):
            packet.ended, packet.fate = now, QUEUE_FULL
            return False
        packet.queued = now
        packet.unsent = packet.size
        self.inside.append(packet)
        self.unsent.append(packet)
        self.line.append(packet)
        return True

    def has_room(self, size: int) -> bool:
        """Both limits of the queue, for one more packet."""
        inside = [packet for station in self.neighbours for packet in station.inside]
        occupied = sum(packet.size for packet in inside)
        return len(inside) < self.queue.limit_packets and occupied + size <= self.queue.limit_bytes

    def is_next(self, packet: Packet) -> bool:
        """Whether no packet that was never sent, or not all of it, came before this one."""
        while self.line[0].unsent == 0 or self.line[0].fate != WAITING:
            self.line.pop(0)
        return self.line[0] is packet

    def has_something(self, slot: int) -> bool:
        """Whether the user is eligible."""
        return self.goes_on(slot) or (bool(self.unsent) and self.is_next(self.unsent[0]))

    def goes_on(self, slot: int) -> bool:
        """Whether there is more of what was begun."""
        begun = bool(self.unsent) and self.unsent[0].unsent < self.unsent[0].size
        return begun or any(part.due <= slot for part in self.lost)

    def oldest_since(self) -> float:
        """When the oldest packet that has not left came; infinite if there is none."""
        return min((packet.queued for packet in self.inside if packet.queued is not None), default=math.inf)

    def bytes_to_send(self) -> int:
        """q: bytes not sent yet, and those to be repeated."""
        return sum(packet.unsent for packet in self.unsent) + sum(part.size for part in self.lost)

    def fill(self, slot: int, grant_bits: Fraction) -> Frame:
        """Fill a slot: repetitions that are due, then the queue."""
        bits = grant_bits + self.carry
        per_segment = self.rlc.segment_bytes + self.rlc.segment_header_bytes
        room = max(0, int(bits / 8) - self.rlc.block_header_bytes) // per_segment
        parts, used = [], 0
        while used < room and (part := self.next_part(slot, (room - used) * self.rlc.segment_bytes)):
            parts.append(part)
            used += -(-part.size // self.rlc.segment_bytes)
        sent = used * per_segment + self.rlc.block_header_bytes if used else 0
        self.carry = bits - 8 * sent if self.rlc.carry_fraction and used == room else Fraction(0)
        return Frame(parts, sent, used < room)

    def next_part(self, slot: int, room: int) -> Part | None:
        """The next bytes of one packet, at most `room`."""
        for part in self.lost:
            if part.due <= slot:
                taken = min(part.size, room)
                part.size -= taken
                if part.size == 0:
                    self.lost.remove(part)
                return Part(part.packet, taken, part.repeated + 1, 0)
        if not self.unsent or not self.is_next(self.unsent[0]):
            return None
        packet = self.unsent[0]
        taken = min(packet.unsent, room)
        packet.unsent -= taken
        if packet.unsent == 0:
            self.unsent.pop(0)
        return Part(packet, taken, 0, 0)

    def end_slot(self, slot: int, frame: Frame, error: bool, now: int) -> list[Packet]:
        """The frame arrives or is lost; the packets that leave the base station, in order."""
        for part in frame.parts:
            self.end_part(part, error, slot)
        return self.leave(now)

    def end_part(self, part: Part, error: bool, slot: int) -> None:
        packet = part.packet
        if not error or self.arq.max_retransmissions == 0:
            packet.arrived += part.size
            packet.broken |= error
        elif packet.fate == RETRY_LIMIT:
            pass
        elif part.repeated == self.arq.max_retransmissions:
            packet.fate = RETRY_LIMIT
            self.unsent = [other for other in self.unsent if other is not packet]
            self.lost = [other for other in self.lost if other.packet is not packet]
        else:
            part.due = slot + 1 + self.arq.feedback_delay_slots
            self.lost.append(part)

    def leave(self, now: int) -> list[Packet]:
        """Take out what is complete or given up; `in_order`, a complete packet waits for those before it."""
        left: list[Packet] = []
        staying: list[Packet] = []
        for packet in self.inside:
            complete = packet.arrived == packet.size
            if packet.fate == RETRY_LIMIT or (complete and not (self.rlc.in_order and staying)):
                left.append(packet)
                packet.ended = now
                packet.first_since = max(packet.queued or 0, self.last_left)
                self.last_left = now
                if packet.fate != RETRY_LIMIT:
                    packet.fate = AIR_ERROR if packet.broken else DELIVERED
            else:
                staying.append(packet)
        self.inside = staying
        return left
