"""What the site needs beside its pages: generated pages, links that leave docs/, the tree of pages, formulas.

Each module has one idea. Those that write pages know nothing of Sphinx; this one connects the others with it.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any
from zlib import crc32

from airlink_site import (
    cross_links,
    field_objects,
    formulas,
    front,
    links,
    notebooks,
    python_pages,
    section_links,
    tree,
)

if TYPE_CHECKING:
    from sphinx.application import Sphinx


def setup(app: Sphinx) -> dict[str, Any]:
    """Connects the parts with Sphinx."""
    app.add_object_type("field", "field", "%s; field of a scenario", field_objects.parse, objname="field of a scenario")
    formulas.setup(app)
    app.connect("source-read", rewritten)
    app.connect("missing-reference", section_links.resolved)
    app.connect("doctree-resolved", cross_links.linked)
    app.connect("autodoc-process-docstring", python_pages.docstring)
    app.connect("autodoc-skip-member", python_pages.is_skipped)
    app.connect("html-page-context", python_pages.signatures)
    app.connect("html-page-context", notebooks.with_download)
    return {"version": "1", "env_version": _state(), "parallel_read_safe": True, "parallel_write_safe": True}


def _state() -> int:
    """A number for these sources: another one makes Sphinx read all pages anew."""
    return crc32(b"".join(path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py"))))


def rewritten(app: Sphinx, page: str, source: list[str]) -> None:
    """Gives a page links that lead somewhere on the site, and the pages below it."""
    folder = Path(app.srcdir)
    text = front.with_pictures(source[0]) if page == "index" else source[0]
    text = links.for_site(text, page)
    source[0] = text + tree.below(page, text, folder)
