"""The fields of a scenario, one page a section, and one page that names all; docs/scenario.md has them in one piece.

Both come from the same classes, and the texts beside the fields from the same place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pydantic.fields import FieldInfo

from airlink.scenario import Scenario, introspection
from airlink.scenario.fields import Section
from airlink.scenario.page import default_of, heading, meaning, page
from airlink_site.markdown import parts, slug
from airlink_site.written import Pages

FOLDER = "reference/scenario"
ALL_FIELDS = "all-fields"
Table = tuple[str, str, type[Section]]


@dataclass(frozen=True)
class FieldPage:
    """A page of fields.

    Attributes
    ----------
    name, title, says : of the file; of the page; what it is about.
    paths : tables on it, with those below them that have no page of their own.
    texts : headings of docs/scenario.md whose texts follow the fields.
    """

    name: str
    title: str
    says: str
    paths: tuple[str, ...]
    texts: tuple[str, ...] = ()


PAGES = (
    FieldPage("top", "Top of the file", "simulated time, warm-up, users", ("",), ("Time and the order of events",)),
    FieldPage("slot", "Slot and carrier", "the clock of the air interface, subchannels", ("slot", "carrier")),
    FieldPage(
        "channel",
        "Channel",
        "places, path loss, shadowing, motion, fading",
        ("channel",),
        ("Channel", "Power-delay profiles"),
    ),
    FieldPage(
        "link",
        "Link",
        "reports, rates, errors, ARQ and HARQ",
        ("link",),
        ("Link", "Named rate tables", "Sets of modulation and coding schemes"),
    ),
    FieldPage("rlc", "RLC", "segments and their retransmission", ("rlc",), ("Segmentation and retransmission",)),
    FieldPage("queue", "Queue", "limits, CoDel, PIE, prices", ("queue",), ("Queues",)),
    FieldPage("scheduler", "Scheduler", "who gets a slot", ("scheduler",), ("Schedulers",)),
    FieldPage(
        "bottleneck",
        "Bottleneck and upstream queue",
        "a wired queue in the cell's place, or before it",
        ("bottleneck", "upstream"),
        ("Wired bottleneck", "Impairments"),
    ),
    FieldPage("flows", "Flows", "what is sent, when, over which wires", ("flows",), ("Flows and wires",)),
    FieldPage("tcp", "TCP", "profile, congestion control, timers, rules", ("flows.tcp",), ("TCP", "Profiles of TCP")),
    FieldPage("experimental", "Experimental", "controls that no network could run", ("experimental",)),
)


def write(pages: Pages) -> None:
    """Writes a page for each section, an overview, and the page that names all fields."""
    by_page = tables()
    texts = parts(page())
    pages.write(f"{FOLDER}/index.md", _overview(texts))
    for each in PAGES:
        pages.write(f"{FOLDER}/{each.name}.md", "\n".join(_page(each, by_page[each.name], texts)))
    pages.write(f"{FOLDER}/{ALL_FIELDS}.md", "\n".join(_all_fields(by_page)))


def tables() -> dict[str, list[Table]]:
    """Every table of a scenario, by the page that it is on."""
    found: dict[str, list[Table]] = {each.name: [] for each in PAGES}
    for table in dict.fromkeys(introspection.sections(Scenario)):
        found[page_of(table[0].replace("[]", ""))].append(table)
    return found


def page_of(path: str) -> str:
    """The name of the page with the table at `path`: that of the longest path which leads to it."""
    fits = [
        (len(start), each.name)
        for each in PAGES
        for start in each.paths
        if f"{path}.".startswith(f"{start}.") or not start
    ]
    return max(fits)[1] if path else PAGES[0].name


def places() -> dict[str, str]:
    """Where each anchor of docs/scenario.md is on the site, as `page.md#anchor` in their folder."""
    found = {slug(words): f"{each.name}.md#{slug(words)}" for each in PAGES for words in each.texts}
    for name, held in tables().items():
        for path, kind, _ in held:
            found.setdefault(slug(heading(path, kind)), f"{name}.md#{slug(heading(path, kind))}")
    return {**found, "fields": f"{ALL_FIELDS}.md"}


def full_name(path: str, kind: str, name: str) -> str:
    """What a field is known by: `channel.placement.radius_m (disc)`."""
    plain = path.replace("[]", "")
    return (f"{plain}." if plain else "") + name + (f" ({kind})" if kind else "")


def _overview(texts: dict[str, str]) -> str:
    head = texts["Scenarios"].partition("\n## ")[0].strip()
    head = re.sub(r"This page is generated.*?\)\.", "", head, flags=re.DOTALL)
    rows = [f"| [{each.title}]({each.name}.md) | {each.says} |" for each in PAGES]
    return "\n".join(
        [
            "# Scenario fields\n",
            f"[All fields]({ALL_FIELDS}.md) names every field on one page.\n",
            "| section | what it sets |",
            "| --- | --- |",
            *rows,
            "\n## How a scenario is written\n",
            head.replace("](version-2.md)", "](../../version-2.md)").replace(
                "](examples)", "](../../examples/README.md)"
            ),
        ]
    )


def _page(each: FieldPage, held: list[Table], texts: dict[str, str]) -> Iterator[str]:
    yield f"# {each.title}\n"
    for table in held:
        yield f"## {heading(*table[:2])}\n"
        yield f"{meaning(table[2])}\n"
        yield from (text for name, info in introspection.fields(table[2]).items() for text in _field(table, name, info))
    for words in each.texts:
        text = texts[words].replace("](models/", "](../../models/")
        yield f"## {'What exactly happens: ' if words == each.title else ''}{words}\n\n{text}\n"


def _field(table: Table, name: str, info: FieldInfo) -> Iterator[str]:
    unit, source = introspection.extra(info, "unit"), introspection.extra(info, "source")
    default = default_of(name, info)
    facts = [
        f"in {unit}" if unit else "",
        introspection.allowed(info),
        default if default == "*required*" else f"default {default}",
        source,
    ]
    yield f"````{{field}} {full_name(table[0], table[1], name)}"
    yield f"{info.description or ''}\n"
    yield "{.facts}"
    yield " · ".join(fact for fact in facts if fact)
    yield "````\n"


def _all_fields(by_page: dict[str, list[Table]]) -> Iterator[str]:
    yield "# All fields\n"
    yield "Every field of a scenario, by the table that it stands in. A name leads to its meaning.\n"
    for each in PAGES:
        yield f"## {each.title}\n"
        for path, kind, section in by_page[each.name]:
            names = (f"{{field}}`{name} <{full_name(path, kind, name)}>`" for name in introspection.fields(section))
            yield f"{heading(path, kind)}\n: {' · '.join(names)}\n"
