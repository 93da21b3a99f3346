"""Running one scenario."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path

from airlink import engine
from airlink.engine import Capture, Job, Progress, RequestError
from airlink.resources import warning_of
from airlink.result.captures import Captures, make
from airlink.result.result import Result
from airlink.scenario import Scenario, ScenarioWarning, warn


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

    Returns
    -------
    Result. After Ctrl-C it holds the replicas that had finished, and `interrupted` is true; also when memory was about
    to run out, and then `out_of_memory` is true as well. When captures could not be written, `captures.cut_short` says
    which.

    Raises
    ------
    ScenarioError : the engine refuses the scenario.
    KeyboardInterrupt : interrupted before any replica had finished.
    MemoryError : memory was about to run out before any replica had finished.
    RequestError : replicas outside 1..1 000 000, a kind of series that does not exist, a seed below 0, a number that
        is not whole, something that is not a scenario, captures without a folder.
    ResultExists : the folder holds captures already.
    ResultError : the folder can't be made.

    Warns
    -----
    ScenarioWarning : a field that is set has no effect, or something can never be served (docs/warnings.md).

    Examples
    --------
    See `airlink.Result`.
    """
    engine.check_scenario(scenario)
    engine.check_whole("seed", seed)
    engine.check_count("replicas", replicas)
    resolved = scenario.resolved()
    kinds, capture = _asked(resolved, record, captures, snap)
    warn([scenario], kinds, stacklevel=2)
    for warning in warning_of(scenario, replicas, seed, kinds, threads):
        warnings.warn(str(warning), ScenarioWarning, stacklevel=2)
    if capture is not None:
        make(capture.folder)
    jobs = [Job(0, seed + index) for index in range(replicas)]
    outcome = engine.run_jobs([resolved], jobs, kinds, threads, progress, capture)
    finished = [replica for replica in outcome.replicas if replica is not None]
    if not finished:
        raise MemoryError("no replica had finished") if outcome.out_of_memory else KeyboardInterrupt
    made = None if capture is None else Captures(capture.folder, list(outcome.cut_short))
    result = Result(resolved, finished, kinds, engine.engine_version(), outcome.interrupted, made)
    result.out_of_memory = outcome.out_of_memory
    return result


def _asked(
    scenario: Scenario, record: Sequence[str], captures: str | Path | None, snap: int | None
) -> tuple[list[str], Capture | None]:
    """Kinds of series and what to capture; everything is checked before the folder is made."""
    kinds, wanted = engine.parted_record(record)
    if not wanted:
        if captures is not None or snap is not None:
            raise RequestError("captures and snap go with record = pcap")
        return kinds, None
    if captures is None:
        raise RequestError("record: pcap needs a folder for the captures")
    engine.check_recordable(scenario, kinds)
    engine.check_capturable(scenario)
    engine.check_snap(snap)
    return kinds, Capture(Path(captures), snap)
