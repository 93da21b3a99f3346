"""The site of docs/: it holds everything, each link in it leads somewhere, it needs no network, and its search finds.

What the generators make is checked without a build. The rest reads target/site, which `make site` builds; without it
these tests are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
import typer

from airlink.cli import app
from airlink.scenario import Scenario, introspection
from airlink_site import command_pages, constants, field_pages, formulas, links, python_pages, tree
from airlink_site.build import BUILT, gather, made
from airlink_site.markdown import headings, slug
from chromium import Browser
from test_themes import contrast

ROOT = Path(__file__).parent.parent
DOCS, SITE = ROOT / "docs", ROOT / "target/site"


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What Sphinx is given."""
    folder = tmp_path_factory.mktemp("site") / "pages"
    gather(folder)
    return folder


@pytest.fixture(scope="module")
def site() -> Path:
    """The site, if it was built after the last change of a page."""
    built = SITE / BUILT
    if not built.is_file():
        pytest.skip("target/site is not there: make site")
    newest = max(path.stat().st_mtime for path in DOCS.rglob("*.md"))
    if built.stat().st_mtime < newest:
        pytest.skip("target/site is older than docs: make site")
    return SITE


def test_every_field_of_a_scenario_has_its_place(pages: Path) -> None:
    written = "".join(path.read_text() for path in (pages / field_pages.FOLDER).glob("*.md"))
    described = re.findall(r"^````\{field\} (.+)$", written, re.MULTILINE)
    fields = {
        field_pages.full_name(path, kind, name)
        for path, kind, section in introspection.sections(Scenario)
        for name in section.model_fields
    }
    assert len(described) == len(fields)
    assert set(described) == fields
    named = (pages / field_pages.FOLDER / f"{field_pages.ALL_FIELDS}.md").read_text()
    assert [name for name in fields if f"<{name}>`" not in named] == []


def test_every_heading_of_the_long_page_of_fields_has_its_place() -> None:
    left_out = {"scenarios", "what-exactly-happens"}
    long = {slug(words) for _, _, words in headings((DOCS / "scenario.md").read_text())}
    assert long - set(field_pages.places()) == left_out


def test_every_command_and_option_has_its_place(pages: Path) -> None:
    written = "".join(path.read_text() for path in (pages / command_pages.FOLDER).glob("*.md"))
    missing = []

    def walk(path: str, command: object) -> None:
        missing.extend([] if f"\n```{{program}} {path}\n" in written else [path])
        for parameter in getattr(command, "params", []):
            if parameter.param_type_name == "option" and not parameter.hidden:
                missing.extend(f"{path} {name}" for name in parameter.opts if f"{name}" not in written)
        for name, below in command_pages.visible(command).items():
            walk(f"{path} {name}", below)

    for name, command in command_pages.visible(typer.main.get_command(app)).items():
        walk(f"airlink {name}", command)
    assert missing == []


def test_every_public_object_has_its_place(pages: Path) -> None:
    missing = []
    for module in python_pages.modules():
        page = (pages / python_pages.FOLDER / f"{module}.rst").read_text()
        for name in map(re.escape, import_module(module).__all__):
            described = rf"^\.\. auto\w+:: {name}$"
            linked = rf"^\* (?:``{name}``|:py:mod:`.*\.{name}`)"
            shown = re.search(f"{described}|{linked}", page, re.MULTILINE)
            missing += [] if shown else [f"{module}.{name}"]
    assert missing == []
    assert {"airlink", "airlink.statistics", "airlink.plots.style"} <= set(python_pages.modules())


def test_every_page_stands_in_the_tree(pages: Path) -> None:
    def below(page: str) -> Iterator[str]:
        yield page
        found = [pages / f"{page}{suffix}" for suffix in (".md", ".rst", ".ipynb")]
        text = next(path for path in found if path.is_file()).read_text()
        for name in tree.pages_below(page, links.for_site(text, page), pages):
            yield from below(name)

    reached = list(below("index"))
    there = {path.relative_to(pages).with_suffix("") for path in pages.rglob("*") if path.suffix in links.PAGE_SUFFIXES}
    assert {str(path) for path in there} - set(reached) == set()
    assert len(reached) == len(set(reached))


