"""Links that nobody has to write: a key such as [Klein04], an RFC and the path of a field lead to what they name.

Left out: headings, signatures, and what is a link already.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from airlink_site import project_pages

if TYPE_CHECKING:
    from sphinx.application import Sphinx

CITED = re.compile(r"\[([A-Z][A-Za-z]+\d{2}[a-z]?|EvdoTcp|Kakuda)\]|\bRFC (\d{3,5})\b")
PAGE = project_pages.REFERENCES.removesuffix(".md")


def linked(app: Sphinx, tree: Any, page: str) -> None:
    """Makes the links of a page."""
    from docutils import nodes

    places = fields(app.env)
    for node in list(tree.findall(nodes.literal)):
        place = places.get(node.astext().partition("=")[0].strip())
        if place and _is_free(node):
            address = f"{app.builder.get_relative_uri(page, place[0])}#{place[1]}"
            node.replace_self(nodes.reference("", "", node.deepcopy(), internal=True, refuri=address))
    if page == PAGE:
        return
    address = app.builder.get_relative_uri(page, PAGE)
    for text in list(tree.findall(nodes.Text)):
        if CITED.search(text) and _is_free(text):
            text.parent.replace(text, list(_cited(str(text), address)))


@cache
def known() -> frozenset[str]:
    """The anchors of all references."""
    return frozenset(re.findall(r"^\((.+)\)=$", project_pages.references(), re.MULTILINE))


def fields(env: Any) -> dict[str, tuple[str, str]]:
    """Page and anchor of each field, by its path; of fields that several kinds have, those of the first kind."""
    found: dict[str, tuple[str, str]] = {}
    for (kind, name), place in env.domains["std"].data["objects"].items():
        if kind == "field" and "." in name:
            found.setdefault(name.partition(" (")[0], place)
    return found


def _is_free(node: Any) -> bool:
    """Whether a node stands in running text."""
    from docutils import nodes
    from sphinx import addnodes

    taken = (nodes.reference, nodes.title, nodes.literal, nodes.literal_block, nodes.math, addnodes.desc_signature)
    above = node.parent
    while above is not None:
        if isinstance(above, taken):
            return False
        above = above.parent
    return True


def _cited(text: str, address: str) -> Iterator[Any]:
    """A text with its keys and RFCs as links; what the list of references does not hold stays text."""
    from docutils import nodes

    end = 0
    for found in CITED.finditer(text):
        anchor = project_pages.key_slug(found[1] or f"rfc{found[2]}")
        if anchor in known():
            yield nodes.Text(text[end : found.start()])
            yield nodes.reference("", found[0], internal=True, refuri=f"{address}#{anchor}")
            end = found.end()
    yield nodes.Text(text[end:])
