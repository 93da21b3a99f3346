"""Beyond the paper: slow fading made fast by random beams that turn, opportunistic beamforming [Viswanath02].

The paper finds CLAMP fairer in fast fading, where queues have no time to run dry, but slots are lost there.
Antennas that fade slowly, under weights common to all users that turn, make the channel change as fast as one likes
while it stays known. Left out: what beams cost in pilots, and beams that are pointed at anyone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from airlink.report import above
from airlink.scenario import Scenario
from airlink.statistics import paired_difference, paired_ratio
from airlink_studies.clamp import comparison, fading_cell
from airlink_studies.clamp.comparison import Contender, Question, jain
from airlink_studies.clamp.fading_cell import CLAMP, NEW_RENO, SLOW

CALM, QUICK = "CLAMP, beams at 2 Hz", "CLAMP, beams at 10 Hz"
TURNS_HZ: Mapping[str, float] = {CALM: 2.0, QUICK: 10.0}
"""Largest frequency of a weight (chosen): some times that of fading; so fast that reports of a slot's age are late."""
BEAMS_ALONE = "New Reno, beams at 2 Hz"
AT_MS: Mapping[str, float] = {SLOW: 50.0}


def of(protocol: str, turn_hz: float | None) -> Callable[[float], Scenario]:
    """The cell in slow fading, with beams that turn so fast or without: a, or the buffer -> scenario."""
    changes: dict[str, Any] = {}
    if turn_hz is not None:
        changes = {"channel.beamforming": {"kind": "opportunistic", "turn_hz": turn_hz}}
    return lambda knob: fading_cell.cell(protocol, SLOW, knob, **changes)


A_BYTES, QUICK_A_BYTES = (2000, 12_000, 25_000), (5000, 25_000)
BUFFERS_BYTES, QUICK_BUFFERS_BYTES = (15_000, 30_000, 60_000), (20_000, 50_000)
CONTENDERS = (
    Contender(CLAMP, SLOW, A_BYTES, QUICK_A_BYTES, of(CLAMP, None)),
    *(Contender(name, SLOW, A_BYTES, QUICK_A_BYTES, of(CLAMP, turn_hz)) for name, turn_hz in TURNS_HZ.items()),
    Contender(NEW_RENO, SLOW, BUFFERS_BYTES, QUICK_BUFFERS_BYTES, of(NEW_RENO, None)),
    Contender(BEAMS_ALONE, SLOW, BUFFERS_BYTES, QUICK_BUFFERS_BYTES, of(NEW_RENO, TURNS_HZ[CALM])),
)


def rows(curves: comparison.Curves) -> list[comparison.Row]:
    """Beams make CLAMP fairer, and carry more."""
    found: list[comparison.Row] = []
    still = curves[CLAMP, SLOW].rates_at(AT_MS[SLOW])
    for letters, (name, turn_hz) in zip(("ab", "cd"), TURNS_HZ.items(), strict=True):
        beams = curves[name, SLOW].rates_at(AT_MS[SLOW])
        where = f"CLAMP, {SLOW}, {AT_MS[SLOW]:g} ms, beams that turn at {turn_hz:g} Hz"
        found += [
            (f"21{letters[0]}", f"{where}: Jain's index less that without", None,
             paired_difference(jain(beams), jain(still)), above("difference", 0.0)),
            (f"21{letters[1]}", f"{where}: throughput of all over that without", None,
             paired_ratio(beams.sum(axis=1), still.sum(axis=1)), above("ratio", 1.0)),
        ]  # fmt: skip
    return found


def sentence(curves: comparison.Curves) -> str:
    """What came out."""
    words = [(CLAMP, "without beams"), *((name, f"with beams at {hz:g} Hz") for name, hz in TURNS_HZ.items())]
    told = []
    for name, how in words:
        rates = curves[name, SLOW].rates_at(AT_MS[SLOW])
        told.append(f"{jain(rates).mean():.3f} and {rates.sum(axis=1).mean():.2f} Mb/s {how}")
    return (
        f"[004-21] Slow fading made fast by beams: at {SLOW} and {AT_MS[SLOW]:g} ms of queueing Jain's index and "
        f"throughput under CLAMP are {', '.join(told)}."
    )


QUESTION = Question(
    name="beams",
    title="Opportunistic beams",
    heading="Beyond the paper: slow fading made fast by opportunistic beams",
    caption="Jain's index of four flows in three queues at walking pace, with random beams that turn and without.",
    contenders=CONTENDERS,
    at_ms=AT_MS,
    rows=rows,
    sentence=sentence,
)
PART = comparison.part(QUESTION)
