"""The tree of pages. A page that others stand below lists them as plain links, which a forge shows as well.

The order is that of the links; pages of the group to which no link leads come after them.
"""

from __future__ import annotations

import re
from pathlib import Path
from posixpath import dirname, join, normpath, relpath

from airlink_site.links import LINK, PAGE_SUFFIXES

REFERENCE = "reference/index"
BELOW: dict[str, tuple[str, ...]] = {
    "index": (
        "install",
        "start",
        "tutorials/index",
        "how-to/index",
        "concepts/index",
        REFERENCE,
        "gallery/index",
        "studies",
        "trust",
    ),
    "tutorials/index": ("tutorials/*",),
    "how-to/index": (
        "how-to/*",
        "questions",
        "explain",
        "fairness",
        "flow-view",
        "flow-page",
        "report",
        "captures",
        "cluster",
        "store",
        "validation-ns2",
    ),
    "concepts/index": ("concepts/*", "models/*"),
    "gallery/index": ("gallery/*",),
    "studies": ("studies/*",),
    "trust": ("validation", "statistics", "performance"),
    REFERENCE: (
        "reference/scenario/index",
        "reference/commands/index",
        "results",
        "reference/python/index",
        "glossary",
        "notation",
        "measures",
        "defaults",
        "warnings",
        "version-2",
        "examples/README",
        "rules",
        "scripts",
        "closed-forms",
        "first-steps",
        "reference/project/*",
    ),
    "reference/scenario/index": ("reference/scenario/*",),
    "reference/commands/index": ("reference/commands/*",),
    "reference/python/index": ("reference/python/*",),
}
"""Pages, and patterns of the pages below each."""


def below(page: str, text: str, docs: Path) -> str:
    """The tree below a page, as a directive that shows nothing; empty where nothing stands below."""
    names = pages_below(page, text, docs)
    if not names or "{toctree}" in text:
        return ""
    entries = "\n".join(relpath(name, dirname(page) or ".") for name in names)
    entries += "\nIndex </genindex>" if page == REFERENCE else ""
    return f"\n\n```{{toctree}}\n:hidden:\n\n{entries}\n```\n"


def pages_below(page: str, text: str, docs: Path) -> list[str]:
    """The pages below one, as paths in docs/ without suffix."""
    group = [name for pattern in BELOW.get(page, ()) for name in matching(pattern, docs) if name != page]
    linked = [normpath(join(dirname(page), link.partition("#")[0])) for link in LINK.findall(text)]
    first = [name for link in linked if (name := re.sub(r"\.(md|ipynb|rst)$", "", link)) in group]
    return list(dict.fromkeys([*first, *group]))


def matching(pattern: str, docs: Path) -> list[str]:
    """The pages that a pattern names, in the order of their paths."""
    found = docs.glob(f"{pattern}.*") if "*" in pattern else (docs / f"{pattern}{end}" for end in sorted(PAGE_SUFFIXES))
    names = [path for path in found if path.suffix in PAGE_SUFFIXES and path.is_file()]
    return sorted({str(path.relative_to(docs).with_suffix("")) for path in names})
