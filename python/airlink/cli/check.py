"""`airlink check`: what can be said of a scenario before it runs; without one, what is installed for what."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from airlink import engine
from airlink.cli import completion, installed, tables
from airlink.cli.commands import PREPARE, fail
from airlink.cli.forecast import mean_snr_line, print_resources, rates_table, resources_content, tcp_lines, trace_line
from airlink.cli.options import AsJson, Record, Replicas, Settings, Threads
from airlink.cli.recording import named_kinds, recorded_kinds
from airlink.cli.source import read_scenario, ready_base
from airlink.engine import Columns, Request, rate_table
from airlink.resources import Resources, needed_by
from airlink.result import columns
from airlink.result.atomic_write import write_text
from airlink.scenario import Problem, Scenario, TraceFacts, json_schema, page, trace_facts, warnings_of
from airlink.scenario.errors import printable


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command("check", rich_help_panel=PREPARE)(check)


def check(  # noqa: PLR0913 - one argument per option of the command
    file: Annotated[
        str | None,
        typer.Argument(
            metavar="FILE",
            help="Scenario file (TOML), or the name of a ready one.",
            autocompletion=completion.scenarios,
        ),
    ] = None,
    settings: Settings = None,
    replicas: Replicas = 1,
    record: Record = "",
    threads: Threads = None,
    as_json: AsJson = False,
    schema: Annotated[bool, typer.Option("--schema", help="Print the JSON Schema of a scenario.")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="With --schema: docs/scenario.md instead.")] = False,
    results: Annotated[
        bool, typer.Option("--results", help="Print docs/results.md: every column of a result.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="With --schema or --results: write to a file.")
    ] = None,
) -> None:
    """Check a scenario before it runs: mistakes, warnings, rates, memory and time.

    airlink check cell.toml

    airlink check k3 -s link.rate.set=cqi-256qam --record packets --replicas 20

    airlink check k3 --json | jq .rates

    airlink check                                   what is installed for what

    airlink check --schema --out scenario.schema.json

    Mistakes of the scenario are all reported at once, with exit code 2. Rates are those of the whole carrier; rows are
    numbered as in the series `mcs`, and schemes that another beats are left out. The mean SNR by distance is that
    before ceiling, shadowing and fading. Of each trace file there are rows, length and values, and how its unit was
    understood.

    Memory and time are estimated from short runs of the same scenario.
    """
    about_file = {"-s": settings, "--replicas": replicas != 1, "--record": record, "--threads": threads}
    about_page = {"--markdown": markdown, "--out": out is not None}
    _check_options(file, about_file, about_page, schema, results, as_json)
    if schema or results:
        _print_document(columns.page() if results else page() if markdown else _schema(), out)
    elif file is None:
        _print_installed(as_json)
    else:
        _print_scenario(file, settings or [], _Asked(replicas, record, threads), as_json)


class _Asked:
    """How the scenario would be run."""

    def __init__(self, replicas: int, record: str, threads: int | None) -> None:
        self.replicas, self.record, self.threads = replicas, record, threads

    def resources(self, scenario: Scenario) -> Resources:
        """What such a run would take."""
        kinds = recorded_kinds(self.record, scenario)
        return needed_by(Request([scenario], engine.seeds_from(1, self.replicas), kinds), self.threads)


def _check_options(
    file: str | None,
    about_file: Mapping[str, Any],
    about_page: Mapping[str, Any],
    schema: bool,
    results: bool,
    json: bool,
) -> None:
    """Refuses options that have nothing to do with what is asked for."""
    of_file = [name for name, given in about_file.items() if given]
    of_page = [name for name, given in about_page.items() if given]
    if schema and results:
        fail("check: choose --schema or --results, not both")
    if schema or results:
        document = "--schema" if schema else "--results"
        if file is not None:
            fail(f"check: {document} is the same for every scenario; leave out {file}")
        if of_file or json:
            fail(f"check: {document} does not go with {', '.join(of_file or ['--json'])}")
        if results and "--markdown" in of_page:
            fail("check: --markdown requires --schema")
    elif of_page:
        fail(f"check: {of_page[0]} requires --schema" + (" or --results" if of_page[0] == "--out" else ""))
    elif file is None and of_file:
        fail(f"check: {of_file[0]} requires a FILE")


def _schema() -> str:
    return json.dumps(json_schema(), indent=2) + "\n"


def _print_document(text: str, out: Path | None) -> None:
    if out is None:
        sys.stdout.write(text)
    else:
        write_text(out, text)


def _print_scenario(file: str, settings: list[str], asked: _Asked, as_json: bool) -> None:
    scenario = read_scenario(file, settings)
    rates = rate_table(scenario)
    warnings = warnings_of(scenario, named_kinds(asked.record), ready_base(file))
    traces = trace_facts(scenario)
    needed = asked.resources(scenario)
    if as_json:
        content = _content(scenario, warnings, rates, traces, needed)
        sys.stdout.write(json.dumps(content, indent=1, allow_nan=False) + "\n")
        return
    out = tables.console()
    name = scenario.name or Path(file).stem
    out.print(printable(f"{name}: {_size_text(scenario)}"), markup=False)
    for warning in warnings:
        out.print(f"warning: {warning}", markup=False, soft_wrap=True)
    if not warnings:
        out.print("no warnings")
    mean_snr = mean_snr_line(scenario.channel) if scenario.channel is not None else None
    if mean_snr is not None:
        out.print(mean_snr, markup=False)
    for trace in traces:
        out.print(printable(trace_line(trace)), markup=False, soft_wrap=True)
    if rates is not None:
        out.print(rates_table(rates))
    elif scenario.link is not None:
        out.print(f'rates   from no table: link.rate.kind = "{scenario.link.rate.kind}"', markup=False)
    for line in tcp_lines(scenario):
        out.print(line, markup=False, soft_wrap=True)
    print_resources(needed, out)


def _size_text(scenario: Scenario) -> str:
    """How large a scenario is, in a few words."""
    flows = sum(flow.count(scenario.users) for flow in scenario.flows)
    scheduler = scenario.experimental_scheduler() or scenario.scheduler
    where = "a wired bottleneck" if scheduler is None else f"scheduler {scheduler.kind}"
    return f"{_counted(scenario.users, 'user')}, {_counted(flows, 'flow')}, {scenario.duration_s:g} s, {where}"


def _counted(count: int, what: str) -> str:
    return f"{count} {what}" + ("" if count == 1 else "s")


def _content(
    scenario: Scenario, warnings: list[Problem], rates: Columns | None, traces: list[TraceFacts], needed: Resources
) -> dict[str, Any]:
    """What there is to say of a scenario, as JSON; rates that come from no table are null."""
    return {
        "name": scenario.name,
        "warnings": tables.warnings_content(warnings),
        "rates": None if rates is None else {name: column.tolist() for name, column in rates.items()},
        "traces": [asdict(trace) for trace in traces],
        "resources": resources_content(needed),
    }


def _print_installed(as_json: bool) -> None:
    facts = list(installed.facts())
    if as_json:
        sys.stdout.write(json.dumps({fact.name: fact.found or None for fact in facts}, indent=1) + "\n")
        return
    table = tables.plain_table(show_header=False)
    table.add_column(no_wrap=True)
    for _ in range(2):
        table.add_column(overflow="fold")
    for fact in facts:
        table.add_row(fact.name, printable(fact.found) or fact.missing, fact.purpose)
    tables.console().print(table, markup=False)
