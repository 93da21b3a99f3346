"""The page of a flow: it needs nothing else, holds every event, and draws in a browser what it holds."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import chromium
from airlink.plots.flow import FlowView, words
from airlink.plots.flow.page import events, summary, write_page
from airlink.plots.viewer.packing import packed, step_of, unpacked
from airlink.result import Table
from flow_views import flow_view

WIDTHS = {"a desk": (1280, 900, 1.0), "a phone": (390, 844, 2.0)}
PANELS = ["events", "sequence", "limits", "slots", "snr", "queue", "window", "rtt"]
LONG = (60.0, 20e6, 0.002)  # s, b/s, share lost


@pytest.fixture(scope="module")
def view() -> FlowView:
    return flow_view()


@pytest.fixture(scope="module")
def page(view: FlowView, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_page(view, tmp_path_factory.mktemp("page") / "flow.html")


@pytest.fixture
def opened(browser: chromium.Browser, page: Path) -> chromium.Browser:
    """The page on a desk, with the keyboard's focus on its panels."""
    browser.size(1280, 900)
    browser.open(page)
    browser.value("document.getElementById('viewer').focus({preventScroll: true})")
    return browser


def embedded(page: Path) -> dict[str, Any]:
    """The data inside a page."""
    found = re.search(r'<script type="application/json" id="view">(.*?)</script>', page.read_text("utf-8"), re.DOTALL)
    assert found
    return dict(json.loads(found[1]))


def without_rows(table: Table) -> Table:
    return table.where(np.zeros(table.rows, dtype=bool))


class Tags(HTMLParser):
    """Collects whatever a page could fetch."""

    def __init__(self) -> None:
        super().__init__()
        self.fetched: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.fetched += [f"{tag} {name}={value}" for name, value in attrs if name in {"src", "href", "srcset", "data"}]


class TestTheFile:
    def test_needs_nothing_from_anywhere(self, page: Path) -> None:
        text = page.read_text("utf-8")
        tags = Tags()
        tags.feed(text)
        assert tags.fetched == []
        assert re.findall(r"https?://|@import|url\(|\bfetch\(|XMLHttpRequest|WebSocket", text) == []

    def test_is_the_same_bytes_for_the_same_view(self, view: FlowView, page: Path, tmp_path: Path) -> None:
        assert write_page(view, tmp_path / "again.html").read_bytes() == page.read_bytes()

    def test_holds_every_event_in_data_and_table(self, view: FlowView, page: Path) -> None:
        assert embedded(page)["events"]["time"] == view.events["time_s"].tolist()
        assert len(re.findall(r"<button[^>]* data-event=", page.read_text("utf-8"))) == view.events.rows

    def test_holds_every_row_that_a_layer_draws(self, view: FlowView, page: Path) -> None:
        tables = embedded(page)["tables"]
        assert {name: next(iter(columns.values()))["rows"] for name, columns in tables.items()} == expected_rows(view)

    def test_holds_times_to_the_microsecond_and_bytes_exactly(self, view: FlowView, page: Path) -> None:
        acks = embedded(page)["tables"]["acks"]
        assert unpacked(acks["number"]).tolist() == view.acks["number"].tolist()
        assert np.abs(unpacked(acks["time_s"]) - view.acks["time_s"]).max() <= 0.5e-6 + 1e-12

    def test_shows_names_as_they_are(self, view: FlowView, tmp_path: Path) -> None:
        nasty = replace(view, scenario="</script><b>&")
        text = write_page(nasty, tmp_path / "nasty.html").read_text("utf-8")
        assert "<b>" not in text
        assert text.count("</script>") == 2

    def test_of_a_minute_at_20_mbps_is_small(self, tmp_path: Path) -> None:
        assert write_page(flow_view(*LONG), tmp_path / "long.html").stat().st_size < 8e6

    def test_says_in_words_what_it_shows(self, view: FlowView) -> None:
        text = summary(view)
        assert f"{view.drops.rows} packets lost" in text
        assert "fast retransmit" in text
        assert "Held back by" in text


