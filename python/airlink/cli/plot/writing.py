"""The file that a picture goes to: checked and claimed before anything is computed; its ending says what it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from airlink import engine
from airlink.cli.commands import message
from airlink.result.atomic_write import Destination, check_file, claimed
from airlink.result.folder import writing

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PAGE = ".html"
FIGURES = (".pdf", ".png", ".svg")

Out = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Ends in .html (page to zoom in), .pdf, .svg or .png (figure for a paper)."),
]
Column = Annotated[bool, typer.Option("--column", help="A figure as wide as one column of a journal, not both.")]
Theme = Annotated[
    Literal["light", "dark"],
    typer.Option(help="Colours of a figure: for paper, or for dark slides. A page follows the reader's screen."),
]
Origin = Annotated[
    bool,
    typer.Option("--origin/--no-origin", help="In small print at a figure's foot: scenario, seeds and version."),
]
Force = Annotated[bool, typer.Option("--force", help="Replace a file that exists.")]


def place_of(context: typer.Context, default: str, out: Path | None, force: bool) -> Destination:
    """The file to write, this command's alone until it ends; without `out` a page of that name."""
    path = out or Path(f"{default}{PAGE}")
    if path.suffix.lower() not in (PAGE, *FIGURES):
        raise engine.RequestError(f"--out {path}: must end in {', '.join((PAGE, *FIGURES))}")
    place: Destination = context.with_resource(claimed(path, parents=False))
    check_file(path, force)
    return place


@dataclass(frozen=True)
class Look:
    """How a figure looks: as wide as a column or both, its theme, and whether it says where it comes from."""

    column: bool
    theme: Literal["light", "dark"]
    origin: bool


def write(place: Destination, page: Callable[[Path], object], figure: Callable[[], Figure], look: Look) -> None:
    """Writes a page or a figure, as the file's ending says."""
    from airlink.plots.style import save, themed

    with writing(place.asked), themed(look.theme):
        if place.new.suffix.lower() == PAGE:
            page(place.new)
        else:
            save(figure(), place.new)
    place.put()
    message(f"wrote {place.asked}")
