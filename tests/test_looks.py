"""Pages fit the window, cut nothing off, fetch nothing and complain of nothing; what is printed has no Type 3 font."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path

import matplotlib as mpl
import pytest
from matplotlib.figure import Figure
from typer.testing import CliRunner

import airlink
import chromium
from airlink import engine
from airlink.cli import app
from airlink.cli.plot import of_measures, over_time
from answers import DELAY, GOODPUT, compared, swept
from page_kinds import KINDS, LOOKS, STUDIES, Written, of_looks, of_site, site_page
from small_cells import TINY

TOO_WIDE = """(() => {
  const width = document.documentElement.clientWidth;
  const boxes = new Set(["auto", "scroll", "hidden", "clip"]);
  const boxed = (each) => {
    for (let up = each.parentElement; up && up !== document.body; up = up.parentElement) {
      const { overflowX, position } = getComputedStyle(up);
      if (boxes.has(overflowX) || position === "fixed") return true;
    }
  };
  return [...document.querySelectorAll("body *")].filter((each) => {
    const { left, right, width: own } = each.getBoundingClientRect();
    return own > 0 && (right > width + 1 || (left < -1 && right > 0)) && !boxed(each)
      && getComputedStyle(each).visibility !== "hidden" && getComputedStyle(each).position !== "fixed";
  }).slice(0, 5).map((each) => `${each.tagName} ${each.id || each.className}: ${each.textContent.trim().slice(0, 40)}`);
})()"""
"""What reaches out of the window and stands in no box that scrolls."""

CUT = """[...document.querySelectorAll("body *")].filter((each) => {
  const { overflowX, overflowY, clipPath, clip } = getComputedStyle(each);
  const unseen = clipPath !== "none" || clip !== "auto" || each.clientWidth <= 1 || each.clientHeight <= 1;
  const hides = (way) => ["hidden", "clip"].includes(way);
  return !unseen && each.textContent.trim() && ((hides(overflowX) && each.scrollWidth > each.clientWidth + 1)
    || (hides(overflowY) && each.scrollHeight > each.clientHeight + 1));
}).slice(0, 5).map((each) => `${each.tagName} ${each.id || each.className}: ${each.textContent.trim().slice(0, 40)}`)"""
"""What has text beyond an edge behind which nothing can be seen."""

EMBEDDED = re.compile(r" yes +(?:yes|no) +(?:yes|no) +\d+ +\d+$")
"""The end of a line of pdffonts: embedded, subset, with a map to Unicode, the object's number."""

