"""The panels of a flow's page, and the tables under them.

What happens seldom has a table of its own and is drawn as marks, each one at every zoom: retransmissions, third
duplicates, arrivals out of order, losses, frame errors. The rest is drawn column by column of the screen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from airlink.plots.flow import words
from airlink.plots.flow.view import FlowView
from airlink.plots.viewer import Glyph, Layer, Panel
from airlink.result import Table
from airlink.tables import DELIVERED, WAITING

GLYPHS: Mapping[int, Glyph] = {1: "cross", 2: "plus", 3: "box", 5: "diamond", 6: "ring", 7: "star"}
"""Mark of each way to be lost."""

SEGMENT = (("from", "start", "B"), ("to", "end", "B"), ("ended", "ended_s", "s"))
ACK = (("number", "number", "B"), ("window to", "window_end", "B"))

Tables = Mapping[str, Table]


def tables_of(view: FlowView) -> dict[str, Table]:
    """The tables of the page, each in order of its time; empty ones are left out."""
    segments = _sorted(view.segments, "sent_s")
    again = segments["retransmission"] != 0
    tables = {
        "first": segments.where(~again),
        "again": segments.where(again),
        "arrived": _sorted(segments.where((segments["fate"] == DELIVERED) & ~np.isnan(segments["ended_s"])), "ended_s"),
        "acks": view.acks,
        "duplicates": view.acks.where(view.acks["duplicate"] != 0),
        "third": view.acks.where(view.acks["third"] != 0),
        "sacks": view.sacks.where(view.sacks["duplicate"] == 0),
        "dsacks": view.sacks.where(view.sacks["duplicate"] != 0),
        "slots": view.slots.where(view.slots["sent_bytes"] > 0),
        "idle_slots": view.slots.where(view.slots["sent_bytes"] == 0),
        "frame_errors": view.slots.where(view.slots["error"] != 0),
        "snr": view.snr,
        "queue": view.queue,
        "window": view.window,
        "rtt": view.rtt,
        "rto": view.rto,
        "limits": view.limits,
        **_losses(view, segments),
        **_marks("", segments, view.acks),
        **_requests(view),
    }
    tables["out_of_order"] = tables["arrived"].where(tables["arrived"]["out_of_order"] != 0)
    return {name: _slim(name, table) for name, table in tables.items() if table.rows}


def _marks(of: str, segments: Table, acks: Table) -> dict[str, Table]:
    """Segments that came with a congestion mark, when they did, and ACKs that echo one."""
    marked = segments.where((segments["ce"] != 0) & ~np.isnan(segments["ended_s"]))
    return {f"{of}marked": _sorted(marked, "ended_s"), f"{of}echoing": acks.where(acks["ece"] != 0)}


def _requests(view: FlowView) -> dict[str, Table]:
    """What the user asks with, where the server answers."""
    asked, acks = _sorted(view.requests, "sent_s"), view.request_acks
    again, lost = asked["retransmission"] != 0, ~np.isin(asked["fate"], (DELIVERED, WAITING))
    return {
        "asked": asked.where(~again),
        "asked_again": asked.where(again),
        "asked_lost": asked.where(lost),
        "ask_acks": acks,
        "ask_duplicates": acks.where(acks["duplicate"] != 0),
        **_marks("ask_", asked, acks),
    }


def _losses(view: FlowView, segments: Table) -> dict[str, Table]:
    """By fate: the lost segments where they were sent, and the losses when they happened, at the queue's length."""
    drops = _sorted(view.drops, "time_s")
    place = np.searchsorted(view.queue["time_s"], drops["time_s"], side="right") - 1
    length = view.queue["packets"][np.maximum(place, 0)] if view.queue.rows else np.zeros(drops.rows)
    drops = Table({**drops, "packets": np.where(place >= 0, length, 0)})
    tables = {}
    for fate in words.FATES:
        tables[f"lost_{fate}"] = segments.where(segments["fate"] == fate)
        if not view.up:  # what goes up is not lost in the queue that is drawn
            tables[f"dropped_{fate}"] = drops.where(drops["fate"] == fate)
    return tables


