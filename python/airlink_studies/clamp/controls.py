"""What the shares of the flows turn on: repetition, losses, speed, scheduler, one queue for all; one thing at a time.

At 50 ms of queueing, as in Fig. 4. Left out: two things turned together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from airlink.campaign import CampaignResult, Plan
from airlink.plots import style
from airlink.report import Illustration, Sheet, plus_minus
from airlink.result import Table
from airlink.statistics import Estimate, mean_interval, paired_ratio
from airlink.study import Part, PartResult, Request, Runner
from airlink_studies.clamp import delay_sheets, fading_cell
from airlink_studies.clamp.curves import Curve, Stretches, curve, scenarios
from airlink_studies.clamp.delay_claims import FIRST, FOURTH, MODERATE_MS, SECOND, THIRD, of_two
from airlink_studies.clamp.fading_cell import CLAMP, FAST, NEW_RENO, SLOW

SEEDS = 3
KNOBS_BYTES: Mapping[str, tuple[int, ...]] = {
    CLAMP: (3000, 8000, 18_000, 40_000),
    NEW_RENO: (9000, 18_000, 35_000, 60_000),
}
"""Around 50 ms of queueing in every control (chosen)."""


@dataclass(frozen=True)
class Control:
    """One thing turned.

    Attributes
    ----------
    changes : of the cell, by path.
    speeds : at which it is run.
    larger : how many times as large a and the buffer are for 50 ms of queueing.
    """

    changes: Mapping[str, object]
    speeds: Sequence[str] = (SLOW, FAST)
    larger: float = 1.0


AS_IT_IS, RESCHEDULED = "as it is", "rescheduled"
UNSENT, STEADY, THRESHOLD = "unsent counts", "slow but steady", "ends at ssthresh"
"""Not stated in the paper: what a buffer counts while it sends, and the variant of RFC 6582 section 3.2 step 3."""
CONTROLS: Mapping[str, Control] = {
    AS_IT_IS: Control({}),
    "1 m/s": Control({"channel.fading.doppler_hz": 6.0}, (SLOW,)),
    RESCHEDULED: Control({"link.arq.repeats": "rescheduled"}),
    "round robin": Control({"scheduler.kind": "round_robin", "scheduler.skip_unservable": False}),
    "oldest first": Control({"scheduler.kind": "fifo"}),
    UNSENT: Control({"queue.limit_counts": "unsent"}),
    STEADY: Control({"flows.*.tcp.rules.impatient": False}),
    THRESHOLD: Control({"flows.*.tcp.rules.recovery_end": "threshold"}),
}
UNSTATED = (UNSENT, STEADY, THRESHOLD)
QUICK = (AS_IT_IS, "round robin")
RATIOS = (("30/130", FIRST, SECOND), ("10/180", THIRD, FOURTH))
Curves = Mapping[tuple[str, str, str], Curve]


def controls(request: Request) -> Mapping[str, Control]:
    """By name."""
    return {name: CONTROLS[name] for name in QUICK} if request.quick else CONTROLS


def knobs_bytes(control: Control, protocol: str, request: Request) -> tuple[int, ...]:
    """Of a curve."""
    values = [round(control.larger * value) for value in KNOBS_BYTES[protocol]]
    return tuple(values[:: 3 if request.quick else 1])


def stretches_s(request: Request) -> Stretches:
    """Half of what Figs 4 and 5 measure, in two halves again."""
    from_s, to_s = fading_cell.halves(request)[0]
    middle_s = (from_s + to_s) / 2
    return (from_s, middle_s), (middle_s, to_s)


def plans(request: Request) -> Mapping[str, Plan]:
    """A campaign for each control."""
    stretches = stretches_s(request)
    found = {}
    for name, control in controls(request).items():
        made = {}
        for speed in control.speeds:
            for protocol in KNOBS_BYTES:
                knobs = knobs_bytes(control, protocol, request)
                made.update(scenarios(protocol, speed, knobs, stretches, control.changes))
        found[name] = Plan(made, fading_cell.some_seeds(request, SEEDS))
    return found


def show(results: Mapping[str, CampaignResult], runner: Runner) -> PartResult:
    """Draws and tells."""
    request = runner.request
    stretches = stretches_s(request)
    curves = {
        (name, protocol, speed): curve(
            results[name], protocol, speed, knobs_bytes(control, protocol, request), stretches
        )
        for name, control in controls(request).items()
        for speed in control.speeds
        for protocol in KNOBS_BYTES
    }
    named = {(protocol, _named(name, speed)): each for (name, protocol, speed), each in curves.items()}
    sheets = (sheet_of(curves), delay_sheets.halves(named, "Controls: halves"))
    return PartResult(
        items=[_picture(curves), *sheets],
        printed=sheets,
        sentences=_sentences(curves),
        depends=_sentences(curves),
        tables={"controls": _table(curves)},
    )


PART = Part("controls", "What the shares turn on", ("controls",), plans, show, in_quick=False)


def _sentences(curves: Curves) -> list[str]:
    """What the margin turns on; nothing in a quick run, which leaves that control out."""
    both = [curves.get((name, CLAMP, FAST)) for name in (AS_IT_IS, RESCHEDULED)]
    margins = [each.at(MODERATE_MS, each.margins).mean() for each in both if each is not None]
    if len(margins) < len(both):
        return []
    return [
        *_unstated(curves),
        f"How lost slots are repeated: at 10 m/s the margin m is {margins[0]:.2f} where a lost slot is repeated at "
        f"once, as it was, and "
        f"{margins[1]:.2f} where it is rescheduled: its size is the repetition's doing.",
    ]


def _unstated(curves: Curves) -> list[str]:
    """What New Reno's shares owe to the two rules that the paper leaves open."""
    told = []
    for speed in (SLOW, FAST):
        ratios = [of_two(curves[name, NEW_RENO, speed], THIRD, FOURTH, MODERATE_MS).mean for name in UNSTATED]
        own = of_two(curves[AS_IT_IS, NEW_RENO, speed], THIRD, FOURTH, MODERATE_MS).mean
        listed = ", ".join(f"{ratio:.1f} ({name})" for name, ratio in zip(UNSTATED, ratios, strict=True))
        told.append(f"{own:.1f} as it is, {listed} at {speed}")
    return [f"Rules that the paper does not state move New Reno's 10/180 ms ratio: {'; '.join(told)}."]


