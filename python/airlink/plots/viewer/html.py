"""The page as one HTML file: style, script and data inside it, nothing fetched, nothing that needs a network."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from airlink.plots.viewer.document import Document, Moment
from airlink.plots.viewer.packing import packed, step_of

SCRIPTS = (
    "columns",
    "levels",
    "scales",
    "layers",
    "shares",
    "rows",
    "marks",
    "panels",
    "legend",
    "navigation",
    "readout",
    "moments",
    "theme",
    "main",
)
"""Files of the script, a file per idea, in the order in which they stand in the page."""


def write_document(document: Document, path: Path) -> Path:
    """Writes the page. The same document gives the same bytes."""
    template = _environment().get_template("page.html.j2")
    parts = "\n".join(_without_comments(_asset(f"{name}.js")) for name in SCRIPTS)
    script = f'(() => {{ // airlink/plots/viewer/assets explains it\n"use strict";\n{parts}\n}})();'
    text = template.render(
        document=document, style=f"{colours()}{_asset('page.css')}", script=script, data=_data(document)
    )
    path.write_text(text, encoding="utf-8")
    return path


def colours() -> str:
    """The style sheet of the colours that all pages share, light and dark."""
    return _asset("colours.css")


def _data(document: Document) -> str:
    """The document as JSON that may stand inside HTML."""
    tables = {
        name: {column: packed(values, step_of(column)) for column, values in table.items()}
        for name, table in document.tables.items()
    }
    view = {
        "start": document.start_s,
        "stop": document.stop_s,
        "panels": [panel.as_json() for panel in document.panels],
        "events": _events(document.events, document.event_columns),
        "tables": tables,
    }
    return json.dumps(view, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")


def _events(events: Sequence[Moment], headings: Sequence[str]) -> dict[str, list[Any]]:
    return {
        "time": [moment.time_s for moment in events],
        "rows": [
            {"name": moment.flag, "colour": moment.colour, "lines": _lines(moment, headings)} for moment in events
        ],
    }


def _lines(moment: Moment, headings: Sequence[str]) -> list[str]:
    """The text of an event beside the pointer."""
    told = [f"{heading} {cell}" for heading, cell in zip(headings, moment.cells, strict=True) if cell]
    return [moment.title, f"at {moment.time_s:.6f} s", *told]


def _without_comments(script: str) -> str:
    """A script without the lines that only say why: they stay in the sources."""
    return "\n".join(line for line in script.splitlines() if line.strip() and not line.lstrip().startswith("//"))


def _asset(name: str) -> str:
    return (files("airlink.plots.viewer") / "assets" / name).read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("airlink.plots.viewer", "assets"),
        autoescape=select_autoescape(default=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
