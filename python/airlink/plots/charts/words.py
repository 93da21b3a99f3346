"""Measures, swept fields and scenarios in the words of an axis."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from airlink.campaign.answer import Answer
from airlink.campaign.plan import axis_names, label_of
from airlink.measures import Measure

UNITS: Mapping[str, str] = {
    "_bps": "b/s", "_bytes": "B", "_db": "dB", "_dbm": "dBm", "_hz": "Hz", "_m": "m", "_mps": "m/s", "_ms": "ms",
    "_packets": "packets", "_s": "s", "_slots": "slots",
}  # fmt: skip
"""Units at the end of the names of columns and fields."""


def named(name: str) -> tuple[str, str]:
    """The words and the unit in the name of a column or field.

    >>> named("time_constant_slots"), named("jain_index")
    (('time constant', 'slots'), ('jain index', ''))
    """
    ending = max((each for each in UNITS if name.endswith(each)), key=len, default="")
    return name.removesuffix(ending).replace("_", " "), UNITS.get(ending, "")


def with_unit(words: str, unit: str) -> str:
    """Words with the unit behind them.

    >>> with_unit("rate", "Mb/s"), with_unit("users", "")
    ('rate (Mb/s)', 'users')
    """
    return f"{words} ({unit})" if unit else words


def of_measure(measure: Measure) -> str:
    """A measure in words, without its unit: whose it is, then what.

    >>> from airlink.measures import measure
    >>> [of_measure(measure(text)) for text in ("cell.goodput_bps", "users.p05(goodput_bps)", "users.12.goodput_bps")]
    ['cell: goodput', 'users: p05 of goodput', 'user 12: goodput']
    """
    what = named(measure.column)[0]
    if measure.member is not None:
        return f"{measure.population.removesuffix('s')} {measure.member}: {what}"
    return f"{measure.population}: {f'{measure.aggregate} of ' if measure.aggregate else ''}{what}"


def of_members(measure: Measure) -> str:
    """The column that a quantile is of, in words."""
    return f"{measure.population}: {named(measure.column)[0]}"


def of_field(path: str) -> str:
    """A swept field in words, with its unit."""
    return with_unit(*named(path.rsplit(".", 1)[-1]))


def of_scenarios(answer: Answer) -> tuple[str, dict[str, str]]:
    """What tells scenarios apart, for an axis, and label -> its own part of that: values of swept fields, or the label.

    Values alone are shorter than labels, and as clear where an axis says what they are of.
    """
    if not answer.axes:
        return "", {label: label for label in answer.labels}
    parts = {label: value_words(answer.at[label].values()) or label for label in answer.labels}
    if len(set(parts.values())) < len(parts):
        return "", {label: label for label in answer.labels}
    return ", ".join(named(name)[0] for name in axis_names(answer.axes).values()), parts


def of_others(answer: Answer, label: str, without: str) -> str:
    """The values of a scenario's swept fields but for one: the name of a line over that one."""
    names = axis_names(answer.axes)
    others = {names[path]: value for path, value in answer.at[label].items() if path != without}
    return value_words(others.values()) if len(answer.axes) <= 2 else label_of(others)


def value_words(values: Iterable[Any]) -> str:
    """Values one after the other.

    >>> value_words(["max_rate", 1000, 0.5])
    'max_rate, 1000, 0.5'
    """
    return ", ".join(label_of({"": value}).removeprefix("=") for value in values)
