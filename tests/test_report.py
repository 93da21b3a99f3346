"""The report: one file that needs nothing else, tables that fit a terminal, folders that are not written over."""

from __future__ import annotations

import base64
import json
import math
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image
from rich.console import Console

from airlink.plots import style
from airlink.report import (
    FigureWorker,
    Illustration,
    Page,
    ReportFolder,
    Section,
    Sheet,
    Statement,
    above,
    certain,
    claims_sheet,
    number,
    write_page,
)
from airlink.result import ResultError, ResultExists

CLAIMS = [
    Statement("1a", "holds <b>", 1.0).against(certain(2.0), above("x", 0), "P"),
    Statement("1b", "does not").against(certain(-math.inf), above("x", 0), "P"),
    Statement("1c", "unknown", "words").against(certain(math.nan), above("x", 0), "P"),
]
SHEET = Sheet("Rates", ("who", "kB/s"), [("RR", "111.4"), ("PF & co", "174.0")], "a note")


def drawing(width_in: float = 2) -> Illustration:
    figure = Figure(figsize=(width_in, 1))
    FigureCanvasAgg(figure)
    figure.subplots().plot([0, 1], [0, 1])
    return Illustration("line", "A line.", figure, "a rising line")


def page_text(folder: Path) -> str:
    sections = [Section("First part", ("A paragraph & more.",), (SHEET, drawing())), Section("Second", (), (SHEET,))]
    page = Page("A report", "What came out.", sections, CLAIMS, [("version", "1")])
    return write_page(page, folder / "report.html").read_text(encoding="utf-8")


