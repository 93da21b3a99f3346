"""What was read of a placement's trace files, kept beside the placement so that it is read once.

Leaves out how files are read (`traces`).
"""

from __future__ import annotations

from typing import Any


class Held(dict[Any, Any]):
    """Samples by the file and the fields that say how it is read.

    They are no part of the placement's value: equal to any other, and left behind when the placement is pickled or
    deep-copied. Then the files are read where it arrives; a resolved placement has their SHA-256, which is checked.
    """

    def only(self, entries: dict[Any, Any]) -> None:
        """Keeps these and lets go of all others."""
        self.update(entries)
        for key in set(self) - set(entries):
            del self[key]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Held)

    def __reduce__(self) -> tuple[type[Held], tuple[()]]:
        return Held, ()
