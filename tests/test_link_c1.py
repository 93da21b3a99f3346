"""[Andrew08]'s base station as a whole, with the link of C1, slot by slot in plain Python beside the engine.

Given are the true SNRs and which packet came when. Who has a slot, at which rate, what is in it, whether it is lost,
which packets leave, which are dropped, and where the margins end follows from (18), (19) and the rules for lost slots,
and has to be what the engine did. Where single precision decides (a byte more or less, utilities that are equal), the
engine's choice is followed, and counted.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import airlink
from airlink.scenario import Scenario, ready
from mobile_link import C_BPS, CELL, DELIVERED, DROPPED, supports

USERS, SLOT_NS = 3, 3_000_000
SINGLE = 2e-6

SECOND_FLOW = """
[[flows]]
users = [2]
start_s = 2.0
traffic = {kind = "backlogged", packet_bytes = 700}
"""


@dataclass
class Packet:
    """What is left of a packet that waits, and the row that the engine has of it."""

    row: int
    left: int


@dataclass
class User:
    """One queue: its packets, the slot that goes again, its average rate and its margin."""

    packets: deque[Packet] = field(default_factory=deque)
    block: int = 0
    block_bps: float = 0.0
    losses: int = 0
    average_bps: float = 1000.0
    margin: float = 0.0


class BaseStation:
    """The slots of one run."""

    def __init__(self, result: airlink.Result, attempts: int, at_once: bool) -> None:
        self.slots, snr, self.came = (dict(result.series(kind)) for kind in ("slots", "snr", "packets"))
        self.snr = (10 ** (np.asarray(snr["true_db"], dtype=float) / 10)).reshape(-1, USERS)
        self.attempts, self.at_once = attempts, at_once
        self.users = [User() for _ in range(USERS)]
        self.fates: dict[int, tuple[int, bool]] = {}
        self.undecided = self.repeated = self.lost = 0
        self.arrivals = self.in_order_of_arrival()

    def in_order_of_arrival(self) -> deque[tuple[int, int]]:
        at = np.asarray(self.came["queued_s"], dtype=float)
        rows = [row for row in range(len(at)) if np.isfinite(at[row])]
        rows.sort(key=lambda row: (at[row], self.came["flow"][row], self.came["transmission"][row]))
        return deque((round(at[row] * 1e9), row) for row in rows)

    def run(self) -> BaseStation:
        for slot in range(len(self.snr)):
            self.let_in(slot)
            winner = self.winner(slot)
            assert winner == self.slots["user"][slot], slot
            rate_bps = self.serve(slot, self.users[winner], winner) if winner >= 0 else 0.0
            for number, user in enumerate(self.users):
                user.average_bps = 0.97 * user.average_bps + 0.03 * rate_bps * (number == winner)
        return self

    def let_in(self, slot: int) -> None:
        while self.arrivals and self.arrivals[0][0] <= slot * SLOT_NS:
            row = self.arrivals.popleft()[1]
            self.users[self.came["user"][row]].packets.append(Packet(row, int(self.came["bytes"][row])))

    def rate_bps(self, slot: int, number: int) -> float:
        """(18): what the SNR at the slot's start supports, less the margin; before slot 1 nothing is known."""
        return supports((1 - self.users[number].margin) * self.snr[slot - 1, number]) if slot else 0.0

    def winner(self, slot: int) -> int:
        """A block that goes again, or (19): the largest rate over average among those with data."""
        again = [number for number, user in enumerate(self.users) if user.block]
        if again:
            return again[0]
        utility = {n: self.rate_bps(slot, n) / user.average_bps for n, user in enumerate(self.users) if user.packets}
        best = max(utility.values(), default=0.0)
        if not best:
            return -1
        leaders = [number for number, value in utility.items() if value >= best * (1 - SINGLE)]
        self.undecided += len(leaders) > 1
        engine = int(self.slots["user"][slot])
        return engine if engine in leaders else leaders[0]

    def serve(self, slot: int, user: User, number: int) -> float:
        self.repeated += bool(user.block)
        rate_bps = user.block_bps if user.block else self.rate_bps(slot, number)
        size = user.block or self.bytes_in(slot, rate_bps, sum(packet.left for packet in user.packets))
        assert self.slots["rate_bps"][slot] == pytest.approx(rate_bps, rel=SINGLE), slot
        assert self.slots["sent_bytes"][slot] == size, slot
        is_lost = self.is_lost(slot, rate_bps, supports(self.snr[slot, number]))
        assert bool(self.slots["error"][slot]) == is_lost, slot
        self.end(slot, user, size, rate_bps, is_lost)
        return rate_bps

    def bytes_in(self, slot: int, rate_bps: float, waiting: int) -> int:
        exact = rate_bps * SLOT_NS / 8e9
        engine = int(self.slots["sent_bytes"][slot])
        apart = 0.0 if rate_bps == C_BPS else SINGLE
        either = {min(int(exact * (1 - apart)), waiting), min(int(exact * (1 + apart)), waiting)}
        self.undecided += len(either) > 1
        return engine if engine in either else min(int(exact), waiting)

    def is_lost(self, slot: int, rate_bps: float, supported_bps: float) -> bool:
        if rate_bps == supported_bps or abs(rate_bps / supported_bps - 1) > SINGLE:
            return supported_bps < rate_bps
        self.undecided += 1
        return bool(self.slots["error"][slot])

    def end(self, slot: int, user: User, size: int, rate_bps: float, is_lost: bool) -> None:
        self.lost += is_lost
        user.losses = user.losses + 1 if is_lost else 0
        gives_up = user.losses == self.attempts
        goes_again = is_lost and not gives_up
        user.block, user.block_bps = (size, rate_bps) if goes_again and self.at_once else (0, 0.0)
        left = 0 if goes_again else self.take_out(slot, user, size, is_lost)
        if gives_up:
            user.losses = 0
        user.margin += 0.05 * (left * is_lost - 1e-3 * left)
        user.margin = min(max(user.margin, -20.0), 0.95)

    def take_out(self, slot: int, user: User, size: int, is_lost: bool) -> int:
        """The packets of which the slot had the last byte leave; of one that it had partly, what has arrived stays."""
        count = 0
        while user.packets and user.packets[0].left <= size:
            packet = user.packets.popleft()
            size -= packet.left
            self.fates[packet.row] = (slot + 1, is_lost)
            count += 1
        if size and not is_lost:
            user.packets[0].left -= size
        return count


