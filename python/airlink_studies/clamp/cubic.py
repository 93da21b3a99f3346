"""Beyond the paper: CLAMP with CUBIC senders, today's, beside New Reno's.

Under CLAMP the receiver's window governs, so that it should not matter what the sender runs; alone it does. Left out:
HyStart and the other things that a sender of today has beside CUBIC.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from airlink.report import between
from airlink.scenario import Scenario
from airlink.statistics import paired_ratio
from airlink_studies.clamp import comparison, fading_cell
from airlink_studies.clamp.comparison import Contender, Question, jain
from airlink_studies.clamp.fading_cell import CLAMP, FAST, NEW_RENO, SLOW

WITH_CUBIC, CUBIC = "CLAMP, CUBIC", "CUBIC"
AT_MS: Mapping[str, float] = {SLOW: 50.0, FAST: 100.0}
EQUAL = 0.03
"""What "as with New Reno" allows, either way (chosen)."""
A_BYTES, QUICK_A_BYTES = (5000, 15_000, 30_000), (8000, 28_000)
BUFFERS_BYTES = (15_000, 30_000, 60_000)
CUBIC_BUFFERS_BYTES = (10_000, 25_000, 50_000)


def of(protocol: str, speed: str, sender: str) -> Callable[[float], Scenario]:
    """The cell with that congestion control: a, or the buffer -> scenario."""
    return lambda knob: fading_cell.cell(protocol, speed, knob, **{"flows.*.tcp.congestion_control": sender})


CONTENDERS = tuple(
    contender
    for speed in AT_MS
    for contender in (
        Contender(CLAMP, speed, A_BYTES, QUICK_A_BYTES, of(CLAMP, speed, "new_reno")),
        Contender(WITH_CUBIC, speed, A_BYTES, QUICK_A_BYTES, of(CLAMP, speed, "cubic")),
        Contender(NEW_RENO, speed, BUFFERS_BYTES, (20_000, 50_000), of(NEW_RENO, speed, "new_reno")),
        Contender(CUBIC, speed, CUBIC_BUFFERS_BYTES, (18_000, 45_000), of(NEW_RENO, speed, "cubic")),
    )
)


def rows(curves: comparison.Curves) -> list[comparison.Row]:
    """Fairness and throughput are those with New Reno."""
    found: list[comparison.Row] = []
    equal = between("ratio", 1 - EQUAL, 1 + EQUAL)
    for letters, (speed, delay) in zip(("ab", "cd"), AT_MS.items(), strict=True):
        cubic, reno = (curves[name, speed].rates_at(delay) for name in (WITH_CUBIC, CLAMP))
        where = f"CLAMP, {speed}, {delay:g} ms"
        found += [
            (f"19{letters[0]}", f"{where}: Jain's index with CUBIC over that with New Reno", None,
             paired_ratio(jain(cubic), jain(reno)), equal),
            (f"19{letters[1]}", f"{where}: throughput of all with CUBIC over that with New Reno", None,
             paired_ratio(cubic.sum(axis=1), reno.sum(axis=1)), equal),
        ]  # fmt: skip
    return found


def sentence(curves: comparison.Curves) -> str:
    """What came out."""
    names = {
        WITH_CUBIC: "with CUBIC and CLAMP",
        CLAMP: "with New Reno and CLAMP",
        CUBIC: "with CUBIC alone",
        NEW_RENO: "with New Reno alone",
    }
    return f"[004-19] CLAMP with CUBIC senders: {comparison.compared(curves, AT_MS, names)}."


QUESTION = Question(
    name="cubic",
    title="CLAMP with CUBIC senders",
    heading="Beyond the paper: CLAMP with CUBIC senders",
    caption="Jain's index of four flows in three queues, New Reno's and CUBIC's, under CLAMP and alone.",
    contenders=CONTENDERS,
    at_ms=AT_MS,
    rows=rows,
    sentence=sentence,
)
PART = comparison.part(QUESTION)
