"""Figures 1-6 of [Klein04]: its axes and curves, with its printed numbers marked and our 95 % bands.

The paper's own curves are pictures that we can't read, so only what it prints in numbers is marked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from airlink.plots import style
from airlink.plots.flow import FlowView, flow_figure, words, write_page
from airlink.plots.labels import explain, wrapped
from airlink.report import Illustration
from airlink_studies.tcp_pf.cells import AS_IT_IS, TCP_RULES
from airlink_studies.tcp_pf.controls import BASE, CONTROLS
from airlink_studies.tcp_pf.evidence import Pair
from airlink_studies.tcp_pf.measures import RESAMPLES, RESAMPLING_SEED, Floats, Outcome
from airlink_studies.tcp_pf.setting import SCHEDULERS, TABLE_I

HEIGHT_IN = 2.7
ROW_LETTERS = 26
"""Of a control's meaning on one line, beside its interval."""
ROW_GAP = 0.8
"""Between rows, in lines."""
LINE_IN = 0.12
MEANINGS: Mapping[str, str] = {
    BASE: "as the study has it",
    **{control.name: control.meaning for control in CONTROLS},
}
GAIN = "cell goodput, TCP-PF / PF"


def gap_figure(time_s: Floats, gap_s: Floats, user: str) -> Illustration:
    """Fig. 1: gaps between successive slots of one good user under PF."""
    figure, (axes,) = style.blank(height_in=HEIGHT_IN)
    axes.vlines(time_s, 0, gap_s * 1e3, color=style.COLOURS[0], linewidth=0.6)
    mean_ms = float(gap_s.mean()) * 1e3
    for times, dashes in ((1, "-"), (4, "-."), (10, "--")):
        name = "mean gap" if times == 1 else f"{times} x mean"
        axes.axhline(times * mean_ms, color=style.COLOURS[1], linewidth=0.8, linestyle=dashes, label=name)
    axes.set_ylim(bottom=0)
    axes.set_xlim(left=0)
    style.label(axes, "time (s)", "inter-scheduling interval (ms)")
    style.legend(axes, loc="upper right", ncols=3, bbox_to_anchor=(1.0, 1.12))
    caption = (
        f"Fig. 1. Intervals between successive slots of one user with a good average channel under PF ({user}). "
        f"Mean {mean_ms:.0f} ms, longest {gap_s.max() * 1e3:.0f} ms: {gap_s.max() * 1e3 / mean_ms:.0f} times the mean."
    )
    return Illustration("fig1-gaps", caption, figure, "Gaps between slots over time, with occasional spikes.")


def flow_illustration(number: int, view: FlowView, scheduler: str, cell: str) -> Illustration:
    """Figs 2 and 3: packet and ACK indices, slots and congestion window of one user."""
    figure = flow_figure(view, ("events", "sequence", "slots", "window"), column=True)
    timeouts = int(np.sum(view.events["event"] == words.TIMEOUT))
    caption = (
        f"Fig. {number}. One user under {scheduler} (cell: {cell}, realization {view.seed}, user {view.user}): "
        f"indices of "
        f"packets sent and ACKs; the slots it won; congestion window. {timeouts} timeouts"
        + (", none caused by a loss: the packets were waiting at the base station." if timeouts else ".")
    )
    told = f"Packet indices, slots and congestion window over time under {scheduler}, {timeouts} timeouts."
    name = f"fig{number}-window-{scheduler.lower()}"
    return Illustration(name, caption, figure, told, lambda path: write_page(view, path))