def expected_rows(view: FlowView) -> dict[str, int]:
    """Rows of each table of the page, counted here anew."""
    segments, acks = view.segments, view.acks
    again, arrived = segments["retransmission"] == 1, segments["fate"] == 0
    rows = {
        "first": int((~again).sum()),
        "again": int(again.sum()),
        "arrived": int(arrived.sum()),
        "out_of_order": int((arrived & (segments["out_of_order"] == 1)).sum()),
        "acks": acks.rows,
        "duplicates": int(acks["duplicate"].sum()),
        "third": int(acks["third"].sum()),
        "sacks": int((view.sacks["duplicate"] == 0).sum()),
        "frame_errors": int(view.slots["error"].sum()),
        **{name: getattr(view, name).rows for name in ("slots", "snr", "queue", "window", "rtt", "rto", "limits")},
    }
    for fate in words.FATES:
        rows[f"lost_{fate}"] = int((segments["fate"] == fate).sum())
        rows[f"dropped_{fate}"] = int((view.drops["fate"] == fate).sum())
    return {name: count for name, count in rows.items() if count}


def test_a_column_comes_back_to_half_a_step() -> None:
    for values in ([], [1.5], [0.1, np.nan, 0.3, np.inf, -0.2], [5.0, 1e15, 0.0]):
        column = np.array(values)
        assert unpacked(packed(column, 1e-6)) == pytest.approx(column, abs=0.51e-6, nan_ok=True)
    assert packed(np.array([0.0, 3e9]), 1.0)["step"] == 0
    assert [step_of(name) for name in ("time_s", "true_db", "rate_bps", "cwnd_bytes", "start")] == [
        1e-6,
        0.01,
        100,
        1,
        1,
    ]


def test_a_cause_has_the_colour_that_it_has_in_the_figure() -> None:
    style = (files("airlink.plots.viewer") / "assets" / "colours.css").read_text("utf-8")
    missing = [
        name for code, (name, colour) in words.CAUSES.items() if f"--cause-{code}: {colour.lower()};" not in style
    ]
    assert missing == []


def test_a_timeout_says_whether_it_was_spurious(view: FlowView) -> None:
    table = Table({"time_s": [2.0, 1.0, 3.0], "event": [3, 3, 2], "sequence": [7, 8, 9], "spurious": [1, 0, -1]})
    told = [(moment.time_s, moment.flag, moment.cells[1]) for moment in events(replace(view, events=table))]
    assert told == [(1.0, "RTO", "needed"), (2.0, "RTO spurious", "spurious"), (3.0, "FR", "")]


