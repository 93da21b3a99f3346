"""Below which b the loop settles: the fluid's threshold, unequal delays, no gain of 1/d, and packets that swing.

Three readings of eqs (8) and (9): shares of the link held, as the paper has it, with the gain 1/d of each flow or
with one gain for all; and shares that follow the ACKs (`theory.clamp_clocked_critical_b`). Packets
decide between the readings. Left out: what the receivers' memory of 1000 packets does to shares (sharing.py).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations_with_replacement

import numpy as np

from airlink.campaign import CampaignResult, Plan, Replica
from airlink.report import Bounds, Claim, Illustration, Sheet, Statement, above, at_least, between, certain, plus_minus
from airlink.result import Table
from airlink.statistics import Estimate, mean_interval
from airlink.study import Part, PartResult, Request, Runner
from airlink_studies.clamp import setting, stability_figures
from airlink_studies.clamp.no_memory import NONE, PROTOCOL, QUEUE_BYTES, SCALE, fluid, means, packets
from airlink_studies.clamp.theory import (
    ClampFlows,
    clamp_averaged_critical_b,
    clamp_clocked_critical_b,
    clamp_critical_b,
    clamp_queue,
    clamp_roots,
)
from airlink_studies.clamp.trajectories import Floats, queue_trajectory

LIMIT = math.pi / 2
AROUND = (0.99, 1.01)
"""Times pi/2: where the threshold is looked for."""
GROWING_S, QUICK_GROWING_S = 30.0, 2.5
DELAYS_MS = (10.0, 20.0, 50.0, 100.0, 150.0, 200.0)
"""Of the maps: each with each."""
ONE_GAIN_S = 0.1
"""Without the gain 1/d every flow has the same, one over this, whatever its delay (chosen)."""
PAIRS_MS = ((50.0, 50.0), (30.0, 130.0), (10.0, 180.0))
OF_THRESHOLD = (0.6, 0.8, 0.9, 1.0, 1.1, 1.25, 1.6)
"""Times the threshold with moving shares: the b of packets without averages."""
REACTIVITIES = (0.5, 0.7, 0.8, 0.9, 1.0, 1.2, 1.6)
"""The b of packets with the protocol's averages."""
QUICK_OF_THRESHOLD: Sequence[float] = (0.8, 1.0)
QUICK_REACTIVITIES: Sequence[float] = ()
END_S, FROM_S, QUICK_END_S, QUICK_FROM_S = 160.0, 110.0, 100.0, 80.0
BIN_S = 0.02
SWINGING = 0.1
"""Standard deviation of the queue's means over 20 ms, over q*: above it the loop swings (chosen; packets make 0.03)."""
SEEDS, QUICK_SEEDS = 3, 2
ENOUGH = "b < pi/2 is enough"
GAIN, HELD_ONE, CLOCKED, OWN = "gain 1/d", "one gain", "gain 1/d, shares move", "gain 1/(d + wait), shares move"


@dataclass(frozen=True)
class Run:
    """Packets of two flows: their delays, b, and whose averages."""

    delays_ms: tuple[float, float]
    b: float
    averages: str

    @property
    def label(self) -> str:
        """Its name in a plan."""
        return f"{self.delays_ms[0]:g} and {self.delays_ms[1]:g} ms, b={self.b:.4g}, {self.averages}"


@cache
def threshold(delays_ms: tuple[float, float]) -> float:
    """The b below which moving shares settle, the wait of q* and the protocol's gain."""
    flows = fluid(delays_ms)
    return clamp_clocked_critical_b(flows, SCALE * QUEUE_BYTES / flows.rate_bytes)


def averaged_threshold(delay_ms: float) -> float:
    """The same for flows of one delay whose access point averages, as the protocol's does."""
    return clamp_averaged_critical_b(delay_ms / 1e3, QUEUE_BYTES / (setting.RATE_BPS / 8))