def system_cdf(main: Mapping[str, Outcome]) -> Illustration:
    """Fig. 4: CDF over realizations of the cell's TCP throughput."""
    figure, (axes,) = style.blank(height_in=HEIGHT_IN)
    for index, (kind, name) in enumerate(SCHEDULERS.items()):
        _cdf(axes, main[kind].system_kBps[:, None], index, name)
        _paper_mark(axes, TABLE_I[kind].system_kBps, index)
    axes.set_xlim(left=0)
    _finish(figure, axes, "TCP throughput of the cell (kB/s)", "realizations", "paper: mean")
    caption = (
        "Fig. 4. Distribution over realizations of the cell's TCP throughput. Bands: 95 %, realizations "
        "resampled. Triangles: the "
        "mean that Table I prints."
    )
    return Illustration(
        "fig4-system-cdf", caption, figure, "Distribution functions of cell throughput, five schedulers."
    )


def user_cdf(main: Mapping[str, Outcome]) -> Illustration:
    """Fig. 5: CDF of the TCP throughput of all users of all realizations."""
    figure, (axes,) = style.blank(height_in=HEIGHT_IN)
    for index, (kind, name) in enumerate(SCHEDULERS.items()):
        _cdf(axes, main[kind].goodput_kBps, index, name)
        colour = style.COLOURS[index]
        axes.plot([TABLE_I[kind].coverage_kBps], [0.1], "^", color=colour, markersize=4.5, clip_on=False, zorder=5)
    axes.axhline(0.1, color=style.GREY, linewidth=0.5, linestyle=":")
    axes.set_xlim(0, 28.5)
    _finish(figure, axes, "TCP throughput of a user (kB/s)", "users", "paper: Gamma_0.9")
    caption = (
        "Fig. 5. Distribution of the TCP throughput of all users of all realizations (700 kB in 25 s is 28 "
        "kB/s). Bands: "
        "95 %, realizations resampled. Triangles: the Gamma_0.9 that Table I prints, where a curve should cross 0.1."
    )
    return Illustration("fig5-user-cdf", caption, figure, "Distribution functions of user throughput, five schedulers.")


def fairness_cdf(main: Mapping[str, Outcome]) -> Illustration:
    """Fig. 6: CDF over realizations of F; realizations with -inf are not on the axis, so the curve starts above 0."""
    figure, (axes,) = style.blank(height_in=HEIGHT_IN)
    for index, (kind, name) in enumerate(SCHEDULERS.items()):
        values = main[kind].fairness
        nothing = int(np.sum(np.isinf(values)))
        shown = f"{name} (-inf in {nothing} of {values.size})" if nothing else name
        _cdf(axes, values[:, None], index, shown)
        if np.isfinite(TABLE_I[kind].fairness):
            _paper_mark(axes, TABLE_I[kind].fairness, index)
    axes.set_xlim(0.2, 1.3)
    _finish(figure, axes, "fairness metric F of the cell (log10 of kB/s)", "realizations", "paper: mean")
    caption = (
        "Fig. 6. Distribution over realizations of the fairness metric F, eq. (21). A realization in which some "
        "user gets nothing "
        "has F = -inf, left of the axis. Bands: 95 %, realizations resampled. Triangles: the mean that Table I prints."
    )
    return Illustration("fig6-fairness-cdf", caption, figure, "Distribution functions of F, five schedulers.")


def control_figure(names: Sequence[str], ratios: Sequence[tuple[float, float, float]], paper: float) -> Illustration:
    """The gain under each control: ratio TCP-PF / PF with its interval; the first row is profile K3."""
    words = [wrapped(MEANINGS.get(name, name), ROW_LETTERS) for name in names]
    # In lines of text, from the top.
    heights = np.array([each.count("\n") + 1 + ROW_GAP for each in words])
    rows = heights / 2 - np.cumsum(heights)
    figure, (axes,) = style.blank(height_in=1.1 + LINE_IN * heights.sum())
    for row, (mean, low, high) in zip(rows, ratios, strict=True):
        colour = style.COLOURS[0] if row == rows[0] else style.COLOURS[6]
        axes.plot([low, high], [row, row], "-", color=colour, linewidth=1.0)
        axes.plot([mean], [row], "o", color=colour, markersize=3)
    axes.axvline(1.0, color=style.GREY, linewidth=0.8, label="no gain")
    explain(axes, "95 %", "o-", color=style.COLOURS[6], linewidth=1.0, markersize=3)
    axes.axvline(paper, color=style.COLOURS[1], linewidth=0.8, linestyle="--", label=f"paper: {paper:.3f}")
    axes.set_yticks(rows, words)
    axes.set_ylim(-heights.sum(), 0)
    style.label(axes, GAIN)
    style.legend_above(figure, axes, columns=3)
    caption = (
        "The gain of TCP-PF over PF when one assumption of the study's cell is changed; bars are 95 % intervals, "
        "paired by realization."
    )
    return Illustration("controls", caption, figure, "Ratio of goodputs with intervals, one line per control.")


