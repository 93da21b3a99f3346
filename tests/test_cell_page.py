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
from airlink.plots.viewer import write_document
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
