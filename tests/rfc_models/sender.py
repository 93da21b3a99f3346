"""A sender that recovers as RFC 6675 section 5 says, step by step; data without end, or so many bytes."""

from __future__ import annotations

from dataclasses import dataclass, field

from rfc_models.scoreboard import DUP_THRESH, Board, holes, lost, next_seg, pipe
from rfc_models.timer import Timer
from rfc_models.windows import Cubic, RateReduction, Reno


@dataclass
class Sender:
    """One connection with SACK. `supplied` is the end of its data, none if endless."""

    smss: int
    control: Reno | Cubic
    timer: Timer
    has_rate_reduction: bool = False
    supplied: int | None = None
    una: int = 0
    nxt: int = 0
    sacked: set[int] = field(default_factory=set)
    high_rxt: int = 0
    rescue_rxt: int = 0
    recovery_point: int | None = None
    dup_acks: int = 0
    limited: int = 0
    reduction: RateReduction | None = None
    sent_at: dict[int, int] = field(default_factory=dict)
    sent_twice: set[int] = field(default_factory=set)
    rules: set[str] = field(default_factory=set)

    def board(self) -> Board:
        return Board(self.una, self.nxt, frozenset(self.sacked), self.high_rxt, self.rescue_rxt, self.smss)

    def open(self, now_ms: int) -> list[tuple[int, int, bool]]:
        return self.send_new(now_ms, self.control.cwnd)

    def has_new(self) -> bool:
        return self.supplied is None or self.nxt < self.supplied

    def new(self, now_ms: int) -> tuple[int, int, bool]:
        start, self.nxt = self.nxt, self.nxt + self.smss
        self.sent_at[start] = now_ms
        return (start, self.nxt, False)

    def again(self, start: int, now_ms: int) -> tuple[int, int, bool]:
        self.sent_at[start] = now_ms
        self.sent_twice.add(start)
        return (start, start + self.smss, True)

    def send_new(self, now_ms: int, window: float) -> list[tuple[int, int, bool]]:
        sent = []
        while self.has_new() and self.nxt - self.una + self.smss <= window:
            sent.append(self.new(now_ms))
        return sent

    def on_ack(self, now_ms: int, number: int, blocks: list[tuple[int, int]]) -> list[tuple[int, int, bool]]:
        """Takes an ACK in; answers what it lets out: start, end and whether again."""
        before = lost(self.board())
        acked = number - self.una
        reported = {byte for start, end in blocks for byte in range(start, end)}
        new_sacked = {byte for byte in reported - self.sacked if byte >= number}
        delivered = len(new_sacked) + len(set(range(self.una, number)) - self.sacked)
        self.measure(now_ms, number)
        self.una = number
        self.sacked = {byte for byte in self.sacked | reported if byte >= number}
        self.high_rxt = max(self.high_rxt, number)
        if acked:
            self.dup_acks = self.limited = 0
        has_just_left = self.recovery_point is not None and number >= self.recovery_point
        if has_just_left:  # (A)
            self.recovery_point = None
            if self.has_rate_reduction:
                self.control.cwnd = self.control.ssthresh
        sent = []
        is_beginning = self.recovery_point is None and self.shows_loss(bool(new_sacked))
        if is_beginning:
            sent = self.begin(now_ms, acked, len(new_sacked))
        is_safe = acked > 0 and not lost(self.board()) - before
        if self.recovery_point is None:
            if acked and not has_just_left:
                self.control.on_ack(acked, now_ms / 1000, self.timer.srtt_s or 0.0)
            return self.send_limited(now_ms)
        if self.reduction is not None and delivered:
            flight = pipe(self.board())
            self.control.cwnd = self.reduction.window(delivered, flight, self.control.ssthresh, is_safe)
        return sent + self.fill(now_ms)

    def measure(self, now_ms: int, number: int) -> None:
        """RFC 6298 section 3 with a sample from every ACK that Karn allows: since the oldest covered was sent."""
        covered = [start for start in self.sent_at if self.una <= start < number]
        if covered and not self.sent_twice & set(covered):
            self.timer.on_sample((now_ms - self.sent_at[min(covered)]) / 1000)

    def shows_loss(self, is_duplicate: bool) -> bool:
        """Steps (1) and (2). The RFC wants a duplicate ACK; here a recovery's end that leaves losses known does too."""
        self.dup_acks += is_duplicate
        return (is_duplicate and self.dup_acks >= DUP_THRESH) or self.una in lost(self.board())

    def begin(self, now_ms: int, acked: int, new_sacked: int) -> list[tuple[int, int, bool]]:
        """Step (4); with rate reduction NextSeg () chooses the first segment too.

        HighRxt stays where the recovery before it left it: what that has sent again is not sent once more.
        """
        self.recovery_point = self.nxt
        self.control.on_loss(self.nxt - self.una - self.limited)
        self.rescue_rxt = self.una + self.smss
        if self.has_rate_reduction:
            flight = self.nxt - self.una - (len(self.sacked) - new_sacked) + acked
            self.reduction = RateReduction(self.smss, flight)
            return []
        self.high_rxt = max(self.high_rxt, self.una + self.smss)
        return [self.again(self.una, now_ms)]

    def send_limited(self, now_ms: int) -> list[tuple[int, int, bool]]:
        """Step (3) while anything is SACKed (the RFC: at the ACK that reports it), else RFC 5681."""
        sent = self.send_new(now_ms, self.control.cwnd)
        while (self.dup_acks or self.sacked) and self.has_new() and pipe(self.board()) + self.smss <= self.control.cwnd:
            self.limited += self.smss
            sent.append(self.new(now_ms))
        return sent

    def fill(self, now_ms: int) -> list[tuple[int, int, bool]]:
        """Step (C)."""
        sent = []
        while int(self.control.cwnd) - pipe(self.board()) >= self.smss:
            assert self.recovery_point is not None
            choose = next_seg if self.has_new() else holes
            found = choose(self.board(), self.recovery_point)
            if found is None:
                break
            rule, start = found
            self.rules.add(rule)
            if rule == "2":
                sent.append(self.new(now_ms))
            else:
                sent.append(self.again(start, now_ms))
                if rule == "4":
                    self.rescue_rxt = self.recovery_point
                else:
                    self.high_rxt = start + self.smss
            if self.reduction is not None:
                self.reduction.out += self.smss
        return sent