RESULT_OF = {"flow": "run", "cell": "run", "fairness": "run", "sweep": "swept"}
"""What a kind of plot is drawn of; a comparison if not named."""


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with all that can be recorded, a sweep, a comparison."""
    folder = tmp_path_factory.mktemp("results")
    airlink.run(TINY, record=engine.recordable(TINY)).save(folder / "run")
    swept().save(folder / "swept")
    compared((GOODPUT, DELAY)).save(folder / "compared")
    return folder


@pytest.fixture
def _pdffonts() -> None:
    if shutil.which("pdffonts") is None:
        pytest.skip("pdffonts is not installed")


def bad_fonts(files: Iterable[Path]) -> list[str]:
    """Fonts that journals refuse: of Type 3, or not in the file. Asserts that each file has a font at all."""
    bad = []
    for file in files:
        told = subprocess.run(["pdffonts", str(file)], capture_output=True, text=True, check=True).stdout
        fonts = told.splitlines()[2:]
        assert fonts, f"{file.name} has no text"
        bad += [f"{file.name}: {font}" for font in fonts if "Type 3" in font or not EMBEDDED.search(font)]
    return bad


def complaints(browser: chromium.Browser) -> list[str]:
    """What a page that is open should not do: complain, fetch, reach out of the window, cut text off."""
    told = [f"complains: {each}" for each in browser.complaints]
    told += [f"fetches {url}" for url in browser.fetched if not url.startswith(("file:", "data:", "blob:"))]
    if browser.value("document.documentElement.scrollWidth > document.documentElement.clientWidth"):
        told.append("scrolls sideways")
    told += [f"too wide: {each}" for each in browser.value(TOO_WIDE)]
    return told + [f"cut: {each}" for each in browser.value(CUT)]


@pytest.mark.parametrize(("kind", "look"), of_looks())
def test_a_page_fits_and_is_silent(browser: chromium.Browser, pages: Written, kind: str, look: str) -> None:
    browser.look(*LOOKS[look])
    browser.visit(pages.page(kind))
    assert complaints(browser) == []


@pytest.mark.parametrize("kind", ["flow", "cell of twenty-one", "sweep"])
def test_what_the_keyboard_reaches_is_outlined(browser: chromium.Browser, pages: Written, kind: str) -> None:
    browser.look(*LOOKS["light at 1280"])
    browser.visit(pages.page(kind))
    reached: list[str] = []
    for _ in range(12):
        browser.key("Tab")
        name, outline = browser.value("""(() => {
          const each = document.activeElement, { outlineStyle, outlineWidth } = getComputedStyle(each);
          return [`${each.tagName} ${each.id} ${each.textContent.trim().slice(0, 20)}`,
                  outlineStyle === "none" ? 0 : parseFloat(outlineWidth)];
        })()""")
        assert outline >= 1 or name.startswith("BODY"), name
        reached.append(name)
    assert len(set(reached)) > 5


@pytest.mark.parametrize(("kind", "look", "largest"), of_site())
def test_a_page_of_the_site_fits_and_is_silent(browser: chromium.Browser, kind: str, look: str, largest: bool) -> None:
    page = site_page(kind, largest)
    browser.look(*LOOKS[look])
    browser.visit(page, "?q=scheduler" if kind == "search" else "")
    assert complaints(browser) == []


@pytest.mark.validate
@pytest.mark.parametrize("study", STUDIES)
@pytest.mark.usefixtures("_pdffonts")
def test_a_whole_quick_report_fits_and_prints(
    browser: chromium.Browser, pages: Written, tmp_path: Path, study: str
) -> None:
    for look in LOOKS.values():
        browser.look(*look)
        browser.visit(pages.page(study))
        assert complaints(browser) == []
    assert bad_fonts([browser.pdf(tmp_path / "report.pdf")]) == []


def test_what_does_not_fit_is_found(browser: chromium.Browser, pages: Written, tmp_path: Path) -> None:
    text = pages.page("cell of three").read_text("utf-8")
    wide = '<p id="wide" style="width: 900px">wide</p>'
    cut = '<p id="cut" style="width: 3rem; overflow: hidden; white-space: nowrap">beyond the edge</p>'
    script = "<script>console.error('a complaint'); new Image().src = 'http://localhost:9/x.png';</script>"
    page = tmp_path / "planted.html"
    page.write_text(text.replace("<main>", f"<main>{wide}{cut}{script}"), encoding="utf-8")
    browser.look(*LOOKS["dark at 390"])
    browser.visit(page)
    found = complaints(browser)
    for told in ("complains", "fetches http://localhost:9/x.png", "scrolls sideways", "too wide: P wide", "cut: P cut"):
        assert any(line.startswith(told) for line in found), told


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.usefixtures("_pdffonts")
def test_a_printed_page_has_no_type_3_font(
    browser: chromium.Browser, pages: Written, tmp_path: Path, kind: str
) -> None:
    browser.look(*LOOKS["light at 1280"])
    browser.visit(pages.page(kind))
    assert bad_fonts([browser.pdf(tmp_path / "page.pdf")]) == []


@pytest.mark.parametrize("kind", [command.__name__ for command in (*of_measures.COMMANDS, *over_time.COMMANDS)])
@pytest.mark.usefixtures("_pdffonts")
def test_a_plot_has_no_type_3_font(results: Path, tmp_path: Path, kind: str) -> None:
    own = ["--user", "0"] if kind == "flow" else []
    own += ["--window", "0.1"] if kind == "fairness" else []
    out = tmp_path / f"{kind}.pdf"
    words = ["plot", kind, str(results / RESULT_OF.get(kind, "compared")), *own, "--out", str(out)]
    answer = CliRunner().invoke(app, words, env={"NO_COLOR": "1", "TERM": "dumb"})
    assert answer.exit_code == 0, answer.stderr
    assert bad_fonts([out]) == []


@pytest.mark.usefixtures("_pdffonts")
def test_a_figure_of_a_study_has_no_type_3_font(pages: Written) -> None:
    files = list((pages.page("study").parent / "figures").glob("*.pdf"))
    assert files
    assert bad_fonts(files) == []


@pytest.mark.validate
@pytest.mark.parametrize("study", STUDIES)
@pytest.mark.usefixtures("_pdffonts")
def test_no_figure_of_any_study_has_a_type_3_font(tmp_path: Path, study: str) -> None:
    own = import_module(f"airlink_studies.{study}").STUDY
    for figure in own.figures:
        own.run(tmp_path / figure, quick=True, figure=figure)
        assert bad_fonts((tmp_path / figure / "figures").glob("*.pdf")) == []


@pytest.mark.usefixtures("_pdffonts")
def test_a_type_3_font_is_found(tmp_path: Path) -> None:
    figure = Figure()
    figure.subplots().set_xlabel("time (s)")
    with mpl.rc_context({"pdf.fonttype": 3}):
        figure.savefig(tmp_path / "type3.pdf")
    (found,) = set(re.findall("Type 3", " ".join(bad_fonts([tmp_path / "type3.pdf"]))))
    assert found