@pytest.mark.thorough
@pytest.mark.parametrize("where", WIDTHS)
class TestInABrowser:
    @pytest.fixture(autouse=True)
    def _open(self, browser: chromium.Browser, page: Path, where: str) -> None:
        width, height, pixel = WIDTHS[where]
        browser.complaints.clear()
        browser.fetched.clear()
        browser.size(width, height, pixel, touch=width < 500)
        browser.open(page)

    def test_nothing_is_complained_of_and_nothing_fetched(self, browser: chromium.Browser, page: Path) -> None:
        assert browser.complaints == []
        assert set(browser.fetched) == {page.resolve().as_uri()}

    def test_nothing_is_wider_than_the_window(self, browser: chromium.Browser, where: str) -> None:
        assert browser.value("document.documentElement.scrollWidth") == WIDTHS[where][0]

    def test_every_panel_is_drawn_with_all_that_is_in_it(self, browser: chromium.Browser) -> None:
        browser.value("airlink.redraw(true)")
        assert browser.value("airlink.panels.map((panel) => panel.id)") == PANELS
        for place, name in enumerate(PANELS):
            assert drawn_pixels(browser, place) > 300, name

    def test_what_is_out_of_sight_is_drawn_too_for_a_picture_of_the_whole_page(self, browser: chromium.Browser) -> None:
        plot = "getImageData(p.gutter, 0, p.plotWidth, p.canvas.height).data"
        marked = f"p.ctx.{plot}.some((value, i) => i % 4 === 3 && value > 0)"
        assert browser.value(f"airlink.panels.map((p) => {marked})") == [True] * len(PANELS)
        browser.value("""(() => {
          const last = airlink.panels.at(-1), draw = last.draw.bind(last);
          last.draw = (range, ...rest) => { window.lastDrawn = range.span; draw(range, ...rest); };
          document.getElementById('viewer').focus({ preventScroll: true });
        })()""")
        browser.key("+")
        browser.wait_for("window.lastDrawn === airlink.range.span")

    def test_the_panels_fit_beneath_each_other(self, browser: chromium.Browser) -> None:
        lefts = browser.value("[...new Set(airlink.panels.map((p) => p.canvas.getBoundingClientRect().width))].length")
        assert lefts == 1

    def test_buttons_are_large_enough_for_a_finger(self, browser: chromium.Browser) -> None:
        heights = browser.value("[...document.querySelectorAll('.bar button')].map((b) => b.offsetHeight)")
        assert min(heights) >= 32


def drawn_pixels(browser: chromium.Browser, panel: int) -> int:
    """Pixels of a panel's plot that are neither blank nor the colour of axes and grid."""
    return int(
        browser.value(f"""(() => {{
      const panel = airlink.panels[{panel}];
      const count = () => {{
        const {{ data }} = panel.ctx.getImageData(panel.gutter, 0, panel.plotWidth, panel.canvas.height);
        return data.filter((value, i) => i % 4 === 3 && value > 0).length;
      }};
      const all = new Set(panel.layers.filter((layer) => layer.shown));
      const whole = count();
      for (const layer of all) layer.shown = false;
      const rows = airlink.events.levels.time;
      airlink.events.levels.time = new Float64Array(0);
      airlink.redraw(true);
      const blank = count();
      airlink.events.levels.time = rows;
      for (const layer of all) layer.shown = true;
      airlink.redraw(true);
      return whole - blank;
    }})()""")
    )


def span(browser: chromium.Browser) -> float:
    return float(browser.value("airlink.range.span"))


@pytest.mark.thorough
class TestKeys:
    def test_zoom_in_and_out(self, opened: chromium.Browser) -> None:
        whole = span(opened)
        opened.key("+")
        assert span(opened) == pytest.approx(whole / 1.6)
        opened.key("+")
        opened.key("-")
        assert span(opened) == pytest.approx(whole / 1.6)
        opened.key("0")
        assert span(opened) == whole

    def test_move_to_the_ends_and_stop_there(self, opened: chromium.Browser, view: FlowView) -> None:
        for _ in range(4):
            opened.key("+")
        opened.key("End")
        assert opened.value("airlink.range.to") == view.stop_s
        opened.key("ArrowRight")
        assert opened.value("airlink.range.to") == view.stop_s
        opened.key("ArrowLeft")
        assert opened.value("airlink.range.to") < view.stop_s
        opened.key("Home")
        assert opened.value("airlink.range.from") == view.start_s

    def test_go_from_event_to_event(self, opened: chromium.Browser, view: FlowView) -> None:
        seen = []
        for _ in range(view.events.rows):
            opened.key("n")
            seen.append(opened.value("airlink.cursor.time"))
        assert seen == view.events["time_s"].tolist()
        opened.key("p")
        assert opened.value("airlink.cursor.time") == view.events["time_s"][-2]
        title = words.EVENTS[int(view.events["event"][-2])]
        assert opened.value("document.getElementById('live').textContent.toLowerCase()").startswith(title)

    def test_a_row_of_the_table_shows_its_moment(self, opened: chromium.Browser, view: FlowView) -> None:
        for _ in range(3):
            opened.key("+")
        zoomed = span(opened)
        opened.value("document.querySelector('button[data-event=\"1\"]').click()")
        opened.frame()
        assert opened.value("airlink.cursor.time") == view.events["time_s"][1]
        assert span(opened) == pytest.approx(zoomed)
        assert opened.value("document.getElementById('tooltip').hidden") is False
        opened.key("Escape")
        assert opened.value("document.getElementById('tooltip').hidden") is True

    def test_help_opens_and_closes(self, opened: chromium.Browser) -> None:
        opened.key("?")
        assert opened.value("document.getElementById('help').open") is True
        opened.value("document.getElementById('help').close()")

    def test_the_focus_is_seen(self, opened: chromium.Browser) -> None:
        opened.key("+")
        assert opened.value("getComputedStyle(document.getElementById('viewer')).outlineStyle") == "solid"


