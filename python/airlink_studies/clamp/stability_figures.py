"""Maps of the b below which two flows settle, and swings of packets over b. Left out: what they mean (stability.py)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from airlink.plots import style
from airlink.plots.labels import explain
from airlink.report import Illustration
from airlink_studies.clamp.no_memory import NONE, PROTOCOL
from airlink_studies.clamp.trajectories import Floats

if TYPE_CHECKING:
    from airlink_studies.clamp.stability import Run

MAPS_HEIGHT_IN, SWINGS_HEIGHT_IN = 2.3, 2.9
LIMIT = np.pi / 2
WIDEST = 3
"""Powers of two from pi/2 at which the colours end."""
DARK = 2.0
"""Powers of two from pi/2: darker colours have white numbers."""


def maps(found: Mapping[str, Mapping[tuple[float, float], float]]) -> Illustration:
    """A panel for each reading."""
    figure, panels = style.grid(1, len(found), style.DOUBLE_WIDTH_IN, MAPS_HEIGHT_IN)
    shades = None
    for axes, (name, values) in zip(panels, found.items(), strict=True):
        delays = sorted({pair[0] for pair in values})
        drawn = np.zeros((len(delays), len(delays)))
        for (one, other), b in values.items():
            for x, y in {(one, other), (other, one)}:
                drawn[delays.index(y), delays.index(x)] = np.log2(b / LIMIT)
                shade = "white" if abs(np.log2(b / LIMIT)) > DARK else "black"
                text = f"{b:.3g}" if b >= 10 else f"{b:.2f}"
                place = delays.index(x), delays.index(y)
                axes.text(
                    *place, text, ha="center", va="center", fontsize=style.FONT_PT - 1, color=shade, gid=style.AS_DRAWN
                )
        shades = axes.imshow(drawn, origin="lower", cmap="RdBu", vmin=-WIDEST, vmax=WIDEST)
        axes.grid(visible=False)
        axes.set_xticks(range(len(delays)), [f"{delay:g}" for delay in delays])
        axes.set_yticks(range(len(delays)), [f"{delay:g}" for delay in delays])
        axes.set_title(name.replace(", ", ",\n"), fontsize=style.FONT_PT, loc="left")
        style.label(axes, "round trip of\none flow (ms)")
    style.label(panels[0], y="of the other flow (ms)")
    assert shades is not None, "a map has panels"
    powers = range(-WIDEST, WIDEST + 1)
    bar = figure.colorbar(shades, ax=panels, shrink=0.75, aspect=20, pad=0.01, ticks=powers)
    bar.ax.set_yticklabels([f"{2.0**power:g}" for power in powers])
    bar.ax.tick_params(labelsize=style.FONT_PT - 1, width=0.5, length=2)
    bar.set_label("largest stable b / (pi/2)", fontsize=style.FONT_PT)
    caption = (
        "The b below which two flows settle, by their round trips; white: pi/2, red: less, blue: more. Shares of the "
        "link held, as in eqs (8) and (9), with the gain 1/d and with 1/(100 ms) for all; shares that follow the "
        "ACKs, with 1/d and with the protocol's 1/(d + wait). 10 Mb/s; the wait is 6500 bytes long."
    )
    return Illustration(
        "stable-maps", caption, figure, "Four maps: two nearly all blue, two with red off the diagonal."
    )


def swings(
    found: Mapping[Run, Floats], thresholds: Mapping[tuple[float, float], float], averaged: float
) -> Illustration:
    """Swing over b: without averages above, with the protocol's below."""
    figure, panels = style.blank(2, 1.6 * SWINGS_HEIGHT_IN)
    for axes, averages in zip(panels, (NONE, PROTOCOL), strict=True):
        for index, (pair, threshold) in enumerate(thresholds.items()):
            own = sorted((run.b, run) for run in found if (run.delays_ms, run.averages) == (pair, averages))
            b, values = [each for each, _ in own], [float(np.mean(found[run])) for _, run in own]
            name = f"{pair[0]:g} and {pair[1]:g} ms"
            axes.plot(b, values, marker="o", markersize=2.5, label=name, **style.line_style(index))
            if averages == NONE:
                axes.axvline(threshold, color=style.COLOURS[index], linewidth=0.6, linestyle=":")
        if averages == PROTOCOL:
            axes.axvline(averaged, color=style.COLOURS[0], linewidth=0.6, linestyle=":")
        axes.axvline(LIMIT, color="black", linewidth=0.6, linestyle="--", label="pi/2")
        explain(axes, "threshold of the fluid", color=style.GREY, linewidth=0.6, linestyle=":")
        axes.axhline(0.1, color=style.GREY, linewidth=0.5, label="a tenth of q*")
        axes.set_title(averages, fontsize=style.FONT_PT, loc="left", pad=2)
        axes.set_ylim(bottom=0)
        style.label(axes, y="swing of the queue / q*")
    style.log_x(*panels)
    panels[-1].set_xticks([0.2, 0.5, 1.0, 2.0])
    style.label(panels[-1], "gain b")
    style.legend_above(figure, panels[0], columns=2)
    caption = (
        "Standard deviation of the queue's means over 20 ms, of two flows of packets (50 Mb/s, q* = 32.5 kB). Dotted: "
        "the fluid's thresholds with shares that follow the ACKs; dashed: pi/2. Above, an access point "
        "that averages over 1 ms and rates over 100 packets; below, 0.5 s and 1000 packets, the protocol's (dotted: of "
        "equal delays, averaged)."
    )
    return Illustration("swings-of-packets", caption, figure, "Three curves over b rise at their dotted lines.")
