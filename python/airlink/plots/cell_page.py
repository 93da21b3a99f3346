"""The page of a cell: who got which slot, how much of the band, how fast each user's packets arrived and how late.

Few users have a line each, as in `airlink.plots.cell.cell_figure`; of more, each has a row of colours.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from airlink.plots.cell import NAMED_USERS, CellView
from airlink.plots.losses import LOST
from airlink.plots.viewer import Document, Layer, Panel, Size, counted, grouped
from airlink.result import Table


def document(view: CellView) -> Document:
    """The page of a cell as data: the same view gives the same."""
    idle = view.slots["sent_bytes"] == 0
    tables = {
        "slots": view.slots.where(~idle),
        "idle_slots": view.slots.where(idle),
        "frame_errors": view.slots.where(view.slots["error"] != 0),
        "lost": view.lost if view.recovery else view.lost.where(np.zeros(view.lost.rows, dtype=bool)),
        **_binned(view),
    }
    tables = {name: table for name, table in tables.items() if table.rows}
    return Document(
        title=f"{view.scenario}: {view.users} user" + ("" if view.users == 1 else "s"),
        summary=summary(view),
        origin=view.origin,
        start_s=view.start_s,
        stop_s=view.stop_s,
        tables=tables,
        panels=[panel.with_data(tables) for panel in _panels(view)],
    )


def summary(view: CellView) -> str:
    """What the panels show, in words and counts."""
    told = f"From {view.start_s:g} s to {view.stop_s:g} s, in bins of {view.bin_s:g} s. "
    if view.slots.rows:
        won = np.bincount(view.slots["user"].astype(int), minlength=view.users)
        lost = int(np.count_nonzero(view.slots["error"]))
        told += f"{counted(np.unique(view.slots['time_s']).size, 'slot')} given, "
        told += "shared by users who won " if view.band.rows else ""
        told += f"{grouped(won.min())} to {grouped(won.max())} {'each' if view.band.rows else 'a user'}; "
        told += f"{counted(lost, view.unit_lost)} lost"
        told += (
            f" and sent again by {view.recovery}, {counted(view.lost.rows, 'packet')} for good. "
            if view.recovery
            else ". "
        )
    means = view.rates["delivered_bps"].reshape(view.users, -1).mean(axis=1) / 1e3
    return told + f"Delivered in the mean: {means.min():.4g} to {means.max():.4g} kb/s a user."


def _binned(view: CellView) -> dict[str, Table]:
    """Rates and delays: of few users a table each, of many one for all."""
    binned = {"band": view.band, "rates": view.rates, "delays": view.delays}
    if view.users > NAMED_USERS:
        return binned
    return {
        f"{name}_{user}": table.where(table["user"] == user)
        for name, table in binned.items()
        if table.rows
        for user in range(view.users)
    }


def _panels(view: CellView) -> list[Panel]:
    few = view.users <= NAMED_USERS
    panels = [_slots(view)] if view.slots.rows else []
    names = ("band", "rates", "delays") if view.band.rows else ("rates", "delays")
    return [*panels, *(_lines(view, name) if few else _map(view, name) for name in names)]


def _rows(view: CellView) -> dict[str, Any]:
    """A panel with a row a user, the first on top."""
    return {"fixed": [view.users - 0.4, -0.6], "whole": True, "rows": {"noun": "user"}}


def _slots(view: CellView) -> Panel:
    gaps = np.diff(np.unique(view.slots["time_s"]))
    own = {"user": "user", "users": view.users, "lasts": float(gaps.min()) if gaps.size else view.bin_s}
    details = (("rate", "rate_bps", "b/s"), ("sent", "sent_bytes", "B"))
    layers = [
        Layer("raster", "slot", "sent", "slots", low="rate_bps", details=details, more=own),
        Layer("raster", "nothing sent", "idle", "idle_slots", low="rate_bps", details=details, more=own),
        Layer(
            "marks", view.lost_words, "again" if view.recovery else "bad", "frame_errors", low="user",
            glyph="plus" if view.recovery else "cross", details=(("user", "user", ""),),
        ),
        Layer("marks", LOST, "bad", "lost", low="user", glyph="cross", details=(("user", "user", ""),)),
    ]  # fmt: skip
    told = "Who got which slot: a row a user, with the frames that were lost."
    size: Size = "tall" if view.users > NAMED_USERS else "middle"
    return Panel("slots", "Slots by user", told, layers, size, "", _rows(view))


VALUES = {
    "band": ("percent", "%", "Share of the band", "share"),
    "rates": ("delivered_bps", "b/s", "Delivered rate", "rate"),
    "delays": ("mean_s", "s", "Mean delay in queue and on air", "delay"),
}


def _lines(view: CellView, name: str) -> Panel:
    column, unit, title, _ = VALUES[name]
    layers = [
        Layer("step", f"user {user}", f"user-{user}", f"{name}_{user}", low=column, unit=unit, more={"dash": user})
        for user in range(view.users)
    ]
    scale = {"scale": "log"} if name == "delays" else {"zero": True}
    title += ", log" if name == "delays" else ""
    return Panel(name, title, f"{title} of each user over time.", layers, "middle", unit, scale)


def _map(view: CellView, name: str) -> Panel:
    column, unit, title, word = VALUES[name]
    own = {"user": "user", "users": view.users, "lasts": view.bin_s, "logarithmic": name == "delays"}
    own["blank"] = "none" if name == "band" else "none delivered"
    layer = Layer("heat", word, "sent", name, low=column, unit=unit, details=((word, column, unit),), more=own)
    return Panel(
        name, title, f"{title}: a row a user, by colour; the scale stands above.", (layer,), "tall", "", _rows(view)
    )
