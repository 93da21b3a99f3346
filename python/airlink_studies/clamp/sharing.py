"""How small a window may be before shares swing: receivers that take their rates over many packets see late.

`fixed_links.swinging_packets` has the threshold; here windows go through it, by the delays of three equal flows, with
the protocol's 1000 packets and with 250. Left out: unequal delays.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from airlink.campaign import CampaignResult, Plan, Replica
from airlink.plots import style
from airlink.plots.labels import explain
from airlink.report import Bounds, Claim, Illustration, Sheet, Statement, at_most, between, plus_minus
from airlink.result import Table
from airlink.scenario import Scenario
from airlink.statistics import Estimate, mean_interval
from airlink.study import Part, PartResult, Request, Runner
from airlink_studies.clamp import setting
from airlink_studies.clamp.fixed_links import RATE_PACKETS, swinging_packets
from airlink_studies.clamp.halves import Halves
from airlink_studies.clamp.trajectories import Floats, of_flow

MEMORIES = (RATE_PACKETS, 250)
"""alpha: the protocol's, and a quarter of it (chosen): half the threshold."""
WINDOWS_PACKETS = (5.0, 6.0, 7.0, 7.5, 8.0, 8.5, 9.0, 10.0, 12.0)
QUICK_WINDOWS_PACKETS = (7.0, 9.0)
FLOWS = 3
WAITED, MEASURED = 60.0, 20.0
"""Memories of a rate."""
PARTS_OF_MEMORY = 4.0
"""Rates are taken over a quarter of a memory: a swing has a period of two."""
SWINGING = 0.15
"""Standard deviation of those rates, over their mean: above it shares swing (chosen; whole packets make up to 0.05)."""
SEEDS, QUICK_SEEDS = 3, 2


def memory_s(rate_packets: int) -> float:
    """Of a flow's rate."""
    return rate_packets * FLOWS * setting.PACKET_BYTES * 8 / setting.RATE_BPS


def link(window_packets: float, rate_packets: int) -> Scenario:
    """Three flows over 10 Mb/s whose delay makes the window so large."""
    queue_bytes = FLOWS * setting.TAU_BYTES + setting.FREE_BYTES
    delay_s = (FLOWS * window_packets * setting.PACKET_BYTES - queue_bytes) / (setting.RATE_BPS / 8)
    end_s = (WAITED + MEASURED) * memory_s(RATE_PACKETS)
    remembered: dict[str, Any] = {"flows.*.tcp.clamp.rate_packets": rate_packets}
    return setting.wire([1e3 * delay_s] * FLOWS, end_s, **remembered)


def plans(request: Request) -> Mapping[str, Plan]:
    """Every window with either memory."""
    windows = QUICK_WINDOWS_PACKETS if request.quick else WINDOWS_PACKETS
    seeds = setting.seeds(request.seed, QUICK_SEEDS if request.quick else SEEDS)
    made = {
        str(packets): {f"{window:g}": link(window, packets) for window in windows}
        for packets in MEMORIES
        if not (request.quick and packets < RATE_PACKETS)
    }
    return {name: Plan(links, seeds, ("acks",)) for name, links in made.items()}


def swings(replica: Replica, rate_packets: int) -> Floats:
    """Standard deviation over time of the flows' rates over a quarter of a memory, over their mean.

    Array [3]: of all that is measured, of its first and of its second half.
    """
    acks = Table(replica.series["acks"])
    end_s = (WAITED + MEASURED) * memory_s(RATE_PACKETS)
    edges = np.arange(WAITED * memory_s(RATE_PACKETS), end_s, memory_s(rate_packets) / PARTS_OF_MEMORY)
    got = np.array([np.diff(of_flow(acks, flow, "number").at(edges)) for flow in range(FLOWS)])
    middle = got.shape[1] // 2
    return np.array([each.std() / each.mean() for each in (got, got[:, :middle], got[:, middle:])])


def show(results: Mapping[str, CampaignResult], _: Runner) -> PartResult:
    """Judges and draws."""
    measured = {
        int(name): {
            float(label): np.array([swings(replica, int(name)) for replica in result.result(label).replicas])
            for label in result.plan.scenarios
        }
        for name, result in results.items()
    }
    found = {memory: {window: each[:, 0] for window, each in own.items()} for memory, own in measured.items()}
    seeds = len(next(iter(results.values())).plan.seeds)
    sheets = [_sheet(found), _halves_sheet(measured)]
    return PartResult(
        claims=_claims(found, f"10 Mb/s, three flows, {seeds} seeds"),
        items=[_picture(found), *sheets],
        printed=sheets,
        sentences=(_headline(found),),
        depends=(_headline(found),),
        tables={"sharing": _table(found)},
    )


