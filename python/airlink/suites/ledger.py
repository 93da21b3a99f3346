"""The ledger of judgings: an append-only file in which a candidate's hash stands before the hidden seed is made.

    {"event": "committed", "hash": ..., "name": ..., "file": ..., "at": ..., "before": ...}
    {"event": "revealed", "judging": ..., "seed": ..., "drawn": true, ...}
    {"event": "judged", "judging": ..., "public": {...}, "hidden": {...}, ...}
    {"event": "failed", "judging": ..., "why": ...}                              instead of it, where a run failed

A line a event, as JSON. `before` is the SHA-256 of the line before, so that a line that was changed or taken out in the
middle is seen. Left out: what nobody can see from here: a ledger that was deleted, or one on another machine.
"""

from __future__ import annotations

import json
import os
import secrets
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timezone
from hashlib import sha256
from pathlib import Path
from typing import Any

from airlink.result import ResultError
from airlink.result.locks import NO_LOCKS, try_lock
from airlink.suites.candidate import Candidate

FILE = "judgings.jsonl"
"""In the folder of the store."""

WAIT_S = 10.0
SEED_BITS = 53
"""So many that a seed is the same number in JSON everywhere."""


def now() -> datetime:
    """The time of the wall."""
    return datetime.now(timezone.utc)


@dataclass(frozen=True)
class Count:
    """How often a candidate was judged before, as this ledger knows.

    Attributes
    ----------
    hash : judgings of the same hash, this one included.
    name : judgings of the same file, or without one of the same name, whatever their hashes; this one included.
    hashes : different hashes among those.
    replays : judgings of the same hash whose hidden seed was given, not drawn.
    """

    hash: int
    name: int
    hashes: int
    replays: int


class Ledger:
    """The ledger in a file.

    Parameters
    ----------
    path : of the file; it is made with the first entry.
    clock : tells the time of an entry.

    Examples
    --------
    >>> import tempfile
    >>> from airlink.suites.candidate import read_candidate
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ledger = Ledger(Path(folder) / "judgings.jsonl")
    ...     number = ledger.commit(read_candidate("tcp_pf"), "schedulers", "0.1")
    ...     seed = ledger.reveal(number)
    ...     number, 0 <= seed < 2**53, ledger.count(read_candidate("tcp_pf")).hash, ledger.broken()
    (1, True, 1, [])
    """

    def __init__(self, path: Path, clock: Callable[[], datetime] = now) -> None:
        self.path = path
        self._clock = clock

    def commit(self, candidate: Candidate, suite: str, version: str) -> int:
        """Writes the candidate's hash down; returns the number of the judging, from 1.

        Raises
        ------
        ResultError : the ledger can't be written; nothing may be judged then.
        """
        told = {"hash": candidate.hash, "name": candidate.name, "file": candidate.file, "text": candidate.text}
        with self._open():
            number = 1 + self.judgings()
            self._append({"event": "committed", "judging": number, **told, "suite": suite, "version": version})
        return number

    def reveal(self, judging: int, given: int | None = None) -> int:
        """The hidden seed of a judging that was committed: fresh entropy, or the one that is given, written down."""
        seed = secrets.randbits(SEED_BITS) if given is None else given
        with self._open():
            self._append({"event": "revealed", "judging": judging, "seed": seed, "drawn": given is None})
        return seed

    def close(self, judging: int, found: Mapping[str, Any]) -> None:
        """Writes down how a judging ended."""
        with self._open():
            self._append({"event": "judged", "judging": judging, **found})

    def fail(self, judging: int, why: str) -> None:
        """Writes down that a judging ended without an outcome, as its candidate failed in a case."""
        with self._open():
            self._append({"event": "failed", "judging": judging, "why": why})

    def judgings(self) -> int:
        """How many candidates' hashes stand in it."""
        return len([each for each in self.entries() if each["event"] == "committed"])

    def entries(self) -> list[dict[str, Any]]:
        """The entries that can be read, in order."""
        read = (_read(line) for line in self._lines())
        return [each for each in read if each is not None]

    def broken(self) -> list[int]:
        """Numbers of the lines, from 1, that can't be read or do not follow the line before them."""
        found, before = [], ""
        for number, line in enumerate(self._lines(), 1):
            entry = _read(line)
            if entry is None or entry.get("before") != before:
                found.append(number)
            before = sha256(line.encode()).hexdigest()
        return found

    def count(self, candidate: Candidate) -> Count:
        """How often a candidate was judged, by what can be read of lines that were changed: `broken` tells of those."""
        entries = self.entries()
        committed = [each for each in entries if each["event"] == "committed"]
        given = [each["judging"] for each in entries if each["event"] == "revealed" and not each.get("drawn", True)]
        same = [each for each in committed if each.get("hash") == candidate.hash]
        key = "file" if candidate.file else "name"
        named = [each for each in committed if each.get(key) == getattr(candidate, key)]
        replays = sum(each["judging"] in given for each in same)
        return Count(len(same), len(named), len({str(each.get("hash")) for each in named}), replays)

    def _lines(self) -> list[str]:
        try:
            return self.path.read_text(encoding="utf-8", errors="replace").splitlines()
        except FileNotFoundError:
            return []
        except OSError as error:
            raise ResultError(f"{self.path}: the ledger can't be read: {error.strerror}") from None

    def _append(self, entry: Mapping[str, Any]) -> None:
        lines = self._lines()
        before = sha256(lines[-1].encode()).hexdigest() if lines else ""
        told = {"at": self._clock().isoformat(timespec="milliseconds"), **entry, "before": before}
        line = json.dumps(told, allow_nan=False)
        try:
            with self.path.open("ab") as file:
                # What a killed process left of a line stands by itself, and is seen as broken.
                whole = not file.tell() or self.path.read_bytes().endswith(b"\n")
                file.write(f"{'' if whole else chr(10)}{line}\n".encode())
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise ResultError(f"{self.path}: the ledger can't be written: {error.strerror}") from None

    @contextmanager
    def _open(self) -> Iterator[None]:
        """One process at a time writes to the ledger."""
        held = None
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            until_s = time.monotonic() + WAIT_S
            while (held := try_lock(self.path)) is None and time.monotonic() < until_s:
                time.sleep(0.02)
        except OSError as error:
            if error.errno not in NO_LOCKS:
                raise ResultError(f"{self.path}: the ledger can't be written: {error.strerror}") from None
        try:
            yield
        finally:
            if held is not None:
                os.close(held)


def _read(line: str) -> dict[str, Any] | None:
    try:
        entry = json.loads(line)
    except ValueError:
        return None
    return entry if isinstance(entry, dict) and {"event", "judging"} <= set(entry) else None
