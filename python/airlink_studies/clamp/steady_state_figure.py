"""The map of the links of constant rate: how far the sampled queue is from q*, and rates from equal.

Left out: what makes a link fail (steady_state.py).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes

from airlink.plots import style
from airlink.report import Illustration
from airlink_studies.clamp.fixed_links import FixedLink

if TYPE_CHECKING:
    from airlink_studies.clamp.steady_state import Settled

    Outcomes = Mapping[FixedLink, Settled]

HEIGHT_IN = 4.4
LIMITS = (3.0, 2.0)
"""Per cent that queue and rates are judged by, half of where the colours end."""


def drawn(found: Outcomes) -> Illustration:
    """Queue above rates, a panel for each number of flows."""
    counts = sorted({link.flows for link in found})
    figure, axes = style.grid(2, len(counts), style.DOUBLE_WIDTH_IN, HEIGHT_IN)
    panels = (axes[: len(counts)], axes[len(counts) :])
    for column, flows in enumerate(counts):
        own = {link: each for link, each in found.items() if link.flows == flows}
        many = "1 flow" if flows == 1 else f"{flows} flows"
        _map(panels[0][column], own, _queue, LIMITS[0])
        _map(panels[1][column], own, _rates if flows > 1 else _unused, LIMITS[1])
        panels[0][column].set_title(f"{many}: queue less q* (%)", fontsize=style.FONT_PT, loc="left")
        lower = "rates from equal (%)" if flows > 1 else "link not used (%)"
        panels[1][column].set_title(f"{many}: {lower}", fontsize=style.FONT_PT, loc="left")
        style.label(panels[1][column], "link (Mb/s)")
    for row, quantity in zip(panels, ("queue less q* (%)", "rates or use (%)"), strict=True):
        style.label(row[0], y="round trip (ms)")
        bar = figure.colorbar(row[0].images[0], ax=row, aspect=20, pad=0.01)
        bar.set_label(quantity, fontsize=style.FONT_PT)
        bar.ax.tick_params(labelsize=style.FONT_PT - 1, width=0.5, length=2)
    caption = (
        "The queue as the access point samples it less q* = k tau + a (full colour: 6 %), and the largest distance of "
        "a flow's rate from the mean (full colour: 4 %). In brackets: a window of four packets or fewer, not judged."
    )
    return Illustration("settled-map", caption, figure, "Six maps over rate and delay; nearly all cells are pale.")


def _queue(link: FixedLink, each: Settled) -> tuple[float, str]:
    value = 100 * (float(each.sampled_bytes.mean()) / link.queue_bytes - 1)
    return value, f"{value:+.1f}"


def _rates(link: FixedLink, each: Settled) -> tuple[float, str]:
    value = 100 * float(each.unequal.mean())
    return value, f"{value:.1f}" if link.judged else f"({value:.1f})"


def _unused(_: FixedLink, each: Settled) -> tuple[float, str]:
    value = 100 * max(0.0, 1 - float(each.used.mean()))
    return value, f"{value:.1f}"


def _map(
    axes: Axes, found: Outcomes, value_of: Callable[[FixedLink, Settled], tuple[float, str]], limit: float
) -> None:
    rates = sorted({link.rate_mbps for link in found})
    delays = sorted({link.delays_ms[0] for link in found})
    values = np.zeros((len(delays), len(rates)))
    for link, each in found.items():
        place = delays.index(link.delays_ms[0]), rates.index(link.rate_mbps)
        values[place], text = value_of(link, each)
        axes.text(place[1], place[0], text, ha="center", va="center", fontsize=style.FONT_PT - 1)
    axes.imshow(values, origin="lower", aspect="auto", cmap="RdBu_r", vmin=-2 * limit, vmax=2 * limit)
    axes.set_xticks(range(len(rates)), [f"{rate:g}" for rate in rates])
    axes.set_yticks(range(len(delays)), [f"{delay:g}" for delay in delays])
    axes.grid(visible=False)
