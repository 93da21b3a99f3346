"""Code of one's own that the tests run: schedulers, congestion controls, queues, good and bad."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from airlink.own import Allocation, CongestionControl, Event, Packet, QueueManagement, Run, Verdict, View


class Fair:
    """Proportional fair by its equation."""

    def metric(self, view: View) -> NDArray[np.float64]:
        return view.rate_bps / view.average_bps[:, None]


class FlatFair:
    """The same with an element per user."""

    def metric(self, view: View) -> NDArray[np.float64]:
        return view.rate_bps[:, 0] / view.average_bps


class Granting:
    """Proportional fair, lowest index among equals, by grants."""

    def allocate(self, view: View, allocation: Allocation) -> None:
        metric = np.where(
            view.eligible[:, None] & (view.rate_bps > 0), view.rate_bps / view.average_bps[:, None], -np.inf
        )
        for subchannel, user in enumerate(metric.argmax(axis=0)):
            if metric[user, subchannel] > -np.inf:
                allocation.grant(subchannel, int(user))


class Weighing:
    """Fair among users by weights that it holds, with a draw of its own for each slot."""

    def __init__(self, weights: Sequence[float] = (1.0, 2.0)) -> None:
        self.weights = list(weights)
        self.slots = 0

    def start(self, run: Run) -> None:
        self.draws = run.stream(0)
        self.by_user = np.resize(np.array(self.weights), run.users)

    def metric(self, view: View) -> NDArray[np.float64]:
        self.slots += 1
        return self.by_user * (1 + 0.1 * self.draws.uniform()) * view.rate_bps[:, 0] / view.average_bps


class Reno(CongestionControl):
    """Reno (RFC 5681): slow start, congestion avoidance by ACKs, and the halving of what is in flight."""

    needs = ()

    def on_ack(self, event: Event) -> None:
        if not event.is_window_limited:
            return
        if self.window_bytes < self.slow_start_threshold_bytes:
            self.window_bytes += min(event.acked_bytes, self.mss_bytes)
        else:
            self.window_bytes += self.mss_bytes * self.mss_bytes / self.window_bytes

    def _cut(self, event: Event) -> None:
        most = float("inf") if event.may_raise else self.slow_start_threshold_bytes
        self.slow_start_threshold_bytes = min(max(0.5 * event.flight_bytes, 2 * self.mss_bytes), most)
        self.window_bytes = self.slow_start_threshold_bytes

    def on_loss(self, event: Event) -> None:
        self._cut(event)

    def on_timeout(self, event: Event) -> None:
        if not event.is_repeated:
            self._cut(event)
        self.window_bytes = self.mss_bytes


class OneSegment(CongestionControl):
    """A window that never opens."""

    needs = ("own_recovery",)

    def on_ack(self, event: Event) -> None:  # noqa: ARG002 - every control has it
        self.window_bytes = self.mss_bytes


class Lottery:
    """The slot's draw says who gets it."""

    def start(self, run: Run) -> None:
        self.draws = run.stream()

    def metric(self, view: View) -> NDArray[np.float64]:
        chosen = int(self.draws.uniform() * view.users)
        return np.where(np.arange(view.users) == chosen, 1.0, 0.0)


class Hesitant(CongestionControl):
    """A window that grows with half of all ACKs, and halves; each event has a draw."""

    needs = ("round_trips", "rate_samples", "pacing")

    def start(self, run: Run) -> None:
        self.draws = run.stream()
        self.draws.uniform()

    def _only_draw(self, event: Event) -> None:  # noqa: ARG002 - most events do no more
        self.draws.uniform()

    on_mark = on_recovered = on_idle = on_sent = on_lost = _only_draw

    def on_window_set(self, event: Event) -> None:
        self.draws.uniform()
        super().on_window_set(event)

    def on_restored(self, event: Event) -> None:
        self.draws.uniform()
        super().on_restored(event)

    def on_ack(self, event: Event) -> None:
        if self.draws.uniform() < 0.5 and event.acked_bytes > 0:
            self.window_bytes += self.mss_bytes

    def on_loss(self, event: Event) -> None:  # noqa: ARG002 - every control has it
        self.draws.uniform()
        self.window_bytes = max(self.window_bytes / 2, self.mss_bytes)
        self.slow_start_threshold_bytes = self.window_bytes

    on_timeout = on_loss


class DropNothing(QueueManagement):
    """Drop-tail."""

    chooses_drops = False


class Coin(QueueManagement):
    """Refuses each packet with the same probability."""

    def __init__(self, probability: float = 0.05) -> None:
        self.probability = probability

    def start(self, run: Run) -> None:
        self.draws = run.stream(0)

    def on_arrival(self, packet: Packet) -> Verdict:  # noqa: ARG002 - every queue has it
        return "drop" if self.draws.uniform() < self.probability else "pass"