def test_the_glossary_has_every_short_form_of_the_notation() -> None:
    notation = (DOCS / "notation.md").read_text().partition("## Symbols")[0]
    short = [word for row in re.findall(r"^\| ([^|]+) \|", notation, re.MULTILINE) for word in row.split(", ")]
    words = " ".join(text for _, level, text in headings((DOCS / "glossary.md").read_text()) if level == 3)
    assert len(short) >= 30
    assert [word for word in short if word not in {"short", "---"} and word not in re.split(r"[ ,]+", words)] == []


def test_every_word_of_the_glossary_is_explained_and_leads_on() -> None:
    text = (DOCS / "glossary.md").read_text()
    entries = re.split(r"^### ", text, flags=re.MULTILINE)[1:]
    assert [entry.splitlines()[0] for entry in entries if not re.search(r"\]\([\w/.-]+\.md\)", entry)] == []
    for part in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        words = [words for _, level, words in headings(part) if level == 3]
        assert words == sorted(words, key=str.lower)


@pytest.mark.parametrize(
    ("link", "page", "leads_to"),
    [
        ("queue.md#codel", "models/README", "queue.md#codel"),
        ("../scenario.md#flowstcp", "models/transport", "../reference/scenario/tcp.md#flowstcp"),
        ("scenario.md", "results", "reference/scenario/index.md"),
        ("../ARCHITECTURE.md", "performance", "reference/project/architecture.md"),
        ("docs/results.md", "reference/project/readme", "../../results.md"),
        ("docs/README.md", "reference/project/readme", "../../index.md"),
        ("references.toml", "notation", "reference/project/references.md"),
        ("../tests/test_site.py", "rules", f"{links.repository()}/blob/main/tests/test_site.py"),
        ("../tests/scripts", "rules", f"{links.repository()}/tree/main/tests/scripts"),
        ("https://example.org/a.md", "rules", "https://example.org/a.md"),
        ("#limits", "models/queue", "#limits"),
    ],
)
def test_a_link_written_for_a_forge_leads_somewhere_on_the_site(link: str, page: str, leads_to: str) -> None:
    assert links.for_site(f"a [b]({link}).\n", page) == f"a [b]({leads_to}).\n"


def test_links_in_blocks_of_code_stay_as_they_are() -> None:
    text = "```md\n[a](scenario.md)\n```\n[a](scenario.md)\n"
    assert links.for_site(text, "results") == "```md\n[a](scenario.md)\n```\n[a](reference/scenario/index.md)\n"


def test_the_sections_of_a_docstring_become_lists() -> None:
    lines = ["Sum.", "", "Parameters", "----------", "a, b : in dB,", "    both.", "", "Returns", "-------", "It."]
    assert list(python_pages.in_sections(lines)) == [
        *["Sum.", "", ".. rubric:: Parameters", "   :class: section", ""],
        *["", "``a``, ``b``", "    in dB,", "    both.", ""],
        *[".. rubric:: Returns", "   :class: section", "", "It."],
    ]


def test_a_constant_has_the_text_below_its_assignment() -> None:
    assert constants.text_of("airlink.store.VARIABLE") != ""
    assert constants.text_of("airlink.store.check") == ""


def test_the_gallery_shows_the_pictures_that_were_made(tmp_path: Path) -> None:
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures/a-light.png").touch()
    shown, missing = (f"```{{image}} pictures/{name}.png\n:alt: x\n```\n" for name in ("a-light", "b-light"))
    assert made(f"# A\n{shown}# B\n{missing}", tmp_path) == f"# A\n{shown}# B\n"


def test_a_formula_becomes_mathml() -> None:
    pytest.importorskip("docutils", reason="docutils is not installed: make site")
    drawn = formulas.mathml(r"\frac{R_i}{A_i}\Big[x\Big]", is_block=False)
    assert drawn.startswith("<math")
    assert "<mfrac>" in drawn


