"""Keys: the same content has the same key, whatever its scenario is called and wherever its files lie.

    SHA-256 of (scenario without names and paths, engine version, hashes of user code), then "+KIND" of each series

Paths of trace files and of tables of block errors are left out: the hashes of their contents are in. The kinds of
series stand in the open, so that a key says by itself which other keys hold the same and more.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import sha256
from typing import Any, NamedTuple

from typing_extensions import Self

from airlink.engine import checked_record
from airlink.scenario import Scenario

SHORT = 8
"""Letters of a key that people read and type."""


class Key(NamedTuple):
    """What a key says.

    Attributes
    ----------
    content : hash of all that the numbers depend on, but for the seed.
    record : kinds of series that were recorded, in the order of RECORD_KINDS.
    """

    content: str
    record: tuple[str, ...]

    @classmethod
    def of(cls, scenario: Scenario, record: Sequence[str], version: str, code: Sequence[str] = ()) -> Self:
        """The key of a scenario's results.

        Parameters
        ----------
        scenario : its files are read, unless they were.
        record : kinds of series.
        version : of the engine.
        code : hashes of the user's code that takes part in the run.
        """
        content = {"scenario": _content(scenario), "version": version, "code": list(code)}
        text = json.dumps(content, sort_keys=True, allow_nan=False)
        return cls(sha256(text.encode()).hexdigest(), tuple(checked_record(record)))

    @classmethod
    def parse(cls, text: str) -> Self:
        """The key of its text."""
        content, *record = text.split("+")
        return cls(content, tuple(record))

    def __str__(self) -> str:
        return "+".join([self.content, *self.record])

    def holds(self, other: Key) -> bool:
        """Whether what has this key answers what asks for that one."""
        return self.content == other.content and set(self.record) >= set(other.record)


def _content(scenario: Scenario) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(scenario.resolved().to_json())
    for name in ("name", "description"):
        data.pop(name, None)
    placement = (data.get("channel") or {}).get("placement", {})
    if placement.get("sha256"):
        del placement["files"]
    curve = ((data.get("link") or {}).get("errors") or {}).get("curve", {})
    if curve.get("sha256"):
        del curve["file"]
    return data
