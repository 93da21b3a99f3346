"""Figs 6 and 7: windows and queues over time, at queueing delays of 50, 180 and 250 or 350 ms.

When CLAMP is in control the advertised window is below the congestion window; a queue that runs empty leaves the
scheduler without a choice. Left out: what it means for rates (delays.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields

import numpy as np

from airlink.campaign import CampaignResult, Plan, Replica
from airlink.report import Sheet, bracketed, plus_minus
from airlink.result import Table
from airlink.statistics import mean_interval, paired_difference
from airlink.study import Part, PartResult, Request, Runner
from airlink_studies.clamp import fading_cell, window_claims, window_figures
from airlink_studies.clamp.fading_cell import CLAMP, FAST, FLOWS, NEW_RENO, QUEUES, SLOW
from airlink_studies.clamp.halves import Halves
from airlink_studies.clamp.trajectories import Floats, Trajectory, of_flow

SEEDS, TOGETHER = 4, 2
"""How many seeds, and of how many series are held at once."""
Case = tuple[str, str, int]
"""Protocol, speed, and the mean queueing delay that is meant, ms."""
KNOBS_BYTES: Mapping[Case, int] = {
    (CLAMP, FAST, 50): 6900,
    (CLAMP, FAST, 180): 37_500,
    (CLAMP, FAST, 350): 93_000,
    (NEW_RENO, FAST, 50): 20_500,
    (NEW_RENO, FAST, 180): 63_000,
    (CLAMP, SLOW, 50): 15_500,
    (CLAMP, SLOW, 180): 71_000,
    (CLAMP, SLOW, 250): 300_000,
}
"""a or the buffer that makes that delay (fitted, to the curves of Figs 4 and 9)."""
DRAWN_S = 300.0
"""What is drawn of a run, up to its end (given)."""
QUICK: Sequence[Case] = tuple(case for case in KNOBS_BYTES if case[2] <= 180)


@dataclass(frozen=True)
class Outcome:
    """A case: arrays [seed, half], [seed, half, flow] or [seed, half, queue].

    Attributes
    ----------
    clamped : by flow, share of the time in which the advertised window is below the congestion window.
    losses_per_minute, loss_s : by flow, how often CLAMP loses control (it is not so any more), and for how long on
        the mean.
    empty : by queue, share of the time in which nothing is there.
    queue_bytes, deviation_bytes : by queue, mean and standard deviation over time.
    """

    clamped: Floats
    losses_per_minute: Floats
    loss_s: Floats
    empty: Floats
    queue_bytes: Floats
    deviation_bytes: Floats

    def halves(self, name: str, place: int) -> Halves:
        """Of a flow or a queue."""
        return Halves(*getattr(self, name)[:, :, place].T)

    def mean(self, name: str, place: int) -> Floats:
        """Array [seed]: of both halves together."""
        return np.asarray(getattr(self, name)[:, :, place].mean(axis=1))

    @property
    def variation(self) -> Floats:
        """Array [seed, queue]: standard deviation of the queue over its mean."""
        return np.asarray(self.deviation_bytes.mean(axis=1) / self.queue_bytes.mean(axis=1))


@dataclass(frozen=True)
class Traces:
    """What is drawn of the first seed's run: s, and bytes at these times."""

    time_s: Floats
    cwnd_bytes: Floats
    window_bytes: Floats
    queue_bytes: Floats


@dataclass(frozen=True)
class Outcomes:
    """All cases: what they came to, the first seed's course, and the delay that each had, array [seed]."""

    outcomes: Mapping[Case, Outcome]
    drawn: Mapping[Case, Traces]
    delays_ms: Mapping[Case, Floats]


def plans(_: Request) -> Mapping[str, Plan]:
    """None: a case is run at a time, so that no more than its own series are held."""
    return {}


def show(_: Mapping[str, CampaignResult], runner: Runner) -> PartResult:
    """Runs, judges and draws."""
    cases = QUICK if runner.request.quick else tuple(KNOBS_BYTES)
    each = {case: _measured(runner, case) for case in cases}
    found = Outcomes(
        {case: outcome for case, (outcome, _, _) in each.items()},
        {case: drawn for case, (_, drawn, _) in each.items()},
        {case: delays for case, (_, _, delays) in each.items()},
    )
    sheets = [_sheet(found), _losses_sheet(found), _halves_sheet(found)]
    return PartResult(
        claims=window_claims.judged(found, f"{fading_cell.PROFILE}, {found.delays_ms[CLAMP, FAST, 50].size} seeds"),
        items=[*window_figures.figure_6(found), *window_figures.figure_7(found), *sheets],
        printed=sheets,
        sentences=(_headline(found),),
        judged_by=("004-7a", "004-7b", "004-8c"),
        tables={"windows": _table(found)},
    )


