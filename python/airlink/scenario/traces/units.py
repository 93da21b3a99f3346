"""Units of a trace's columns: those that the scenario gives, else those that end the columns' names.

A unit that is not understood, or is none of the quantity, is refused and not taken for none. Leaves out units of bytes:
rates are in bits.
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
_OTHER_RATE = re.compile(r"[kmgt]i?b(?:ps|it|yte|\s*/\s*s)|bytes|\bbps\b|bits? per", re.IGNORECASE)
_MILLISECONDS = re.compile(_END.format(r"(?:ms|msec|millis|milliseconds?)"), re.IGNORECASE)
_FINER = re.compile(_END.format(r"(?:[uµn]s|[uµn]sec|micros|nanos|(?:micro|nano)seconds?)"), re.IGNORECASE)


@dataclass(frozen=True)
class Scale:
    """What values are multiplied by, and how the column was understood, in words."""

    factor: float
    words: str


def scale_of(trace: Trace, name: str) -> Scale:
    """The scale of a column with that name in the header; empty without a header.

    Raises
    ------
    TraceProblem : the name has a unit of bytes, one that is not understood, or a rate's where an SNR is wanted.
    """
    base = "dB" if trace.quantity == "snr_db" else "b/s"
    if trace.value_scale != "by_name":
        factor = float(trace.value_scale)
        return Scale(factor, f"{base}: the file's x {factor:.15g}")
    known = KNOWN.get(name.strip().lower(), "")
    found = _RATE.search(known or name.strip())
    if trace.quantity == "snr_db":
        if found is not None:
            raise TraceProblem(f'has rates ("{name}"), not SNRs: give quantity = "rate_bps", or value_scale for dB')
        return Scale(1.0, base)
    if found is None:
        if _OTHER_RATE.search(name):
            raise TraceProblem(f'has a unit in "{name}" that is not understood: give value_scale, 1000 for kb/s')
        return Scale(1.0, f"{base}: the column's name has no unit")
    # MB/s and MBps are bytes; MBPS, all in capitals, is how some write Mb/s.
    in_bytes = found["what"].lower().startswith("byte") or (found["what"] == "B" and found["unit"].endswith("s"))
    if in_bytes:
        raise TraceProblem(f'has rates in bytes ("{name}"): give value_scale, 8 for B/s, 8000 for kB/s')
    prefix = found["prefix"].lower()
    return Scale(PREFIXES[prefix], f'{base}: "{name}" is in {"M" if prefix == "m" else prefix.replace("g", "G")}b/s')


def seconds_in(trace: Trace, name: str) -> float:
    """The unit of a column of times with that name in the header, s.

    Raises
    ------
    TraceProblem : the name ends in microseconds or nanoseconds.
    """
    if trace.time_unit == "by_name":
        if _FINER.search(name.strip()):
            raise TraceProblem(f'has times in a unit that is not understood ("{name}"): they must be in s or ms')
        return 1e-3 if _MILLISECONDS.search(name.strip()) else 1.0
    return 1e-3 if trace.time_unit == "ms" else 1.0
