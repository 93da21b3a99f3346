"""Fig. 2: three flows that come and go over a link of constant rate, under CLAMP and under New Reno alone.

Both in runs of their own, as in the paper. Left out: other delays and rates (steady_state.py), the fluid (fluid.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from airlink.campaign import CampaignResult, Plan, Replica
from airlink.report import Bounds, Claim, Sheet, Statement, about, above, at_most, between, plus_minus
from airlink.result import Table
from airlink.scenario import Scenario
from airlink.statistics import Estimate, jain_index, mean_interval, paired_ratio
from airlink.study import Part, PartResult, Request, Runner
from airlink_studies.clamp import flow_churn_figure, setting
from airlink_studies.clamp.halves import Halves
from airlink_studies.clamp.theory import ClampFlows, clamp_equilibrium
from airlink_studies.clamp.trajectories import (
    Floats,
    Trajectory,
    growth_per_s,
    of_flow,
    queue_samples,
    queue_trajectory,
)

CLAMP, NEW_RENO = "CLAMP", "New Reno"
STAYS_S = ((0.0, 250.0), (50.0, 200.0), (100.0, 150.0))
"""From when to when each flow sends (given)."""
TCP_BUFFER_BYTES = 19_500
"""Queue of New Reno alone (given)."""
END_S = 250.0
SEEDS, QUICK_SEEDS = 20, 3
PROFILE = "Fig. 2: 10 Mb/s, 50 ms"


@dataclass(frozen=True)
class Interval:
    """The last 25 s of a time in which so many flows are there: what is measured."""

    flows: int
    from_s: float
    to_s: float
    name: str

    @property
    def middle_s(self) -> float:
        """Where its halves meet."""
        return (self.from_s + self.to_s) / 2


STRETCHES = (
    Interval(1, 25.0, 50.0, "1, at first"),
    Interval(2, 75.0, 100.0, "2"),
    Interval(3, 125.0, 150.0, "3"),
    Interval(2, 175.0, 200.0, "2 again"),
    Interval(1, 225.0, 250.0, "1 again"),
)
JUDGED = (4, 1, 2)
"""Of one, two and three flows; one flow after it was joined and left, since its start takes longer than 50 s."""
PAPER_QUEUE_BYTES = (6000.0, 6500.0, 7000.0)
PAPER_WINDOW_KB = (68.5, 34.5, 23.2)
"""For one, two and three flows: eq. (11), and what fills the wires and that queue."""


def scenarios() -> dict[str, Scenario]:
    """Both experiments."""
    clamp = setting.wire([setting.DELAY_MS] * 3, END_S, stays_s=STAYS_S)
    return {CLAMP: clamp, NEW_RENO: clamp.with_(**setting.without_clamp(TCP_BUFFER_BYTES))}


def plans(request: Request) -> Mapping[str, Plan]:
    """Both experiments with every seed."""
    count = QUICK_SEEDS if request.quick else SEEDS
    return {"fig2": Plan(scenarios(), setting.seeds(request.seed, count), ("queue", "acks", "cwnd"))}


@dataclass(frozen=True)
class Outcome:
    """One experiment: arrays [stretch, seed] unless said otherwise, stretches as in `STRETCHES`.

    Attributes
    ----------
    sampled_bytes, first_bytes, second_bytes : the queue as it is sampled, and in either half of the stretch.
    queue_bytes, queue_deviation : mean and standard deviation of the queue over time.
    window_bytes, window_deviation : of flow 1's window, the advertised one under CLAMP and the congestion window alone.
    jain : of the rates of the flows that are there.
    empty : share of the time in which the queue is empty.
    """

    sampled_bytes: Floats
    first_bytes: Floats
    second_bytes: Floats
    queue_bytes: Floats
    queue_deviation: Floats
    window_bytes: Floats
    window_deviation: Floats
    jain: Floats
    empty: Floats

    def halves(self, stretch: int) -> Halves:
        """Of the sampled queue."""
        return Halves(self.first_bytes[stretch], self.second_bytes[stretch])


def show(results: Mapping[str, CampaignResult], _: Runner) -> PartResult:
    """Judges and draws."""
    result = results["fig2"]
    found = {name: outcome(result, name) for name in (CLAMP, NEW_RENO)}
    sheets = [_sheet(found), _halves_sheet(found)]
    profile = f"{PROFILE}, {len(result.plan.seeds)} seeds"
    return PartResult(
        claims=_claims(found, profile),
        paragraphs=(_paragraph(found),),
        items=[flow_churn_figure.drawn(result), *sheets],
        printed=sheets,
        sentences=(_headline(found),),
        judged_by=tuple(f"004-{each}" for each in ("1a", "1b", "1c", "2a", "2b", "2c", "2d", "2e", "2f")),
        tables={"fig2": _table(found, result.plan.seeds)},
    )


PART = Part(
    "come-and-go", "Fig. 2: flows that come and go over a link of constant rate", ("2",), plans, show, headline=True
)


def outcome(result: CampaignResult, name: str) -> Outcome:
    """What an experiment's runs hold."""
    rows = [_measured(replica, name) for replica in result.result(name).replicas]
    return Outcome(*np.array(rows, dtype=float).transpose(2, 1, 0))


