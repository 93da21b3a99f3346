"""Runs the campaigns of a study one after another, as one progress bar.

Left out: judging, and runs of any other kind.
"""

from __future__ import annotations

from airlink import campaign
from airlink.campaign import CampaignResult, Plan
from airlink.engine import Progress
from airlink.report import RunCount
from airlink.study.request import Request, StudyInterrupted


class Runner:
    """Runs plans.

    Parameters
    ----------
    request : how the study is to be run.
    planned : replicas that are known to come; the bar grows when more do.

    Attributes
    ----------
    version : of the engine, once something was run.
    seeds : every seed that was run, each once, in order.
    count : what was run, for the paragraph of methods.
    """

    def __init__(self, request: Request, planned: int = 0) -> None:
        self.request = request
        self.version = ""
        self.seeds: tuple[int, ...] = ()
        self.count = RunCount()
        self._planned = planned
        self._done = 0

    def run(self, plan: Plan) -> CampaignResult:
        """Runs a plan.

        Raises
        ------
        StudyInterrupted : Ctrl-C; a verdict needs all replicas.
        """
        coming = plan_size(plan)
        self._planned = max(self._planned, self._done + coming)
        asked = self.request
        result = campaign.run(
            plan, threads=asked.threads, progress=self._shifted(), store=asked.store, executor=asked.executor
        )
        if result.interrupted:
            raise StudyInterrupted("interrupted: nothing was written")
        self._done += coming
        self.version = result.version
        self.count.add(plan.scenarios.values(), len(plan.seeds))
        self.seeds = tuple(dict.fromkeys((*self.seeds, *plan.seeds)))
        return result

    def finish(self) -> None:
        """Fills the bar: less may have been run than was planned."""
        if self.request.progress is not None:
            self.request.progress(self._planned, self._planned)

    def _shifted(self) -> Progress | None:
        shown, done = self.request.progress, self._done
        if shown is None:
            return None
        return lambda finished, _: shown(done + finished, self._planned)


def plan_size(plan: Plan) -> int:
    """How many replicas a plan has."""
    return len(plan.scenarios) * len(plan.seeds)