def rules_figure(cells: Mapping[str, Mapping[str, Pair]]) -> Illustration:
    """The gain under each rule of TCP, in every cell."""
    names = [AS_IT_IS, *(rule.name for rule in TCP_RULES)]
    figure, (axes,) = style.blank(height_in=1.0 + 0.32 * len(names))
    rows = np.arange(len(names))[::-1]
    for index, (cell, pairs) in enumerate(cells.items()):
        gains = [pairs[name].gain for name in names]
        at = rows + 0.27 - 0.18 * index
        colour = style.COLOURS[index]
        axes.hlines(at, [one.low for one in gains], [one.high for one in gains], color=colour, linewidth=1.0)
        axes.plot(
            [one.mean for one in gains],
            at,
            "o",
            color=colour,
            markersize=3,
            label=MEANINGS[cell] if cell == BASE else cell,
        )
    axes.axvline(1.0, color=style.GREY, linewidth=0.8, label="no gain")
    axes.set_yticks(rows, names)
    axes.set_ylim(-0.6, len(names) - 0.4)
    style.label(axes, GAIN, "rule of TCP that is changed")
    style.legend_above(figure, axes, columns=2)
    caption = (
        "The gain of TCP-PF over PF with one rule of TCP changed, in the study's cell and three besides; bars are 95 % "
        "intervals, paired by realization."
    )
    return Illustration("tcp-rules", caption, figure, "Ratio of goodputs with intervals, by rule of TCP and cell.")


def _cdf(axes: Axes, samples: Floats, index: int, name: str) -> None:
    """The distribution of samples [realization, ...] with a bootstrap band over realizations."""
    finite = samples[np.isfinite(samples)]
    style_of = style.line_style(index)
    if finite.size == 0:
        axes.plot([], [], label=name, **style_of)
        return
    at = np.unique(np.concatenate([finite, [finite.min() - 1e-9]]))
    axes.step(at, _share_below(samples, at), where="post", label=name, **style_of)
    points = np.linspace(at[0], at[-1], 120)
    drops = samples.shape[0]
    by_drop = np.array([_share_below(drop, points) for drop in samples])
    draws = np.random.default_rng(RESAMPLING_SEED).integers(drops, size=(RESAMPLES, drops))
    low, high = np.quantile(by_drop[draws].mean(axis=1), [0.025, 0.975], axis=0)
    axes.fill_between(points, low, high, color=style_of["color"], alpha=0.13, linewidth=0, step="post")


def _share_below(samples: Floats, at: Floats) -> Floats:
    ordered = np.sort(samples.ravel())
    return np.asarray(np.searchsorted(ordered, at, side="right") / ordered.size)


def _paper_mark(axes: Axes, value: float, index: int) -> None:
    axes.plot([value], [0.0], "^", color=style.COLOURS[index], markersize=4.5, clip_on=False, zorder=5)


def _finish(figure: Figure, axes: Axes, x: str, members: str, paper: str) -> None:
    axes.set_ylim(0, 1)
    style.label(axes, x, f"CDF over {members}")
    explain(axes, f"{paper} (same colours)", "^", color=style.GREY, markersize=4)
    style.legend_above(figure, axes, columns=3)
