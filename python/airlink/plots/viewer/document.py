"""What a page shows, as data: tables of columns, panels of layers over them, and moments that are never left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from airlink.result import Table

Kind = Literal["spans", "step", "line", "bars", "dots", "ticks", "marks", "shares", "raster", "heat"]
Glyph = Literal["R", "3", "O", "C", "E", "cross", "plus", "star", "box", "ring", "diamond"]
Size = Literal["tall", "middle", "low", "strip", "flags"]


@dataclass(frozen=True)
class Layer:
    """One thing drawn in a panel.

    Attributes
    ----------
    kind : how: vertical bars of bytes, a step that holds, a line, bars from zero, dots, short strokes across, marks
        (each one drawn at every zoom), shares of time by cause, a row a user of slots or of a value in bins.
    name : in the legend.
    colour : name of a colour of colours.css.
    table, time, low, high : the table and its columns; a single value is low and high both.
    unit : "B", "s", "b/s", "dB" or none.
    glyph : of a mark.
    details : (label, column, unit) shown beside the pointer.
    more : what single kinds need beside: thick, faint, soft, filled, below, lasts, kinds, user, users,
        logarithmic, shown; dash (a step's number: each fourth has the same dashes), zeros (what zero means; it is
        grey), blank (what it means that there is no colour).
    """

    kind: Kind
    name: str
    colour: str
    table: str
    time: str = "time_s"
    low: str = ""
    high: str = ""
    unit: str = ""
    glyph: Glyph | None = None
    details: Sequence[tuple[str, str, str]] = ()
    more: Mapping[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """As the page's script reads it."""
        low = self.low or self.high or self.time
        own: dict[str, Any] = {
            "kind": self.kind,
            "name": self.name,
            "colour": self.colour,
            "table": self.table,
            "time": self.time,
        }
        own |= {"low": low, "high": self.high or low, "unit": self.unit}
        if self.glyph:
            own["glyph"] = self.glyph
        if self.details:
            own["details"] = [list(detail) for detail in self.details]
        return own | dict(self.more)


@dataclass(frozen=True)
class Panel:
    """Layers over one axis of values.

    Attributes
    ----------
    name : short, for the element's id.
    title : above the panel.
    alternative : text for readers who cannot see the panel.
    layers : drawn in this order.
    size : height; "strip" and "flags" have no axis of values.
    unit : of the axis.
    more : zero (the axis begins there), whole (only whole ticks), fixed (low, high), scale ("log"), rows (what a row
        is: noun, numbers if they are not 0, 1, 2, ..., names in full for the pointer).
    """

    name: str
    title: str
    alternative: str
    layers: Sequence[Layer]
    size: Size = "low"
    unit: str = ""
    more: Mapping[str, Any] = field(default_factory=dict)

    def with_data(self, tables: Mapping[str, Table]) -> Panel:
        """The panel without layers that have no table."""
        return replace(self, layers=[layer for layer in self.layers if layer.table in tables])

    def as_json(self) -> dict[str, Any]:
        """As the page's script reads it."""
        own = {
            "id": self.name,
            "title": self.title,
            "unit": self.unit,
            "layers": [each.as_json() for each in self.layers],
        }
        own["scale"] = self.size if self.size in {"strip", "flags"} else "linear"
        return own | dict(self.more)


@dataclass(frozen=True)
class Moment:
    """An event: a line down every panel, a flag with its name, a row of the table.

    Attributes
    ----------
    time_s : when.
    flag : short name.
    title : in full.
    colour : name of a colour of colours.css.
    cells : of the table of events, after time and title.
    """

    time_s: float
    flag: str
    title: str
    colour: str
    cells: Sequence[str] = ()


@dataclass(frozen=True)
class Document:
    """A page.

    Attributes
    ----------
    title, summary, origin : heading, what can be said in a few sentences, where the data come from.
    start_s, stop_s : what is shown.
    tables : name -> columns, each sorted by the times that its layers use.
    panels : from top to bottom.
    events : in order of time.
    event_columns : headings of their `cells`.
    """

    title: str
    summary: str
    origin: str
    start_s: float
    stop_s: float
    tables: Mapping[str, Table]
    panels: Sequence[Panel]
    events: Sequence[Moment] = ()
    event_columns: Sequence[str] = ()
