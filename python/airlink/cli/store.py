"""`airlink store`: results that were stored."""

from __future__ import annotations

import sys

import typer

from airlink.cli.commands import KEEP, fail, group
from airlink.cli.options import Folder
from airlink.result import Result
from airlink.result.files import is_as_written
from airlink.result.folder import MANIFEST

HELP = """Look after stored results.

airlink store digest airlink-results/k3-1
"""

store = group()


def register(app: typer.Typer) -> None:
    """Adds the commands."""
    store.command("digest")(digest)
    app.add_typer(store, name="store", help=HELP, rich_help_panel=KEEP)


def digest(directory: Folder) -> None:
    """Print the digest of a stored result: a hash of every number the engine recorded.

    airlink store digest airlink-results/k3-1

    Equal digests mean equal results, on any machine, with any number of threads.

    The digest is computed again from the stored numbers. If numbers or description (result.json) were changed since
    the result was written, the command says so and ends with exit code 2.
    """
    result = Result.load(directory)
    changed = [
        replica.seed
        for replica, computed in zip(result.replicas, result.digests(), strict=True)
        if replica.digest != computed
    ]
    if not is_as_written(directory):
        fail(f"{directory}: {MANIFEST} was changed since it was written")
    if changed:
        fail(f"{directory}: changed since it was written; seeds {', '.join(map(str, changed))}")
    sys.stdout.write(result.digest() + "\n")
