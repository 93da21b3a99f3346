"""RFC 6675 section 4 as functions of sets of bytes."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass

DUP_THRESH = 3


@dataclass(frozen=True)
class Board:
    """What an RFC 6675 sender knows: HighACK + 1, HighData + 1, the bytes SACKed, HighRxt + 1 and RescueRxt + 1."""

    una: int
    nxt: int
    sacked: Set[int]
    high_rxt: int
    rescue_rxt: int
    smss: int


def lost(board: Board) -> set[int]:
    """The bytes of which IsLost () is true: enough separate sequences, or enough bytes, SACKed above them."""
    found, above, sequences, was_sacked = set(), 0, 0, False
    for byte in range(board.nxt - 1, board.una - 1, -1):
        is_sacked = byte in board.sacked
        if is_sacked:
            above += 1
            sequences += not was_sacked
        elif sequences >= DUP_THRESH or above > (DUP_THRESH - 1) * board.smss:
            found.add(byte)
        was_sacked = is_sacked
    return found


def pipe(board: Board) -> int:
    """SetPipe (): (a) not SACKed and not lost; (b) sent again."""
    gone = lost(board)
    missing = [byte for byte in range(board.una, board.nxt) if byte not in board.sacked]
    return sum(byte not in gone for byte in missing) + sum(byte < board.high_rxt for byte in missing)


def next_seg(board: Board, recovery_point: int) -> tuple[str, int] | None:
    """NextSeg () of a sender that always has new data: which rule applies, and where the segment starts.

    The scoreboard is asked first (1), then there is new data (2), so (3) and (4) do not come up; `holes` answers them.
    """
    gone = lost(board)
    highest = max(board.sacked, default=-1)
    candidates = [byte for byte in range(max(board.una, board.high_rxt), board.nxt) if byte not in board.sacked]
    for byte in candidates:
        if byte < highest and byte in gone:
            return ("1", byte)
    return ("2", board.nxt)


def holes(board: Board, recovery_point: int) -> tuple[str, int] | None:
    """NextSeg () rules (3) and (4) of a sender without new data. RescueRxt becomes the recovery point by (4)."""
    first = next_seg(board, recovery_point)
    if first is not None and first[0] == "1":
        return first
    highest = max(board.sacked, default=-1)
    missing = [byte for byte in range(board.una, board.nxt) if byte not in board.sacked]
    for byte in missing:
        if board.high_rxt <= byte < highest:
            return ("3", byte)
    if missing and board.una > board.rescue_rxt:
        return ("4", max(missing) // board.smss * board.smss)
    return None
