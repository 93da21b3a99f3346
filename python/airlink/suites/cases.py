"""Members of families, run under several schedulers: what each measure needs of every run, and nothing else of it.

Every scheduler has the same seeds in a case, so differences are paired. Left out: what the numbers mean (`verdicts`).
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property

from airlink import measures
from airlink.campaign import Plan, stream
from airlink.campaign.answering import Means, place_of
from airlink.campaign.executors import Processes
from airlink.campaign.shelf import opened
from airlink.engine import thread_count
from airlink.measures import Found, Measure
from airlink.own import OwnError, Parts
from airlink.scenario import Scenario, ScenarioWarning
from airlink.suites.aim import Aim
from airlink.suites.candidate import Candidate
from airlink.suites.family import Family, Values
from airlink.suites.rivals import as_run
from airlink.suites.served import users_served

BESIDE = (
    "cell.goodput_bps", "users.p05(goodput_bps)", "cell.queueing_delay_p95_s", "downloads.p95(time_s)",
    "cell.deadline_miss_rate", "cell.jain_index",
)  # fmt: skip
"""What is shown of every case beside its aim, where the scenario has it."""

Runs = Mapping[str, Mapping[str, Sequence[Sequence[Found]]]]
"""Name of a case -> label of a scheduler -> what was found in each run, in the order of the case's measures; last the
number of users that it served."""

SERVED = -1
"""The place of that number among what was found in a run."""


@dataclass(frozen=True)
class Case:
    """A member of a family.

    Attributes
    ----------
    name : unique in a judging: the family's, and the member's number.
    family : that it is of.
    values : of the family's fields.
    aim : what schedulers are judged by.
    """

    name: str
    family: Family
    values: Values
    aim: Aim

    @staticmethod
    def of(name: str, family: Family, values: Values, aim: Aim | None = None) -> Case:
        """The case, judged by another aim than its family's where one is given and the scenario has its measure."""
        case = Case(name, family, values, family.aim)
        return case if aim is None or measures.lacking(aim.measure, case.scenario) else replace(case, aim=aim)

    @cached_property
    def scenario(self) -> Scenario:
        """What is run, under a scheduler that a candidate replaces."""
        return self.family.scenario(self.values)

    @cached_property
    def measures(self) -> tuple[Measure, ...]:
        """That of the aim, then those beside it."""
        asked = measures.measures(list(BESIDE))
        had = [each for each in asked if not measures.lacking(each, self.scenario)]
        return tuple(dict.fromkeys([self.aim.measure, *had]))

    @property
    def record(self) -> tuple[str, ...]:
        """The series that the measures need."""
        return tuple(dict.fromkeys(kind for measure in self.measures for kind in measure.record))

    def points(self, runs: Mapping[str, Sequence[Sequence[Found]]]) -> dict[str, float]:
        """Label of a scheduler -> the aim over its runs, without an interval."""
        found = of_measure(runs, self.measures.index(self.aim.measure))
        return {label: self.aim.point(each) for label, each in found.items()}


def cases_of(families: Iterable[Family], seed: int, members: int = 1, aim: Aim | None = None) -> list[Case]:
    """So many members of each family, drawn from a seed.

    Parameters
    ----------
    families : which.
    seed : that names the draws.
    members : of each family.
    aim : instead of each family's own, where the scenario has its measure.
    """
    made = []
    for family in families:
        for number in range(members):
            name = f"{family.name} {number + 1}" if members > 1 else family.name
            case = Case.of(name, family, family.drawn(seed, number), aim)
            made.append(case)
    return made


@dataclass
class _Counted:
    """Progress over several plans."""

    means: Means
    total: int
    before: int = field(default=0)

    def __call__(self, finished: int, _: int) -> None:
        if self.means.progress is not None:
            self.means.progress(self.before + finished, self.total)


@dataclass(frozen=True)
class Workers(Means):
    """Means with processes that Python code runs in, and that outlive a plan.

    Attributes
    ----------
    own : those; None: each plan starts its own.
    """

    own: Executor | None = None


