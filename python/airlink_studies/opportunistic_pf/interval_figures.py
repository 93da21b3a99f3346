"""Figure and tables of measured service intervals and the models laid over them. Left out: what they mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes

from airlink.plots import style
from airlink.report import Illustration, Sheet, plus_minus
from airlink.result import Table
from airlink_studies.opportunistic_pf.setting import ROLES, SLOTS_PER_S

if TYPE_CHECKING:
    from airlink_studies.opportunistic_pf.service_interval import Comparison

SHORTEST_S, LONGEST_S = 1.5e-3, 6.8
NOT_DRAWN = "with leads"


def figure(shown: Mapping[str, Sequence[Comparison]], paper_ms: Mapping[str, float]) -> Illustration:
    """Distribution functions of service intervals: measured, and of the models.

    Parameters
    ----------
    shown : user -> settings; models are drawn of the first.
    paper_ms : user -> mean that the paper prints.
    """
    drawn, rows = style.blank(rows=len(shown), height_in=4.6)
    for axes, (user, settings) in zip(rows, shown.items(), strict=True):
        for index, compared in enumerate(settings):
            _measured(axes, compared, index)
        for index, model in enumerate(drawn_models(settings[0]), start=len(settings)):
            look = style.line_style(index)
            cdf = settings[0].models[model][0].cdf
            axes.plot(np.arange(1, cdf.size) / SLOTS_PER_S, cdf[1:], label=f"model, {model}", **look)
        axes.plot(
            [paper_ms[user] / 1e3], [0.0], "^", color=style.COLOURS[6], markersize=5, markerfacecolor="none",
            clip_on=False, zorder=6, label="paper: mean",
        )  # fmt: skip
        axes.set_ylim(0, 1.02)
        axes.set_title(f"user {user}, the {ROLES[user]} channel", fontsize=style.FONT_PT, loc="left")
        style.label(axes, "", "CDF over packets")
    style.legend_above(drawn, rows[0], columns=2)
    style.log_x(rows[-1])
    rows[-1].set_xlim(SHORTEST_S, LONGEST_S)
    style.label(rows[-1], "service interval: time at the head of the queue (s)")
    caption = (
        f"Service intervals of the best and the worst user of Section V, measured under TCP ({len(settings[0].seen)} "
        "seeds; band: from seed to seed) and by models of PF at 4 Hz. Independent slots: shares and rates from the "
        "SNRs, for a long memory; measured shares: the same with shares and rates as measured; mean field: with the "
        "scheduler's memory, over fading that lasts. The law with leads, far off here, is in the table."
    )
    return Illustration("interval-cdf", caption, drawn, "Distribution functions of service intervals of users B and W.")


def drawn_models(compared: Comparison) -> list[str]:
    """All but the one that would cover the rest."""
    return [name for name in compared.models if name != NOT_DRAWN]


def _measured(axes: Axes, compared: Comparison, index: int) -> None:
    at = np.geomspace(SHORTEST_S, LONGEST_S, 400) * SLOTS_PER_S
    share = np.array([np.searchsorted(one.intervals, at, side="right") / one.intervals.size for one in compared.seen])
    look = style.line_style(index)
    axes.plot(at / SLOTS_PER_S, share.mean(axis=0), label=f"measured, {compared.setting.label}", **look)
    axes.fill_between(
        at / SLOTS_PER_S, share.min(axis=0), share.max(axis=0), color=look["color"], alpha=0.18, linewidth=0
    )


def sheet(compared: Sequence[Comparison]) -> Sheet:
    """Mean and variation of the intervals, and how far each model is from them."""
    rows = []
    for one in compared:
        means = [seen.intervals.mean() * 1e3 / SLOTS_PER_S for seen in one.seen]
        spread = [seen.intervals.std(ddof=1) / seen.intervals.mean() for seen in one.seen]
        rows.append((f"{one.user}, {one.setting.label}", f"{np.mean(means):.1f}", f"{np.mean(spread):.2f}", "", "", ""))
        for model in one.models:
            law = one.models[model][0]
            rows.append(
                (
                    f"  {model}",
                    f"{law.mean_slots * 1e3 / SLOTS_PER_S:.1f}",
                    f"{law.variation:.2f}",
                    plus_minus(one.distance(model), 3),
                    plus_minus(one.gap_distance(model), 3),
                    f"{one.mean_ratio(model).mean:.2f}",
                )
            )
    columns = ("user, fading, memory", "mean ms", "CoV", "distance", "of gaps", "mean ratio")
    note = (
        "distance: Kolmogorov's, model against measured service intervals; of gaps: the same for gaps between slots; "
        "mean ratio: model / measured"
    )
    return Sheet("Service intervals: measured, and models", columns, rows, note)


def table(compared: Sequence[Comparison]) -> Table:
    """Every user, setting and model as a row."""
    keys = [(one, model) for one in compared for model in one.models]
    return Table(
        {
            "user": [one.user for one, _ in keys],
            "doppler_hz": [one.setting.doppler_hz for one, _ in keys],
            "alpha": [one.setting.alpha for one, _ in keys],
            "model": [model for _, model in keys],
            "distance": [one.distance(model).mean for one, model in keys],
            "gap_distance": [one.gap_distance(model).mean for one, model in keys],
            "mean_ratio": [one.mean_ratio(model).mean for one, model in keys],
            "variation_ratio": [one.variation_ratio(model).mean for one, model in keys],
        }
    )
