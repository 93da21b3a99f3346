"""What Table III and Fig. 5 take: MaxCIR and user 1, with one thing turned at a time (two where it says so).

With 40 packets the paper has 86 Mb/s and data 40 % of the time, with 1500 packets a round trip of 65 ms. Left out:
two things turned together beyond what is named, and MC-PF (larger_buffers.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from airlink.campaign import CampaignResult, Plan
from airlink.plots import style
from airlink.report import Illustration, Sheet
from airlink.result import Table
from airlink.scenario import Scenario
from airlink.study import Part, PartResult, Request, Runner
from airlink_studies.imt_advanced import setting
from airlink_studies.imt_advanced.measures import Floats, Outcome
from airlink_studies.imt_advanced.setting import MAX_RATE, PAPER_ACTIVE, PAPER_RTT_MS, PAPER_TCP_MBPS, USERS
from airlink_studies.imt_advanced.table_cells import over_trials
from airlink_studies.imt_advanced.windows import Windows, mean_window

TRIALS = 3
SHORT, LONG = 40, 1500
CORE_AIR_MS = 11.75
"""One way through core and air (given)."""
NO_ERRORS: Mapping[str, object] = {"link.errors.curve.offset_db": 30.0}
"""At 30 dB above its threshold no PDU is lost."""
HELD: Mapping[str, object] = {"queue.limit_counts": "held"}
"""Packets take up room until they have left, those that wait for a repeat among them."""
ACCESS_MS = (1.0, 5.0)
"""The paper's access delays, at random between these."""
DRAWN = "access drawn"
AS_IT_IS = "as it is"
NAMES: Mapping[str, str] = {AS_IT_IS: "as the study has it", "held": "room held until sent"}
"""Of controls, in the figure."""


def access(delays_ms: Mapping[int, float]) -> dict[str, object]:
    """Changes that give flows another access delay, both ways; flow -> ms."""
    ways = ("downlink", "uplink")
    return {f"flows.{flow}.path.{way}_delay_ms": CORE_AIR_MS + ms for flow, ms in delays_ms.items() for way in ways}


TURNED: Mapping[str, Mapping[str, object]] = {
    AS_IT_IS: {},
    "window 1000": {"flows.*.tcp.receiver_window_bytes": 1000 * 1460},
    "ssthresh 300": {"flows.*.tcp.initial_ssthresh_segments": 300},
    "NACK after 2 TTIs": {"link.harq.round_trip_slots": 2},
    "NACK after 4 TTIs": {"link.harq.round_trip_slots": 4},
    "delayed ACKs": {"flows.*.tcp.delayed_ack.every": 2},
    "out of order": {"rlc.in_order": False},
    DRAWN: {},
    "no block errors": NO_ERRORS,
}
"""With 40 and with 1500 packets (all chosen)."""
SHORT_ONLY: Mapping[str, Mapping[str, object]] = {
    "RFC 6675 pipe": {"flows.*.tcp.rules.sack_pipe": "scoreboard"},
    "covered compete": {"scheduler.release_satisfied_users": False},
    "access 3 ms, all": access(dict.fromkeys(range(USERS), 3.0)),
    "access 5 ms, user 1": access({0: 5.0}),
    "delays off the grid": setting.OFF_GRID,
    "held": HELD,
    "held, 60 packets": {**HELD, "queue.limit_packets": 60},
    "held, no errors": {**HELD, **NO_ERRORS},
    "30 packets": {"queue.limit_packets": 30},
    "60 packets": {"queue.limit_packets": 60},
}
"""With 40 packets, or as many as it says (all chosen)."""
NEAR = 0.1
"""A number of the paper is met within this share of it (chosen)."""
QUICK, QUICK_SHORT_ONLY = (AS_IT_IS,), ("held",)


