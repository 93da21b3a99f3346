"""Which setting comes nearest to the numbers of Section V, of those that the paper leaves open.

Seven numbers: slot shares, segments per slot and mean jitter of B and W, and the ratio of their goodputs. The distance
of a setting is the largest |log(ours / paper)| of the seven. A grid over Doppler, population, delayed ACK and link ARQ
finds the nearest point; runs that had no part in the choice are then run there. Other open values are changed one at a
time. Nothing found here changes the study's setting. Leaves out the other numbers (two_users.py).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from airlink.campaign import CampaignResult, Plan
from airlink.report import Claim, Illustration, Sheet, Statement, about, number
from airlink.result import Table
from airlink.scenario import Scenario
from airlink.statistics import Estimate, mean_interval, paired_ratio
from airlink.study import Part, PartResult, Request, Runner
from airlink_studies.opportunistic_pf import nearest_figure
from airlink_studies.opportunistic_pf.setting import (
    GOODPUT_RATIO,
    HIGHEST_DB,
    LOWEST_DB,
    MSS_BYTES,
    NS2_TCP,
    PAPER_USERS,
    PROFILE,
    section_v,
    seeds,
)
from airlink_studies.opportunistic_pf.user_numbers import Floats, best_and_worst, measured, spread_text

NEAR = 0.15
GRID_DROPS, LINE_DROPS, CHECK_DROPS = 3, 5, 20
QUICK_DROPS = 2
DOPPLER = "channel.fading.doppler_hz"
DOPPLERS_HZ = (1.0, 2.0, 2.5, 3.0, 3.5, 4.0, 6.0, 10.0, 20.0, 30.0)
GRID_HZ, QUICK_HZ = (1.0, 2.0, 2.5, 3.0, 4.0, 6.0, 10.0, 30.0), (3.0, 4.0)
OWN_HZ = 4.0
PLACED = "channel.placement"
POPULATIONS: Mapping[str, Mapping[str, object]] = {
    "-10.8 to 12.24 dB": {},
    "B at 10.9 dB": {f"{PLACED}.high_db": 10.88},
    "drawn anew": {f"{PLACED}.low_db": LOWEST_DB, f"{PLACED}.high_db": HIGHEST_DB, f"{PLACED}.spacing": "random"},
}
"""10.88 dB: B's "12.237 dB" read as a power ratio."""
ACKS: Mapping[str, Mapping[str, object]] = {"every": {}, "delayed": {"flows.0.tcp.delayed_ack.every": 2}}
ARQ: Mapping[str, Mapping[str, object]] = {
    "no loss": {},
    "5 %, ARQ": {"link.errors.probability": 0.05, "link.arq.max_retransmissions": math.inf},
}
ALONE: Mapping[str, Mapping[str, object]] = {
    "W at 0.08 dB, as printed": {f"{PLACED}.low_db": 0.0833},
    "W at -11.5 dB": {f"{PLACED}.low_db": -11.5},
    "alpha = 0.05": {"scheduler.time_constant_slots": 20.0},
    "222 s": {"duration_s": 222.0},
    "1 % loss, left to TCP": {"link.errors.probability": 0.01},
    "1 % loss, ARQ": {"link.errors.probability": 0.01, "link.arq.max_retransmissions": math.inf},
    "headers not on air": {"flows.0.tcp.header_bytes": 0},
    "receiver window of 20": {"flows.0.tcp.receiver_window_bytes": 20 * MSS_BYTES},
    "min RTO 1 s": {"flows.0.tcp.rto.min_ms": 1000.0},
    "tick of 0.5 s": {"flows.0.tcp.rto.tick_ms": 500.0},
    "handshake": {"flows.0.tcp.handshake": True},
    "ns-2's TCP": NS2_TCP,
    "5.33 segments carried": {"rlc.carry_fraction": True},
    "T averages bits sent": {"scheduler.average_counts": "sent"},
    "64 terms of fading": {"channel.fading.terms": 64},
}
SEVEN = tuple((key, who) for key in ("resource_percent", "mean_segments", "jitter_mean_ms") for who in "BW")
WORDS = {"resource_percent": "share", "mean_segments": "segments", "jitter_mean_ms": "jitter"}
RATIO = "B/W"