class Tags(HTMLParser):
    """Checks that tags close in order and collects attributes."""

    VOID = frozenset({"meta", "img", "br", "link"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.addresses: list[str] = []
        self.ids: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in self.VOID:
            self.open.append(tag)
        self.addresses += [value or "" for name, value in attrs if name in {"src", "href"}]
        self.ids += [value or "" for name, value in attrs if name == "id"]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_is_whole_and_needs_nothing_else(tmp_path: Path) -> None:
    text = page_text(tmp_path)
    tags = Tags()
    tags.feed(text)
    assert tags.open == []
    assert all(address.startswith(("data:", "#")) for address in tags.addresses)
    assert "<script" not in text
    assert "@import" not in text
    assert not re.search(r"url\(", text)


def test_every_link_inside_the_page_has_its_target(tmp_path: Path) -> None:
    tags = Tags()
    tags.feed(page_text(tmp_path))
    links = [address[1:] for address in tags.addresses if address.startswith("#")]
    assert set(links) == {"claims", "first-part", "second"}
    assert set(links) <= set(tags.ids)


def test_words_are_text_and_never_markup(tmp_path: Path) -> None:
    text = page_text(tmp_path)
    assert "holds &lt;b&gt;" in text
    assert "PF &amp; co" in text


def test_the_page_shows_every_verdict(tmp_path: Path) -> None:
    text = page_text(tmp_path)
    for word in ("holds", "does not hold", "undecided"):
        assert f'<td class="left verdict">direction {word}</td>' in text


def test_the_page_begins_with_its_findings(tmp_path: Path) -> None:
    page = Page("A report", "What was asked.", [Section("Part")], CLAIMS, headlines=("First & foremost.", "Second."))
    text = write_page(page, tmp_path / "report.html").read_text(encoding="utf-8")
    order = ("What was asked.", "First &amp; foremost.", "Second.", "<h2>Part</h2>")
    places = [text.index(words) for words in order]
    assert places == sorted(places)


def test_a_notice_stands_above_the_findings(tmp_path: Path) -> None:
    page = Page("A report", "", [Section("Part")], headlines=("First.",), notice="A quick run & no verdict.")
    text = write_page(page, tmp_path / "report.html").read_text(encoding="utf-8")
    assert text.index("A quick run &amp; no verdict.") < text.index("First.")
    silent = Page("A report", "", [Section("Part")])
    assert 'role="note"' not in write_page(silent, tmp_path / "silent.html").read_text(encoding="utf-8")


def test_claims_are_folded_below_a_line_that_counts_them(tmp_path: Path) -> None:
    text = page_text(tmp_path)
    assert text.index("1 of 3 directions holds, 1 does not, 1 is undecided.") < text.index('<details class="claims">')
    assert "<details open" not in text


def test_a_page_to_paste_from_has_one_script_and_no_other(tmp_path: Path) -> None:
    page = Page("A report", "", [Section("Part")], methods="We ran <it>.", bibtex="@misc{a}")
    text = write_page(page, tmp_path / "report.html").read_text(encoding="utf-8")
    assert text.count("<script>") == 1
    assert re.findall(r"https?://|import\(|fetch\(", text.partition("<script>")[2]) == []
    assert '<pre class="text" tabindex="0">We ran &lt;it&gt;.</pre>' in text
    assert len(re.findall(r'<button class="copy" type="button" hidden>', text)) == 2


def test_figures_are_saved_with_300_dots_an_inch(tmp_path: Path) -> None:
    (path,) = drawing().save(tmp_path, draft=True)
    with Image.open(path) as picture:
        assert picture.size == (600, 300)
        assert round(picture.info["dpi"][0]) == 300


def test_fonts_in_a_pdf_are_truetype(tmp_path: Path) -> None:
    figure, (axes,) = style.blank()
    axes.set_title("Γ, α and ½: words of a figure")
    paths = Illustration("named", "", figure, "").save(tmp_path)
    style.save(figure, tmp_path / "plot.pdf")
    for path in (paths[0], tmp_path / "plot.pdf"):
        assert path.suffix == ".pdf"
        assert b"/TrueType" in path.read_bytes() or b"/CIDFontType2" in path.read_bytes()
        assert b"/Type3" not in path.read_bytes()


def test_the_same_report_has_the_same_bytes(tmp_path: Path) -> None:
    assert page_text(tmp_path) == page_text(tmp_path)


def test_a_figure_is_saved_for_paper_and_screen(tmp_path: Path) -> None:
    assert [path.suffix for path in drawing().save(tmp_path / "figures")] == [".pdf", ".png"]
    assert (tmp_path / "figures/line.pdf").read_bytes().startswith(b"%PDF")


def test_a_draft_draws_each_figure_once_as_pixels(tmp_path: Path) -> None:
    figure = drawing()
    assert [path.name for path in figure.save(tmp_path / "figures", draft=True)] == ["line.png"]
    picture = (tmp_path / "figures/line.png").read_bytes()
    assert picture.startswith(b"\x89PNG")
    assert base64.b64decode(figure.url(draft=True).removeprefix("data:image/png;base64,")) == picture
    assert figure.url().startswith("data:image/svg+xml;base64,")


def test_tables_fit_80_columns() -> None:
    for sheet in (SHEET, claims_sheet(CLAIMS, "Claims")):
        assert Console(width=80).measure(sheet.to_rich()).maximum <= 80


def test_a_row_with_too_few_cells_is_refused() -> None:
    with pytest.raises(ValueError, match="2 columns"):
        Sheet("Rates", ("who", "kB/s"), [("RR",)])


@pytest.mark.parametrize(
    ("value", "text"),
    [(111.4123, "111.4"), (0.0066912, "0.006691"), (-math.inf, "-inf"), (math.nan, ""), (585.0, "585")],
)
def test_numbers_have_four_digits_that_count(value: float, text: str) -> None:
    assert number(value) == text


def test_a_new_folder_appears_whole(tmp_path: Path) -> None:
    folder = ReportFolder(tmp_path / "new" / "report", "tcp-pf")
    with folder.claimed() as place, folder.filled(place, {"version": "1"}) as inside:
        (inside / "claims.json").write_text("[]")
    assert json.loads((folder.path / "study.json").read_text()) == {
        "study": "tcp-pf",
        "version": "1",
        "files": ["study.json", "claims.json"],
    }
    assert sorted(path.name for path in folder.path.parent.iterdir()) == ["report"]


def test_a_failure_leaves_nothing_behind(tmp_path: Path) -> None:
    folder = ReportFolder(tmp_path / "report", "tcp-pf")
    with pytest.raises(RuntimeError, match="broken"), folder.claimed() as place, folder.filled(place, {}):
        raise RuntimeError("broken")
    assert list(tmp_path.iterdir()) == []


def filled(tmp_path: Path, study: str) -> Path:
    folder = ReportFolder(tmp_path / "report", study)
    with folder.claimed() as place, folder.filled(place, {}) as inside:
        (inside / "claims.json").write_text("[]")
    return tmp_path / "report"


def test_results_are_not_replaced_unless_asked(tmp_path: Path) -> None:
    path = filled(tmp_path, "tcp-pf")
    with pytest.raises(ResultExists, match="holds results of the study tcp-pf"):
        ReportFolder(path, "tcp-pf").check_free()
    ReportFolder(path, "tcp-pf", force=True).check_free()
    ReportFolder(path, "tcp-pf").check_free(replaceable=True)
    with pytest.raises(ResultExists):
        ReportFolder(path, "clamp").check_free(replaceable=True)


@pytest.mark.parametrize("name", ["thesis.tex", "result.json"])
def test_other_files_are_never_replaced(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("mine")
    for force in (False, True):
        with pytest.raises(ResultExists, match="other files"):
            ReportFolder(tmp_path, "tcp-pf", force).check_free(replaceable=True)


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "report").write_text("a file")
    with pytest.raises(ResultExists, match="not a folder"):
        ReportFolder(tmp_path / "report", "tcp-pf").check_free()


def test_a_place_that_cannot_be_written_is_seen_beforehand(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    folder = ReportFolder(tmp_path / "file" / "report", "tcp-pf")
    with pytest.raises(ResultError, match=r"file/report can't be written: [^/]*$"), folder.claimed():
        raise AssertionError("nothing to fill")


@pytest.mark.parametrize(("width_in", "wide"), [(3.35, False), (7.0, True)])
def test_a_wide_figure_has_the_width_of_the_page(tmp_path: Path, width_in: float, wide: bool) -> None:
    page = Page("A report", "", [Section("Lines", (), (drawing(width_in),))], [], [])
    text = write_page(page, tmp_path / "report.html").read_text(encoding="utf-8")
    assert ('class="illustration wide"' in text) is wide
    Tags().feed(text)


def test_figures_drawn_beside_other_work_are_the_same_pictures() -> None:
    ahead, alone = [drawing(), drawing()], drawing()
    worker = FigureWorker()
    worker.begin(ahead)
    worker.begin([])
    worker.finish()
    assert [line.png for line in ahead] == [alone.png, alone.png]


def test_a_draft_that_could_not_be_drawn_ahead_is_drawn_when_it_is_asked_for() -> None:
    broken = drawing()
    broken.figure.axes[0].set_xlabel("$\\nonsense$")
    worker = FigureWorker()
    worker.begin([broken])
    worker.finish()
    with pytest.raises(ValueError, match="nonsense"):
        _ = broken.png
