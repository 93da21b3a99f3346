"""Beyond the paper: an a that adapts until packets wait so long on average, `price.kind` = "clamp_delay".

Left out: links whose rate changes; the ready cell `clamp` can be asked for the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from airlink.campaign import CampaignResult, Plan
from airlink.plots import style
from airlink.report import Bounds, Claim, Illustration, Sheet, above, at_most, plus_minus
from airlink.scenario import Scenario
from airlink.statistics import Estimate, mean_interval, paired_ratio
from airlink.study import Part, PartResult, Request, Runner
from airlink_studies.clamp import setting, wired_runs
from airlink_studies.clamp.trajectories import Floats
from airlink_studies.clamp.wired_runs import Answer, SteadyState

RATES_MBPS, QUICK_RATES_MBPS = (2, 10, 50), (2, 10)
FLOWS = (1, 3)
TARGETS_MS, QUICK_TARGETS_MS = (5, 10, 20, 50), (20,)
FIXED = "fixed a"
FROM_S, END_S = 200.0, 280.0
"""Ten time constants of a, b / speed_hz = 20 s, and then some."""
QUICK_FROM_S, QUICK_END_S = 100.0, 130.0
SEEDS, QUICK_SEEDS = 3, 2
REACHABLE_PACKETS = 1.5
"""A wait below so many packets' times leaves the link idle between packets: shown, not judged."""


def plans(_: Request) -> Mapping[str, Plan]:
    """None: a rate is run at a time, so that no more than its own series are held."""
    return {}


def links(rate_mbps: int, request: Request) -> dict[str, Scenario]:
    """Every number of flows and target at a rate, and the paper's a of 5500 bytes."""
    from_s, end_s = (QUICK_FROM_S, QUICK_END_S) if request.quick else (FROM_S, END_S)
    made = {}
    for flows in FLOWS:
        for target in (*(QUICK_TARGETS_MS if request.quick else TARGETS_MS), None):
            own: dict[str, Any] = {"rate_bps": rate_mbps * 1e6, "warmup_s": from_s}
            if target is not None:
                own["bottleneck.price"] = {"kind": "clamp_delay", "target_ms": float(target)}
            name = FIXED if target is None else f"{target} ms"
            made[f"{rate_mbps} Mb/s, {flows}, {name}"] = setting.wire([setting.DELAY_MS] * flows, end_s, **own)
    return made


def _held(rate_mbps: int, seeds: Sequence[int], runner: Runner) -> dict[str, SteadyState]:
    result = runner.run(Plan(links(rate_mbps, runner.request), seeds, ("queue",)))
    return wired_runs.steady_states(result)


def show(_: Mapping[str, CampaignResult], runner: Runner) -> PartResult:
    """Runs, judges and draws."""
    request = runner.request
    seeds = setting.seeds(request.seed, QUICK_SEEDS if request.quick else SEEDS)
    found: dict[str, SteadyState] = {}
    for rate in QUICK_RATES_MBPS if request.quick else RATES_MBPS:
        found |= _held(rate, seeds, runner)
    claims = _claims(found, f"50 ms, {len(seeds)} seeds")
    answer = Answer("delay-target", "An a that adapts", claims, _picture(found), _sheet(found), _headline(found))
    return wired_runs.part_result(found, answer)


PART = Part("delay-target", "Beyond the paper: an a that holds a mean wait", ("target",), plans, show, in_quick=False)


def target_of(name: str) -> float | None:
    """Of a setting, ms; None for a fixed a."""
    last = name.rpartition(", ")[2]
    return None if last == FIXED else float(last.removesuffix(" ms"))


def reachable(name: str) -> bool:
    """Whether a setting has a target above `REACHABLE_PACKETS` packets' times."""
    target, rate = target_of(name), float(name.partition(" ")[0])
    return target is not None and target > REACHABLE_PACKETS * setting.PACKET_BYTES * 8e-3 / rate