PART = Part("windows", "Figs 6 and 7: windows and queues over time", ("6", "7"), plans, show, headline=True)


def _measured(runner: Runner, case: Case) -> tuple[Outcome, Traces, Floats]:
    protocol, speed, _ = case
    halves = fading_cell.halves(runner.request)
    whole = {"duration_s": halves[1][1], "warmup_s": halves[0][0]}
    cell = fading_cell.cell(protocol, speed, KNOBS_BYTES[case], **whole)
    seeds = fading_cell.some_seeds(runner.request, SEEDS)
    outcomes: list[list[Outcome]] = []
    drawn: list[Traces] = []
    delays: list[Floats] = []
    for start in range(0, len(seeds), TOGETHER):
        result = runner.run(Plan({"": cell}, seeds[start : start + TOGETHER], ("acks", "cwnd", "queue")))
        delays.append(1e3 * result.users("", "queueing_delay_mean_s").mean(axis=1))
        for replica in result.result("").replicas:
            outcomes.append(_outcomes(replica, halves))
            if not drawn:
                drawn.append(_course(replica, halves[1][1]))
    return _joined(outcomes), drawn[0], np.concatenate(delays)


def _joined(outcomes: Sequence[Sequence[Outcome]]) -> Outcome:
    """Of outcomes by seed and half."""
    names = [field.name for field in fields(Outcome)]
    return Outcome(*(np.array([[getattr(half, name) for half in seed] for seed in outcomes]) for name in names))


def _outcomes(replica: Replica, halves: Sequence[tuple[float, float]]) -> list[Outcome]:
    acks, cwnd, queue = (Table(replica.series[kind]) for kind in ("acks", "cwnd", "queue"))
    queues = [queue_of(queue, user) for user in range(len(QUEUES))]
    emptied = [Trajectory(each.time_s, (each.values == 0).astype(float)) for each in queues]
    held = [clamped(acks, cwnd, flow) for flow in range(len(FLOWS))]
    return [
        Outcome(
            clamped=np.array([each.mean(*half) for each in held]),
            losses_per_minute=np.array([60 * losses(each, *half) / (half[1] - half[0]) for each in held]),
            loss_s=np.array([loss_s(each, *half) for each in held]),
            empty=np.array([each.mean(*half) for each in emptied]),
            queue_bytes=np.array([each.mean(*half) for each in queues]),
            deviation_bytes=np.array([each.deviation(*half) for each in queues]),
        )
        for half in halves
    ]


def clamped(acks: Table, cwnd: Table, flow: int) -> Trajectory:
    """1 while the advertised window is below the congestion window."""
    congestion, advertised = of_flow(cwnd, flow, "cwnd_bytes"), of_flow(acks, flow, "window_bytes")
    times_s = np.union1d(congestion.time_s, advertised.time_s)
    return Trajectory(times_s, (advertised.at(times_s) < congestion.at(times_s)).astype(float))


def losses(held: Trajectory, from_s: float, to_s: float) -> int:
    """How often a course of ones and zeros falls to zero between two times; one that begins at zero counts, too.

    >>> losses(Trajectory(np.array([0.0, 1.0, 2.0, 3.0]), np.array([1.0, 0.0, 0.0, 1.0])), 0.0, 4.0)
    1
    """
    inside = held.values[(held.time_s > from_s) & (held.time_s <= to_s)]
    course = np.concatenate(([1.0], held.at(np.array([from_s])), inside))
    return int(np.sum(np.diff(course) < 0))


def loss_s(held: Trajectory, from_s: float, to_s: float) -> float:
    """Mean length of the times at zero; 0 where there is none."""
    count = losses(held, from_s, to_s)
    return (1 - held.mean(from_s, to_s)) * (to_s - from_s) / count if count else 0.0


def queue_of(queue: Table, user: int) -> Trajectory:
    """Bytes in a user's queue."""
    own = queue.where(queue["user"] == user)
    return Trajectory(own["time_s"], own["bytes"].astype(float))


