"""Owners: who is writing to a store. An owner is a locked file, so it ends with its process, however that ends.

    owners/TOKEN      locked by the process that claims jobs and writes batches under this name; holds its number

Left out: where there are no locks (Windows, some network file systems) a killed process seems to live until its file is
removed by hand.
"""

from __future__ import annotations

import os
import secrets
import weakref
from contextlib import suppress
from pathlib import Path

from airlink.result.locks import NO_LOCKS, try_lock

OWNERS = "owners"


class Owner:
    """The process that runs, as a writer of one store.

    Attributes
    ----------
    token : its name.
    """

    def __init__(self, folder: Path) -> None:
        owners = folder / OWNERS
        owners.mkdir(exist_ok=True)
        descriptor = None
        while descriptor is None:
            self.token = secrets.token_hex(6)
            self._path = owners / self.token
            try:
                descriptor = try_lock(self._path)
            except OSError as error:
                if error.errno not in NO_LOCKS:
                    raise
                descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o666)
        self._descriptor: int | None = descriptor
        os.write(descriptor, str(os.getpid()).encode())
        _owners.add(self)

    @property
    def is_there(self) -> bool:
        """Whether its file is: it goes with the folder of the store, when somebody removes that."""
        try:
            return self._descriptor is not None and os.path.samestat(os.fstat(self._descriptor), self._path.stat())
        except FileNotFoundError:
            return False

    def close(self) -> None:
        """Ends it: what it claimed and did not finish is free."""
        if self._descriptor is not None:
            with suppress(OSError):
                self._path.unlink()
            self.forget()

    def forget(self) -> None:
        """Lets go of the file, which stays locked while another process holds it."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


_owners: weakref.WeakSet[Owner] = weakref.WeakSet()


def _after_fork() -> None:
    # A child that outlives a killed parent must not keep its claims.
    for owner in list(_owners):
        owner.forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def is_alive(folder: Path, token: str) -> bool:
    """Whether the owner of that name still runs; removes the file of one that was killed."""
    path = folder / OWNERS / token
    try:
        descriptor = try_lock(path, make=False)
    except OSError as error:
        return error.errno in NO_LOCKS
    if descriptor is None:
        return path.exists()
    with suppress(OSError):
        path.unlink()
    os.close(descriptor)
    return False
