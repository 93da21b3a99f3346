"""Beyond the paper, its two closing ideas: buffers that set their own size, and other TCPs over the same link.

Everything runs under MC-PF in the paper's cell, in the same trials. Left out: other schedulers, queues shared by users,
marks (ECN) in place of realizations.
"""

from __future__ import annotations

from collections.abc import Mapping

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter

from airlink.campaign import CampaignResult, Plan
from airlink.plots import style
from airlink.report import Illustration, Sheet
from airlink.result import Table
from airlink.statistics import jain_index, mean_interval
from airlink.study import Part, PartResult, Request, Runner
from airlink_studies.imt_advanced import setting
from airlink_studies.imt_advanced.measures import Outcome
from airlink_studies.imt_advanced.table_cells import FEWEST, over_trials

TRIALS = 5
LARGE = 1500
"""Packets under every rule that drops by itself, so that the rule is what drops."""
BUFFERS: Mapping[str, Mapping[str, object]] = {
    "40 packets": {"queue.limit_packets": 40},
    "500 packets": {"queue.limit_packets": 500},
    "1500 packets": {"queue.limit_packets": LARGE},
    "CoDel, 5 ms": {"queue.limit_packets": LARGE, "queue.kind": "codel"},
    "PIE, 15 ms": {"queue.limit_packets": LARGE, "queue.kind": "pie"},
    "adaptive, 100 ms": {"queue.limit_packets": LARGE, "queue.kind": "adaptive"},
    "adaptive, 30 ms": {"queue.limit_packets": LARGE, "queue.kind": "adaptive", "queue.adaptive.target_ms": 30.0},
}
"""CoDel and PIE with the values of RFC 8289 and RFC 8033; the limit that follows the rate: so many ms of it."""
PAPERS = "500 packets"
"""The paper's TCP with the buffer that it finds best: runs once, stands in both tables."""
SACK = "NewReno, SACK"
FLAVOURS: Mapping[str, Mapping[str, object]] = {
    "Reno": {"flows.*.tcp.sack": False, "flows.*.tcp.congestion_control": "reno"},
    "NewReno": {"flows.*.tcp.sack": False, "flows.*.tcp.congestion_control": "new_reno"},
    "CUBIC": {"flows.*.tcp.congestion_control": "cubic"},
    "CUBIC, HyStart++": {
        "flows.*.tcp.congestion_control": "cubic",
        "flows.*.tcp.rules.slow_start_exit": "hystart_plus_plus",
    },
    "Westwood+": {"flows.*.tcp.congestion_control": "westwood"},
    "Vegas": {"flows.*.tcp.congestion_control": "vegas"},
}
"""What is changed of the paper's TCP: congestion control and how slow start ends, nothing else."""
QUICK_BUFFERS = ("500 packets", "CoDel, 5 ms", "adaptive, 100 ms")
QUICK_FLAVOURS = ("CUBIC",)


def plans(request: Request) -> Mapping[str, Plan]:
    """Every rule with the paper's TCP, every TCP with 500 packets."""
    trials, changes = setting.seeds(request, TRIALS), setting.shortened(request)
    return {
        name: Plan({row: setting.cell(**{**changes, **turned}) for row, turned in rows.items()}, trials)
        for name, rows in _asked(request).items()
    }


def _asked(request: Request) -> dict[str, dict[str, Mapping[str, object]]]:
    buffers = QUICK_BUFFERS if request.quick else tuple(BUFFERS)
    flavours = QUICK_FLAVOURS if request.quick else tuple(FLAVOURS)
    return {
        "own-size": {name: BUFFERS[name] for name in buffers},
        "flavours": {name: FLAVOURS[name] for name in flavours},
    }


def show(results: Mapping[str, CampaignResult], _: Runner) -> PartResult:
    """Tables, a figure and what came out."""
    found = {name: {row: Outcome.of(result, row) for row in result.plan.scenarios} for name, result in results.items()}
    found["flavours"] = {SACK: found["own-size"][PAPERS], **found["flavours"]}
    sheets = [
        _sheet("Buffers that size themselves, MC-PF, NewReno with SACK", found["own-size"]),
        _sheet("Other TCPs, MC-PF, 500 packets", found["flavours"]),
    ]
    return PartResult(
        items=[_picture(found), *sheets],
        printed=sheets,
        sentences=_sentences(found),
        depends=_sentences(found)[1:],
        tables={name: _table(rows) for name, rows in found.items()},
    )


