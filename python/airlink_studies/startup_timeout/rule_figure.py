"""The fit of the rule: timed-out sessions and the min RTO that prevents them, against the rule's constant.

Left out: the tests (rule.py).
"""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullFormatter

from airlink.plots import style
from airlink.plots.sweep import banded
from airlink.statistics import Estimate


def training_figure(
    shares: Sequence[float], timed_out: Sequence[Estimate], least_s: Sequence[float], fitted: float
) -> Figure:
    """Above: share of the sessions with an initial timeout; below: mean min RTO; the fitted constant marked.

    Parameters
    ----------
    shares : q of each point.
    timed_out : share of sessions at each, 0..1.
    least_s : mean min RTO at each, s.
    fitted : the constant in use.
    """
    figure, (above, below) = style.blank(rows=2, height_in=3.0)
    percent = [Estimate(100 * e.mean, 100 * e.low, 100 * e.high, e.n, e.level) for e in timed_out]
    banded(above, shares, percent, 0, "")
    below.plot(shares, least_s, "s-", color=style.COLOURS[1], markersize=2.6, linewidth=1.1)
    for axes in (above, below):
        style.log_x(axes)
        axes.axvline(fitted, color=style.GREY, linewidth=0.9, linestyle="--")
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.set_ylim(bottom=0)
    style.label(above, "", "sessions timed out (%)")
    style.label(below, "share q of gaps that may be longer", "mean min RTO (s)")
    return figure