def _measured(replica: Replica, name: str) -> list[tuple[float, ...]]:
    """A row for each stretch, in the order of `Outcome`."""
    queue, acks = Table(replica.series["queue"]), Table(replica.series["acks"])
    samples, course = queue_samples(queue), queue_trajectory(queue)
    empty = Trajectory(course.time_s, (course.values == 0).astype(float))
    kept = (acks, "window_bytes") if name == CLAMP else (Table(replica.series["cwnd"]), "cwnd_bytes")
    windows = of_flow(kept[0], 0, kept[1])
    numbers = [of_flow(acks, flow, "number") for flow in range(len(STAYS_S))]
    return [
        (
            samples.mean(each.from_s, each.to_s),
            samples.mean(each.from_s, each.middle_s),
            samples.mean(each.middle_s, each.to_s),
            course.mean(each.from_s, each.to_s),
            course.deviation(each.from_s, each.to_s),
            windows.mean(each.from_s, each.to_s),
            windows.deviation(each.from_s, each.to_s),
            float(jain_index([growth_per_s(number, each.from_s, each.to_s) for number in numbers[: each.flows]])),
            empty.mean(each.from_s, each.to_s),
        )
        for each in STRETCHES
    ]


def predicted(flows: int) -> tuple[float, float]:
    """q* and each window by the fluid, bytes."""
    settled = clamp_equilibrium(ClampFlows((setting.DELAY_MS / 1e3,) * flows, setting.RATE_BPS))
    return settled.queue_bytes, settled.windows_bytes[0]


def _claims(found: Mapping[str, Outcome], profile: str) -> list[Claim]:
    clamp, tcp = found[CLAMP], found[NEW_RENO]
    rows: list[tuple[str, str, float | str, Estimate, Bounds]] = []
    for index, letter in zip(JUDGED, "abc", strict=True):
        flows = STRETCHES[index].flows
        queue, window = predicted(flows)
        many = "1 flow" if flows == 1 else f"{flows} flows"
        rows += [
            (f"1{letter}", f"CLAMP: queue as sampled, bytes, {many}", PAPER_QUEUE_BYTES[flows - 1],
             mean_interval(clamp.sampled_bytes[index]), about("bytes", queue, 0.03)),
            (f"2{letter}", f"CLAMP: window of flow 1, kB, {many}", PAPER_WINDOW_KB[flows - 1],
             mean_interval(clamp.window_bytes[index] / 1e3), about("kB", window / 1e3, 0.05)),
        ]  # fmt: skip
    for index, letter in zip(JUDGED, "def", strict=True):
        flows = STRETCHES[index].flows
        rows.append(
            (f"2{letter}", f"Window's deviation over time, New Reno over CLAMP, {flows} active", "far less under CLAMP",
             paired_ratio(tcp.window_deviation[index], clamp.window_deviation[index]), above("ratio", 3.0))
        )  # fmt: skip
    judged = list(JUDGED)
    rows += [
        ("2g", "Queue's deviation over time, New Reno over CLAMP, mean over 1, 2, 3 active", "much greater",
         paired_ratio(tcp.queue_deviation[judged].mean(axis=0), clamp.queue_deviation[judged].mean(axis=0)),
         above("ratio", 2.0)),
        ("2h", "New Reno: mean queue over time over q*, mean over 1, 2, 3 active", "about equal",
         mean_interval(_over_predicted(tcp.queue_bytes)), between("ratio", 0.85, 1.15)),
        ("2i", "CLAMP: Jain's index of the rates, 3 active", "fair", mean_interval(clamp.jain[2]),
         above("index", 0.99)),
        ("2j", "New Reno: the same", "fair", mean_interval(tcp.jain[2]), above("index", 0.99)),
        ("2k", "CLAMP: share of the time with an empty queue, 1 active", "avoid", mean_interval(clamp.empty[4]),
         at_most("share", 0.005)),
    ]  # fmt: skip
    return [
        Statement(f"004-{name}", words, paper).against(estimate, bounds, profile)
        for name, words, paper, estimate, bounds in rows
    ]


