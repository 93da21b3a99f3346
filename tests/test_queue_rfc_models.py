"""CoDel and PIE in whole runs against the pseudocode of RFC 8289 section 5 and RFC 8033 appendix A, packet by packet.

The pseudocode stands here in Python with the RFCs' names. It is given the arrivals of series `packets`, and pulls what
a slot carries at the start of each slot that served the user; it must drop the same packets at the same nanosecond, and
let the others go in the same slots. PIE's draws are those of the run, from its generator written down once more. All
packets have one size, so that a slot carries a whole number of them.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

import airlink
from airlink import Scenario

MS, SLOT, PACKET = 1_000_000, 1_000_000, 1500
AQM, DELIVERED = 7, 0
SEED = 3

CELL = Scenario.from_toml("""
duration_s = 12
users = 1
slot.duration_ms = 1
channel.placement = { kind = "mean_snr", mean_snr_db = 20 }
link.rate = { kind = "table", thresholds_db = [0], rates_bps = [12e6] }
scheduler.kind = "round_robin"
[[flows]]
path = { downlink_delay_ms = 13.7, uplink_delay_ms = 9.1 }
tcp = { congestion_control = "new_reno", mss_bytes = 1460, header_bytes = 40, receiver_window_bytes = 4_000_000 }
[[flows]]
start_s = 1.5
stop_s = 8
path = { downlink_delay_ms = 41.3, uplink_delay_ms = 20 }
tcp = { congestion_control = "cubic", mss_bytes = 1460, header_bytes = 40, receiver_window_bytes = 4_000_000 }
[[flows]]
start_s = 3
stop_s = 6
traffic = { kind = "stream", rate_bps = 5_432_100, message_bytes = 1460 }
path = { downlink_delay_ms = 3.21 }
""")


class Waiting(NamedTuple):
    """A packet in the queue, and when it came, ns."""

    number: int
    tstamp: int


class CoDel:
    """RFC 8289 sections 5.3 to 5.6; every packet is as large as the largest."""

    def __init__(self, target: int = 5 * MS, interval: int = 100 * MS) -> None:
        self.TARGET, self.INTERVAL = target, interval
        self.queue: deque[Waiting] = deque()
        self.dropped: list[tuple[int, int]] = []
        self.first_above_time = self.drop_next = self.count = self.lastcount = 0
        self.dropping = False

    def enque(self, now: int, number: int) -> bool:
        self.queue.append(Waiting(number, now))
        return True

    def control_law(self, t: int, count: int) -> int:
        return t + round(self.INTERVAL / math.sqrt(count))

    def dodequeue(self, now: int) -> tuple[Waiting | None, bool]:
        if not self.queue:
            self.first_above_time = 0
            return None, False
        packet = self.queue.popleft()
        if now - packet.tstamp < self.TARGET or PACKET * len(self.queue) <= PACKET:
            self.first_above_time = 0
        elif self.first_above_time == 0:
            self.first_above_time = now + self.INTERVAL
        elif now >= self.first_above_time:
            return packet, True
        return packet, False

    def drop(self, packet: Waiting | None, now: int) -> None:
        assert packet is not None
        self.dropped.append((packet.number, now))

    def deque(self, now: int) -> int:
        packet, ok_to_drop = self.dodequeue(now)
        if self.dropping:
            self.dropping = ok_to_drop
            while now >= self.drop_next and self.dropping:
                self.drop(packet, now)
                self.count += 1
                packet, ok_to_drop = self.dodequeue(now)
                if ok_to_drop:
                    self.drop_next = self.control_law(self.drop_next, self.count)
                else:
                    self.dropping = False
        elif ok_to_drop:
            self.drop(packet, now)
            packet, ok_to_drop = self.dodequeue(now)
            self.dropping = True
            delta = self.count - self.lastcount
            self.count = delta if delta > 1 and now - self.drop_next < 16 * self.INTERVAL else 1
            self.drop_next = self.control_law(now, self.count)
            self.lastcount = self.count
        assert packet is not None
        return packet.number


def uniforms(seed: int, purpose: int, index: int) -> Iterator[float]:
    """Draws of the stream of that name: SplitMix64's finaliser over a key and a counter."""
    word, golden = 2**64 - 1, 0x9E3779B97F4A7C15

    def mix(bits: int) -> int:
        bits &= word
        bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9 & word
        bits = (bits ^ bits >> 27) * 0x94D049BB133111EB & word
        return bits ^ bits >> 31

    key = mix(mix(mix(seed + golden) ^ purpose * golden) ^ index * 0xD1B54A32D192ED03 + golden)
    step = mix(key ^ golden) | 1
    if (step ^ step >> 1).bit_count() < 24:
        step ^= 0xAAAAAAAAAAAAAAAA
    number = 0
    while True:
        yield (mix(key + number * step) >> 11) / 2**53
        number += 1


