"""What held each flow back, second by second: read from a result, or from its replica simulated again.

The accounting is the engine's (docs/explain.md has its rule); here it is read, cut to the measured time and summed.
Leaves out what no flow's own time tells: whether another scheduler would have served the others as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from airlink.engine import Progress
from airlink.explain import sentences
from airlink.explain.alone import alone_bps
from airlink.explain.causes import BY_NAME, CAUSES, CELL, OF_THE_CELL, Cause
from airlink.explain.facts import Facts, facts_of
from airlink.explain.moments import Moment, joined, moments
from airlink.explain.presence import UserPresence, behind_own, user_presence
from airlink.result import Result, Table
from airlink.result.rerun import held, missing, rerun
from airlink.result.selection import chosen_flow, chosen_replica, flows_of
from airlink.scenario import Scenario
from airlink.tables import UP

MOST_MOMENTS = 10


@dataclass(frozen=True, repr=False)
class FlowExplanation:
    """Where the time of one flow went.

    Attributes
    ----------
    flow, user : their numbers.
    active_s : its time: from its start, or the end of the warm-up, to its completion, or the end of the run.
    seconds : cause -> seconds; they add up to active_s. Over UDP it is where packets of the flow were, and
        "application" is the time in which none was under way. Of a slot of several subchannels that its user shared
        only its part of what somebody won is air; the rest is the scheduler's.
    intervals : columns from_s, to_s, cause (code), direction (of the data that was waited for: 0 down, 1 up), of that
        time, without gaps; a shared slot is air as a whole here.
    facts : what else is known of it, for the sentences.
    """

    flow: int
    user: int
    active_s: float
    seconds: Mapping[str, float]
    intervals: Table
    facts: Facts

    @property
    def shares(self) -> Mapping[str, float]:
        """Cause -> share of active_s, 0..1; all 0 when it never was active."""
        return {name: held / self.active_s if self.active_s > 0 else 0.0 for name, held in self.seconds.items()}

    @property
    def think_s(self) -> float:
        """For how long its user read between pages: no time of any page, and no cause of a slow one."""
        return self.seconds["application"] if self.facts.thinks else 0.0

    @property
    def waited_s(self) -> float:
        """The time that is explained: active_s without think_s; of pages, from a request to the page's end."""
        return max(self.active_s - self.think_s, 0.0)

    @property
    def held(self) -> Mapping[str, float]:
        """Cause -> seconds of waited_s, with scheduler, air and ARQ summed as "cell"; only what is above 0."""
        return summed(self.seconds, self.think_s)

    @property
    def of_requests(self) -> Mapping[str, float]:
        """Cause -> seconds of waited_s in which a request on its way up was waited for; of uploads all of them."""
        up = self.intervals.where(self.intervals["direction"] == UP)
        return summed({**dict.fromkeys(self.seconds, 0.0), **_seconds_of(up)}, 0.0)

    @property
    def causes(self) -> tuple[Cause, ...]:
        """Those that held at all, the cell's as one, the largest first; without think time."""
        held = self.held
        return tuple(sorted((BY_NAME[name] for name in held), key=lambda cause: -held[cause.name]))

    @property
    def largest(self) -> Cause | None:
        """What held it back for longest; None when there is no time to explain."""
        return next(iter(self.causes), None)

    @property
    def rate_bps(self) -> float:
        """Goodput over the time that is explained; NaN when there is none."""
        return 8 * self.facts.goodput_bytes / self.waited_s if self.waited_s > 0 else float("nan")

    def shown(self, cause: Cause, name: str) -> str:
        """The name of a cause in a table of this flow: who is alone waits for a slot; UDP paces itself."""
        if self.facts.is_alone and cause.name == "scheduler":
            return "waits for a slot"
        return "none under way" if self.facts.without_tcp and cause.name == "application" else name

    def share(self, cause: Cause) -> float:
        """Of the time that is explained, that of a cause or of the whole cell, 0..1."""
        seconds = self.held.get(cause.name, self.seconds.get(cause.name, 0.0))
        return seconds / self.waited_s if self.waited_s > 0 else 0.0

    def moments(self, cause: str, most: int = MOST_MOMENTS) -> tuple[Moment, ...]:
        """Stretches in which a cause (by its name) prevailed, the one in which it held longest first."""
        codes = [BY_NAME[name].code for name in (OF_THE_CELL if cause == CELL.name else (cause,))]
        struck = self.intervals.where(np.isin(self.intervals["cause"], codes))
        begins, ends = joined(struck["from_s"], struck["to_s"])
        share = float((ends - begins).sum()) / self.active_s if self.active_s > 0 else 0.0
        return moments(begins, ends, share, most)

    @property
    def sentences(self) -> tuple[str, ...]:
        """In words: what held it back and when, what would help and what would not, what it achieved."""
        return sentences.of_flow(self)

    def __repr__(self) -> str:
        return "\n".join(self.sentences)

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        # Loaded when first needed: only a notebook asks for it.
        from airlink.explain import in_notebook

        return in_notebook.of_flow(self)


