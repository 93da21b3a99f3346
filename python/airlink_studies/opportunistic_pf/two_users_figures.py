"""Figs 6, 7 and 8: congestion windows of B and W, and their time-sequence graphs with the slots that they won."""

from __future__ import annotations

import numpy as np

from airlink.plots import style
from airlink.plots.flow import flow_figure, flow_view, words, write_page
from airlink.report import Illustration
from airlink.result import Result
from airlink_studies.opportunistic_pf.setting import ROLES, SSTHRESH_PACKETS

HEIGHT_IN = 3.0
PANELS = ("events", "sequence", "slots", "queue", "window")


def windows(result: Result, users: dict[str, int], mss_bytes: int) -> Illustration:
    """Fig. 6: congestion window of B and W over the run; `users` are their numbers."""
    figure, rows = style.blank(2, HEIGHT_IN)
    series = result.series("cwnd", 0)
    for index, ((who, user), axes) in enumerate(zip(users.items(), rows, strict=True)):
        own = series["flow"] == user
        time_s, window = series["time_s"][own], series["cwnd_bytes"][own] / mss_bytes
        look = style.line_style(index)
        axes.plot(
            time_s, window, drawstyle="steps-post", label=f"user {who}, the {ROLES[who]}", **{**look, "linewidth": 0.8}
        )
        at = own & (series["event"] == words.TIMEOUT)
        axes.plot(series["time_s"][at], np.zeros(at.sum()), "x", color=style.COLOURS[6], markersize=4, clip_on=False,
                  zorder=5, label="timeout" if at.any() else None)  # fmt: skip
        axes.axhline(SSTHRESH_PACKETS, color=style.GREY, linewidth=0.9, linestyle=(0, (1, 1.5)),
                     label="paper: initial ssthresh")  # fmt: skip
        axes.set_ylim(0, 1.1 * max(SSTHRESH_PACKETS, float(window.max())))
        style.label(axes, y="cwnd (packets)")
        style.legend(axes, loc="lower right", bbox_to_anchor=(1.0, 0.98), ncols=3)
    rows[-1].set_xlim(0, result.scenario.duration_s)
    style.time_axis(rows[-1])
    caption = (
        f"Fig. 6. Congestion windows of users B and W in the first {result.scenario.duration_s:g} s (first "
        f"realization). B "
        "cycles: each saw tooth ends with an overflow of its queue of 10 packets. W's window grows slowly, for its "
        "round trips take seconds."
    )
    return Illustration("fig6-windows", caption, figure, "Congestion windows of B and W over 80 s.")


def sequence(number: int, result: Result, user: int, who: str, until_s: float, setting: str = "") -> Illustration:
    """Figs 7 and 8: packets, ACKs and slots of one user in its first seconds; `setting` says what is changed."""
    view = flow_view(result, user=user, stop_s=until_s)
    figure = flow_figure(view, PANELS, column=True)
    timeouts = int(np.sum(view.events["event"] == words.TIMEOUT))
    with_it = f", with a {setting}" if setting else ""
    caption = (
        f"Fig. {number}. User {who} in the first {until_s:g} s (first realization{with_it}): packets sent and "
        f"ACKs; the "
        f"slots it won, as high as their rate; its queue; its congestion window. {view.slots.rows} slots, {timeouts} "
        f"{'timeout' if timeouts == 1 else 'timeouts'}."
    )
    told = f"Time-sequence graph of user {who} with slots, queue and congestion window."
    return Illustration(
        "-".join([f"fig{number}-user-{who.lower()}", *([setting] if setting else [])]),
        caption,
        figure,
        told,
        lambda path: write_page(view, path),
    )
