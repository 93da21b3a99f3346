"""Beyond the paper: HARQ that combines instead of attempts that are decoded alone, in fast fading.

The paper's link says of a slot that it arrives or not by one threshold, which leaves nothing to combine. So both sides
have LTE's schemes up to 2.4 bits a symbol (10.3 Mb/s, about the paper's highest rate), blocks that are lost as by the
normal approximation, and reports that follow the share of first transmissions lost, at the target that suits each
side. Left out: what feedback costs; a round trip longer than a slot.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from airlink.report import above, between
from airlink.scenario import MCS_SETS, Scenario
from airlink.statistics import paired_difference, paired_ratio
from airlink_studies.clamp import comparison, fading_cell
from airlink_studies.clamp.comparison import Contender, Question, jain
from airlink_studies.clamp.fading_cell import CLAMP, FAST

BANDWIDTH_HZ = 4.3e6
"""Of the paper's link (given)."""
SET, SCHEMES = "cqi-64qam", 9
ATTEMPTS = 15
"""Of a block, then its packets are dropped (given for fast fading)."""
AT_MS: Mapping[str, float] = {FAST: 100.0}
A_BYTES, QUICK_A_BYTES = (3000, 12_000, 25_000), (5000, 25_000)
DROPS, CHASE, INCREMENTAL = "drops", "chase", "incremental_redundancy"
WORDS = {DROPS: "attempts alone", CHASE: "chase combining", INCREMENTAL: "incremental redundancy"}
TARGETS = {DROPS: (0.1, 0.3, 0.6), CHASE: (0.6,), INCREMENTAL: (0.6,)}
"""Share of first transmissions that may be lost (chosen): of attempts alone the best is between the outer two."""
ALONE, CHASED, REDUNDANT = "attempts alone, 30 %", "chase combining, 60 %", "incremental redundancy, 60 %"
GAIN, EQUAL = 1.05, 0.02
"""What "carries more" asks for, and what "as fair" allows in Jain's index, either way (chosen)."""


def link(kind: str, target: float) -> dict[str, Any]:
    """The changes of the cell's link."""
    schemes = MCS_SETS[SET]
    rate = {
        "kind": "mcs",
        "set": "custom",
        "bits_per_symbol": schemes.bits_per_symbol[:SCHEMES],
        "code_rates": schemes.code_rates[:SCHEMES],
        "bandwidth_hz": BANDWIDTH_HZ,
    }
    repeated = {"max_retransmissions": ATTEMPTS - 1}
    harq = {"kind": "none"} if kind == DROPS else {"kind": kind, "round_trip_slots": 1, **repeated}
    return {
        "link.rate": rate,
        "link.errors": {"curve": {"kind": "coded"}},
        "link.report.backoff_db": 0.0,
        "link.outer_loop": {"kind": "steps", "target_bler": target},
        "link.arq": repeated if kind == DROPS else {"max_retransmissions": 0},
        "link.harq": harq,
    }


def of(kind: str, target: float, speed: str) -> Callable[[float], Scenario]:
    """The cell under CLAMP with that link: a -> scenario."""
    return lambda knob: fading_cell.cell(CLAMP, speed, knob, **link(kind, target))


CONTENDERS = tuple(
    Contender(f"{words}, {100 * target:.0f} %", FAST, A_BYTES, QUICK_A_BYTES, of(kind, target, FAST))
    for kind, words in WORDS.items()
    for target in TARGETS[kind]
)


def rows(curves: comparison.Curves) -> list[comparison.Row]:
    """Combining carries more, and shares it as fairly."""
    found: list[comparison.Row] = []
    for letters, name in zip(("ab", "cd"), (CHASED, REDUNDANT), strict=True):
        combined, alone = (curves[each, FAST].rates_at(AT_MS[FAST]) for each in (name, ALONE))
        where = f"CLAMP, {FAST}, {AT_MS[FAST]:g} ms, {name} of first transmissions lost"
        found += [
            (f"20{letters[0]}", f"{where}: throughput of all over that of {ALONE}", None,
             paired_ratio(combined.sum(axis=1), alone.sum(axis=1)), above("ratio", GAIN)),
            (f"20{letters[1]}", f"{where}: Jain's index less that of {ALONE}", None,
             paired_difference(jain(combined), jain(alone)), between("difference", -EQUAL, EQUAL)),
        ]  # fmt: skip
    return found


def sentence(curves: comparison.Curves) -> str:
    """What came out."""
    total = {name: curves[name, FAST].total_at(AT_MS[FAST]).mean() for name in (ALONE, CHASED, REDUNDANT)}
    return (
        f"[004-20] HARQ instead of drops: at {FAST} and {AT_MS[FAST]:g} ms of queueing CLAMP's flows carry "
        f"{total[REDUNDANT]:.2f} Mb/s with incremental redundancy, {total[CHASED]:.2f} with chase combining and "
        f"{total[ALONE]:.2f} where each attempt is decoded alone."
    )


QUESTION = Question(
    name="harq",
    title="HARQ instead of drops",
    heading="Beyond the paper: HARQ instead of drops in fast fading",
    caption="Throughput of four flows under CLAMP, by what is made of attempts that failed and by which share of "
    "first transmissions may be lost.",
    contenders=CONTENDERS,
    at_ms=AT_MS,
    rows=rows,
    sentence=sentence,
    values=lambda curve: curve.total_mbps,
    y="throughput of all (Mb/s)",
)
PART = comparison.part(QUESTION)
