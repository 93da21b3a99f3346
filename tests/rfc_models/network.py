"""What lies between a sender and its ACKs: losses, reordering, lost ACKs, and a receiver with SACK."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random


@dataclass
class Receiver:
    """RFC 2018 section 4: the newest block first, four at most."""

    next: int = 0
    held: set[int] = field(default_factory=set)
    order: list[int] = field(default_factory=list)

    def on_segment(self, start: int, end: int) -> tuple[int, list[tuple[int, int]]]:
        self.held |= {byte for byte in range(start, end) if byte >= self.next}
        while self.next in self.held:
            self.held.remove(self.next)
            self.next += 1
        self.order.insert(0, start)
        blocks: list[tuple[int, int]] = []
        for byte in self.order:
            block = self.around(byte)
            if block and block not in blocks:
                blocks.append(block)
        return self.next, blocks[:4]

    def around(self, byte: int) -> tuple[int, int] | None:
        if byte not in self.held:
            return None
        start = end = byte
        while start - 1 in self.held:
            start -= 1
        while end in self.held:
            end += 1
        return start, end


@dataclass
class Wire:
    """Segments under way, in the order in which they will arrive."""

    random: Random
    loss: float
    reordering: float
    under_way: list[tuple[int, int]] = field(default_factory=list)

    def push(self, start: int, end: int, again: bool) -> None:
        if self.random.random() < (self.loss / 2 if again else self.loss):
            return
        place = len(self.under_way)
        if self.random.random() < self.reordering:
            place = max(0, place - self.random.randint(1, 4))
        self.under_way.insert(place, (start, end))

    def pop(self) -> tuple[int, int] | None:
        return self.under_way.pop(0) if self.under_way else None
