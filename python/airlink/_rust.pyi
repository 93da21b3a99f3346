"""The compiled half of airlink: the engine behind `airlink.engine`, its only caller."""

from collections.abc import Sequence
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Recording",
    "ScenarioError",
    "Scenarios",
    "Stream",
    "answer_script",
    "choose_vector_path",
    "declaration",
    "digest",
    "memory_left",
    "play_script",
    "rate_table",
    "tables",
    "vector_path",
    "version",
]

class ScenarioError(ValueError):
    problems: list[tuple[str, str]]

@final
class Recording:
    def sizes(self) -> list[tuple[str, int, int]]: ...
    def kinds(self) -> list[str]: ...
    def columns(self, kind: str) -> dict[str, NDArray[Any]]: ...

@final
class Scenarios:
    def __new__(cls, texts: Sequence[str], traces: Sequence[dict[str, list[NDArray[np.float64]]]]) -> Scenarios: ...

@final
class Stream:
    def __new__(
        cls,
        scenarios: Scenarios,
        seeds: Sequence[int],
        record: Sequence[str],
        threads: int,
        capture: str | None = None,
        snap: int | None = None,
    ) -> Stream: ...
    def take(self) -> tuple[int, dict[str, Any], Recording, tuple[int, str, str] | None] | None: ...
    def cancel(self) -> None: ...
    def close(self) -> None: ...
    def is_out_of_memory(self) -> bool: ...

def memory_left() -> int | None: ...
def digest(tables: dict[str, dict[str, NDArray[Any]]], recording: Recording | None = None) -> str: ...
def answer_script(side: str, tcp: str, text: str, first_line: int) -> list[tuple[int, str]]: ...
def play_script(side: str, tcp: str, text: str, first_line: int) -> tuple[int, str, str] | None: ...
def rate_table(scenario: str) -> dict[str, NDArray[Any]] | None: ...
def tables() -> str: ...
def choose_vector_path(name: str) -> None: ...
def vector_path() -> str: ...
def declaration() -> str: ...
def version() -> str: ...
