"""What a sweep or a comparison found, as parts of a page: the answer first, then tables, charts, how it was found.

Left out: judging (the answer has its verdicts) and drawing (`airlink.plots.charts`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

from airlink.campaign.answer import Answer
from airlink.campaign.wording import change, seeds_text, with_interval
from airlink.measures import Measure, readable_unit
from airlink.own import Text
from airlink.plots.charts import Chart, bars, box, cdf, comparison, pareto, sweep, words
from airlink.report.methods import RunCount, methods
from airlink.report.page import Folded, Section
from airlink.report.tables import Sheet, listed
from airlink.result import Estimate
from airlink.result.rounding import UNKNOWN, interval_text
from airlink.scenario.differing import fields
from airlink.scenario.errors import as_written
from airlink.scenario.short_names import short_value, words_of

MOST_LINES = 8
"""A distribution is drawn of so many scenarios; of more, boxes."""

FEWEST_REPLICAS = 8
"""Of fewer, no distribution over replicas is drawn."""

MOST_TRADES = 2
"""The first measure is drawn against so many others."""

MOST_ROWS = 60
"""Of more scenarios, charts with a row or a point for each are left out, and all but the first in full."""

MOST_ABREAST = 4
"""Fields that differ are listed of so many scenarios, beside one another."""


def title(answer: Answer) -> str:
    """The question in a line."""
    if answer.baseline:
        verb = "is" if len(_others(answer)) == 1 else "are"
        arms, baseline = listed(_others(answer)), _named(answer, answer.baseline)
        return f"How far {verb} {arms} from {baseline} in {words.in_a_sentence(answer.measures[0])}?"
    if answer.axes:
        swept = listed(words_of(answer.axes).values())
        name = next(iter(answer.scenarios.values())).name or answer.name
        return f"What {'does' if len(answer.axes) == 1 else 'do'} {swept} change in {name}?"
    return f"What came out of {listed(answer.question.names.values())}?"


def lead(answer: Answer) -> str:
    """What was varied, in how many replicas."""
    count = len(answer.labels)
    runs = sorted({len(seeds) for seeds in answer.seeds.values()})
    each = f"{runs[0]}" if len(runs) == 1 else f"{runs[0]} to {runs[-1]}"
    replicas = f"{each} replica{'' if runs == [1] else 's'} of each"
    scenarios = f"{count} scenario{'s' * (count != 1)}"
    paired = "the same seeds for all, so that differences are paired"
    if answer.baseline:
        return f"{scenarios.capitalize()}, {replicas}, {paired}."
    if not answer.axes:
        return f"{scenarios.capitalize()}, {replicas}."
    axes = (f"{path} ({_range(path, values)})" for path, values in answer.axes.items())
    return f"Varied: {listed(axes)}. {scenarios.capitalize()}, {replicas}, {paired}."


def methods_of(answer: Answer) -> str:
    """The paragraph of methods to paste."""
    count = RunCount()
    for label, scenario in answer.scenarios.items():
        count.add([scenario], len(answer.seeds[label]))
    seeds = sorted({seed for each in answer.seeds.values() for seed in each})
    intervals = _methods(answer)
    if answer.baseline:
        baseline = _named(answer, answer.baseline)
        intervals += f"; differences are arm minus {baseline}, paired by seed, and their intervals hold for all at once"
    return methods(answer.version, seeds, count, intervals, judged=False, again=answer.command)


def headlines(answer: Answer) -> list[str]:
    """What was found, a sentence each."""
    if answer.baseline:
        return [_judged(answer, label) for label in answer.labels if label != answer.baseline]
    if len(answer.labels) > 1:
        return [_ends(answer, measure) for measure in answer.measures]
    (label,) = answer.labels
    return [f"{each.text}: {_told(each, answer.estimates[label, each.text])}." for each in answer.measures]


def sections(answer: Answer) -> list[Section]:
    """Tables, charts and provenance."""
    return [
        Section("Numbers", (), list(_sheets(answer))),
        Section("Charts", (), charts_of(answer)),
        Section("Scenarios", _varied(answer), [*_differences(answer), *_folded(answer)]),
    ]


def charts_of(answer: Answer) -> list[Chart]:
    """The pictures of an answer: differences or curves of every measure, then distributions and the trade-off."""
    drawn = [comparison(answer, each) for each in answer.measures] if answer.baseline else []
    if len(answer.labels) > 1:
        drawn += [sweep(answer, each) if answer.axes else bars(answer, each) for each in answer.measures]
    for each in answer.measures:
        if each.share is not None or max(map(len, answer.seeds.values())) >= FEWEST_REPLICAS:
            drawn.append((cdf if len(answer.labels) <= MOST_LINES else box)(answer, each))
    if 1 < len(answer.labels) <= MOST_ROWS:
        first, *others = [each for each in answer.measures if each.better] or answer.measures
        drawn += [pareto(answer, first, each) for each in others[:MOST_TRADES]]
    unique = {chart.name: chart for chart in drawn if not chart.is_empty and len(chart.y.rows) <= MOST_ROWS}
    return list(unique.values())


def facts(answer: Answer) -> Iterator[tuple[str, str]]:
    """(name, value) of all that the numbers rest on, and the command that makes them again."""
    question = answer.question
    if answer.command:
        yield "again", answer.command
    yield "airlink", answer.version
    yield "seeds", _by_value({_named(answer, label): seeds_text(seeds) for label, seeds in answer.seeds.items()})
    if question.until is not None:
        yield "until", f"{question.until.text}; at most {question.most} replicas of a scenario"
    warm_ups = {_named(answer, label): f"{scenario.warmup_s:g} s" for label, scenario in answer.scenarios.items()}
    yield "warm-up", _by_value(warm_ups) + (", given to all" if question.warmup_s is not None else "")
    if question.hold:
        yield "held", f"{listed(question.hold)}: the same in all seeds"
    yield "intervals", _methods(answer)
    if answer.baseline:
        yield (
            "differences",
            (
                f"arm minus {_named(answer, answer.baseline)}, paired by seed; the intervals of all arms hold at once; "
                f"equivalent: within {100 * question.margin:g} % of the baseline; only {answer.measures[0].text} has "
                "verdicts"
            ),
        )
    if question.controls:
        yield "controls", "control variates of known mean" if answer.controlled else "no measure has one here"
    for note in answer.notes:
        yield "note", note


def code_in_full(answers: Iterable[Answer]) -> list[Folded]:
    """Code of one's own in any of the answers, each text once."""
    texts: dict[str, dict[Text, None]] = {}
    for answer in answers:
        for code in answer.question.code:
            texts.setdefault(code.text, {})[code] = None
    made = []
    for text, codes in texts.items():
        named = listed(dict.fromkeys(f"{code.role} {code.name}" for code in codes))
        hashes = ", ".join(dict.fromkeys(code.sha256 for code in codes))
        note = f"sha256 of it and of what it reads: {hashes}."
        made.append(Folded(f"{named} in full", text or "# Its text could not be read.", note))
    return made


