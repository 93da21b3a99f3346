"""Windows and queue of packets over those of the fluid. Left out: how far apart they are (overlay.py)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from airlink.plots import style
from airlink.plots.labels import explain
from airlink.report import Illustration

if TYPE_CHECKING:
    from airlink_studies.clamp.overlay import Key, Pair

HEIGHT_IN = 1.5


def drawn(found: Mapping[Key, Pair]) -> Illustration:
    """A row for each run: windows left, queue right."""
    figure, every = style.grid(len(found), 2, style.DOUBLE_WIDTH_IN, HEIGHT_IN * len(found))
    panels = list(zip(every[::2], every[1::2], strict=True))
    for row, ((pair, averages), each) in zip(panels, found.items(), strict=True):
        for flow in (0, 1):
            colour = style.COLOURS[flow]
            name = f"{pair[flow]:g} ms, {'first' if flow == 0 else 'second'}"
            row[0].plot(each.time_s, each.windows_bytes[:, flow] / 1e3, color=colour, linewidth=0.9, label=name)
            row[0].plot(each.time_s, each.fluid.windows_bytes[:, flow] / 1e3, color="black", linewidth=0.7, ls="--")
        row[1].plot(each.time_s, each.queue_bytes / 1e3, color=style.COLOURS[5], linewidth=0.7, label="packets")
        row[1].plot(
            each.time_s, each.fluid.queue_bytes / 1e3, color="black", linewidth=0.7, linestyle="--", label="fluid"
        )
        row[0].set_title(averages, fontsize=style.FONT_PT, loc="left", pad=2)
        row[1].set_ylim(0, 65)
        for axes in row:
            axes.tick_params(labelbottom=row is panels[-1])
        style.label(row[0], y="window (kB)")
        style.label(row[1], y="queue (kB)")
        explain(row[0], "fluid", color="black", linewidth=0.7, linestyle="--")
        style.legend(row[0], loc="lower right", bbox_to_anchor=(1.0, 0.97), ncols=3)
        style.legend(row[1], loc="upper right", ncols=2)
    for axes in panels[-1]:
        style.label(axes, "time since 2 s after the second flow came (s)")
    caption = (
        "A flow joins another; dashed: the fluid that counts bytes, from the windows of packets at time 0. 50 Mb/s, "
        "tau, a and q* five times the paper's (32.5 kB), b = 1. Without averages the access point averages over 1 ms "
        "and receivers take rates over 100 packets; the protocol's 0.5 s and 1000 packets are not in the fluid."
    )
    return Illustration("fluid-and-packets", caption, figure, "Rows of two panels; dashed lines lie on coloured ones.")
