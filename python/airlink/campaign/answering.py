"""Answering a question: its replicas from the store or from runs, what the measures need of each, and the intervals.

With `until`, scenarios run until they are precise enough or have `most` replicas: looks at 20, 30, 45, ... replicas,
and runs the next seeds in between. Left out: how replicas are run (`running`), what an interval is (`statistics`).
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from airlink import engine, measures
from airlink.campaign import edge_notes
from airlink.campaign.answer import Answer, Comparison, Sweep
from airlink.campaign.judged import Judged
from airlink.campaign.plan import Plan
from airlink.campaign.question import LEAST, Question
from airlink.campaign.running import stream
from airlink.campaign.shelf import opened
from airlink.engine import Progress, Replica
from airlink.measures import Found
from airlink.own.code import SCHEDULER, unserved
from airlink.result import Estimate, ResultError
from airlink.scenario import Scenario
from airlink.statistics import Controlled, Looks, control_variates, verdict

if TYPE_CHECKING:
    from airlink.campaign.shards import Shard
    from airlink.campaign.stored_samples import Samples
    from airlink.measures.controls import Control
    from airlink.statistics import Difference, Sample
    from airlink.store import Store

STORE = Path("airlink-results")
"""Where replicas are kept unless another store is named, here or by the environment variable AIRLINK_STORE."""


@dataclass(frozen=True)
class Means:
    """What a question is answered with.

    Attributes
    ----------
    store : where replicas are kept, and found when they are there already; None keeps none. `STORE` itself stands for
        the folder that AIRLINK_STORE names, if it does.
    executor : of `concurrent.futures`, which runs them; None: threads of this process.
    threads : of this process; None: one a core.
    progress : called with (finished, total); an attribute `note`, if it has one, is told how wide the intervals are.
    """

    store: Store | Path | str | None = STORE
    executor: Executor | None = None
    threads: int | None = None
    progress: Progress | None = None


def answered(question: Question, means: Means, stored: Mapping[str, Sequence[Replica]] | None = None) -> Answer:
    """The answer to a question.

    Parameters
    ----------
    question : what is asked.
    means : what it is answered with.
    stored : label -> replicas that are there already; their arms are not run.

    Raises
    ------
    KeyboardInterrupt : Ctrl-C; what has ended is in the store.
    """
    kept = _Kept(question)
    for label, replicas in (stored or {}).items():
        for replica in replicas:
            kept.add(label, replica.seed, replica)
    to_run = [label for label in question.arms if label not in (stored or {})]
    with opened(place_of(means.store)) as store:
        if question.until is None:
            _run(question, kept, to_run, question.seeds, means, store)
        else:
            _run_until(question, kept, means, store)
    return _found(question, kept)


def run_share(question: Question, means: Means, shard: Shard) -> int:
    """Runs one part of a question's replicas into the store; returns how many there are of that part.

    Raises
    ------
    ResultError : the store can't be used, or not all could be stored.
    """
    plan = Plan(question.scenarios, question.seeds, question.record, question.parts)
    with opened(place_of(means.store)) as store:
        if store is None:
            raise ResultError("a part leaves its replicas in the store, which can't be used; nothing was run")
        with stream(plan, means.threads, means.progress, store=store, executor=means.executor, shard=shard) as runs:
            done = [(run.label, run.seed) for run in runs]
        for label, scenario in plan.resolved.scenarios.items():
            seeds = [seed for of, seed in done if of == label]
            code = plan.parts[label].hashes if label in plan.parts else ()
            if missing := len(seeds) - len(store.find(store.key(scenario, plan.record, code), seeds)):
                raise ResultError(f"{missing} of the {len(seeds)} replicas of {label} in this part could not be stored")
    return len(done)


def place_of(store: Store | Path | str | None) -> Store | Path | str | None:
    """The store that is asked for; in the place of the usual one that of the environment, if it names one."""
    return os.environ.get("AIRLINK_STORE") or store if store is STORE else store


class _Kept:
    """What is kept of each replica: what each measure needs, and the controls."""

    def __init__(self, question: Question) -> None:
        self.question = question
        self._found: dict[str, dict[int, list[Found]]] = {label: {} for label in question.arms}
        self._controls = {label: _controls_of(question, arm.scenario) for label, arm in question.arms.items()}
        self._waiting: dict[str, dict[int, tuple[float, float]]] = {label: {} for label in question.arms}
        self._of_the_slowest = any(map(edge_notes.is_of_the_slowest, question.measures))
        self._unserved = {
            label: code.name for code, labels in question.code.items() if code.role == SCHEDULER for label in labels
        }

    def add(self, label: str, seed: int, replica: Replica) -> None:
        """Reads a replica, which may then be let go."""
        found: list[Found] = [measures.found(measure, replica) for measure in self.question.measures]
        self._found[label][seed] = [*found, *(control.value(replica) for control in self._controls[label])]
        if self._of_the_slowest:
            self._waiting[label][seed] = edge_notes.waiting(replica)
        if label in self._unserved and replica.users["slots_won"].any():
            del self._unserved[label]

    def unserved(self) -> list[str]:
        """Of each arm with a scheduler of one's own whether nobody won a slot in any run."""
        return [f"{self.question.names[label]}: {unserved(name)}." for label, name in self._unserved.items()]

    def seeds(self, label: str) -> tuple[int, ...]:
        """Those that are there, in order."""
        return tuple(sorted(self._found[label]))

    def found(self, label: str, place: int) -> list[Found]:
        """What is kept for a measure, by its place, in the order of the seeds."""
        rows = self._found[label]
        return [rows[seed][place] for seed in self.seeds(label)]

    def samples(self, label: str, place: int) -> Samples:
        """The same as an answer has it."""
        found = self.found(label, place)
        if self.question.measures[place].share is None:
            return np.array(found, dtype=float)
        return tuple(cast("list[Sample]", found))

    def estimate(self, label: str, place: int) -> tuple[Estimate, str, Controlled | None]:
        """The estimate of a measure, how it was made, and with controls what they were worth."""
        measure, found = self.question.measures[place], self.found(label, place)
        if measure.share is not None:
            return measures.estimate(measure, found), INFLUENCE, None
        controlled = self._controlled(label, found) if self._controls[label] else None
        if controlled is None or not controlled.used:
            return measures.estimate(measure, found), STUDENT, None
        names = ", ".join(self._controls[label][used].name for used in controlled.used)
        return controlled.estimate, f"{CONTROLLED}: {names}", controlled

    def _controlled(self, label: str, found: list[Found]) -> Controlled | None:
        first = len(self.question.measures)
        rows = [self._found[label][seed][first:] for seed in self.seeds(label)]
        try:
            known = [control.known_mean for control in self._controls[label]]
            return control_variates(np.array(found, dtype=float), np.array(rows, dtype=float), known)
        except ValueError:
            # Too few replicas for so many controls.
            return None

    def differences(self, place: int) -> Mapping[str, Difference]:
        """Of a measure, each arm's difference from the baseline, over the seeds that all arms have."""
        found = {label: self.found(label, place) for label in self.question.arms}
        return measures.differences(self.question.measures[place], found, self.question.baseline)

    def remarks(self, place: int) -> str:
        """What a reader must know of the estimates of a measure, of all scenarios; empty if nothing."""
        measure = self.question.measures[place]
        names = self.question.names
        said = {names[label]: measures.remark(measure, self.found(label, place)) for label in self.question.arms}
        named = [f"{label}: {remark}" for label, remark in said.items() if remark]
        left = len(named) - MOST_REMARKS
        more = f"; and so in {left} more {'scenario' if left == 1 else 'scenarios'}" if left > 0 else ""
        drained = " A longer drain_s lets them end." if measure.share is not None else ""
        return f"{measure}: {'; '.join(named[:MOST_REMARKS])}{more}.{drained}" if named else ""

    def notes_on_the_slowest(self) -> list[str]:
        """What a reader must know of the slowest users' goodput; empty if nothing, or if it was not asked for."""
        names = self.question.names
        scenarios = {names[label]: arm.scenario for label, arm in self.question.arms.items()}
        waits = {names[label]: [found[seed] for seed in sorted(found)] for label, found in self._waiting.items()}
        return edge_notes.notes(scenarios, waits, self.question.measures)


