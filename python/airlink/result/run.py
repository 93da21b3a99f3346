"""Running one scenario."""

from __future__ import annotations

from collections.abc import Sequence

from airlink import execute
from airlink.execute import Job, Progress
from airlink.result.result import Result
from airlink.scenario import Scenario


def run(
    scenario: Scenario,
    seed: int = 1,
    replicas: int = 1,
    *,
    record: Sequence[str] = (),
    threads: int | None = None,
    progress: Progress | None = None,
) -> Result:
    """Runs a scenario, once or with several seeds.

    Parameters
    ----------
    scenario : what to simulate.
    seed : seed of the first replica, default 1; the others get seed + 1, seed + 2, ...
    replicas : how many, default 1.
    record : kinds of series to record, of `airlink.RECORD_KINDS`; default none.
    threads : default all cores. The results do not depend on it.
    progress : called with (finished, total).

    Returns
    -------
    Result. After Ctrl-C it holds the replicas that had finished, and `interrupted` is true.

    Raises
    ------
    ScenarioError : the engine refuses the scenario.
    KeyboardInterrupt : interrupted before any replica had finished.
    RequestError : replicas outside 1..1 000 000, a kind of series that does not exist, a seed below 0, a number that
        is not whole, something that is not a scenario.

    Examples
    --------
    See `airlink.Result`.
    """
    execute.check_scenario(scenario)
    execute.check_whole("seed", seed)
    execute.check_count("replicas", replicas)
    resolved = scenario.resolved()
    jobs = [Job(0, seed + index) for index in range(replicas)]
    outcome = execute.run_jobs([resolved], jobs, record, threads, progress)
    finished = [replica for replica in outcome.replicas if replica is not None]
    if not finished:
        raise KeyboardInterrupt
    kinds = execute.checked_record(record)
    return Result(resolved, finished, kinds, execute.engine_version(), outcome.interrupted)
