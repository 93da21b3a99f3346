"""Runs with Python code of one's own: one after the other, in the thread that waits for them.

So Ctrl-C gets into that code as into any other, and what it raises comes out with its traceback. Several at a time are
several processes (`airlink.campaign`).
"""

from __future__ import annotations

from typing import Any

from airlink import _rust
from airlink.engine.request import Request
from airlink.own import OwnError


class OwnRuns:
    """As `_rust.Stream`, for a request with Python code.

    Parameters
    ----------
    request : what to run.
    folder : that packets are captured in; None: they are not.
    """

    def __init__(self, request: Request, folder: str | None) -> None:
        self._request, self._folder = request, folder
        self._scenarios = request.in_engine
        self._next = 0
        self._is_over = self._out_of_memory = False

    def take(self) -> tuple[int, int, dict[str, float], _rust.Recording, tuple[int, str, str] | None] | None:
        """Runs the next one; raises StopIteration after the last, and OwnError where the code fails."""
        if self._is_over or self._next == self._request.jobs:
            raise StopIteration
        index = self._next
        place, seed = self._request.job(index)
        try:
            _, _, *found = self._run(place, seed)
        except MemoryError:
            self._is_over = self._out_of_memory = True
            raise StopIteration from None
        self._next += 1
        return (index, seed, *found)

    def _run(self, place: int, seed: int) -> Any:
        request = self._request
        objects = request.parts[place].for_engine(request.scenarios[place], seed, _rust.RandomStream)
        try:
            return _rust.run_own(
                self._scenarios, place, seed, request.record, objects, self._folder, request.snap_bytes
            )
        except _rust.OwnCodeError as error:
            raise OwnError(str(error)) from error.__cause__

    def cancel(self) -> None:
        """Nothing more is run."""
        self._is_over = True

    def close(self) -> None:
        """The same."""
        self._is_over = True

    def is_out_of_memory(self) -> bool:
        """Whether memory ended the runs."""
        return self._out_of_memory
