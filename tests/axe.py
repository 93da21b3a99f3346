"""What axe-core finds wrong with a page that stands open in Chromium, as lines that say where.

Only the file axe.min.js of the package axe-playwright-python is used; nothing of that package is imported.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import chromium

GRAVE = frozenset({"serious", "critical"})
"""Impacts that no page may have."""

RUN = """(async () => {
  const resultTypes = ["violations", "incomplete"];
  const { violations, incomplete } = await axe.run(document, { resultTypes, preload: false });
  const unreadable = ({ any }) => any[0]?.data?.messageKey === "equalRatio";
  const same = incomplete.filter(({ id }) => id === "color-contrast")
    .map((each) => ({ ...each, nodes: each.nodes.filter(unreadable) })).filter(({ nodes }) => nodes.length);
  const why = ({ any, all, none }) => [...any, ...all, ...none][0]?.message || "";
  const told = (node) => [node.target.flat().join(" "), why(node)];
  return [...violations, ...same].map(({ id, impact, nodes }) => ({ id, impact, nodes: nodes.map(told) }));
})()"""
"""Text in the very colour of its ground axe leaves to people; it counts as a violation here."""

SHOWN = 4


@cache
def script() -> str:
    """The source of axe-core."""
    found = find_spec("axe_playwright_python")
    origin = found and found.origin
    assert origin, "axe-playwright-python is not installed: make .venv/.test-tools"
    return Path(origin).with_name("axe.min.js").read_text(encoding="utf-8")


def faults(browser: chromium.Browser, impacts: frozenset[str] = GRAVE) -> list[str]:
    """The violations of the page that is open, a line a rule: impact, rule, how often, the first places and why."""
    if not browser.value("typeof axe === 'object'"):
        browser.call("Runtime.evaluate", expression=script())
    found: list[dict[str, Any]] = browser.value(RUN)
    return [_line(each) for each in found if each["impact"] in impacts]


def _line(violation: dict[str, Any]) -> str:
    places = [f"{where} ({why})" if why else where for where, why in violation["nodes"][:SHOWN]]
    return f"{violation['impact']}: {violation['id']} x {len(violation['nodes'])}: {json.dumps(places)}"
