"""The result of an experiment as a small table: what is compared, and the settings to make it again."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from .cases import Case
from .trace import Trace

COUNTED = {
    "timeouts": "TCPTimeouts",
    "retransmissions": "RetransSegs",
    "probes": "TCPLossProbes",
    "undone": "TCPLossUndo",
    "undone_fully": "TCPFullUndo",
    "undone_partly": "TCPPartialUndo",
    "undone_by_dsack": "TCPDSACKUndo",
    "spurious_timeouts": "TCPSpuriousRTOs",
    "lost_retransmissions": "TCPLostRetransmit",
}
SHOWN = 80
"""Segments around the first recovery that are listed, in the order they left."""


@dataclass(frozen=True)
class Table:
    """What one run of a case came to."""

    case: Case
    goodput_bps: list[float]
    counters: dict[str, int]
    traces: list[Trace]

    def toml(self, kernel: str, command: str) -> str:
        """As it is stored."""
        lines = [f'kernel = "{kernel}"', f'command = "{command}"', "", "[case]"]
        lines += [f"{name} = {_toml(value)}" for name, value in asdict(self.case).items() if value not in ((), {})]
        lines += ["", "[result]", f"goodput_bps = {_toml([round(rate) for rate in self.goodput_bps])}"]
        lines += [f"{name} = {self.counters.get(counter, 0)}" for name, counter in COUNTED.items()]
        for flow, trace in enumerate(self.traces):
            lines += ["", "[[flow]]", f"number = {flow}", f"resent = {trace.resent}"]
            lines += ["# start, end, segments sent again, began by a timer", "recoveries = ["]
            lines += [f"    {_toml(row)}," for row in self.recoveries(trace)]
            lines += ["]", "# around the first loss: milliseconds, segment", "order = ["]
            lines += [f"    {_toml(row)}," for row in self.order(trace)]
            lines += ["]"]
        return "\n".join(lines) + "\n"

    def recoveries(self, trace: Trace) -> list[list[float | int | bool]]:
        """Seconds; an end of -1: not within the run."""
        return [
            [round(one.start, 4), round(-1.0 if one.end is None else one.end, 4), one.resent, one.after_silence]
            for one in trace.recoveries
        ]

    def order(self, trace: Trace) -> list[list[float | int]]:
        """The segments that left from the first that was sent again."""
        if not trace.recoveries:
            return []
        start = trace.recoveries[0].start
        size = trace.sent[0].length
        shown = [segment for segment in trace.sent if segment.time >= start - 1e-3][:SHOWN]
        return [[round(segment.time * 1e3, 2), segment.sequence // size] for segment in shown]


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_toml(one)}" for key, one in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_toml(one) for one in value) + "]"
    return str(value)
