"""Running a plan: all replicas kept, or each handed out when it ends.

All replicas of all scenarios are one list of jobs, so every core is busy until the last.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from airlink import engine
from airlink.campaign.crew import crew_of
from airlink.campaign.executors import Threads
from airlink.campaign.plan import Plan
from airlink.campaign.runs import Runs
from airlink.campaign.shards import WHOLE, Shard, checked_shard
from airlink.campaign.shelf import Shelf
from airlink.campaign.todo import Todo
from airlink.engine import Outcome, Progress, Replica, Request
from airlink.own import NONE
from airlink.result import Result
from airlink.scenario import warn

if TYPE_CHECKING:
    from airlink.statistics import Estimate
    from airlink.store import Store

T = TypeVar("T")

Measure = str | Callable[[Replica], float]
"""A number of a replica: the name of a cell number, or a function of the replica."""


@dataclass(frozen=True)
class CampaignResult:
    """The replicas of a plan.

    Attributes
    ----------
    plan : what was run, scenarios resolved.
    replicas : label -> one entry per seed, None where it was interrupted.
    interrupted : true when Ctrl-C ended it.
    version : of the engine.
    """

    plan: Plan
    replicas: Mapping[str, Sequence[Replica | None]]
    interrupted: bool
    version: str

    @property
    def finished(self) -> NDArray[np.bool_]:
        """Which replicas finished: array [scenario, seed], scenarios in the order of the plan."""
        return np.array([[replica is not None for replica in row] for row in self.replicas.values()])

    def cell(self, label: str, measure: Measure) -> NDArray[np.float64]:
        """A number of each replica of a scenario: array [seed], NaN where it was interrupted.

        `measure` is a column of the cell table (docs/results.md), or a function of the replica.
        """
        row = self._row(label)
        return np.array([np.nan if replica is None else measured(replica, measure) for replica in row], dtype=float)

    def users(self, label: str, column: str) -> NDArray[np.float64]:
        """A column of the users table: array [seed, user], NaN where a replica was interrupted."""
        return _stacked([None if replica is None else replica.users[column] for replica in self._row(label)])

    def flows(self, label: str, column: str) -> NDArray[np.float64]:
        """A column of the flows table: array [seed, flow], NaN where a replica was interrupted.

        Where files arrive at random, seeds differ in how many flows they have: the rows of the shorter ones end in NaN.
        """
        return _stacked([None if replica is None else replica.flows[column] for replica in self._row(label)])

    def interval(self, label: str, measure: Measure, level: float = 0.95) -> Estimate:
        """Mean over the finished replicas with its Student-t interval."""
        from airlink.statistics import mean_interval  # late: one run does not need it

        values = self.cell(label, measure)
        return mean_interval(values[self._done(label)], level)

    def compare(self, a: str, b: str, measure: Measure, ratio: bool = False, level: float = 0.95) -> Estimate:
        """How much `a` exceeds `b`, seed by seed: difference a - b, or ratio of the means a / b.

        Parameters
        ----------
        a, b : labels of the plan.
        measure : a column of the cell table, or a function of a replica.
        ratio : false (default) gives `statistics.paired_difference`, true `statistics.paired_ratio`.
        level : of the interval, default 0.95.

        Returns
        -------
        Estimate over the seeds that finished in both.

        Raises
        ------
        KeyError : unknown label or column.
        ValueError : no seed finished in both.
        """
        from airlink.statistics import paired_difference, paired_ratio

        both = self._done(a) & self._done(b)
        left, right = self.cell(a, measure)[both], self.cell(b, measure)[both]
        return (paired_ratio if ratio else paired_difference)(left, right, level)

    def result(self, label: str) -> Result:
        """The finished replicas of one scenario, as `airlink.run` gives them: to plot, save or convert."""
        row = self._row(label)
        finished = [replica for replica in row if replica is not None]
        record = self.plan.request.record
        result = Result(self.plan.scenarios[label], finished, record, self.version, len(finished) < len(row))
        result.own_parts = self.plan.parts.get(label, NONE)
        result.own_code = result.own_parts.texts
        return result

    def _done(self, label: str) -> NDArray[np.bool_]:
        return np.array([replica is not None for replica in self._row(label)])

    def _row(self, label: str) -> Sequence[Replica | None]:
        try:
            return self.replicas[label]
        except KeyError:
            raise KeyError(f"no scenario {label!r} in the plan; there are: {', '.join(self.replicas)}") from None


def run(
    plan: Plan,
    threads: int | None = None,
    progress: Progress | None = None,
    *,
    store: Store | None = None,
    executor: Executor | None = None,
    shard: Shard = WHOLE,
) -> CampaignResult:
    """Runs a plan on all cores.

    Parameters
    ----------
    plan : scenarios and seeds.
    threads : default all cores. The numbers do not depend on it.
    progress : called with (replicas finished, replicas in all).
    store : what is in it is not run again, what is run is put into it; default None: nothing is kept.
    executor : what runs the replicas, see `engine_of`; default threads of this process. The numbers do not depend on
        it.
    shard : (part, parts): only that part of the jobs, default (1, 1): all.

    Returns
    -------
    CampaignResult. After Ctrl-C it holds what had finished: see its `finished` and `interrupted`. Jobs of other parts
    are not finished.

    Raises
    ------
    ScenarioError : the engine refuses a scenario.
    EngineError : a worker is lost again and again, has another airlink, or can't run a scenario.
    RequestError : there is no such part.

    Warns
    -----
    ScenarioWarning : a field that is set has no effect, or something can never be served (docs/warnings.md); what
        several scenarios have alike once.
    StoreWarning : the store can't be used; the runs go on without it.
    """
    warn(plan.scenarios.values(), plan.record, 2, any(each.scheduler for each in plan.request.parts))
    outcome = outcome_of(plan.request, threads, progress, store=store, executor=executor, shard=shard)
    count = len(plan.seeds)
    rows = {label: outcome.replicas[place * count : (place + 1) * count] for place, label in enumerate(plan.scenarios)}
    return CampaignResult(plan.resolved, rows, outcome.interrupted, engine.engine_version())


def outcome_of(
    request: Request,
    threads: int | None = None,
    progress: Progress | None = None,
    *,
    store: Store | None = None,
    executor: Executor | None = None,
    shard: Shard = WHOLE,
) -> Outcome:
    """All replicas of a request; warns of no scenario. See `run`."""
    with _runs(request, _indexed, threads, progress, store, executor, shard) as runs:
        return engine.collected(runs, request.jobs)


class Run(NamedTuple):
    """A replica that has ended, and what it is of.

    Attributes
    ----------
    label : of its scenario in the plan.
    seed : of the replica.
    replica : what it recorded.
    """

    label: str
    seed: int
    replica: Replica


def stream(
    plan: Plan,
    threads: int | None = None,
    progress: Progress | None = None,
    *,
    store: Store | None = None,
    executor: Executor | None = None,
    shard: Shard = WHOLE,
) -> engine.Stream[Run] | Runs[Run]:
    """Runs a plan on all cores and hands out each replica when it ends, to be measured and let go.

    Memory does not grow with the number of replicas: those that have ended wait to be read, up to 4 MB of them or one
    a thread, and the runs wait for room. They come in no fixed order, but stored ones first. `with` ends the runs under
    way as soon as the loop is left. Several processes with one store share a plan: each job is run once.

    Parameters
    ----------
    plan, threads, progress, store, executor, shard : as `run` has them.

    Returns
    -------
    An iterator of `Run`, a context manager; `cancel` ends the runs under way, `close` also forgets what has ended.

    Raises
    ------
    ScenarioError, EngineError, RequestError : as `run`.
    KeyboardInterrupt : Ctrl-C while the loop waits, after the last replica that had ended.
    MemoryError : memory was about to run out, after the last replica that had ended.

    Warns
    -----
    ScenarioWarning, StoreWarning : as `run`.

    Examples
    --------
    >>> from airlink.campaign import Plan
    >>> from airlink.scenario import ready
    >>> wire = ready("dumbbell", ["duration_s=1"])
    >>> plan = Plan({"one": wire, "two": wire.with_(users=2)}, seeds=range(1, 4))
    >>> found = {}
    >>> with stream(plan) as runs:
    ...     for label, seed, replica in runs:
    ...         found[label, seed] = replica.cell["goodput_bps"]
    >>> sorted(found)
    [('one', 1), ('one', 2), ('one', 3), ('two', 1), ('two', 2), ('two', 3)]
    """
    warn(plan.scenarios.values(), plan.record, 2, any(each.scheduler for each in plan.request.parts))
    labels, request = list(plan.scenarios), plan.request

    def named(index: int, replica: Replica) -> Run:
        place, seed = request.job(index)
        return Run(labels[place], seed, replica)

    return _runs(request, named, threads, progress, store, executor, shard)


def _indexed(index: int, replica: Replica) -> tuple[int, Replica]:
    return index, replica


def _runs(  # noqa: PLR0913 - what a campaign can be asked for
    request: Request,
    of: Callable[[int, Replica], T],
    threads: int | None,
    progress: Progress | None,
    store: Store | None,
    executor: Executor | None,
    shard: Shard,
) -> engine.Stream[T] | Runs[T]:
    """The runs of a request: by the engine alone where it can, as that has no trip at all."""
    if isinstance(executor, Threads):
        threads, executor = executor.count, None
    is_alone = request.has_python and (engine.thread_count(threads) == 1 or request.jobs == 1)
    if store is None and executor is None and checked_shard(shard) == WHOLE and (is_alone or not request.has_python):
        return engine.Stream(request, of, threads, progress)
    shelf = Shelf(request, store)
    todo = Todo(request, checked_shard(shard), shelf)
    if todo.left:
        # All that the engine refuses is refused before anything runs.
        _ = request.in_engine
    return Runs(request, of, crew_of(request, threads, executor), todo, shelf, progress)


def over_users(column: str, share: float = 0.5) -> Measure:
    """The quantile over users of a column of the users table, as a measure: first each user's number, then over users.

    Infinite numbers, as of users none of whose downloads has ended, rank last; users without the number are left out.

    Parameters
    ----------
    column : of the users table, e.g. "download_p95_s"; docs/results.md.
    share : 0..1, default the median user.

    Examples
    --------
    >>> from airlink.campaign import Plan, run
    >>> from airlink.scenario import ready
    >>> file = {"kind": "file", "bytes": 100_000}
    >>> wire = ready("dumbbell", ["duration_s=9"]).with_(**{"flows.0.traffic": file})
    >>> plan = Plan({"wire": wire}, seeds=(1,), record=("downloads",))
    >>> bool(run(plan).cell("wire", over_users("download_slowdown_p50"))[0] == 1)
    True
    """
    from airlink.statistics import quantile

    return lambda replica: quantile(replica.users[column], share)


def measured(replica: Replica, measure: Measure) -> float:
    """A number of a replica."""
    if callable(measure):
        return float(measure(replica))
    if measure not in replica.cell:
        raise KeyError(f"no cell number {measure!r}; there are: {', '.join(replica.cell)}")
    return float(replica.cell[measure])


def _stacked(rows: list[NDArray[Any] | None]) -> NDArray[np.float64]:
    width = max((row.size for row in rows if row is not None), default=0)
    stacked = np.full((len(rows), width), np.nan)
    for place, row in enumerate(rows):
        if row is not None:
            stacked[place, : row.size] = row
    return stacked
