"""The map as heat maps over t_c and Doppler, one panel a population, with the paper's numbers as level lines.

Between cells the level lines are drawn straight in t_c and Doppler. Left out: what follows (region.py).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator
from numpy.typing import NDArray

from airlink.plots import style
from airlink.report import Illustration
from airlink.statistics import Estimate
from airlink_studies.startup_timeout import setting
from airlink_studies.startup_timeout.map_cells import Cell, Panel, Spot

Floats = NDArray[np.float64]
Cells = Mapping[Spot, Cell]

COLUMNS = 4
PANEL_HEIGHT_IN = 1.55
FRAME_IN = 0.9
LINE_COLOURS = ("#000000", "#D55E00", "#CC79A7")
"""Of the level lines: timed-out sessions, Jain's index, throughput."""
LINE_WIDTH = 1.2


@dataclass(frozen=True)
class _Quantity:
    """One number of every cell: which, its name and range of colours."""

    of: Callable[[Cell], Estimate]
    name: str
    low: float
    high: float
    paper: float
    paper_name: str


TIMED_OUT = _Quantity(
    lambda cell: cell.timed_out, "sessions of 20 with an\ninitial timeout", 0, 20, setting.PAPER_TIMED_OUT, "11 of 20"
)
JAIN = _Quantity(lambda cell: cell.jain, "Jain's index", 0.4, 1, setting.PAPER_JAIN, f"Jain {setting.PAPER_JAIN:g}")
KBPS = _Quantity(
    lambda cell: cell.kbps, "throughput (kb/s)", 900, 2250, setting.PAPER_KBPS, f"{setting.PAPER_KBPS:g} kb/s"
)


def illustrations(panels: Sequence[Panel], cells: Cells, quick: bool = False) -> list[Illustration]:
    """The map of each quantity; for a quick look that of the timeouts only."""
    drawn = [_timeouts(panels, cells)]
    return drawn if quick else [*drawn, _jain(panels, cells), _throughput(panels, cells)]


def _timeouts(panels: Sequence[Panel], cells: Cells) -> Illustration:
    figure, axes = _sheet(panels, cells, TIMED_OUT)
    for each, panel in zip(axes, panels, strict=True):
        _band(each, panel, cells, TIMED_OUT)
        _marks(each, panel, cells)
    handles = [
        Line2D([], [], color=LINE_COLOURS[0], linewidth=LINE_WIDTH, label="11 sessions, the paper's number"),
        Line2D([], [], color=LINE_COLOURS[0], linewidth=0.7, linestyle=":", label="an end of the 95 % interval is 11"),
        Line2D([], [], color=LINE_COLOURS[0], marker="o", markersize=2.5, linestyle="", label="the interval holds 11"),
    ]
    _key(figure, handles)
    caption = (
        "Sessions of 20 with an initial timeout, mean over seeds, against t_c and Doppler; a panel a population of "
        "mean "
        "SNRs (middle ± half of the range). Solid line: the paper's 11; dotted: where an end of the 95 % interval is "
        "11; "
        "dots: cells whose interval holds 11."
    )
    return Illustration("map-timeouts", caption, figure, "Heat maps of timed-out sessions with the level line of 11.")


def _jain(panels: Sequence[Panel], cells: Cells) -> Illustration:
    figure, axes = _sheet(panels, cells, JAIN)
    _all_lines(figure, axes, panels, cells)
    caption = (
        "Jain's index over the 20 sessions in 10 s, mean over seeds. Lines: where the timed-out sessions, Jain's index "
        "and the throughput have the value of the paper's Fig. 3(a). A setting of the paper must lie on all three."
    )
    return Illustration("map-jain", caption, figure, "Heat maps of Jain's index with level lines of all three numbers.")


def _throughput(panels: Sequence[Panel], cells: Cells) -> Illustration:
    figure, axes = _sheet(panels, cells, KBPS)
    _all_lines(figure, axes, panels, cells)
    caption = "Sum of the sessions' goodputs, mean over seeds, with the same three lines."
    return Illustration(
        "map-throughput", caption, figure, "Heat maps of throughput with level lines of all three numbers."
    )


def _all_lines(figure: Figure, axes: Sequence[Axes], panels: Sequence[Panel], cells: Cells) -> None:
    """The level lines of all three numbers of Fig. 3(a) in every panel."""
    handles = []
    for quantity, colour, dash in zip((TIMED_OUT, JAIN, KBPS), LINE_COLOURS, style.DASHES, strict=False):
        look = {"colors": colour, "linestyles": dash, "linewidths": LINE_WIDTH}
        for each, panel in zip(axes, panels, strict=True):
            _level(each, panel, _means(panel, cells, quantity), quantity.paper, look)
        drawn: dict[str, Any] = {"color": colour, "linestyle": dash, "linewidth": LINE_WIDTH}
        handles.append(Line2D([], [], label=quantity.paper_name, **drawn))
    _key(figure, handles)


