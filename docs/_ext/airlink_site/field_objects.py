"""A field of a scenario as an object of Sphinx: found by the search and the index, with an anchor of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.environment import BuildEnvironment


def parts(signature: str) -> tuple[str, str, str]:
    """Path of the table, name and kind of `channel.placement.radius_m (disc)`."""
    path, _, kind = signature.partition(" (")
    table, _, name = path.rpartition(".")
    return table, name, kind.rstrip(")")


def parse(_env: BuildEnvironment, signature: str, node: Any) -> str:
    """Shows the last part of a field's path, what is around it smaller; the object is known by all of it."""
    from sphinx import addnodes

    table, name, _ = parts(signature)
    node += addnodes.desc_addname("", f"{table}." if table else "")
    node += addnodes.desc_name(name, name)
    return signature
