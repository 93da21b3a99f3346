"""Figs 3 and 4 of [Choi05]: the goodput of each session of one run, as bars, those with an initial timeout marked.

The run shown is the first whose number of sessions with a timeout is the nearest to the mean over all runs.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from numpy.typing import NDArray

from airlink.plots import style
from airlink.report import Illustration, plus_minus
from airlink.statistics import mean_interval
from airlink_studies.startup_timeout import setting
from airlink_studies.startup_timeout.measures import Outcome, held_label
from airlink_studies.startup_timeout.start import FADING_12, FIFO, FIFO_12, RR, Start

ROW_IN = 1.35


def pf_figure(start: Start, label: str, name: str) -> Illustration:
    """Fig. 3: sessions under PF, (a) with timeouts as they come, (b) held."""
    run = typical(start.outcomes[label])
    both = ((label, "(a) timeouts as they come"), (held_label(label), "(b) initial timeouts held"))
    paper = ((setting.PAPER_JAIN, setting.PAPER_KBPS), (setting.PAPER_JAIN_HELD, setting.PAPER_KBPS_HELD))
    figure, rows = style.blank(2, 2 * ROW_IN + 0.6)
    for axes, (each, heading), numbers in zip(rows, both, paper, strict=True):
        _bars(axes, start, each, run, heading, f"paper: {numbers[0]:.3f}, {numbers[1]:.0f} kb/s")
    _same_height(rows)
    style.label(rows[-1], "session, in the order of mean SNR")
    _legend(figure)
    one, pair = start.outcomes[label], start.pairs[label]
    caption = (
        f"Fig. 3. Goodput over 10 s of the 20 sessions of a typical run ({label}, seed "
        f"{start.result.plan.seeds[run]}): {one.timed_out[run]:.0f} have an initial timeout (paper: "
        f"{setting.PAPER_TIMED_OUT}). Mean of {start.seeds} runs: {plus_minus(pair.timed_out, 1)} sessions; held, "
        f"Jain's index changes by {plus_minus(pair.fairer, 3)}, throughput to {plus_minus(pair.faster, 3)} times."
    )
    return Illustration(name, caption, figure, "Bars of goodput per session, normal above, timeouts held below.")


def fifo_figure(start: Start) -> Illustration:
    """Fig. 4: the same sessions under FIFO, as read in three ways, and under round robin."""
    headings = {
        FIFO_12: "FIFO, 2 Mb/s, window of 12",
        FIFO: "FIFO, 2 Mb/s, window unlimited",
        FADING_12: "FIFO on the fading channel, window of 12",
        RR: "round robin on the fading channel, window unlimited",
    }
    run = typical(start.outcomes[FIFO_12])
    figure, rows = style.blank(len(headings), len(headings) * ROW_IN + 0.6)
    for axes, (label, heading) in zip(rows, headings.items(), strict=True):
        _bars(axes, start, label, run, heading, f"paper: {setting.PAPER_JAIN_FIFO:.3f}" if label != RR else "")
    _same_height(rows)
    style.label(rows[-1], "session, in the order of mean SNR")
    _legend(figure)
    one = start.outcomes[FIFO_12]
    caption = (
        f"Fig. 4. The sessions of a run (seed {start.result.plan.seeds[run]}) when the oldest packet of all goes "
        f"first, and under round robin. Mean of {start.seeds} runs with a window of 12 segments: Jain "
        f"{plus_minus(mean_interval(one.jain), 3)}, no timeout. Without fading a session's SNR plays no part."
    )
    return Illustration("fig4-fifo", caption, figure, "Bars of goodput per session under FIFO and round robin.")


def typical(outcome: Outcome) -> int:
    """Index of the first run whose number of sessions with a timeout is the nearest to the mean."""
    return int(np.argmin(np.abs(outcome.timed_out - outcome.timed_out.mean())))


def _bars(axes: Axes, start: Start, label: str, run: int, heading: str, paper: str) -> None:
    one = start.outcomes[label]
    order = _order(start, run)
    rates, struck = one.goodput_bps[run][order] / 1e3, one.initial[run][order] > 0
    at = np.arange(1, rates.size + 1)
    for hit, colour in zip((False, True), style.COLOURS, strict=False):
        axes.bar(at[struck == hit], rates[struck == hit], width=0.75, color=colour)
    told = f"Jain {one.jain[run]:.3f}, {one.kbps[run]:.0f} kb/s" + (f" ({paper})" if paper else "")
    axes.set_title(f"{heading}\n{told}", fontsize=style.FONT_PT - 1, loc="left", linespacing=1.3)
    axes.set_xticks([1, *range(5, rates.size + 1, 5)])
    axes.grid(visible=False, axis="x")
    style.label(axes, y="goodput (kb/s)")


def _legend(figure: Figure) -> None:
    names = ("session without an initial timeout", "session with one")
    patches = [Patch(color=colour, label=name) for name, colour in zip(names, style.COLOURS, strict=False)]
    figure.legend(
        handles=patches,
        loc="outside upper center",
        ncols=2,
        frameon=False,
        handlelength=1.2,
        fontsize=style.FONT_PT - 1,
    )


def _order(start: Start, run: int) -> NDArray[np.intp]:
    """The sessions by their mean SNR, lowest first; the same in all settings of a seed."""
    label = next(iter(start.outcomes))
    return np.argsort(start.result.users(label, "mean_snr_db")[run], kind="stable")


def _same_height(rows: Sequence[Axes]) -> None:
    top = max(axes.get_ylim()[1] for axes in rows)
    for axes in rows:
        axes.set_ylim(0, top * 1.12)