@dataclass(frozen=True)
class Point:
    """A setting and its seven numbers as ours / paper.

    Attributes
    ----------
    name : what is changed.
    ratios : number -> mean with its interval over realizations.
    drops : number -> array [seed], as the paper's own "randomly picked" iteration would have it.
    """

    name: str
    ratios: Mapping[str, Estimate]
    drops: Mapping[str, Floats]

    @property
    def distance(self) -> float:
        """The largest |log| of the seven."""
        return max(abs(math.log(ratio.mean)) for ratio in self.ratios.values())

    @property
    def worst(self) -> str:
        """Which number is farthest off."""
        return max(self.ratios, key=lambda name: abs(math.log(self.ratios[name].mean)))

    @property
    def within(self) -> int:
        """How many of the seven are within 15 %."""
        return sum(abs(ratio.mean - 1) <= NEAR for ratio in self.ratios.values())

    @property
    def alike(self) -> tuple[int, int]:
        """How many single realizations have all seven within 15 %, and of how many."""
        near = np.array([np.abs(values - 1) <= NEAR for values in self.drops.values()])
        return int(near.all(axis=0).sum()), near.shape[1]


def plans(request: Request) -> dict[str, Plan]:
    """Doppler alone, the grid, other values one at a time."""
    drops = seeds(request.seed, LINE_DROPS)
    if request.quick:
        line = {_hz(value): section_v(**{DOPPLER: value}) for value in QUICK_HZ}
        return {"doppler": Plan(line, drops[:QUICK_DROPS])}
    line = {_hz(value): section_v(**{DOPPLER: value}) for value in DOPPLERS_HZ}
    return {
        "doppler": Plan(line, drops),
        "grid": Plan(_grid(), drops[:GRID_DROPS]),
        "alone": Plan({name: section_v(**changes) for name, changes in ALONE.items()}, drops),
    }


def show(results: Mapping[str, CampaignResult], runner: Runner) -> PartResult:
    """The nearest point, checked on realizations of its own; the seven numbers against Doppler."""
    line = points(results["doppler"])
    searched = [*line, *(points(results["grid"]) if "grid" in results else [])]
    nearest = min(searched, key=lambda point: point.distance)
    chosen = _scenarios(results)[nearest.name]
    first = LINE_DROPS if not runner.request.quick else QUICK_DROPS
    drops = seeds(runner.request.seed, first + (QUICK_DROPS + 1 if runner.request.quick else CHECK_DROPS))[first:]
    own_name = _hz(OWN_HZ)
    checks = points(runner.run(Plan({nearest.name: chosen, own_name: _scenarios(results)[own_name]}, drops)))
    checked, own = checks[0], checks[-1]
    alone = points(results["alone"]) if "alone" in results else []
    table = numbers_sheet(checked, own)
    ranked = sorted(searched, key=lambda point: point.distance)
    items: list[Sheet | Illustration] = [nearest_figure.against_doppler(_by_hz(line), NEAR), table]
    items.append(points_sheet("The ten nearest points", ranked[:10]))
    if alone:
        by_itself = [_named(own_name, line), *alone]
        items.append(points_sheet(f"Other open values, one at a time, at {OWN_HZ:g} Hz", by_itself))
    return PartResult(
        claims=judged(checked, own),
        paragraphs=(SEARCH,),
        items=items,
        printed=(table,),
        sentences=(headline(checked, own, len(searched)),),
        depends=(headline(checked, own, len(searched)),),
        tables={"nearest": machine_table([*searched, *alone])},
    )


PART = Part("nearest", "Section V: the setting that comes nearest", ("nearest",), plans, show)

SEARCH = (
    "Grid: Doppler 1 to 30 Hz; mean SNRs from -10.8 to 12.24 dB, with B at 10.9 dB, or drawn anew; an ACK for every "
    "packet or for every other; no losses or 5 % of slots repeated by the link. The nearest point is then run on "
    "realizations that had no part in the choice. The study itself stays at 4 Hz."
)


def points(result: CampaignResult) -> list[Point]:
    """The settings of a campaign, in its order."""
    return [_point(result, label) for label in result.replicas]


def _point(result: CampaignResult, label: str) -> Point:
    users = best_and_worst(result, label)
    found = {who: measured(result, label, users[who]) for who in users}
    drops = {}
    for key, who in SEVEN:
        paper = PAPER_USERS[who].jitter.mean if key == "jitter_mean_ms" else getattr(PAPER_USERS[who], key)
        drops[f"{WORDS[key]} {who}"] = found[who][key] / paper
    ratios = {name: mean_interval(values) for name, values in drops.items()}
    best, worst = (found[who]["max_sequence"] for who in "BW")
    drops[RATIO] = best / worst / GOODPUT_RATIO
    ratios[RATIO] = paired_ratio(best, worst * GOODPUT_RATIO)
    return Point(label, ratios, drops)


