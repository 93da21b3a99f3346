"""Links as the site needs them. The pages are written for a forge, where docs/ is a folder of a repository.

A link to a file that has a page leads to that page; to a file that has none, into the repository on its forge. The
one long page of all fields is many pages on the site, so links to it follow their anchors.
"""

from __future__ import annotations

import re
import sys
from functools import cache
from pathlib import Path
from posixpath import dirname, join, normpath, relpath

from airlink_site import command_pages, field_pages, project_pages, python_pages
from airlink_site.markdown import outside_code

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

LINK = re.compile(r"(?<=\]\()([^()\s\\]+)(?=\)|\s)")
FIELDS = "docs/scenario.md"
OTHERS = {
    "docs/README.md": "docs/index.md",
    "docs": "docs/index.md",
    "python/airlink/cli": f"docs/{command_pages.FOLDER}/index.md",
    "python/airlink": f"docs/{python_pages.FOLDER}/index.md",
}
"""Files and folders that are something else on the site."""
PAGE_SUFFIXES = {".md", ".ipynb", ".rst"}


@cache
def repository(root: Path = project_pages.ROOT) -> str:
    """The address of the repository, as pyproject.toml has it."""
    told = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    return str(told["project"]["urls"]["Repository"])


def for_site(text: str, page: str, root: Path = project_pages.ROOT) -> str:
    """A page's text with its links changed; `page` is its path in docs/, without suffix."""
    here = origin(page)

    def changed(link: re.Match[str]) -> str:
        return target(link[1], here, f"docs/{page}", root)

    return "".join(LINK.sub(changed, line) if is_text else line for is_text, line in outside_code(text))


def origin(page: str) -> str:
    """The file of the repository for which a page's links were written."""
    made = {path.removesuffix(".md"): name for name, path in project_pages.places().items()}
    return made.get(page, f"docs/{page}.md")


def target(link: str, here: str, page: str, root: Path) -> str:
    """Where a link leads on the site, seen from `page`; all paths but `root` are paths in the repository."""
    if re.match(r"[a-z]+:|#", link):
        return link
    path, mark, anchor = link.partition("#")
    named = normpath(join(dirname(here), path))
    found, anchor = place(named, anchor, root)
    if not found:
        kind = "tree" if (root / named).is_dir() else "blob"
        return f"{repository()}/{kind}/main/{named}{mark}{anchor}"
    return relpath(found, dirname(page)) + (f"#{anchor}" if anchor else "")


def place(named: str, anchor: str, root: Path) -> tuple[str, str]:
    """The file of the site for a file of the repository, and the anchor there; no path where there is none."""
    if named == FIELDS:
        page, _, there = field_pages.places().get(anchor, "index.md").partition("#")
        return f"docs/{field_pages.FOLDER}/{page}", there
    if named in project_pages.places():
        return f"docs/{project_pages.places()[named]}", anchor
    if named in OTHERS:
        return OTHERS[named], anchor
    if not named.startswith("docs/"):
        return "", anchor
    if (root / named).is_dir():
        held = [f"{named}/{name}" for name in ("index.md", "README.md") if (root / named / name).is_file()]
        return (held[0] if held else ""), anchor
    return named, anchor