@dataclass(frozen=True)
class Row:
    """Of one setting: arrays [seed], all of user 1.

    Attributes
    ----------
    rtt_ms, tcp_mbps : Table III.
    active : eq. (5).
    """

    rtt_ms: Floats
    tcp_mbps: Floats
    active: Floats

    @classmethod
    def of(cls, outcome: Outcome, windows: Windows) -> Row:
        """From what was measured."""
        return cls(outcome.rtt_ms[:, 0], windows.mbps(outcome), outcome.active[:, 0])


def plans(_: Request) -> Mapping[str, Plan]:
    """None: a setting is run at a time, so that no more than its own windows are held."""
    return {}


def settings(request: Request) -> dict[tuple[str, int], Mapping[str, object]]:
    """(name, packets) -> what is turned."""
    both = QUICK if request.quick else tuple(TURNED)
    short = QUICK_SHORT_ONLY if request.quick else tuple(SHORT_ONLY)
    made = {(name, buffer): TURNED[name] for buffer in (SHORT, LONG) for name in both}
    return made | {(name, SHORT): SHORT_ONLY[name] for name in short}


def show(_: Mapping[str, CampaignResult], runner: Runner) -> PartResult:
    """Runs, draws and tells."""
    request = runner.request
    rows = {}
    for (name, buffer), turned in settings(request).items():
        cell = setting.cell(MAX_RATE, buffer, **{**setting.shortened(request), **turned})
        rows[name, buffer] = _row(runner, cell, drawn=name == DRAWN)
    sheet = _sheet(rows)
    return PartResult(
        items=[_picture(rows), sheet],
        printed=(sheet,),
        sentences=_sentences(rows),
        judged_by=("002-2a", "002-2b", "002-2c", "002-2d", "002-2e", "002-2f"),
        tables={"table-iii": _table(rows)},
    )


PART = Part("table-iii", "What Table III takes", ("controls",), plans, show, headline=True)


def _row(runner: Runner, cell: Scenario, *, drawn: bool) -> Row:
    """A setting; with access delays of its own in each trial if they are drawn."""
    seeds = setting.seeds(runner.request, TRIALS)
    plans = [Plan({"": cell}, seeds, ("cwnd",))]
    if drawn:
        plans = [Plan({"": cell.with_(**access(_draw(seed)))}, (seed,), ("cwnd",)) for seed in seeds]
    results = [runner.run(plan) for plan in plans]
    return Row.of(
        Outcome.joined([Outcome.of(result, "") for result in results]),
        Windows.joined([mean_window(result, "") for result in results]),
    )


def _draw(seed: int) -> dict[int, float]:
    """Access delays of a trial, to the microsecond."""
    return {flow: round(ms, 3) for flow, ms in enumerate(np.random.default_rng(seed).uniform(*ACCESS_MS, USERS))}


def _sheet(rows: Mapping[tuple[str, int], Row]) -> Sheet:
    names = tuple(dict.fromkeys(name for name, _ in rows))
    cells = []
    for name in names:
        short, long = rows[name, SHORT], rows.get((name, LONG))
        cells.append((name, *_cells_of_row(short), *(_cells_of_row(long)[1:] if long else ("", ""))))
    paper = (
        f"{PAPER_ACTIVE[SHORT]:g}",
        *(f"{of[size]:g}" for size in (SHORT, LONG) for of in (PAPER_RTT_MS, PAPER_TCP_MBPS)),
    )
    note = (
        f"MaxCIR, user 1, {TRIALS} trials at most. Active time ratio, round trip (ms) and TCP bandwidth (Mb/s) with "
        "40 packets, or as many as it says; the last two with 1500. held: a packet takes up room until it has left. A "
        "window counts up to the receiver's."
    )
    columns = ("turned", "active", "RTT", "TCP", "RTT, 1500", "TCP, 1500")
    return Sheet("User 1 under MaxCIR, one thing turned", columns, [("paper", *paper), *cells], note)


def _cells_of_row(row: Row) -> tuple[str, str, str]:
    return over_trials(row.active, 2), over_trials(row.rtt_ms, 1), over_trials(row.tcp_mbps, 0)