class Pie:
    """RFC 8033 appendix A, times in seconds as there; and of appendix B derandomisation and the cap."""

    def __init__(self, user: int = 0, derandomise: bool = False, cap: bool = False) -> None:
        self.QDELAY_REF, self.T_UPDATE, self.MAX_BURST = 0.015, 15 * MS, 150 * MS
        self.derandomise, self.cap = derandomise, cap
        self.queue: deque[Waiting] = deque()
        self.dropped: list[tuple[int, int]] = []
        self.drop_prob = self.accu_prob = self.current_qdelay = self.qdelay_old = 0.0
        self.burst_allowance = 0
        self.next_update = self.T_UPDATE
        self.random = uniforms(SEED, 19, user)

    def tick(self, now: int) -> None:
        while self.next_update <= now:
            self.calculate_drop_prob()
            self.next_update += self.T_UPDATE

    def calculate_drop_prob(self) -> None:
        p = 0.125 * (self.current_qdelay - self.QDELAY_REF) + 1.25 * (self.current_qdelay - self.qdelay_old)
        steps = ((1e-6, 2048), (1e-5, 512), (1e-4, 128), (1e-3, 32), (1e-2, 8), (1e-1, 2))
        p /= next((divisor for below, divisor in steps if self.drop_prob < below), 1)
        if self.cap and self.drop_prob >= 0.1 and p > 0.02:
            p = 0.02
        self.drop_prob += p
        if self.current_qdelay == 0 and self.qdelay_old == 0:
            self.drop_prob *= 0.98
        self.drop_prob = min(max(self.drop_prob, 0.0), 1.0)
        self.qdelay_old = self.current_qdelay
        self.burst_allowance = max(0, self.burst_allowance - self.T_UPDATE)

    def enque(self, now: int, number: int) -> bool:
        self.tick(now)
        u = next(self.random)
        half = self.QDELAY_REF / 2
        if self.drop_prob == 0 and self.current_qdelay < half and self.qdelay_old < half:
            self.burst_allowance = self.MAX_BURST
        if self.burst_allowance == 0 and self.drop_early(u):
            self.accu_prob = 0.0
            self.dropped.append((number, now))
            return False
        self.queue.append(Waiting(number, now))
        return True

    def drop_early(self, u: float) -> bool:
        if (self.qdelay_old < self.QDELAY_REF / 2 and self.drop_prob < 0.2) or PACKET * len(self.queue) <= 2 * PACKET:
            return False
        if self.derandomise:
            self.accu_prob = self.accu_prob + self.drop_prob if self.drop_prob else 0.0
            if self.accu_prob < 0.85:
                return False
            if self.accu_prob >= 8.5:
                return True
        return u < self.drop_prob

    def deque(self, now: int) -> int:
        self.tick(now)
        packet = self.queue.popleft()
        self.current_qdelay = (now - packet.tstamp) / 1e9 if self.queue else 0.0
        return packet.number


class Fates(NamedTuple):
    """Of one user: packets numbered in their order of arrival, and slots that served it; nanoseconds."""

    arrived: list[int]
    served: list[int]
    dropped: list[tuple[int, int]]
    delivered: list[tuple[int, int]]


def whole_ns(seconds: NDArray[np.float64]) -> NDArray[np.int64]:
    return np.rint(np.nan_to_num(seconds) * 1e9).astype(np.int64)


