"""Fig. 10 and claim [004-9]: the same experiment with 620 kHz and 1.44 Mb/s, and where total throughput has its knee.

Claims were written down before anything was run at the low rate, but 9j to 9m, of the wait alone, and 9n to 9q, of
bytes, after a look. Left out: how the curves are run (delays.py), and sizes of the buffer between these (lock_out.py).
"""

from __future__ import annotations

from collections.abc import Mapping

from airlink.report import Bounds, Claim, Illustration, Sheet, Statement, at_least, at_most, plus_minus
from airlink.statistics import mean_interval, paired_difference, paired_ratio
from airlink_studies.clamp import delay_figures
from airlink_studies.clamp.curves import Curve, knee_ms, of_queues
from airlink_studies.clamp.delay_claims import (
    ABOUT,
    FIRST,
    FOURTH,
    LONG_MS,
    NEARLY,
    SECOND,
    SIGNIFICANT,
    THIRD,
    Curves,
    Row,
    near,
    of_two,
    spread,
)
from airlink_studies.clamp.fading_cell import CLAMP, FAST, NEW_RENO, SLOW
from airlink_studies.clamp.trajectories import Floats

KNOBS_BYTES: Mapping[tuple[str, str], tuple[int, ...]] = {
    (CLAMP, SLOW): (0, 1000, 2500, 5000, 10_000, 17_000, 25_000),
    (NEW_RENO, SLOW): (3000, 4500, 7500, 12_000, 20_000, 30_000, 45_000),
    (CLAMP, FAST): (0, 500, 1500, 3000, 6000, 10_000, 16_000),
    (NEW_RENO, FAST): (3000, 4500, 7500, 12_000, 20_000, 30_000),
}
"""Values of a and of the buffer (chosen)."""
PACKET_BYTES, PAYLOAD_BYTES = 1500, 1460
KNEE = 0.9
"""The knee is where total throughput comes to this share of its highest value (chosen)."""

AFTER_A_LOOK = ("9j", "9k", "9l", "9m")
"""Claims of the wait alone."""


def judged(low: Curves, high: Curves, profile: str) -> list[Claim]:
    """All of [004-9]."""
    rows = [*_conclusions(low), *_knees(low, high)]
    return [
        Statement(f"004-{name}", words, paper, after_run=name in AFTER_A_LOOK).against(estimate, bounds, profile)
        for name, words, paper, estimate, bounds in rows
    ]


def _conclusions(low: Curves) -> list[Row]:
    clamp, alone = low[CLAMP, FAST], low[NEW_RENO, FAST]
    where = f"low rate, 10 m/s, {LONG_MS:g} ms"
    return [
        ("9a", f"New Reno, {where}: rate of the 30 ms flow over the 130 ms flow's", "as at the high rate: more",
         of_two(alone, FIRST, SECOND, LONG_MS), at_least("ratio", SIGNIFICANT)),
        ("9b", f"New Reno, {where}: rate of the 10 ms flow over the 180 ms flow's", "as at the high rate: more",
         of_two(alone, THIRD, FOURTH, LONG_MS), at_least("ratio", SIGNIFICANT)),
        ("9c", f"CLAMP, {where}: largest rate of the three queues over the least", "fair across users",
         mean_interval(spread(clamp, LONG_MS)), at_most("ratio", 1 + ABOUT)),
        ("9d", f"CLAMP, {where}: rate of the 10 ms flow over the 180 ms flow's", "fair automatically",
         of_two(clamp, THIRD, FOURTH, LONG_MS), near("ratio", ABOUT)),
        ("9e", f"{where}: total throughput, CLAMP over New Reno", "not increased",
         paired_ratio(clamp.total_at(LONG_MS), alone.total_at(LONG_MS)), near("ratio", NEARLY)),
    ]  # fmt: skip


def _knees(low: Curves, high: Curves) -> list[Row]:
    rows: list[Row] = []
    lower = Bounds("difference", high=0.0, high_open=True)
    kinds = (("fghi", "delay, ms"), ("jklm", "wait for the head of the queue, ms"), ("nopq", "kB in the queues"))
    for (letters, what), of in zip(kinds, KNEES, strict=True):
        for letter, (protocol, speed) in zip(letters, high, strict=True):
            slow, quick = (of(each[protocol, speed]) for each in (low, high))
            rows.append(
                (f"9{letter}", f"{protocol}, {speed}: {what}, at the knee of total throughput, low less high rate",
                 "lower", paired_difference(slow[: quick.size], quick[: slow.size]), lower)
            )  # fmt: skip
    return rows


def knee(curve: Curve, *, waiting: bool = False) -> Floats:
    """Array [seed]: the mean queueing delay at the knee; the wait for the head of the queue alone, if asked for."""
    delay = (curve.whole.delays_ms - curve.whole.serving_ms).mean(axis=2) if waiting else curve.delay_ms
    return knee_ms(delay, curve.total_mbps, KNEE)


def knee_waiting(curve: Curve) -> Floats:
    """Array [seed]: the wait for the head of the queue at the knee, ms."""
    return knee(curve, waiting=True)


def knee_kbytes(curve: Curve) -> Floats:
    """Array [seed]: kB in all three queues at the knee, by Little's law: rate times delay, summed over queues."""
    rates = of_queues(curve.rates_mbps) * (0.125 * PACKET_BYTES / PAYLOAD_BYTES)  # kB / ms
    return knee_ms((rates * curve.whole.delays_ms).sum(axis=2), curve.total_mbps, KNEE)


KNEES = (knee, knee_waiting, knee_kbytes)


def figure_10(low: Mapping[tuple[str, str], Curve]) -> list[Illustration]:
    """Both panels on one scale."""
    highest = 1.05 * max(float(low[each, FAST].rates_mbps.mean(axis=1).max()) for each in (CLAMP, NEW_RENO))
    return [
        delay_figures.rates(low[each, FAST], f"fig10-{name}", f"{each}, {FAST}, at most 1.44 Mb/s", highest)
        for name, each in (("clamp", CLAMP), ("new-reno", NEW_RENO))
    ]


def knees_sheet(low: Curves, high: Curves) -> Sheet:
    """Delays at the knees, to the delivery and to the head of the queue."""
    rows = [
        (f"{protocol}, {speed}", *(plus_minus(mean_interval(of(each[protocol, speed])), 0)
         for of in KNEES for each in (high, low)))
        for protocol, speed in high
    ]  # fmt: skip
    note = (
        f"Mean queueing delay, ms, at which total throughput comes to {100 * KNEE:g} % of the curve's highest, at "
        "highest rates of 10 and of 1.44 Mb/s; then without the time that a packet spends at the head of its queue, "
        "which a slow channel makes long; then kB in the three queues."
    )
    columns = ("curve", "delay 10", "1.44", "wait 10", "1.44", "kB 10", "1.44")
    return Sheet("Knees of total throughput", columns, rows, note)
