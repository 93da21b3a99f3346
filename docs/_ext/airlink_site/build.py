"""Makes the site: gathers its pages, makes the gallery's pictures, and lets Sphinx write it."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

from airlink_site import command_pages, field_pages, front, notebooks, project_pages, python_pages
from airlink_site.written import KEPT, Pages

ROOT = project_pages.ROOT
BUILT = ".built"
"""A file of the site that is as old as the last build without a warning."""
STRICT = ("-W", "--keep-going", "-q")
"""A warning fails the build, after all of them are shown."""


def gather(folder: Path) -> None:
    """Fills the folder that Sphinx reads."""
    pages = Pages(folder)
    pages.copy(ROOT / "docs")
    for source in (field_pages, command_pages, python_pages, project_pages):
        source.write(pages)
    pages.remove_others()


def draw(folder: Path, only: str | None) -> None:
    """Makes the pictures of the gallery, or one of them."""
    maker = ROOT / "docs/gallery/build.py"
    if not maker.is_file():
        return
    spec = importlib.util.spec_from_file_location("gallery_build", maker)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    module.build(folder / KEPT, only)


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
    gather(folder)
    draw(folder, None if choice == "all" else front.PICTURE)
    # Pictures that this build leaves out are missed by the gallery's page.
    leave_out = () if choice == "all" else ("-D", "suppress_warnings=image.not_readable")
    places = ("-c", ROOT / "docs", "-d", folder.parent / f"{folder.name}-read", folder, out)
    code = build_main([*STRICT, *leave_out, "-j", "auto", *map(str, places)])
    if code == 0:
        (out / BUILT).touch()
    return code
