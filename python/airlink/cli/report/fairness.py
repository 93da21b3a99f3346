"""`airlink report fairness`: what each user and flow got in windows of time, as tables."""

from __future__ import annotations

import json
import math
import sys
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table as TextTable

from airlink import fairness
from airlink.cli import tables
from airlink.cli.options import AsJson, Folder, OwnControl, OwnQueue, OwnScheduler, Presence, result_of
from airlink.cli.progress import simulating
from airlink.result import Result, Table
from airlink.result.selection import chosen_replica

MEANS = ("present_s", "goodput_bps", "least_bps", "median_bps", "most_bps", "of_queue")


def fairness_command(  # noqa: PLR0913 - one argument per option of the command
    directory: Folder,
    window: Annotated[float, typer.Option(metavar="S", help="Length of a window, seconds.")] = 1.0,
    presence: Presence = 1.0,
    replica: Annotated[int | None, typer.Option(metavar="R", help="Which replica, from 0 (default: all).")] = None,
    scheduler: OwnScheduler = None,
    congestion_control: OwnControl = None,
    queue: OwnQueue = None,
    as_json: AsJson = False,
) -> None:
    """Show who got how much, window by window, and how fair that was.

    airlink report fairness airlink-results/clamp-1         windows of 1 s

    airlink report fairness airlink-results/clamp-1 --window 0.1

    airlink report fairness airlink-results/clamp-1 --json | jq '.index'

    Rates are goodput after the warm-up while a flow was active. Jain's index of all flows is the product of that
    within queues and that across queues. `airlink plot fairness` draws them.

    What the run did not record is simulated again, which gives the same packets.
    """
    result = result_of(directory, scheduler, congestion_control, queue)
    chosen = [replica] if replica is not None else list(range(len(result.replicas)))
    fairness.windows(0.0, result.scenario.duration_s, window)
    fairness.check_presence(presence)
    past = []
    for each in chosen:
        chosen_replica(result, each)
        with simulating(directory, result, each, fairness.series_needed(result.scenario)) as progress:
            past += fairness.histories(result, each, progress)
    found = WindowRates(past, window, presence)
    if as_json:
        sys.stdout.write(json.dumps(content(result, found), indent=1, allow_nan=False) + "\n")
        return
    out = tables.console()
    out.print(shares_table(result, found))
    out.print(indices_table(found, out))


class WindowRates:
    """Rates of flows and of users in windows, and Jain's index of flows."""

    def __init__(self, past: list[fairness.History], window_s: float, presence: float) -> None:
        self.window_s, self.presence = window_s, presence
        self.seeds = [each.seed for each in past]
        self.flows = fairness.shares(self._rates(past, "flow"))
        self.users = fairness.shares(self._rates(past, "user"))
        self.index = {
            f"windows of {window_s:g} s": fairness.over_replicas(fairness.jain(self._rates(past, "flow"), presence)),
            "all the time": fairness.over_replicas(fairness.jain(fairness.whole(past), presence=0)),
        }
        self.queues = len(np.unique(self.flows["queue"]))

    def _rates(self, past: list[fairness.History], of: fairness.Member) -> Table:
        parts = [
            fairness.rates_of(each, of, *fairness.windows(each.begin_s, each.end_s, self.window_s)) for each in past
        ]
        return Table({name: np.concatenate([part[name] for part in parts]) for name in parts[0]})


def shares_table(result: Result, found: WindowRates) -> TextTable:
    """One line a user, under it one for each of its flows if it has several; of many users the best and the worst."""
    of = f"mean of {len(found.seeds)} replicas" if len(found.seeds) > 1 else f"seed {found.seeds[0]}"
    title = f"Goodput in windows of {found.window_s:g} s ({escape(result.scenario.name or 'unnamed')}, {of})"
    table = tables.plain_table(title=title, title_justify="left", title_style="bold")
    heads = ("user", "flow", "active\ns", "goodput\nkb/s", "least\nkb/s", "median\nkb/s", "most\nkb/s", "of queue\n%")
    for name in heads:
        table.add_column(name, justify="right", no_wrap=True)
    users, flows = means(found.users, "user"), means(found.flows, "flow")
    fastest = sorted(users, key=lambda user: -users[user]["goodput_bps"])
    half = tables.MOST_USERS // 2
    many = len(users) > tables.MOST_USERS
    detailed = len(flows) <= tables.MOST_USERS
    for place, user in enumerate(fastest[:half] + fastest[-half:] if many else sorted(users)):
        if many and place == half:
            table.add_row("...")
        own = [flow for flow in flows if flows[flow]["user"] == user] if detailed or not many else []
        named = str(own[0]) if len(own) == 1 else f"{len(own)}" + " in all" if own and not detailed else ""
        table.add_row(str(user), named, *_numbers(users[user]))
        if detailed and len(own) > 1:
            for flow in own:
                table.add_row("", str(flow), *_numbers(flows[flow]))
    if many:
        table.caption = f"best and worst of {len(users)} users by goodput; all of them with --json"
        table.caption_justify = "left"
    return table


def indices_table(found: WindowRates, out: Console) -> TextTable:
    """Jain's index of the flows that were active, and its factors, with 95 % intervals over replicas."""
    table = tables.plain_table(title="Jain's index of flows", title_justify="left", title_style="bold")
    table.add_column("", no_wrap=True)
    for name in ("all flows", "within queues", "across queues"):
        table.add_column(name, justify="right", no_wrap=True)
    for name, indices in found.index.items():
        table.add_row(name, *(tables.with_interval(each, out) for each in indices.values()))
    counted = "one queue" if found.queues == 1 else f"{found.queues} queues"
    much = "all" if found.presence == 1 else f"{100 * found.presence:g} %"
    table.caption = f"{counted}; a window counts with two flows or more that were active for {much} of it"
    table.caption_justify = "left"
    return table


def means(shares: Table, key: str) -> dict[int, dict[str, float]]:
    """Each member's numbers, mean over the replicas in which it was."""
    found = {}
    for member in np.unique(shares[key]).tolist():
        own = shares.where(shares[key] == member)
        known = {name: own[name][np.isfinite(own[name])] for name in MEANS}
        numbers = {name: float(values.mean()) if values.size else math.nan for name, values in known.items()}
        found[int(member)] = {"user": int(own["user"][0]), "queue": int(own["queue"][0]), **numbers}
    return found


def _numbers(member: dict[str, float]) -> list[str]:
    rates = [member[name] / 1e3 for name in ("goodput_bps", "least_bps", "median_bps", "most_bps")]
    return [tables.short(value) for value in (member["present_s"], *rates, 100 * member["of_queue"])]


def content(result: Result, found: WindowRates) -> dict[str, Any]:
    """All that the tables are made of, as JSON: what does not exist is null."""
    return {
        "name": result.scenario.name,
        "version": result.version,
        "seeds": found.seeds,
        "window_s": found.window_s,
        "presence": found.presence,
        "index": {name: {part: tables.interval(each) for part, each in of.items()} for name, of in found.index.items()},
        "users": tables.columns(found.users),
        "flows": tables.columns(found.flows),
    }
