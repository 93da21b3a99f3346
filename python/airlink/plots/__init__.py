"""Figures of a result, for papers and screens: each function returns a matplotlib Figure.

`charts` draws measures of results, sweeps and comparisons; `comparison_figure` is the picture of a comparison.
`flow_view`, `cell_view` and `fairness_view` cut out what `flow_figure`, `cell_figure`, `fairness_figure` and the
interactive pages draw. `style` has the look of all figures, `sweep` draws curves over a
parameter with their bands, `flow` has the page of a flow.
"""

from airlink.plots import charts, flow, labels, style, sweep
from airlink.plots.cell import CellView, cell_view
from airlink.plots.cell_figure import cell_figure
from airlink.plots.charts.figure import comparison_figure
from airlink.plots.fairness import FairnessView, fairness_figure, fairness_view
from airlink.plots.flow import FlowView, flow_figure, flow_view
from airlink.plots.grants import grants
from airlink.plots.throughput import delay_cdf, download_cdf, throughput_cdf, user_throughput
from airlink.plots.traces import congestion_window, gaps, slots

__all__ = [
    "CellView",
    "FairnessView",
    "FlowView",
    "cell_figure",
    "cell_view",
    "charts",
    "comparison_figure",
    "congestion_window",
    "delay_cdf",
    "download_cdf",
    "fairness_figure",
    "fairness_view",
    "flow",
    "flow_figure",
    "flow_view",
    "gaps",
    "grants",
    "labels",
    "slots",
    "style",
    "sweep",
    "throughput_cdf",
    "user_throughput",
]