def runs(request: Request) -> list[Run]:
    """Of packets."""
    pairs, shares, values = (
        (PAIRS_MS[-1:], QUICK_OF_THRESHOLD, QUICK_REACTIVITIES)
        if request.quick
        else (PAIRS_MS, OF_THRESHOLD, REACTIVITIES)
    )
    bare = [Run(pair, share * threshold(pair), NONE) for pair in pairs for share in shares]
    return bare + [Run(pair, b, PROTOCOL) for pair in pairs for b in values]


def plans(request: Request) -> Mapping[str, Plan]:
    """Nothing beforehand: a queue of packets each is kept pair by pair."""
    del request
    return {}


def show(_: Mapping[str, CampaignResult], runner: Runner) -> PartResult:
    """Runs, judges and draws."""
    request = runner.request
    growth = growths(QUICK_GROWING_S if request.quick else GROWING_S)
    maps = stable_maps((100.0, 200.0) if request.quick else DELAYS_MS)
    swings = _swings(runner)
    sheets = [_threshold_sheet(growth), _swing_sheet(swings)]
    return PartResult(
        claims=[*_fluid_claims(growth, maps), *_packet_claims(swings)],
        paragraphs=(_why(),),
        items=[stability_figures.maps(maps), _swings_figure(swings), *sheets],
        printed=sheets,
        sentences=(_headline(maps, swings),),
        depends=(_headline(maps, swings),),
        tables={"swings": _table(swings)},
    )


PART = Part("stability", "Below which b it settles", ("stable", "swings"), plans, show)


def growths(until_s: float) -> dict[float, tuple[float, float]]:
    """By b over pi/2, growth of the integrated eq. (12)'s swings and the real part of its root, 1/s."""
    found = {}
    for share in AROUND:
        b = share * LIMIT
        delay_s = setting.DELAY_MS / 1e3
        flows = ClampFlows((delay_s, delay_s), setting.RATE_BPS, b=b)
        queue = clamp_queue(flows, 0.0, until_s)
        times = np.arange(until_s / 5, until_s, delay_s / 10)
        apart = np.abs([float(queue(time)[0]) - (2 * flows.tau_bytes + flows.a_bytes) / b for time in times])
        peaks = np.flatnonzero((apart[1:-1] > apart[:-2]) & (apart[1:-1] >= apart[2:])) + 1
        slope = float(np.polyfit(times[peaks], np.log(apart[peaks]), 1)[0])
        found[share] = slope, float(clamp_roots(b, delay_s)[0].real)
    return found


def stable_maps(delays_ms: Sequence[float]) -> dict[str, dict[tuple[float, float], float]]:
    """Reading -> delays of two flows, ms -> the b below which they settle; queue of 6500 bytes, 10 Mb/s."""
    made: dict[str, dict[tuple[float, float], float]] = {GAIN: {}, HELD_ONE: {}, CLOCKED: {}, OWN: {}}
    for pair in combinations_with_replacement(delays_ms, 2):
        delays_s = (pair[0] / 1e3, pair[1] / 1e3)
        made[GAIN][pair] = clamp_critical_b(delays_s)
        made[HELD_ONE][pair] = clamp_critical_b(delays_s, gain_hz=1 / ONE_GAIN_S)
        made[CLOCKED][pair] = clamp_clocked_critical_b(ClampFlows(delays_s, setting.RATE_BPS))
        made[OWN][pair] = threshold(pair)
    return made


def _swings(runner: Runner) -> dict[Run, Floats]:
    request = runner.request
    seeds = setting.seeds(request.seed, QUICK_SEEDS if request.quick else SEEDS)
    from_s, end_s = (QUICK_FROM_S, QUICK_END_S) if request.quick else (FROM_S, END_S)
    found: dict[Run, Floats] = {}
    every = runs(request)
    for pair, averages in dict.fromkeys((run.delays_ms, run.averages) for run in every):
        own = [run for run in every if (run.delays_ms, run.averages) == (pair, averages)]
        plan = Plan({run.label: packets(fluid(pair, run.b), averages, end_s) for run in own}, seeds, ("queue",))
        result = runner.run(plan)
        for run in own:
            replicas = result.result(run.label).replicas
            found[run] = np.array([swing(replica, from_s, end_s) for replica in replicas])
    return found


