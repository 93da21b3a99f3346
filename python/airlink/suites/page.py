"""A judging as a page: the outcome, tables, trade-offs of all schedulers, and what all rests on.

The first pictures relate every scheduler to proportional fair, geometric means over the cases of a part; then there is
one a case. Left out: numbers for machines (`judging.summary`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np

from airlink import measures
from airlink.campaign.answer import Answer
from airlink.campaign.question import Arm, Question
from airlink.campaign.wording import seeds_text
from airlink.measures import Found, Measure
from airlink.plots.charts import Axis, Chart, Series, pareto, words
from airlink.plots.charts.means import frontier
from airlink.report import Finding, Folded, Page, Section, Sheet, write_page
from airlink.report.tables import percent
from airlink.suites.cases import Case, of_measure
from airlink.suites.family import told_of
from airlink.suites.judging import CAVEATS, HIDDEN, PARTS, PUBLIC, Judging, hidden_seeds
from airlink.suites.rivals import REFERENCE
from airlink.suites.verdicts import OUTCOMES
from airlink.suites.wording import (
    counting,
    difference_text,
    headline,
    number_text,
    overfit,
    replay,
    seed_sentence,
    starving,
)

GOODPUT, DELAY, FAIRNESS = "cell.goodput_bps", "cell.queueing_delay_p95_s", "cell.jain_index"
PERCENT = 100.0


def page_of(judging: Judging) -> Page:
    """The page of a judging, for `airlink.report.write_page`."""
    told = [headline(judging), overfit(judging), counting(judging), seed_sentence(judging)]
    tables = [sheet(judging, part) for sheet in (_cases, _against) for part in PARTS]
    summaries = [chart for part in PARTS for chart in _trade_offs(judging, part)]
    return Page(
        title=f"{judging.candidate.name}, judged by the suite {judging.suite.name}",
        lead=f"{_count(judging, PUBLIC)} public cases and {_count(judging, HIDDEN)} hidden ones, "
        f"{len(judging.terms.seeds)} seeds each, against {len(judging.rivals)} built-in schedulers.",
        sections=[
            Section("Verdicts", (), [*tables, *summaries]),
            *([Section("Worst scenario", (), list(_worst(judging)))] if judging.worst else []),
            Section("Cost and tuning", (), list(_cost(judging))),
            *(Section(f"Trade-offs, {part} cases", (), list(_of_cases(judging, part))) for part in PARTS),
            Section("What this does not show", list(CAVEATS)),
            Section("Scenarios", (), list(_scenarios(judging))),
        ],
        headlines=[Finding(each) for each in told if each],
        facts=list(_facts(judging)),
    )


def write_judging(judging: Judging, path: Path) -> Path:
    """Writes the page of a judging to a file."""
    return write_page(page_of(judging), path)


def _count(judging: Judging, part: str) -> int:
    return len(judging.verdicts[part])


def _cases(judging: Judging, part: str) -> Sheet:
    name = judging.candidate.name
    rows = [
        (each.case.name, each.case.aim.name, number_text(each.case.aim, each.estimates[name].mean),
         number_text(each.case.aim, each.estimates[each.decisive].mean), each.decisive, difference_text(each),
         each.outcome)
        for each in judging.verdicts[part]
    ]  # fmt: skip
    note = (
        "Differences from the best built-in scheduler, or the best of those that beat the candidate, paired by seed; "
        "the 95 % intervals of a case hold for all "
        f"built-in schedulers at once. Equivalent: within {PERCENT * judging.terms.margin:g} % or better. Unclear: "
        "more seeds are needed."
    )
    starved = (starving(each, name) for each in judging.verdicts[part])
    note = " ".join([note, *(each for each in starved if each)])
    heads = ("case", "judged by", "candidate", "built-in", "which", "difference", "outcome")
    return Sheet(f"{part.capitalize()} cases", heads, rows, note, left=(1, 4))


def _against(judging: Judging, part: str) -> Sheet:
    counts = {label: judging.outcomes(part, label) for label in judging.rivals}
    rows = [(label, *(str(count[each]) for each in OUTCOMES)) for label, count in counts.items()]
    return Sheet(f"Against each built-in scheduler, number of {part} cases", ("scheduler", *OUTCOMES), rows)


def _worst(judging: Judging) -> Iterator[Sheet | Folded]:
    found = judging.worst
    if found is None:
        return
    verdict = found.verdict
    rows = [
        (label, number_text(verdict.case.aim, estimate.mean)) for label, estimate in verdict.estimates.items()
    ]  # fmt: skip
    told = (
        f"The worst of {found.evaluations} points of a search over the fields of all families: "
        f"{verdict.case.family.name} with {told_of(verdict.case.values)}. Against {verdict.decisive}: "
        f"{difference_text(verdict)}, {verdict.outcome}. "
        f"Of seeds {seeds_text(found.seeds)}, which the search did not see."
    )
    yield Sheet(
        f"{verdict.case.family.name}: {verdict.case.aim.name}", ("scheduler", verdict.case.aim.name), rows, told
    )
    yield Folded("The scenario", verdict.case.scenario.to_toml(), f"As worst.toml: {replay(judging, 'worst.toml')}")


def _cost(judging: Judging) -> Iterator[Sheet]:
    if judging.slot_us:
        rows = [(label, f"{us:.2f}") for label, us in judging.slot_us.items()]
        note = "All of a run is in it: channel, queues, TCP. Schedulers in turn, in one process; it differs by machine."
        yield Sheet("CPU time of a slot", ("scheduler", "us"), rows, note)
    searched = [
        (label, told_of(each.values) or "defaults", str(each.evaluations), percent(math.expm1(each.score)))
        for label, each in judging.rivals.items()
    ]
    note = (
        f"Each with {judging.terms.budget} evaluations, as the candidate's author says of the candidate. Gain: over "
        "the defaults, geometric mean over the public cases; it is that of the best of several, and so too large."
    )
    yield Sheet("Built-in schedulers", ("scheduler", "tuned", "evaluations", "gain"), searched, note, left=(1,))


def _trade_offs(judging: Judging, part: str) -> Iterator[Chart]:
    """Goodput against delay, and against fairness, of all schedulers over all cases of a part."""
    labels = [label for label in judging.schedulers if _is_placed(judging, part, label)]
    across = _relative(judging, part, labels, GOODPUT)
    for text, better, what in ((DELAY, "lower", "p95 delay"), (FAIRNESS, "higher", "Jain's index")):
        up = _relative(judging, part, labels, text)
        first = frontier(across, up, "higher", better)
        hollow = [at not in first for at in range(len(labels))]
        series = Series("", "points", across, up, labels=labels, hollow=hollow, colours=_colours(judging, labels))
        reference = _reference(judging)
        yield Chart(
            f"{part}-{text.split('.')[1]}", f"{part.capitalize()} cases: {what} against goodput",
            Axis(f"goodput, % of {reference}"), Axis(f"{what}, % of {reference}"), [series],
            frontier=[(float(across[at]), float(up[at])) for at in first],
            note=f"Geometric means over the {part} cases, each relative to {reference}. "
            "Filled: no other scheduler is better in one and as good in the other; rings: one is.",
        )  # fmt: skip


def _colours(judging: Judging, labels: Sequence[str]) -> list[int]:
    """The colour of each scheduler, the same in all pictures; the candidate has the first."""
    places = {label: place for place, label in enumerate(judging.schedulers)}
    return [places[label] for label in labels]


def _reference(judging: Judging) -> str:
    return REFERENCE if REFERENCE in judging.rivals else next(iter(judging.rivals))


def _is_placed(judging: Judging, part: str, label: str) -> bool:
    """Whether a scheduler has a number in every picture of a part."""
    return all(bool(np.isfinite(_relative(judging, part, [label], each)).all()) for each in (GOODPUT, DELAY, FAIRNESS))


def _relative(
    judging: Judging, part: str, labels: Sequence[str], text: str
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """A measure of schedulers in percent of the reference, geometric means over the cases of a part."""
    logarithms = np.zeros(len(labels))
    measure = measures.measure(text)
    for each in judging.verdicts[part]:
        found = of_measure(judging.runs[part][each.case.name], each.case.measures.index(measure))
        means = {label: measures.estimate(measure, found[label]).mean for label in {*labels, _reference(judging)}}
        with np.errstate(divide="ignore", invalid="ignore"):
            logarithms += np.log([means[label] / means[_reference(judging)] for label in labels])
    return cast("np.ndarray[tuple[int], np.dtype[np.float64]]", PERCENT * np.exp(logarithms / _count(judging, part)))


def _of_cases(judging: Judging, part: str) -> Iterator[Chart]:
    """A picture a case: its goodput against what it is judged by, or against its delay."""
    for number, each in enumerate(judging.verdicts[part]):
        case = each.case
        answer = answer_of(case, judging, part)
        second = case.aim.measure if case.aim.made == "as it is" and case.aim.text != GOODPUT else _delay(case)
        drawn = pareto(answer, measures.measure(GOODPUT), second)
        yield Chart(
            f"{part}-case-{number}", f"{case.name}: {words.of_measure(second)}", drawn.x, drawn.y, drawn.series,
            frontier=drawn.frontier, note=drawn.note, key=drawn.key,
        )  # fmt: skip


def _delay(case: Case) -> Measure:
    misses = measures.measure("cell.deadline_miss_rate")
    return misses if misses in case.measures else measures.measure(DELAY)


def answer_of(case: Case, judging: Judging, part: str) -> Answer:
    """The runs of a case as a sweep would have found them: what charts and tables of airlink are made of."""
    runs = judging.runs[part][case.name]
    arms = {
        label: Arm(judging.schedulers[label].in_place(case.scenario), source=label, parts=judging.schedulers[label].own)
        for label in runs
    }
    seeds = tuple(_seeds(judging, part))
    samples: dict[tuple[str, str], Any] = {}
    estimates, methods = {}, {}
    for place, measure in enumerate(case.measures):
        for label, found in of_measure(runs, place).items():
            known: Sequence[Found] = found
            samples[label, measure.text] = np.array(known, dtype=float) if measure.share is None else tuple(known)
            estimates[label, measure.text] = measures.estimate(measure, known)
            methods[label, measure.text] = measure.method
    question = Question("sweep", case.name, arms, case.measures, seeds)
    return Answer(
        question,
        dict.fromkeys(arms, seeds),
        samples,
        estimates,
        methods,
        version=judging.version,
    )


def _seeds(judging: Judging, part: str) -> Sequence[int]:
    assert judging.terms.hidden_seed is not None
    return judging.terms.seeds if part == PUBLIC else hidden_seeds(judging.terms.hidden_seed, len(judging.terms.seeds))


def _scenarios(judging: Judging) -> Iterator[Folded]:
    for part in PARTS:
        for each in judging.verdicts[part]:
            told = f"{each.case.family.about}; {told_of(each.case.values)}; seeds {seeds_text(_seeds(judging, part))}"
            yield Folded(f"{part}: {each.case.name}", each.case.scenario.to_toml(), told)


def _facts(judging: Judging) -> Iterator[tuple[str, str]]:
    yield "candidate", judging.candidate.argument
    yield "SHA-256", judging.candidate.hash
    yield "hidden seed", str(judging.terms.hidden_seed)
    yield "public seeds", seeds_text(judging.terms.seeds)
    yield "budget", str(judging.terms.budget)
    yield "margin", f"{PERCENT * judging.terms.margin:g} %"
    yield "airlink", judging.version
