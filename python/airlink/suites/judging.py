"""A judging: the candidate's hash is written down, then the hidden seed is made, then everything is run.

1. the candidate's hash goes into the ledger (`ledger`);
2. the hidden seed: fresh entropy, or the one that is given, goes into the ledger;
3. the built-in schedulers are tuned on the public cases, with the candidate's budget (`tuning`);
4. public and hidden cases are run under the candidate and all of them, and judged (`verdicts`);
5. its worst scenario is searched for (`worst`), and a slot of each is timed (`cost`);
6. the outcome goes into the ledger.

What this can't prevent is said in `CAVEATS`, and in every report.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from airlink import engine
from airlink.campaign.answering import Means
from airlink.engine import RequestError
from airlink.engine.request import distinct_seeds
from airlink.suites.aim import Aim
from airlink.suites.candidate import Candidate
from airlink.suites.cases import Case, Runs, cases_of, run_cases, working
from airlink.suites.cost import slot_times_us
from airlink.suites.family import uniform
from airlink.suites.ledger import Count, Ledger
from airlink.suites.rivals import built_ins
from airlink.suites.suite import Suite
from airlink.suites.tuning import Tuned, tuned
from airlink.suites.verdicts import OUTCOMES, CaseVerdict, Outcome, judged, tally
from airlink.suites.worst import Worst, worst

PUBLIC, HIDDEN = "public", "hidden"
PARTS = (PUBLIC, HIDDEN)
PUBLIC_SEED = 1
"""Names the draws of the public cases: they are the same in every judging."""

TUNING_SEEDS = 4
"""Of the public seeds, so many are tuned on."""

MARGIN = 0.02
"""Differences within 2 % of a built-in scheduler do not matter, unless another margin is asked for."""

CAVEATS = (
    "The ledger knows this folder only: judgings elsewhere, or before it was deleted, are not counted.",
    "The code of the hidden families is public. Hidden are the values and seeds that are drawn after the hash.",
    "The budget is what the candidate's author says; nobody can check it.",
    "Each case errs by itself one time in twenty at most; with many cases some verdict may be chance.",
)
"""What a judging does not show."""


@dataclass(frozen=True)
class Terms:
    """How a candidate is judged.

    Attributes
    ----------
    seeds : of the public runs; hidden runs have as many.
    members : of each family.
    budget : evaluations that the candidate took to be made, and so each built-in scheduler gets; 1: none is tuned.
    worst : points of the search for its worst scenario; 0: no search.
    margin : differences within it do not matter, as a share.
    aim : instead of each family's own, where a scenario has its measure.
    hidden_seed : of an earlier judging that is done again; None: drawn.
    rivals : label -> scheduler that it is compared with; None: all built-in ones.
    timed : whether a slot of each scheduler is timed.
    """

    seeds: Sequence[int] = range(1, 13)
    members: int = 1
    budget: int = 1
    worst: int = 16
    margin: float = MARGIN
    aim: Aim | None = None
    hidden_seed: int | None = None
    rivals: Mapping[str, Candidate] | None = None
    timed: bool = True

    def __post_init__(self) -> None:
        for name, value, least in (("members", self.members, 1), ("budget", self.budget, 1), ("worst", self.worst, 0)):
            if isinstance(value, bool) or value != int(value) or value < least:
                raise RequestError(f"{name} is {value!r}; it must be a whole number of at least {least}")
        distinct_seeds(self.seeds)
        if not isinstance(self.seeds, range):
            object.__setattr__(self, "seeds", tuple(map(int, self.seeds)))
        if len(self.seeds) < 2:
            raise RequestError("a judging needs two seeds at least: one says nothing of chance")
        if not 0 <= self.margin < 1:
            raise RequestError(f"margin is {self.margin!r}; it must be a share from 0 to below 1, as 0.01 for 1 %")
        if self.hidden_seed is not None:
            distinct_seeds([self.hidden_seed])
        if self.rivals is not None:
            self._check_rivals(self.rivals)

    @staticmethod
    def _check_rivals(rivals: Mapping[str, Candidate]) -> None:
        if not rivals:
            raise RequestError("rivals is empty; a candidate is compared with one scheduler at least")
        given: Mapping[str, Any] = rivals
        wrong = [label for label, each in given.items() if not isinstance(each, Candidate)]
        if wrong:
            raise RequestError(f"rival {wrong[0]!r} is {rivals[wrong[0]]!r}; suites.read_candidate makes one of a text")


@dataclass(frozen=True)
class Judging:
    """What came out.

    Attributes
    ----------
    number : of the judging in its ledger.
    suite : that it was judged by.
    candidate : who was judged.
    terms : how, with the hidden seed that was used.
    drawn : whether that seed was drawn after the hash was written down; False: it was given.
    count : how often it was judged.
    broken : lines of the ledger that were changed or can't be read.
    rivals : label -> built-in scheduler after its search.
    verdicts : "public" and "hidden" -> verdict of each case.
    runs : the same -> what was found in each run.
    worst : its worst scenario; None: not searched for.
    slot_us : label -> CPU time of a slot, us; empty: not timed.
    version : of the engine.
    """

    number: int
    suite: Suite
    candidate: Candidate
    terms: Terms
    drawn: bool
    count: Count
    broken: Sequence[int]
    rivals: Mapping[str, Tuned]
    verdicts: Mapping[str, Sequence[CaseVerdict]]
    runs: Mapping[str, Runs] = field(repr=False)
    worst: Worst | None = None
    slot_us: Mapping[str, float] = field(default_factory=dict)
    version: str = ""

    def outcomes(self, part: str, rival: str | None = None) -> dict[Outcome, int]:
        """How many cases of a part have each outcome: against all built-in schedulers, or one of them."""
        verdicts = self.verdicts[part]
        return tally(each.outcome if rival is None else each.against(rival) for each in verdicts)

    @property
    def schedulers(self) -> dict[str, Candidate]:
        """Label -> scheduler, the candidate first."""
        return {self.candidate.name: self.candidate, **{label: each.candidate for label, each in self.rivals.items()}}


def judge(
    candidate: Candidate,
    suite: Suite,
    ledger: Ledger,
    terms: Terms = Terms(),
    means: Means | None = None,
    told: Callable[[str], None] = lambda _: None,
) -> Judging:
    """Judges a candidate.

    Parameters
    ----------
    candidate : who; one with the name of a built-in scheduler is called `candidate NAME`.
    suite : by what.
    ledger : where it is written down.
    terms : how.
    means : store, threads, progress; default: no store, all cores.
    told : called with a word when a part begins.

    Returns
    -------
    Judging: `airlink.suites.text_of` has it in words, `airlink.suites.page_of` as a page.

    Raises
    ------
    ResultError : the ledger can't be written; nothing is run then.
    OwnError : the candidate's code failed in a case, which the message names; the ledger has it as failed.
    KeyboardInterrupt : Ctrl-C. The judging counts, as its seed was revealed.
    """
    means = means or Means(store=None)
    rivals = dict(built_ins(terms.budget > 1) if terms.rivals is None else terms.rivals)
    candidate = _told_apart(candidate, rivals)
    number = ledger.commit(candidate, suite.name, engine.engine_version())
    seed = ledger.reveal(number, terms.hidden_seed)
    drawn, terms = terms.hidden_seed is None, replace(terms, hidden_seed=seed)
    try:
        with working(means, [candidate, *rivals.values()]) as workers:
            ran = _run(candidate, suite, rivals, terms, seed, workers, told)
    except Exception as error:
        ledger.fail(number, str(error))
        raise
    ledger.close(number, {part: tally(each.outcome for each in ran.verdicts[part]) for part in PARTS})
    return Judging(
        number, suite, candidate, terms, drawn, ledger.count(candidate), ledger.broken(), ran.rivals, ran.verdicts,
        ran.runs, ran.worst, ran.slot_us, engine.engine_version(),
    )  # fmt: skip


@dataclass(frozen=True)
class _Ran:
    """What came out of the runs, as `Judging` has it."""

    rivals: Mapping[str, Tuned]
    verdicts: Mapping[str, Sequence[CaseVerdict]]
    runs: Mapping[str, Runs]
    worst: Worst | None
    slot_us: Mapping[str, float]


def _run(  # noqa: PLR0913 - all that a judging is made of
    candidate: Candidate,
    suite: Suite,
    rivals: Mapping[str, Candidate],
    terms: Terms,
    seed: int,
    means: Means,
    told: Callable[[str], None],
) -> _Ran:
    """Tunes the built-in schedulers, runs all cases, searches for the worst one and times a slot."""
    cases = {
        PUBLIC: cases_of(suite.public, PUBLIC_SEED, terms.members, terms.aim),
        HIDDEN: cases_of(suite.hidden, seed, terms.members, terms.aim),
    }
    if terms.budget > 1:
        told("tuning the built-in schedulers")
    known = tuned(rivals, cases[PUBLIC], terms.budget, terms.seeds[:TUNING_SEEDS], means)
    arms = {candidate.name: candidate, **{label: each.candidate for label, each in known.items()}}
    seeds = {PUBLIC: terms.seeds, HIDDEN: hidden_seeds(seed, len(terms.seeds))}
    runs: dict[str, Runs] = {}
    for part in PARTS:
        told(f"{part} cases")
        runs[part] = run_cases(cases[part], {case.name: arms for case in cases[part]}, seeds[part], means)
    verdicts = {part: _verdicts(cases[part], runs[part], candidate.name, terms.margin) for part in PARTS}
    found = None
    if terms.worst:
        told("worst scenario")
        families, after = [*suite.public, *suite.hidden], hidden_seeds(seed, len(terms.seeds), "worst")
        others = {label: each.candidate for label, each in known.items()}
        found = worst(candidate, others, families, terms.worst, seed, after, terms.margin, means, terms.aim)
    if terms.timed:
        told("time of a slot")
    times = slot_times_us(cases[PUBLIC][-1].scenario, arms) if terms.timed else {}
    return _Ran(known, verdicts, runs, found, times)


def hidden_seeds(seed: int, count: int, purpose: str = "runs") -> range:
    """The seeds of hidden runs, which follow from the hidden seed."""
    first = int(uniform(seed, purpose) * 2**30)
    return range(first, first + count)


def summary(judging: Judging) -> dict[str, Any]:
    """The numbers of a judging as JSON has them."""
    worst_found = judging.worst
    return {
        "judging": judging.number,
        "suite": judging.suite.name,
        "candidate": {"name": judging.candidate.name, "hash": judging.candidate.hash, "text": judging.candidate.text},
        "hidden_seed": judging.terms.hidden_seed,
        "hidden_seed_drawn": judging.drawn,
        "judged_before": {"hash": judging.count.hash - 1, "name": judging.count.name - 1},
        "broken_lines": list(judging.broken),
        "budget": judging.terms.budget,
        "margin": judging.terms.margin,
        "tuned": {label: dict(each.values) for label, each in judging.rivals.items()},
        "outcomes": {part: judging.outcomes(part) for part in PARTS},
        "against": {label: {part: judging.outcomes(part, label) for part in PARTS} for label in judging.rivals},
        "cases": [_row(part, each) for part in PARTS for each in judging.verdicts[part]],
        "worst": None if worst_found is None else _row("worst", worst_found.verdict),
        "slot_us": dict(judging.slot_us),
        "version": judging.version,
        "outcome_words": list(OUTCOMES),
    }


def _row(part: str, each: CaseVerdict) -> dict[str, Any]:
    """A case: its values, its aim under each scheduler, its differences."""
    relative = {label: difference.relative for label, difference in each.differences.items()}
    return {
        "part": part,
        "case": each.case.name,
        "values": dict(each.case.values),
        "aim": each.case.aim.name,
        "measure": each.case.aim.text,
        "means": {label: estimate.mean for label, estimate in each.estimates.items()},
        "relative": {label: [found.mean, found.low, found.high] for label, found in relative.items()},
        "best": each.best,
        "against": each.decisive,
        "served": dict(each.served),
        "starved": list(each.starved),
        "outcome": each.outcome,
    }


def _verdicts(cases: Sequence[Case], runs: Runs, candidate: str, margin: float) -> list[CaseVerdict]:
    return [judged(case, runs[case.name], candidate, margin) for case in cases]


def _told_apart(candidate: Candidate, rivals: Mapping[str, Candidate]) -> Candidate:
    """The candidate with a name that no built-in scheduler has."""
    return candidate if candidate.name not in rivals else replace(candidate, name=f"candidate {candidate.name}")
