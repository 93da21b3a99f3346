"""The colours of figures: a light theme for paper, a dark one for dark pages.

Drawing code names colours of the light theme only. A picture made while the dark theme holds swaps each of them for its
counterpart as it is drawn, so that a figure function need not know of themes. Colours from outside the theme, such as
those of a colour map, stay as they are.

Left out: sizes and fonts (`airlink.plots.style`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, Literal

import numpy as np
from matplotlib.artist import Artist
from matplotlib.collections import Collection
from matplotlib.colors import ListedColormap, to_rgb, to_rgba
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.text import Annotation, Text

ThemeName = Literal["light", "dark"]
Hue = tuple[float, float, float]
Colour = tuple[float, float, float, float]

AS_DRAWN = "as-drawn"
"""The `gid` of an artist that keeps its colour in every theme, such as a number on a cell of a heat map."""


@dataclass(frozen=True)
class Theme:
    """A background, and colours that are told apart on it.

    Attributes
    ----------
    name : "light" or "dark".
    background : of the figure and its panels.
    text : of words, numbers and axes: contrast 4.5 to 1 with the background, or more.
    blue, vermilion, green, purple, orange, sky, grey : of lines and marks: 3 to 1, or more.
    soft : of remarks in small print: 4.5 to 1, or more.
    light_grey, yellow : of areas only.
    grid : of the lines behind the marks.
    """

    name: ThemeName
    background: str
    text: str
    soft: str
    blue: str
    vermilion: str
    green: str
    purple: str
    orange: str
    sky: str
    grey: str
    light_grey: str
    yellow: str
    grid: str

    @property
    def lines(self) -> tuple[str, ...]:
        """The colours of lines, in the order in which they are given out."""
        return (self.blue, self.vermilion, self.green, self.purple, self.orange, self.sky, self.text)

    @cached_property
    def swaps(self) -> Mapping[Hue, Hue]:
        """Each colour of the light theme -> this theme's, as red, green and blue from 0 to 1."""
        names = [own.name for own in fields(self) if own.name != "name"]
        return {to_rgb(getattr(LIGHT, name)): to_rgb(getattr(self, name)) for name in names}


LIGHT = Theme(
    "light", background="#FFFFFF", text="#000000", soft="#555555", blue="#004ECA", vermilion="#AE301A", green="#0DA966",
    purple="#9E458E", orange="#D38000", sky="#2599EB", grey="#7A7A7A", light_grey="#BDBDBD", yellow="#F0E442",
    grid="#D9D9D9",
)  # fmt: skip
"""Hues of Okabe and Ito, darkened to contrast with paper, and moved apart as seen with deuteranopia and protanopia."""

DARK = Theme(
    "dark", background="#16191D", text="#E8E8E8", soft="#A8AFB8", blue="#4E98EF", vermilion="#DB611C", green="#09D579",
    purple="#DF85BC", orange="#FBBF36", sky="#84DAFF", grey="#8A8A8A", light_grey="#4C525A", yellow="#F2E85C",
    grid="#2F353C",
)  # fmt: skip
"""The same hues for a dark page."""

THEMES: Mapping[str, Theme] = {each.name: each for each in (LIGHT, DARK)}

_CURRENT: ContextVar[Theme] = ContextVar("theme", default=LIGHT)


def theme() -> Theme:
    """The theme of the figures that are made now."""
    return _CURRENT.get()


@contextmanager
def themed(name: ThemeName) -> Iterator[Theme]:
    """Every figure made inside has the theme of this name, in this thread and no other.

    Parameters
    ----------
    name : "light" or "dark".

    Raises
    ------
    ValueError : no such theme.

    Examples
    --------
    >>> from airlink.plots import style
    >>> with style.themed("dark"):
    ...     figure, _ = style.blank()
    >>> figure.theme.name
    'dark'
    """
    if name not in THEMES:
        raise ValueError(f"theme {name!r} is unknown; choose from {', '.join(THEMES)}")
    token = _CURRENT.set(THEMES[name])
    try:
        yield THEMES[name]
    finally:
        _CURRENT.reset(token)


def repaint(figure: Figure, to: Theme) -> None:
    """Swaps the light theme's colours of all that a figure holds; doing so again changes nothing."""
    if to == LIGHT:
        return
    for artist in figure.findobj():
        if artist.get_gid() != AS_DRAWN:
            _repaint(artist, to)


def _repaint(artist: Artist, to: Theme) -> None:
    if isinstance(artist, Line2D):
        for which in ("color", "markerfacecolor", "markeredgecolor"):
            _swap_one(artist, which, to)
    elif isinstance(artist, Patch):
        _swap_one(artist, "facecolor", to)
        _swap_one(artist, "edgecolor", to)
    elif isinstance(artist, Text):
        _swap_one(artist, "color", to)
        box, arrow = artist.get_bbox_patch(), artist.arrow_patch if isinstance(artist, Annotation) else None
        for patch in (box, arrow):
            if patch is not None:
                _repaint(patch, to)
    elif isinstance(artist, Collection | AxesImage):
        _repaint_mapped(artist, to)


def _repaint_mapped(artist: Collection | AxesImage, to: Theme) -> None:
    """Marks that have their colours from a list of them, or each its own."""
    if artist.get_array() is not None and isinstance(artist.get_cmap(), ListedColormap):
        listed = artist.get_cmap()
        swapped = [_swapped(colour, to) for colour in listed.colors]  # type: ignore[attr-defined]
        if swapped != [to_rgba(colour) for colour in listed.colors]:  # type: ignore[attr-defined]
            bad = _swapped(listed.get_bad(), to)
            artist.set_cmap(ListedColormap(swapped, name=listed.name).with_extremes(bad=bad))
    if isinstance(artist, Collection):
        mapped = artist.get_array() is not None
        for which in ("edgecolor",) if mapped else ("facecolor", "edgecolor"):
            held = np.atleast_2d(getattr(artist, f"get_{which}")())
            if held.size:
                getattr(artist, f"set_{which}")([_swapped(each, to) for each in held])


def _swap_one(artist: Artist, which: str, to: Theme) -> None:
    held = getattr(artist, f"get_{which}")()
    swapped = _swapped(held, to)
    if swapped != to_rgba(held):
        getattr(artist, f"set_{which}")(swapped)


def _swapped(colour: Any, to: Theme) -> Colour:
    """The counterpart of a colour, as opaque as it is; what can't be seen stays as it is."""
    red, green, blue, alpha = to_rgba(colour)
    if alpha > 0:
        red, green, blue = to.swaps.get((red, green, blue), (red, green, blue))
    return red, green, blue, alpha