@dataclass(frozen=True, repr=False)
class Explanation:
    """Where the time of the flows of one replica went.

    Attributes
    ----------
    scenario : its name.
    replica, seed, version : which run.
    flows : those asked for, by number.
    """

    scenario: str
    replica: int
    seed: int
    version: str
    flows: tuple[FlowExplanation, ...]

    @property
    def active_s(self) -> float:
        """The time of all flows together."""
        return sum(flow.active_s for flow in self.flows)

    @property
    def counted(self) -> tuple[Cause, ...]:
        """The causes that the run tells of: a grant only where there is an uplink with grants."""
        return tuple(cause for cause in CAUSES if all(cause.name in flow.seconds for flow in self.flows))

    @property
    def seconds(self) -> Mapping[str, float]:
        """Cause -> seconds, summed over the flows."""
        return {cause.name: sum(flow.seconds[cause.name] for flow in self.flows) for cause in self.counted}

    @property
    def think_s(self) -> float:
        """The time in which users read between pages, of all flows together."""
        return sum(flow.think_s for flow in self.flows)

    @property
    def held(self) -> Mapping[str, float]:
        """Cause -> seconds without think time, summed over the flows, with the cell's causes as one."""
        of = held_back(self.flows)
        seconds = {cause.name: sum(flow.seconds[cause.name] for flow in of) for cause in self.counted}
        return summed(seconds, sum(flow.think_s for flow in of))

    @property
    def slowest(self) -> FlowExplanation | None:
        """The flow of the lowest rate in the time that is explained; None when there is no such time."""
        return slowest(self.flows)

    @property
    def sentences(self) -> tuple[str, ...]:
        """In words: what held the flows back together, and why the slowest one was slow."""
        return sentences.of_flows(self)

    def __repr__(self) -> str:
        return "\n".join(self.sentences)

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from airlink.explain import in_notebook

        return in_notebook.of_explanation(self)


def explain(
    result: Result,
    user: int | None = None,
    flow: int | None = None,
    replica: int = 0,
    progress: Progress | None = None,
) -> Explanation:
    """What held the flows of a replica back.

    A replica that was run without the series `limits` is simulated again.

    Parameters
    ----------
    result : in memory or loaded.
    user, flow : only this user's flows, only this flow; default all. Of these, or else of the slowest, it is also
        simulated what the user would get alone.
    replica : which, from 0; default 0.
    progress : called with (finished, total) when it is simulated again.

    Raises
    ------
    RequestError : there is no such replica, user or flow, or the user has no flow, or not this one.
    ResultError : it has to be simulated again and can't be: see `airlink.result.rerun`.

    Examples
    --------
    >>> import airlink
    >>> window = "flows.0.tcp.receiver_window_bytes=5840"
    >>> result = airlink.run(airlink.scenario.ready("dumbbell", ["duration_s=10", window]))
    >>> (flow,) = explain(result).flows
    >>> flow.largest.name, round(flow.shares["receiver_window"], 2)
    ('receiver_window', 1.0)
    """
    chosen = chosen_flows(result, user, flow, replica)
    recorded, place = result, replica
    if missing(result, needed(result.scenario), replica):
        recorded, place = rerun(result, [*needed(result.scenario), "downloads"], replica, progress), 0
    limits = _of_all(recorded, place)
    stored = recorded.replicas[place]
    begin_s = recorded.scenario.duration_s - float(stored.cell["measured_s"])
    present = user_presence(limits, stored.flows["user"], begin_s)
    flows = [_explained(recorded, place, number, limits, present) for number in chosen]
    told = flows if user is not None or flow is not None else [least] if (least := slowest(flows)) else []
    flows = [_with_more(recorded, place, one, limits, begin_s) if one in told else one for one in flows]
    return Explanation(result.scenario.name, replica, result.seeds[replica], result.version, tuple(flows))


def needed(scenario: Scenario) -> list[str]:
    """The series that an explanation is made of."""
    return ["limits", "waits"] if any(flow.is_over_udp() for flow in scenario.flows) else ["limits"]