def swing(replica: Replica, from_s: float, end_s: float) -> float:
    """Standard deviation of the queue's means over `BIN_S`, over q*."""
    course = queue_trajectory(Table(replica.series["queue"]))
    return float(means(course, np.arange(from_s, end_s, BIN_S)).std() / (SCALE * QUEUE_BYTES))


def onset(swings: Mapping[Run, Floats], delays_ms: tuple[float, float], averages: str) -> Floats:
    """Array [seed]: the b at which the swing passes `SWINGING`, between the values that were run; NaN if nowhere."""
    own = sorted((run.b, run) for run in swings if (run.delays_ms, run.averages) == (delays_ms, averages))
    b, rows = np.array([each for each, _ in own]), np.array([swings[run] for _, run in own])
    if not own:
        return np.array([math.nan])
    found = []
    for column in rows.T:
        above_it = np.flatnonzero(column > SWINGING)
        place = int(above_it[0]) if above_it.size else 0
        span = slice(place - 1, place + 1)
        found.append(float(np.interp(SWINGING, column[span], b[span])) if place else math.nan)
    return np.array(found)


def _thresholds(swings: Mapping[Run, Floats]) -> dict[tuple[float, float], float]:
    return {pair: threshold(pair) for pair in dict.fromkeys(run.delays_ms for run in swings)}


def _swings_figure(swings: Mapping[Run, Floats]) -> Illustration:
    return stability_figures.swings(swings, _thresholds(swings), averaged_threshold(setting.DELAY_MS))


def _fluid_claims(
    growth: Mapping[float, tuple[float, float]], maps: Mapping[str, Mapping[tuple[float, float], float]]
) -> list[Claim]:
    (below, _), (beyond, _) = (growth[share] for share in AROUND)
    crossing = AROUND[0] + (AROUND[1] - AROUND[0]) * below / (below - beyond)
    gain, one, clocked = (min(maps[name].values()) for name in (GAIN, HELD_ONE, CLOCKED))
    rows: list[tuple[str, str, str | None, float, Bounds]] = [
        ("1h", "Eq. (12) integrated, b = 0.99 pi/2: growth, 1/s", "converges", below, Bounds("1/s", high=0.0)),
        ("1i", "The same, b = 1.01 pi/2", "grows", beyond, above("1/s", 0.0)),
        ("1j", "b at which swings neither grow nor die, over pi/2", "1", crossing, between("ratio", 0.99, 1.01)),
        ("1k", "Unequal delays, shares held: least critical b", ENOUGH, gain, at_least("b", LIMIT - 1e-6)),
        ("1l", "The same without the gain 1/d", "can be unstable", one, Bounds("b", high=0.99 * LIMIT)),
        ("1m", "The same with shares that follow the ACKs, gain 1/d", ENOUGH, clocked,
         at_least("b", LIMIT - 1e-6)),
    ]  # fmt: skip
    return [
        Statement(f"004-{name}", words, paper).against(certain(value), bounds, "fluid")
        for name, words, paper, value, bounds in rows
    ]


def _packet_claims(swings: Mapping[Run, Floats]) -> list[Claim]:
    far = PAIRS_MS[-1]
    ratio = onset(swings, far, NONE) / threshold(far)
    rows: list[tuple[str, str, str | None, Estimate, Bounds]] = [
        ("1n", "Packets without averages, 10 and 180 ms: b at which the queue swings", ENOUGH,
         mean_interval(onset(swings, far, NONE)), at_least("b", LIMIT)),
        ("1o", "That b over the threshold with moving shares", None, mean_interval(ratio),
         between("ratio", 0.75, 1.25)),
    ]  # fmt: skip
    if _averaged(swings):
        own = mean_interval(onset(swings, far, PROTOCOL))
        rows.append(("1p", "The same with the protocol's averages", ENOUGH, own, at_least("b", LIMIT)))
        equal = mean_interval(onset(swings, PAIRS_MS[0], PROTOCOL) / averaged_threshold(setting.DELAY_MS))
        words = "The protocol's averages, 50 ms both: b at which the queue swings, over the averaged fluid's"
        rows.append(("1w", words, None, equal, between("ratio", 0.75, 1.25)))
    profile = f"50 Mb/s, q* of 32.5 kB, {ratio.size} seeds"
    return [
        Statement(f"004-{name}", words, paper).against(estimate, bounds, profile)
        for name, words, paper, estimate, bounds in rows
    ]


