"""A judging as text of at most 80 columns: verdicts first, then what they rest on, then what they do not show."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from textwrap import TextWrapper

from airlink.campaign.wording import percent_text, seeds_text
from airlink.suites.aim import Aim
from airlink.suites.family import told_of
from airlink.suites.judging import CAVEATS, HIDDEN, PARTS, PUBLIC, Judging
from airlink.suites.rivals import ANOTHER_UNTUNED
from airlink.suites.verdicts import OUTCOMES, CaseVerdict, Outcome

WIDTH = 80
NAME = 22
"""Letters of a case's name."""

Row = Sequence[str]


def wrap(text: str, first: str = "", then: str = "") -> list[str]:
    """A text in lines; a word with a hyphen, as an option, stays whole."""
    return TextWrapper(WIDTH, initial_indent=first, subsequent_indent=then, break_on_hyphens=False).wrap(text)


def text_of(judging: Judging, scenario: Path | None = None) -> str:
    """The judging in words.

    Parameters
    ----------
    judging : what came out.
    scenario : where its worst scenario was written; None: nowhere.
    """
    parts = [
        _headline(judging),
        *(_cases(judging, part) for part in PARTS),
        _against(judging),
        _tuned(judging),
        _times(judging),
        _worst(judging, scenario),
        [line for caveat in CAVEATS for line in wrap(caveat, then="  ")],
    ]
    return "\n\n".join("\n".join(part) for part in parts if part)


def headline(judging: Judging) -> str:
    """The outcome in a sentence.

    Of cases against all built-in schedulers at once: a candidate that wins one beats every one of them there.
    """
    told = "; ".join(f"{part}: {_counted(judging.outcomes(part))}" for part in PARTS)
    return f"{judging.candidate.name} against the best built-in scheduler. {told[:1].upper()}{told[1:]}."


def overfit(judging: Judging) -> str:
    """A word where a candidate wins in public what it loses in hiding; else empty."""
    public, hidden = (judging.outcomes(part) for part in PARTS)
    if public["lose"] < hidden["lose"] and public["win"] + public["equivalent"] > hidden["win"] + hidden["equivalent"]:
        return "It does worse on families that it was not made with: it may be fitted to the public ones."
    return ""


def counting(judging: Judging) -> str:
    """How often the candidate was judged, in a sentence."""
    count, candidate = judging.count, judging.candidate
    of = f"of {candidate.file}" if candidate.file else f"of the name {candidate.name!r}"
    told = f"Judging {judging.number} of this ledger; {_nth(count.hash)} of this hash, {_nth(count.name)} {of}"
    told += f" ({count.hashes} hashes)." if count.hashes > 1 else "."
    if count.replays:
        told += f" {count.replays} of them had a given hidden seed."
    if judging.broken:
        told += f" The ledger was changed: line {', '.join(map(str, judging.broken))}."
    return told


def seed_sentence(judging: Judging) -> str:
    """The hidden seed, and whether it was made after the hash."""
    seed = judging.terms.hidden_seed
    if judging.drawn:
        return f"Hidden seed {seed}, drawn after the hash was written down; --hidden-seed {seed} judges again."
    return f"Hidden seed {seed} was given: this is no blind judging, the candidate may have been made with it."


def replay(judging: Judging, scenario: str) -> str:
    """The command that runs a candidate's worst scenario again, from the file that holds it."""
    found, candidate = judging.worst, judging.candidate
    assert found is not None, "there is one to run again"
    best = judging.rivals[found.verdict.decisive].candidate
    own = ["--scheduler", candidate.place] if candidate.place else [f"mine={candidate.argument}"]
    return shlex.join([
        "airlink", "compare", scenario, f"best={best.argument}", *own, "--baseline", "best", "-m",
        found.verdict.case.aim.text, "--seeds", seeds_text(found.seeds),
    ])  # fmt: skip


def difference_text(verdict: CaseVerdict) -> str:
    """How far the candidate is from the built-in scheduler that decides: the best, or the one that beat it."""
    return percent_text(verdict.differences[verdict.decisive].relative)


def starving(verdict: CaseVerdict, candidate: str) -> str:
    """What is wrong with a case in which a candidate serves fewer users than others, in a sentence; else empty."""
    if not verdict.starved:
        return ""
    most = max(verdict.starved, key=lambda label: verdict.served[label])
    return (
        f"{verdict.case.name}: it serves {verdict.served[candidate]:.3g} users, {most} {verdict.served[most]:.3g}; "
        f"{verdict.outcome}, whatever its {verdict.case.aim.name}."
    )


def number_text(aim: Aim, value: float) -> str:
    """A value of an aim, in its unit.

    >>> from airlink.suites.aim import GEOMETRIC, IN_TIME, PAGE_TIME
    >>> number_text(GEOMETRIC, 166.3), number_text(PAGE_TIME, 0.4412), number_text(IN_TIME, 0.98)
    ('166 kB/s', '441 ms', '98.0 %')
    """
    if not math.isfinite(value):
        return "?" if math.isnan(value) else "not known"
    if aim.made == "power of ten":
        return f"{value:.3g} kB/s"
    if aim.made == "one less it":
        return f"{100 * value:.1f} %"
    from airlink.measures import readable_unit

    by, unit = readable_unit(aim.measure.unit, [value])
    return f"{value / by:.3g} {unit}".rstrip()