def _of_all(result: Result, replica: int) -> Table:
    """The intervals of all flows: of those over UDP, which nothing holds back, where their packets were."""
    limits = held(result, "limits", replica)
    if "waits" not in needed(result.scenario):
        return limits
    waits = result.series("waits", replica)
    others = limits.where(~np.isin(limits["flow"], waits["flow"]))
    return Table({name: np.concatenate([others[name], waits[name]]) for name in others})


def slowest(flows: Sequence[FlowExplanation]) -> FlowExplanation | None:
    """The flow of the lowest rate, of those with time to explain; over UDP the one of which least is in time."""
    explained = [flow for flow in held_back(flows) if flow.waited_s > 0]
    return min(explained, key=_progress, default=None)


def held_back(flows: Sequence[FlowExplanation]) -> Sequence[FlowExplanation]:
    """The flows that something may hold back: all but those over UDP, which pace themselves; else these."""
    return [flow for flow in flows if not flow.facts.without_tcp] or flows


def _progress(flow: FlowExplanation) -> float:
    """What is least of the slowest: the rate; over UDP the share of what was on time and not lost."""
    of = flow.facts.without_tcp
    if not of:
        return flow.rate_bps
    known = [of[name] for name in ("datagram_loss_rate", "deadline_miss_rate") if not np.isnan(of[name])]
    return 1 - max(known, default=0.0)


def summed(seconds: Mapping[str, float], think_s: float) -> Mapping[str, float]:
    """Seconds by cause without think time, the cell's three as one; only what is above 0."""
    held = {name: value for name, value in seconds.items() if name not in OF_THE_CELL}
    held["application"] -= think_s
    held[CELL.name] = sum(seconds[name] for name in OF_THE_CELL)
    return {name: value for name, value in held.items() if value > 0}


def _with_more(result: Result, replica: int, flow: FlowExplanation, limits: Table, begin_s: float) -> FlowExplanation:
    """The flow with what takes longer to find out, where the cell held it back most: what others have to do with it."""
    if flow.largest is not CELL or flow.facts.without_tcp:
        return flow
    stored = result.replicas[replica].flows
    share, behind_bytes = behind_own(limits, stored["user"], stored["goodput_bytes"], flow.flow, begin_s)
    facts = replace(flow.facts, behind_share=share, behind_bytes=behind_bytes)
    if facts.is_shared:
        from_s, to_s = float(flow.intervals["from_s"][0]), float(flow.intervals["to_s"][-1])
        facts = replace(facts, alone_bps=alone_bps(result, replica, flow.user, from_s, to_s))
    return replace(flow, facts=facts)


def _explained(result: Result, replica: int, flow: int, limits: Table, present: UserPresence) -> FlowExplanation:
    row = {name: values[flow] for name, values in result.replicas[replica].flows.items()}
    facts = facts_of(result, replica, flow, present)
    seconds = {cause.name: float(row[cause.column]) for cause in CAUSES if cause.column in row}
    if facts.shared and facts.band_share < 1:
        of_others = (1 - facts.band_share) * seconds["air"]
        seconds |= {"air": seconds["air"] - of_others, "scheduler": seconds["scheduler"] + of_others}
    active_s = float(row["active_s"])
    intervals = _measured(limits.where(limits["flow"] == flow), active_s)
    if facts.without_tcp:
        seconds = {**dict.fromkeys(seconds, 0.0), **_seconds_of(intervals)}
    return FlowExplanation(flow, int(row["user"]), active_s, seconds, intervals, facts)


def _seconds_of(intervals: Table) -> dict[str, float]:
    """Cause -> seconds of intervals, of those that they name."""
    lasted = intervals["to_s"] - intervals["from_s"]
    held = {cause.name: float(lasted[intervals["cause"] == cause.code].sum()) for cause in CAUSES}
    return {name: seconds for name, seconds in held.items() if seconds > 0}


def _measured(limits: Table, active_s: float) -> Table:
    """The series without the warm-up: both end at the same moment."""
    if limits.rows == 0 or active_s == 0:
        return Table({name: limits[name][:0] for name in ("from_s", "to_s", "cause", "direction")})
    begin = float(limits["to_s"][-1]) - active_s
    kept = limits.where(limits["to_s"] > begin)
    from_s = np.maximum(kept["from_s"], begin)
    return Table({"from_s": from_s, **{name: kept[name] for name in ("to_s", "cause", "direction")}})


def chosen_flows(result: Result, user: int | None, flow: int | None, replica: int) -> list[int]:
    """The numbers of the flows that are asked for; RequestError when there are none."""
    stored = chosen_replica(result, replica)
    if user is None and flow is None:
        return [int(number) for number in stored.flows["flow"]]
    chosen = chosen_flow(stored, user, flow)
    return [chosen] if user is None or flow is not None else flows_of(stored, user)
