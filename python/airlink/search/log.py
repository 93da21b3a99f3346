"""The log of a search: a file to which every evaluation is added, and from which a search that was ended goes on.

    {"goal": ..., "engine": ...}                                     the first line: what the numbers are of
    {"settings": {...}, "seeds": [1, 2], "points": [0.41, 9.6e6]}    one for each scheduler and its seeds

A search that begins again draws the same schedulers in the same order, and finds here the numbers of those that were
run. A last line that was cut off is left out and overwritten. Left out: two searches at once with one log.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from airlink import engine
from airlink.engine import RequestError
from airlink.search.goal import Goal

Key = tuple[str, tuple[int, ...]]


class Log:
    """The log in a file, or in memory alone.

    Parameters
    ----------
    goal : what the numbers are of.
    path : of the file; it is made if it is not there. None: nothing is kept.

    Raises
    ------
    RequestError : the file is of another goal or engine, or no log; it can't be read or written.
    """

    def __init__(self, goal: Goal, path: Path | None = None) -> None:
        self.path = path
        self._known: dict[Key, tuple[float, ...]] = {}
        if path is not None:
            try:
                self._open(path, {"goal": identity(goal), "engine": engine.engine_build()})
            except OSError as error:
                raise RequestError(f"log {path}: {error.strerror}") from None

    def get(self, settings: Mapping[str, Any], seeds: Sequence[int]) -> tuple[float, ...] | None:
        """The numbers of a scheduler over these seeds, if they are known."""
        return self._known.get(_key(settings, seeds))

    def add(self, settings: Mapping[str, Any], seeds: Sequence[int], points: Sequence[float]) -> None:
        """Keeps the numbers of a scheduler."""
        self._known[_key(settings, seeds)] = tuple(points)
        told = {"settings": dict(settings), "seeds": list(seeds), "points": [_as_json(each) for each in points]}
        self._append(told)

    def _open(self, path: Path, first: Mapping[str, str]) -> None:
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True) if path.is_file() else []
        whole = [line for line in lines if line.endswith("\n")]
        if not whole:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(first) + "\n", encoding="utf-8")
            return
        if whole != lines:
            path.write_text("".join(whole), encoding="utf-8")
        try:
            head, *entries = map(json.loads, whole)
            for each in entries:
                self._known[_key(each["settings"], each["seeds"])] = tuple(map(_as_number, each["points"]))
        except (ValueError, KeyError, TypeError):
            raise RequestError(f"log {path}: is no log of a search; name another file") from None
        if head != first:
            raise RequestError(f"log {path} is of another goal or engine; name another file, or delete it")

    def _append(self, entry: Mapping[str, Any]) -> None:
        if self.path is not None:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(entry) + "\n")


def identity(goal: Goal) -> str:
    """The SHA-256 of what a goal's numbers depend on; of a function of replicas that is its name."""
    told = [goal.scenario.to_json(), list(goal.names), list(goal.recorded)]
    return sha256(json.dumps(told).encode()).hexdigest()


def _key(settings: Mapping[str, Any], seeds: Sequence[int]) -> Key:
    return json.dumps(dict(settings), sort_keys=True), tuple(seeds)


def _as_json(number: float) -> float | str:
    return number if math.isfinite(number) else str(number)


def _as_number(written: float | str) -> float:
    return float(written)
