"""`airlink list`: schedulers, formulas, scenarios, profiles, series, measures, studies."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Annotated, Any

import typer

from airlink.cli import completion, formula_list, measure_list, tables
from airlink.cli.commands import PREPARE, fail, message
from airlink.cli.options import AsJson
from airlink.engine import RECORD_KINDS
from airlink.result import columns
from airlink.scenario import READY, json_schema
from airlink.tables import SERIES


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command("list", rich_help_panel=PREPARE)(list_command)


@dataclass(frozen=True)
class Entry:
    """An entry of a list: name, title, and the figures and the paper of a study or the columns of a series."""

    meaning: str
    paper: str = ""
    figures: Sequence[str] = ()
    columns: Mapping[str, tuple[str, str]] = field(default_factory=dict)


@dataclass(frozen=True)
class Kind:
    """A kind of entries: where they are used, and the function that lists them, or prints them in a form of its own."""

    used: str
    entries: Callable[[], Mapping[str, Entry]] = dict
    show: Callable[[str | None, bool], None] | None = None


def _schedulers() -> Mapping[str, Entry]:
    schema = json_schema()
    choice = next(each for each in schema["properties"]["scheduler"]["anyOf"] if "oneOf" in each)
    controls = schema["$defs"]["Experimental"]["properties"]["scheduler"]
    found = {}
    for place, kinds in (("", choice), ("experimental.scheduler only. ", controls)):
        declared = (schema["$defs"][each["$ref"].rpartition("/")[2]] for each in kinds["oneOf"])
        for each in declared:
            found[each["properties"]["kind"]["const"]] = Entry(place + " ".join(each["description"].split()))
    return {name: entry for name, entry in found.items() if name != "none"}


def _scenarios() -> Mapping[str, Entry]:
    return {name: Entry(title) for name, title in READY.items()}


PROFILES = {
    "classic": "RFC 5681 Reno with the timer of RFC 6298, nothing newer (the default)",
    "ns2": "Agent/TCP/Reno and Agent/TCPSink of ns-2.35",
    "rfc": "the standards track: RFC 5681 and 6582, SACK by RFC 6675, and their updates",
    "linux": "Linux 6.12 at its defaults",
}


def _profiles() -> Mapping[str, Entry]:
    return {name: Entry(PROFILES[name]) for name in _of_tcp("profile")["enum"]}


def _congestion_controls() -> Mapping[str, Entry]:
    """The algorithms, from the description of the field: "name: text; name: text"."""
    declared = _of_tcp("congestion_control")
    names = declared["enum"]
    parts = re.split(rf"(?:^|; )({'|'.join(names)}): ", declared["description"])
    told = dict(zip(parts[1::2], parts[2::2], strict=True))
    return {name: Entry(told[name]) for name in names}


def _of_tcp(name: str) -> Mapping[str, Any]:
    """The declaration of a field of `flows.tcp`."""
    declared: Mapping[str, Any] = json_schema()["$defs"]["Tcp"]["properties"][name]
    return declared


def _series() -> Mapping[str, Entry]:
    entries = {}
    for name, text in RECORD_KINDS.items():
        meanings = {column.name: columns.meaning_of(name, column.name) for column in SERIES[name].columns}
        entries[name] = Entry(text, columns=meanings)
    return entries


def studies() -> Mapping[str, Entry]:
    """The installed studies; says on stderr why one cannot be imported."""
    # Imported late: the other kinds should not wait for matplotlib.
    from airlink.study import installed_studies

    studies, unavailable = installed_studies()
    for each in unavailable:
        message(each)
    return {
        name: Entry(study.title, study.paper.line if study.paper else "", study.figures)
        for name, study in studies.items()
    }


KINDS: Mapping[str, Kind] = {
    "schedulers": Kind(
        "who gets a slot: scheduler.kind; R is the rate a user can get, A its smoothed rate", _schedulers
    ),
    "formula": Kind("columns, operators and functions of a formula: scheduler.metric", show=formula_list.show),
    "scenarios": Kind("ready scenarios: airlink run NAME, airlink init FILE --from NAME", _scenarios),
    "profiles": Kind("TCP of ns-2, the RFCs or Linux, all fields at once: flows.tcp.profile", _profiles),
    "congestion-controls": Kind("how TCP sets its window: flows.tcp.congestion_control", _congestion_controls),
    "series": Kind("what a run can record beside its tables: airlink run --record", _series),
    "measures": Kind("numbers to compare: airlink sweep, compare --measure", show=measure_list.show),
    "studies": Kind("published papers to reproduce: airlink reproduce NAME", studies),
}


def _kinds_beginning(incomplete: str) -> list[str]:
    return completion.beginning(KINDS, incomplete)


def _entries_beginning(context: typer.Context, incomplete: str) -> list[str]:
    """The entries of the kind before the word."""
    kind = str(context.params.get("kind"))
    if kind == "studies":
        return completion.studies(incomplete)
    if kind == "measures":
        return completion.measures(incomplete)
    return completion.beginning(KINDS[kind].entries(), incomplete) if kind in KINDS else []


def list_command(
    kind: Annotated[
        str | None,
        typer.Argument(
            metavar="KIND", help="Kind of entry; without it, the kinds are listed.", autocompletion=_kinds_beginning
        ),
    ] = None,
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME",
            help="Only this entry; of a series or measure its columns.",
            autocompletion=_entries_beginning,
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List schedulers, scenarios, profiles, series, measures and studies.

    airlink list                          the kinds

    airlink list schedulers               scheduler.kind, and who gets the slot

    airlink list formula                  what scheduler.metric may be made of

    airlink list series packets           the columns of one series

    airlink list measures goodput_bps     measures of one column

    airlink list scenarios --json | jq -r 'keys[]'
    """
    if kind is None:
        print_entries({name: Entry(each.used) for name, each in KINDS.items()}, as_json)
        return
    _check_name("no kind", kind, KINDS)
    if (show := KINDS[kind].show) is not None:
        show(name, as_json)
        return
    entries = KINDS[kind].entries()
    if name is not None:
        _check_name(f"{kind}: no", name, entries)
        entries = {name: entries[name]}
    print_entries(entries, as_json, "" if name else KINDS[kind].used)
    if name is not None and not as_json:
        _print_columns(entries[name].columns)


