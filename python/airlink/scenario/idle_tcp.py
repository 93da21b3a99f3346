"""When fields of `[flows.tcp]` have no effect, in the order of docs/scenario.md."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from .idle_fields import Rule
from .profiles import DECIDING
from .transport import Tcp


def _is_other_algorithm(name: str, tcp: Tcp) -> bool:
    return tcp.congestion_control != name


ALGORITHMS: Sequence[Rule[Tcp]] = tuple(
    Rule(
        "",
        (name,),
        partial(_is_other_algorithm, name),
        f'unless congestion_control = "{name}"; set that, or leave this out',
    )
    for name in ("cubic", "westwood", "vegas")
)

TCP: Sequence[Rule[Tcp]] = ALGORITHMS


def usual(tcp: Tcp) -> Tcp:
    """A connection that holds what its profile says, given the fields that decide about others."""
    deciding = ("profile", "receiver_window_bytes", *DECIDING)
    return Tcp(**{name: getattr(tcp, name) for name in deciding})