def judged(checked: Point, own: Point) -> list[Claim]:
    """Section V within 15 % in one setting; and how far its farthest number is off at 4 Hz."""
    return [
        Statement(f"000-5{letter}", f"farthest of the seven numbers of Section V, ours / paper: {point.worst}", 1.0)
        .against(point.ratios[point.worst], about("ratio", 1.0, NEAR), profile)
        for letter, point, profile in (("v", checked, f"nearest: {checked.name}"), ("w", own, PROFILE))
    ]  # fmt: skip


def headline(checked: Point, own: Point, searched: int) -> str:
    """The nearest point, in a sentence."""
    alike, drops = checked.alike
    return (
        f"Of {searched} settings {checked.name} comes nearest to Section V: on realizations of its own "
        f"{checked.within} of "
        f"7 numbers are within 15 % in the mean ({checked.worst}: {_percent(checked)}), and all of them in "
        f"{alike} of {drops} single realizations; at {own.name} {own.within} of 7 ({own.worst}: "
        f"{_percent(own)})."
    )


def _percent(point: Point) -> str:
    return f"{100 * (point.ratios[point.worst].mean - 1):+.0f} %"


def numbers_sheet(checked: Point, own: Point) -> Sheet:
    """The seven numbers at the nearest point and in the study's own setting."""
    rows = []
    for name, ratio in checked.ratios.items():
        mark = "yes" if abs(ratio.mean - 1) <= NEAR else "NO"
        rows.append((name, spread_text(ratio), mark, spread_text(own.ratios[name])))
    alike = ["{} of {}".format(*point.alike) for point in (checked, own)]
    rows.append(("realizations with all seven", alike[0], "", alike[1]))
    rows.append(("distance", number(checked.distance, 3), "", number(own.distance, 3)))
    columns = ("ours / paper", checked.name, "within 15 %", own.name)
    note = "Means over realizations that had no part in the choice, with 95 % intervals. Distance: largest |log|."
    return Sheet("Section V, the nearest setting", columns, rows, note)


def points_sheet(title: str, found: Sequence[Point]) -> Sheet:
    """A row a setting: its distance and the seven ratios."""
    names = list(found[0].ratios)
    rows = [
        (
            point.name,
            number(point.distance, 3),
            f"{point.within} of 7",
            *(f"{point.ratios[name].mean:.2f}" for name in names),
        )
        for point in found
    ]
    return Sheet(title, ("setting", "distance", "within 15 %", *names), rows, "Ours / paper.")


def machine_table(found: Sequence[Point]) -> Table:
    """One row a setting."""
    columns: dict[str, np.ndarray] = {
        "setting": np.array([point.name for point in found]),
        "distance": np.array([point.distance for point in found]),
    }
    for name in found[0].ratios:
        columns[name.replace(" ", "_").replace("/", "_over_")] = np.array([point.ratios[name].mean for point in found])
    return Table(columns)


def _grid() -> dict[str, Scenario]:
    """Without the points that only Doppler sets apart from the study's setting: those are in `doppler`."""
    made = {}
    for hz, place, ack, arq in itertools.product(GRID_HZ, POPULATIONS, ACKS, ARQ):
        changes = {**POPULATIONS[place], **ACKS[ack], **ARQ[arq]}
        told = [
            name
            for name, section in ((place, POPULATIONS[place]), (f"ACK {ack}", ACKS[ack]), (arq, ARQ[arq]))
            if section
        ]
        if told:
            made[", ".join([_hz(hz), *told])] = section_v(**{DOPPLER: hz}, **changes)
    return made


def _scenarios(results: Mapping[str, CampaignResult]) -> dict[str, Scenario]:
    return {label: scenario for result in results.values() for label, scenario in result.plan.scenarios.items()}


def _hz(value: float) -> str:
    return f"{value:g} Hz"


def _by_hz(line: Sequence[Point]) -> dict[float, Mapping[str, Estimate]]:
    return {float(point.name.removesuffix(" Hz")): point.ratios for point in line}


def _named(name: str, found: Sequence[Point]) -> Point:
    return next(point for point in found if point.name == name)
