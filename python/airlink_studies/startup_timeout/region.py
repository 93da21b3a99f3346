"""Where 11 of 20 sessions time out: the region of t_c, Doppler and the users' mean SNRs, as a map.

The paper gives none of them. Every cell of the map is the mean over seeds of the sessions with an initial timeout, of
Jain's index and of the throughput; the paper's numbers are level lines on it, and a setting could be the paper's where
they meet. Held runs are made of those cells only whose interval holds the paper's 11.
Left out: all else that the paper leaves open (buffer, window, clock, start times), which stays as in `setting`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from airlink.campaign import CampaignResult, Plan
from airlink.report import Claim, Sheet, Statement, above, at_least, certain, exactly, plus_minus
from airlink.result import Table
from airlink.scenario import TABLES, Scenario
from airlink.statistics import Estimate, paired_difference
from airlink.study import Part, PartResult, Request, Runner
from airlink_studies.startup_timeout import setting
from airlink_studies.startup_timeout.map_cells import (
    Cell,
    Panel,
    Spot,
    ceiling_kbps,
    miss_of_five,
    miss_of_three,
    panels,
)
from airlink_studies.startup_timeout.measures import RECORD, Floats, Outcome, held
from airlink_studies.startup_timeout.region_figures import illustrations

RUNS, QUICK_RUNS = 20, 3
NEAR = 0.10
"""A number of the paper is met within 10 % (chosen before the runs)."""
SHOWN_ROWS = 8
TOP_BPS = max(TABLES["1xev-do"].rates_bps)
OTHER_READING = {"duration_s": 15.0, "flows.0.tcp.mss_bytes": 1500}
"""The other way to have 1998.4 and 2296 kb/s in whole packets (inferred): 1500 bytes of payload, 15 s."""

SOME = Statement(
    "003-3m", "Some setting of the map has 11 timed-out sessions of 20 in its 95 % interval", 11, after_run=True
)
LONGER = Statement(
    "003-3n",
    "A longer t_c makes more sessions time out (longest less shortest of the map, mean over its other axes)",
    after_run=True,
)
SLOWER = Statement(
    "003-3o",
    "Slower fading makes more sessions time out (slowest less fastest of the map, mean over its other axes)",
    after_run=True,
)
FAST = Statement(
    "003-3p", "At the fastest fading of the map no setting reaches 11 timed-out sessions of 20", after_run=True
)
THREE = Statement(
    "003-3q",
    "Some setting has timed-out sessions, Jain's index and throughput of Fig. 3(a) at once, each within 10 %",
    after_run=True,
)
FIVE = Statement(
    "003-3r", "Some setting has the two numbers of Fig. 3(b), timeouts held, as well, each within 10 %", after_run=True
)
CONTROL = Statement(
    "003-3v",
    "Some setting has all five numbers, each within 10 %, when read as 15 s of 1500-byte packets",
    after_run=True,
)


@dataclass(frozen=True)
class _Map:
    """All cells of the map, and held runs of those near the paper's 11.

    Attributes
    ----------
    panels : in the order of the figures.
    outcomes : what each spot's runs gave.
    cells : the same as estimates.
    held : of the spots whose interval holds 11.
    other : the same spots with packets of 1500 bytes and 15 s: as they are, and held.
    """

    panels: Sequence[Panel]
    outcomes: Mapping[Spot, Outcome]
    cells: Mapping[Spot, Cell]
    held: Mapping[Spot, Cell]
    other: Mapping[Spot, tuple[Cell, Cell]]

    @property
    def ranked(self) -> list[Spot]:
        """The spots with held runs, the nearest to all five numbers of Fig. 3 first."""
        return sorted(self.held, key=lambda spot: miss_of_five(self.cells[spot], self.held[spot]))

    def timed_out(self, **at: float) -> Floats:
        """Timed-out sessions, mean over the spots with those values: array [seed]."""
        rows = [
            outcome.timed_out
            for spot, outcome in self.outcomes.items()
            if all(getattr(spot, name) == value for name, value in at.items())
        ]
        return np.asarray(np.mean(rows, axis=0))

    def ends(self, axis: str) -> tuple[float, float]:
        """The smallest and the largest value on an axis."""
        values = [getattr(spot, axis) for spot in self.cells]
        return min(values), max(values)


def plans(request: Request) -> Mapping[str, Plan]:
    """The map: all cells of all panels."""
    scenarios = {spot.label: spot.scenario() for panel in panels(request.quick) for spot in panel.spots}
    return {"map": Plan(scenarios, setting.seeds(request.seed, QUICK_RUNS if request.quick else RUNS), RECORD)}


def show(results: Mapping[str, CampaignResult], runner: Runner) -> PartResult:
    """Draws the map, and runs what is near the paper's 11 once more with timeouts held."""
    result = results["map"]
    chosen = panels(runner.request.quick)
    outcomes = {spot: Outcome.of(result, spot.label) for panel in chosen for spot in panel.spots}
    cells = {spot: Cell.of(outcome) for spot, outcome in outcomes.items()}
    near = [spot for spot, cell in cells.items() if cell.reaches(setting.PAPER_TIMED_OUT)]
    found = _Map(chosen, outcomes, cells, *_again(near, result.plan.seeds, runner))
    sheet = _nearest(found)
    return PartResult(
        claims=_claims(found),
        paragraphs=_paragraphs(found),
        items=[*illustrations(chosen, cells, runner.request.quick), sheet],
        printed=[sheet],
        sentences=[_sentence(found)],
        judged_by=("003-3m", "003-3q", "003-3r"),
        depends=[_conditions(found)],
        tables={"region": _table(found)},
    )