def _judged(answer: Answer, label: str) -> str:
    primary = answer.measures[0]
    judged = answer.differences[label, primary.text]
    arm, baseline = _named(answer, label), _named(answer, answer.baseline)
    told = f"{words.in_a_sentence(primary)} {change(primary, judged.difference)}"
    if judged.verdict == "undecided":
        return f"{arm} against {baseline} is undecided: {told}; more seeds would tell."
    margin = f", within {100 * answer.question.margin:g} %" if judged.verdict == "equivalent" else ""
    preposition = "to" if judged.verdict == "equivalent" else "than"
    return f"{arm} is {judged.verdict} {preposition} {baseline}: {told}{margin}."


def _ends(answer: Answer, measure: Measure) -> str:
    """The best and the worst scenario, or of a measure without a better end the lowest and the highest."""
    found = {label: answer.estimates[label, measure.text] for label in answer.labels}
    known = {label: each for label, each in found.items() if each.mean == each.mean}
    if not known:
        return words.beginning(f"{words.in_a_sentence(measure)}: no scenario has a number.")
    order = sorted(known, key=lambda label: known[label].mean, reverse=measure.better == "higher")
    first, last = ("best", "worst") if measure.better else ("lowest", "highest")
    best = known[order[0]]
    if math.isinf(best.mean) and measure.better == "lower":
        return words.beginning(f"{words.in_a_sentence(measure)}: more than is known in every scenario.")
    near = sum(best.low <= known[label].high and known[label].low <= best.high for label in order[1:])
    near *= math.isfinite(best.half_width)
    what = words.beginning(words.in_a_sentence(measure))
    verb = "are" if words.named(measure.column)[0].endswith("s") else "is"
    told = f"{what} {verb} {first} with {_named(answer, order[0])}: {_told(measure, best)}"
    if near:
        told += f" ({near} other{'s overlap' if near > 1 else ' overlaps'})"
    return f"{told}; {last} with {_named(answer, order[-1])}: {_told(measure, known[order[-1]])}."


def _told(measure: Measure, estimate: Estimate) -> str:
    """A number as a sentence has it."""
    return "more than is known" if math.isinf(estimate.mean) else with_interval(measure, estimate)


def _sheets(answer: Answer) -> Iterator[Sheet]:
    if answer.baseline:
        yield _verdicts(answer)
    heads, units = [], []
    for measure in answer.measures:
        by, unit = readable_unit(measure.unit, [answer.estimates[label, measure.text].mean for label in answer.labels])
        heads.append(words.with_unit(measure.text, unit))
        units.append(by)
    rows = [
        [_named(answer, label), *(interval_text(answer.estimates[label, measure.text], by)
                  for measure, by in zip(answer.measures, units, strict=True)), str(len(answer.seeds[label]))]
        for label in answer.labels
    ]  # fmt: skip
    note = "Intervals of 95 % over replicas, of each scenario by itself."
    if not answer.baseline and len(answer.labels) > 1:
        note += " Whether two scenarios differ is what airlink compare judges, by paired differences."
    if any(UNKNOWN in cell for row in rows for cell in row[1:]):
        note += " A question mark: these replicas do not tell; more seeds, or longer runs, may."
    yield Sheet("Measures", ("scenario", *heads, "replicas"), rows, note)
    if answer.baseline and len(answer.measures) > 1:
        yield _exploratory(answer)
    if answer.controlled:
        yield _controlled(answer)


