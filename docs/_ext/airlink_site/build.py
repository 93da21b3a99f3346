"""Makes the site: gathers its pages, makes the gallery's pictures, and lets Sphinx write it."""

from __future__ import annotations

import importlib.util
import re
import sys
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
    if (index := ROOT / "docs/gallery/index.md").is_file():
        pages.write("gallery/index.md", made(index.read_text(encoding="utf-8"), folder / "gallery"))
    pages.remove_others()


def made(text: str, folder: Path) -> str:
    """The page of the gallery without the files that this build did not make."""
    return SHOWN.sub(lambda found: found[0] if (folder / found[1]).is_file() else "", text)


def gallery() -> Any:
    """What makes the pictures of the gallery: docs/gallery/build.py; None where there is none."""
    maker = ROOT / "docs/gallery/build.py"
    spec = importlib.util.spec_from_file_location("gallery_build", maker) if maker.is_file() else None
    if spec is None or spec.loader is None:
        return None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


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
    only = None if choice == "all" else front.PICTURE
    if (maker := gallery()) is not None:
        maker.build(folder / KEPT, only)
    gather(folder)
    places = ("-c", ROOT / "docs", "-d", folder.with_name(f"{folder.name}-read"), folder, out)
    code = build_main([*STRICT, "-j", "auto", *map(str, places)])
    if code == 0:
        notebooks.copied(out)
        (out / BUILT).touch()
    return code
