"""What a sender did, read from its segments and the ACKs it heard alone, so that any implementation can be asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Sent:
    """A data segment as it left the sender: seconds, first byte of the stream, bytes."""

    time: float
    sequence: int
    length: int


@dataclass(frozen=True)
class ReceivedAck:
    """An ACK as it came to the sender: seconds, next byte expected."""

    time: float
    acknowledgment: int


@dataclass
class Recovery:
    """From the first segment that is sent again until all that was out then is acknowledged."""

    start: float
    high: int
    after_silence: bool
    end: float | None = None
    resent: int = 0


@dataclass
class Trace:
    """Segments and ACKs of one flow, in the order of time."""

    sent: Sequence[Sent]
    heard: Sequence[ReceivedAck]
    recoveries: list[Recovery] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._find()

    def _find(self) -> None:
        """Walks through both lists together; an ACK goes before a segment of the same time."""
        acks = iter(self.heard)
        following = next(acks, None)
        highest, last_ack = 0, 0.0
        for segment in self.sent:
            while following is not None and following.time <= segment.time:
                last_ack = following.time
                self._end(following)
                following = next(acks, None)
            if segment.sequence < highest:
                self._resent(segment, highest, segment.time - last_ack)
            highest = max(highest, segment.sequence + segment.length)
        while following is not None:
            self._end(following)
            following = next(acks, None)

    def _end(self, ack: ReceivedAck) -> None:
        if self.recoveries and self.recoveries[-1].end is None and ack.acknowledgment >= self.recoveries[-1].high:
            self.recoveries[-1].end = ack.time

    def _resent(self, segment: Sent, highest: int, since_ack: float) -> None:
        if not self.recoveries or self.recoveries[-1].end is not None:
            self.recoveries.append(Recovery(segment.time, highest, after_silence=since_ack > SILENCE_S))
        self.recoveries[-1].resent += 1

    @property
    def resent(self) -> int:
        return sum(recovery.resent for recovery in self.recoveries)


SILENCE_S = 0.02
"""A segment sent so long after the ACK before it was sent by a timer."""
