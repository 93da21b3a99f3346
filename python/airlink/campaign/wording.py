"""An answer as text of at most 80 columns: tables of intervals, verdicts, what varied, seeds.

Numbers for machines are in `Answer.frame()`; here they are rounded to what their intervals allow. Left out: colours and
terminals (`cli`), charts (`plots`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from airlink.campaign.plan import label_of
from airlink.result.rounding import UNKNOWN, decimals_of, end_text, interval_text, reach_of
from airlink.scenario.errors import as_written
from airlink.scenario.short_names import short_value, unit_of, words_of

if TYPE_CHECKING:
    from airlink.campaign.answer import Answer
    from airlink.campaign.question import Arm
    from airlink.measures import Measure
    from airlink.result import Estimate
    from airlink.scenario import Scenario
    from airlink.statistics import Difference

WIDTH = 80
GAP = "  "
INDENT = "  "
WIDEST_LABEL = 34
WIDEST_HEADING = 15
MOST_FIELDS = 4
"""Fields that an arm has otherwise than the baseline, as many as are named."""


def text_of(answer: Answer) -> str:
    """The tables and sentences of an answer."""
    parts = _comparison(answer) if answer.baseline else _sweep(answer)
    return "\n\n".join("\n".join(part) for part in (*parts, _controls(answer), _about(answer)) if part)


def seeds_text(seeds: Iterable[int]) -> str:
    """Seeds as `campaign.seeds_of` reads them.

    >>> seeds_text([1, 2, 3, 30]), seeds_text(range(5, 6))
    ('1-3,30', '5')
    """
    runs: list[list[int]] = []
    for seed in sorted(seeds):
        if runs and seed == runs[-1][1] + 1:
            runs[-1][1] = seed
        else:
            runs.append([seed, seed])
    return ",".join(f"{first}-{last}" if last > first else f"{first}" for first, last in runs)


def percent_text(relative: Estimate) -> str:
    """A relative difference and its interval in percent.

    >>> from airlink.result import Estimate
    >>> percent_text(Estimate(0.123, 0.101, 0.146, 20)), percent_text(Estimate(-0.5, -0.6, math.inf, 20))
    ('+12.3 % [+10.1, +14.6]', '-50 % [-60, ?]')
    >>> percent_text(Estimate(0.5, -math.inf, math.inf, 20)), percent_text(Estimate(math.inf, 0.5, math.inf, 20))
    ('+50 % ± ?', '? % [+50, ?]')
    """
    mean, low, high = (100 * end for end in (relative.mean, relative.low, relative.high))
    if math.isnan(mean):
        return "-"
    reach = reach_of(mean, low, high)
    if not reach:
        return f"{mean:+.{decimals_of(abs(mean))}f} % ± ?" if math.isfinite(mean) else UNKNOWN
    if low == high:
        return f"{mean:+.4g} %" if abs(mean) < 1000 else f"{mean:+.0f} %"
    decimals = decimals_of(max(reach))
    return f"{end_text(mean, decimals, '+')} % [{end_text(low, decimals, '+')}, {end_text(high, decimals, '+')}]"


def with_interval(measure: Measure, estimate: Estimate) -> str:
    """A number with its interval and unit."""
    from airlink.measures import readable_unit

    by, unit = readable_unit(measure.unit, [estimate.mean if math.isfinite(estimate.mean) else estimate.low])
    return f"{interval_text(estimate, by)} {unit}".rstrip()


def change(measure: Measure, difference: Difference) -> str:
    """A difference from the baseline: in percent, or in the unit where the baseline is not clearly different from 0."""
    if has_ends(difference.relative):
        return percent_text(difference.relative)
    sign = "+" if 0 < difference.absolute.mean < math.inf else ""
    return sign + with_interval(measure, difference.absolute)


def has_ends(estimate: Estimate) -> bool:
    """Whether an interval has one end at least, or there is no number that it could be of."""
    return math.isnan(estimate.mean) or math.isfinite(estimate.low) or math.isfinite(estimate.high)


def _sweep(answer: Answer) -> Iterator[list[str]]:
    if answer.axes:
        heads = [_of_field(path, words) for path, words in words_of(answer.axes).items()]
        labels = [[_value(path, at) for path in answer.axes] for at in answer.at.values()]
    else:
        heads, labels = [["scenario"]], [[name] for name in answer.question.names.values()]
    if len({len(seeds) for seeds in answer.seeds.values()}) > 1 or answer.question.until is not None:
        heads = [*heads, ["runs"]]
        labels = [[*row, str(len(answer.seeds[label]))] for row, label in zip(labels, answer.labels, strict=True)]
    columns = [_column(answer, measure) for measure in answer.measures]
    yield wrap(f"{answer.name}: {_counted(len(answer.labels), 'scenario')}, 95 % intervals over replicas", WIDTH)
    yield from _blocks(heads, labels, columns)


def _comparison(answer: Answer) -> Iterator[list[str]]:
    primary, *others = answer.measures
    found = answer.comparison or {}
    rows = []
    head, cells = _column(answer, primary)
    for label, cell in zip(answer.labels, cells, strict=True):
        judged = found.get(label)
        words = ("", "baseline") if judged is None else (change(primary, judged.difference), judged.verdict)
        rows.append([answer.question.names[label], cell, *words])
    better = f", {primary.better} is better" if primary.better else ""
    yield wrap(f"{answer.name}: {primary.text}{better}", WIDTH)
    yield from _blocks([["scenario"]], [row[:1] for row in rows], [
        (head, [row[1] for row in rows]),
        (["difference"], [row[2] for row in rows]),
        (["verdict"], [row[3] for row in rows]),
    ])  # fmt: skip
    margin = f"{100 * answer.question.margin:g} %"
    yield wrap(
        f"Differences from {answer.question.names[answer.baseline]}, paired by seed. "
        "Their 95 % intervals hold for all scenarios at once. "
        f"Equivalent: the whole interval is within {margin} of the baseline. Undecided: more seeds are needed.",
        WIDTH,
    )  # fmt: skip
    if others:
        yield from _exploratory(answer, others)


def _exploratory(answer: Answer, others: Sequence[Measure]) -> Iterator[list[str]]:
    labels, values, differences = [], [], []
    for measure in others:
        head, cells = _column(answer, measure)
        unit = head[-1] if head[-1] in _READABLE else ""
        labels.append([measure.text])
        values.append("")
        differences.append("")
        for label, cell in zip(answer.labels, cells, strict=True):
            judged = answer.differences.get((label, measure.text))
            labels.append([INDENT + answer.question.names[label]])
            values.append(f"{cell} {unit}".strip())
            differences.append("" if judged is None else change(measure, judged.difference))
    yield from _blocks([["exploratory", "(no verdict)"]], labels, [(["value"], values), (["difference"], differences)])


_READABLE = ("b/s", "kb/s", "Mb/s", "Gb/s", "s", "ms", "B", "kB", "MB", "GB", "dB")


def _column(answer: Answer, measure: Measure) -> tuple[list[str], list[str]]:
    """The heading of a measure, and its cells, in one unit."""
    from airlink.measures import readable_unit

    found = [answer.estimates[label, measure.text] for label in answer.labels]
    by, unit = readable_unit(measure.unit, [estimate.mean for estimate in found])
    heading = _broken(measure.text)
    return [*heading, unit] if unit else heading, [interval_text(estimate, by) for estimate in found]


def _controls(answer: Answer) -> list[str]:
    """What control variates were worth."""
    if not answer.question.controls:
        return []
    if not answer.controlled:
        return ["Control variates: no measure has one here."]
    rows, cells = [], []
    for (label, text), each in answer.controlled.items():
        rows.append([answer.question.names[label], text])
        size = abs(each.plain.mean) or 1.0
        widths = (f"{100 * one.half_width / size:.2g} %" for one in (each.plain, each.estimate))
        saved = each.worth - each.plain.n
        runs = f"{saved:.0f}" if math.isfinite(saved) and saved >= 0.5 else "none" if math.isfinite(saved) else "all"
        cells.append([*widths, runs])
    heads = (["±, plain"], ["±, with", "controls"], ["runs", "saved"])
    columns = [(head, [row[place] for row in cells]) for place, head in enumerate(heads)]
    tables = _blocks([["scenario"], ["measure"]], rows, columns)
    return ["Control variates: quantities with a known mean narrow the intervals", "", *next(tables)]


def _about(answer: Answer) -> list[str]:
    """What varied, seeds, settings and the notes."""
    question = answer.question
    lines = [
        f"{path}: {', '.join(_with_short(path, value) for value in values)}" for path, values in answer.axes.items()
    ]
    if answer.baseline:
        base = answer.scenarios[answer.baseline]
        arms = {label: arm for label, arm in answer.question.arms.items() if arm.scenario != base}
        lines += [f"{question.names[label]}: {_differing(base, arm)}" for label, arm in arms.items()]
    lines.append(_seeds_line(answer))
    if question.hold:
        lines.append("Held: places of users and their shadowing are the same in all seeds.")
    if question.warmup_s is not None:
        lines.append(f"All scenarios have the same warm-up of {question.warmup_s:g} s.")
    lines += _signs(answer)
    lines += answer.notes
    return [line for each in lines for line in wrap(each, WIDTH, subsequent_indent="  ", break_on_hyphens=False)]


def _signs(answer: Answer) -> Iterator[str]:
    """What question marks and dashes stand for, where there are any."""
    differences = (judged.difference for judged in answer.differences.values())
    shown = (each.relative if has_ends(each.relative) else each.absolute for each in differences)
    if any(map(_is_open, (*answer.estimates.values(), *shown))):
        yield "?: these replicas do not tell; more seeds, or longer runs, may."
    if any(path not in at for at in answer.at.values() for path in answer.axes):
        yield "-: this scenario has no such field."


def _is_open(estimate: Estimate) -> bool:
    """Whether an end of an interval is not known."""
    ends = (estimate.low, estimate.high)
    return not math.isnan(estimate.mean) and ends[0] != ends[1] and not all(map(math.isfinite, ends))


def _seeds_line(answer: Answer) -> str:
    seeds = {label: seeds_text(each) for label, each in answer.seeds.items()}
    if len(set(seeds.values())) == 1:
        return f"Seeds: {next(iter(seeds.values()))} of each scenario."
    counts = [len(each) for each in answer.seeds.values()]
    first = min(seed for each in answer.seeds.values() for seed in each)
    return f"Seeds: {min(counts)} to {max(counts)} of each scenario, from {first} on."


def _differing(base: Scenario, arm: Arm) -> str:
    """The override that an arm is, or the fields that it has otherwise than the baseline."""
    fields = list(_unequal("", base.model_dump(mode="json"), arm.scenario.model_dump(mode="json")))
    if "=" not in arm.source:
        return _some(fields)
    # Of all groups of flows the same is said once.
    asked = [_of_any_group(path) for path in _OVERRIDDEN.findall(arm.source)]
    others = {(_of_any_group(path), as_written(value)): value for path, value in fields}
    followed = [(path, value) for (path, _), value in others.items() if not any(map(_within(path), asked))]
    return f"{arm.source}; with it {_some(followed)}" if followed else arm.source


_OVERRIDDEN = re.compile(r"(?:^|,)\s*([A-Za-z_][\w.*]*)\s*=")
"""The fields that an override names."""


def _of_any_group(path: str) -> str:
    """The field of all groups of a list.

    >>> _of_any_group("flows.0.tcp.rules.slow_start_exit")
    'flows.*.tcp.rules.slow_start_exit'
    """
    return ".".join("*" if part.isdigit() else part for part in path.split("."))


def _within(path: str) -> Callable[[str], bool]:
    """Whether a path is a field itself or one of its table."""
    return lambda field: f"{path}.".startswith(f"{field}.")


def _some(fields: Sequence[tuple[str, Any]]) -> str:
    """The first few fields with their values."""
    shown = [f"{path} = {as_written(value)}" for path, value in fields[:MOST_FIELDS]]
    more = f" and {len(fields) - MOST_FIELDS} more fields" if len(fields) > MOST_FIELDS else ""
    return ", ".join(shown) + more


def _unequal(path: str, base: Any, other: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(base, Mapping) and isinstance(other, Mapping):
        # Of another kind of table, fields that the old one lacks follow from the kind.
        names = other if base.get("kind") == other.get("kind") else [name for name in other if name in base]
        for name in sorted(names, key=lambda name: name != "kind"):
            yield from _unequal(f"{path}.{name}".lstrip("."), base.get(name), other[name])
    elif isinstance(base, list) and isinstance(other, list) and len(base) == len(other):
        for place, (left, right) in enumerate(zip(base, other, strict=True)):
            yield from _unequal(f"{path}.{place}", left, right)
    elif base != other and path != "name":
        yield path, other


def _of_field(path: str, words: str) -> list[str]:
    """The heading of a swept field: its words, then its unit."""
    unit = unit_of(path)
    return [*wrap(words, WIDEST_HEADING), unit] if unit else wrap(words, WIDEST_HEADING)


def _value(path: str, at: Mapping[str, Any]) -> str:
    return short_value(path, at[path]) if path in at else "-"


def _with_short(path: str, value: object) -> str:
    """A value as `-x` takes it, with its short name behind it if it has one.

    >>> _with_short("scheduler.kind", "max_rate"), _with_short("users", 4)
    ('max_rate (MAX)', '4')
    """
    written, short = label_of({"": value})[1:], short_value(path, value)
    return f"{written} ({short})" if isinstance(value, str) and short != written else written


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" + "s" * (count != 1)


def _broken(text: str) -> list[str]:
    """A name in lines of a heading: a measure after its population, long names after underscores.

    >>> _broken("users.p05(goodput_bps)"), _broken("cell.jain_index"), _broken("time_constant_slots")
    (['users.p05', '(goodput_bps)'], ['cell.', 'jain_index'], ['time_constant_', 'slots'])
    """
    whose = re.match(r"[^(]+(?=\()|.+\.", text)
    parts = [text] if whose is None else [whose[0], text[whose.end() :]]
    lines: list[str] = []
    for part in parts:
        lines.append("")
        for piece in re.findall(r"[^_]+_?|_", part):
            if lines[-1] and len(lines[-1]) + len(piece) > WIDEST_HEADING:
                lines.append("")
            lines[-1] += piece
    return lines


Columns = Sequence[tuple[Sequence[str], Sequence[str]]]


def _blocks(heads: Sequence[Sequence[str]], labels: Sequence[Sequence[str]], columns: Columns) -> Iterator[list[str]]:
    """Tables of as many columns as fit beside the labels."""
    left = [
        min(max(map(len, (*head, *(row[place] for row in labels)))), WIDEST_LABEL) for place, head in enumerate(heads)
    ]
    room = WIDTH - sum(left) - len(GAP) * len(left)
    start = 0
    while start < len(columns):
        widths: list[int] = []
        for head, cells in columns[start:]:
            width = max(map(len, (*head, *cells)))
            if widths and sum(widths) + len(GAP) * len(widths) + width > room:
                break
            widths.append(width)
        shown = columns[start : start + len(widths)]
        yield _table(heads, labels, left, shown, widths)
        start += len(widths)


def _table(
    heads: Sequence[Sequence[str]],
    labels: Sequence[Sequence[str]],
    left: Sequence[int],
    columns: Columns,
    widths: Sequence[int],
) -> list[str]:
    deep = max(len(head) for head in (*heads, *(head for head, _ in columns)))
    lines = []
    for line in range(deep):
        words = [_at(head, line, deep).ljust(width) for head, width in zip(heads, left, strict=True)]
        words += [_at(head, line, deep).rjust(width) for (head, _), width in zip(columns, widths, strict=True)]
        lines.append(GAP.join(words).rstrip())
    lines.append("-" * (sum(left) + sum(widths) + len(GAP) * (len(left) + len(widths) - 1)))
    for place, row in enumerate(labels):
        wrapped = [_wrapped(text, width) for text, width in zip(row, left, strict=True)]
        for line in range(max(map(len, wrapped))):
            words = [
                (text[line] if line < len(text) else "").ljust(width) for text, width in zip(wrapped, left, strict=True)
            ]
            cells = [
                (cells[place] if line == 0 else "").rjust(width)
                for (_, cells), width in zip(columns, widths, strict=True)
            ]
            lines.append(GAP.join([*words, *cells]).rstrip())
    return lines


def _wrapped(text: str, width: int) -> list[str]:
    indent = INDENT if text.startswith(INDENT) else ""
    return wrap(text, width, subsequent_indent=2 * indent, break_on_hyphens=False) or [""]


def _at(head: Sequence[str], line: int, deep: int) -> str:
    """A line of a heading; headings end at the same line."""
    place = line - (deep - len(head))
    return head[place] if place >= 0 else ""
