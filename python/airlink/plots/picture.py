"""A figure with its theme: saved in a way that others can edit and compare, shown by a notebook as it is.

Left out: what is drawn (`airlink.plots.style` makes the axes).
"""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import IO, Any

import matplotlib as mpl
import numpy as np
from matplotlib.backend_bases import RendererBase
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.transforms import Bbox

from airlink.plots.theme import repaint, theme

DOTS_PER_INCH = 300
"""Of files: what journals ask for."""

SCREEN_DOTS_PER_INCH = 160
"""In a notebook: a figure of 178 mm is 1120 dots wide."""

RULES: dict[Any, Any] = {"svg.hashsalt": "airlink", "svg.fonttype": "path", "pdf.fonttype": 42, "ps.fonttype": 42}
"""Fonts are embedded as TrueType, never as Type 3; the same figure has the same names inside."""

WITHOUT_DATE: dict[str, dict[str, Any]] = {
    "pdf": {"CreationDate": None},
    "svg": {"Date": None},
    "png": {"Software": None},
}


class RoundedLayout(ConstrainedLayoutEngine):
    """Places panels as matplotlib does, to a thousand-millionth of the figure.

    Its solver sums in another order in each process, and an SVG names what it cuts off by exact places: unrounded, one
    run in three or so has other bytes.
    """

    def execute(self, fig: Figure) -> Any:
        """Places the panels of a figure."""
        grids = super().execute(fig)
        for axes in fig.axes:
            place = Bbox(np.round(axes.get_position(original=True).get_points(), 9))
            axes._set_position(place, which="original")  # type: ignore[attr-defined]  # `set_position` ends the layout
        return grids


class Picture(Figure):
    """A figure in the theme that held when it was made.

    Attributes
    ----------
    theme : its colours; what is drawn in those of the light theme is swapped when the figure is drawn.
    """

    def __init__(self, width_in: float, height_in: float) -> None:
        super().__init__(figsize=(width_in, height_in), dpi=DOTS_PER_INCH, layout=RoundedLayout())
        self.theme = theme()
        self.set_facecolor(self.theme.background)
        FigureCanvasAgg(self)

    def draw(self, renderer: RendererBase) -> None:
        """Draws the figure in the colours of its theme."""
        repaint(self, self.theme)
        super().draw(renderer)

    def savefig(self, fname: str | os.PathLike[str] | IO[Any], **options: Any) -> None:
        """Writes the figure, as `matplotlib.figure.Figure.savefig` does: editable fonts, and no date in the file."""
        named = Path(fname).suffix if isinstance(fname, str | os.PathLike) else ""
        kind = str(options.get("format") or named.removeprefix(".") or "png").lower()
        options.setdefault("metadata", WITHOUT_DATE.get(kind))
        with mpl.rc_context(RULES):
            super().savefig(fname, **options)

    def _repr_png_(self) -> bytes:
        """The figure in a notebook."""
        shown = io.BytesIO()
        self.savefig(shown, format="png", dpi=SCREEN_DOTS_PER_INCH)
        return shown.getvalue()


def write(figure: Figure, to: Path | IO[bytes], kind: str, **options: Any) -> None:
    """Writes any figure as a `Picture` is written; `kind` is "pdf", "svg" or "png"."""
    with mpl.rc_context(RULES):
        figure.savefig(to, format=kind, metadata=WITHOUT_DATE[kind], **options)
