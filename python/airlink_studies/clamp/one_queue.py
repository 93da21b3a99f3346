"""A control: one queue for all users, first in, first out, in the place of one for each and proportional fair.

Under CLAMP it has one price, so that all flows are to have the same rate; what is lost is the choice of whom to serve.
Left out: a queue for each flow.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from airlink.report import above, at_most
from airlink.scenario import Scenario
from airlink.statistics import mean_interval, paired_difference, paired_ratio
from airlink_studies.clamp import comparison, fading_cell
from airlink_studies.clamp.comparison import Contender, Question, jain
from airlink_studies.clamp.fading_cell import CLAMP, FAST, NEW_RENO, SLOW

SHARED, SHARED_ALONE = "CLAMP, one queue", "New Reno, one queue"
AT_MS: Mapping[str, float] = {SLOW: 100.0, FAST: 150.0}
EQUAL, LOST = 0.95, 0.9
"""Jain's index that "the same rate" asks for, and the part of the throughput that "less" allows (chosen)."""
ONE_QUEUE = {"queue.scope": "cell", "scheduler": {"kind": "fifo"}}


def of(protocol: str, speed: str, shared: bool) -> Callable[[float], Scenario]:
    """The cell with a queue for each user or one for all: a, or the buffer -> scenario."""
    return lambda knob: fading_cell.cell(protocol, speed, knob, **(ONE_QUEUE if shared else {}))


CONTENDERS = tuple(
    contender
    for speed in AT_MS
    for contender in (
        Contender(CLAMP, speed, (10_000, 30_000, 60_000), (18_000, 60_000), of(CLAMP, speed, shared=False)),
        Contender(SHARED, speed, (5000, 30_000, 90_000), (28_000, 90_000), of(CLAMP, speed, shared=True)),
        Contender(NEW_RENO, speed, (15_000, 45_000, 100_000), (35_000, 90_000), of(NEW_RENO, speed, shared=False)),
        Contender(SHARED_ALONE, speed, (15_000, 60_000, 150_000), (45_000, 130_000), of(NEW_RENO, speed, shared=True)),
    )
)


def rows(curves: comparison.Curves) -> list[comparison.Row]:
    """One queue makes all flows equal under CLAMP, not under New Reno, and carries less."""
    found: list[comparison.Row] = []
    for letters, (speed, delay) in zip(("abc", "def"), AT_MS.items(), strict=True):
        own, shared, alone = (curves[name, speed].rates_at(delay) for name in (CLAMP, SHARED, SHARED_ALONE))
        where = f"{speed}, {delay:g} ms, one queue"
        found += [
            (f"22{letters[0]}", f"{where}: Jain's index under CLAMP", None, mean_interval(jain(shared)),
             above("index", EQUAL)),
            (f"22{letters[1]}", f"{where}: Jain's index under CLAMP less that under New Reno", None,
             paired_difference(jain(shared), jain(alone)), above("difference", 0.0)),
            (f"22{letters[2]}", f"{where}: throughput of all under CLAMP over that with a queue for each user", None,
             paired_ratio(shared.sum(axis=1), own.sum(axis=1)), at_most("ratio", LOST)),
        ]  # fmt: skip
    return found


def sentence(curves: comparison.Curves) -> str:
    """What came out."""
    told = []
    for speed, delay in AT_MS.items():
        own, shared, alone = (curves[name, speed].rates_at(delay) for name in (CLAMP, SHARED, SHARED_ALONE))
        told.append(
            f"at {speed} and {delay:g} ms of queueing Jain's index is {jain(shared).mean():.2f} in one queue under "
            f"CLAMP and {jain(alone).mean():.2f} under New Reno, at {shared.sum(axis=1).mean():.2f} Mb/s instead of "
            f"{own.sum(axis=1).mean():.2f} with a queue for each user and proportional fair"
        )
    return f"[004-22] One queue for all users: {'; '.join(told)}."


QUESTION = Question(
    name="fifo",
    title="One queue for all users",
    heading="Control: one queue for all users",
    caption="Jain's index of four flows in three queues under proportional fair, and in one queue for all users.",
    contenders=CONTENDERS,
    at_ms=AT_MS,
    rows=rows,
    sentence=sentence,
)
PART = comparison.part(QUESTION)
