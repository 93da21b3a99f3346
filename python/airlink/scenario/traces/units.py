"""Units of a trace's columns: those that the scenario gives, else those that end the columns' names.

Leaves out units of bytes, which are refused: rates are in bits.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..sections import Trace
from .problem import TraceProblem

KNOWN = {"dl_bitrate": "kb/s", "ul_bitrate": "kb/s"}
"""Columns of the 4G and 5G data sets of University College Cork, by their README (Raca et al., MMSys 2020)."""

PREFIXES = {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9}

# At the end of a name: in brackets, after a sign, or the whole name.
_END = r"(?:^|[_\-. ]|[\[(]\s*){}\s*[\])]?$"
_RATE = re.compile(_END.format(r"(?P<unit>(?P<prefix>[kmg]?)(?P<what>bits?|bytes?|b)(?:ps|/s|/sec))"), re.IGNORECASE)
_MILLISECONDS = re.compile(_END.format(r"(?:ms|msec|millis|milliseconds?)"), re.IGNORECASE)


@dataclass(frozen=True)
class Scale:
    """What values are multiplied by, and how the column was understood, in words."""

    factor: float
    words: str


def scale_of(trace: Trace, name: str) -> Scale:
    """The scale of a column with that name in the header; empty without a header.

    Raises
    ------
    TraceProblem : the name ends in a unit of bytes.
    """
    base = "dB" if trace.quantity == "snr_db" else "b/s"
    if trace.value_scale != "by_name":
        factor = float(trace.value_scale)
        return Scale(factor, f"{base}: the file's x {factor:.15g}")
    if trace.quantity == "snr_db":
        return Scale(1.0, base)
    known = KNOWN.get(name.strip().lower(), "")
    found = _RATE.search(known or name.strip())
    if found is None:
        return Scale(1.0, f"{base}: the column's name has no unit")
    # MB/s and MBps are bytes; MBPS, all in capitals, is how some write Mb/s.
    in_bytes = found["what"].lower().startswith("byte") or (found["what"] == "B" and found["unit"].endswith("s"))
    if in_bytes:
        raise TraceProblem(f'has rates in bytes ("{name}"): give value_scale, 8 for B/s, 8000 for kB/s')
    prefix = found["prefix"].lower()
    return Scale(PREFIXES[prefix], f'{base}: "{name}" is in {"M" if prefix == "m" else prefix.replace("g", "G")}b/s')


def seconds_in(trace: Trace, name: str) -> float:
    """The unit of a column of times with that name in the header, s."""
    if trace.time_unit == "by_name":
        return 1e-3 if _MILLISECONDS.search(name.strip()) else 1.0
    return 1e-3 if trace.time_unit == "ms" else 1.0