@contextmanager
def working(means: Means, candidates: Iterable[Candidate]) -> Iterator[Means]:
    """The means, with processes that are started once if one of the candidates is Python code; closed at the end."""
    count = thread_count(means.threads)
    if count == 1 or means.executor is not None or not any(each.own.has_python for each in candidates):
        yield means
        return
    with Processes(count) as processes:
        yield Workers(means.store, None, means.threads, means.progress, processes)


def run_cases(
    cases: Sequence[Case], arms: Mapping[str, Mapping[str, Candidate]], seeds: Sequence[int], means: Means
) -> Runs:
    """Runs every case under its schedulers.

    Parameters
    ----------
    cases : what is run; their names differ.
    arms : name of a case -> label -> scheduler.
    seeds : of every run.
    means : store, threads, progress.

    Raises
    ------
    OwnError : code of one's own failed; the message begins with the case.
    """
    with opened(place_of(means.store)) as store, warnings.catch_warnings():
        # A suite's scenarios are its own matter: who is judged can't change them.
        warnings.simplefilter("ignore", ScenarioWarning)
        jobs = _jobs(cases, arms)
        counted = _Counted(means, len(jobs) * len(seeds))
        # Python code runs in processes, all else in threads: each kind has plans of its own. Code of one's own has one
        # a case, so that a failure has the name of its case.
        groups: dict[tuple[tuple[str, ...], str], dict[str, _Job]] = {}
        for job in jobs:
            group = (job.case.record, job.case.name if job.own else "")
            groups.setdefault(group, {})[f"{job.case.name}/{job.labels[0]}"] = job
        found: dict[tuple[str, str], dict[int, Sequence[Found]]] = {}
        for (record, own_case), named in groups.items():
            parts = {key: job.own for key, job in named.items()}
            plan = Plan({key: job.scenario for key, job in named.items()}, seeds, record, parts)
            has_python = any(each.has_python for each in parts.values())
            executor = means.own if has_python and isinstance(means, Workers) else means.executor
            with (
                _failing_in(own_case),
                stream(plan, means.threads, counted, store=store, executor=executor) as runs,
            ):
                for key, seed, replica in runs:
                    job = named[key]
                    read = [*(measures.found(each, replica) for each in job.case.measures), users_served(replica)]
                    for label in job.labels:
                        found.setdefault((job.case.name, label), {})[seed] = read
            counted.before += len(named) * len(seeds)
    return {
        case.name: {label: [of for _, of in sorted(found[case.name, label].items())] for label in arms[case.name]}
        for case in cases
    }


@dataclass(frozen=True)
class _Job:
    """What is run once: a case under a scheduler, for all labels whose scheduler gives the same numbers there."""

    case: Case
    scenario: Scenario
    own: Parts
    labels: list[str]


def _jobs(cases: Sequence[Case], arms: Mapping[str, Mapping[str, Candidate]]) -> list[_Job]:
    jobs: dict[tuple[str, ...], _Job] = {}
    for case in cases:
        for label, candidate in arms[case.name].items():
            scenario = as_run(candidate.in_place(case.scenario))
            same = (case.name, label if candidate.own else "", scenario.to_json())
            jobs.setdefault(same, _Job(case, scenario, candidate.own, [])).labels.append(label)
    return list(jobs.values())


@contextmanager
def _failing_in(case: str) -> Iterator[None]:
    """Puts the name of a case before what code of one's own failed with."""
    try:
        yield
    except OwnError as error:
        raise OwnError(f"{case}: {error}") from error.__cause__


def of_measure(runs: Mapping[str, Sequence[Sequence[Found]]], place: int) -> dict[str, list[Found]]:
    """Label -> what was found of one measure of a case, by its place, in each run; `SERVED` is one too."""
    return {label: [each[place] for each in found] for label, found in runs.items()}
