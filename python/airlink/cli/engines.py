"""What a command's replicas are run by, and the store that keeps them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from airlink.cli.commands import message
from airlink.result import ResultError

if TYPE_CHECKING:
    from airlink.store import Store

STORE = Path("airlink-results")
"""Where replicas are kept, unless `--store` or AIRLINK_STORE names another folder; that of `airlink.store.DEFAULT`."""


@contextmanager
def opened(folder: Path | None) -> Iterator[Store | None]:
    """The store of that folder; None for none, and with a warning for one that can't be used: it should cost no run."""
    if folder is None:
        yield None
        return
    # Loaded when needed: other commands should not wait for it.
    from airlink.store import Store

    try:
        store = Store(folder)
    except (ResultError, OSError) as error:
        message(f"warning: {error}; going on without the store")
        yield None
        return
    try:
        yield store
    finally:
        for note in store.notes:
            message(f"warning: {note}")
        # What could not be written was told before.
        with suppress(ResultError, OSError):
            store.close()
