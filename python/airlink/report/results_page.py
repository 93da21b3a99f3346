"""One page about stored results, sweeps and comparisons: the answer first, then what it rests on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from airlink.campaign.answer import Answer
from airlink.plots import uplot
from airlink.plots.charts import Chart, answer_of
from airlink.report import of_answer, of_results
from airlink.report.page import Page, Section
from airlink.report.paper import airlink_bibtex
from airlink.result import Result
from airlink.statistics import BatchMeans


def results_page(
    answers: Mapping[str, Answer],
    results: Mapping[str, Result],
    command: str = "",
    realizations: Mapping[str, BatchMeans] | None = None,
) -> Page:
    """The report.

    Parameters
    ----------
    answers : name -> what a sweep or comparison found.
    results : name -> result of `airlink.run`; measured as one answer, a scenario each.
    command : that makes the page again.
    realizations : name of a result with one replica -> how well that one run knows its goodput, b/s.

    Returns
    -------
    Page, for `write_page`.

    Raises
    ------
    ValueError : neither answers nor results.
    """
    if not answers and not results:
        raise ValueError("a report needs at least one result")
    parts = {**answers, **({" and ".join(results): answer_of(results)} if results else {})}
    several = len(parts) > 1
    sections = [
        replace(section, heading=f"{name}: {section.heading}" if several else section.heading)
        for name, part in parts.items()
        for section in of_answer.sections(part)
    ]
    if results:
        # The scenarios in full stay last.
        extra = [*_distributions(results, sections), *of_results.sections(results, realizations or {})]
        sections = [*sections[:-1], *extra, sections[-1]]
    if code := of_answer.code_in_full(parts.values()):
        sections.append(Section("Code of one's own", (), code))
    made = _charts_told_apart(sections)
    version = next(iter(parts.values())).version
    return Page(
        title=" ".join(map(of_answer.title, parts.values())),
        lead=" ".join([*map(of_answer.lead, answers.values()), *([of_results.lead(results)] if results else [])]),
        sections=made,
        headlines=[line for part in parts.values() for line in of_answer.headlines(part)],
        facts=list(_facts(parts, command)),
        best=next((part for section in made for part in section.parts if isinstance(part, Chart)), None),
        methods="\n\n".join(map(of_answer.methods_of, parts.values())),
        bibtex=airlink_bibtex(version),
    )


def _distributions(results: Mapping[str, Result], before: Iterable[Section]) -> Iterator[Section]:
    """The distributions that no section before has."""
    drawn = {part.name for section in before for part in section.parts if isinstance(part, Chart)}
    charts = of_results.distributions(results, drawn)
    if charts:
        yield Section("Distributions", (), charts)


def _charts_told_apart(sections: Iterable[Section]) -> list[Section]:
    """The sections, with a number behind the name of a chart that another one has too."""
    taken: set[str] = set()
    made = []
    for section in sections:
        parts: list[Any] = []
        for part in section.parts:
            if isinstance(part, Chart):
                name, number = part.name, 1
                while name in taken:
                    number += 1
                    name = f"{part.name}-{number}"
                taken.add(name)
                part = replace(part, name=name)
            parts.append(part)
        made.append(replace(section, parts=parts))
    return made


def _facts(parts: Mapping[str, Answer], command: str) -> Iterator[tuple[str, str]]:
    told: dict[str, dict[str, str]] = {}
    for name, part in parts.items():
        for fact, value in of_answer.facts(part):
            told.setdefault(fact, {}).setdefault(value, name)
    for fact, values in told.items():
        yield from ((fact, value if len(values) == 1 else f"{name}: {value}") for value, name in values.items())
    if command:
        yield "this page", command
    yield "charts", f"uPlot {uplot.VERSION} (MIT licence, in the page's source)"
