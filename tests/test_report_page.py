"""The page about results: what it says, that it needs nothing else, and how it looks in a browser and on paper."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest
from typer.testing import CliRunner

import airlink
import chromium
from airlink.campaign.answer import Answer
from airlink.campaign.question import Arm
from airlink.cli import app
from airlink.report import Folded, results_page, write_page
from airlink.result import Estimate
from airlink.scenario import ready
from answers import CELL, DELAY, EDGE, GOODPUT, PAGES, answer, compared, swept

WIDTHS = {"a desk": (1280, 900, 1.0), "a phone": (390, 844, 2.0)}
SWEPT, COMPARED = swept((GOODPUT, EDGE, PAGES)), compared((GOODPUT, DELAY))
SMALL = compared((GOODPUT,), range(1, 5))
CHARTS = 3 + 3 + 2 + 2 + 2 + 2 + 1  # sweep: curves, distributions, trade-offs; comparison: differences, bars, ...


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Stored answers, and results of runs."""
    base = tmp_path_factory.mktemp("results")
    swept((GOODPUT,)).save(base / "tiny-sweep")
    SMALL.save(base / "tiny-compare")
    cell = ready("k3", ["duration_s=2", "users=30"])
    airlink.run(cell, replicas=2).save(base / "runs")
    airlink.run(cell.with_(**{"scheduler.time_constant_slots": 10})).save(base / "one")
    return base


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    answers: dict[str, Answer] = {"tiny-sweep": SWEPT, "tiny-compare": COMPARED}
    return write_page(results_page(answers, {}, "airlink report a b"), tmp_path_factory.mktemp("page") / "report.html")


