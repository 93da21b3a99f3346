"""A study put together from parts: each part is one experiment, with its runs, claims and figures.

A part can be run alone, for one figure. Left out: runs that several parts share; what needs the same runs is one part.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import FunctionType

from airlink.campaign import CampaignResult, Plan
from airlink.report import (
    Claim,
    FigureWorker,
    Finding,
    Illustration,
    Page,
    Paper,
    Section,
    Sheet,
    airlink_bibtex,
    methods,
)
from airlink.result import Table
from airlink.study.discovery import study_names
from airlink.study.request import Request
from airlink.study.runner import Runner, plan_size
from airlink.study.study import Findings, Study, figure_of

INTERVALS = (
    "95 %: Student-t over seeds, paired by seed where two settings are compared, unless a caption says otherwise"
)


@dataclass(frozen=True)
class PartResult:
    """What a part found.

    Attributes
    ----------
    claims : judged.
    paragraphs : text of the part's section of the report, computed from the data.
    items : tables and figures of the section, in order.
    printed : the tables that the terminal shows as well, at most 80 columns wide.
    sentences : what came out, a sentence a headline or open question; the terminal shows them, the report too.
    judged_by : ids of the claims that give the first sentence its verdict, where it is one of the findings.
    depends : what the findings depend on, with numbers, a sentence or a few each.
    tables : numbers for machines, name -> columns; each becomes a Parquet file.
    """

    claims: Sequence[Claim] = ()
    paragraphs: Sequence[str] = ()
    items: Sequence[Sheet | Illustration] = ()
    printed: Sequence[Sheet] = ()
    sentences: Sequence[str] = ()
    tables: Mapping[str, Table] = field(default_factory=dict)
    judged_by: Sequence[str] = ()
    depends: Sequence[str] = ()

    @property
    def illustrations(self) -> list[Illustration]:
        """The figures among the items."""
        return [item for item in self.items if isinstance(item, Illustration)]


@dataclass(frozen=True)
class Part:
    """One experiment of a study.

    Attributes
    ----------
    name : for messages and tests, e.g. "alpha-sweep".
    heading : of its section in the report.
    figures : what `--figure` takes for it: "4" for the paper's Fig. 4 (illustration `fig4-...`), or the first word of
        an illustration's name.
    plans : all runs that are known beforehand, by name.
    show : judges and draws; may run more when that depends on what was found (`Runner.run`).
    in_quick : whether a quick run of the study has it; one that has not can be run quickly alone, by its figure.
    headline : its first sentence is one of the study's three findings, with which every report begins.
    """

    name: str
    heading: str
    figures: Sequence[str]
    plans: Callable[[Request], Mapping[str, Plan]]
    show: Callable[[Mapping[str, CampaignResult], Runner], PartResult]
    in_quick: bool = True
    headline: bool = False


@dataclass(frozen=True)
class Texts:
    """What a study's report says that no run can change.

    Attributes
    ----------
    heading : what the study is about, in a line; the title of a report whose paper is no more than a string.
    paper : the paper; a string if there is no more to say of it than a line.
    lead : the question, a sentence or two.
    facts : further (name, value) pairs for the end of the report: profile, seeds.
    best : name of the illustration that stands beside the findings; empty: none does.
    seeds : how many a whole run has; a quick run says how many of them it had. 0: it does not say.
    """

    heading: str
    paper: Paper | str
    lead: str
    facts: Sequence[tuple[str, str]] = ()
    best: str = ""
    seeds: int = 0

    @property
    def known_paper(self) -> Paper | None:
        """The paper, if more than a line is known of it."""
        return self.paper if isinstance(self.paper, Paper) else None

    @property
    def paper_line(self) -> str:
        """The paper in a line."""
        return self.paper.line if isinstance(self.paper, Paper) else self.paper


def study_of(name: str, title: str, texts: Texts, parts: Sequence[Part]) -> Study:
    """The study that runs these parts one after another.

    Raises
    ------
    ValueError : two parts have the same name, or draw a figure of the same name.
    """
    figures = [figure for part in parts for figure in part.figures]
    names = [part.name for part in parts]
    for what in (figures, names):
        if len(set(what)) < len(what):
            raise ValueError(f"{name}: parts need names and figures of their own: {what}")
    return Study(name, title, lambda request: _measure(name, texts, parts, request), figures, texts.known_paper)


def _measure(name: str, texts: Texts, parts: Sequence[Part], request: Request) -> Findings:
    if request.figure is not None:
        asked = [part for part in parts if request.figure in part.figures]
    else:
        asked = [part for part in parts if part.in_quick or not request.quick]
    plans = {part.name: dict(part.plans(request)) for part in asked}
    runner = Runner(request, sum(plan_size(plan) for each in plans.values() for plan in each.values()))
    worker = FigureWorker()
    shown = []
    for part in asked:
        # One part after another: what a part has recorded is let go before the next one runs.
        results = {key: runner.run(plan) for key, plan in plans[part.name].items()}
        shown.append(_narrowed(part.show(results, runner), request))
        if request.quick and request.threads != 1:
            worker.begin(shown[-1].illustrations)
    worker.finish()
    runner.finish()
    left_out = [part for part in parts if request.figure is None and part not in asked]
    return _findings(name, texts, asked, shown, runner, [figure for part in left_out for figure in part.figures])


def _narrowed(shown: PartResult, request: Request) -> PartResult:
    """Without the figures that were not asked for."""
    if request.figure is None:
        return shown
    items = [item for item in shown.items if isinstance(item, Sheet) or figure_of(item) == request.figure]
    return replace(shown, items=items)


def _findings(
    name: str, texts: Texts, parts: Sequence[Part], shown: Sequence[PartResult], runner: Runner, left_out: Sequence[str]
) -> Findings:
    claims = sorted((claim for each in shown for claim in each.claims), key=lambda claim: _in_order(claim.id))
    headlines = [
        Finding.judged(each.sentences[0], claims, each.judged_by)
        for part, each in zip(parts, shown, strict=True)
        if part.headline and each.sentences
    ]
    depends = [sentence for each in shown for sentence in each.depends]
    said = {*(finding.sentence for finding in headlines), *depends}
    return Findings(
        claims=claims,
        sheets=[sheet for each in shown for sheet in each.printed],
        sentences=[sentence for each in shown for sentence in each.sentences if sentence not in said],
        tables={key: table for each in shown for key, table in each.tables.items()},
        page=_page(name, texts, list(zip(parts, shown, strict=True)), claims, headlines, runner),
        illustrations=[illustration for each in shown for illustration in each.illustrations],
        version=runner.version,
        seeds=runner.seeds,
        headlines=headlines,
        left_out=left_out,
        whole_seeds=texts.seeds,
        command=_command(name, parts),
    )


def _page(
    name: str,
    texts: Texts,
    parts: Sequence[tuple[Part, PartResult]],
    claims: Sequence[Claim],
    headlines: Sequence[Finding],
    runner: Runner,
) -> Page:
    paper, again = texts.known_paper, _again(name, [part for part, _ in parts], runner.request)
    depends = [sentence for _, each in parts for sentence in each.depends]
    at_the_top = {*depends, *(finding.sentence for finding in headlines)}
    texts_of = [[text for text in (*each.sentences, *each.paragraphs) if text not in at_the_top] for _, each in parts]
    sections = [Section(part.heading, told, each.items) for (part, each), told in zip(parts, texts_of, strict=True)]
    drawn = [illustration for _, each in parts for illustration in each.illustrations]
    to_paste = methods(runner.version, runner.seeds, runner.count, INTERVALS, judged=bool(claims), again=again)
    return Page(
        title=paper.title if paper else texts.heading,
        lead=texts.lead,
        sections=sections,
        claims=claims,
        facts=_facts(texts, runner, again),
        headlines=headlines,
        paper=paper,
        best=next((each for each in drawn if each.name == texts.best), None),
        depends=depends,
        methods=to_paste,
        bibtex="\n\n".join([*([paper.bibtex()] if paper else []), airlink_bibtex(runner.version)]),
    )


def _in_order(claim: str) -> tuple[int, str]:
    """Claim "000-10a" after "000-9b"."""
    rest = claim.partition("-")[2]
    digits = rest[: len(rest) - len(rest.lstrip("0123456789"))]
    return int(digits or 0), rest[len(digits) :]


def _command(name: str, parts: Sequence[Part]) -> str:
    """The command that runs the study: its own file if it is one that no package holds or offers."""
    plans = parts[0].plans if parts else None
    if name not in study_names() and isinstance(plans, FunctionType) and "." not in plans.__module__:
        file = Path(plans.__code__.co_filename)
        if file.is_file():
            return f"python {file.name}"
    return f"airlink reproduce {name}"


def _again(name: str, parts: Sequence[Part], request: Request) -> str:
    """The command that makes the report again; a file of one's own takes the options that its author gave it."""
    command, quick = _command(name, parts), ["--quick"] if request.quick else []
    if command.startswith("python "):
        run = " ".join([command, *quick])
        told = [f"seed={request.seed}"] if request.seed != 1 else []
        told += [f'figure="{request.figure}"'] if request.figure is not None else []
        return f"{run} with {', '.join(told)} in its Study.run" if told else run
    options = [f"--seed {request.seed}", *quick]
    if request.figure is not None:
        options.append(f"--figure {request.figure}")
    return f"{command} {' '.join(options)}"


def _facts(texts: Texts, runner: Runner, again: str) -> list[tuple[str, str]]:
    return [
        ("paper", texts.paper_line),
        ("engine", f"airlink {runner.version}" if runner.version else "nothing was simulated"),
        *texts.facts,
        ("intervals", INTERVALS),
        ("again", again),
    ]