def _course(replica: Replica, end_s: float) -> Traces:
    """Windows of the 30 ms flow and the queue of the 130 ms flow, ten times a second."""
    acks, cwnd, queue = (Table(replica.series[kind]) for kind in ("acks", "cwnd", "queue"))
    time_s = np.arange(max(0.0, end_s - DRAWN_S), end_s, 0.1)
    return Traces(
        time_s,
        of_flow(cwnd, 0, "cwnd_bytes").at(time_s),
        of_flow(acks, 0, "window_bytes").at(time_s),
        queue_of(queue, 1).at(time_s),
    )


def words(case: Case) -> str:
    """Of a case, for tables and captions."""
    protocol, speed, delay = case
    return f"{protocol}, {speed}, {delay} ms"


def _sheet(found: Outcomes) -> Sheet:
    rows = []
    for case, each in found.outcomes.items():
        shares = [100 * each.empty[:, :, place].mean(axis=1) for place in range(len(QUEUES))]
        held = [each.mean("clamped", flow) for flow in range(len(FLOWS))] if case[0] == CLAMP else []
        rows.append(
            (
                words(case),
                plus_minus(mean_interval(found.delays_ms[case]), 0),
                " / ".join(f"{100 * share.mean():.0f}" for share in held) or "-",
                " / ".join(f"{share.mean():.1f}" for share in shares),
                plus_minus(mean_interval(each.variation[:, 1]), 2),
            )
        )
    note = (
        "Mean queueing delay, ms; share of the time, %, in which the advertised window is below the congestion window, "
        "of the flows of 30, 130, 10 and 180 ms; in which the queues of 30, of 130 and of 10 and 180 ms are empty; "
        "standard deviation of the queue of the 130 ms flow over its mean."
    )
    columns = ("case", "delay", "clamped", "empty", "variation")
    return Sheet("Figs 6 and 7: windows and queues", columns, rows, note, narrow=(0, 2, 3))


def _losses_sheet(found: Outcomes) -> Sheet:
    """How often and for how long CLAMP loses control of each flow."""
    rows = [
        (
            words(case),
            *(
                f"{each.mean('losses_per_minute', flow).mean():.1f} x {each.mean('loss_s', flow).mean():.2f}"
                for flow in range(len(FLOWS))
            ),
        )
        for case, each in found.outcomes.items()
        if case[0] == CLAMP
    ]
    note = "Losses of control a minute x their mean length, s: times in which the congestion window is the smaller one."
    return Sheet("When CLAMP loses control", ("case", *FLOWS), rows, note)


def _halves_sheet(found: Outcomes) -> Sheet:
    rows = []
    for case, each in found.outcomes.items():
        if case[0] == CLAMP:
            rows.append((f"{words(case)}: clamped, 30 ms", *each.halves("clamped", 0).cells(3)))
        rows.append((f"{words(case)}: queue, 130 ms", *each.halves("queue_bytes", 1).cells(0)))
    note = "Share of the time in which the window is clamped, bytes in the queue: either half of what was measured."
    columns = ("of", "first", "second", "apart", "agree")
    return Sheet("Figs 6 and 7: halves of what was measured", columns, rows, note, narrow=(0, 1, 2, 4))


def _headline(found: Outcomes) -> str:
    near, far = (found.outcomes[CLAMP, FAST, delay].mean("clamped", 0) for delay in (50, 180))
    clamp, alone = (found.outcomes[each, FAST, 50].mean("empty", 1) for each in (CLAMP, NEW_RENO))
    fewer, more = paired_difference(100 * near, 100 * far), paired_difference(100 * alone, 100 * clamp)
    return (
        f"At 10 m/s CLAMP holds the window of the flow with 30 ms {100 * near.mean():.1f} % of the time at 50 ms of "
        f"queueing (paper: almost always), {bracketed(fewer, 0)} points less at 180 ms (less often). The queue of the "
        f"flow with 130 ms is empty {100 * clamp.mean():.1f} % of the time under CLAMP at 50 ms, {bracketed(more, 0)} "
        "points more under New Reno (more)."
    )


def _table(found: Outcomes) -> Table:
    """One row a case, seed and queue."""
    index = [
        (case, seed, place)
        for case, each in found.outcomes.items()
        for seed in range(each.empty.shape[0])
        for place in range(len(QUEUES))
    ]
    columns: dict[str, list[object]] = {
        "case": [words(case) for case, _, _ in index],
        "place": [seed for _, seed, _ in index],
        "queue": [place for _, _, place in index],
    }
    for name in ("empty", "queue_bytes", "deviation_bytes"):
        columns[name] = [found.outcomes[case].mean(name, place)[seed] for case, seed, place in index]
    return Table({key: np.array(values) for key, values in columns.items()})