def cases(curves: Curves) -> list[tuple[str, str]]:
    """Names and speeds, in order."""
    return list(dict.fromkeys((name, speed) for name, _, speed in curves))


def sheet_of(curves: Curves) -> Sheet:
    """Ratios, throughput and margin of every control."""
    rows = []
    for name, speed in cases(curves):
        alone, clamp = (curves[name, protocol, speed] for protocol in (NEW_RENO, CLAMP))
        total = paired_ratio(clamp.total_at(MODERATE_MS), alone.total_at(MODERATE_MS))
        rows.append(
            (
                _named(name, speed),
                *(_cell(of_two(each, one, other, MODERATE_MS)) for each in (alone, clamp) for _, one, other in RATIOS),
                _cell(mean_interval(clamp.total_at(MODERATE_MS))),
                _cell(total),
                _cell(mean_interval(clamp.at(MODERATE_MS, clamp.margins))),
            )
        )
    measured_s = next(iter(curves.values())).measured_s
    note = (
        "At 50 ms of queueing, mean over the three queues: rate of the 30 ms flow over the 130 ms flow's, of the 10 ms "
        "flow over the 180 ms flow's, under New Reno alone and under CLAMP; throughput of all flows under CLAMP, Mb/s, "
        f"and over New Reno's; margin m under CLAMP. {measured_s:g} s are measured."
    )
    columns = ("turned", "Reno 30/130", "Reno 10/180", "CLAMP 30/130", "CLAMP 10/180", "all", "of Reno's", "m")
    return Sheet("What the shares turn on", columns, rows, note, narrow=(0, 1, 2, 3, 4))


def _named(name: str, speed: str) -> str:
    return name if name.endswith("m/s") else f"{name}, {speed}"


def _cell(estimate: Estimate) -> str:
    if np.isnan(estimate.mean):
        return "-"
    return plus_minus(estimate, 2) if np.isfinite(estimate.half_width) else f"{estimate.mean:.2f}"


def _picture(curves: Curves) -> Illustration:
    """How unequal the rates are in every control: 1 is fair."""
    figure, (axes,) = style.blank(height_in=3.0)
    named = cases(curves)
    places = np.arange(len(named))
    for index, protocol in enumerate((NEW_RENO, CLAMP)):
        for mark, (pair, one, other) in zip("os", RATIOS, strict=True):
            found = [of_two(curves[name, protocol, speed], one, other, MODERATE_MS) for name, speed in named]
            axes.plot(
                [each.mean for each in found], places + 0.15 * (1 - 2 * index), mark, color=style.COLOURS[1 - index],
                markersize=3.5, label=f"{protocol}, {pair}",
            )  # fmt: skip
    axes.axvline(1.0, color=style.GREY, linewidth=0.8)
    axes.set_yticks(places, [_named(*each) for each in named])
    axes.invert_yaxis()
    style.log_x(axes)
    style.label(axes, "rate of the shorter over the longer flow")
    style.legend(axes, loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2, columnspacing=0.8)
    caption = (
        "How many times as much the flow with the shorter propagation delay gets, at 50 ms of queueing, when one thing "
        "is turned: 30 and 130 ms have queues of their own, 10 and 180 ms share one. Means."
    )
    return Illustration("controls-shares", caption, figure, "Ratios of rates for each control, CLAMP and New Reno.")


def _table(curves: Curves) -> Table:
    """One row a curve, point and seed."""
    rows = [
        (name, protocol, speed, each.knob_bytes[point], seed, each.delay_ms[point, seed], *each.rates_mbps[point, seed])
        for (name, protocol, speed), each in curves.items()
        for point in range(each.knob_bytes.size)
        for seed in range(each.delay_ms.shape[1])
    ]
    names = (
        "control",
        "protocol",
        "speed",
        "knob_bytes",
        "place",
        "delay_ms",
        *(f"flow_{flow}_mbps" for flow in range(4)),
    )
    return Table({name: np.array(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)})