def _check_name(told: str, name: str, known: Mapping[str, object]) -> None:
    """Refuses a name that isn't known."""
    if name not in known:
        near = get_close_matches(name, known, 1)
        perhaps = f'; did you mean "{near[0]}"?' if near else ""
        fail(f'list: {told} "{name}"; choose from {", ".join(known)}{perhaps}')


def print_entries(entries: Mapping[str, Entry], as_json: bool = False, title: str = "") -> None:
    """Prints entries as a table below a title, or as JSON."""
    if as_json:
        sys.stdout.write(json.dumps({name: _content(entry) for name, entry in entries.items()}, indent=1) + "\n")
        return
    out = tables.console()
    table = tables.plain_table(show_header=False)
    table.add_column(no_wrap=True)
    table.add_column()
    for name, entry in entries.items():
        figures = f"--figure {', '.join(entry.figures)}" if entry.figures else ""
        table.add_row(name, "\n".join(filter(None, (entry.meaning, entry.paper, figures))))
    if title:
        out.print(title[:1].upper() + title[1:], markup=False)
    out.print(table, markup=False)


def _print_columns(of: Mapping[str, tuple[str, str]]) -> None:
    """The columns of a series, each with its unit."""
    if not of:
        return
    table = tables.plain_table()
    table.add_column("column", no_wrap=True)
    table.add_column("unit", no_wrap=True)
    table.add_column("meaning")
    for name, (unit, meaning) in of.items():
        table.add_row(name, unit or "-", meaning)
    tables.console().print(table, markup=False)


def _content(entry: Entry) -> dict[str, Any]:
    """An entry as JSON."""
    content: dict[str, Any] = {"meaning": entry.meaning}
    if entry.paper:
        content["paper"] = entry.paper
    if entry.figures:
        content["figures"] = list(entry.figures)
    if entry.columns:
        content["columns"] = {name: {"unit": unit, "meaning": text} for name, (unit, text) in entry.columns.items()}
    return content
