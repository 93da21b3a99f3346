"""How the window moves: RFC 5681 section 3.1, RFC 9438 section 4, RFC 9937 section 6."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import ceil


@dataclass
class Reno:
    """RFC 5681; everything in bytes."""

    smss: int
    cwnd: float
    ssthresh: float

    def on_ack(self, acked: int, _now_s: float, _srtt_s: float) -> None:
        if self.cwnd < self.ssthresh:
            self.cwnd += min(acked, self.smss)
        else:
            self.cwnd += self.smss * self.smss / self.cwnd

    def on_loss(self, flight: int) -> None:
        self.ssthresh = max(flight / 2, 2 * self.smss)
        self.cwnd = self.ssthresh


C = 0.4
BETA = 0.7
ALPHA = 3 * (1 - BETA) / (1 + BETA)


@dataclass
class Cubic:
    """RFC 9438; cwnd and ssthresh in bytes, the rest in segments and seconds."""

    smss: int
    cwnd: float
    ssthresh: float
    w_max: float | None = None
    cwnd_prior: float | None = None
    t_epoch: float | None = None
    cwnd_epoch: float = field(default=0.0)
    w_est: float = field(default=0.0)

    def w_cubic(self, t: float) -> float:
        assert self.w_max is not None
        k: float = ((self.w_max - self.cwnd_epoch) / C) ** (1 / 3)
        return C * (t - k) ** 3 + self.w_max

    def on_ack(self, acked: int, now_s: float, srtt_s: float) -> None:
        if self.cwnd < self.ssthresh:
            self.cwnd += min(acked, self.smss)
            return
        cwnd = self.cwnd / self.smss
        if self.t_epoch is None:
            self.t_epoch, self.cwnd_epoch, self.w_est = now_s, cwnd, cwnd
            self.w_max = cwnd if self.w_max is None else max(self.w_max, cwnd)
            self.cwnd_prior = self.cwnd_prior or cwnd
        assert self.cwnd_prior is not None
        t = now_s - self.t_epoch
        alpha = ALPHA if self.w_est < self.cwnd_prior else 1.0
        self.w_est += alpha * (acked / self.smss) / cwnd
        if self.w_cubic(t) < self.w_est:
            cwnd = max(cwnd, self.w_est)
        else:
            target = min(max(self.w_cubic(t + srtt_s), cwnd), 1.5 * cwnd)
            cwnd += (target - cwnd) / cwnd
        self.cwnd = cwnd * self.smss

    def on_loss(self, flight: int) -> None:
        cwnd = self.cwnd / self.smss
        is_behind = self.w_max is not None and cwnd < self.w_max
        self.w_max = cwnd * (1 + BETA) / 2 if is_behind else cwnd
        self.cwnd_prior = cwnd
        self.t_epoch = None
        self.ssthresh = max(flight * BETA, 2 * self.smss)
        self.cwnd = self.ssthresh


@dataclass
class RateReduction:
    """RFC 9937 section 6; bytes."""

    smss: int
    recover_fs: int
    delivered: int = 0
    out: int = 0

    def window(self, delivered: int, in_flight: int, ssthresh: float, is_safe: bool) -> float:
        self.delivered += delivered
        if in_flight > ssthresh:
            count: float = ceil(self.delivered * ssthresh / self.recover_fs) - self.out
        else:
            count = max(self.delivered - self.out, delivered)
            if is_safe:
                count += self.smss
            count = min(ssthresh - in_flight, count)
        if self.out == 0:
            # The RFC asks for this when nothing at all may be sent; less than a segment is nothing here.
            count = max(count, self.smss)
        return in_flight + max(count, 0)
