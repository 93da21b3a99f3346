"""axe-core finds no serious fault in any kind of page, light and dark, at a desk and on a phone."""

from __future__ import annotations

from pathlib import Path

import pytest

import axe
import chromium
from page_kinds import LOOKS, STUDIES, Written, of_looks, of_site, site_page


def grave_faults(browser: chromium.Browser, page: Path, look: str, query: str = "") -> list[str]:
    """What is serious or critical in a page that is looked at in a certain way."""
    browser.look(*LOOKS[look])
    browser.visit(page, query)
    return axe.faults(browser)


@pytest.mark.parametrize(("kind", "look"), of_looks())
def test_a_page_has_no_serious_fault(browser: chromium.Browser, pages: Written, kind: str, look: str) -> None:
    assert grave_faults(browser, pages.page(kind), look) == []


@pytest.mark.parametrize(("kind", "look", "largest"), of_site())
def test_a_page_of_the_site_has_none(browser: chromium.Browser, kind: str, look: str, largest: bool) -> None:
    page = site_page(kind, largest)
    assert grave_faults(browser, page, look, "?q=scheduler" if kind == "search" else "") == []


@pytest.mark.validate
@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("study", STUDIES)
def test_a_whole_quick_report_has_no_serious_fault(
    browser: chromium.Browser, pages: Written, study: str, look: str
) -> None:
    assert grave_faults(browser, pages.page(study), look) == []


@pytest.mark.parametrize("look", ["light at 1280", "dark at 390"])
def test_planted_faults_are_found(browser: chromium.Browser, pages: Written, tmp_path: Path, look: str) -> None:
    """White text on white, and a button without a name, in a page that has no fault without them."""
    text = pages.page("cell of three").read_text("utf-8")
    style = "color: light-dark(#fff, #111); background: light-dark(#fff, #111); color-scheme: light dark"
    planted = f'<main><p id="pale" style="{style}">Nobody can read this.</p><button id="nameless"></button>'
    page = tmp_path / "planted.html"
    page.write_text(text.replace("<main>", planted), encoding="utf-8")
    found = grave_faults(browser, page, look)
    assert ["#pale" in line for line in found if "color-contrast" in line] == [True]
    assert ["#nameless" in line for line in found if "button-name" in line] == [True]
    assert len(found) == 2
