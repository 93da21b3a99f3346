"""Figs 1 and 2: throughput of every user, and one user's channel beside the slots that it is given."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from airlink.campaign import CampaignResult
from airlink.plots import style, sweep
from airlink.report import Illustration
from airlink.result import Result
from airlink.statistics import mean_interval
from airlink_studies.opportunistic_pf.setting import PAPER

HEIGHT_IN = 2.9
BAR = 0.27
ZERO_BELOW_DB = -12.5
"""Table I has no rate below."""


def throughputs(result: CampaignResult, labels: Sequence[str], marked: int) -> Illustration:
    """Fig. 1: goodput of every user under every scheduler; `marked` is the user of Fig. 2."""
    figure, (axes,) = style.blank(height_in=HEIGHT_IN)
    users = np.arange(result.users(labels[0], "user").shape[1])
    for index, label in enumerate(labels):
        means = [mean_interval(values / 1e3) for values in result.users(label, "goodput_bps").T]
        height = np.array([each.mean for each in means])
        reach = np.clip([each.half_width for each in means], 0, height)
        axes.bar(users + (index - 1) * BAR, height, BAR, color=style.COLOURS[index], label=label, zorder=2)
        axes.errorbar(users + (index - 1) * BAR, height, reach, fmt="none", ecolor="black", elinewidth=0.5, zorder=3)
    least = (1 + PAPER.user_gain_percent / 100) * float(result.users(labels[0], "goodput_bps")[:, marked].mean()) / 1e3
    sweep.paper_point(axes, marked, least, f"paper: RR + {PAPER.user_gain_percent:.0f} %, at least")
    style.log_axis(axes, result.users(labels[0], "goodput_bps") / 1e3)
    axes.set_xticks(users, [str(user) for user in users])
    axes.get_xticklabels()[marked].set_fontweight("bold")
    style.label(axes, "user, in the order of mean SNR (-10.8 to 12.24 dB)", "goodput (kb/s)")
    style.legend(axes, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=2)
    caption = (
        f"Fig. 1. TCP goodput of 16 users under round robin and opportunistic scheduling. Lines: 95 % over "
        f"realizations. User "
        f"{marked} (bold) is taken for the paper's user 0. By SNR / mean SNR most users gain, the best lose."
    )
    return Illustration("fig1-users", caption, figure, "Goodput of each user under three schedulers.")


def epochs(result: CampaignResult, periodic: str, opportunistic: str, user: int) -> Illustration:
    """Fig. 2: channel of one user; slots and rates under the opportunistic scheduler and under round robin."""
    figure, (channel, ours, theirs) = style.blank(3, 1.6 * HEIGHT_IN, [1.3, 1.0, 1.0])
    runs = {label: result.result(label) for label in (opportunistic, periodic)}
    snr = runs[opportunistic].series("snr", 0)
    own = snr["user"] == user
    slot_s = float(runs[opportunistic].scenario.slot.exact_ms()) / 1e3  # type: ignore[union-attr]
    channel.plot(snr["slot"][own] * slot_s, snr["true_db"][own], color=style.COLOURS[6], linewidth=0.6)
    channel.axhline(
        ZERO_BELOW_DB, color=style.COLOURS[1], linewidth=0.8, linestyle="--", label="no rate below -12.5 dB"
    )
    channel.set_ylim(bottom=max(-30.0, float(snr["true_db"][own].min())))
    style.label(channel, y="SNR (dB)")
    style.legend(channel, loc="lower right", bbox_to_anchor=(1.0, 0.98))
    gap_s = 0.0
    for axes, label, index in ((ours, opportunistic, 1), (theirs, periodic, 0)):
        longest = _slots(axes, runs[label], user, index, label)
        gap_s = max(gap_s, longest) if label == opportunistic else gap_s
    theirs.set_xlim(0, runs[periodic].scenario.duration_s)
    style.time_axis(theirs)
    caption = (
        f"Fig. 2. User {user} (the paper's user 0) in the first realization: its channel, and the slots it won "
        f"by SNR / "
        f"mean SNR and in turn, as high as their rate. Its longest wait by SNR / mean SNR is {gap_s:.2f} s here "
        "(paper: up to 1 s). Round robin spends slots at rate 0 (crosses); where it pauses, TCP had nothing to send."
    )
    return Illustration("fig2-epochs", caption, figure, "Channel of one user and its slots under two schedulers.")


def _slots(axes: Axes, run: Result, user: int, index: int, label: str) -> float:
    """Bars of the slots that a user won; returns its longest wait between two, s."""
    slots = run.series("slots", 0)
    own = slots["user"] == user
    time_s, rate = slots["time_s"][own], slots["rate_bps"][own] / 1e6
    axes.vlines(time_s, 0, rate, color=style.COLOURS[index], linewidth=0.5, label=f"slots, {label}")
    nothing = rate == 0
    if nothing.any():
        axes.plot(time_s[nothing], rate[nothing], "x", color="black", markersize=2.5, label="rate 0", clip_on=False)
    axes.set_ylim(0, 2.6)
    style.label(axes, y="rate (Mb/s)")
    style.legend(axes, loc="lower right", bbox_to_anchor=(1.0, 0.98), ncols=2)
    return float(np.diff(time_s).max(initial=0.0))
