"""Charts of what sweeps, comparisons and runs found: data first, then a figure or a part of a page.

    chart = charts.sweep(answer, measure("cell.goodput_bps"))
    charts.figure(chart).savefig("sweep.pdf")

Left out: what the numbers mean, and flows over time (`airlink.plots.flow`, `cell`, `fairness`).
"""

from airlink.plots.charts.chart import Axis, Band, Chart, Series, Span
from airlink.plots.charts.comparisons import comparisons
from airlink.plots.charts.distributions import box, cdf
from airlink.plots.charts.figure import figure, origin_of
from airlink.plots.charts.learning import learning
from airlink.plots.charts.means import bars, comparison, pareto
from airlink.plots.charts.sources import answer_of, had, joined
from airlink.plots.charts.swept import sweep

__all__ = [
    "Axis",
    "Band",
    "Chart",
    "Series",
    "Span",
    "answer_of",
    "bars",
    "box",
    "cdf",
    "comparison",
    "comparisons",
    "figure",
    "had",
    "joined",
    "learning",
    "origin_of",
    "pareto",
    "sweep",
]