def _sorted(table: Table, column: str) -> Table:
    order = np.argsort(table[column], kind="stable")
    return Table({name: values[order] for name, values in table.items()})


# What the layers of a table do not use is not embedded.
NEEDLESS = {
    "retransmission", "out_of_order", "fate", "duplicate", "third", "error", "bytes", "ce", "ece"
}  # fmt: skip


def _slim(name: str, table: Table) -> Table:
    drop = (
        NEEDLESS
        | ({"start", "sent_s"} if name in {"arrived", "marked", "ask_marked"} else set())
        | ({"sent_bytes"} if name in {"slots", "idle_slots"} else set())
    )
    return Table({column: values for column, values in table.items() if column not in drop})


def panels_of(view: FlowView, tables: Tables) -> list[Panel]:
    """From top to bottom; panels and layers without data are left out, but for the time-sequence graph."""
    panels = [
        Panel("events", "Events", "A flag for each event; the table below lists them.", (), "flags"),
        _sequence(view),
        _asked(),
        _limits(view),
        _slots(view),
        _snr(),
        _queue(view),
        _window(),
        _round_trip(),
    ]
    kept = [panel.with_data(tables) for panel in panels]
    needless = set() if view.events.rows else {"events"}
    always = {"events", "sequence"} - needless
    return [panel for panel in kept if panel.layers or panel.name in always]


def _sequence(view: FlowView) -> Panel:
    both = view.has_both_ways
    sent, ack, sack = ("sent-up", "ack-down", "sack-up") if view.up else ("sent", "ack", "sack")
    of_data, of_acks = (" up", " down") if view.up else (" down", " up") if both else ("", "")
    layers = [
        Layer("dots", "arrived", "arrived", "arrived", "ended_s", "end", unit="B", more={"faint": 0.7, "shown": False}),
        Layer("spans", f"sent{of_data}", sent, "first", "sent_s", "start", "end", "B", details=SEGMENT),
        Layer("step", "window", "window", "acks", low="window_end", unit="B", more={"soft": True, "thick": 1}),
        Layer("spans", "SACK", sack, "sacks", "time_s", "start", "end", "B", details=SEGMENT[:2]),
        Layer("spans", "DSACK", "third", "dsacks", "time_s", "start", "end", "B", details=SEGMENT[:2]),
        Layer("step", f"ACK{of_acks}", ack, "acks", low="number", unit="B", details=ACK, more={"thick": 1}),
        Layer("ticks", "duplicate ACK", ack, "duplicates", low="number", unit="B", details=ACK),
        *_lost_layers("lost", "sent_s", "start", SEGMENT),
        Layer("marks", "retransmission", "again", "again", "sent_s", "start", "end", "B", "R", SEGMENT),
        Layer("marks", "third duplicate", "third", "third", "time_s", "number", "", "B", "3", ACK, {"below": True}),
        Layer(
            "marks", "out of order", "order", "out_of_order", "ended_s", "end", "end", "B", "O", (("to", "end", "B"),)
        ),
        *_mark_layers(""),
    ]
    name = "Time-sequence graph"
    told = "Bytes of the stream over time: each segment sent, the ACKs and the window, retransmissions and losses."
    return Panel("sequence", name, told, layers, "tall", "B")


def _mark_layers(of: str) -> list[Layer]:
    """Congestion marks as segments bring them, and their echo."""
    to = (("to", "end", "B"),)
    return [
        Layer("marks", "marked (CE)", "mark", f"{of}marked", "ended_s", "end", "end", "B", "C", to),
        Layer("marks", "echoed (ECE)", "mark", f"{of}echoing", "time_s", "number", "", "B", "E", ACK, {"below": True}),
    ]


def _asked() -> Panel:
    """The other direction of a flow with answers: what its user sends, and the ACKs of it."""
    layers = [
        Layer("spans", "sent up", "sent-up", "asked", "sent_s", "start", "end", "B", details=SEGMENT),
        Layer("step", "ACK down", "ack-down", "ask_acks", low="number", unit="B", details=ACK, more={"thick": 1}),
        Layer("ticks", "duplicate ACK", "ack-down", "ask_duplicates", low="number", unit="B", details=ACK),
        Layer("marks", "lost", "lost", "asked_lost", "sent_s", "start", "start", "", "cross", SEGMENT),
        Layer("marks", "retransmission", "again", "asked_again", "sent_s", "start", "end", "B", "R", SEGMENT),
        *_mark_layers("ask_"),
    ]
    told = "Bytes that the user sends over time: each segment of its requests and their ACKs."
    return Panel("requests", "Requests, up", told, layers, "low", "B")


