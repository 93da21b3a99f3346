"""No default comes from one paper: before the first ";" of its source stands a standard, a simulator or our choice.

Leaves out mechanisms that a paper brought: their constants are that paper's, and the mechanism is chosen by its name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from airlink import _rust

STUDIED = re.compile(r"\[(EvdoTcp|Klein04|Kakuda|Choi05|Andrew08)\]")
MECHANISMS = {
    "MeasuredPrice": "the price of CLAMP, [Andrew08] eq. (13)",
    "ClampPrice": "the same, with a queue that its flows share",
    "ClampDelayPrice": "the same, led to a delay",
    "Clamp": "the window control of CLAMP, [Andrew08] section 3",
    "OuterLoopMargin": "the margin of [Andrew08], eq. (18)",
    "LogSnr": "the metric of [EvdoTcp], eq. (5) as printed",
    "Gaps": "the gap moments of TCP-PF, [Klein04] eqs (13) to (18)",
    "GapAveraged": "TCP-PF, [Klein04] eqs (19) and (20)",
    "IdealTcpPf": "a control of [Klein04], eq. (3)",
}
"""Class of a table -> whose mechanism it is."""
Fields = dict[str, Any]


def fields_of(section: Any, above: str = "") -> Iterator[tuple[str, Fields]]:
    """Every field of the declaration with the class of its table."""
    if isinstance(section, dict):
        if "source" in section and "form" in section:
            yield above, section
        for key, value in section.items():
            yield from fields_of(value, section.get("class", above) if key == "members" else above)
    elif isinstance(section, list):
        for each in section:
            yield from fields_of(each, above)


def rests_on_a_paper(source: str) -> bool:
    first = re.sub(r"\([^)]*\)", "", source).split(";")[0]
    return STUDIED.search(first) is not None


def test_no_default_comes_from_one_paper_but_those_of_its_own_mechanism() -> None:
    fields = list(fields_of(json.loads(_rust.declaration())))
    found = {
        (table, each["name"]) for table, each in fields if not each["required"] and rests_on_a_paper(each["source"])
    }
    assert sorted(one for one in found if one[0] not in MECHANISMS) == []
    assert sorted(set(MECHANISMS) - {table for table, _ in found}) == []


def test_a_source_rests_on_what_it_names_first() -> None:
    assert rests_on_a_paper("profile K3 of [Klein04]; RFC 5681: 2-4")
    assert not rests_on_a_paper("RFC 5681: 2-4; profile K3 of [Klein04]: 1")
    assert not rests_on_a_paper("airlink default ([Kakuda] does not say)")
