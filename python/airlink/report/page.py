"""One HTML file that needs nothing else: figures inside as data, no font, style or script from a network.

A page without charts has one script, of a few lines: its buttons copy a text, and claims open for the printer.
Where no script runs, there are no buttons.
"""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from matplotlib.figure import Figure

from airlink.plots.charts import Chart, figure, live
from airlink.plots.picture import DOTS_PER_INCH, write
from airlink.plots.viewer.html import colours
from airlink.report.claims import Claim, tally
from airlink.report.finding import Finding
from airlink.report.paper import Paper
from airlink.report.tables import Sheet, claims_sheet

PNG_EFFORT = 3
"""Of zlib, 0..9; its default, 6, takes half as long again to save a tenth."""
BREAKS = re.compile(r"(_|(?<=\S)\(|\.(?=[A-Za-z]))(?=\w{3})")
WHOLE = re.compile(r"\S+ ± \S+|\[[^\]]*\]|\S+ %")
WIDE_IN = 5.0
"""A figure that is wider takes the whole width of the page; others stand two in a row."""

COLOURS = {True: "holds", False: "fails", None: "open"}
"""Class of a claim's row, by `Claim.holds`."""


@dataclass(frozen=True)
class Illustration:
    """A figure with its words.

    Attributes
    ----------
    name : file name without ending, e.g. "fig4".
    caption : a sentence or two below the figure.
    figure : drawn by matplotlib.
    alternative : text for readers who cannot see the figure.
    interactive : writes the same data as a page to zoom into, to the path it is given; None when there is none.
    """

    name: str
    caption: str
    figure: Figure
    alternative: str
    interactive: Callable[[Path], object] | None = None

    @property
    def label(self) -> str:
        """What a sentence calls it: "Fig. 4" of `fig4-delay`.

        >>> [Illustration(name, "", Figure(), "").label for name in ("fig4-delay", "fig6a-x", "map-jain")]
        ['Fig. 4', 'Fig. 6a', 'The figure map-jain']
        """
        first = self.name.split("-")[0].removeprefix("fig")
        return f"Fig. {first}" if first[:1].isdigit() else f"The figure {self.name}"

    @property
    def wide(self) -> bool:
        """Whether its words would be too small in half a page."""
        return bool(self.figure.get_figwidth() > WIDE_IN)

    @cached_property
    def png(self) -> bytes:
        """The figure as pixels."""
        return _written(self.figure, "png", dpi=DOTS_PER_INCH, pil_kwargs={"compress_level": PNG_EFFORT})

    def take(self, png: bytes) -> None:
        """Takes the pixels that another process has drawn of it."""
        self.__dict__["png"] = png

    def url(self, draft: bool = False) -> str:
        """The figure inside a URL: as SVG, as a draft the pixels that are saved as well."""
        if draft:
            return "data:image/png;base64," + base64.b64encode(self.png).decode("ascii")
        return svg_url(self.figure)

    def save(self, folder: Path, draft: bool = False) -> list[Path]:
        """Writes NAME.pdf (but for a draft) and NAME.png, and NAME.html if there is a page to zoom into."""
        folder.mkdir(parents=True, exist_ok=True)
        paths = [] if draft else [folder / f"{self.name}.pdf"]
        for path in paths:
            path.write_bytes(_written(self.figure, "pdf"))
        paths.append(folder / f"{self.name}.png")
        paths[-1].write_bytes(self.png)
        if self.interactive is not None:
            paths.append(folder / f"{self.name}.html")
            self.interactive(paths[-1])
        return paths


@dataclass(frozen=True)
class Folded:
    """A long text that is folded away until it is asked for: a title, the text as it is, a sentence before it."""

    title: str
    text: str
    note: str = ""


@dataclass(frozen=True)
class Section:
    """A part of the page: heading, paragraphs (plain text), then its parts: tables, pictures, folded texts."""

    heading: str
    paragraphs: Sequence[str] = ()
    parts: Sequence[Sheet | Illustration | Chart | Folded] = ()

    @property
    def anchor(self) -> str:
        """Name of the section in links."""
        return "".join(letter if letter.isalnum() else "-" for letter in self.heading.lower()).strip("-")