MOST_REMARKS = 3
"""Scenarios of which a remark is told."""

STUDENT = "Student's t over replicas"
INFLUENCE = "Student's t over influences of replicas"
CONTROLLED = "control variates"


def _controls_of(question: Question, scenario: Scenario) -> list[Control]:
    """The controls of a scenario, each once."""
    if not question.controls:
        return []
    from airlink.measures.controls import controls

    found = (control for measure in question.measures for control in controls(scenario, measure, question.record))
    return list({control.name: control for control in found}.values())


def _run(
    question: Question, kept: _Kept, labels: Sequence[str], seeds: Sequence[int], means: Means, store: Store | None
) -> None:
    """Runs those scenarios with those seeds and keeps what is needed of each replica."""
    if not labels:
        return
    scenarios = {label: question.arms[label].scenario for label in labels}
    plan = Plan(scenarios, seeds, question.record, question.parts)
    before = sum(len(kept.seeds(label)) for label in question.arms)
    total = before + len(labels) * len(seeds)

    def progress(finished: int, _: int) -> None:
        if means.progress is not None:
            means.progress(before + finished, total)

    with stream(plan, means.threads, progress, store=store, executor=means.executor) as runs:
        for label, seed, replica in runs:
            kept.add(label, seed, replica)


def _run_until(question: Question, kept: _Kept, means: Means, store: Store | None) -> None:
    """Runs more and more seeds of scenarios that are not precise enough; arms of a comparison go on together."""
    assert question.until is not None
    first, place = question.seeds[0], _place(question)
    open_ = list(question.arms)
    done = 0
    for look in Looks(question.most, least=max(LEAST, len(question.seeds))):
        _run(question, kept, open_, range(first + done, first + look), means, store)
        done = look
        widths = _widths(question, kept, place, open_)
        wanted = question.until.precision.half_width
        wide = {label: width for label, width in widths.items() if not width <= wanted}
        _tell(means, question, done, widths)
        open_ = open_ if question.baseline and wide else [label for label in open_ if label in wide]
        if not open_:
            return


