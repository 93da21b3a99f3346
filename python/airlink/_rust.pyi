"""The compiled half of airlink: the engine behind `airlink.execute`, its only caller."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

class ScenarioError(ValueError):
    problems: list[tuple[str, str]]

def run_jobs(
    scenarios: Sequence[str],
    traces: Sequence[Mapping[str, Sequence[NDArray[np.float64]]]],
    jobs: Sequence[tuple[int, int]],
    record: Sequence[str],
    threads: int,
    on_progress: Callable[[int], object] | None = ...,
) -> tuple[list[dict[str, Any] | None], bool]: ...
def digest(tables: Mapping[str, Mapping[str, NDArray[Any]]]) -> str: ...
def version() -> str: ...
