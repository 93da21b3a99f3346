"""Measures, swept fields and scenarios in the words of an axis."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from airlink.campaign.answer import Answer
from airlink.campaign.plan import label_of
from airlink.measures import Measure
from airlink.scenario.short_names import labels, short_value, unit_of, words_of

UNITS: Mapping[str, str] = {
    "_bps": "b/s", "_bytes": "B", "_db": "dB", "_dbm": "dBm", "_hz": "Hz", "_m": "m", "_mps": "m/s", "_ms": "ms",
    "_packets": "packets", "_s": "s", "_slots": "slots",
}  # fmt: skip
"""Units at the end of the names of columns."""

_UNIT_SIGNS: Mapping[str, str] = {"bytes": "B"}


def named(name: str) -> tuple[str, str]:
    """The words and the unit in the name of a column.

    >>> named("time_constant_slots"), named("jain_index")
    (('time constant', 'slots'), ("Jain's index", ''))
    """
    if name.startswith("jain_index"):
        return f"Jain's index{name.removeprefix('jain_index').replace('_', ' ')}", ""
    ending = max((each for each in UNITS if name.endswith(each)), key=len, default="")
    return name.removesuffix(ending).replace("_", " "), UNITS.get(ending, "")


def beginning(words: str) -> str:
    """Words with a capital letter in front; all others stay as they are.

    >>> beginning("users: RTT of SACK")
    'Users: RTT of SACK'
    """
    return words[:1].upper() + words[1:]


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


def in_a_sentence(measure: Measure) -> str:
    """A measure as a sentence names it: whose it is, what, and which of many numbers.

    >>> from airlink.measures import measure
    >>> [in_a_sentence(measure(text)) for text in ("cell.timeouts", "users.p05(goodput_bps)", "users.12.goodput_bps")]
    ["the cell's timeouts", "the users' goodput (p05)", "user 12's goodput"]
    """
    what = named(measure.column)[0]
    if measure.member is not None:
        return f"{measure.population.removesuffix('s')} {measure.member}'s {what}"
    owner = f"the {measure.population}'" + ("" if measure.population.endswith("s") else "s")
    return f"{owner} {what}" + (f" ({measure.aggregate})" if measure.aggregate else "")


def of_members(measure: Measure) -> str:
    """The column that a quantile is of, in words."""
    return f"{measure.population}: {named(measure.column)[0]}"


def of_field(path: str) -> str:
    """A swept field in words, with its unit.

    >>> of_field("scheduler.time_constant_slots"), of_field("scheduler.kind"), of_field("bottleneck.limit_bytes")
    ('time constant (slots)', 'scheduler', 'bottleneck limit (B)')
    """
    return of_fields([path])[0]


def of_fields(paths: Iterable[str]) -> list[str]:
    """Swept fields in words, with their units; no two are alike."""
    return [with_unit(words, _UNIT_SIGNS.get(unit_of(path), unit_of(path))) for path, words in words_of(paths).items()]


def of_scenarios(answer: Answer) -> tuple[str, dict[str, str]]:
    """What tells scenarios apart, for an axis, and label -> its own part of that: values of swept fields, or its name.

    Values alone are shorter than names, and as clear where an axis says what they are of.
    """
    names = answer.question.names
    if not answer.axes:
        return "", names
    parts = {label: values_of(at) or names[label] for label, at in answer.at.items()}
    if len(set(parts.values())) < len(parts):
        return "", names
    return ", ".join(of_fields(answer.axes)), parts


def of_others(answer: Answer, without: str) -> dict[str, str]:
    """Label -> the scenario's swept fields but for one: the name of its line over that one; empty if there are none."""
    others = {label: {path: value for path, value in at.items() if path != without} for label, at in answer.at.items()}
    keys = {label: label_of(at) for label, at in others.items()}
    shown = labels({keys[label]: at for label, at in others.items()})
    return {label: shown[key] for label, key in keys.items()}


def values_of(at: Mapping[str, Any]) -> str:
    """Values of fields one after the other, as they stand beside the fields' names.

    >>> values_of({"scheduler.kind": "max_rate", "scheduler.time_constant_slots": 1000})
    'MAX, 1000'
    """
    return ", ".join(short_value(path, value) for path, value in at.items())