def _over_predicted(queue_bytes: Floats) -> Floats:
    """Array [seed]: the queue over q*, mean over the stretches that are judged."""
    ratios = [queue_bytes[index] / predicted(STRETCHES[index].flows)[0] for index in JUDGED]
    return np.asarray(np.mean(ratios, axis=0))


def _sheet(found: Mapping[str, Outcome]) -> Sheet:
    rows = []
    for name, each in found.items():
        for index, stretch in enumerate(STRETCHES):
            queue, window = predicted(stretch.flows)
            rows.append(
                (
                    f"{name}, {stretch.name}",
                    f"{queue:.0f}",
                    plus_minus(mean_interval(each.sampled_bytes[index]), 0),
                    f"{each.queue_bytes[index].mean():.0f}",
                    f"{each.queue_deviation[index].mean():.0f}",
                    f"{window / 1e3:.1f}",
                    plus_minus(mean_interval(each.window_bytes[index] / 1e3), 1),
                    f"{each.window_deviation[index].mean() / 1e3:.1f}",
                )
            )
    columns = ("flows active", "q*", "sampled", "mean", "dev.", "w*", "window", "dev.")
    note = (
        "Last 25 s of each time. Queue in bytes: eq. (11), as the access point samples it (the packet that comes "
        "included), over time; window of flow 1 in kB: (c d + q*) / k, and over time. The paper's are q* and w*."
    )
    return Sheet("Fig. 2: queues and windows", columns, rows, note)


def _halves_sheet(found: Mapping[str, Outcome]) -> Sheet:
    rows = [
        (f"{name}, {stretch.name}", *each.halves(index).cells(0))
        for name, each in found.items()
        for index, stretch in enumerate(STRETCHES)
    ]
    note = (
        "Queue as sampled, bytes, in either half of the 25 s; second less first; whether the intervals "
        "overlap, or the two are less than 1 % apart. New Reno's 12.5 s are no whole number of its swings (1.65 s with "
        "one flow), which all seeds have in step: they differ by their starts alone."
    )
    return Sheet(
        "Fig. 2: halves of what was measured", ("flows active", "first", "second", "apart", "agree"), rows, note
    )


def _paragraph(found: Mapping[str, Outcome]) -> str:
    clamp, tcp = found[CLAMP], found[NEW_RENO]
    times = [f"{clamp.queue_bytes[index].mean():.0f}" for index in JUDGED]
    alone = [f"{tcp.queue_bytes[index].mean():.0f}" for index in JUDGED]
    return (
        f"Over time the queue is shorter than as sampled, {' / '.join(times)} bytes with 1 / 2 / 3 flows: each "
        f"sample has the packet that comes. New Reno's queue of {TCP_BUFFER_BYTES} bytes holds {' / '.join(alone)} "
        f"over time, between empty and full."
    )


def _headline(found: Mapping[str, Outcome]) -> str:
    clamp, tcp = found[CLAMP], found[NEW_RENO]
    queues = " / ".join(f"{clamp.sampled_bytes[index].mean():.0f}" for index in JUDGED)
    windows = " / ".join(f"{clamp.window_bytes[index].mean() / 1e3:.1f}" for index in JUDGED)
    calm = [tcp.window_deviation[index].mean() / clamp.window_deviation[index].mean() for index in JUDGED]
    return (
        f"Over a link of constant rate CLAMP's queue settles at {queues} bytes with 1 / 2 / 3 flows (paper: 6000 / "
        f"6500 "
        f"/ 7000) and their windows at {windows} kB (68.5 / 34.5 / 23.2). New Reno's windows move "
        f"{min(calm):.0f} to {max(calm):.0f} times as much."
    )


def _table(found: Mapping[str, Outcome], seeds: Sequence[int]) -> Table:
    index = [(name, place, column) for name in found for place in range(len(STRETCHES)) for column in range(len(seeds))]
    columns: dict[str, list[object]] = {
        "control": [name for name, _, _ in index],
        "flows": [STRETCHES[place].flows for _, place, _ in index],
        "from_s": [STRETCHES[place].from_s for _, place, _ in index],
        "seed": [seeds[column] for _, _, column in index],
    }
    for field in Outcome.__dataclass_fields__:
        columns[field] = [float(getattr(found[name], field)[place, column]) for name, place, column in index]
    return Table({key: np.array(values) for key, values in columns.items()})
