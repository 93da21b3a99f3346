"""Running one scenario."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path

from airlink import engine
from airlink.engine import Outcome, Progress, Request, RequestError
from airlink.own import Given, parts_of
from airlink.own.code import SCHEDULER, unserved
from airlink.resources import warning_of
from airlink.result.captures import Captures, make
from airlink.result.result import Result
from airlink.scenario import NOTHING, Problem, Scenario, ScenarioWarning, warn


def run(  # noqa: PLR0913 - what a run can be asked for
    scenario: Scenario,
    seed: int = 1,
    replicas: int = 1,
    *,
    record: Sequence[str] = (),
    threads: int | None = None,
    progress: Progress | None = None,
    captures: str | Path | None = None,
    snap: int | None = None,
    scheduler: Given = None,
    congestion_control: Given | Mapping[int, Given] = None,
    queue: Given = None,
) -> Result:
    """Runs a scenario, once or with several seeds.

    Parameters
    ----------
    scenario : what to simulate.
    seed : seed of the first replica, default 1; the others get seed + 1, seed + 2, ...
    replicas : how many, default 1.
    record : kinds of series to record, of `airlink.RECORD_KINDS`, and `pcap` to capture packets; default none.
    threads : default all cores. The results do not depend on it.
    progress : called with (finished, total).
    captures : with `pcap`, the folder that packets are written to as the run goes on (docs/captures.md). As `captures`
        in another folder it is part of the result that is saved to that one.
    snap : with `pcap`, bytes kept of each packet, 80..65535; default its headers.
    scheduler : code of one's own that decides the slots in the place of `[scheduler]`: a class or an object with
        `metric` or `allocate` (`airlink.own`), compiled code, or "file.py:Name", which runs that file; default none.
        Python code runs its replicas one after the other: a campaign runs them on processes.
    congestion_control : the same for the senders, for all groups of flows or by group: {0: Mine}.
    queue : the same for the users' queues at the base station.

    Returns
    -------
    Result. After Ctrl-C it holds the replicas that had finished, and `interrupted` is true; also when memory was about
    to run out, and then `out_of_memory` is true as well. When captures could not be written, `captures.cut_short` says
    which.

    Raises
    ------
    ScenarioError : the engine refuses the scenario.
    OwnError : code of one's own can't be used or has failed; its cause has the traceback of what it raised.
    KeyboardInterrupt : interrupted before any replica had finished.
    MemoryError : memory was about to run out before any replica had finished.
    RequestError : replicas outside 1..1 000 000, a kind of series that does not exist, a seed below 0, a number that
        is not whole, something that is not a scenario, captures without a folder.
    ResultExists : the folder holds captures already.
    ResultError : the folder can't be made.

    Warns
    -----
    ScenarioWarning : a field that is set has no effect, or something can never be served (docs/warnings.md);
        a scheduler of one's own never served anybody.

    Examples
    --------
    See `airlink.Result`.
    """
    workers = engine.thread_count(threads)
    parts = parts_of(scheduler, congestion_control, queue, len(getattr(scenario, "flows", ())))
    request = Request([scenario], engine.seeds_from(seed, replicas), record, snap, [parts])
    if request.captures and captures is None:
        raise RequestError("record: pcap needs a folder for the captures")
    if not request.captures and (captures is not None or snap is not None):
        raise RequestError("captures and snap go with record = pcap")
    warn([scenario], request.record, 2, parts.scheduler is not None)
    # What code of one's own takes is not known from runs without it.
    for warning in () if parts else warning_of(request, workers):
        warnings.warn(str(warning), ScenarioWarning, stacklevel=2)
    result = run_request(request, workers, progress, None if captures is None else Path(captures))
    for warning in warnings_after(result):
        warnings.warn(str(warning), ScenarioWarning, stacklevel=2)
    return result


def warnings_after(result: Result) -> Sequence[Problem]:
    """What a result that was just made shows to be most likely a mistake: a scheduler that served nobody."""
    names = [code.name for code in result.own_code if code.role == SCHEDULER]
    if not names or result.users["slots_won"].any():
        return ()
    return [Problem("", NOTHING, unserved(names[0]))]


def run_request(
    request: Request, threads: int | None = None, progress: Progress | None = None, captures: Path | None = None
) -> Result:
    """Runs a request of one scenario; warns of nothing. See `run`."""
    if captures is not None:
        make(captures)
    return result_of(request, engine.run(request, threads, progress, captures), captures)


def result_of(request: Request, outcome: Outcome, captures: Path | None = None) -> Result:
    """The result of a request of one scenario.

    Raises
    ------
    KeyboardInterrupt, MemoryError : no replica had finished.
    """
    finished = [replica for replica in outcome.replicas if replica is not None]
    if not finished:
        raise MemoryError("no replica had finished") if outcome.out_of_memory else KeyboardInterrupt
    (scenario,) = request.scenarios
    made = None if captures is None else Captures(captures, list(outcome.cut_short))
    result = Result(scenario, finished, request.record, engine.engine_version(), outcome.interrupted, made)
    result.out_of_memory = outcome.out_of_memory
    result.own_code, result.own_parts = request.parts[0].texts, request.parts[0]
    return result