def _off(name: str, each: SteadyState) -> Floats:
    target = target_of(name)
    return abs(each.wait_ms / (target or 1.0) - 1)


def _judged(found: Mapping[str, SteadyState]) -> dict[str, SteadyState]:
    return {name: each for name, each in found.items() if reachable(name)}


def _spread(found: Mapping[str, SteadyState]) -> Estimate:
    """Of a fixed a: the longest mean wait over the shortest."""
    fixed = sorted((each.wait_ms for name, each in found.items() if name.endswith(FIXED)), key=lambda wait: wait.mean())
    return paired_ratio(fixed[-1], fixed[0])


def _claims(found: Mapping[str, SteadyState], profile: str) -> list[Claim]:
    used = {name: each for name, each in _judged(found).items() if (target_of(name) or 0) >= 20}
    idle = wired_runs.largest(
        used, lambda name, each: 1 - each.rates_bps.sum(axis=1) / float(name.partition(" ")[0]) / 1e6
    )
    rows: list[tuple[str, str, Estimate, Bounds]] = [
        ("a", "An a that adapts: mean wait, largest distance from its target", wired_runs.largest(_judged(found), _off),
         at_most("share", 0.03)),
        ("b", "A fixed a: longest over shortest mean wait on the same links", _spread(found), above("ratio", 2.0)),
        ("c", "An a that adapts, targets of 20 ms and more: most of a link that is not used", idle,
         at_most("share", 0.01)),
    ]  # fmt: skip
    return wired_runs.claims_of(14, rows, profile)


def _sheet(found: Mapping[str, SteadyState]) -> Sheet:
    targets = list(dict.fromkeys(name.rpartition(", ")[2] for name in found))
    links = list(dict.fromkeys(name.rpartition(", ")[0] for name in found))
    rows = []
    for link in links:
        cells = []
        for target in targets:
            name = f"{link}, {target}"
            text = plus_minus(mean_interval(found[name].wait_ms), 1)
            cells.append(text if reachable(name) or target == FIXED else f"({text})")
        rows.append((link, *cells))
    note = (
        "Mean wait in the queue, ms, by target, and with a = 5500 bytes. In brackets: a target below 1.5 packets' "
        "times, which leaves the link idle between packets."
    )
    return Sheet("Mean wait with an a that adapts, ms", ("link, flows", *targets), rows, note)


def _picture(found: Mapping[str, SteadyState]) -> Illustration:
    figure, (axes,) = style.blank()
    rates = list(dict.fromkeys(name.partition(",")[0] for name in found))
    for index, rate in enumerate(rates):
        own = [(target_of(name), name) for name in found if name.startswith(f"{rate}, 3")]
        points = sorted((target, float(found[name].wait_ms.mean())) for target, name in own if target is not None)
        axes.plot(*zip(*points, strict=True), marker="o", markersize=2.5, label=rate, **style.line_style(index))
        fixed = next(float(found[name].wait_ms.mean()) for target, name in own if target is None)
        axes.axhline(fixed, color=style.COLOURS[index], linewidth=0.6, linestyle=":")
    axes.set_xlim(0, 55)
    axes.set_ylim(0, 55)
    style.label(axes, "target (ms)", "mean wait (ms)")
    style.legend(axes, loc="lower right")
    caption = "Mean wait of three flows over its target, with an a that adapts. Dotted: a fixed, 5500 bytes."
    return Illustration("target-waits", caption, figure, "Lines on the diagonal; dotted lines at other heights.")


def _headline(found: Mapping[str, SteadyState]) -> str:
    off = 100 * wired_runs.largest(_judged(found), _off).mean
    return (
        f"An a that adapts holds the mean wait within {off:.1f} % of its target whatever the rate and the number of "
        f"flows; with a fixed a waits differ by a factor of {_spread(found).mean:.0f} on the same links (claims "
        f"004-14)."
    )
