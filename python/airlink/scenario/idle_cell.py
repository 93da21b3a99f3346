"""When fields of the cell have no effect, section by section in the order of docs/scenario.md."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from .idle_fields import Rule

if TYPE_CHECKING:
    from .scenario import Scenario


def _is_other_queue(kind: str, scenario: Scenario) -> bool:
    return scenario.queue is not None and scenario.queue.kind != kind


QUEUES: Sequence[Rule[Scenario]] = tuple(
    Rule(
        "queue",
        (kind,),
        partial(_is_other_queue, kind),
        f'unless queue.kind = "{kind}"; set that, or leave this out',
    )
    for kind in ("codel", "pie", "adaptive")
)

CELL: Sequence[Rule[Scenario]] = QUEUES
