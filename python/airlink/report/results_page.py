"""One page about stored results, sweeps and comparisons: the answer first, then what it rests on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from airlink.campaign.answer import Answer
from airlink.plots import uplot
from airlink.plots.charts import answer_of
from airlink.report import of_answer, of_results
from airlink.report.page import Page, Section
from airlink.result import Result


def results_page(answers: Mapping[str, Answer], results: Mapping[str, Result], command: str = "") -> Page:
    """The report.

    Parameters
    ----------
    answers : name -> what a sweep or comparison found.
    results : name -> result of `airlink.run`; measured as one answer, a scenario each.
    command : that makes the page again.

    Returns
    -------
    Page, for `write_page`.

    Raises
    ------
    ValueError : neither answers nor results.
    """
    if not answers and not results:
        raise ValueError("a report needs at least one result")
    parts = {**answers, **({_name(results): answer_of(results)} if results else {})}
    one = len(parts) == 1
    sections = [_renamed(section, "" if one else name) for name, part in parts.items() for section in of_answer.sections(part)]
    if results:
        sections = [*sections, *of_results.sections(results)]
        extra = of_results.distributions(results)
        sections = [*sections, Section("Distributions over users", (), extra)] if extra else sections
    answer = next(iter(parts.values()))
    return Page(
        title=of_answer.title(answer) if one else " and ".join(parts),
        lead=" ".join(_lead(name, part, results) for name, part in parts.items()),
        sections=_with_unique_charts(sections),
        headlines=[line for part in parts.values() for line in of_answer.headlines(part)],
        facts=[*_facts(parts), *([("this page", command)] if command else []), ("charts", f"uPlot {uplot.VERSION} (MIT)")],
    )
