"""docs/rules.md, made from docs/rules.toml: `python tests/rules_page.py > docs/rules.md`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parent.parent
RULES: list[dict[str, Any]] = tomllib.loads((ROOT / "docs/rules.toml").read_text())["rule"]
REFERENCES = tomllib.loads((ROOT / "docs/references.toml").read_text())

ABOVE = """# Rules of TCP

Every rule can be switched by itself: the field is one of `[flows.tcp]` ([scenario.md](scenario.md)), most of them in
its table `[flows.tcp.rules]`, and its script shows what the rule does ([scripts.md](scripts.md)). Each script holds
with the first value and not with the second, which `tests/test_rules.py` tries. Which values go together is a profile.

Made from [rules.toml](rules.toml) by `make docs`.
"""


def page() -> str:
    """The page: a table for every RFC, in the order of the file."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for rule in RULES:
        groups.setdefault(heading(rule), []).append(rule)
    return ABOVE + "".join(f"\n## {title}\n\n{table(rules)}" for title, rules in groups.items())


def heading(rule: dict[str, Any]) -> str:
    """The RFC and its title; rules of no RFC stand together."""
    if "rfc" not in rule:
        return "Rules of no RFC"
    return f"RFC {rule['rfc']}: {REFERENCES['rfc'][str(rule['rfc'])]['title']}"


def table(rules: list[dict[str, Any]]) -> str:
    """One line a rule."""
    lines = [row("where", "rule", "what it says", "field", "on", "off", "script"), row(*["---"] * 7)]
    for rule in rules:
        where = f"section {rule['section']}" if "section" in rule else rule["source"]
        script = f"[{rule['script']}](../tests/scripts/{rule['script']}.tcp)"
        values = shown(rule["on"]), shown(rule["off"])
        lines.append(row(where, rule["name"], rule["what"], f"`{rule['switch']}`", *values, script))
    return "\n".join(lines) + "\n"


def row(*cells: str) -> str:
    """One line of a table."""
    return f"| {' | '.join(cells)} |"


def shown(value: Any) -> str:
    """A value as in TOML, in code."""
    if isinstance(value, dict):
        return f"`{value['kind']}`"
    return f"`{value}`" if isinstance(value, str) else f"`{json.dumps(value)}`"


if __name__ == "__main__":
    sys.stdout.write(page())
