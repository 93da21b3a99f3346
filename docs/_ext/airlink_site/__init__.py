"""What the site needs beside its pages: generated pages, links that leave docs/, the tree of pages, formulas.

Each module has one idea. Those that write pages know nothing of Sphinx; this one connects them.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from airlink_site import command_pages, field_objects, field_pages, formulas, links, project_pages, python_pages, section_links, tree
from airlink_site.written import Pages

if TYPE_CHECKING:
    from sphinx.application import Sphinx


def setup(app: Sphinx) -> dict[str, Any]:
    """Connects the parts with Sphinx."""
    app.add_object_type("field", "field", "%s; field of a scenario", field_objects.parse, objname="field of a scenario")
    formulas.setup(app)
    app.connect("config-inited", lambda app, _: generate(Path(app.srcdir)))
    app.connect("source-read", rewritten)
    app.connect("missing-reference", section_links.resolved)
    app.connect("autodoc-process-docstring", python_pages.docstring)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def generate(docs: Path) -> None:
    """Writes the generated pages, those that changed."""
    pages = Pages(docs / "reference")
    for source in (field_pages, command_pages, python_pages, project_pages):
        source.write(pages)
    pages.remove_others()


def rewritten(app: Sphinx, page: str, source: list[str]) -> None:
    """Gives a page links that lead somewhere on the site, and the pages below it."""
    docs = Path(app.srcdir)
    source[0] = links.for_site(source[0], page, docs) + tree.below(page, source[0], docs)
