"""The page of a flow: its time-sequence graph and what lies under it, to zoom into, in one HTML file.

Leaves out what a paper's figure needs: `airlink.plots.flow.figure` draws that.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np

from airlink.plots.flow import words
from airlink.plots.flow.layers import panels_of, tables_of
from airlink.plots.flow.view import FlowView
from airlink.plots.viewer import Document, Moment, counted, grouped, write_document

COLOURS = {
    words.STARTED: "plain",
    words.FAST_RETRANSMIT: "again",
    words.TIMEOUT: "bad",
    words.RECOVERED: "good",
    words.UNDONE: "good",
    words.TAIL_LOSS_PROBE: "probe",
    words.WINDOW_PROBE: "probe",
    words.STOPPED: "plain",
    words.COMPLETED: "plain",
    words.TIMEOUT_HELD: "plain",
    words.ECN_REDUCTION: "mark",
}
"""Colour of each event."""

FLAGS = {
    words.FAST_RETRANSMIT: "FR", words.TIMEOUT: "RTO", words.TAIL_LOSS_PROBE: "TLP", words.ECN_REDUCTION: "ECN",
}  # fmt: skip
"""Events that have a short name in the field."""

SPURIOUS = {1: "spurious", 0: "needed"}
"""What is said of a timeout."""


def write_page(view: FlowView, path: Path) -> Path:
    """Writes a flow's page: one HTML file that needs nothing else, no network either.

    Parameters
    ----------
    view : what is shown.
    path : the file, replaced if there.

    Returns
    -------
    The path.
    """
    return write_document(document(view), path)


def document(view: FlowView) -> Document:
    """The page of a flow as data: the same view gives the same."""
    tables = tables_of(view)
    return Document(
        title=f"{view.scenario}: flow {view.flow} {view.way} user {view.user}",
        summary=summary(view),
        origin=view.origin,
        start_s=view.start_s,
        stop_s=view.stop_s,
        tables=tables,
        panels=panels_of(view, tables),
        events=events(view),
        event_columns=("sequence", "remark"),
    )


def events(view: FlowView) -> list[Moment]:
    """Every event of the view, in order of time."""
    table = view.events
    rows = zip(*(table[name].tolist() for name in ("time_s", "event", "sequence", "spurious")), strict=True)
    return [_moment(*row) for row in sorted(rows, key=lambda row: float(row[0]))]


def _moment(time_s: float, event: int, sequence: int, spurious: int) -> Moment:
    name = words.EVENTS.get(int(event), f"event {event}")
    remark = SPURIOUS.get(int(spurious), "")
    flag = FLAGS.get(int(event), name) + (" spurious" if spurious == 1 else "")
    colour = COLOURS.get(int(event), "plain")
    title = name[:1].upper() + name[1:]
    return Moment(float(time_s), flag, title, colour, (grouped(sequence), remark))


def summary(view: FlowView) -> str:
    """What the panels show, in words and counts."""
    again, duplicate = (
        grouped(int(np.count_nonzero(column))) for column in (view.segments["retransmission"], view.acks["duplicate"])
    )
    sent = counted(view.segments.rows, "segment")
    parts = [
        f"From {view.start_s:g} s to {view.stop_s:g} s: {sent} sent, {again} of them again",
        f"{counted(view.acks.rows, 'ACK')}, {duplicate} duplicate",
        _lost(view),
        *_marked(view),
        *_requested(view),
    ]
    return "; ".join(parts) + ". " + _happened(view) + _limited(view)


def _marked(view: FlowView) -> list[str]:
    """What congestion marks there were; nothing without any."""
    marked, echoed = (int(np.count_nonzero(column)) for column in (view.segments["ce"], view.acks["ece"]))
    return [f"{counted(marked, 'congestion mark')}, echoed by {counted(echoed, 'ACK')}"] if marked + echoed else []


def _requested(view: FlowView) -> list[str]:
    """What went up beside what came down, of a flow with both."""
    if not view.requests.rows:
        return []
    again = grouped(int(np.count_nonzero(view.requests["retransmission"])))
    return [f"up {counted(view.requests.rows, 'segment')} of requests, {again} of them again"]


def _lost(view: FlowView) -> str:
    fates = Counter(view.drops["fate"].tolist())
    if not fates:
        return "nothing lost"
    kinds = ", ".join(
        f"{grouped(count)} {words.FATES.get(int(fate), f'fate {fate}')}" for fate, count in sorted(fates.items())
    )
    return f"{counted(view.drops.rows, 'packet')} lost ({kinds})"


def _happened(view: FlowView) -> str:
    counts = Counter(view.events["event"].tolist())
    spurious = int(np.count_nonzero(view.events["spurious"] == 1))
    told = [
        (f"{counts[code]} x " if counts[code] > 1 else "")
        + words.EVENTS[code]
        + (f" ({spurious} spurious)" if code == words.TIMEOUT and spurious else "")
        for code in words.EVENTS
        if counts[code]
    ]
    return f"Events: {', '.join(told)}. " if told else ""


def _limited(view: FlowView) -> str:
    """Shares of the causes that held the flow back, the largest first."""
    lasted = view.limits["to_s"] - view.limits["from_s"]
    total = float(lasted.sum()) if view.limits.rows else 0.0
    if total <= 0:
        return ""
    shares = {code: float(lasted[view.limits["cause"] == code].sum()) / total for code in words.CAUSES}
    largest = sorted((share, words.CAUSES[code][0]) for code, share in shares.items() if share >= 0.005)[::-1]
    return "Held back by " + ", ".join(f"{name} {100 * share:.0f} %" for share, name in largest) + " of the time."
