"""The page of a cell: who got which slot, how much of the band, how fast each user's packets arrived and how late.

Few users have a line each, as in `airlink.plots.cell_figure`; of more, each has a row of colours, in the order of the
figure's.
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
    tables = {name: _with_rows(view, table) for name, table in tables.items() if table.rows}
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
            f" and retransmitted by {view.recovery}, {counted(view.lost.rows, 'packet')} for good. "
            if view.recovery
            else ". "
        )
    means = view.rates["delivered_bps"].reshape(view.users, -1).mean(axis=1) / 1e3
    told += f"Delivered in the mean: {means.min():.4g} to {means.max():.4g} kb/s a user."
    return told + (f" Rows go by {view.who.by}, best first." if view.who.by else "")


def _with_rows(view: CellView, table: Table) -> Table:
    """The table with the row of each user."""
    return Table({**table, "row": np.argsort(view.who.order)[table["user"].astype(np.int64)]})


def _binned(view: CellView) -> dict[str, Table]:
    """Rates and delays: of few users a table each, of many one for all."""
    waited = (view.rates["delivered_bps"] > 0) | view.outcomes["waiting"]
    rates = np.where(waited, view.rates["delivered_bps"], np.nan)
    binned = {"band": view.band, "rates": Table({**view.rates, "delivered_bps": rates}), "delays": view.delays}
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
    rows: dict[str, Any] = {"noun": "user"}
    if view.who.by:
        rows |= {"numbers": list(view.who.order), "names": [view.who.name(user) for user in view.who.order]}
    return {"fixed": [view.users - 0.4, -0.6], "whole": True, "rows": rows}


def _slots(view: CellView) -> Panel:
    gaps = np.diff(np.unique(view.slots["time_s"]))
    own = {"user": "row", "users": view.users, "lasts": float(gaps.min()) if gaps.size else view.bin_s}
    details = (("rate", "rate_bps", "b/s"), ("sent", "sent_bytes", "B"))
    layers = [
        Layer("raster", "slot", "sent", "slots", low="rate_bps", details=details, more=own),
        Layer("raster", "nothing sent", "idle", "idle_slots", low="rate_bps", details=details, more=own),
        Layer(
            "marks", view.lost_words, "again" if view.recovery else "bad", "frame_errors", low="row",
            glyph="plus" if view.recovery else "cross", details=(("user", "user", ""),),
        ),
        Layer("marks", LOST, "bad", "lost", low="row", glyph="cross", details=(("user", "user", ""),)),
    ]  # fmt: skip
    told = "Who got which slot: a row a user, with the frames that were lost."
    size: Size = "tall" if view.users > NAMED_USERS else "middle"
    return Panel("slots", "Slots by user", told, layers, size, "", _rows(view))


VALUES = {
    "band": ("percent", "%", "Share of the band", "share"),
    "rates": ("delivered_bps", "b/s", "Delivered rate", "rate"),
    "delays": ("mean_s", "s", "Mean delay in queue and on air", "delay"),
}


MEANING: dict[str, dict[str, str]] = {
    "band": {"blank": "none"},
    "rates": {"zeros": "waited, none delivered", "blank": "nothing waited"},
    "delays": {"blank": "none delivered"},
}
"""What grey and blank cells of a map are."""


def _lines(view: CellView, name: str) -> Panel:
    column, unit, title, _ = VALUES[name]
    layers = [
        Layer("step", view.who.name(user), f"user-{user}", f"{name}_{user}", low=column, unit=unit, more={"dash": user})
        for user in range(view.users)
    ]
    scale = {"scale": "log"} if name == "delays" else {"zero": True}
    title += ", log" if name == "delays" else ""
    return Panel(name, title, f"{title} of each user over time.", layers, "middle", unit, scale)


def _map(view: CellView, name: str) -> Panel:
    column, unit, title, word = VALUES[name]
    own = {"user": "row", "users": view.users, "lasts": view.bin_s, "logarithmic": name == "delays", **MEANING[name]}
    layer = Layer("heat", word, "sent", name, low=column, unit=unit, details=((word, column, unit),), more=own)
    return Panel(
        name, title, f"{title}: a row a user, by colour; the scale stands above.", (layer,), "tall", "", _rows(view)
    )
