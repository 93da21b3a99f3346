"""Who gets a slot: round robin, the oldest packet, and the largest metric; ties go to the lowest index."""

from __future__ import annotations

import math
from typing import Any

QOS = ("weighted_pf", "m_lwdf", "exp_pf", "log_rule", "earliest_deadline", "guaranteed_rate")
"""Schedulers with weights, deadlines and guaranteed rates."""


def of_user(value: Any, user: int) -> float:
    """One value for all, or one of each."""
    return float(value[user] if isinstance(value, tuple) else value)


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
        self.guaranteed_bps = [of_user(getattr(scheduler, "guaranteed_rate_bps", 0.0), user) for user in range(users)]
        self.behind_bits = [0.0] * users
        self.sigma = [float(users**2) if square == "from_users" else square] * users

    def choose(
        self,
        slot: int,
        rates: list[float],
        eligible: list[bool],
        bits: list[float],
        snr_db: list[float],
        waits_s: list[float],
    ) -> int:
        """The user who gets the slot, or -1."""
        self.grow_buckets()
        self.queue = [self.weight * q + (1 - self.weight) * old for q, old in zip(bits, self.queue, strict=True)]
        if self.rule.kind == "round_robin":
            return self.in_turn(rates, eligible)
        able = [user for user in range(self.count) if eligible[user] and rates[user] > 0]
        if not able:
            return -1
        if self.rule.kind in QOS:
            waiting = [user for user in range(self.count) if eligible[user]]
            return max(able, key=lambda user: (self.of_deadlines(user, rates[user], waiting, waits_s), -user))
        winner = max(able, key=lambda user: (self.metric(user, slot, rates[user], snr_db[user]), -user))
        if self.rule.kind in ("tcp_pf", "tcp_max"):
            self.phi[winner], self.sigma[winner] = self.trial(winner, slot)
            self.last[winner] = slot
        return winner

    def stand_by(self, slot: int, winner: int, bits: list[float]) -> None:
        """A slot that goes to a repetition: nobody is asked, but it is one of the winner's."""
        self.grow_buckets()
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

    def of_deadlines(self, user: int, rate: float, waiting: list[int], waits_s: list[float]) -> tuple[float, float]:
        """First what decides, then what decides among those who are alike in that."""
        kind, fair = self.rule.kind, rate / self.average[user]
        budget_s = of_user(self.rule.delay_budget_ms, user) / 1000
        weight = of_user(self.rule.weight, user)
        over = rate if getattr(self.rule, "divisor", "average") == "none" else fair
        urgent = budget_s < math.inf
        if kind == "guaranteed_rate":
            behind = self.behind_bits[user]
            return (rate * behind, 0.0) if behind > 0 else (0.0, fair)
        if kind == "earliest_deadline":
            # In whole nanoseconds, so that equal deadlines are equal.
            return (2.0**51 + round((waits_s[user] - budget_s) * 1e9), 0.0) if urgent else (0.0, fair)
        if kind == "weighted_pf" or not urgent:
            return weight * over, 0.0
        if kind == "log_rule":
            return weight * math.log(self.rule.offset + self.rule.slope * waits_s[user] / budget_s) * over, 0.0
        if kind == "m_lwdf":
            return weight * max(self.weighted_wait(user, waits_s), 1e-100) * over, 0.0
        with_deadline = [each for each in waiting if of_user(self.rule.delay_budget_ms, each) < math.inf]
        mean = sum(self.weighted_wait(each, waits_s) for each in with_deadline) / len(with_deadline)
        exponent = self.weighted_wait(user, waits_s) / (1 + math.sqrt(mean))
        return weight * math.exp(min(500.0, exponent)) * over, 0.0

    def weighted_wait(self, user: int, waits_s: list[float]) -> float:
        """The wait of the oldest packet, weighted: a W."""
        exponent = -math.log(of_user(self.rule.violation_probability, user))
        return exponent / (of_user(self.rule.delay_budget_ms, user) / 1000) * waits_s[user]

    def grow_buckets(self) -> None:
        """What users are behind their guaranteed rates grows by a slot."""
        if self.rule.kind == "guaranteed_rate":
            self.behind_bits = [
                min(behind + rate * self.slot_s, rate * self.rule.bucket_ms / 1000)
                for behind, rate in zip(self.behind_bits, self.guaranteed_bps, strict=True)
            ]

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
            depth = self.guaranteed_bps[user] * getattr(self.rule, "bucket_ms", 0.0) / 1000
            self.behind_bits[user] = max(self.behind_bits[user] - x * self.slot_s, -depth)
            self.average[user] = self.weight * x + (1 - self.weight) * self.average[user]