class Marked(Coin):
    """The same with congestion marks, and a limit."""

    limit_bytes = 30_000.0

    def on_arrival(self, packet: Packet) -> Verdict:
        return "mark" if super().on_arrival(packet) == "drop" else "pass"


UNTIL, PHASE, NEXT, LAST, BEGAN_WITH, COUNT, HAS_DROPPED, LARGEST = range(2, 10)
"""Places of CoDel's state: until when packets must have waited too long, ns (0: they do not); 0, or 1 after the first
drop of a spell, 2 after that; when the next drop is due, ns; of the last spell that and the count with which it began;
the count; whether the packet before was dropped; the largest packet, bytes."""


def codel(state: NDArray[np.float64], now_s: float, queued_s: float, behind_bytes: float) -> int:
    """CoDel (RFC 8289) with its usual parameters at the head of a queue: 0 to pass, 2 to drop."""
    now_ns, queued_ns = np.floor(1e9 * now_s + 0.5), np.floor(1e9 * queued_s + 0.5)
    waits_too_long = now_ns - queued_ns >= 5e6 and behind_bytes > state[LARGEST]
    if not waits_too_long:
        state[UNTIL] = 0
    elif state[UNTIL] == 0:
        state[UNTIL] = now_ns + 1e8
    is_late = waits_too_long and now_ns >= state[UNTIL]
    had_dropped, state[HAS_DROPPED] = state[HAS_DROPPED], 0
    if state[PHASE] == 0:
        if is_late:
            state[PHASE] = state[HAS_DROPPED] = 1
        return 2 * int(is_late)
    if state[PHASE] == 1:
        reached = state[COUNT] - state[BEGAN_WITH]
        state[COUNT] = reached if reached > 1 and now_ns - state[LAST] < 16 * 1e8 else 1
        state[NEXT] = state[LAST] = now_ns + np.floor(0.1 / np.sqrt(state[COUNT]) * 1e9 + 0.5)
        state[BEGAN_WITH], state[PHASE] = state[COUNT], 2
        return 0
    if not is_late:
        state[PHASE] = 0
        return 0
    if had_dropped:
        state[NEXT] += np.floor(0.1 / np.sqrt(state[COUNT]) * 1e9 + 0.5)
    state[LAST] = state[NEXT]
    if now_ns < state[NEXT]:
        return 0
    state[COUNT] += 1
    state[HAS_DROPPED] = 1
    return 2


class Codel(QueueManagement):
    """CoDel (RFC 8289)."""

    def start(self, run: Run) -> None:  # noqa: ARG002 - every queue has it
        self.state = np.zeros(32)

    def on_arrival(self, packet: Packet) -> Verdict:
        self.state[LARGEST] = max(self.state[LARGEST], packet.bytes)
        return "pass"

    def on_empty(self) -> None:
        self.state[UNTIL] = self.state[PHASE] = 0

    def on_head(self, packet: Packet) -> Verdict:
        return "drop" if codel(self.state, packet.now_s, packet.queued_s, packet.waiting_bytes) else "pass"


class Uncopyable:
    """Fair, with what can't be copied in its state."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.numbers = (number for number in itertools.count())

    def metric(self, view: View) -> NDArray[np.float64]:
        with self.lock:
            next(self.numbers)
        return view.rate_bps / view.average_bps[:, None]


class Failing:
    """Raises in slot 7."""

    def metric(self, view: View) -> NDArray[np.float64]:
        if view.slot == 7:
            raise ZeroDivisionError("a divisor is 0")
        return view.rate_bps


class WrongShape:
    """A row too few."""

    def metric(self, view: View) -> NDArray[np.float64]:
        return view.rate_bps[1:]


class Masked:
    """A mask says who may win."""

    def metric(self, view: View) -> NDArray[np.float64]:
        return np.ma.masked_where(~view.eligible[:, None], view.rate_bps)


class WrongKind:
    """Texts."""

    def metric(self, view: View) -> object:
        return ["a"] * view.users


class NoNumbers:
    """NaN for user 0."""

    def metric(self, view: View) -> NDArray[np.float64]:
        metric = np.ones((view.users, view.subchannels))
        metric[0] = np.nan
        return metric


class Endless:
    """Says that it has begun, by a file, and does not come back."""

    def metric(self, view: View) -> NDArray[np.float64]:  # noqa: ARG002 - every metric has it
        Path("begun").touch()
        while True:
            pass


class Silent:
    """NaN for everybody."""

    def metric(self, view: View) -> NDArray[np.float64]:
        return np.full(view.users, np.nan)


class Writing:
    """Writes into what it sees."""

    def metric(self, view: View) -> NDArray[np.float64]:
        rate = view.rate_bps
        rate[0, 0] = 1.0
        return rate
