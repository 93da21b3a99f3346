"""What a notebook shows of an explanation: its sentences, and where the time went, with a bar a cause."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from airlink.engine.html import Head, bar, chosen_rows, document, paragraph, table
from airlink.explain import sentences
from airlink.explain.causes import BY_NAME, CELL, OF_THE_CELL, Cause

if TYPE_CHECKING:
    from airlink.explain.explanation import Explanation, FlowExplanation

FEW = 2
"""So many flows are shown in full, each with its sentences; of more there is a line each."""


def of_explanation(found: Explanation) -> str:
    """An explanation: of few flows each in full, of many a line each and the slowest in words."""
    if len(found.flows) <= FEW:
        return document(*(part for flow in found.flows for part in _flow(flow)))
    return document(*map(paragraph, found.sentences), _lines(found))


def of_flow(flow: FlowExplanation) -> str:
    """The explanation of one flow."""
    return document(*_flow(flow))


def _flow(flow: FlowExplanation) -> Iterator[str]:
    yield from map(paragraph, flow.sentences)
    words = (Head("", words=True), Head("most of all at", words=True))
    heads = (Head("held back by", words=True), Head("time", "s"), Head("share", "%"), *words)
    rows = [
        (
            ("\N{EN SPACE}" if cause.name in OF_THE_CELL else "") + flow.shown(cause, cause.label),
            f"{flow.share(cause) * flow.waited_s:.2f}",
            f"{100 * flow.share(cause):.1f}",
            bar(flow.share(cause)),
            ", ".join(map(sentences.span, sentences.pointed_at(flow, cause, most=1))),
        )
        for cause in _with_parts(flow)
    ]
    yield table(heads, rows, f"Flow {flow.flow} (user {flow.user}): where {flow.waited_s:.1f} s went")


def _with_parts(flow: FlowExplanation) -> Iterator[Cause]:
    """The causes of a flow, the largest first; after the cell its parts."""
    for cause in flow.causes:
        yield cause
        if cause is CELL:
            parts = (BY_NAME[name] for name in OF_THE_CELL if flow.seconds[name] > 0)
            yield from sorted(parts, key=lambda part: -flow.seconds[part.name])


def _lines(found: Explanation) -> str:
    """A line a flow: its rate, and how much of its time went to each cause."""
    heads = [Head("flow"), Head("user"), Head("goodput", "kb/s", "while it was active, without think time")]
    heads += [Head(cause.label, "%", cause.what) for cause in found.counted]
    rows, left_out = chosen_rows(len(found.flows))
    lines = [
        (
            str(flow.flow),
            str(flow.user),
            f"{flow.rate_bps / 1e3:.4g}" if flow.waited_s > 0 else "-",
            *(f"{100 * share:.0f}" if (share := _share(flow, cause)) > 0 else "-" for cause in found.counted),
        )
        for flow in (found.flows[row] for row in rows)
    ]
    name = f"{found.scenario or 'unnamed'}, seed {found.seed}"
    return table(heads, lines, f"What held each flow back ({name})", left_out)


def _share(flow: FlowExplanation, cause: Cause) -> float:
    """Of the time that is explained, that of a cause; time between pages is none of it."""
    seconds = flow.seconds[cause.name] - (flow.think_s if cause.name == "application" else 0.0)
    return seconds / flow.waited_s if flow.waited_s > 0 else 0.0
