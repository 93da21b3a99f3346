"""The compiled half of airlink: the engine behind `airlink.engine`, its only caller."""

from collections.abc import Callable, Sequence
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Recording",
    "ScenarioError",
    "answer_script",
    "choose_vector_path",
    "declaration",
    "digest",
    "memory_left",
    "play_script",
    "rate_table",
    "run_jobs",
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
    def digest(self) -> str: ...

def run_jobs(
    scenarios: Sequence[str],
    traces: Sequence[dict[str, list[NDArray[np.float64]]]],
    jobs: Sequence[tuple[int, int]],
    record: Sequence[str],
    threads: int,
    on_progress: Callable[[int], object] | None,
    capture: str | None = None,
    snap: int | None = None,
) -> tuple[list[dict[str, Any] | None], bool, bool, list[tuple[int, int, str, str]]]: ...
def memory_left() -> int | None: ...
def digest(tables: dict[str, dict[str, NDArray[Any]]]) -> str: ...
def answer_script(side: str, tcp: str, text: str, first_line: int) -> list[tuple[int, str]]: ...
def play_script(side: str, tcp: str, text: str, first_line: int) -> tuple[int, str, str] | None: ...
def rate_table(scenario: str) -> dict[str, NDArray[Any]] | None: ...
def tables() -> str: ...
def choose_vector_path(name: str) -> None: ...
def vector_path() -> str: ...
def declaration() -> str: ...
def version() -> str: ...
