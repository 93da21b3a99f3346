"""Compiled code of one's own that the tests run: schedulers, controls and queues as numba cfuncs and in C."""

from __future__ import annotations

import importlib
from typing import Any

import own_code
from airlink.own import compiled

numba: Any = importlib.import_module("numba")

RATES, AVERAGES = compiled.column("rate_bps"), compiled.column("average_bps")
ACK, LOSS, MARK, TIMEOUT, IDLE = compiled.ACK, compiled.LOSS, compiled.MARK, compiled.TIMEOUT, compiled.IDLE


@numba.cfunc(compiled.metric_signature())  # type: ignore[untyped-decorator]
def fair(view: Any, metrics: Any) -> None:
    """R / A."""
    rate, average = RATES(view), AVERAGES(view)
    users, subchannels = rate.shape
    for user in range(users):
        for subchannel in range(subchannels):
            metrics[user * subchannels + subchannel] = rate[user, subchannel] / average[user]


@numba.cfunc(compiled.metric_signature())  # type: ignore[untyped-decorator]
def endless(view: Any, metrics: Any) -> None:
    """Does not come back."""
    while metrics[0] < 1e300 or view is not None:
        metrics[0] = 1.0


@numba.cfunc(compiled.control_signature())  # type: ignore[untyped-decorator]
def reno(kind: Any, events: Any, state: Any) -> None:
    """Reno (RFC 5681)."""
    event = numba.carray(events, 1)[0]
    window, threshold, mss = state[0], state[1], state[3]
    if kind == ACK and event.is_window_limited:
        if window < threshold:
            state[0] = window + min(event.acked_bytes, mss)
        else:
            state[0] = window + mss * mss / window
    elif kind in (LOSS, MARK) or (kind == TIMEOUT and not event.is_repeated):
        state[1] = max(0.5 * event.flight_bytes, 2 * mss)
        if not event.may_raise:
            state[1] = min(state[1], threshold)
        state[0] = state[1]
    if kind == TIMEOUT:
        state[0] = mss
    elif kind == IDLE:
        state[0] = max(event.window_bytes, mss)
        state[1] = event.slow_start_threshold_bytes


@numba.cfunc(compiled.metric_signature())  # type: ignore[untyped-decorator]
def lottery(view: Any, metrics: Any) -> None:
    """The slot's draw says who gets it."""
    slot = numba.carray(view, 1)[0]
    for user in range(slot.users):
        metrics[user] = user == int(slot.draw * slot.users)


LAST = compiled.STATE_OF_FLOW - 1


@numba.cfunc(compiled.control_signature())  # type: ignore[untyped-decorator]
def hesitant(kind: Any, events: Any, state: Any) -> None:
    """A window that grows with half of all ACKs, and halves."""
    mss, draw, event = state[3], state[LAST], numba.carray(events, 1)[0]
    if kind == ACK and draw < 0.5 and event.acked_bytes > 0:
        state[0] += mss
    elif kind in (LOSS, TIMEOUT):
        state[0] = max(state[0] / 2, mss)
        state[1] = state[0]


CODEL = numba.njit(own_code.codel)
STATE = compiled.STATE_OF_QUEUE


@numba.cfunc(compiled.queue_signature())  # type: ignore[untyped-decorator]
def codel(kind: Any, packets: Any, numbers: Any) -> int:
    """CoDel (RFC 8289)."""
    packet, state = numba.carray(packets, 1)[0], numba.carray(numbers, STATE)
    if kind == compiled.ARRIVAL:
        state[own_code.LARGEST] = max(state[own_code.LARGEST], packet.bytes)
    elif kind == compiled.EMPTY:
        state[own_code.UNTIL] = state[own_code.PHASE] = 0
    elif kind == compiled.HEAD:
        return int(CODEL(state, packet.now_s, packet.queued_s, packet.waiting_bytes))
    return compiled.PASS


QUEUES_IN_C = f"""
#include <stdint.h>
enum {{ START = {compiled.START}, ARRIVAL = {compiled.ARRIVAL}, MARKED = {compiled.MARKED}, DROP = {compiled.DROP} }};
struct packet;
int64_t coin(int64_t kind, const struct packet *packet, double *state) {{
    return kind == ARRIVAL && state[1] < 0.05 ? DROP : 0;
}}
int64_t marked(int64_t kind, const struct packet *packet, double *state) {{
    if (kind == START) state[0] = 30000;
    return kind == ARRIVAL && state[1] < 0.05 ? MARKED : 0;
}}
"""

FAIR_IN_C = """
#include <stdint.h>
struct view {
    int64_t slot; double now_s, slot_s; int64_t users, subchannels;
    const float *rate_bps, *reported_db; const double *mean_snr_db, *average_bps;
};
void fair(const struct view *view, double *metrics) {
    for (int64_t place = 0; place < view->users * view->subchannels; place++)
        metrics[place] = view->rate_bps[place] / view->average_bps[place / view->subchannels];
}
"""

LOTTERY_IN_C = """
#include <stdint.h>
struct view {
    int64_t slot; double now_s, slot_s; int64_t users, subchannels;
    const float *rate_bps, *reported_db;
    const double *mean_snr_db, *average_bps, *head_of_line_delay_s, *weight, *delay_budget_s;
    const uint8_t *eligible; const uint64_t *backlog_bytes, *retransmit_bytes; const int64_t *last_won;
    double *state; double draw;
};
void lottery(const struct view *view, double *metrics) {
    for (int64_t user = 0; user < view->users; user++)
        metrics[user] = user == (int64_t)(view->draw * view->users);
}
"""