def _again(
    near: Sequence[Spot], seeds: Sequence[int], runner: Runner
) -> tuple[dict[Spot, Cell], dict[Spot, tuple[Cell, Cell]]]:
    """What is near the paper's 11 on the same seeds: held; and with the other reading, as it is and held."""
    if not near:
        return {}, {}
    scenarios: dict[str, Scenario] = {}
    for spot in near:
        read = spot.scenario().with_(**OTHER_READING)
        scenarios |= {
            spot.label: held(spot.scenario()),
            f"{spot.label}, other": read,
            f"{spot.label}, both": held(read),
        }
    result = runner.run(Plan(scenarios, seeds, RECORD))

    def cell(label: str) -> Cell:
        return Cell.of(Outcome.of(result, label))

    other = {spot: (cell(f"{spot.label}, other"), cell(f"{spot.label}, both")) for spot in near}
    return {spot: cell(spot.label) for spot in near}, other


def _claims(found: _Map) -> list[Claim]:
    cells, runs = found.cells, next(iter(found.outcomes.values())).timed_out.size
    profile = f"startup-timeout, {len(cells)} settings, {runs} runs each"
    fast = [cell for spot, cell in cells.items() if spot.doppler_hz == found.ends("doppler_hz")[1]]
    reached = sum(cell.timed_out.mean >= setting.PAPER_TIMED_OUT for cell in fast)
    three = sum(miss_of_three(cell) <= NEAR for cell in cells.values())
    five = sum(miss_of_five(cells[spot], again) <= NEAR for spot, again in found.held.items())
    control = sum(miss_of_five(*both) <= NEAR for both in found.other.values())
    return [
        SOME.against(certain(len(found.held)), at_least("settings", 1), profile),
        LONGER.against(_effect(found, "time_constant_slots", 1), above("sessions", 0), profile),
        SLOWER.against(_effect(found, "doppler_hz", 0), above("sessions", 0), profile),
        FAST.against(certain(reached), exactly("settings", 0), profile),
        THREE.against(certain(three), at_least("settings", 1), profile),
        FIVE.against(certain(five), at_least("settings", 1), profile),
        CONTROL.against(certain(control), at_least("settings", 1), f"{profile}, 15 s, 1500 B"),
    ]


def _effect(found: _Map, axis: str, end: int) -> Estimate:
    """Timed-out sessions at one end of an axis (0: smallest, 1: largest) less those at its other, paired by seed."""
    ends = found.ends(axis)
    return paired_difference(found.timed_out(**{axis: ends[end]}), found.timed_out(**{axis: ends[1 - end]}))


