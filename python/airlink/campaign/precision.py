"""How precise an answer has to be, as it is written: `cell.goodput_bps: 1 %`, `downloads.p95(time_s): 50 ms`.

The amount is half of the interval's length, what stands behind the sign: in percent of the mean (of a comparison, the
difference in percent of the baseline's mean), or in the measure's unit. Left out: when to look (`statistics.Looks`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from airlink.engine import RequestError
from airlink.measures import Measure, measure, readable_unit
from airlink.statistics import Precision

UNITS: Mapping[str, Mapping[str, float]] = {
    "b/s": {"b/s": 1.0, "kb/s": 1e3, "Mb/s": 1e6, "Gb/s": 1e9},
    "s": {"s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6},
    "B": {"B": 1.0, "kB": 1e3, "MB": 1e6, "GB": 1e9},
}
"""What a measure's unit may be written in, and how much of it that is."""

EXAMPLE = "as in 'cell.goodput_bps: 1 %' or 'downloads.p95(time_s): 50 ms'"
_AMOUNT = re.compile(r"(\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+)\s*(\S*)")


@dataclass(frozen=True)
class Until:
    """Goes on until half of the interval of a measure is this short.

    Attributes
    ----------
    text : as it is written.
    measure : of which the interval is.
    precision : how short.
    """

    text: str
    measure: Measure
    precision: Precision

    def in_words(self, width: float) -> str:
        """A half width as `precision` has it, in percent or in a readable unit."""
        if self.precision.relative:
            return f"± {100 * width:.2g} %"
        by, unit = readable_unit(self.measure.unit, [width])
        return f"± {width / by:.2g} {unit}".rstrip()


def until(text: str, of: Measure | None = None) -> Until:
    """The precision that a text asks for.

    Parameters
    ----------
    text : "MEASURE: WIDTH", or "WIDTH" alone where `of` is given.
    of : the measure of a text that names none.

    Raises
    ------
    RequestError : not written as one, an unknown unit, nothing to be precise about.
    MeasureError : no such measure.

    Examples
    --------
    >>> until("cell.goodput_bps: 1 %").precision
    Precision(half_width=0.01, relative=True)
    >>> until("downloads.p95(time_s): 5 ms").precision
    Precision(half_width=0.005, relative=False)
    """
    name, colon, amount = text.rpartition(":")
    found = _AMOUNT.fullmatch(amount.strip())
    if found is None or (of is None and not colon):
        raise RequestError(f"until is {text!r}; it must be MEASURE: WIDTH, {EXAMPLE}")
    of, number, unit = of if of and not colon else measure(name.strip()), float(found[1]), found[2]
    if not 0 < number < float("inf"):
        raise RequestError(f"until is {text!r}; the width must be above 0")
    written = f"{of.text}: {found[1]}{f' {unit}' if unit else ''}"
    if unit == "%":
        return Until(written, of, Precision(number / 100))
    known = UNITS.get(of.unit, {of.unit: 1.0} if of.unit else {})
    if unit and unit not in known:
        raise RequestError(f"until is {text!r}; the width must be in {', '.join(['%', *known])} or a plain number")
    return Until(written, of, Precision(number * known.get(unit, 1.0), relative=False))