def fates(came: Mapping[str, Any]) -> dict[int, tuple[int, bool]]:
    """Slots after which packets left in the engine, and whether they were dropped by the link."""
    found = {}
    for row, (fate, ended_s) in enumerate(zip(came["fate"], came["ended_s"], strict=True)):
        if fate in (*DELIVERED, *DROPPED) and math.isfinite(ended_s):
            found[row] = (round(ended_s * 1e9 / SLOT_NS), fate in DROPPED)
    return found


def compared(scenario: Scenario, attempts: int, at_once: bool, seed: int) -> BaseStation:
    result = airlink.run(scenario, seed=seed, record=["slots", "snr", "packets"])
    cell = BaseStation(result, attempts, at_once).run()
    assert cell.fates == fates(cell.came)
    ends_db = np.asarray(result.users["outer_loop_offset_end_db"]).ravel()
    assert list(ends_db) == pytest.approx([10 * math.log10(1 - user.margin) for user in cell.users], abs=1e-9)
    return cell


def settings(doppler_hz: float, attempts: int, repeats: str) -> list[str]:
    arq = [f"link.arq.max_retransmissions={attempts - 1}", "link.arq.unit=slot", f"link.arq.repeats={repeats}"]
    return [f"channel.fading.doppler_hz={doppler_hz}", *arq, "duration_s=12", "warmup_s=0"]


@pytest.mark.parametrize("repeats", ["at_once", "rescheduled"])
@pytest.mark.parametrize(("doppler_hz", "attempts"), [(0.6, 1), (0.6, 5), (60, 5), (60, 15)])
@pytest.mark.parametrize("traffic", ["tcp", "backlogged"])
def test_every_slot_block_loss_and_drop_of_paper_004_is_found_again(
    traffic: str, doppler_hz: float, attempts: int, repeats: str
) -> None:
    scenario = ready("clamp") if traffic == "tcp" else Scenario.from_toml(CELL + SECOND_FLOW)
    changed = scenario.override(settings(doppler_hz, attempts, repeats))
    cell = compared(changed, attempts, repeats == "at_once", seed=4)
    drops = sum(is_dropped for _, is_dropped in cell.fates.values())
    assert len(cell.fates) > 3000
    assert cell.undecided < 40, "1 % of the slots"
    assert cell.lost > 5
    assert (drops > 5) == ((attempts, repeats) != (15, "rescheduled")), (
        "15 rates in a row that are all too high are rare"
    )
    assert (cell.repeated > 20) == (attempts > 1 and repeats == "at_once")
