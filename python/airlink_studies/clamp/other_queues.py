"""Beyond the paper: CLAMP against CoDel and PIE at the same mean queueing delay.

Downloads by New Reno; what keeps queues short is the price of CLAMP, CoDel, PIE or a small buffer. Left out: ECN marks,
and a queue for each flow, which makes the flows of a user equal by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from airlink.report import above
from airlink.scenario import Scenario
from airlink.statistics import paired_difference, paired_ratio
from airlink_studies.clamp import comparison, fading_cell
from airlink_studies.clamp.comparison import Contender, Question, jain
from airlink_studies.clamp.fading_cell import CLAMP, FAST, NEW_RENO, SLOW
from airlink_studies.clamp.setting import CLAMP_BUFFER_BYTES

CODEL, PIE = "CoDel", "PIE"
AT_MS: Mapping[str, float] = {SLOW: 50.0, FAST: 100.0}
"""The paper's "moderate" delay, and a delay that all queues reach in fast fading."""
NO_LESS = 0.97
"""Relative tolerance of "carries no less" (chosen)."""


def managed(kind: str, speed: str) -> Callable[[float], Scenario]:
    """The cell with queues under CoDel or PIE: target in ms -> scenario."""

    def scenario(target_ms: float) -> Scenario:
        changes = {"queue.kind": kind, f"queue.{kind}.target_ms": float(target_ms)}
        return fading_cell.cell(NEW_RENO, speed, CLAMP_BUFFER_BYTES, **changes)

    return scenario


def own(protocol: str, speed: str) -> Callable[[float], Scenario]:
    """The cell of the paper: a under CLAMP, or the buffer of New Reno alone -> scenario."""
    return lambda knob: fading_cell.cell(protocol, speed, knob)


CONTENDERS = (
    Contender(CLAMP, SLOW, (2000, 10_000, 20_000, 40_000), (8000, 25_000), own(CLAMP, SLOW)),
    Contender(CODEL, SLOW, (10, 60, 120, 200), (20, 160), managed("codel", SLOW)),
    Contender(PIE, SLOW, (10, 40, 80), (10, 80), managed("pie", SLOW)),
    Contender(NEW_RENO, SLOW, (15_000, 30_000, 60_000), (20_000, 45_000), own(NEW_RENO, SLOW)),
    Contender(CLAMP, FAST, (5000, 15_000, 30_000), (8000, 28_000), own(CLAMP, FAST)),
    Contender(CODEL, FAST, (20, 100, 180), (50, 170), managed("codel", FAST)),
    Contender(PIE, FAST, (20, 60, 120), (20, 120), managed("pie", FAST)),
    Contender(NEW_RENO, FAST, (15_000, 30_000, 60_000), (22_000, 50_000), own(NEW_RENO, FAST)),
)


def rows(curves: comparison.Curves) -> list[comparison.Row]:
    """CLAMP is fairer than either, at either speed, and carries no less."""
    found: list[comparison.Row] = []
    pairs = [(speed, other) for speed in AT_MS for other in (CODEL, PIE)]
    for fairer, carries, (speed, other) in zip("abcd", "efgh", pairs, strict=True):
        clamp, its = (curves[name, speed].rates_at(AT_MS[speed]) for name in (CLAMP, other))
        where = f"{speed}, {AT_MS[speed]:g} ms"
        found += [
            (f"18{fairer}", f"{where}: Jain's index under CLAMP less that under {other}", None,
             paired_difference(jain(clamp), jain(its)), above("difference", 0.0)),
            (f"18{carries}", f"{where}: throughput of all under CLAMP over that under {other}", None,
             paired_ratio(clamp.sum(axis=1), its.sum(axis=1)), above("ratio", NO_LESS)),
        ]  # fmt: skip
    return found


def sentence(curves: comparison.Curves) -> str:
    """What came out."""
    names = {CLAMP: "under CLAMP", CODEL: "under CoDel", PIE: "under PIE", NEW_RENO: "with a small buffer"}
    return f"[004-18] CLAMP against CoDel and PIE at the same queue: {comparison.compared(curves, AT_MS, names)}."


QUESTION = Question(
    name="aqm",
    title="CLAMP, CoDel and PIE",
    heading="Beyond the paper: CLAMP against CoDel and PIE at the same queue",
    caption="Jain's index of four flows whose three queues are kept short by CLAMP, CoDel, PIE or a small buffer.",
    contenders=CONTENDERS,
    at_ms=AT_MS,
    rows=rows,
    sentence=sentence,
)
PART = comparison.part(QUESTION)
