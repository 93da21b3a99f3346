"""The seven numbers of Section V against Doppler, as ours / paper."""

from __future__ import annotations

from collections.abc import Mapping

from airlink.plots import style, sweep
from airlink.report import Illustration
from airlink.statistics import Estimate

HEIGHT_IN = 3.4
WORDS: Mapping[str, str] = {
    "share B": "share of slots, best",
    "share W": "share of slots, worst",
    "segments B": "segments a slot, best",
    "segments W": "segments a slot, worst",
    "jitter B": "jitter, best",
    "jitter W": "jitter, worst",
    "B/W": "goodput, best / worst",
}
"""B and W are Section V's users with the best and the worst channel."""


def against_doppler(ratios: Mapping[float, Mapping[str, Estimate]], near: float) -> Illustration:
    """Ours / paper of each number at each Doppler (Hz), with the strip that counts as near."""
    figure, (axes,) = style.blank(height_in=HEIGHT_IN)
    axes.axhspan(1 - near, 1 + near, color=style.GREY, alpha=0.15, linewidth=0)
    sweep.paper_level(axes, 1.0, f"paper, and ± {100 * near:.0f} %")
    names = list(next(iter(ratios.values())))
    for index, name in enumerate(names):
        sweep.banded(axes, list(ratios), [each[name] for each in ratios.values()], index, WORDS.get(name, name))
    style.log_x(axes)
    whole = [hz for hz in ratios if hz == int(hz)]
    axes.set_xticks(whole, [f"{hz:g}" for hz in whole])
    axes.minorticks_off()
    axes.set_ylim(0, 2.5)
    style.label(axes, "Doppler (Hz)", "ours / paper")
    style.legend(axes, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=2, columnspacing=0.9)
    caption = (
        "The seven numbers of Section V against the Doppler frequency, which the paper does not give: shares of slots, "
        "segments per slot and mean jitter of users B and W, and their goodputs' ratio. Bands: 95 % over realizations."
    )
    return Illustration("nearest-doppler", caption, figure, "Ours over the paper's, seven numbers against Doppler.")