class Page(HTMLParser):
    """Text and whatever a page could fetch."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.fetched: list[str] = []
        self.ids: list[str] = []
        self.text = ""
        self._silent = False
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._silent = tag in {"script", "style"}
        own = {name: value or "" for name, value in attrs}
        self.ids += [own["id"]] if "id" in own else []
        held = (own[name] for name in ("src", "href", "srcset", "data") if name in own)
        self.fetched += [value for value in held if not value.startswith(("#", "data:image/svg+xml;base64,"))]

    def handle_data(self, data: str) -> None:
        self.text += "" if self._silent else data


class TestWhatItSays:
    def test_the_answer_comes_first(self, page: Path) -> None:
        text = re.sub(r"\s+", " ", Page(page).text)
        best = text.index("The cell's goodput is best with MAX")
        verdict = text.index("proportional_fair is better than round_robin: the cell's goodput +")
        asked = text.index("do time constant and scheduler change in")
        assert asked < text.index("How far are") < best < verdict < text.index("Measures")
        assert "max_rate is equivalent to round_robin" in text
        assert "within 1 %." in text

    def test_it_names_command_seeds_version_warm_up_and_methods(self, page: Path) -> None:
        text = Page(page).text
        for told in (
            SWEPT.command,
            COMPARED.command,
            "1-20",
            "2.0.0",
            "0 s",
            "95 %, Student's t over influences of replicas",
            "uPlot 1.6.32",
        ):
            assert told in text

    def test_it_holds_every_number_and_every_scenario(self, page: Path) -> None:
        text = Page(page).text
        for name in (*SWEPT.question.names.values(), *COMPARED.question.names.values()):
            assert f"{name} in full" in text
        assert text.count("[scheduler]") == len(SWEPT.labels) + len(COMPARED.labels)
        edge = SWEPT.estimates[SWEPT.labels[0], EDGE.text]
        assert f"{edge.mean / 1e3:.0f} [{edge.low / 1e3:.0f}, {edge.high / 1e3:.0f}]" in text

    def test_it_has_a_paragraph_of_methods_and_an_entry_to_paste(self, page: Path) -> None:
        text = re.sub(r"\s+", " ", Page(page).text)
        assert "We simulated 100 runs of 5 settings, 1 s each, with 3 users, slots of 5 ms and TCP " in text
        assert "Each run has a seed (here 1-20)" in text
        assert f"To repeat: {SWEPT.command}." in text
        assert "@software{airlink," in text

    def test_its_first_chart_stands_beside_the_findings_once(self, page: Path) -> None:
        text = page.read_text("utf-8")
        best = results_page({"tiny-sweep": SWEPT, "tiny-compare": COMPARED}, {}).best
        assert best is not None
        head, body = text.split("</header>")
        assert head.count(f'id="chart-{best.name}"') == 1
        assert body.count(f'id="chart-{best.name}"') == 0
        assert f'href="#chart-{best.name}"' in body

    def test_other_measures_are_called_exploratory(self, page: Path) -> None:
        assert "Exploratory: nobody said beforehand" in Page(page).text

    def test_a_number_beyond_what_is_known_is_said(self, tmp_path: Path) -> None:
        one = swept((PAGES,))
        infinite = {**one.estimates, ("kind=max_rate", PAGES.text): Estimate(float("inf"), 1.0, float("inf"), 20)}
        path = write_page(results_page({"s": replace(one, estimates=infinite)}, {}), tmp_path / "page.html")
        assert "worst with MAX: more than is known." in Page(path).text
        beyond = dict.fromkeys(one.estimates, Estimate(float("inf"), 1.0, float("inf"), 20))
        write_page(results_page({"s": replace(one, estimates=beyond)}, {}), tmp_path / "none.html")
        assert "more than is known in every scenario." in Page(tmp_path / "none.html").text

    def test_of_many_scenarios_only_what_has_room_is_in_it(self) -> None:
        values = tuple(range(1, 71))
        arms = {f"users={users}": Arm(CELL, {"users": users}) for users in values}
        page = results_page({"many": answer(arms, (GOODPUT, EDGE), (1, 2), axes={"users": values})}, {})
        assert [chart.name for chart in page.charts] == ["sweep-cell-goodput-bps", "sweep-users-p05-goodput-bps"]
        (scenarios,) = [section for section in page.sections if section.heading == "Scenarios"]
        assert [part.title for part in scenarios.parts if isinstance(part, Folded)] == ["1 user in full"]
        assert "Of 70 scenarios the first is given in full" in scenarios.paragraphs[1]

    def test_of_runs_it_has_users_cell_and_distributions(self, folder: Path) -> None:
        results = {name: airlink.Result.load(folder / name) for name in ("runs", "one")}
        page = results_page({}, results)
        assert [section.heading for section in page.sections] == [
            "Numbers", "Charts", "Distributions", "runs: cell and users", "one: cell and users", "Scenarios",
        ]  # fmt: skip
        drawn = {chart.name for chart in page.charts}
        assert {"cdf-users-goodput_bps", "bars-cell-goodput_bps".replace("_", "-")} <= drawn

    def test_names_in_it_are_shown_as_they_are(self, tmp_path: Path) -> None:
        nasty = "</script><b>&"
        renamed = {nasty if label == "max_rate" else label: arm for label, arm in SMALL.question.arms.items()}

        def of(mapping: Any) -> dict[Any, Any]:
            return {
                nasty if key == "max_rate" else (nasty, key[1]) if key[0] == "max_rate" else key: value
                for key, value in mapping.items()
            }

        parts: dict[str, Any] = {
            name: of(getattr(SMALL, name)) for name in ("seeds", "samples", "estimates", "methods", "differences")
        }
        told = replace(SMALL, question=replace(SMALL.question, arms=renamed), **parts)
        text = write_page(results_page({"x": told}, {}), tmp_path / "nasty.html").read_text("utf-8")
        assert "<b>" not in text
        assert text.count("</script>") == 3  # that of the buttons, the data, that of the charts


class TestTheFile:
    def test_needs_nothing_from_anywhere(self, page: Path) -> None:
        read = Page(page)
        assert read.fetched == []
        text = page.read_text("utf-8")
        assert re.findall(r"@import|url\((?!data:)|\bfetch\(|XMLHttpRequest|WebSocket|importScripts", text) == []

    def test_has_each_id_once_and_no_machine_in_it(self, page: Path) -> None:
        ids = Page(page).ids
        assert len(ids) == len(set(ids))
        assert not re.search(r"/(?:home|root|tmp|Users)/", page.read_text("utf-8"))

    def test_has_a_picture_of_every_chart_for_where_no_script_runs(self, page: Path) -> None:
        text = page.read_text("utf-8")
        assert len(re.findall(r'<figure class="chart"', text)) == CHARTS
        assert len(re.findall(r'<img class="still" src="data:image/svg', text)) == CHARTS

    def test_is_the_same_bytes_for_the_same_answer(self, tmp_path: Path) -> None:
        one, two = (write_page(results_page({"a": SMALL}, {}), tmp_path / name) for name in ("one", "two"))
        assert one.read_bytes() == two.read_bytes()


@pytest.fixture(params=WIDTHS)
def opened(request: pytest.FixtureRequest, browser: chromium.Browser, page: Path) -> Iterator[chromium.Browser]:
    """The page at a desk and on a phone."""
    width, height, pixel = WIDTHS[request.param]
    browser.complaints.clear()
    browser.fetched.clear()
    browser.size(width, height, pixel, touch=width < 500)
    browser.open(page)
    browser.frame()
    yield browser
    browser.dark(False)


class TestInABrowser:
    def test_nothing_is_fetched_or_complained_of(self, opened: chromium.Browser) -> None:
        assert opened.complaints == []
        assert [url for url in opened.fetched if not url.startswith(("file:", "data:"))] == []

    def test_nothing_is_wider_than_the_window(self, opened: chromium.Browser) -> None:
        # On a phone innerWidth grows with what is too wide.
        assert opened.value("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
        wide = """[...document.querySelectorAll('main *')].filter((each) => !each.closest('.scroll, pre, .u-wrap'))
          .filter((each) => each.getBoundingClientRect().right > document.documentElement.clientWidth + 1).length"""
        assert opened.value(wide) == 0

    def test_every_chart_is_drawn_over_its_width(self, opened: chromium.Browser) -> None:
        undrawn = opened.value("""airlink.charts.filter(({ plot }) => {
          const { left, top, width, height } = plot.bbox;
          const { data } = plot.ctx.getImageData(left, top, width, height);
          const painted = data.filter((part, i) => i % 4 === 3 && part > 100).length;
          return painted < 200 || plot.width < 0.85 * Math.min(innerWidth, 520);
        }).map(({ chart }) => chart.id)""")
        assert undrawn == []

    def test_marks_have_pixels_where_they_are(self, opened: chromium.Browser) -> None:
        """The means of the first chart, each with a dot of its colour."""
        missing = opened.value("""(() => {
          const { chart, plot } = airlink.charts[0];
          return chart.series[0].x.filter((x, i) => {
            const at = [plot.valToPos(x, 'x', true), plot.valToPos(chart.series[0].y[i], 'y', true)].map(Math.round);
            const [r, g, b, alpha] = plot.ctx.getImageData(at[0], at[1], 1, 1).data;
            return !(alpha > 200 && b > r + 80);
          }).length;
        })()""")
        assert missing == 0

    @pytest.mark.thorough
    def test_a_name_of_the_legend_hides_its_line(self, opened: chromium.Browser) -> None:
        painted = """(() => { const { plot } = airlink.charts[0];
          return plot.ctx.getImageData(0, 0, plot.ctx.canvas.width, plot.ctx.canvas.height).data
            .filter((part, i) => i % 4 === 3 && part > 0).length; })()"""
        before = opened.value(painted)
        opened.value("document.querySelector('.chart .key').click()")
        opened.frame()
        assert opened.value("document.querySelector('.chart .key').getAttribute('aria-pressed')") == "false"
        assert opened.value(painted) < before

    def test_the_pointer_shows_value_and_interval(self, opened: chromium.Browser) -> None:
        opened.value("airlink.charts[0].plot.root.scrollIntoView({block: 'center'})")
        opened.frame()
        x, y = opened.value("""(() => { const { chart, plot } = airlink.charts[0];
          const frame = plot.over.getBoundingClientRect(), [first] = chart.series;
          return [frame.left + plot.valToPos(first.x[1], 'x'), frame.top + plot.valToPos(first.y[1], 'y')]; })()""")
        opened.mouse("mouseMoved", x, y)
        opened.wait_for("!document.getElementById('tooltip').hidden")
        told = opened.value("document.getElementById('tooltip').innerText")
        estimate = SWEPT.estimates[SWEPT.labels[1], GOODPUT.text]
        low, high = (f"{end / 1e6:.4g}" for end in (estimate.low, estimate.high))
        assert "time constant (slots): 100" in told
        assert f"[{low}, {high}]" in told
        assert opened.value("document.getElementById('tooltip').getBoundingClientRect().right <= innerWidth")

    @pytest.mark.thorough
    def test_dark_is_dark_and_readable(self, opened: chromium.Browser) -> None:
        opened.dark(True)
        opened.frame()
        assert opened.value("getComputedStyle(document.body).backgroundColor") == "rgb(20, 23, 27)"
        ink = opened.value("airlink.charts[0].plot.axes[0].stroke(airlink.charts[0].plot, 0)")
        assert ink == "#e8ebee"


def test_without_a_script_the_pictures_are_seen(browser: chromium.Browser, page: Path) -> None:
    browser.call("Emulation.setScriptExecutionDisabled", value=True)
    try:
        browser.size(390, 844)
        browser.call("Page.navigate", url=page.resolve().as_uri())
        browser.wait_for("document.readyState === 'complete' && document.images.length > 0")
        assert browser.value("[...document.images].every((each) => each.complete && each.offsetWidth > 250)")
        assert browser.value("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    finally:
        browser.call("Emulation.setScriptExecutionDisabled", value=False)


def test_on_paper_the_charts_are_drawn_with_lines(browser: chromium.Browser, page: Path, tmp_path: Path) -> None:
    browser.size(1280, 900)
    browser.open(page)
    browser.call("Emulation.setEmulatedMedia", media="print")
    shown = browser.value("""[...document.querySelectorAll('.chart')].map((each) =>
      ['.still', '.live'].map((name) => getComputedStyle(each.querySelector(name)).display))""")
    browser.call("Emulation.setEmulatedMedia", media="")
    assert shown == [["block", "none"]] * len(shown)
    printed = base64.b64decode(browser.call("Page.printToPDF", paperWidth=8.27, paperHeight=11.69)["data"])
    plain = page.read_text("utf-8")
    pictureless = tmp_path / "without.html"
    pictureless.write_text(re.sub(r'<img class="still"[^>]*>', "", plain), encoding="utf-8")
    browser.open(pictureless)
    without = base64.b64decode(browser.call("Page.printToPDF", paperWidth=8.27, paperHeight=11.69)["data"])
    pages = len(re.findall(rb"/Type /Page\b", printed))
    assert 3 <= pages <= 14
    assert printed.count(b"/Subtype /Image") == without.count(b"/Subtype /Image")
    assert len(printed) > len(without) + 20_000


class Answered:
    """What a command answered."""

    def __init__(self, *arguments: object) -> None:
        words = list(map(str, arguments))
        result = CliRunner().invoke(app, words, env={"COLUMNS": "80", "NO_COLOR": "1", "TERM": "dumb"})
        self.code, self.out, self.err = result.exit_code, result.stdout, result.stderr


@pytest.fixture
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("_elsewhere")
class TestTheCommand:
    def test_writes_a_page_named_after_the_result(self, folder: Path) -> None:
        answered = Answered("report", folder / "tiny-compare")
        assert (answered.code, answered.out, answered.err) == (0, "", "airlink: wrote tiny-compare-report.html\n")
        assert Page(Path("tiny-compare-report.html")).text.count("is better than round_robin") == 1

    def test_takes_options_before_results_and_results_of_both_kinds(self, folder: Path) -> None:
        answered = Answered("report", "--out", "all.html", folder / "tiny-sweep", folder / "one")
        assert answered.code == 0
        assert answered.err.splitlines()[-1] == "airlink: wrote all.html"
        assert "packets not recorded: simulating seed 1 again (2 s)" in answered.err
        text = Page(Path("all.html")).text
        assert "Cell and users" in text
        assert re.search(
            r"Goodput of one run.*Batch means of 20 parts of its time: this realization only", text, re.DOTALL
        )
        assert f"airlink report {folder / 'tiny-sweep'} {folder / 'one'} --out all.html" in text

    def test_fairness_is_still_a_command_of_its_own(self, folder: Path) -> None:
        answered = Answered("report", "fairness", folder / "one")
        assert answered.code == 0
        assert "Jain's index of flows" in answered.out
        assert list(Path().iterdir()) == []

    @pytest.mark.parametrize("name", ["fairness", "page"])
    def test_a_folder_that_is_named_as_a_command_is_told_how_to_be_written(self, folder: Path, name: str) -> None:
        copytree(folder / "tiny-sweep", name)
        refused = f"airlink: {name} is a command of report, and a folder here; write ./{name} for the folder\n"
        for options in ([], ["--out", "page.html"]):
            answered = Answered("report", name, *options)
            assert (answered.code, answered.err) == (2, refused)
        assert Answered("report", f"./{name}", "--out", "page.html").code == 0
        assert Answered("report", name, "--help").code == 0
        assert Answered("report", name, folder / "one", *(["--out", "one.html"] if name == "page" else [])).code == 0

    @pytest.mark.parametrize(
        ("words", "message"),
        [
            ("nowhere", "nowhere holds no result: there is no result.json in it"),
            ("one --out page.pdf", "--out page.pdf: must end in .html"),
            ("one --out taken.html", "taken.html exists; choose another name, or --force to replace it"),
            ("one --wrong", "report page: no such option: --wrong"),
        ],
    )
    def test_what_is_wrong_is_one_sentence_and_leaves_nothing(self, folder: Path, words: str, message: str) -> None:
        Path("taken.html").write_text("mine")
        name, *options = words.split()
        answered = Answered("report", folder / name, *options)
        assert answered.code == 2
        assert message in answered.err
        assert len(answered.err.splitlines()) == 1
        assert [path.read_text() for path in Path().iterdir()] == ["mine"]

    def test_a_page_is_replaced_only_by_force(self, folder: Path) -> None:
        Path("taken.html").write_text("mine")
        assert Answered("report", folder / "one", "--out", "taken.html", "--force").code == 0
        assert Path("taken.html").read_text("utf-8").startswith("<!doctype html>")