def _picture(rows: Mapping[tuple[str, int], Row]) -> Illustration:
    """Both numbers that the paper has for 40 packets, in one plane."""
    figure, (axes,) = style.blank(height_in=3.4)
    short = {name: row for (name, buffer), row in rows.items() if buffer == SHORT}
    for index, (name, row) in enumerate(short.items()):
        mark, colour = "osD"[index // len(style.COLOURS)], style.COLOURS[index % len(style.COLOURS)]
        axes.plot(row.active.mean(), row.tcp_mbps.mean(), mark, color=colour, markersize=4, label=NAMES.get(name, name))
    axes.plot(PAPER_ACTIVE[SHORT], PAPER_TCP_MBPS[SHORT], "*", color="black", markersize=9, label="paper")
    highest = max(PAPER_TCP_MBPS[SHORT], *(row.tcp_mbps.mean() for row in short.values()))
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1.08 * highest)
    style.label(axes, "active time ratio of user 1", "TCP bandwidth of user 1 (Mb/s)")
    style.legend(axes, loc="lower left", bbox_to_anchor=(-0.12, 1.0), ncols=2, columnspacing=0.8)
    caption = (
        "MaxCIR with 40 packets of buffer, or as many as named: how long user 1 has data and how fast its TCP sends, "
        "means of the trials. A point on a line from the origin sends as fast while it has data."
    )
    return Illustration("controls-40-packets", caption, figure, "TCP bandwidth over active time ratio, each control.")


def _sentences(rows: Mapping[tuple[str, int], Row]) -> Sequence[str]:
    told = []
    for name, (size, field, paper) in {
        "TCP bandwidth with 40 packets, paper 86 Mb/s": (SHORT, "tcp_mbps", PAPER_TCP_MBPS[SHORT]),
        "share of the time with data with 40 packets, paper 0.40": (SHORT, "active", PAPER_ACTIVE[SHORT]),
        "round trip with 1500 packets, paper 65 ms": (LONG, "rtt_ms", PAPER_RTT_MS[LONG]),
    }.items():
        means = {row: getattr(found, field).mean() for (row, buffer), found in rows.items() if buffer == size}
        nearest = min(means, key=partial(_distance, means, paper))
        told.append(f"{name}: {means[nearest]:.3g} ({nearest})")
    met = sum(_meets_all(rows, name) for name, buffer in rows if buffer == LONG)
    return (
        f"Settings in which three numbers of the nearest user under MaxCIR come out together within "
        f"{100 * NEAR:.0f} %: {met} of {sum(buffer == LONG for _, buffer in rows)}. Nearest to each alone, the setting "
        f"in brackets: {'; '.join(told)}.",
    )


def _meets_all(rows: Mapping[tuple[str, int], Row], name: str) -> bool:
    short, long = rows[name, SHORT], rows[name, LONG]
    pairs = (
        (short.tcp_mbps, PAPER_TCP_MBPS[SHORT]),
        (short.active, PAPER_ACTIVE[SHORT]),
        (long.rtt_ms, PAPER_RTT_MS[LONG]),
    )
    return all(abs(float(values.mean()) / paper - 1) <= NEAR for values, paper in pairs)


def _distance(means: Mapping[str, float], paper: float, row: str) -> float:
    return abs(means[row] - paper)


def _table(rows: Mapping[tuple[str, int], Row]) -> Table:
    """One row a setting and trial."""
    cells = [
        (name, buffer, trial, row.rtt_ms[trial], row.tcp_mbps[trial], row.active[trial])
        for (name, buffer), row in rows.items()
        for trial in range(row.rtt_ms.size)
    ]
    names = ("turned", "buffer_packets", "trial", "rtt_ms", "tcp_mbps", "active")
    return Table({name: np.array(column) for name, column in zip(names, zip(*cells, strict=True), strict=True)})
