"""Who gets a slot: round robin, the oldest packet, and the largest metric; ties go to the lowest index."""

from __future__ import annotations

import math
from typing import Any


class Users:
    """What a scheduler remembers of every user. Rates in b/s, gaps in slots, queues in bits."""

    def __init__(self, scheduler: Any, mean_db: list[float], slot_s: float) -> None:
        self.rule = scheduler
        self.count = users = len(mean_db)
        self.mean_db = mean_db
        self.slot_s = slot_s
        self.next_in_turn = 0
        self.weight = 1 / getattr(scheduler, "time_constant_slots", 1.0)
        self.average = [getattr(scheduler, "initial_average_bps", 1.0)] * users
        self.queue = [0.0] * users
        self.last = [-1] * users
        mean, square = (
            getattr(scheduler, name, 1.0) for name in ("initial_gap_mean_slots", "initial_gap_square_slots2")
        )
        self.phi = [float(users) if mean == "from_users" else mean] * users
        self.sigma = [float(users**2) if square == "from_users" else square] * users

    def choose(
        self, slot: int, rates: list[float], eligible: list[bool], bits: list[float], snr_db: list[float]
    ) -> int:
        """The user who gets the slot, or -1."""
        self.queue = [self.weight * q + (1 - self.weight) * old for q, old in zip(bits, self.queue, strict=True)]
        if self.rule.kind == "round_robin":
            return self.in_turn(rates, eligible)
        able = [user for user in range(self.count) if eligible[user] and rates[user] > 0]
        if not able:
            return -1
        winner = max(able, key=lambda user: (self.metric(user, slot, rates[user], snr_db[user]), -user))
        if self.rule.kind in ("tcp_pf", "tcp_max"):
            self.phi[winner], self.sigma[winner] = self.trial(winner, slot)
            self.last[winner] = slot
        return winner

    def stand_by(self, slot: int, winner: int, bits: list[float]) -> None:
        """A slot that goes to a repetition: nobody is asked, but it is one of the winner's."""
        self.queue = [self.weight * q + (1 - self.weight) * old for q, old in zip(bits, self.queue, strict=True)]
        if self.rule.kind in ("tcp_pf", "tcp_max"):
            self.phi[winner], self.sigma[winner] = self.trial(winner, slot)
            self.last[winner] = slot

    def in_turn(self, rates: list[float], eligible: list[bool]) -> int:
        for step in range(self.count):
            user = (self.next_in_turn + step) % self.count
            if eligible[user] and (rates[user] > 0 or not self.rule.skip_unservable):
                self.next_in_turn = (user + 1) % self.count
                return user
        return -1

    def first_come(self, rates: list[float], eligible: list[bool], since: list[float]) -> int:
        """The user with the oldest packet, or -1; `since` is when it came, infinite without one."""
        able = [
            user for user in range(self.count) if eligible[user] and (rates[user] > 0 or not self.rule.skip_unservable)
        ]
        return min(able, key=lambda user: (since[user], user), default=-1)

    def metric(self, user: int, slot: int, rate: float, snr_db: float) -> float:
        kind = self.rule.kind
        if kind == "max_rate":
            return rate
        if kind == "relative_snr":
            return snr_db - self.mean_db[user]
        average = self.average[user]
        if kind == "log_snr":
            ratio = 10 ** (snr_db / 10)
            return math.log(ratio if self.rule.argument == "snr" else 1 + ratio) / average
        if kind == "proportional_fair":
            return rate / average
        if kind == "lambda":
            exponent: float = self.rule.exponent
            return math.log(rate) - exponent * math.log(average)
        phi, sigma = self.trial(user, slot)
        unit = {"slots": 1.0, "seconds": self.slot_s, "seconds_beside_slots": self.slot_s**2}[self.rule.vacation_unit]
        vacation = 0.0 if self.rule.terms == "queue" else sigma / (2 * phi) * unit
        queue = 0.0 if self.rule.terms == "vacation" else self.queue[user] / average
        served = rate / average if kind == "tcp_pf" else rate
        return served * (vacation + queue)

    def trial(self, user: int, slot: int) -> tuple[float, float]:
        """Phi and Sigma as if the user were selected now."""
        gap = slot - self.last[user]
        alpha, beta = self.rule.gap_mean_weight, self.rule.gap_square_weight
        return alpha * gap + (1 - alpha) * self.phi[user], beta * gap * gap + (1 - beta) * self.sigma[user]

    def end_slot(self, winner: int, rate: float, sent_bytes: int) -> None:
        """Averages take in the slot."""
        if not hasattr(self.rule, "average_counts"):
            return
        won = rate if self.rule.average_counts == "granted" else 8 * sent_bytes / self.slot_s
        for user in range(self.count):
            x = won if user == winner else 0.0
            self.average[user] = self.weight * x + (1 - self.weight) * self.average[user]
