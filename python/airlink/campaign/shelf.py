"""The store as a campaign uses it: replicas by their places in a request. One that fails costs a warning, no result.

Left out: how replicas are stored (`airlink.store`).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from airlink.engine import Replica, Request
from airlink.result import ResultError
from airlink.result.errors import StoreWarning

if TYPE_CHECKING:
    from airlink.store import Store

T = TypeVar("T")


@contextmanager
def opened(store: Store | Path | str | None) -> Iterator[Store | None]:
    """A store, or that of a folder, closed afterwards; None for none, or for one that can't be used.

    Warns
    -----
    StoreWarning : the store of that folder can't be used, or something in it was damaged.
    """
    if not isinstance(store, Path | str):
        yield store
        return
    # Loaded when needed: what keeps nothing should not wait for it.
    from airlink.store import Store

    try:
        kept = Store(store)
    except (ResultError, OSError) as error:
        warnings.warn(f"{error}; going on without the store", StoreWarning, stacklevel=3)
        yield None
        return
    try:
        yield kept
    finally:
        for note in kept.notes:
            warnings.warn(note, StoreWarning, stacklevel=3)
        # What could not be written was told before.
        with suppress(ResultError, OSError):
            kept.close()


class Shelf:
    """Where the replicas of a request are kept, if anywhere.

    Parameters
    ----------
    request : whose replicas.
    store : that keeps them; None: they are not kept.
    """

    def __init__(self, request: Request, store: Store | None) -> None:
        self._request = request
        self._store = store
        self._keys: dict[int, str] = {}

    @property
    def is_open(self) -> bool:
        """Whether replicas are kept."""
        return self._store is not None

    def find(self, place: int, positions: Sequence[int]) -> list[int]:
        """Which seeds of a scenario, by their positions in the request, are stored."""
        nothing: set[int] = set()
        found = self._tried(lambda store: store.find(self._key(store, place), self._seeds(positions)), nothing)
        return [position for position in positions if self._request.seeds[position] in found]

    def claim(self, place: int, positions: Sequence[int]) -> list[int]:
        """Those that are ours to run: neither stored nor another process's."""
        seeds = self._seeds(positions)
        ours = set(self._tried(lambda store: store.claim(self._key(store, place), seeds), seeds))
        return [position for position in positions if self._request.seeds[position] in ours]

    def read(self, place: int, positions: Sequence[int]) -> Iterator[tuple[int, Replica]]:
        """Stored replicas, in that order; those that are lost by now are left out, all when the store fails."""
        store = self._store
        if store is None:
            return
        seeds = self._seeds(positions)
        of_seed = dict(zip(seeds, positions, strict=True))
        try:
            for replica in store.replicas(self._key(store, place), seeds):
                yield of_seed[replica.seed], replica
        except (ResultError, OSError) as error:
            self._fail(error)

    def put(self, place: int, replica: Replica) -> None:
        """Keeps a replica."""
        scenario, record = self._request.scenarios[place], self._request.record
        self._tried(lambda store: store.put(self._key(store, place), scenario, record, replica), None)

    def settle(self) -> None:
        """Writes what is not written yet; what was claimed and not run is others' again."""
        self._tried(lambda store: store.flush(), None)
        self._tried(lambda store: store.release(), None)

    def _key(self, store: Store, place: int) -> str:
        if place not in self._keys:
            request = self._request
            self._keys[place] = store.key(request.scenarios[place], request.record, request.parts[place].hashes)
        return self._keys[place]

    def _seeds(self, positions: Sequence[int]) -> list[int]:
        return [self._request.seeds[position] for position in positions]

    def _tried(self, use: Callable[[Store], T], otherwise: T) -> T:
        if self._store is None:
            return otherwise
        try:
            return use(self._store)
        except (ResultError, OSError) as error:
            self._fail(error)
            return otherwise

    def _fail(self, error: Exception) -> None:
        self._store = None
        warnings.warn(f"{error}; going on without the store", StoreWarning, stacklevel=2)