def _nearest(found: _Map) -> Sheet:
    """The settings with 11 timed-out sessions that come closest to all five numbers of Fig. 3."""
    rows = [_paper_row(), *(_row(spot, found.cells[spot], found.held[spot]) for spot in found.ranked[:SHOWN_ROWS])]
    columns = ("t_c (slots)", "Hz", "SNR (dB)", "timed out", "Jain", "kb/s", "Jain, held", "kb/s", "off by")
    note = (
        "Settings whose 95 % interval holds 11 timed-out sessions, by the largest relative distance from the five "
        "numbers of Fig. 3. Hz: Doppler."
    )
    return Sheet("Where 11 of 20 time out", columns, rows, note)


def _paper_row() -> tuple[str, ...]:
    return (
        "paper, Fig. 3",
        "",
        "",
        f"{setting.PAPER_TIMED_OUT}",
        f"{setting.PAPER_JAIN:.3f}",
        f"{setting.PAPER_KBPS:.0f}",
        f"{setting.PAPER_JAIN_HELD:.3f}",
        f"{setting.PAPER_KBPS_HELD:.0f}",
        "",
    )


def _row(spot: Spot, cell: Cell, again: Cell) -> tuple[str, ...]:
    return (
        f"{spot.time_constant_slots:g}",
        f"{spot.doppler_hz:g}",
        f"{spot.snr_mean_db:g} ± {spot.snr_spread_db / 2:g}",
        plus_minus(cell.timed_out, 1),
        f"{cell.jain.mean:.3f}",
        f"{cell.kbps.mean:.0f}",
        f"{again.jain.mean:.3f}",
        f"{again.kbps.mean:.0f}",
        f"{100 * miss_of_five(cell, again):.0f} %",
    )


def _sentence(found: _Map) -> str:
    """Where the 11 lie, and how near all five numbers of Fig. 3 come."""
    if not found.held:
        return "No setting of the map has 11 timed-out sessions of 20 in its interval."
    spots = list(found.held)
    shortest = min(spot.time_constant_slots for spot in spots)
    fastest = max(spot.doppler_hz for spot in spots)
    best = found.ranked[0]
    cell, again = found.cells[best], found.held[best]
    return (
        f"The paper's 11 of 20 come out in {len(spots)} of {len(found.cells)} settings of what it leaves open, all "
        f"with a memory of {shortest:g} slots or more and fading of {fastest:g} Hz or less. The setting nearest to "
        f"the five numbers of its Fig. 3 has {cell.timed_out.mean:.1f} timed-out downloads (paper: 11), Jain's index "
        f"{cell.jain.mean:.3f} (0.685) and {cell.kbps.mean:.0f} kb/s (1998), held {again.jain.mean:.3f} (0.862) and "
        f"{again.kbps.mean:.0f} kb/s (2296): off by {100 * miss_of_five(cell, again):.0f} % at most."
    )


def _conditions(found: _Map) -> str:
    """What the number of timeouts depends on: both ends of each axis."""
    slow, fast = (float(found.timed_out(doppler_hz=hz).mean()) for hz in found.ends("doppler_hz"))
    short, long = (float(found.timed_out(time_constant_slots=slots).mean()) for slots in _memories(found))
    low_hz, high_hz = found.ends("doppler_hz")
    low_slots, high_slots = _memories(found)
    return (
        f"Fading and the scheduler's memory: over the map {slow:.1f} of 20 downloads time out at a Doppler of "
        f"{low_hz:g} Hz and {fast:.1f} at {high_hz:g} Hz, {short:.1f} with a memory of {low_slots:g} slots and "
        f"{long:.1f} with {high_slots:g}{_other_miss(found)}."
    )


def _memories(found: _Map) -> tuple[float, float]:
    return found.ends("time_constant_slots")


