"""A page of every kind that airlink writes, from tiny runs, and where the site of docs/ has its kinds of pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import airlink
from airlink.plots import cell_page, fairness_page, fairness_view
from airlink.plots import cell_view as cell_view_of
from airlink.plots.flow.page import write_page as write_flow
from airlink.plots.viewer import write_document
from airlink.report import results_page, write_page
from airlink.scenario import ready
from airlink.study import study_names
from answers import DELAY, EDGE, GOODPUT, PAGES, compared, swept
from cell_views import cell_view
from flow_views import flow_view

LOOKS: Mapping[str, tuple[int, int, float, bool]] = {
    "light at 1280": (1280, 900, 1.0, False),
    "dark at 390": (390, 844, 2.0, True),
    "dark at 1280": (1280, 900, 1.0, True),
    "light at 390": (390, 844, 2.0, False),
}
"""Width and height in CSS pixels, device pixels a CSS pixel, dark. Each page is seen in the first two by every run of
the tests, in all four by `make validate`."""

SITE = Path(__file__).parents[1] / "target" / "site"
SITE_PAGES: Mapping[str, str] = {
    "front": "index.html",
    "start": "start.html",
    "tutorial": "tutorials/?-*.html",
    "how-to": "how-to/*.html",
    "concept": "concepts/*.html",
    "model": "models/*.html",
    "results": "results.html",
    "scenario section": "reference/scenario/*.html",
    "command": "reference/commands/*.html",
    "API": "reference/python/*.html",
    "glossary": "glossary.html",
    "gallery": "gallery/index.html",
    "study": "studies/*.html",
    "trust": "trust.html",
    "search": "search.html",
    "index": "genindex.html",
}
"""Kinds of pages of the site, and which files are of the kind."""

STUDIES = [name.replace("-", "_") for name in study_names()]
"""Modules of the studies."""


def of_looks() -> list[Any]:
    """Every kind with every look as parameters: two looks a kind in any run, four in all."""
    return [
        pytest.param(kind, look, id=f"{kind}, {look}", marks=() if nth < 2 else pytest.mark.validate)
        for kind in KINDS
        for nth, look in enumerate(LOOKS)
    ]


def of_site() -> list[Any]:
    """Kinds of pages of the site as parameters: a page in one look in any run, by turns; the largest in all looks."""
    looks = list(LOOKS)
    usual = [pytest.param(kind, looks[place % 2], False, id=kind) for place, kind in enumerate(SITE_PAGES)]
    largest = [
        pytest.param(kind, look, True, id=f"largest {kind}, {look}", marks=pytest.mark.validate)
        for kind in SITE_PAGES
        for look in LOOKS
    ]
    return usual + largest


def of_flow(folder: Path) -> Path:
    """The page of a flow."""
    return write_flow(flow_view(), folder / "flow.html")


def of_cell(folder: Path, users: int, subchannels: int) -> Path:
    """The page of a cell."""
    document = cell_page.document(cell_view(users, subchannels=subchannels))
    return write_document(document, folder / f"cell-{users}.html")


def of_harq(folder: Path) -> Path:
    """The page of a cell with HARQ."""
    result = airlink.run(ready("lte", ["duration_s=0.3", "warmup_s=0"]))
    return write_document(cell_page.document(cell_view_of(result)), folder / "cell-harq.html")


def of_fairness(folder: Path, users: int) -> Path:
    """The page of rates in windows."""
    result = airlink.run(ready("dumbbell", ["duration_s=2", f"users={users}"]))
    return write_document(fairness_page.document(fairness_view(result)), folder / f"fairness-{users}.html")


def of_sweep(folder: Path) -> Path:
    """The report of a sweep."""
    return write_page(results_page({"sweep": swept((GOODPUT, EDGE, PAGES))}, {}), folder / "sweep.html")


def of_comparison(folder: Path) -> Path:
    """The report of a comparison."""
    return write_page(results_page({"compare": compared((GOODPUT, DELAY))}, {}), folder / "comparison.html")


def of_study(folder: Path) -> Path:
    """A quick report of a study's cheapest figure; the figure's files stand beside it."""
    return of_whole_study(folder, "startup_timeout", "2")


def of_whole_study(folder: Path, name: str, figure: str | None = None) -> Path:
    """A study's quick report."""
    study = import_module(f"airlink_studies.{name}").STUDY
    return Path(study.run(folder / name, quick=True, figure=figure).out) / "report.html"


KINDS: Mapping[str, Callable[[Path], Path]] = {
    "flow": of_flow,
    "cell of three": partial(of_cell, users=3, subchannels=1),
    "cell of twenty-one": partial(of_cell, users=21, subchannels=50),
    "cell with HARQ": of_harq,
    "fairness of three": partial(of_fairness, users=3),
    "fairness of twelve": partial(of_fairness, users=12),
    "sweep": of_sweep,
    "comparison": of_comparison,
    "study": of_study,
}
"""Kinds of pages, each with what writes one into a folder."""


class Written:
    """Pages, each written when it is first asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._pages: dict[str, Path] = {}

    def page(self, kind: str) -> Path:
        """The page of a kind, or of a whole study by its name."""
        if kind not in self._pages:
            make = KINDS.get(kind) or partial(of_whole_study, name=kind)
            self._pages[kind] = make(self.folder)
        return self._pages[kind]


def site_page(kind: str, largest: bool) -> Path:
    """A page of a kind of the site, of middle size or the largest; skips the test where the site is not built."""
    if not (SITE / "index.html").exists():
        pytest.skip("target/site is not built")
    found = sorted(SITE.glob(SITE_PAGES[kind]), key=lambda path: path.stat().st_size)
    assert found, f"the site has no {SITE_PAGES[kind]}"
    return found[-1 if largest else len(found) // 2]