PART = Part("sharing", "How small a window may be before shares swing", ("shares",), plans, show)


def onset(found: Mapping[float, Floats]) -> Floats:
    """Array [seed]: the window at which the swing falls below `SWINGING`, between those that were run; or NaN."""
    windows, rows = np.array(sorted(found)), np.array([found[window] for window in sorted(found)])
    ends = []
    for column in rows.T:
        over = np.flatnonzero(column > SWINGING)
        last = int(over[-1]) if over.size else -1
        span = slice(last, last + 2)
        known = 0 <= last < windows.size - 1
        ends.append(float(np.interp(-SWINGING, -column[span], windows[span])) if known else math.nan)
    return np.array(ends)


def _claims(found: Mapping[int, Mapping[float, Floats]], profile: str) -> list[Claim]:
    own = found[RATE_PACKETS]
    rows: list[tuple[str, str, Estimate, Bounds]] = [
        ("1u", f"Window below which shares swing, over sqrt(2 alpha tau / s) / pi = {swinging_packets():.1f} packets",
         mean_interval(onset(own) / swinging_packets()), between("ratio", 0.85, 1.15)),
    ]  # fmt: skip
    if MEMORIES[1] in found:
        words = "Rates over 250 packets instead of 1000, a window of 7 packets: swing of shares"
        rows.append(("1v", words, mean_interval(found[MEMORIES[1]][7.0]), at_most("share", SWINGING)))
    return [
        Statement(f"004-{name}", words).against(estimate, bounds, profile) for name, words, estimate, bounds in rows
    ]


def _sheet(found: Mapping[int, Mapping[float, Floats]]) -> Sheet:
    windows = sorted(next(iter(found.values())))
    rows = [
        (f"{window:g}", *(plus_minus(mean_interval(100 * each[window]), 0) for each in found.values()))
        for window in windows
    ]
    note = "Standard deviation of rates over a quarter of alpha packets' time, % of their mean."
    return Sheet("Swing of shares, %", ("window (packets)", *(f"alpha {packets}" for packets in found)), rows, note)


def _halves_sheet(measured: Mapping[int, Mapping[float, Floats]]) -> Sheet:
    rows = [
        (f"{window:g}, alpha {packets}", *Halves(100 * each[:, 1], 100 * each[:, 2]).cells(1))
        for packets, own in measured.items()
        for window, each in sorted(own.items())
    ]
    note = (
        f"Swing of shares, %, in either half of what is measured, {MEASURED / 2:g} memories of 1000 packets each; "
        "agree: intervals overlap, or less than 1 % apart."
    )
    return Sheet("Swing of shares: halves", ("window (packets)", "first", "second", "apart", "agree"), rows, note)


def _picture(found: Mapping[int, Mapping[float, Floats]]) -> Illustration:
    figure, (axes,) = style.blank()
    for index, (packets, each) in enumerate(found.items()):
        windows = sorted(each)
        means = [100 * float(each[window].mean()) for window in windows]
        axes.plot(windows, means, marker="o", markersize=2.5, label=f"alpha = {packets}", **style.line_style(index))
        axes.axvline(swinging_packets(packets), color=style.COLOURS[index], linewidth=0.7, linestyle=":")
    axes.set_ylim(bottom=0)
    explain(axes, "threshold of the theory", color=style.GREY, linewidth=0.7, linestyle=":")
    style.label(axes, "window of a flow (packets)", "swing of shares (%)")
    style.legend(axes, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=2)
    caption = (
        "Standard deviation of the rates of three flows, taken over a quarter of a receiver's memory of alpha packets; "
        "10 Mb/s. Dotted: the windows below which the loop that makes shares equal swings, sqrt(2 alpha tau / s) / pi."
    )
    return Illustration(
        "shares-swing", caption, figure, "Swing over window: high left of 8.2 packets, low right of it."
    )


def _headline(found: Mapping[int, Mapping[float, Floats]]) -> str:
    return (
        f"The window: shares swing where windows are below {float(onset(found[RATE_PACKETS]).mean()):.1f} packets "
        f"(theory: "
        f"{swinging_packets():.1f}): a receiver's rate over 1000 packets is old by then. Means over many swings are "
        f"equal."
    )


def _table(found: Mapping[int, Mapping[float, Floats]]) -> Table:
    rows = [
        (packets, window, place, value)
        for packets, each in found.items()
        for window, values in each.items()
        for place, value in enumerate(values)
    ]
    names = ("rate_packets", "window_packets", "trial", "swing")
    return Table({name: np.array(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)})
