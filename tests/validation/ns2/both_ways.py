"""The table of docs/validation.md on data both ways: FullTcp, airlink's endpoints and the plain reference."""

from __future__ import annotations

from collections.abc import Sequence

from . import twoway
from .plain_side import Plain
from .twoway import CASES, ENDS, Case, End, Sent

OURS = twoway.RESULTS / "airlink"
SAME_TIME_S = 1.5e-6
"""ns-2 writes microseconds, rounded."""
HEAD = (
    "case",
    "end",
    "segments: ns-2, airlink",
    "with data",
    "sent again",
    "pure ACKs",
    "the same one by one: airlink",
    "at most apart",
    "the plain reference",
)


def rows() -> list[list[str]]:
    """One for each end of each case."""
    return [row(case, end) for case in CASES for end in ENDS]


def row(case: Case, end: End) -> list[str]:
    """Counts of both; how many from the first on are the same."""
    theirs = of(twoway.kept(case), end)
    table = OURS / f"{case.name}.csv"
    if not table.exists():
        return [*counts(case, end, theirs, theirs), "not compared", "", plain(case, end, theirs)]
    ours = of(twoway.read(table), end)
    same = in_a_row(ours, theirs)
    apart = max(
        (abs(one.time_s - other.time_s) for one, other in zip(ours[:same], theirs[:same], strict=True)), default=0
    )
    return [
        *counts(case, end, theirs, ours),
        first(same, theirs, ours),
        f"{1e6 * apart:.1f} us",
        plain(case, end, theirs),
    ]


def counts(case: Case, end: End, theirs: Sequence[Sent], ours: Sequence[Sent]) -> list[str]:
    """Of segments of each kind."""
    return [
        f"`{case.name}`",
        end,
        both(len(theirs), len(ours)),
        both(*(sum(one.length > 0 for one in sent) for sent in (theirs, ours))),
        both(*(repeated(sent) for sent in (theirs, ours))),
        both(*(sum(one.length == 0 and one.flags in ("A", "AE") for one in sent) for sent in (theirs, ours))),
    ]


def plain(case: Case, end: End, theirs: Sequence[Sent]) -> str:
    """It has no FIN."""
    if any(command.verb == "close" for command in (*case.client, *case.server)):
        return "has no FIN"
    if case.agent.endswith("Sack"):
        return "has no SACK"
    own = of(Plain(case).run(), end)
    return first(in_a_row(own, theirs), theirs, own)


def of(sent: Sequence[Sent], end: End) -> list[Sent]:
    """What an end sends. FullTcp's client answers the SYN of the server twice at once: one of the two is left out."""
    own = [one for one in sent if one.end == end]
    return own[:2] + own[3:] if end == "client" and own[1] == own[2] else own


def in_a_row(ours: Sequence[Sent], theirs: Sequence[Sent]) -> int:
    """How many segments from the first on are the same, and leave at the same time."""
    pairs = zip(ours, theirs, strict=False)
    different = (
        place
        for place, (one, other) in enumerate(pairs)
        if one[1:] != other[1:] or abs(one.time_s - other.time_s) > SAME_TIME_S
    )
    return next(different, min(len(ours), len(theirs)))


def first(same: int, theirs: Sequence[Sent], ours: Sequence[Sent]) -> str:
    return "all" if same == len(theirs) == len(ours) else f"the first {same}"


def repeated(sent: Sequence[Sent]) -> int:
    """Segments of data that had been sent before."""
    data = [one.sequence for one in sent if one.length]
    return len(data) - len(set(data))


def both(theirs: int, ours: int) -> str:
    """One number if it is the same."""
    return str(theirs) if theirs == ours else f"{theirs}; {ours}"