def fates(result: airlink.Result, user: int) -> Fates:
    packets, slots = result.series("packets"), result.series("slots")
    assert set(packets["bytes"].tolist()) == {PACKET}
    ended = whole_ns(packets["ended_s"])
    refused = np.isnan(packets["queued_s"])
    came = np.where(refused, ended, whole_ns(packets["queued_s"]))
    rows = np.flatnonzero((packets["user"] == user) & (~refused | (packets["fate"] == AQM)))
    rows = rows[np.lexsort((packets["transmission"][rows], packets["flow"][rows], came[rows]))]

    def ends(fate: int) -> list[tuple[int, int]]:
        found = np.flatnonzero(packets["fate"][rows] == fate)
        return sorted(zip(found.tolist(), ended[rows][found].tolist(), strict=True), key=by_time)

    mine = (slots["user"] == user) & (slots["sent_bytes"] > 0)
    return Fates(came[rows].tolist(), (slots["slot"][mine] * SLOT).tolist(), ends(AQM), ends(DELIVERED))


def by_time(end: tuple[int, int]) -> tuple[int, int]:
    return end[::-1]


def assert_same(run: Fates, rule: CoDel | Pie, packets_a_slot: int, least_drops: int) -> None:
    """Enqueues and dequeues as the run did, arrivals first where both are at one moment."""
    delivered, number = [], 0
    for now in [*run.served, 2**62]:
        while number < len(run.arrived) and run.arrived[number] <= now:
            rule.enque(run.arrived[number], number)
            number += 1
        for _ in range(packets_a_slot if now < 2**62 else 0):
            if rule.queue:
                delivered.append((rule.deque(now), now + SLOT))
    assert len(run.dropped) >= least_drops
    assert run.dropped == sorted(rule.dropped, key=by_time)
    assert run.delivered == delivered


def run_of(*settings: str) -> airlink.Result:
    return airlink.run(CELL.override(list(settings)), seed=SEED, record=["packets", "slots"])


@pytest.mark.parametrize("packets_a_slot", [1, 2])
@pytest.mark.parametrize(("target_ms", "interval_ms"), [(5, 100), (20, 40)])
def test_codel_drops_what_the_rfc_drops(packets_a_slot: int, target_ms: int, interval_ms: int) -> None:
    rule = [f"queue.codel.target_ms={target_ms}", f"queue.codel.interval_ms={interval_ms}"]
    result = run_of("queue.kind=codel", f"link.rate.rates_bps=[{packets_a_slot * 12e6:g}]", *rule)
    assert_same(fates(result, 0), CoDel(target_ms * MS, interval_ms * MS), packets_a_slot, 20)


@pytest.mark.parametrize("packets_a_slot", [1, 2])
@pytest.mark.parametrize(("derandomise", "cap"), [(False, False), (True, False), (False, True), (True, True)])
def test_pie_refuses_what_the_rfc_refuses(packets_a_slot: int, derandomise: bool, cap: bool) -> None:
    rule = [f"queue.pie.derandomise={str(derandomise).lower()}", f"queue.pie.cap_steps={str(cap).lower()}"]
    result = run_of("queue.kind=pie", f"link.rate.rates_bps=[{packets_a_slot * 12e6:g}]", *rule)
    assert_same(fates(result, 0), Pie(derandomise=derandomise, cap=cap), packets_a_slot, 20)


@pytest.mark.parametrize("kind", ["codel", "pie"])
def test_users_who_fade_and_wait_for_slots_meet_the_same_rules(kind: str) -> None:
    """Three users share the slots; each has no rate for long. Nobody leaves meanwhile, and the rules go by who did."""
    fading = ["channel.fading.kind=rayleigh", "channel.fading.doppler_hz=2", "channel.placement.mean_snr_db=3"]
    result = run_of(f"queue.kind={kind}", "users=3", "scheduler.kind=proportional_fair", *fading)
    for user in range(3):
        run = fates(result, user)
        assert max(np.diff(run.served)) > 200 * MS
        assert_same(run, CoDel() if kind == "codel" else Pie(user=user), 1, 10)