def _place(question: Question) -> int:
    assert question.until is not None
    return [measure.text for measure in question.measures].index(question.until.measure.text)


def _widths(question: Question, kept: _Kept, place: int, labels: Sequence[str]) -> dict[str, float]:
    """Half widths as `until` has them; of a comparison those of the differences."""
    assert question.until is not None
    width = question.until.precision.width
    if question.baseline:
        return {label: width(difference) for label, difference in kept.differences(place).items()}
    return {label: width(kept.estimate(label, place)[0]) for label in labels}


def _tell(means: Means, question: Question, done: int, widths: Mapping[str, float]) -> None:
    """Tells a bar how wide the intervals are: of several the widest."""
    assert question.until is not None
    shown: Any = means.progress
    if hasattr(shown, "note") and widths:
        shown.note = f"widest {question.until.in_words(max(widths.values()))} at {done}"


def _found(question: Question, kept: _Kept) -> Answer:
    places = range(len(question.measures))
    texts = [measure.text for measure in question.measures]
    made = {(label, texts[place]): kept.estimate(label, place) for label in question.arms for place in places}
    differences: dict[tuple[str, str], Judged] = {}
    for place in places if question.baseline else ():
        better = question.measures[place].better
        for label, difference in kept.differences(place).items():
            said = "" if place else verdict(difference, question.margin, better)
            differences[label, texts[place]] = Judged(difference, said)
    return {"sweep": Sweep, "compare": Comparison}[question.kind](
        question=question,
        seeds={label: kept.seeds(label) for label in question.arms},
        samples={(label, texts[place]): kept.samples(label, place) for label in question.arms for place in places},
        estimates={key: estimate for key, (estimate, _, _) in made.items()},
        methods={key: method for key, (_, method, _) in made.items()},
        differences=differences,
        controlled={key: controlled for key, (_, _, controlled) in made.items() if controlled is not None},
        notes=(
            *question.notes,
            *_own_code(question),
            *kept.unserved(),
            *_reached(question, kept),
            *filter(None, map(kept.remarks, places)),
            *kept.notes_on_the_slowest(),
            *_cautions(question, differences),
        ),
        version=engine.engine_version(),
    )


def _own_code(question: Question) -> list[str]:
    """Which code of the user's own took part in which scenarios, and its hash."""
    return [
        f"Code of one's own, {code.role} {code.name} (sha256 {code.sha256}): in "
        f"{', '.join(question.names[label] for label in labels)}."
        for code, labels in question.code.items()
    ]


def _cautions(question: Question, differences: Mapping[tuple[str, str], Judged]) -> list[str]:
    """What a reader must know of the primary differences: why an interval is a point, or has no end."""
    primary = question.measures[0].text
    names = question.names
    found = {names[label]: judged.difference.note for (label, text), judged in differences.items() if text == primary}
    return [f"{label} against {names[question.baseline]}: {note}." for label, note in found.items() if note]


def _reached(question: Question, kept: _Kept) -> list[str]:
    """Whether all intervals are as narrow as `until` asked for, or the cap was reached."""
    if question.until is None:
        return []
    widths = _widths(question, kept, _place(question), list(question.arms))
    wide = {label: width for label, width in widths.items() if not width <= question.until.precision.half_width}
    if not wide:
        return [f"Went on until {question.until.text}: all are as narrow."]
    named = ", ".join(f"{question.names[label]} {question.until.in_words(width)}" for label, width in wide.items())
    return [f"Went on until {question.until.text}; stopped at {question.most} runs, still wider: {named}."]
