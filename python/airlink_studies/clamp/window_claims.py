"""Claims [004-7], [004-8] and the rest of [004-13]: who holds the window, and when queues run empty.

Written down before anything was recorded; but that slow fading has no 350 ms to look at was found then. Bounds that the
paper gives no number for are chosen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from airlink.report import Bounds, Claim, Statement, above, at_least, at_most
from airlink.statistics import mean_interval, paired_difference, paired_ratio
from airlink_studies.clamp.fading_cell import CLAMP, FAST, NEW_RENO, SLOW

if TYPE_CHECKING:
    from airlink_studies.clamp.delay_claims import Row
    from airlink_studies.clamp.windows import Outcomes

ALMOST_ALWAYS, VERY_VARIABLE, AS_MUCH = 0.9, 0.5, 0.7
"""What "almost always", "very variable" (deviation over mean) and "not particularly reduced" ask for (chosen)."""
DRAINS, STOPS = 0.01, 0.01
"""Share of the time from which on an empty queue is said to drain, and up to which it does not (chosen)."""
BRIEF_S = 1.0
"""What "very brief periods" allows (chosen before their length was looked at)."""
LOWER = Bounds("difference", high=0.0, high_open=True)


def judged(found: Outcomes, profile: str) -> list[Claim]:
    """All whose cases were run."""
    rows = [*_control(found), *_queues(found), *_draining(found)]
    if (CLAMP, FAST, 350) in found.outcomes:
        rows += _beyond(found)
    return [
        Statement(f"004-{name}", words, paper).against(estimate, bounds, profile)
        for name, words, paper, estimate, bounds in rows
    ]


def _control(found: Outcomes) -> list[Row]:
    near, far = (found.outcomes[CLAMP, FAST, delay] for delay in (50, 180))
    others = [near.mean("clamped", flow).mean() for flow in (1, 2, 3)]
    worst = 1 + others.index(min(others))
    return [
        ("7a", "CLAMP, 10 m/s, 50 ms: share of the time with AWND below CWND, 30 ms flow", "almost always",
         mean_interval(near.mean("clamped", 0)), at_least("share", ALMOST_ALWAYS)),
        ("7b", "CLAMP, 10 m/s: that share, 180 less 50 ms", "less often",
         paired_difference(far.mean("clamped", 0), near.mean("clamped", 0)), LOWER),
        ("7c", "CLAMP, 10 m/s, 50 ms: the least share of the other flows", "similar",
         mean_interval(near.mean("clamped", worst)), at_least("share", ALMOST_ALWAYS)),
        ("7d", "CLAMP, 10 m/s: losses of control a minute, 30 ms flow, 180 less 50 ms", "higher frequency",
         paired_difference(far.mean("losses_per_minute", 0), near.mean("losses_per_minute", 0)),
         above("difference", 0.0)),
        ("7e", "CLAMP, 10 m/s: mean length of a loss of control, s, 30 ms flow, 180 less 50 ms", "higher duration",
         paired_difference(far.mean("loss_s", 0), near.mean("loss_s", 0)), above("difference", 0.0)),
        ("7f", "CLAMP, 10 m/s, 50 ms: mean length of a loss of control, s, 30 ms flow", "very brief",
         mean_interval(near.mean("loss_s", 0)), at_most("s", BRIEF_S)),
    ]  # fmt: skip


def _queues(found: Outcomes) -> list[Row]:
    rows: list[Row] = []
    for delay, letters in ((50, "abc"), (180, "def")):
        clamp, alone = (found.outcomes[each, FAST, delay] for each in (CLAMP, NEW_RENO))
        rows += [
            (f"8{letters[0]}", f"CLAMP, 10 m/s, {delay} ms: deviation of the 130 ms flow's queue over its mean",
             "very variable", mean_interval(clamp.variation[:, 1]), at_least("ratio", VERY_VARIABLE)),
            (f"8{letters[1]}", f"10 m/s, {delay} ms: deviation of that queue, CLAMP over New Reno",
             "not particularly reduced",
             paired_ratio(clamp.mean("deviation_bytes", 1), alone.mean("deviation_bytes", 1)),
             at_least("ratio", AS_MUCH)),
            (f"8{letters[2]}", f"10 m/s, {delay} ms: share of the time with that queue empty, New Reno less CLAMP",
             "higher", paired_difference(alone.mean("empty", 1), clamp.mean("empty", 1)), above("difference", 0.0)),
        ]  # fmt: skip
    clamp, alone = (found.outcomes[each, FAST, 50] for each in (CLAMP, NEW_RENO))
    return [
        *rows,
        ("8g", "10 m/s, 50 ms: mean of that queue, New Reno over CLAMP", "lower",
         paired_ratio(alone.mean("queue_bytes", 1), clamp.mean("queue_bytes", 1)),
         Bounds("ratio", high=1.0, high_open=True)),
    ]  # fmt: skip


def _draining(found: Outcomes) -> list[Row]:
    near, far = (found.outcomes[CLAMP, SLOW, delay] for delay in (50, 180))
    return [
        ("13f", "CLAMP, 0.1 m/s, 50 ms: share of the time with the queue of the 130 ms flow empty", "drains",
         mean_interval(near.mean("empty", 1)), at_least("share", DRAINS)),
        ("13g", "CLAMP, 0.1 m/s, 180 ms: share of the time with the queue of the 130 ms flow empty", "does not drain",
         mean_interval(far.mean("empty", 1)), at_most("share", STOPS)),
        ("13h", "CLAMP, 0.1 m/s, 50 ms: share of the time with the queue of the 30 ms flow empty", "does not drain",
         mean_interval(near.mean("empty", 0)), at_most("share", STOPS)),
    ]  # fmt: skip


def _beyond(found: Outcomes) -> list[Row]:
    rows: list[Row] = [
        ("13i", "CLAMP, 0.1 m/s, 250 ms: share of the time with the queue of 10 and 180 ms empty", "does not drain",
         mean_interval(found.outcomes[CLAMP, SLOW, 250].mean("empty", 2)), at_most("share", STOPS)),
    ]  # fmt: skip
    for letter, speed, beyond in (("j", SLOW, 250), ("k", FAST, 350)):
        near, far = (found.outcomes[CLAMP, speed, delay] for delay in (180, beyond))
        rows.append(
            (f"13{letter}", f"CLAMP, {speed}: share of the time with AWND below CWND, 10 ms flow, {beyond} less 180 ms",
             "loses control", paired_difference(far.mean("clamped", 2), near.mean("clamped", 2)), LOWER)
        )  # fmt: skip
    return rows