@pytest.mark.thorough
class TestPointers:
    def at(self, browser: chromium.Browser, share: float) -> tuple[int, int]:
        """A point of the time-sequence graph at a share of its width."""
        box = browser.value("(({left, top, width, height}) => [left, top, width, height])"
                            "(airlink.panels[1].canvas.getBoundingClientRect())")  # fmt: skip
        gutter = browser.value("airlink.gutter")
        return round(box[0] + gutter + share * (box[2] - gutter)), round(box[1] + box[3] / 2)

    def test_the_wheel_zooms_about_the_pointer(self, opened: chromium.Browser) -> None:
        x, y = self.at(opened, 0.25)
        whole, before = span(opened), opened.value(f"airlink.timeAt({x})")
        opened.mouse("mouseWheel", x, y, deltaX=0, deltaY=-300)
        opened.wait_for(f"airlink.range.span < {whole}")
        assert opened.value(f"airlink.timeAt({x})") == pytest.approx(before)

    def test_dragging_moves_what_is_held(self, opened: chromium.Browser) -> None:
        opened.key("+")
        (x, y), (to, _) = self.at(opened, 0.6), self.at(opened, 0.4)
        held = opened.value(f"airlink.timeAt({x})")
        for kind, where in (("mousePressed", x), ("mouseMoved", to), ("mouseReleased", to)):
            opened.mouse(kind, where, y, button="left", buttons=1, clickCount=1)
        assert opened.value(f"airlink.timeAt({to})") == pytest.approx(held)

    def test_a_drag_with_shift_zooms_to_what_it_chose(self, opened: chromium.Browser) -> None:
        (x, y), (to, _) = self.at(opened, 0.3), self.at(opened, 0.5)
        chosen = [opened.value(f"airlink.timeAt({place})") for place in (x, to)]
        for kind, where in (("mousePressed", x), ("mouseMoved", to), ("mouseReleased", to)):
            opened.mouse(kind, where, y, button="left", buttons=1, clickCount=1, modifiers=8)
        assert opened.value("[airlink.range.from, airlink.range.to]") == pytest.approx(chosen)

    def test_a_double_click_zooms_in(self, opened: chromium.Browser) -> None:
        whole = span(opened)
        x, y = self.at(opened, 0.3)
        for count in (1, 2):
            for kind in ("mousePressed", "mouseReleased"):
                opened.mouse(kind, x, y, button="left", buttons=1, clickCount=count)
        assert span(opened) == pytest.approx(0.4 * whole)

    def test_two_fingers_zoom(self, opened: chromium.Browser) -> None:
        whole = span(opened)
        (a, y), (b, _) = self.at(opened, 0.4), self.at(opened, 0.6)
        for kind, left, right in (("touchStart", a, b), ("touchMove", a - 60, b + 60), ("touchEnd", 0, 0)):
            points = [] if kind == "touchEnd" else [{"x": left, "y": y, "id": 1}, {"x": right, "y": y, "id": 2}]
            opened.call("Input.dispatchTouchEvent", type=kind, touchPoints=points)
        assert span(opened) < whole / 1.2

    def test_values_at_the_pointer_stand_in_the_legends(self, opened: chromium.Browser) -> None:
        x, y = self.at(opened, 0.5)
        opened.mouse("mouseMoved", x, y)
        opened.wait_for("document.querySelector('#panel-window .value').textContent !== ''")
        assert opened.value("document.querySelector('#panel-queue .value').textContent").isdigit()