def _sheet(panels: Sequence[Panel], cells: Cells, quantity: _Quantity) -> tuple[Figure, list[Axes]]:
    """Heat maps of a quantity, four in a row, and their colour bar."""
    rows = -(-len(panels) // COLUMNS)
    columns = min(COLUMNS, len(panels))
    figure, axes = style.grid(rows, columns, style.DOUBLE_WIDTH_IN, PANEL_HEIGHT_IN * rows + FRAME_IN)
    for each in axes[len(panels) :]:
        each.set_visible(False)
    axes = axes[: len(panels)]
    mesh = None
    for index, (each, panel) in enumerate(zip(axes, panels, strict=True)):
        mesh = each.pcolormesh(
            _edges(panel.time_constants_slots), _edges(panel.dopplers_hz), _means(panel, cells, quantity),
            cmap="viridis", vmin=quantity.low, vmax=quantity.high,
        )  # fmt: skip
        each.set_title(f"mean SNR: {panel.title}", fontsize=style.FONT_PT, pad=3)
        _dress(each, panel, index % columns == 0, index + columns >= len(panels))
    assert mesh is not None, "a map has panels"
    bar = figure.colorbar(mesh, ax=axes, shrink=0.9, aspect=30, pad=0.01)
    bar.set_label(quantity.name, fontsize=style.FONT_PT)
    bar.ax.tick_params(labelsize=style.FONT_PT - 1, width=0.5, length=2.5)
    return figure, axes


def _dress(axes: Axes, panel: Panel, is_left: bool, is_bottom: bool) -> None:
    """Logarithmic axes with plain numbers at the cells."""
    style.log_x(axes)
    axes.set_yscale("log")
    axes.xaxis.set_major_locator(FixedLocator([100, 1000, 10_000]))
    axes.yaxis.set_major_locator(FixedLocator(list(panel.dopplers_hz)))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_minor_locator(NullLocator())
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.set_xlim(*_edges(panel.time_constants_slots)[[0, -1]])
    axes.set_ylim(*_edges(panel.dopplers_hz)[[0, -1]])
    axes.tick_params(labelsize=style.FONT_PT - 1, width=0.5, length=2.5)
    axes.grid(visible=False)
    axes.spines[:].set(visible=True, linewidth=0.5)
    axes.tick_params(labelbottom=is_bottom, labelleft=is_left)
    style.label(axes, "$t_c$ (slots)" if is_bottom else "", "Doppler (Hz)" if is_left else "")


def _band(axes: Axes, panel: Panel, cells: Cells, quantity: _Quantity) -> None:
    """The level line of the paper's number, and those of the two ends of the interval."""
    thin = {"colors": LINE_COLOURS[0], "linestyles": ":", "linewidths": 0.7}
    _level(axes, panel, _values(panel, cells, lambda cell: quantity.of(cell).low), quantity.paper, thin)
    _level(axes, panel, _values(panel, cells, lambda cell: quantity.of(cell).high), quantity.paper, thin)
    thick = {"colors": LINE_COLOURS[0], "linestyles": "-", "linewidths": LINE_WIDTH}
    _level(axes, panel, _means(panel, cells, quantity), quantity.paper, thick)


def _level(axes: Axes, panel: Panel, values: Floats, level: float, look: Mapping[str, Any]) -> None:
    """The line on which the values [Doppler, t_c] are that level, if there is one."""
    if values.min() < level < values.max():
        axes.contour(panel.time_constants_slots, panel.dopplers_hz, values, levels=[level], **look)


def _marks(axes: Axes, panel: Panel, cells: Cells) -> None:
    """A dot in every cell whose interval holds the paper's number."""
    near = [spot for spot in panel.spots if cells[spot].reaches(setting.PAPER_TIMED_OUT)]
    at = [spot.time_constant_slots for spot in near], [spot.doppler_hz for spot in near]
    axes.plot(*at, "o", color=LINE_COLOURS[0], markersize=2.2)


def _key(figure: Figure, handles: Sequence[Line2D]) -> None:
    figure.legend(
        handles=list(handles), loc="outside upper center", ncols=len(handles), fontsize=style.FONT_PT - 1, frameon=False
    )


def _means(panel: Panel, cells: Cells, quantity: _Quantity) -> Floats:
    return _values(panel, cells, lambda cell: quantity.of(cell).mean)


def _values(panel: Panel, cells: Cells, value: Callable[[Cell], float]) -> Floats:
    """Array [Doppler, t_c] of a number of the cells of a panel."""
    rows = [
        [value(cells[panel.spot(t_c, doppler)]) for t_c in panel.time_constants_slots] for doppler in panel.dopplers_hz
    ]
    return np.array(rows, dtype=float)


def _edges(centres: Sequence[float]) -> Floats:
    """Edges of cells around centres, halfway on a log scale."""
    logs = np.log(np.asarray(centres, dtype=float))
    inner = (logs[1:] + logs[:-1]) / 2
    return np.asarray(np.exp(np.concatenate([[2 * logs[0] - inner[0]], inner, [2 * logs[-1] - inner[-1]]])))
