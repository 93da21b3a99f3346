"""The page of fairness: rates over time, coloured by queue, and Jain's index of each window, to zoom into.

Few flows have a line each, as in `airlink.plots.fairness.fairness_figure`, a colour a queue with dashes to tell its
flows apart, or a colour a flow of a single queue; of more, each has a row of colours.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from airlink.plots.cell import NAMED_USERS
from airlink.plots.fairness import FairnessView, parts_differ
from airlink.plots.viewer import Document, Layer, Panel
from airlink.result import Table

SHOWN = {"jain": "all {}s", "within": "within queues", "across": "across queues"}
COLOURS = 7
"""Colours of lines that page.css has."""


def document(view: FairnessView) -> Document:
    """The page as data: the same view gives the same."""
    members = list(view.owners)
    few = len(members) <= NAMED_USERS
    indices = {f"{name}_index": view.index[name] for name in SHOWN}
    tables = {"index": Table({"time_s": _begins(view), **indices})}
    if few:
        times = _begins(view)
        for member, course in zip(view.owners, view.courses, strict=True):
            tables[f"rates_{member}"] = Table({"time_s": times, "goodput_bps": course})
    else:
        tables["rates"] = _rows(view)
    return Document(
        title=f"{view.scenario}: {len(members)} {view.of}" + ("" if len(members) == 1 else "s"),
        summary=summary(view),
        origin=view.origin,
        start_s=view.start_s,
        stop_s=view.stop_s,
        tables={name: table for name, table in tables.items() if table.rows},
        panels=[_lines(view, members) if few else _map(view, members), _indices(view)] if members else [],
    )


def summary(view: FairnessView) -> str:
    """What the panels show, in words and numbers."""
    told = f"From {view.start_s:g} s to {view.stop_s:g} s, in windows of {view.window_s:g} s every {view.step_s:g} s. "
    judged = view.index.where((view.index["members"] > 1) & np.isfinite(view.index["jain"]))
    if judged.rows == 0:
        return told + f"No window had two {view.of}s {_counting(view)}."
    told += f"Jain's index of the {view.of}s there, mean of {judged.rows} windows: {judged['jain'].mean():.3f}"
    if not parts_differ(view.index):
        return told + "."
    return told + f"; within queues {judged['within'].mean():.3f}, across queues {judged['across'].mean():.3f}."


def _counting(view: FairnessView) -> str:
    """What it takes to count, in words."""
    if view.presence == 1:
        return "for all its time"
    return f"for {100 * view.presence:g} % of its time" if view.presence > 0 else "at any time"


def _begins(view: FairnessView) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """From where a step is drawn: half a step before the window's middle."""
    return np.asarray(
        view.index["time_s"] + (view.index["width_s"] - np.minimum(view.step_s, view.index["width_s"])) / 2
    )


def _rows(view: FairnessView) -> Table:
    """All courses below one another: rows are numbered as the members are drawn."""
    members, times = list(view.owners), _begins(view)
    return Table(
        {
            "time_s": np.tile(times, len(members)),
            "row": np.repeat(np.arange(len(members)), times.size),
            view.of: np.repeat(members, times.size),
            "goodput_bps": view.courses.ravel(),
        }
    )


def _lines(view: FairnessView, members: list[int]) -> Panel:
    queues = list(view.owners.values())
    named = view.of != "queue" and len(set(queues)) > 1
    layers = [
        Layer(
            "step",
            f"{view.of} {member}" + (f", queue {view.owners[member]}" if named else ""),
            f"user-{colour % COLOURS}",
            f"rates_{member}",
            low="goodput_bps",
            unit="b/s",
            more={"dash": dash},
        )
        for member, (colour, dash) in zip(members, _looks(queues), strict=True)
    ]
    told = f"Goodput of each {view.of} in windows of {view.window_s:g} s."
    return Panel("rates", "Goodput", told, layers, "tall", "b/s", {"zero": True})


def _looks(queues: list[int]) -> list[tuple[int, int]]:
    """Colour and dashes of each line by number: of one queue a colour a line, of several a colour a queue."""
    kinds = list(dict.fromkeys(queues))
    if len(kinds) == 1:
        return [(place, place) for place in range(len(queues))]
    return [(kinds.index(queue), queues[:place].count(queue)) for place, queue in enumerate(queues)]


def _map(view: FairnessView, members: list[int]) -> Panel:
    own = {"user": "row", "users": len(members), "lasts": view.step_s, "logarithmic": False}
    own |= {"zeros": "there, got nothing", "blank": "not there"}
    details = ((view.of, view.of, ""), ("rate", "goodput_bps", "b/s"))
    layer = Layer("heat", "rate", "sent", "rates", low="goodput_bps", unit="b/s", details=details, more=own)
    told = f"Goodput: a row a {view.of}, by queue, by colour; the scale stands above."
    rows: dict[str, Any] = {"noun": view.of}
    if members != list(range(len(members))):
        rows |= {"numbers": members}
    if view.of != "queue" and len(set(view.owners.values())) > 1:
        rows |= {"names": [f"{view.of} {member}, queue {queue}" for member, queue in view.owners.items()]}
    fixed = {"fixed": [len(members) - 0.4, -0.6], "whole": True, "rows": rows}
    return Panel("rates", "Goodput", told, (layer,), "tall", "", fixed)


def _indices(view: FairnessView) -> Panel:
    shown = SHOWN if parts_differ(view.index) else {"jain": SHOWN["jain"]}
    layers = [
        Layer("step", name.format(view.of), colour, "index", low=f"{column}_index")
        for (column, name), colour in zip(shown.items(), ("lost", "user-3", "user-4"), strict=False)
    ]
    return Panel("jain", "Jain's index", "Jain's index of each window.", layers, "middle", "", {})
