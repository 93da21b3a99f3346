"""Pages of the site for the files beside docs/: the README, the architecture, the changelog, the references."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from airlink_site.written import Pages

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FOLDER = "reference/project"
ROOT = Path(__file__).parents[3]
FILES = ("README", "ARCHITECTURE", "CONTRIBUTING", "CHANGELOG", "STYLE", "SECURITY")
REFERENCES = f"{FOLDER}/references.md"


def places() -> dict[str, str]:
    """Where files of the repository are on the site, as paths in docs/."""
    found = {f"{name}.md": f"{FOLDER}/{name.lower()}.md" for name in FILES}
    return {**found, "docs/references.toml": REFERENCES}


def write(pages: Pages) -> None:
    """Writes the pages; their links are changed when Sphinx reads them."""
    for name in FILES:
        pages.write(f"{FOLDER}/{name.lower()}.md", (ROOT / f"{name}.md").read_text(encoding="utf-8"))
    pages.write(f"{FOLDER}/references.md", references())


def key_slug(key: str) -> str:
    """The anchor of a reference."""
    return f"reference-{key.lower()}"


def references() -> str:
    """The page of all references."""
    return "\n".join(_references())


def _references() -> Iterator[str]:
    found: dict[str, Any] = tomllib.loads((ROOT / "docs/references.toml").read_text(encoding="utf-8"))
    rfcs = found.pop("rfc")
    yield "# References\n"
    yield "Every paper, standard and RFC that the pages and the code cite, by key.\n"
    yield "## Papers and standards\n"
    for key, entry in found.items():
        yield f"({key_slug(key)})=\n\\[{key}\\]\n: {_entry(entry)}\n"
    yield "## RFCs\n"
    for number, entry in rfcs.items():
        later = " or ".join(f"RFC {successor}" for successor in entry.get("obsoleted_by", []))
        obsolete = f" Obsolete: {later}." if later else ""
        yield f"({key_slug(f'rfc{number}')})=\nRFC {number}\n: {_entry(entry)}{obsolete}\n"


def _entry(entry: dict[str, Any]) -> str:
    title = f"*{entry['title']}*" if entry.get("title") else ""
    told = [str(part) for part in (entry.get("authors"), title, entry.get("in"), entry.get("year")) if part]
    note = f" ({entry['note']})" if entry.get("note") else ""
    return ", ".join(told) + note + "."