def _verdicts(answer: Answer) -> Sheet:
    primary = answer.measures[0]
    rows = []
    for label in answer.labels:
        judged = answer.differences.get((label, primary.text))
        told = ("", "baseline") if judged is None else (change(primary, judged.difference), judged.verdict)
        rows.append((_named(answer, label), with_interval(primary, answer.estimates[label, primary.text]), *told))
    note = (
        f"Differences from {_named(answer, answer.baseline)}, paired by seed; their 95 % intervals hold for all arms "
        f"at once. Equivalent: the whole interval is within {100 * answer.question.margin:g} % of the baseline. "
        "Undecided: more seeds are needed."
    )
    return Sheet(f"Verdicts: {primary.text}", ("scenario", primary.text, "difference", "verdict"), rows, note)


def _exploratory(answer: Answer) -> Sheet:
    others = answer.measures[1:]
    arms = [label for label in answer.labels if label != answer.baseline]
    rows = [
        [_named(answer, label), *(change(each, answer.differences[label, each.text].difference) for each in others)]
        for label in arms
    ]
    note = "Exploratory: nobody said beforehand that these would be looked at, so they have no verdicts."
    return Sheet(
        f"Other differences from {_named(answer, answer.baseline)}",
        ("scenario", *(each.text for each in others)),
        rows,
        note,
    )


def _controlled(answer: Answer) -> Sheet:
    rows = [
        (
            _named(answer, label),
            text,
            interval_text(each.plain),
            interval_text(each.estimate),
            f"{each.worth / each.plain.n:.2g}",
        )
        for (label, text), each in answer.controlled.items()
    ]
    note = (
        "Quantities whose mean is known exactly correct the mean; the last column says what that is worth in replicas."
    )
    heads = ("scenario", "measure", "plain", "with controls", "worth, times the replicas")
    return Sheet("Control variates", heads, rows, note, left=(1,))


def _varied(answer: Answer) -> list[str]:
    told = [f"{path}: {_values(path, values)}." for path, values in answer.axes.items()]
    if len(answer.labels) > MOST_ROWS:
        told.append(
            f"Of {len(answer.labels)} scenarios the first is given in full; the others differ from it in these fields. "
            "Charts with a row or a point for each scenario are left out."
        )
    return told


def _differences(answer: Answer) -> Iterator[Sheet]:
    """Fields in which scenarios differ, a row each; of many scenarios their labels say it."""
    if not 1 < len(answer.labels) <= MOST_ABREAST:
        return
    tables = [dict(fields(scenario.model_dump(mode="json"))) for scenario in answer.scenarios.values()]
    paths = dict.fromkeys(path for fields in tables for path in fields if path != "name")
    rows = [(path, *(as_written(table[path]) if path in table else "-" for table in tables)) for path in paths]
    differ = [row for row in rows if len(set(row[1:])) > 1]
    if differ:
        note = "A dash: this scenario has no such field."
        yield Sheet(
            "What differs",
            ("field", *answer.question.names.values()),
            differ,
            note if any("-" in row for row in differ) else "",
        )


def _folded(answer: Answer) -> Iterator[Folded]:
    count = len(answer.labels)
    for label, arm in list(answer.question.arms.items())[: count if count <= MOST_ROWS else 1]:
        source = f"From {arm.source}." if arm.source and arm.source != label else ""
        yield Folded(f"{_named(answer, label)} in full", arm.scenario.to_toml(), source)


def _range(path: str, values: Sequence[object]) -> str:
    """A few values in full, of many the ends."""
    if len(values) <= 4:
        return _values(path, values)
    return f"{len(values)} values from {_values(path, values[:1])} to {_values(path, values[-1:])}"


def _values(path: str, values: Iterable[object]) -> str:
    return ", ".join(short_value(path, value) for value in values)


def _others(answer: Answer) -> list[str]:
    """The names of all arms but the baseline."""
    return [name for label, name in answer.question.names.items() if label != answer.baseline]


def _named(answer: Answer, label: str) -> str:
    """What is shown for a scenario."""
    return answer.question.names[label]


def _by_value(told: dict[str, str]) -> str:
    """One value for all, or each with its label."""
    if len(set(told.values())) == 1:
        return next(iter(told.values()))
    return "; ".join(f"{label} {value}" for label, value in told.items())


def _methods(answer: Answer) -> str:
    """How the intervals of each measure were made, at which level."""
    by_measure = {}
    for measure in answer.measures:
        methods = sorted({answer.methods[label, measure.text] for label in answer.labels})
        levels = sorted({answer.estimates[label, measure.text].level for label in answer.labels})
        by_measure[measure.text] = f"{' or '.join(f'{100 * level:g} %' for level in levels)}, {' or '.join(methods)}"
    return _by_value(by_measure)