@pytest.mark.thorough
class TestMarks:
    """Every event, retransmission, third duplicate, arrival out of order and loss is drawn, at every zoom."""

    def totals(self, view: FlowView) -> dict[str, int]:
        rows = expected_rows(view)
        marks = {"retransmission": "again", "third duplicate": "third", "out of order": "out_of_order"}
        told = {name: rows[table] for name, table in marks.items()}
        told |= {f"queue: {words.FATES[fate]}": rows[f"dropped_{fate}"] for fate in words.FATES}
        told |= {words.FATES[fate]: rows[f"lost_{fate}"] for fate in words.FATES}
        return told | {"events": view.events.rows}

    @pytest.mark.parametrize("parts", [1, 3, 16, 128, 1024])
    def test_are_all_drawn_whatever_part_is_in_view(self, opened: chromium.Browser, view: FlowView, parts: int) -> None:
        counts = opened.value(f"""(() => {{
          const sums = {{}};
          const add = (name, count) => (sums[name] = (sums[name] || 0) + count);
          const {{ start, stop }} = airlink.range;
          for (let part = 0; part < {parts}; part++) {{
            Object.assign(airlink.range, {{
              from: start + (stop - start) * part / {parts}, to: start + (stop - start) * (part + 1) / {parts} }});
            for (const id of ["sequence", "queue"]) {{
              const panel = airlink.panels.find((each) => each.id === id);
              panel.draw(airlink.range, airlink.events, (name) => airlink.colour(name));
              for (const [name, count] of Object.entries(panel.drawn))
                if (id === "sequence") add(name, count); else if (name !== "events") add("queue: " + name, count);
            }}
          }}
          return sums;
        }})()""")
        assert counts == self.totals(view)

    @pytest.mark.parametrize("name", ["retransmission", "third duplicate", "out of order", "queue full"])
    def test_have_pixels_where_they_are(self, opened: chromium.Browser, name: str) -> None:
        missing = opened.value(f"""(() => {{
          const panel = airlink.panels[1];
          for (const layer of panel.layers) layer.shown = layer.name === {json.dumps(name)};
          airlink.redraw(true);
          const [layer] = panel.layers.filter((each) => each.shown);
          const {{ time, high: [value] }} = layer.levels;
          const scale = panel.plotWidth / airlink.range.span;
          return Array.from(time).filter((at, i) => {{
            const x = panel.gutter + Math.floor((at - airlink.range.from) * scale), y = Math.round(panel.y(value[i]));
            const {{ data }} = panel.ctx.getImageData(x - 6, y - 12, 13, 25);
            return !data.some((part, j) => j % 4 === 3 && part > 100);
          }}).length;
        }})()""")
        assert missing == 0


def test_one_sample_in_a_hundred_thousand_is_seen(browser: chromium.Browser, view: FlowView, tmp_path: Path) -> None:
    """What decimation must not do: leave out the one long queue among samples that share its column of pixels."""
    times = np.linspace(0, 6, 100_000, endpoint=False)
    packets = np.ones(times.size)
    packets[61_803] = 500
    queue = Table({"time_s": times, "packets": packets, "bytes": packets * 1500})
    browser.size(1280, 900)
    browser.open(write_page(replace(view, queue=queue), tmp_path / "spike.html"))
    browser.value("airlink.redraw(true)")
    assert (
        browser.value("""(() => {
      const panel = airlink.panels.find((each) => each.id === "queue");
      const x = panel.gutter + Math.floor(6 * 0.61803 * panel.plotWidth / 6);
      const height = Math.round(panel.y(10) - panel.y(490));
      const { data } = panel.ctx.getImageData(x, Math.round(panel.y(490)), 1, height);
      return data.filter((part, i) => i % 4 === 3 && part === 255).length / height;
    })()""")
        == 1
    )


