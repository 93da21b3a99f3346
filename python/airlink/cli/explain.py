"""`airlink explain`: what held each flow of a stored result back."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table as TextTable

from airlink.cli import tables
from airlink.cli.commands import UNDERSTAND
from airlink.cli.options import AsJson, Folder, OwnControl, OwnQueue, OwnScheduler, Replica, result_of
from airlink.cli.progress import simulating
from airlink.explain import (
    BY_NAME,
    CELL,
    OF_THE_CELL,
    Cause,
    Explanation,
    FlowExplanation,
    Moment,
    explain,
    sentences,
)
from airlink.explain.explanation import chosen_flows, needed, summed

BAR = 20
"""Letters of a bar of 100 %."""

THINKING = "without {:.4g} s of think time"
"""What is said of time between pages."""


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command("explain", rich_help_panel=UNDERSTAND)(explain_command)


def explain_command(  # noqa: PLR0913 - one argument per option of the command
    directory: Folder,
    user: Annotated[int | None, typer.Option(metavar="K", help="Only the flows of this user, in detail.")] = None,
    flow: Annotated[int | None, typer.Option(metavar="N", help="Only this flow, in detail.")] = None,
    replica: Replica = 0,
    scheduler: OwnScheduler = None,
    congestion_control: OwnControl = None,
    queue: OwnQueue = None,
    as_json: AsJson = False,
) -> None:
    """Explain why flows were slow: where each second of theirs went.

    airlink explain airlink-results/k3-1               every flow

    airlink explain airlink-results/k3-1 --user 3      one user in detail

    airlink explain airlink-results/k3-1 --json | jq '.flows[0].seconds'

    A flow's time goes to what held it back; the cell's three count as one:

    appl: it had nothing to send; rwnd, cwnd: a window was full; rto: silent until a timeout;

    wire: the wired path; cell: sched (waiting for a turn), air (on air), arq (the link retransmits).

    A result without the series `limits` (with UDP `waits`, too) is simulated again, one of code of one's own with that
    code: --scheduler mine.py:Mine. The rule is in docs/explain.md.
    """
    result = result_of(directory, scheduler, congestion_control, queue)
    chosen_flows(result, user, flow, replica)
    with simulating(directory, result, replica, needed(result.scenario)) as progress:
        found = explain(result, user, flow, replica, progress)
    if as_json:
        sys.stdout.write(json.dumps(content(found), indent=1, allow_nan=False) + "\n")
        return
    out = tables.console()
    if user is None and flow is None:
        out.print(flows_table(found))
    else:
        for one in found.flows:
            out.print(causes_table(one, out))
    for sentence in sentences_of(found, detailed=user is not None or flow is not None):
        out.print(sentence, markup=False)


def sentences_of(found: Explanation, detailed: bool) -> Sequence[str]:
    """The sentences: of each flow when few were asked for, else of all and the slowest."""
    if not detailed:
        return found.sentences
    return [sentence for flow in found.flows for sentence in flow.sentences]


def flows_table(found: Explanation) -> TextTable:
    """One line a flow, percent of its time by cause; of many flows the fastest and the slowest."""
    seed = f"{escape(found.scenario or 'unnamed')}, seed {found.seed}"
    table = tables.plain_table(
        title=f"What held each flow back, % of its time ({seed})", title_justify="left", title_style="bold"
    )
    for name in ("flow", "user", "active\ns", "goodput\nkb/s", *(cause.short for cause in found.counted)):
        table.add_column(name, justify="right", no_wrap=True)
    few = len(found.flows) <= tables.MOST_USERS
    listed = found.flows if few else [flow for flow in found.flows if flow.waited_s > 0]
    rows: list[FlowExplanation | None] = list(listed)
    if len(listed) > tables.MOST_USERS:
        ranked = sorted(listed, key=lambda flow: -flow.rate_bps)
        half = tables.MOST_USERS // 2
        rows = [*ranked[:half], None, *ranked[-half:]]
    if not few:
        which = "fastest and slowest" if None in rows else "those with any time"
        table.caption = f"{which} of {len(found.flows)} flows; all of them with --json"
    if found.think_s > 0:
        table.caption = "; ".join(filter(None, [str(table.caption or ""), THINKING.format(found.think_s)]))
    table.caption_justify = "left"
    for flow in rows:
        if flow is None:
            table.add_row("...")
            continue
        rate = f"{flow.rate_bps / 1e3:.4g}" if flow.waited_s > 0 else "-"
        own = (str(flow.flow), str(flow.user), f"{flow.active_s:.4g}", rate)
        table.add_row(*own, *_percents(flow.seconds, flow.think_s))
    if len(found.flows) > 1:
        table.add_section()
        table.add_row("all", "", f"{found.active_s:.5g}", "", *_percents(found.seconds, found.think_s))
    return table


def causes_table(flow: FlowExplanation, out: Console) -> TextTable:
    """One line a cause: seconds, share with a bar, and when it was active."""
    title = f"Flow {flow.flow} (user {flow.user}), {flow.active_s:.6g} s"
    title += f"; {THINKING.format(flow.think_s)}" if flow.think_s > 0 else ""
    table = tables.plain_table(title=title, title_justify="left", title_style="bold")
    table.add_column("held back by", no_wrap=True)
    for name in ("s", "%"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("", no_wrap=True, width=BAR)
    table.add_column("most of all at", no_wrap=True)
    block = "\u2588" if out.encoding.lower().startswith("utf") else "#"
    for cause in _with_parts(flow):
        share = flow.share(cause)
        moments = ", ".join(map(sentences.span, sentences.pointed_at(flow, cause, most=1)))
        plain = flow.shown(cause, cause.name.replace("_", " "))
        name = ("  " if cause.name in OF_THE_CELL else "") + plain
        table.add_row(name, f"{share * flow.waited_s:.3f}", f"{100 * share:.1f}", block * round(BAR * share), moments)
    return table


def _with_parts(flow: FlowExplanation) -> Iterator[Cause]:
    """The causes of a flow, the largest first; after the cell its parts."""
    for cause in flow.causes:
        yield cause
        if cause is CELL:
            parts = [BY_NAME[name] for name in OF_THE_CELL if flow.seconds[name] > 0]
            yield from sorted(parts, key=lambda part: -flow.seconds[part.name])


def content(found: Explanation) -> dict[str, Any]:
    """The explanation as JSON has it; what does not exist is null."""
    return {
        "name": found.scenario,
        "version": found.version,
        "replica": found.replica,
        "seed": found.seed,
        "active_s": found.active_s,
        "think_s": found.think_s,
        "held": dict(found.held),
        "seconds": dict(found.seconds),
        "flows": [_flow_content(flow) for flow in found.flows],
        "sentences": list(found.sentences),
    }


def _flow_content(flow: FlowExplanation) -> dict[str, Any]:
    facts = flow.facts
    return {
        "flow": flow.flow,
        "user": flow.user,
        "active_s": flow.active_s,
        "think_s": flow.think_s,
        "held": dict(flow.held),
        "seconds": dict(flow.seconds),
        "shares": dict(flow.shares),
        "largest": flow.largest.name if flow.largest else None,
        "moments": {cause.name: [_moment(moment) for moment in flow.moments(cause.name)] for cause in flow.causes[:3]},
        "goodput_bps": flow.rate_bps if flow.waited_s > 0 else None,
        "even_share": tables.number(facts.even_share),
        "cell_share": tables.number(facts.cell_share),
        "alone_bps": tables.number(facts.alone_bps),
        "given_bps": tables.number(facts.given_bps),
        "complete": facts.complete,
        "segments_sent": facts.segments,
        "retransmissions": facts.retransmissions,
        "timeouts": facts.timeouts,
        "spurious_timeouts": facts.spurious_timeouts,
        "retransmissions_up": facts.retransmissions_up,
        "timeouts_up": facts.timeouts_up,
        "downloads": {name: tables.number(value) for name, value in facts.downloads.items()},
        "sentences": list(flow.sentences),
    }


def _moment(moment: Moment) -> dict[str, float]:
    return {"from_s": moment.from_s, "to_s": moment.to_s, "held_s": moment.held_s}


def _percents(seconds: Mapping[str, float], think_s: float) -> list[str]:
    """Whole percent of each cause without think time, the largest in bold, with all parts of the cell; a dash for 0."""
    held = summed(seconds, think_s)
    shown = {**seconds, "application": seconds["application"] - think_s}
    whole_s, most = sum(held.values()), max(held, key=lambda name: held[name], default="")
    bold = OF_THE_CELL if most == CELL.name else (most,)
    texts = {name: f"{100 * value / whole_s:.0f}" if value > 0 else "-" for name, value in shown.items()}
    return [f"[bold]{text}[/]" if name in bold and shown[name] > 0 else text for name, text in texts.items()]