PART = Part("beyond", "Beyond the paper: own sizes of buffers, other TCPs", ("buffers",), plans, show)


def _sheet(title: str, rows: Mapping[str, Outcome]) -> Sheet:
    cells = [
        (
            name,
            over_trials(outcome.total_mbps, 1),
            over_trials(outcome.rtt_ms[:, 0], 0),
            over_trials(outcome.rtt_ms.mean(axis=1), 0),
            over_trials(jain_index(outcome.throughput_mbps), 2),
            over_trials(100 * outcome.loss.mean(axis=1), 1),
        )
        for name, outcome in rows.items()
    ]
    trials = next(iter(rows.values())).rtt_ms.shape[0]
    trials = next(iter(rows.values())).rtt_ms.shape[0]
    note = (
        f"{trials} trials. Mb/s: all users together; RTT, ms: of user 1, mean over users; Jain: of user throughput; "
        "lost: packets at the buffers, %, mean over users."
    )
    return Sheet(title, ("", "Mb/s", "RTT, 1", "RTT", "Jain", "lost"), cells, note)


def _picture(found: Mapping[str, Mapping[str, Outcome]]) -> Illustration:
    figure, panels = style.blank(len(found), height_in=5.2)
    for axes, rows in zip(panels, found.values(), strict=True):
        for index, (name, outcome) in enumerate(rows.items()):
            _point(axes, index, name, outcome)
        style.legend(axes, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=3, columnspacing=0.9, numpoints=1)
        style.label(axes, y="throughput, all users (Mb/s)")
    shown = [axes.get_ylim() for axes in panels]
    for axes in panels:
        axes.set_ylim(min(low for low, _ in shown), max(high for _, high in shown))
    style.log_x(*panels)
    panels[-1].xaxis.set_minor_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    panels[-1].tick_params(axis="x", which="minor", labelsize=style.FONT_PT - 1)
    style.label(panels[-1], "round trip, mean over users (ms)")
    caption = (
        "Throughput against round trips under MC-PF. Above: buffers of a fixed size, limits that follow the rate, "
        "CoDel and PIE, with NewReno and SACK; below: other TCPs with 500 packets. Means of the trials, lines 95 %. "
        "Better is up and to the left."
    )
    return Illustration("buffers-own-size", caption, figure, "Throughput over round trip for each rule and TCP.")


def _point(axes: Axes, index: int, name: str, outcome: Outcome) -> None:
    rtt, total = mean_interval(outcome.rtt_ms.mean(axis=1)), mean_interval(outcome.total_mbps)
    known = rtt.n >= FEWEST
    axes.errorbar(
        rtt.mean, total.mean, total.half_width if known else None, rtt.half_width if known else None,
        fmt="osD^v<>"[index], markersize=4, color=style.COLOURS[index], linewidth=0.8, label=name,
    )  # fmt: skip


def _sentences(found: Mapping[str, Mapping[str, Outcome]]) -> tuple[str, str]:
    return (
        f"What buffers do, all users together and their mean round trip: {_rate_and_delay(found['own-size'])}.",
        f"What TCPs do with 500 packets: {_rate_and_delay(found['flavours'])}.",
    )


def _rate_and_delay(rows: Mapping[str, Outcome]) -> str:
    return "; ".join(
        f"{name} {outcome.total_mbps.mean():.0f} Mb/s at {outcome.rtt_ms.mean():.0f} ms"
        for name, outcome in rows.items()
    )


def _table(rows: Mapping[str, Outcome]) -> Table:
    """One row a rule, trial and user."""
    cells = [
        (name, trial, user + 1, float(outcome.throughput_mbps[trial, user]), float(outcome.rtt_ms[trial, user]))
        for name, outcome in rows.items()
        for trial in range(outcome.rtt_ms.shape[0])
        for user in range(outcome.rtt_ms.shape[1])
    ]
    names = ("rule", "trial", "user", "throughput_mbps", "rtt_ms")
    return Table({name: list(column) for name, column in zip(names, zip(*cells, strict=True), strict=True)})