@dataclass(frozen=True)
class Page:
    """A report.

    Attributes
    ----------
    title, lead : heading, and the question in a sentence or two. The title of a study's report is its paper's.
    sections : the body.
    claims : all claims: a line that counts them, and a folded table, after the tables of the first section.
    headlines : what was found, a sentence each; the page begins with them.
    notice : what a reader must know before anything else (a quick run), above them; empty: nothing.
    facts : (name, value) pairs: version, seeds, profile, how to run it again.
    draft : figures as pixels, each drawn once: drawing takes longer than a short campaign.
    paper : that is reproduced; None: the page is about nobody's paper.
    best : a part of a section, shown beside the findings in its place.
    depends : what the findings depend on, a sentence or a few each.
    methods : a paragraph to paste.
    bibtex : entries to paste.
    """

    title: str
    lead: str
    sections: Sequence[Section]
    claims: Sequence[Claim] = ()
    facts: Sequence[tuple[str, str]] = ()
    draft: bool = False
    headlines: Sequence[str | Finding] = ()
    notice: str = ""
    paper: Paper | None = None
    best: Illustration | Chart | None = None
    depends: Sequence[str] = ()
    methods: str = ""
    bibtex: str = ""

    @property
    def findings(self) -> list[Finding]:
        """The headlines, each with its verdict if it has one."""
        return [each if isinstance(each, Finding) else Finding(each) for each in self.headlines]

    @property
    def best_is_wide(self) -> bool:
        """Whether the best figure needs the whole width."""
        return isinstance(self.best, Illustration) and self.best.wide

    @property
    def charts(self) -> list[Chart]:
        """Those that a script draws; where none runs, and on paper, they are pictures."""
        return [part for section in self.sections for part in section.parts if isinstance(part, Chart)]


def svg_url(drawn: Figure) -> str:
    """A figure as SVG inside a URL."""
    return "data:image/svg+xml;base64," + base64.b64encode(_written(drawn, "svg")).decode("ascii")


def _written(figure: Figure, kind: str, **options: Any) -> bytes:
    """A figure as a file; the same figure gives the same bytes."""
    content = io.BytesIO()
    _lay_out(figure)
    write(figure, content, kind, **options)
    return content.getvalue()


def _lay_out(figure: Figure) -> None:
    """Places its panels, once: matplotlib would draw twice, and place them anew, for each file that is written."""
    engine = figure.get_layout_engine()
    if engine is not None:
        engine.execute(figure)
        figure.set_layout_engine(None)


def write_page(page: Page, path: Path) -> Path:
    """Writes the report as one self-contained HTML file."""
    template = _environment().get_template("page.html.j2")
    sheet = claims_sheet(page.claims, "Claims")
    text = template.render(
        page=page,
        claims=page.claims,
        sheet=sheet,
        tally=tally(page.claims),
        live=live,
        style=f"{live.style() if page.charts else colours()}\n{_asset('page.css')}",
        script=_asset("page.js"),
    )
    path.write_text(text, encoding="utf-8")
    return path


def _asset(name: str) -> str:
    return (files("airlink.report") / "templates" / name).read_text(encoding="utf-8").strip()


def breakable(text: str) -> str:
    """A text of HTML that may go on in the next line after an underscore, a dot or a bracket.

    An interval stays in one line.

    >>> breakable("users.p05(goodput_bps) &lt; 1.5")
    'users.<wbr>p05(<wbr>goodput_<wbr>bps) &lt; 1.5'
    >>> breakable("3 [1, 4]") == "3 [1,\N{NO-BREAK SPACE}4]"
    True
    """
    text = WHOLE.sub(lambda found: found[0].replace(" ", "\N{NO-BREAK SPACE}"), str(text))
    return BREAKS.sub(r"\1<wbr>", text)


def _is(kind: type, part: object) -> bool:
    return isinstance(part, kind)


KINDS = {"sheet": Sheet, "illustration": Illustration, "chart": Chart, "folded": Folded}
"""Parts of a section, by what the template calls them."""


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("airlink.report"),
        autoescape=select_autoescape(default=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    for name, kind in KINDS.items():
        environment.tests[name] = partial(_is, kind)  # type: ignore[assignment]
    environment.globals["colours"] = COLOURS
    environment.filters["breakable"] = breakable
    environment.filters["still"] = lambda chart: svg_url(figure(chart, column=True))
    return environment