@cache
def parsed(page: Path) -> tuple[frozenset[str], tuple[str, ...]]:
    """Anchors of a page, and what it links to or loads."""
    text = page.read_text()
    anchors = re.findall(r'\s(?:id|name)="([^"]*)"', text)
    return frozenset(anchors), tuple(re.findall(r'\s(?:href|src)="([^"]*)"', text))


def test_every_link_of_the_site_leads_somewhere(site: Path) -> None:
    found = sorted(site.rglob("*.html"))
    dead = []
    for page in found:
        for link in set(parsed(page)[1]):
            parts = urlsplit(link)
            if parts.scheme:
                continue
            target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            anchor = unquote(parts.fragment)
            is_there = target.is_file() and (not anchor or target.suffix != ".html" or anchor in parsed(target)[0])
            dead += [] if is_there else [f"{page.relative_to(site)}: {link}"]
    assert len(found) > 80
    assert dead == []


def test_a_key_an_rfc_and_a_field_lead_to_what_they_name(site: Path) -> None:
    linked = {link for page in sorted(site.glob("models/*.html")) for link in parsed(page)[1]}
    for leads_to in (
        "../reference/project/references.html#reference-klein04",
        "../reference/project/references.html#reference-rfc8289",
        "../reference/scenario/queue.html#field-queue.limit_packets",
    ):
        assert leads_to in linked


def test_the_site_loads_nothing_from_a_network(site: Path) -> None:
    loads = re.compile(r"<(?:script|link|img|source|iframe|audio|video)\b[^>]*=\s*['\"]?(?:https?:)?//[^>]*>")
    fetches = re.compile(r"@import[^;]*//|url\(\s*['\"]?(?:https?:)?//")
    found = [
        f"{path.relative_to(site)}: {match[0]}"
        for path in sorted(site.rglob("*"))
        if path.suffix in {".html", ".css"}
        for match in (loads if path.suffix == ".html" else fetches).finditer(path.read_text())
    ]
    assert found == []


def test_a_wide_table_says_that_it_scrolls_and_can_be_reached(site: Path, browser: Browser) -> None:
    browser.size(390, 844)
    browser.open(site / "results.html")
    box = "[...document.querySelectorAll('.table-wrapper')].find((box) => box.scrollWidth > box.clientWidth + 1)"
    assert browser.value(f"{box}.tabIndex") == 0
    assert "scroll sideways" in browser.value(f"{box}.nextElementSibling.textContent")
    browser.size(2400, 844)
    browser.value("dispatchEvent(new Event('resize'))")
    assert browser.value("document.querySelectorAll('.scroll-hint').length") == 0


@pytest.mark.parametrize(
    ("words", "leads_to"),
    [
        ("bufferbloat", "glossary.html#bufferbloat"),
        ("time constant", "glossary.html#time-constant"),
        ("limit_packets", "reference/scenario/queue.html#field-queue.limit_packets"),
        ("paired_difference", "reference/python/airlink.statistics.html#airlink.statistics.paired_difference"),
    ],
)
def test_the_search_finds_without_a_server(site: Path, browser: Browser, words: str, leads_to: str) -> None:
    address = f"{(site / 'search.html').resolve().as_uri()}?q={words.replace(' ', '+')}"
    browser.call("Page.navigate", url=address)
    browser.wait_for("document.querySelector('#search-results .search-summary')?.textContent.includes('finished')")
    links = "[...document.querySelectorAll('#search-results ul.search li a')].map((link) => link.getAttribute('href'))"
    assert leads_to in browser.value(links)[:8]


def test_code_can_be_read_in_light_and_dark() -> None:
    pytest.importorskip("pygments", reason="pygments is not installed: make site")
    from airlink_site import colours

    for ground, styles in ((colours.LIGHT_GROUND, colours.LIGHT), (colours.DARK_GROUND, colours.DARK)):
        for style in styles.values():
            assert contrast(ground, style.split()[-1]) >= 4.5


def test_light_and_dark_differ(site: Path, browser: Browser) -> None:
    browser.open(site / "index.html")
    ground = "getComputedStyle(document.body).backgroundColor"
    colours = []
    for is_dark in (False, True):
        browser.dark(is_dark)
        browser.frame()
        colours.append(browser.value(ground))
    assert len(set(colours)) == 2
