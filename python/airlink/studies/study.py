"""What a study is: a name, a question, and a function that measures, judges and writes a report folder."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from rich.console import Console

from airlink.execute import Progress
from airlink.report import (
    Claim,
    Illustration,
    Page,
    ReportFolder,
    Sheet,
    tally,
    to_markdown,
    write_claims,
    write_page,
)
from airlink.result import Table

DEFAULT_FOLDER = Path("airlink-results")


class StudyInterrupted(Exception):
    """Ctrl-C ended the runs before there was enough to judge; nothing was written."""


@dataclass(frozen=True)
class Request:
    """How a study is to be run.

    Attributes
    ----------
    quick : fewer drops and controls, a few seconds.
    threads : default all cores; the numbers do not depend on it.
    seed : base seed, >= 1; each base seed has drops of its own.
    progress : called with (replicas finished, replicas in all).
    """

    quick: bool = False
    threads: int | None = None
    seed: int = 1
    progress: Progress | None = None


@dataclass(frozen=True)
class Findings:
    """What a study found, before it is written.

    Attributes
    ----------
    claims : judged.
    sheets : tables for the terminal, in order.
    sentences : what the tables say, in words.
    tables : numbers for machines; each becomes a Parquet file.
    page : the report.
    illustrations : the figures of the page, also written one by one.
    version, seeds : of the engine; the drops' seeds.
    """

    claims: Sequence[Claim]
    sheets: Sequence[Sheet]
    sentences: Sequence[str]
    tables: Mapping[str, Table]
    page: Page
    illustrations: Sequence[Illustration]
    version: str
    seeds: Sequence[int]


@dataclass(frozen=True)
class StudyResult:
    """What `Study.run` leaves: claims and tables in memory, everything in the folder `out`."""

    name: str
    out: Path
    claims: Sequence[Claim]
    sheets: Sequence[Sheet]
    sentences: Sequence[str]
    tables: Mapping[str, Table]

    def show(self, console: Console) -> None:
        """Prints tables, sentences and verdicts, 80 columns wide."""
        for sheet in self.sheets:
            console.print(sheet.to_rich())
            console.print()
        for sentence in self.sentences:
            console.print(sentence, width=80, highlight=False, markup=False)
            console.print()
        console.print(tally(self.claims), highlight=False)
        console.print(f"report: {self.out / 'report.html'}", soft_wrap=True, highlight=False)


@dataclass(frozen=True)
class Study:
    """A paper's experiment, reproduced.

    Attributes
    ----------
    name : as in `airlink reproduce NAME`.
    title : one line.
    measure : runs the campaign and judges the claims.
    """

    name: str
    title: str
    measure: Callable[[Request], Findings]

    @property
    def default_out(self) -> Path:
        """Where results go unless told; results of this study there are replaced."""
        return DEFAULT_FOLDER / self.name

    def run(
        self,
        out: Path | None = None,
        *,
        quick: bool = False,
        threads: int | None = None,
        seed: int = 1,
        progress: Progress | None = None,
        force: bool = False,
    ) -> StudyResult:
        """Runs the study and writes report.html, claims.json, tables.md, figures/ and tables/.

        Parameters
        ----------
        out : folder, default airlink-results/NAME. It appears whole or not at all.
        quick, threads, seed, progress : see `Request`.
        force : replace results of a study that `out` holds already; in the default folder those of this study are.

        Returns
        -------
        StudyResult.

        Raises
        ------
        ResultExists : `out` holds something that must not be replaced; nothing has been run.
        StudyInterrupted : Ctrl-C; nothing has been written.
        """
        target = self.default_out if out is None else out
        folder = ReportFolder(target, self.name, force)
        folder.check_free(replaceable=target.absolute() == self.default_out.absolute())
        findings = self.measure(Request(quick, threads, seed, progress))
        manifest = {"version": findings.version, "quick": quick, "seeds": list(findings.seeds)}
        with folder.filled(manifest) as temporary:
            _write(findings, temporary)
        return StudyResult(self.name, target, findings.claims, findings.sheets, findings.sentences, findings.tables)


def _write(findings: Findings, folder: Path) -> None:
    write_claims(findings.claims, folder / "claims.json")
    write_page(findings.page, folder / "report.html")
    text = "\n\n".join(f"## {sheet.title}\n\n{to_markdown(sheet)}\n\n{sheet.note}" for sheet in findings.sheets)
    (folder / "tables.md").write_text(text + "\n", encoding="utf-8")
    for illustration in findings.illustrations:
        illustration.save(folder / "figures")
    (folder / "tables").mkdir()
    for name, table in findings.tables.items():
        pq.write_table(pa.table(dict(table)), folder / "tables" / f"{name}.parquet")