def test_a_flow_without_radio_losses_or_events_is_drawn_too(
    browser: chromium.Browser, view: FlowView, tmp_path: Path
) -> None:
    empty: dict[str, Any] = {
        name: without_rows(getattr(view, name)) for name in ("slots", "snr", "drops", "events", "limits", "sacks")
    }
    browser.complaints.clear()
    browser.size(1280, 900)
    browser.open(write_page(replace(view, **empty), tmp_path / "plain.html"))
    assert browser.value("airlink.panels.map((panel) => panel.id)") == ["sequence", "queue", "window", "rtt"]
    nothing: dict[str, Any] = {
        field: without_rows(value) for field, value in vars(view).items() if isinstance(value, Table)
    }
    browser.open(write_page(replace(view, **nothing), tmp_path / "nothing.html"))
    assert browser.value("airlink.panels.map((panel) => panel.id)") == ["sequence"]
    assert browser.complaints == []


PAPER = "getComputedStyle(document.body).backgroundColor + airlink.colour('sent')"
LIGHT, NIGHT = "rgb(255, 255, 255)#0072b2", "rgb(20, 23, 27)#5cb8ee"


def test_a_button_and_a_key_turn_light_into_dark_whatever_the_system_asks(opened: chromium.Browser) -> None:
    opened.value("document.querySelector('[data-key=t]').click()")
    assert opened.value(PAPER) == NIGHT
    assert opened.value("document.getElementById('live').textContent") == "dark colours"
    opened.key("t")
    assert opened.value(PAPER) == LIGHT
    opened.dark(True)
    opened.frame()
    assert opened.value(PAPER) == LIGHT
    opened.dark(False)


def test_on_paper_a_dark_page_is_light_and_as_wide_as_paper(opened: chromium.Browser) -> None:
    opened.value("document.querySelector('[data-key=t]').click()")
    opened.value("""(() => { const draw = airlink.panels[1].draw.bind(airlink.panels[1]);
      window.inks = [];
      airlink.panels[1].draw = (...all) => {
        inks.push([airlink.colour('ink'), airlink.panels[1].canvas.width]);
        draw(...all);
      }; })()""")
    screen = opened.value("airlink.panels[1].canvas.width")
    opened.call("Page.printToPDF")
    opened.wait_for(f"window.inks.length && window.inks.at(-1).join() === '#e8ebee,{screen}'")
    assert ["#1b1f24", 2 * 16 * 42] in opened.value("window.inks")


def test_a_step_of_the_cursor_says_the_values_there(opened: chromium.Browser) -> None:
    opened.key("ArrowRight", shift=True)
    told = opened.value("document.getElementById('live').textContent")
    for said in ("\u202fs. ", "Time-sequence graph: ", "Limited by: limited by ", "Queue: packets ", "cwnd ", "srtt "):
        assert said in told


def test_a_layer_that_is_hidden_keeps_a_name_to_read(opened: chromium.Browser) -> None:
    hidden = "document.querySelector('.key[aria-pressed=false]')"
    assert opened.value(f"getComputedStyle({hidden}).opacity") == "1"
    assert opened.value(f"getComputedStyle({hidden}).textDecorationLine") == "line-through"


def test_dark_colours_are_used_where_they_are_asked_for(opened: chromium.Browser) -> None:
    light = opened.value(PAPER)
    opened.dark(True)
    opened.frame()
    dark = opened.value(PAPER)
    opened.dark(False)
    assert (light, dark) == (LIGHT, NIGHT)
