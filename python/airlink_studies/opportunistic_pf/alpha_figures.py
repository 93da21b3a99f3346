"""Figs 4 and 5: throughput, and the variation of the service interval, against alpha.

The paper prints no numbers of these curves; what its text says of alpha = 0.01 is marked.
"""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes

from airlink.plots import style, sweep
from airlink.report import Illustration
from airlink.statistics import Estimate, mean_interval, paired_ratio
from airlink_studies.opportunistic_pf.alpha_curves import RR, Curves, Floats

HEIGHT_IN = 3.0
MARKED = 0.01


def throughput(found: Curves) -> Illustration:
    """Fig. 4: aggregate MAC throughput and TCP goodput against alpha, with the levels of round robin."""
    figure, (axes,) = style.blank(height_in=HEIGHT_IN)
    lines = {
        "scheduled_bps": "MAC, queues never empty",
        "granted_bps": "MAC, with TCP",
        "goodput_bps": "TCP goodput",
    }
    reference = found.scheduled_bps[RR]
    for index, (name, words) in enumerate(lines.items()):
        bands = [scaled(values, reference) for values in found.only(name)]
        sweep.banded(axes, found.alphas, bands, index, words)
    for index, name, words in ((3, "scheduled_bps", "RR: MAC"), (4, "goodput_bps", "RR: TCP goodput")):
        sweep.level(axes, scaled(getattr(found, name)[RR], reference), index, words)
    axes.set_ylim(bottom=0)
    _alpha_axis(axes, "aggregate throughput (kb/s)", 2)
    caption = (
        "Fig. 4. Aggregate MAC throughput (rate granted) and TCP goodput of PF against alpha, and of round robin. "
        "Bands: 95 % over realizations, of the ratio to round robin's MAC throughput in the same realization, "
        "as realizations differ in "
        "their users. Goodput is at most 92 % of what carries it, for headers. Dotted: the paper sees diminishing "
        "gains below."
    )
    return Illustration("fig4-throughput", caption, figure, "Throughput against alpha: MAC and TCP diverge.")


def jitter(found: Curves) -> Illustration:
    """Fig. 5: coefficient of variation of the service interval against alpha."""
    figure, (axes,) = style.blank(height_in=HEIGHT_IN)
    lines = {
        "wait_cov": "time at the head of the queue",
        "gap_cov": "gap between slots, with TCP",
        "scheduled_gap_cov": "gap between slots, queues never empty",
    }
    for index, (name, words) in enumerate(lines.items()):
        _line(axes, found.alphas, found.only(name), index, words)
    sweep.level(axes, mean_interval(found.wait_cov[RR]), 3, "RR: time at the head of the queue")
    axes.set_ylim(bottom=0)
    _alpha_axis(axes, "sd / mean of the service interval", 1)
    caption = (
        "Fig. 5. Coefficient of variation of the scheduling jitter, mean over users, against alpha. Bands: 95 % over "
        "realizations. Gaps between slots with TCP include times in which a user had nothing to be sent."
    )
    return Illustration("fig5-jitter", caption, figure, "Variation of service intervals against alpha: rises.")


def scaled(values: Floats, reference: Floats) -> Estimate:
    """The mean in kb/s, with the interval of its ratio to a reference of the same realizations."""
    ratio, mean = paired_ratio(values, reference), float(reference.mean()) / 1e3
    return Estimate(ratio.mean * mean, ratio.low * mean, ratio.high * mean, ratio.n, ratio.level)


def _line(axes: Axes, alphas: Sequence[float], values: Sequence[Floats], index: int, words: str) -> None:
    sweep.banded(axes, alphas, [mean_interval(each) for each in values], index, words)


def _alpha_axis(axes: Axes, y: str, columns: int) -> None:
    style.log_x(axes)
    axes.axvline(MARKED, color=style.GREY, linewidth=0.9, linestyle=(0, (1, 1.5)), label="paper: alpha = 0.01")
    style.label(axes, "alpha (weight of the newest slot)", y)
    style.legend(axes, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=columns)