def _other_miss(found: _Map) -> str:
    """How near the other reading comes, as the end of a sentence."""
    least = min((miss_of_five(*both) for both in found.other.values()), default=None)
    if least is None:
        return ""
    return f". Read as 15 s of 1500-byte packets, the five numbers of Fig. 3 are off by {100 * least:.0f} % at best"


def _paragraphs(found: _Map) -> list[str]:
    """What the map says beyond its headline."""
    three = sorted(found.cells, key=lambda spot: miss_of_three(found.cells[spot]))[0]
    cell = found.cells[three]
    best = max(found.held.values(), key=lambda each: each.kbps.mean, default=None)
    ceiling = ceiling_kbps(three.scenario(), TOP_BPS)
    reached = f" The most that a held setting here gets is {best.kbps.mean:.0f} kb/s." if best else ""
    paragraphs = [
        f"The three numbers of Fig. 3(a) alone come nearest at {three.label}: {cell.timed_out.mean:.1f} sessions, "
        f"Jain {cell.jain.mean:.3f}, {cell.kbps.mean:.0f} kb/s, off by {100 * miss_of_three(cell):.0f} % at most.",
        f"The {setting.PAPER_KBPS_HELD:g} kb/s of Fig. 3(b) are beyond this reading of the paper whatever the "
        "scheduler: the top rate in every slot from the first segment's arrival on, less headers, gives "
        f"{ceiling:.0f} kb/s over the run.{reached}",
    ]
    return paragraphs + ([_other_reading(found)] if found.other else [])


def _other_reading(found: _Map) -> str:
    """Whether packets of 1500 bytes and 15 s bring the five numbers nearer."""
    spot = min(found.other, key=lambda each: miss_of_five(*found.other[each]))
    cell, again = found.other[spot]
    ceiling = ceiling_kbps(spot.scenario().with_(**OTHER_READING), TOP_BPS)
    return (
        f"Control: the same settings read as 15 s of 1500-byte packets, which may carry {ceiling:.0f} kb/s. Nearest "
        f"is {spot.label}: {cell.timed_out.mean:.1f} sessions, Jain {cell.jain.mean:.3f}, {cell.kbps.mean:.0f} kb/s, "
        f"held {again.jain.mean:.3f} and {again.kbps.mean:.0f} kb/s; off by {100 * miss_of_five(cell, again):.0f} % "
        "at most."
    )


def _table(found: _Map) -> Table:
    """One row a cell; NaN where no held runs were made; `1500`: read as 15 s of 1500-byte packets."""
    spots = list(found.cells)
    columns: dict[str, Floats] = {
        name: np.array([getattr(spot, name) for spot in spots], dtype=float)
        for name in ("time_constant_slots", "doppler_hz", "snr_spread_db", "snr_mean_db")
    }
    columns["runs"] = np.array([found.outcomes[spot].timed_out.size for spot in spots], dtype=float)
    for name in ("timed_out", "jain", "kbps"):
        columns |= _ends(name, [getattr(found.cells[spot], name) for spot in spots])
    nothing = Estimate(np.nan, np.nan, np.nan, 0)
    for name in ("jain", "kbps"):
        again = [getattr(found.held[spot], name) if spot in found.held else nothing for spot in spots]
        columns |= _ends(f"{name}_held", again)
    blank = Cell(nothing, nothing, nothing)
    other = [found.other.get(spot, (blank, blank)) for spot in spots]
    for name in ("timed_out", "jain", "kbps"):
        columns |= _ends(f"{name}_1500", [getattr(cell, name) for cell, _ in other])
    for name in ("jain", "kbps"):
        columns |= _ends(f"{name}_1500_held", [getattr(again, name) for _, again in other])
    return Table(columns)


def _ends(name: str, estimates: Sequence[Estimate]) -> dict[str, Floats]:
    """Columns of means and both ends of the intervals."""
    return {
        f"{name}_{end}" if end != "mean" else name: np.array([getattr(each, end) for each in estimates], dtype=float)
        for end in ("mean", "low", "high")
    }


PART = Part("region", "Where 11 of 20 sessions time out", ("map",), plans, show, headline=True)