def _lost_layers(table: str, time: str, value: str, details: Sequence[tuple[str, str, str]]) -> list[Layer]:
    return [
        Layer("marks", name, "lost", f"{table}_{fate}", time, value, value, "", GLYPHS[fate], details)
        for fate, name in words.FATES.items()
    ]


def _limits(view: FlowView) -> Panel:
    kinds = [{"name": name, "colour": f"cause-{code}"} for code, (name, _) in words.causes_of(view.alone).items()]
    layer = Layer("shares", "limited by", "plain", "limits", "from_s", more={"kinds": kinds})
    return Panel("limits", "Limited by", "What held the flow back, over time.", (layer,), "strip")


def _slots(view: FlowView) -> Panel:
    details = (("rate", "rate_bps", "b/s"), ("sent", "sent_bytes", "B"))
    lasts = {"lasts": _slot_s(view)}
    layers = [
        Layer("bars", "rate", "slot", "slots", low="rate_bps", unit="b/s", more=lasts),
        Layer("bars", "nothing sent", "idle", "idle_slots", low="rate_bps", unit="b/s", more=lasts),
        Layer(
            "marks",
            view.lost_words,
            "again" if view.recovery else "bad",
            "frame_errors",
            "time_s",
            "rate_bps",
            "rate_bps",
            "",
            "plus" if view.recovery else "cross",
            details,
        ),
    ]
    return Panel("slots", "Slots won", "Rate of each slot that the user won.", layers, "low", "b/s", {"zero": True})


def _slot_s(view: FlowView) -> float:
    """The length of a slot: the least distance of two rows of the SNR, or of two slots won."""
    times = view.snr["time_s"] if view.snr.rows > 1 else view.slots["time_s"]
    return float(np.min(np.diff(times))) if times.size > 1 else 1e-3


def _snr() -> Panel:
    layer = Layer("line", "SNR", "snr", "snr", low="true_db", unit="dB", more={"thick": 1})
    return Panel("snr", "Channel", "True SNR of the user's channel over time.", (layer,), "low", "dB")


def _queue(view: FlowView) -> Panel:
    details = (("queue", "packets", ""), ("first byte", "start", "B"))
    layers = [
        Layer("step", "packets", "queue", "queue", low="packets", more={"filled": True}),
        *_lost_layers("dropped", "time_s", "packets", details),
    ]
    told = "Packets waiting in the queue over time, with those that were lost."
    name = "Queue of what goes down" if view.up else "Queue"
    return Panel("queue", name, told, layers, "low", "", {"zero": True, "whole": True})


def _window() -> Panel:
    layers = [
        Layer("step", "flight", "flight", "window", low="flight_bytes", unit="B", more={"thick": 1, "filled": True}),
        Layer(
            "step", "ssthresh", "ssthresh", "window", low="ssthresh_bytes", unit="B", more={"soft": True, "thick": 1}
        ),
        Layer("step", "cwnd", "cwnd", "window", low="cwnd_bytes", unit="B"),
    ]
    told = "Congestion window, slow start threshold and bytes in flight over time."
    return Panel("window", "Congestion window", told, layers, "low", "B", {"zero": True})


def _round_trip() -> Panel:
    layers = [
        Layer("dots", "sample", "sample", "rtt", low="rtt_s", unit="s", more={"thick": 2}),
        Layer("step", "srtt", "smooth", "rtt", low="srtt_s", unit="s"),
        Layer("step", "RTO", "rto", "rto", low="rto_s", unit="s"),
    ]
    told = "Round-trip samples, their smoothed mean and the retransmission timeout over time, on a logarithmic axis."
    return Panel("rtt", "Round-trip time, log", told, layers, "low", "s", {"scale": "log"})
