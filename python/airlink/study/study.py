"""What a study is: a name, a question, and a function that measures, judges and writes a report folder.

Left out: how it is put together; `parts` has one way, for studies of several experiments.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
from rich.console import Console

from airlink.campaign import opened
from airlink.engine import Progress
from airlink.report import (
    Claim,
    Finding,
    Illustration,
    Page,
    Paper,
    ReportFolder,
    Sheet,
    claims_sheet,
    tally,
    to_markdown,
    write_claims,
    write_page,
)
from airlink.result import Table
from airlink.study.request import Request

if TYPE_CHECKING:
    from airlink.store import Store

DEFAULT_FOLDER = Path("airlink-results")


class UnknownFigure(ValueError):
    """A study was asked for a figure that it does not draw."""


@dataclass(frozen=True)
class Findings:
    """What a study found, before it is written.

    Attributes
    ----------
    claims : judged.
    headlines : the three findings that everything else is read by, a sentence and a verdict each; fewer of a figure
        alone.
    sheets : tables for the terminal, in order.
    sentences : what the tables say besides, in words.
    tables : numbers for machines; each becomes a Parquet file.
    page : the report.
    illustrations : the figures of the page, also written one by one.
    version, seeds : of the engine; the realizations' seeds.
    left_out : figures that a quick run leaves out.
    whole_seeds : how many seeds a whole run has; 0: not said.
    command : runs the study, without options; empty: `airlink reproduce` and its name.
    """

    claims: Sequence[Claim]
    sheets: Sequence[Sheet]
    sentences: Sequence[str]
    tables: Mapping[str, Table]
    page: Page
    illustrations: Sequence[Illustration]
    version: str
    seeds: Sequence[int]
    headlines: Sequence[Finding] = ()
    left_out: Sequence[str] = ()
    whole_seeds: int = 0
    command: str = ""

    def said_to_be_quick(self, whole: str) -> Findings:
        """The same with a notice above everything in the report, the terminal and tables.md: it is a quick run.

        Parameters
        ----------
        whole : the command that runs everything.
        """
        seeds = f"{len(self.seeds)} of {self.whole_seeds} seeds" if self.whole_seeds else "few seeds"
        out = f" Left out: {', '.join(self.left_out)}; --figure runs each alone." if self.left_out else ""
        notice = (
            f"A quick run: {seeds}, and fewer or shorter runs. It is a look, not a verdict.{out} Everything: {whole}."
        )
        return replace(self, page=replace(self.page, notice=notice))


@dataclass(frozen=True)
class StudyResult:
    """What `Study.run` leaves: claims and tables in memory, everything in the folder `out`.

    `figures` names the files of the figure that was asked for alone, and is empty otherwise. `headlines` are the
    findings with their verdicts, `paper` names the paper in a line.
    """

    name: str
    out: Path
    claims: Sequence[Claim]
    sheets: Sequence[Sheet]
    sentences: Sequence[str]
    tables: Mapping[str, Table]
    figures: Sequence[Path] = ()
    headlines: Sequence[str] = ()
    notice: str = ""
    paper: str = ""
    depends: Sequence[str] = ()

    def show(self, console: Console) -> None:
        """Prints paper, findings, tables, sentences and claims, 80 columns wide; of a single figure, where it is."""

        def told(text: str, style: str = "") -> None:
            console.print(text, width=80, highlight=False, markup=False, style=style)
            console.print()

        for text in filter(None, (self.paper, self.notice)):
            told(text, "bold" if text is self.notice else "")
        for number, headline in enumerate(self.headlines, 1):
            told(f"{number}. {headline}")
        if self.depends:
            console.print("What it depends on:", width=80, highlight=False, style="bold")
        for sentence in self.depends:
            told(sentence)
        for sheet in self.sheets:
            console.print(sheet.to_rich())
            console.print()
        for sentence in self.sentences:
            told(sentence)
        if self.claims:
            console.print(claims_sheet(self.claims, "Claims").to_rich(), width=80)
            console.print()
            console.print(f"{tally(self.claims)}.", width=80, highlight=False)
        for path in self.figures:
            console.print(f"figure: {path}", soft_wrap=True, highlight=False)
        console.print(f"report: {self.out / 'report.html'}", soft_wrap=True, highlight=False)


@dataclass(frozen=True)
class Study:
    """A paper's experiment, reproduced.

    Attributes
    ----------
    name : as in `airlink reproduce NAME`.
    title : one line.
    measure : runs the campaign and judges the claims; all of it, or what `Request.figure` needs.
    figures : what can be asked for alone: numbers of the paper's figures, or words.
    paper : that is reproduced; None: `title` says all.
    """

    name: str
    title: str
    measure: Callable[[Request], Findings]
    figures: Sequence[str] = ()
    paper: Paper | None = None

    def default_out(self, figure: str | None = None) -> Path:
        """Where results go by default; results of this study there are replaced. A single figure has its own place."""
        return DEFAULT_FOLDER / (self.name if figure is None else f"{self.name}-figure-{figure}")

    def run(  # noqa: PLR0913 - what a study can be asked for
        self,
        out: Path | None = None,
        *,
        quick: bool = False,
        threads: int | None = None,
        seed: int = 1,
        progress: Progress | None = None,
        force: bool = False,
        figure: str | None = None,
        store: Store | Path | str | None = None,
        executor: Executor | None = None,
    ) -> StudyResult:
        """Runs the study and writes report.html, claims.json, tables.md, figures/ and tables/.

        Parameters
        ----------
        out : folder, default airlink-results/NAME, with `figure` airlink-results/NAME-figure-FIGURE. It appears whole
            or not at all.
        quick, threads, seed, progress, store, executor : see `Request`. Figures of a quick run of the whole study are
            PNG only. A store may also be given by its folder.
        force : replace results of a study that `out` holds already; in the default folder those of this study are.
        figure : one of `figures`: only what it needs is run.

        Returns
        -------
        StudyResult.

        Raises
        ------
        UnknownFigure : the study draws no such figure; nothing has been run.
        ResultExists : `out` holds something that must not be replaced; nothing has been run.
        StudyInterrupted : Ctrl-C; nothing has been written.
        """
        if figure is not None and figure not in self.figures:
            raise UnknownFigure(f"{self.name} draws no figure {figure!r}; it draws: {', '.join(self.figures)}")
        default = self.default_out(figure)
        target = default if out is None else out
        folder = ReportFolder(target, self.name, force)
        with folder.claimed(replaceable=target.absolute() == default.absolute()) as place:
            with opened(store) as kept:
                findings = self.measure(Request(quick, threads, seed, progress, figure, kept, executor))
            if quick:
                findings = findings.said_to_be_quick(findings.command or f"airlink reproduce {self.name}")
            manifest = {"version": findings.version, "quick": quick, "seeds": list(findings.seeds), "figure": figure}
            with folder.filled(place, manifest) as new:
                # A whole study in a hurry: what is drawn for a paper takes longer than what is run.
                saved = _write(findings, new, draft=quick and figure is None)
        figures = [] if figure is None else [target / "figures" / path.name for path in saved]
        return StudyResult(
            self.name,
            target,
            findings.claims,
            findings.sheets,
            findings.sentences,
            findings.tables,
            figures,
            [str(finding) for finding in findings.headlines],
            findings.page.notice,
            self.paper.line if self.paper else "",
            findings.page.depends,
        )


def figure_of(illustration: Illustration) -> str:
    """What `--figure` calls it: "13" for `fig13-throughput`, "6a" for `fig6a-delay`, else the first word of its name.

    >>> from matplotlib.figure import Figure
    >>> [figure_of(Illustration(name, "", Figure(), "")) for name in ("fig13-throughput", "fig6a-delay", "map-jain")]
    ['13', '6a', 'map']
    """
    first = illustration.name.split("-")[0]
    number = first.removeprefix("fig")
    return number if number[:1].isdigit() else first


def _write(findings: Findings, folder: Path, draft: bool) -> list[Path]:
    """Everything; returns the files of the figures, as a draft in pixels only."""
    write_claims(findings.claims, folder / "claims.json")
    write_page(replace(findings.page, draft=draft), folder / "report.html")
    (folder / "tables.md").write_text(_markdown(findings), encoding="utf-8")
    saved = [path for illustration in findings.illustrations for path in illustration.save(folder / "figures", draft)]
    (folder / "tables").mkdir()
    for name, table in findings.tables.items():
        pq.write_table(pa.table(table), folder / "tables" / f"{name}.parquet")
    return saved


def _markdown(findings: Findings) -> str:
    """Paper, findings, what they depend on, claims and tables, for a page of documentation."""
    headlines = "\n".join(f"{number}. {headline}" for number, headline in enumerate(findings.headlines, 1))
    claims = [claims_sheet(findings.claims, "Claims")] if findings.claims else []
    sheets = [
        f"## {sheet.title}\n\n{to_markdown(sheet)}\n\n{sheet.note}".rstrip() for sheet in (*claims, *findings.sheets)
    ]
    parts = [f"**{findings.page.notice}**"] if findings.page.notice else []
    if headlines:
        parts.append(f"## Findings\n\n{headlines}")
    if findings.page.depends:
        parts.append("\n".join(("## What it depends on\n", *(f"- {each}" for each in findings.page.depends))))
    if findings.claims:
        parts.append(f"{tally(findings.claims)}.")
    return "\n\n".join((*parts, *sheets)) + "\n"
