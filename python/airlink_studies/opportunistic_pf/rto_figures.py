"""Figure and tables of alpha against the retransmission timer: spurious timeouts, service intervals, and the rule.

Left out: what is run and claimed (see alpha_and_rto.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from airlink.campaign import CampaignResult
from airlink.plots import style
from airlink.plots.sweep import banded
from airlink.report import Illustration, Sheet, plus_minus
from airlink.result import Table
from airlink.statistics import Estimate, mean_interval
from airlink_studies.opportunistic_pf.quarters import CENTRE, EDGE, QUARTERS, Floats
from airlink_studies.opportunistic_pf.tcp_events import goodput_kbps, per_flow_minute

if TYPE_CHECKING:
    from airlink_studies.opportunistic_pf.alpha_and_rto import Point

NAMES = {CENTRE: "central users", EDGE: "edge users"}


def figure(points: Sequence[Point], longest: Mapping[int, Sequence[Floats]], safe: float, seeds: int) -> Illustration:
    """Spurious timeouts, and the longest service interval, against alpha.

    Parameters
    ----------
    points : of one cell.
    longest : class -> for each alpha, array [seed], s.
    safe : spurious timeouts per flow and minute that count as safe.
    seeds : how many.
    """
    drawn, (rate, interval) = style.blank(rows=2, height_in=4.2)
    alphas = list(dict.fromkeys(point.alpha for point in points))
    lines = [(timer, which) for which in NAMES for timer in _timers(points)]
    for index, (timer, which) in enumerate(lines):
        chosen = [point.spurious for point in points if (point.timer, point.which) == (timer, which)]
        banded(rate, alphas, chosen, index, f"{NAMES[which]}, {timer.removeprefix('min RTO ')}")
    for index, (which, name) in zip((0, 2), NAMES.items(), strict=True):
        banded(interval, alphas, [mean_interval(values) for values in longest[which]], index, name)
    for seconds in sorted({point.min_rto_s for point in points}):
        interval.axhline(seconds, color=style.GREY, linewidth=0.8, linestyle="--")
        interval.annotate(
            f"min RTO {seconds:g} s", (alphas[0], seconds), xytext=(0, 2), textcoords="offset points",
            fontsize=style.FONT_PT - 1, color="#555555",
        )  # fmt: skip
    rate.axhline(safe, color=style.GREY, linewidth=0.8, linestyle="--", label="taken for safe")
    rate.set_yscale("symlog", linthresh=safe)
    rate.set_ylim(0, 1000)
    style.log_x(interval)
    interval.invert_xaxis()
    style.log_axis(interval, [0.2, 8.0])
    style.label(rate, "", "spurious timeouts\nper flow and minute")
    style.label(interval, "alpha (weight of the newest slot)", "longest service interval (s)")
    style.legend(
        rate, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=2, columnspacing=0.9, title="users, minimum RTO",
        title_fontsize=style.FONT_PT - 1, alignment="left",
    )  # fmt: skip
    style.legend(interval, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=2)
    caption = (
        "Alpha and the RTO. Top: spurious timeouts of greedy Reno downloads. Bottom: the longest time of a packet at "
        "the head of its queue, of any user of the class. Edge, central: the lowest and the highest 4 of 16 users in "
        f"SNR; {seeds} seeds, bands: 95 %."
    )
    return Illustration("rto-alpha", caption, drawn, "Spurious timeouts and longest service intervals against alpha.")


def sheet(
    main: CampaignResult, labels: Mapping[str, Mapping[float, str]], silent: Mapping[str, float], own: str
) -> Sheet:
    """Goodput against that with the timer `own`, and timeouts; labels: timer -> alpha -> label."""
    rows = []
    for timer, of_alpha in labels.items():
        for alpha, label in of_alpha.items():
            share = f"{100 * silent[label]:.1f}" if label in silent else ""
            counts = [
                per_flow_minute(main, label, column, which).mean()
                for column in ("timeouts", "spurious_timeouts")
                for which in (EDGE, CENTRE)
            ]
            gain = goodput_kbps(main, label).mean() / goodput_kbps(main, labels[own][alpha]).mean()
            cell = plus_minus(mean_interval(goodput_kbps(main, label)), 0)
            rows.append((f"{timer}, {alpha:g}", cell, f"{gain:.3f}", *(f"{count:.2f}" for count in counts), share))
    columns = ("timer, alpha", "cell kb/s", "of 0.2 s", "edge", "centre", "spurious edge", "centre", "silent %")
    note = (
        "edge, centre: timeouts per flow and minute, then the spurious ones; silent: share of the flows' time spent "
        "waiting for a timeout"
    )
    return Sheet("Alpha and the retransmission timer", columns, rows, note)


def short_sheet(main: CampaignResult, labels: Mapping[str, Mapping[float, str]], points: Sequence[Point]) -> Sheet:
    """A row an alpha: central users' spurious timeouts and longest interval, and goodput against the first timer's."""
    own, *others = labels
    rows = []
    for alpha, label in labels[own].items():
        central = [point for point in points if point.alpha == alpha and point.which == CENTRE]
        base = goodput_kbps(main, label)
        gains = [f"{goodput_kbps(main, labels[timer][alpha]).mean() / base.mean():.3f}" for timer in others]
        counts = [f"{point.spurious.mean:.2f}" for point in central]
        rows.append((f"{alpha:g}", f"{central[0].longest_s:.2f}", *counts, f"{base.mean():.0f}", *gains))
    columns = (
        "alpha",
        "longest s",
        *(f"sp. {point}" for point in _minima(points)),
        "kb/s",
        *(_short(one) for one in others),
    )
    note = (
        "central users: longest service interval, spurious timeouts per flow and minute for both minimum RTOs; kb/s: "
        "of the cell with 0.2 s, then goodput with another timer, against that"
    )
    return Sheet("Alpha and the retransmission timer", columns, rows, note)


def _minima(points: Sequence[Point]) -> list[str]:
    return [f"{seconds:g} s" for seconds in sorted({point.min_rto_s for point in points})]


def _short(timer: str) -> str:
    return timer.removeprefix("min RTO ").removeprefix("0.2 s, ")


def rule_sheet(points: Sequence[Point]) -> Sheet:
    """The rule against what was seen, central users of every cell."""
    rows = [
        (
            f"{point.cell}, {point.timer}, {point.alpha:g}",
            f"{point.longest_s:.2f}",
            "yes" if point.predicted_safe else "no",
            _rate(point.spurious),
            "yes" if point.safe else "no",
        )
        for point in points
        if point.which == CENTRE
    ]
    columns = ("cell, timer, alpha", "longest s", "rule: safe", "spurious", "safe")
    note = "longest: longest service interval, mean over seeds; rule: safe when that is below the minimum RTO"
    return Sheet("The rule, central users", columns, rows, note)


def _rate(estimate: Estimate) -> str:
    return plus_minus(estimate, 2)


def table(points: Sequence[Point]) -> Table:
    """Every point as a row."""
    return Table(
        {
            "cell": [point.cell for point in points],
            "timer": [point.timer for point in points],
            "alpha": [point.alpha for point in points],
            "users": [QUARTERS[point.which] for point in points],
            "min_rto_s": [point.min_rto_s for point in points],
            "longest_service_interval_s": [point.longest_s for point in points],
            "spurious_per_flow_minute": [point.spurious.mean for point in points],
            "low": [point.spurious.low for point in points],
            "high": [point.spurious.high for point in points],
        }
    )


def _timers(points: Sequence[Point]) -> list[str]:
    return list(dict.fromkeys(point.timer for point in points))
