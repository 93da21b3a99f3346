"""Results of runs as an answer, and several answers as one: what charts are made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from airlink.campaign.answer import Answer
from airlink.campaign.question import Arm, Question
from airlink.engine import RequestError
from airlink.measures import Measure, check, defaults, lacking
from airlink.result import Result


def answer_of(results: Mapping[str, Result], measures: Sequence[Measure] = ()) -> Answer:
    """Measures of stored results, as a sweep would have found them.

    Parameters
    ----------
    results : label -> result; one at least.
    measures : default those of `airlink.measures.defaults` that every result has.

    Returns
    -------
    Answer without axes.

    Raises
    ------
    MeasureError : a scenario does not have a measure, or a run did not record what it needs.

    Examples
    --------
    >>> import airlink
    >>> from airlink.measures import measure
    >>> result = airlink.run(airlink.scenario.ready("dumbbell", ["duration_s=2"]), replicas=3)
    >>> answer_of({"wire": result}, [measure("cell.goodput_bps")]).estimates["wire", "cell.goodput_bps"].n
    3
    """
    # Loaded when first needed: pictures of answers do without the engine.
    from airlink.campaign.answering import Means, answered

    chosen = tuple(measures) or usual(results)
    for label, result in results.items():
        check(chosen, result.scenario, label)
        _check_recorded(chosen, label, result)
    arms = {label: Arm(result.scenario, source=label, kept=result.own_code) for label, result in results.items()}
    seeds = tuple(dict.fromkeys(seed for result in results.values() for seed in result.seeds))
    question = Question("sweep", next(iter(results)), arms, chosen, seeds)
    return answered(question, Means(store=None), {label: result.replicas for label, result in results.items()})


def usual(results: Mapping[str, Result]) -> tuple[Measure, ...]:
    """The measures that are shown when none is asked for: those that all results have."""
    return had(defaults(next(iter(results.values())).scenario), results)


def had(measures: Sequence[Measure], results: Mapping[str, Result]) -> tuple[Measure, ...]:
    """Those measures that all results have, and have recorded what is needed for."""
    return tuple(
        each
        for each in measures
        if not any(lacking(each, one.scenario) or set(each.record) - set(one.record) for one in results.values())
    )


def _check_recorded(measures: Sequence[Measure], label: str, result: Result) -> None:
    for each in measures:
        missing = [kind for kind in each.record if kind not in result.record]
        if missing:
            raise RequestError(
                f"measure {each.text}: {label} did not record {missing[0]}; run it with --record {missing[0]}"
            )


def joined(answers: Mapping[str, Answer], measures: Sequence[Measure]) -> Answer:
    """Several answers as one without axes, with these measures.

    Parameters
    ----------
    answers : name -> answer; where two have scenarios of the same name, these are told apart by it.
    measures : that all of them have.
    """
    if len(answers) == 1:
        return next(iter(answers.values()))
    taken = [shown for answer in answers.values() for shown in answer.question.names.values()]
    named = {
        (name, label): shown if taken.count(shown) == 1 else f"{name}: {shown}"
        for name, answer in answers.items()
        for label, shown in answer.question.names.items()
    }
    keys = [(name, label, each.text) for name, label in named for each in measures]
    first = next(iter(answers.values()))
    question = replace(
        first.question,
        kind="sweep",
        arms={
            new: replace(answers[name].question.arms[label], at={}, source="") for (name, label), new in named.items()
        },
        measures=tuple(measures),
        axes={},
        baseline="",
    )
    return Answer(
        question,
        {new: answers[name].seeds[label] for (name, label), new in named.items()},
        {(named[name, label], text): answers[name].samples[label, text] for name, label, text in keys},
        {(named[name, label], text): answers[name].estimates[label, text] for name, label, text in keys},
        {(named[name, label], text): answers[name].methods[label, text] for name, label, text in keys},
        version=first.version,
    )