def _averaged(swings: Mapping[Run, Floats]) -> bool:
    """Whether packets were run with the protocol's averages: a quick run has none."""
    return any(run.averages == PROTOCOL for run in swings)


def _threshold_sheet(growth: Mapping[float, tuple[float, float]]) -> Sheet:
    rows = [(f"{share:.2f} pi/2", f"{found:+.4f}", f"{root:+.4f}") for share, (found, root) in growth.items()]
    note = "Growth of the swings of eq. (12), 50 ms, 1/s: of the integrated equation, and its rightmost root's."
    return Sheet("Threshold with equal delays", ("b", "integrated", "root"), rows, note)


def _swing_sheet(swings: Mapping[Run, Floats]) -> Sheet:
    rows = []
    for pair, expected in _thresholds(swings).items():
        cells = [
            "none" if np.isnan(found := onset(swings, pair, averages)).any() else plus_minus(mean_interval(found), 2)
            for averages in (NONE, PROTOCOL)
        ]
        rows.append((f"{pair[0]:g} and {pair[1]:g}", f"{expected:.2f}", *cells))
    note = (
        f"b at which the queue of packets swings by {SWINGING:g} q* (50 Mb/s, q* = 32.5 kB; none: at no b that was "
        "run): without averages, as the fluid is, and with the protocol's 0.5 s and 1000 packets (a fluid "
        f"that averages so: {averaged_threshold(setting.DELAY_MS):.2f} with 50 ms). Paper: pi/2 for all."
    )
    return Sheet("Where packets swing", ("delays (ms)", "fluid", "no averages", "protocol"), rows, note)


def _why() -> str:
    return (
        "Eqs (8) and (9) hold each flow's share of the link, and then b < pi/2 is enough for any delays. A flow's rate "
        "is what was acknowledged to it a round trip ago, so shares move, and the gain 1/d makes a short flow beside a "
        "long one eager: packets without averages swing where that reading says. With the access point's mean over 0.5 "
        "s and the receivers' 1000 packets the pairs differ less, and even equal delays have less room than pi/2."
    )


def _headline(maps: Mapping[str, Mapping[tuple[float, float], float]], swings: Mapping[Run, Floats]) -> str:
    far = PAIRS_MS[-1]
    bare, own = (float(np.mean(onset(swings, far, averages))) for averages in (NONE, PROTOCOL))
    averaged = f" and from {own:.2f} on with the protocol's" if _averaged(swings) else ""
    return (
        f"The gain b: equal delays settle for b < pi/2 as the paper proves; unequal ones need less, down to "
        f"{min(maps[CLOCKED].values()):.2f} on the map. Packets of 10 and 180 ms swing from b = {bare:.2f} on without "
        f"averages (fluid with moving shares: {threshold(far):.2f}){averaged}."
    )


def _table(swings: Mapping[Run, Floats]) -> Table:
    rows = [(run, place, value) for run, values in swings.items() for place, value in enumerate(values)]
    return Table(
        {
            "delay_1_ms": np.array([run.delays_ms[0] for run, _, _ in rows]),
            "delay_2_ms": np.array([run.delays_ms[1] for run, _, _ in rows]),
            "b": np.array([run.b for run, _, _ in rows]),
            "averages": np.array([run.averages for run, _, _ in rows]),
            "trial": np.array([place for _, place, _ in rows]),
            "swing": np.array([value for _, _, value in rows]),
        }
    )
