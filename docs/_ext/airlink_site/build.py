"""Makes the site: gathers its pages, makes the gallery's pictures, and lets Sphinx write it."""

from __future__ import annotations

import re
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from airlink_site import command_pages, field_pages, front, notebooks, project_pages, python_pages
from airlink_site.written import KEPT, Pages

ROOT = project_pages.ROOT
BUILT = ".built"
"""A file of the site that is as old as the last build without a warning."""
STRICT = ("-W", "--keep-going", "-q")
"""A warning fails the build, after all of them are shown."""


SHOWN = re.compile(r"^```\{\w+\} (pictures/\S+)\n.*?^```\n", re.MULTILINE | re.DOTALL)
"""What shows a file of the gallery."""


def gather(folder: Path) -> None:
    """Fills the folder that Sphinx reads. The gallery shows the pictures that are there."""
    pages = Pages(folder)
    pages.copy(ROOT / "docs")
    for source in (field_pages, command_pages, python_pages, project_pages):
        source.write(pages)
    index = (ROOT / "docs/gallery/index.md").read_text(encoding="utf-8")
    pages.write("gallery/index.md", made(index, folder / "gallery"))
    pages.remove_others()


def made(text: str, folder: Path) -> str:
    """The page of the gallery without the files that this build did not make."""
    return SHOWN.sub(lambda found: found[0] if (folder / found[1]).is_file() else "", text)


def gallery() -> Any:
    """What makes the pictures of the gallery: docs/gallery/build.py."""
    sys.path.insert(0, str(ROOT / "docs"))
    return import_module("gallery.build")


def site(out: Path, folder: Path, choice: str) -> int:
    """Makes the site.

    Parameters
    ----------
    out, folder : where it comes, and where its pages are gathered.
    choice : which tutorials are executed, as `AIRLINK_SITE_NOTEBOOKS` says; all of them also means all pictures.

    Returns
    -------
    The exit code: 0 without a warning.
    """
    from sphinx.cmd.build import build_main

    notebooks.left_out(choice)
    gallery().build(folder / KEPT, None if choice == "all" else front.PICTURE)
    gather(folder)
    places = ("-c", ROOT / "docs", "-d", folder.with_name(f"{folder.name}-read"), folder, out)
    code: int = build_main([*STRICT, "-j", "auto", *map(str, places)])
    if code == 0:
        notebooks.copied(out)
        (out / BUILT).touch()
    return code
