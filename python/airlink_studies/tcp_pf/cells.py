"""Controls in four cells: a rule of TCP with little effect in profile K3 may change size or sign of the gain elsewhere.

Every control changes one assumption of a cell, on the runs of the cell. Left out: the weights of the metric, which are
swept under K3 alone (controls.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from airlink_studies.tcp_pf.controls import AWARE, AWARE_ARQ, BASE, CONTROLS, LOSSLESS, TCP, Control

AS_IT_IS, EXACT = "as it is", "exact timer"
CELLS: Sequence[Control] = (
    Control(BASE, "", {}),
    *(next(control for control in CONTROLS if control.name == name) for name in (AWARE, AWARE_ARQ, LOSSLESS)),
)
"""Profile K3, and the cells in which users without data cannot win, or the link retransmits lost frames, or both."""


def _tcp(name: str, meaning: str, **changes: object) -> Control:
    return Control(name, meaning, {f"{TCP}.{path.replace('__', '.')}": value for path, value in changes.items()})


TCP_RULES: Sequence[Control] = (
    _tcp(EXACT, "the timer expires exactly when the RTO is over", rto__next_tick=False),
    _tcp("min RTO 0.5 s", "the minimum RTO is 0.5 s", rto__min_ms=500.0),
    _tcp("min RTO 1 s", "the minimum RTO is 1 s", rto__min_ms=1000.0),
    _tcp("variance floor", "the RTO's variance term has a floor of one tick", rto__variance_floor=True),
    _tcp("guard", "TCP ignores duplicate ACKs of its own resends", rules__careful_fast_retransmit=True),
    _tcp("NewReno", "TCP is NewReno", congestion_control="new_reno"),
    _tcp(
        "NewReno + guard",
        "TCP is NewReno and has the guard",
        congestion_control="new_reno",
        rules__careful_fast_retransmit=True,
    ),
)


def _users(count: int) -> Control:
    """Phi(0) and Sigma(0) are the number of users and its square, as in K3."""
    gaps = {"initial_gap_mean_slots": float(count), "initial_gap_square_slots2": float(count**2)}
    return Control(f"{count} users", f"the cell has {count} users", {"users": count}, gaps, same_drops=False)


def _speed(kmh: float) -> Control:
    changes = {"channel.motion.speed_kmh": kmh, "channel.fading.doppler_hz": round(55.56 * kmh / 30, 2)}
    return Control(f"{kmh:g} km/h", f"users move at {kmh:g} km/h", changes, same_drops=False)


CELL_RULES: Sequence[Control] = (
    Control("50-packet queues", "a user's queue holds 50 packets", {"queue.limit_packets": 50}),
    _users(10),
    _users(40),
    _speed(3.0),
    _speed(120.0),
    Control("vacation alone", "the metric has the vacation term alone", {}, {"terms": "vacation"}),
    Control("queue alone", "the metric has the queue term alone", {}, {"terms": "queue"}),
    Control(
        "s beside slots",
        "the vacation is in seconds beside Q/A in slots",
        {},
        {"vacation_unit": "seconds_beside_slots"},
    ),
)
"""The cell, and the effect of each term of the metric."""


def in_cell(cell: Control, rule: Control) -> Control:
    """A cell with one assumption changed."""
    return replace(
        cell,
        name=f"{cell.name}: {rule.name}",
        changes={**cell.changes, **rule.changes},
        metric={**cell.metric, **rule.metric},
    )


def all_rules() -> Iterator[tuple[Control, Control, Control]]:
    """Every cell, every rule, and every pair of them."""
    for cell in CELLS:
        for rule in (*TCP_RULES, *CELL_RULES):
            yield cell, rule, in_cell(cell, rule)


def labels(rule: Control, together: Control) -> Mapping[str, str]:
    """Scheduler -> label of its scenario; if a rule does not change PF, PF has the label of the cell."""
    return {kind: f"{together.name}/{kind}" for kind in rule.touched}