def _headline(judging: Judging) -> list[str]:
    candidate = judging.candidate
    first = [headline(judging), overfit(judging)]
    then = [
        f"Candidate {candidate.name}: {candidate.argument}", f"SHA-256 {candidate.hash}", counting(judging),
        seed_sentence(judging),
    ]  # fmt: skip
    return [*(line for each in first for line in wrap(each)), "", *(line for each in then for line in wrap(each))]


def _cases(judging: Judging, part: str) -> list[str]:
    verdicts = judging.verdicts[part]
    rows = [[each.case.name[:NAME], each.decisive, difference_text(each), each.outcome] for each in verdicts]
    lines = list(table(["case", "against", "difference", "outcome"], rows, left=(0, 1)))
    for each in verdicts:
        lines += wrap(starving(each, judging.candidate.name), then="  ")
    if part == HIDDEN:
        aims = dict.fromkeys(each.case.aim for of in PARTS for each in judging.verdicts[of])
        told = ", ".join(f"{aim.name} ({aim.better})" for aim in aims)
        margin, seeds = f"{100 * judging.terms.margin:g} %", len(judging.terms.seeds)
        lines += ["", *wrap(
            f"Better is: {told}. Against: the best built-in scheduler, or the best of those that beat the candidate. "
            f"Differences are paired by seed, {seeds} seeds a case; the intervals of a case hold "
            "for all built-in schedulers at once (95 %). Win: better than every one; lose: worse than one at least; "
            f"equivalent: within {margin} or better; unclear: more seeds are needed (--seeds)."
        )]  # fmt: skip
    return [f"{'Public' if part == PUBLIC else 'Hidden'} cases", *lines]


def _against(judging: Judging) -> list[str]:
    rows = []
    for label in judging.rivals:
        counts = [judging.outcomes(part, label) for part in PARTS]
        rows.append([label, *(str(count[each]) for count in counts for each in OUTCOMES)])
    head = ["public: against", *OUTCOMES, *(f"{'hidden: ' * (each == OUTCOMES[0])}{each}" for each in OUTCOMES)]
    head = [each.replace("equivalent", "equiv.") for each in head]
    return ["Against each built-in scheduler, number of cases", *table(head, rows, gap=" ")]


def _tuned(judging: Judging) -> list[str]:
    budget = judging.terms.budget
    if budget == 1:
        absent = [kind for kind in ANOTHER_UNTUNED if kind not in judging.rivals]
        told = f" {', '.join(absent)} are proportional_fair with theirs, and left out." if absent else ""
        return wrap(f"The built-in schedulers have their defaults: --budget N tunes each with N evaluations.{told}")
    lines = [f"Tuned on the public cases, {budget} evaluations each (--budget):"]
    for label, each in judging.rivals.items():
        told = told_of(each.values) if each.values else "its defaults"
        score = f", {100 * math.expm1(each.score):+.1f} % a case" if each.values else ""
        lines += wrap(f"{label}: {told}{score}", "  ", "    ")
    return lines


def _times(judging: Judging) -> list[str]:
    if not judging.slot_us:
        return []
    own = judging.slot_us[judging.candidate.name]
    rows = [[label, f"{us:.2f}", f"{us / own:.2f}"] for label, us in judging.slot_us.items()]
    case = judging.verdicts[PUBLIC][-1].case.name
    return [f"CPU time of a slot, all of the run in it ({case})", *table(["scheduler", "us", "of candidate"], rows)]


def _worst(judging: Judging, scenario: Path | None) -> list[str]:
    found = judging.worst
    if found is None:
        return []
    verdict = found.verdict
    aim = verdict.case.aim
    estimates = (verdict.estimates[label].mean for label in (judging.candidate.name, verdict.decisive))
    own, best = (number_text(aim, value) for value in estimates)
    lines = wrap(
        f"Worst scenario of {found.evaluations}: {verdict.case.family.name} with {told_of(verdict.case.values)}. "
        f"{aim.name}: {own}, {verdict.decisive} {best}: {difference_text(verdict)}, {verdict.outcome}. "
        f"Of seeds {seeds_text(found.seeds)}, which the search did not see.",
    )
    if scenario is not None:
        lines += ["Again:", f"  {replay(judging, str(scenario))}"]
    return lines


def table(head: Row, rows: Sequence[Row], left: Sequence[int] = (0,), gap: str = "  ") -> Iterator[str]:
    """Rows below a head, as wide as their cells."""
    widths = [max(len(row[place]) for row in [head, *rows]) for place in range(len(head))]
    for row in [head, None, *rows]:
        if row is None:
            yield "-" * (sum(widths) + len(gap) * (len(widths) - 1))
            continue
        cells = (cell.ljust(width) if place in left else cell.rjust(width)
                 for place, (cell, width) in enumerate(zip(row, widths, strict=True)))  # fmt: skip
        yield gap.join(cells).rstrip()


def _counted(outcomes: dict[Outcome, int]) -> str:
    """Outcomes in words: "2 won, 1 lost, 3 equivalent, 4 unclear"."""
    words = {"win": "won", "lose": "lost"}
    return ", ".join(f"{count} {words.get(each, each)}" for each, count in outcomes.items())


def _nth(count: int) -> str:
    ends = {1: "st", 2: "nd", 3: "rd"}
    return f"the {count}{'th' if count % 100 in (11, 12, 13) else ends.get(count % 10, 'th')}"
