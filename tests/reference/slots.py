"""Link repetition by slots: what has not arrived is sent from its beginning, until the losses in a row are too many.

A packet's `arrived` bytes are its first; nothing says which of the others were sent before, but how many never were.
"""

from __future__ import annotations

from fractions import Fraction

from airlink import Scenario
from reference.packet import DELIVERED, RETRY_LIMIT, Packet
from reference.station import Frame, Part, Station


class SlotStation(Station):
    """Queue and segmentation of one user whose lost slots are repeated as one."""

    def __init__(self, scenario: Scenario) -> None:
        super().__init__(scenario)
        self.losses = 0
        self.held: Frame | None = None

    def has_something(self, slot: int) -> bool:
        return self.goes_on(slot) or (bool(self.inside) and self.is_next(self.inside[0]))

    def goes_on(self, _slot: int) -> bool:
        return bool(self.inside) and self.inside[0].unsent < self.inside[0].size

    def bytes_to_send(self) -> int:
        held = sum(part.size for part in self.held.parts) if self.held else 0
        return sum(packet.size - packet.arrived for packet in self.inside) - held

    def fill(self, _slot: int, grant_bits: Fraction) -> Frame:
        if self.held:
            return self.held
        bits = grant_bits + self.carry
        per_segment = self.rlc.segment_bytes + self.rlc.segment_header_bytes
        room = max(0, int(bits / 8) - self.rlc.block_header_bytes) // per_segment
        free, parts = room, []
        for packet in self.inside:
            if packet.unsent == packet.size and not self.is_next(packet):
                break
            size = min(packet.size - packet.arrived, free * self.rlc.segment_bytes)
            free -= -(-size // self.rlc.segment_bytes)
            if size:
                parts.append(Part(packet, size, 0, 0))
                packet.unsent = min(packet.unsent, packet.size - packet.arrived - size)
        self.unsent = [packet for packet in self.inside if packet.unsent]
        sent = (room - free) * per_segment + self.rlc.block_header_bytes if parts else 0
        self.carry = bits - 8 * sent if self.rlc.carry_fraction and not free else Fraction(0)
        return Frame(parts, sent, free > 0)

    def end_slot(self, _slot: int, frame: Frame, error: bool, now: int) -> list[Packet]:
        if not frame.parts:
            return []
        given_up = error and self.losses == self.arq.max_retransmissions
        self.losses = self.losses + 1 if error and not given_up else 0
        self.held = frame if self.losses and self.arq.repeats == "at_once" else None
        left = []
        for part in frame.parts:
            packet = part.packet
            whole = packet.arrived + part.size == packet.size
            if not error:
                packet.arrived += part.size
            if whole and (given_up or not error):
                packet.fate, packet.ended = RETRY_LIMIT if error else DELIVERED, now
                packet.first_since = max(packet.queued or 0, self.last_left)
                self.last_left = now
                left.append(packet)
        self.inside = self.inside[len(left) :]
        return left
