"""Classes of a scenario's tables in signatures: they lead to the page with their fields."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from airlink.scenario.page import heading
from airlink_site import field_pages
from airlink_site.markdown import slug

if TYPE_CHECKING:
    from sphinx.application import Sphinx

MODULES = ("airlink.scenario.sections.", "airlink.scenario.methods.")


@cache
def places() -> dict[str, tuple[str, str]]:
    """Page and anchor of each class of tables, by its name."""
    return {
        section.__name__: (f"{field_pages.FOLDER}/{page}", slug(heading(path, kind)))
        for page, held in reversed(field_pages.tables().items())
        for path, kind, section in reversed(held)
    }


def resolved(app: Sphinx, _env: Any, node: Any, content: Any) -> Any:
    """A reference to such a class; None for all others."""
    from docutils import nodes

    name = str(node.get("reftarget", ""))
    found = places().get(name.rpartition(".")[2]) if name.startswith(MODULES) else None
    if found is None:
        return None
    address = app.builder.get_relative_uri(node["refdoc"], found[0]) + f"#{found[1]}"
    return nodes.reference("", "", content, internal=True, refuri=address)
