"""Folders of results and of answers, as one answer with the measures that are asked for."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from airlink.campaign.answer import Answer
from airlink.campaign.folder import holds_answer
from airlink.engine import RequestError
from airlink.measures import Measure, MeasureError, measure
from airlink.result import Result

Folders = Annotated[
    list[Path], typer.Argument(metavar="RESULT...", help="Folders written by airlink run, sweep or compare.")
]
WHOLE_COLUMN = re.compile(r"(users|flows|downloads)\.([a-z]\w*)")


def loaded(folders: Sequence[Path]) -> tuple[dict[str, Answer], dict[str, Result]]:
    """Answers and results by name; a folder's name, or its path where two have the same.

    Raises
    ------
    ResultError : a folder holds neither.
    """
    unique = list(dict.fromkeys(folder.resolve() for folder in folders))
    taken = [folder.name for folder in unique]
    answers: dict[str, Answer] = {}
    results: dict[str, Result] = {}
    for folder, resolved in zip(dict.fromkeys(folders), unique, strict=False):
        name = resolved.name if taken.count(resolved.name) == 1 else str(folder)
        if holds_answer(folder):
            answers[name] = Answer.load(folder)
        else:
            results[name] = Result.load(folder)
    return answers, results


def asked(
    folders: Sequence[Path], texts: Sequence[str] | None, count: int | None = None, of_members: bool = False
) -> tuple[Answer, list[Measure]]:
    """One answer of all folders, and the measures that are asked for.

    Parameters
    ----------
    folders : of results and answers.
    texts : measures; None: those of the answers that all have, or the usual ones of the results.
    count : how many; of those that nobody asked for the first ones; None: any number.
    of_members : whether a whole column can be meant, "users.goodput_bps" for each user's number.

    Raises
    ------
    ResultError : a folder holds nothing to draw.
    MeasureError, RequestError : no such measure, one that a folder does not keep, or another number of them.
    """
    from airlink.plots.charts import answer_of, had, joined

    wanted = [_read(text, of_members) for text in texts or ()]
    if texts and count is not None and len(wanted) != count:
        given, needed = _counted(len(wanted), "time"), _counted(count, "measure")
        raise RequestError(f"--measure is given {given}; this picture is of {needed}")
    answers, results = loaded(folders)
    first = _of_answers(answers, wanted, of_members) or wanted
    if first and not wanted:
        first = list(had(first, results))
        if not first:
            raise RequestError(f"{', '.join([*answers, *results])} have no measure in common")
    parts = answers | ({"results": answer_of(results, first)} if results else {})
    whole = joined(parts, first or next(iter(parts.values())).measures)
    found = (first or list(whole.measures))[:count]
    if count is not None and len(found) < count:
        raise RequestError(f"this picture is of {_counted(count, 'measure')}, and there is {len(found)}; add --measure")
    return whole, found


def _of_answers(answers: Mapping[str, Answer], wanted: Sequence[Measure], of_members: bool) -> list[Measure]:
    """The measures that are asked for as the first answer has them, or those that all answers have."""
    if not answers:
        return []
    (name, answer), *others = answers.items()
    if not wanted:
        common = [each for each in answer.measures if all(each in other.measures for _, other in others)]
        if not common:
            raise RequestError(f"{', '.join(answers)} have no measure in common")
        return common
    found = [_kept(answer, name, each, of_members) for each in wanted]
    for other_name, other in others:
        for each in found:
            _kept(other, other_name, each, of_members=False)
    return found


def _read(text: str, of_members: bool) -> Measure:
    """The measure of a text; a whole column is that of its median, which is made of all members' numbers."""
    try:
        return measure(text)
    except MeasureError:
        found = WHOLE_COLUMN.fullmatch(text.strip())
        if not of_members or found is None:
            raise
        return measure(f"{found[1]}.p50({found[2]})")


def _kept(answer: Answer, name: str, wanted: Measure, of_members: bool) -> Measure:
    """The measure of the answer that is asked for; of whole columns any quantile will do."""
    for each in answer.measures:
        if each.text == wanted.text:
            return each
    same = (each for each in answer.measures if (each.population, each.column) == (wanted.population, wanted.column))
    for each in same:
        if of_members and each.share is not None and wanted.share is not None:
            return each
    has = ", ".join(each.text for each in answer.measures)
    raise RequestError(f"{name} does not have {wanted.text}; it has {has}; ask again with --measure '{wanted.text}'")


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'s' * (count != 1)}"
