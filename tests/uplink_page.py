"""Writes the table and the figure of docs/models/uplink.md: `PYTHONPATH=tests python tests/uplink_page.py`.

Prose is written by hand; the text between `<!-- table ... -->` and `<!-- end -->` is generated here.
"""

from __future__ import annotations

import re
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from uplink_runs import CONTROLS, UPLINKS, ack_times, measured, results

PAGE = Path(__file__).parent.parent / "docs/models/uplink.md"
PICTURE = PAGE.with_name("uplink.png")
FRAME = r"(?<=<!-- table {} -->\n).*?(?=<!-- end -->)"
HEAD = (
    "congestion control", "uplink", "goodput, Mb/s", "mean RTT, ms", "ACKs at one moment", "dropped", "in vain",
    "timeouts", "waits for a grant", "file, ms", "of this for a grant",
)  # fmt: skip


def page() -> str:
    """The page with a new table."""
    return re.sub(FRAME.format("runs"), lambda _: table(), PAGE.read_text(), count=1, flags=re.DOTALL)


def table() -> str:
    rows = (row(control, uplink) for control in CONTROLS for uplink in UPLINKS)
    return f"| {' | '.join(HEAD)} |\n| {' | '.join(['---'] * len(HEAD))} |\n{''.join(rows)}"


def row(control: str, uplink: str) -> str:
    found = measured(control, uplink)
    cells = (
        f"`{control}`",
        uplink,
        f"{found.goodput_bps / 1e6:.2f}",
        f"{found.rtt_ms:.1f}",
        f"{found.together:.1f}",
        f"{found.dropped:.0f}",
        f"{found.in_vain:.1f}",
        f"{found.timeouts:.1f}",
        f"{100 * found.grant_share:.1f} %",
        f"{found.file_ms:.0f}",
        f"{100 * found.file_grant_share:.0f} %",
    )
    return f"| {' | '.join(cells)} |\n"


def draw() -> None:
    """Left: gaps between a flow's ACKs at its sender. Right: the time that a file takes."""
    plt.rcParams.update({"font.size": 8})
    figure, (gaps, rates) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
    for uplink in UPLINKS:
        own = np.sort(np.concatenate([np.diff(times) for times in ack_times(results("cubic", uplink))])) * 1e3
        gaps.plot(np.maximum(own, 0.01), np.arange(1, own.size + 1) / own.size, label=uplink, lw=1.1)
    gaps.set(xscale="log", xlim=(0.01, 200), ylim=(0, 1), xlabel="gap between ACKs of a flow, ms (0 at the left edge)")
    gaps.set(ylabel="share of gaps", title="ACKs at the sender, CUBIC")
    gaps.legend(frameon=False, loc="lower right", fontsize=6.5)
    places = np.arange(len(UPLINKS))
    for shift, control in zip((-0.2, 0.2), CONTROLS, strict=True):
        heights = [measured(control, uplink).file_ms for uplink in UPLINKS]
        rates.barh(places + shift, heights, 0.38, label=control)
    rates.set_yticks(places, list(UPLINKS))
    rates.invert_yaxis()
    rates.set(xlabel="time of a file of 200 kB, ms", title="Alone in the cell, Linux's rules")
    rates.set_xlim(0, 1.35 * rates.get_xlim()[1])
    rates.legend(frameon=False, loc="upper right")
    figure.savefig(PICTURE, dpi=110, metadata={"Software": None})


if __name__ == "__main__":
    PAGE.write_text(page())
    draw()
