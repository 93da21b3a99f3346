"""The page of a cell: one file, a row or a line a user, drawn in a browser as it is held."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import airlink
import chromium
from airlink.plots.cell import NAMED_USERS
from airlink.plots.cell_page import document, summary
from airlink.plots.users import Users
from airlink.plots.viewer import write_document
from airlink.result import Table
from cell_views import cell_view

FEW, MANY = 3, 21
WIDE = airlink.Scenario.from_toml("""
duration_s = 0.2
users = 3
slot.duration_ms = 1
carrier.subchannels = 8
channel.fading = {kind = "tapped_delay_line", profile = "tu6"}
flows = [{traffic.kind = "backlogged", users = [0, 1]}, {users = [2], path.downlink_delay_ms = 50}]
""")


def test_the_same_view_gives_the_same_bytes(tmp_path: Path) -> None:
    pages = [write_document(document(cell_view(MANY)), tmp_path / name).read_bytes() for name in ("a.html", "b.html")]
    assert pages[0] == pages[1]


def test_no_name_becomes_a_part_of_the_page(tmp_path: Path) -> None:
    name = "</script><script>alert(1)</script>"
    users = replace(Users.numbered(FEW), channel=(name,) * FEW)
    view = replace(cell_view(FEW), scenario=name, who=users)
    text = write_document(document(view), tmp_path / "cell.html").read_text("utf-8")
    assert "&lt;script&gt;alert" in text
    assert "\\u003cscript>alert" in text
    assert "<script>alert" not in text


def test_few_users_have_lines_and_many_have_rows() -> None:
    for users in (1, FEW, NAMED_USERS, NAMED_USERS + 1, MANY):
        panels = {panel.name: panel.layers for panel in document(cell_view(users)).panels}
        kinds = {layer.kind for name in ("rates", "delays") for layer in panels[name]}
        assert kinds == ({"step"} if users <= NAMED_USERS else {"heat"})
        assert len(panels["rates"]) == (users if users <= NAMED_USERS else 1)


def test_several_subchannels_have_shares_of_the_band() -> None:
    for users in (FEW, MANY):
        view = cell_view(users, subchannels=50)
        panels = {panel.name: panel.layers for panel in document(view).panels}
        assert list(panels) == ["slots", "band", "rates", "delays"]
        assert len(panels["band"]) == (users if users <= NAMED_USERS else 1)
        assert "2000 slots given, shared by users who won" in summary(view).replace("\u202f", "")


def test_the_shares_of_a_run_are_the_subchannels_won() -> None:
    result = airlink.run(WIDE)
    view = airlink.plots.cell_view(result, bin_s=0.03)
    bins = view.band["percent"].reshape(3, -1)
    slots = np.array([30] * 6 + [20])
    assert bins @ slots / 100 * 8 == pytest.approx(result.users["subchannels_won"])
    assert (bins.sum(axis=0) <= 100 + 1e-9).all()
    assert airlink.plots.cell_figure(view).axes[1].get_title(loc="left").startswith("share of the subchannels")


def test_of_a_wire_rates_and_delays_are_left() -> None:
    view = cell_view(FEW)
    wired = replace(view, slots=view.slots.where(np.zeros(view.slots.rows, dtype=bool)))
    assert [panel.name for panel in document(wired).panels] == ["rates", "delays"]
    assert "slots given" not in summary(wired)


@pytest.mark.thorough
@pytest.mark.parametrize("users", [FEW, MANY])
@pytest.mark.parametrize(("width", "height"), [(1280, 900), (390, 844)])
class TestInABrowser:
    @pytest.fixture(autouse=True)
    def _open(self, browser: chromium.Browser, tmp_path: Path, users: int, width: int, height: int) -> None:
        browser.complaints.clear()
        browser.size(width, height, touch=width < 500)
        browser.open(write_document(document(cell_view(users, subchannels=50)), tmp_path / "cell.html"))
        browser.value("airlink.redraw(true)")

    def test_every_panel_is_drawn_and_nothing_is_too_wide(self, browser: chromium.Browser, width: int) -> None:
        assert browser.complaints == []
        assert browser.value("document.documentElement.scrollWidth") == width
        shares = browser.value("""airlink.panels.map((panel) => {
          const { data } = panel.ctx.getImageData(panel.gutter + 2, 0, panel.plotWidth, panel.canvas.height);
          return data.filter((part, i) => i % 4 === 3 && part > 0).length / (data.length / 4);
        })""")
        assert len(shares) == 4
        assert min(shares) > 0.02

    def test_every_lost_frame_is_drawn(self, browser: chromium.Browser, users: int) -> None:
        lost = int(cell_view(users).slots["error"].sum())
        assert browser.value("airlink.panels[0].drawn['frame lost']") == lost

    def test_the_pointer_tells_whose_slot_it_is(self, browser: chromium.Browser, users: int) -> None:
        slots = cell_view(users).slots
        user = int(slots["user"][1000])
        x, y = browser.value(f"""(() => {{
          const panel = airlink.panels[0], time = {float(slots["time_s"][1000])} + 0.0025;
          airlink.range.set(time - 0.05, time + 0.05);
          airlink.redraw(true);
          const box = panel.canvas.getBoundingClientRect();
          return [box.left + airlink.xOf(time), box.top + panel.y({user} + 0.3) / airlink.pixel];
        }})()""")
        browser.mouse("mouseMoved", round(x), round(y))
        browser.wait_for("!document.getElementById('tooltip').hidden")
        assert browser.value("document.querySelector('#tooltip b').textContent").startswith(f"user {user}: ")


HEAT = "airlink.panels.find((panel) => panel.id === 'rates').layers[0]"
COLOUR_AT = """(() => {
  airlink.redraw(true);
  const panel = airlink.panels.find(({ id }) => id === 'rates');
  const [x, y] = [panel.gutter + Math.round(PLACE * panel.plotWidth), Math.round(panel.y(ROW))];
  const { data } = panel.ctx.getImageData(x, y, 1, 1);
  return [...data].join();
})()"""


class TestScaleOfColours:
    """What a map of rates says of its colours."""

    @pytest.fixture
    def spiked(self, browser: chromium.Browser, tmp_path: Path) -> chromium.Browser:
        """Rates up to 200 kb/s, but for 50 Mb/s in the first bin of user 4; that of user 5 is empty."""
        view = cell_view(MANY)
        rates = view.rates["delivered_bps"].copy()
        bins = rates.size // MANY
        rates[4 * bins], rates[5 * bins] = 50e6, 0.0
        view = replace(view, rates=Table({**view.rates, "delivered_bps": rates}))
        browser.size(1280, 900)
        browser.open(write_document(document(view), tmp_path / "cell.html"))
        return browser

    def test_is_not_flattened_by_one_bin_and_says_that_more_was_there(self, spiked: chromium.Browser) -> None:
        assert 150e3 < spiked.value(f"{HEAT}.greatest") < 210e3
        told = spiked.value("document.querySelector('#panel-rates .legend').innerText").replace("\u202f", " ")
        assert " ".join(told.split()).startswith("rate 0 ")
        assert "\u2265 200 kb/s" in told
        assert "waited, none delivered" in told

    def test_the_end_of_the_scale_is_the_colour_of_what_is_beyond_it(self, spiked: chromium.Browser) -> None:
        most = spiked.value("airlink.colour('heat-4')")
        pixel = spiked.value(COLOUR_AT.replace("PLACE", "0.02").replace("ROW", "4"))
        assert pixel == ",".join(str(int(most[at : at + 2], 16)) for at in (1, 3, 5)) + ",255"
        empty = spiked.value(COLOUR_AT.replace("PLACE", "0.02").replace("ROW", "5"))
        assert empty == "164,172,181,255"

    def test_its_numbers_have_two_digits_and_no_idle_zeros(self, browser: chromium.Browser, tmp_path: Path) -> None:
        view = cell_view(MANY)
        delay = np.geomspace(0.1, 2.345, view.delays.rows)
        view = replace(view, delays=Table({**view.delays, "mean_s": delay}))
        browser.size(1280, 900)
        browser.open(write_document(document(view), tmp_path / "cell.html"))
        told = browser.value(
            "[...document.querySelectorAll('#panel-delays .key span')].map((each) => each.textContent)"
        )
        assert [text for text in told if text][1:4] == [
            "\u2264\u202f110\u202fms",
            "480\u202fms",
            "\u2265\u202f2.2\u202fs",
        ]

    def test_rows_bear_the_names_of_their_users(self, spiked: chromium.Browser) -> None:
        assert spiked.value("airlink.panels.map((panel) => panel.writes(1)(7))") == ["user 7"] * 3


def test_lines_of_few_users_differ_in_colour_and_dashes() -> None:
    panels = {panel.name: panel.layers for panel in document(cell_view(NAMED_USERS)).panels}
    looks = {(layer.colour, layer.more["dash"]) for layer in panels["rates"]}
    assert len(looks) == len({colour for colour, _ in looks}) == len({dash for _, dash in looks}) == NAMED_USERS


def test_rows_are_in_the_order_of_the_figure_and_say_who_it_is() -> None:
    view = cell_view(MANY)
    turned = tuple(range(MANY))[::-1]
    view = replace(view, who=Users(tuple(f"{user} dB" for user in turned), ("",) * MANY, turned, "mean SNR"))
    page = document(view)
    rows = page.panels[0].more["rows"]
    assert rows["numbers"] == list(turned)
    assert rows["names"][0] == f"user {MANY - 1}: 0 dB"
    for table in ("slots", "frame_errors", "rates", "delays"):
        np.testing.assert_array_equal(page.tables[table]["row"], MANY - 1 - page.tables[table]["user"])
    assert summary(view).endswith("Rows go by mean SNR, best first.")


def test_zero_is_grey_where_it_means_something(browser: chromium.Browser, tmp_path: Path) -> None:
    view = cell_view(MANY)
    rates = view.rates["delivered_bps"].copy()
    bins = rates.size // MANY
    rates[4 * bins], rates[5 * bins] = 0.0, np.nan
    page = document(replace(view, rates=Table({**view.rates, "delivered_bps": rates})))
    panels = [
        replace(panel, layers=[replace(each, more={**each.more, "zeros": "waited"}) for each in panel.layers])
        for panel in page.panels
        if panel.name == "rates"
    ]
    browser.size(1280, 900)
    browser.open(write_document(replace(page, panels=panels), tmp_path / "cell.html"))
    zero, none = (browser.value(COLOUR_AT.replace("PLACE", "0.02").replace("ROW", row)) for row in "45")
    assert zero == "164,172,181,255"
    assert none == "0,0,0,0"
    assert "waited" in browser.value("document.querySelector('#panel-rates .zeros').textContent")
