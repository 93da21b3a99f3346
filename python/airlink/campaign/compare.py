"""A comparison: scenarios against a baseline, in one primary measure, with a verdict for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast

from airlink import engine
from airlink.campaign.answer import Comparison
from airlink.campaign.answering import STORE, Means, answered
from airlink.campaign.asking import Wishes
from airlink.campaign.compare_arms import Arms, arms_of
from airlink.campaign.precision import Until, until
from airlink.campaign.question import MARGIN, SEEDS, Arm, Question
from airlink.campaign.sweep import safe
from airlink.campaign.warm_up_choice import CommonWarmUp, common_warm_up
from airlink.campaign.wording import seeds_text
from airlink.engine import Progress, Replica, RequestError
from airlink.own import With
from airlink.result import Result
from airlink.scenario import Scenario

if TYPE_CHECKING:
    from airlink.campaign.warm_up import WarmUp
    from airlink.measures import Measure
    from airlink.store import Store

MOST_NAME = 80
"""Letters of a folder's name that labels take before they are cut off."""


def compare(  # noqa: PLR0913 - what a comparison can be asked for
    arms: Mapping[str, Scenario | With | Result | str] | Sequence[Scenario | With | Result | str],
    *,
    measure: str | Measure | None = None,
    others: Sequence[str | Measure] | None = None,
    baseline: str | None = None,
    margin: float = MARGIN,
    seeds: Sequence[int] | None = None,
    until: str | None = None,
    most: int | None = None,
    hold: Sequence[str] = (),
    warmup: float | Literal["auto"] | None = None,
    store: Store | Path | str | None = STORE,
    executor: Executor | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Comparison:
    r"""Compares scenarios with a baseline, pair by pair of equal seeds.

    One measure is primary and gets a verdict: better, worse, equivalent or undecided. The intervals of its differences
    hold for all arms at once. The other measures are exploratory: in many of them one misses by chance.

    Parameters
    ----------
    arms : label -> scenario, `airlink.own.With` (a scenario with code of one's own), stored result, or a text that
        changes the first arm's scenario, as
        "scheduler.kind=max_rate"; or a sequence of scenarios and results, or of texts as `airlink compare` takes them.
    measure : the primary measure, default "cell.goodput_bps".
    others : exploratory measures, default the usual ones.
    baseline : label of the arm that the others are compared with, default the first.
    margin : differences within it, relative to the baseline, do not matter; default 0.01.
    seeds : of every arm, default 1 to 20, or those that stored results have in common.
    until : go on until the intervals of all primary differences are this narrow, e.g. "1 %" of the baseline's mean.
    most : replicas of an arm after which `until` gives up, default 1000.
    hold : ("placement",) keeps the places of users and their shadowing in all seeds.
    warmup : of all arms in seconds, or "auto": proposed from pilot runs. Default their own; where these differ, the
        largest.
    store, executor, threads, progress : as `airlink.sweep` has them.

    Returns
    -------
    Comparison: its text is a table, `comparison` has differences and verdicts, `frame()` one row per arm and measure.

    Raises
    ------
    RequestError, MeasureError, ScenarioError : what is asked can't be, said before anything runs.
    KeyboardInterrupt : Ctrl-C; what had ended is in the store, and the same call goes on.

    References
    ----------
    [Beran88] (simultaneous intervals), [Schuirmann87] (equivalence); docs/statistics.md.

    Examples
    --------
    >>> import airlink
    >>> from airlink.scenario import ready
    >>> wire = ready("dumbbell", ["duration_s=2"])
    >>> found = airlink.compare(
    ...     {"10 Mb/s": wire, "20 Mb/s": wire.with_(**{"bottleneck.rate_bps": 2e7})}, seeds=range(1, 4), store=None,
    ... )
    >>> found.comparison["20 Mb/s"].verdict
    'better'
    """
    wishes = Wishes(SEEDS if seeds is None else seeds, others or (), until, most, hold)
    wanted = Wanted(measure, others is None, baseline, margin, warmup, seeds is not None)
    question, stored = compare_question(arms_of(arms), wishes, wanted, threads)
    return cast(Comparison, answered(question, Means(store, executor, threads, progress), stored))


@dataclass(frozen=True)
class Wanted:
    """What only a comparison asks, as it is written.

    Attributes
    ----------
    measure : the primary one; None: that of `until`, or the first usual one.
    usual_others : whether the usual measures are exploratory ones; else those of `Wishes`.
    baseline : label; None: the first.
    margin : 0 or more.
    warmup : in seconds, "auto", or None: their own.
    seeds_given : whether the seeds of `Wishes` were asked for; else those that stored results have in common.
    """

    measure: str | Measure | None = None
    usual_others: bool = True
    baseline: str | None = None
    margin: float = MARGIN
    warmup: float | Literal["auto"] | None = None
    seeds_given: bool = False


def compare_question(
    given: Arms, wishes: Wishes, wanted: Wanted, threads: int | None = None
) -> tuple[Question, dict[str, list[Replica]]]:
    """What a comparison asks, checked, and the replicas that are stored; raises as `compare`.

    `threads` are those of pilot runs, if a warm-up is to be proposed.
    """
    labels = list(given.arms)
    if len(labels) < 2:
        raise RequestError(f"a comparison needs at least two arms; there {'is one' if labels else 'are none'}")
    baseline = labels[0] if wanted.baseline is None else wanted.baseline
    if baseline not in given.arms:
        raise RequestError(f"baseline is {baseline!r}; the arms are {', '.join(map(repr, labels))}")
    if isinstance(wanted.margin, bool | str) or not 0 <= wanted.margin < 1:
        raise RequestError(f"margin is {wanted.margin!r}; it must be a share from 0 to below 1, as 0.01 for 1 %")
    wishes = _with_seeds(given, wishes, wanted.seeds_given)
    arms = _held(given, wishes)
    measures = _measures(arms, wishes, wanted)

    def propose(scenarios: Mapping[str, Scenario], measure: Measure) -> WarmUp:
        # Loaded when it is asked for: few comparisons need pilots.
        from airlink.campaign.warm_up import proposed_warm_up

        return proposed_warm_up(scenarios, measure, wishes.first_seeds(), threads=threads)

    chosen = common_warm_up(arms, measures, wanted.warmup, wanted.usual_others, propose)
    _check_stored(given.results, chosen)
    _check_members(chosen.arms, chosen.measures)
    question = Question(
        kind="compare",
        name=_name(labels),
        arms=chosen.arms,
        measures=chosen.measures,
        seeds=wishes.first_seeds(),
        baseline=baseline,
        margin=float(wanted.margin),
        until=_precision(wishes, measures[0]),
        most=wishes.cap(),
        hold=tuple(wishes.hold),
        warmup_s=chosen.warmup_s,
        notes=(*chosen.notes, *_unlike(chosen.arms), *_versions(given.results)),
    )
    return question, {label: _replicas(result, question.seeds) for label, result in given.results.items()}


def _with_seeds(given: Arms, wishes: Wishes, seeds_given: bool) -> Wishes:
    """The seeds that are asked for, or those that all stored results have."""
    if not given.results:
        return wishes
    if wishes.until:
        label = next(iter(given.results))
        raise RequestError(f"until: {label!r} is a stored result and gets no more replicas; give its scenario instead")
    common = set.intersection(*(set(result.seeds) for result in given.results.values()))
    if not seeds_given:
        if not common:
            had = ", ".join(f"{label!r} {seeds_text(result.seeds)}" for label, result in given.results.items())
            raise RequestError(f"the stored results have no seed in common: {had}")
        return replace(wishes, seeds=tuple(sorted(common)))
    for label, result in given.results.items():
        if missing := set(wishes.first_seeds()) - set(result.seeds):
            had = seeds_text(result.seeds)
            raise RequestError(f"{label!r} is a stored result of seeds {had}; it has no seed {seeds_text(missing)}")
    return wishes


def _held(given: Arms, wishes: Wishes) -> dict[str, Arm]:
    """The arms with what is held; of a stored result it must have been held already."""
    arms = wishes.held(given.arms)
    for label in given.results:
        if arms[label] != given.arms[label]:
            raise RequestError(f"hold placement: {label!r} is a stored result whose users differ from seed to seed")
    return arms


def _measures(arms: Mapping[str, Arm], wishes: Wishes, wanted: Wanted) -> tuple[Measure, ...]:
    """The primary measure, then the exploratory ones; every arm has all of them."""
    from airlink import measures

    scenarios = {label: arm.scenario for label, arm in arms.items()}
    usual = measures.defaults(next(iter(scenarios.values())))
    if wanted.measure is not None:
        primary = measures.measures(wanted.measure)[0]
    elif wishes.until and ":" in wishes.until:
        primary = until(wishes.until).measure
    else:
        primary = usual[0]
    others = usual if wanted.usual_others else measures.measures(wishes.measures)
    if wanted.usual_others:
        others = [one for one in usual if not any(measures.lacking(one, each) for each in scenarios.values())]
    asked = tuple(dict.fromkeys([primary, *others]))
    for label, scenario in scenarios.items():
        measures.check(asked, scenario, label)
    return asked


def _precision(wishes: Wishes, primary: Measure) -> Until | None:
    """How narrow the primary differences have to be."""
    precise = until(wishes.until, primary) if wishes.until else None
    if precise is not None and precise.measure != primary:
        raise RequestError(
            f"until is of {precise.measure}; in a comparison it is of the primary measure, {primary}: "
            "leave its name out, as in '1 %'"
        )
    return precise


def _check_stored(results: Mapping[str, Result], chosen: CommonWarmUp) -> None:
    """Raises RequestError for a stored result that has another warm-up, or lacks a series that a measure needs."""
    for label, result in results.items():
        had_s = result.scenario.warmup_s
        if chosen.arms[label].scenario.warmup_s != had_s:
            told = f"{label!r} is a stored result with a warm-up of {had_s:g} s"
            raise RequestError(f"{told}; all arms need one, so give its scenario instead, or --warmup {had_s:g}")
        for measure in chosen.measures:
            if missing := set(measure.record) - set(result.record):
                raise RequestError(f'measure "{measure}": the stored result {label!r} has no series {min(missing)}')


def _check_members(arms: Mapping[str, Arm], measures: Sequence[Measure]) -> None:
    """Raises RequestError for a measure of one user or flow where arms differ in how many there are."""
    for name, count in (("users", _users), ("flows", _flows)):
        counts = {label: count(arm.scenario) for label, arm in arms.items()}
        members = [measure for measure in measures if measure.population == name and measure.member is not None]
        if members and len(set(counts.values())) > 1:
            had = ", ".join(f"{label!r} {number}" for label, number in counts.items())
            whole = f"{name}.p05({members[0].column})"
            raise RequestError(
                f'measure "{members[0]}": the scenarios differ in their number of {name} ({had}), so {name} '
                f"{members[0].member} are not the same one; compare all of them, as in {whole}"
            )


def _users(scenario: Scenario) -> int:
    return scenario.users


def _flows(scenario: Scenario) -> int:
    return sum(flow.count(scenario.users) for flow in scenario.flows)


def _unlike(arms: Mapping[str, Arm]) -> list[str]:
    """What a reader must know of arms that are not measured over one time, or not of the same users."""
    durations = {label: f"{arm.scenario.duration_s:g}" for label, arm in arms.items()}
    seeds = {label: _placement_seed(arm.scenario) for label, arm in arms.items()}
    found = (
        ("duration_s", durations, "they are measured over different times"),
        ("channel.placement_seed", seeds, "pairs of equal seeds do not have the same users"),
    )
    return [
        f"The scenarios differ in {name} ({', '.join(f'{label} {value}' for label, value in values.items())}): {why}."
        for name, values, why in found
        if len(set(values.values())) > 1
    ]


def _placement_seed(scenario: Scenario) -> str:
    radio = scenario.radio()
    return "none" if radio is None else str(radio.channel.placement_seed)


def _versions(results: Mapping[str, Result]) -> list[str]:
    """What a reader must know of stored results that another version ran."""
    now = engine.engine_version()
    others = {label: result.version for label, result in results.items() if result.version != now}
    return [f"{label} was run by airlink {version}; this is {now}." for label, version in others.items()]


def _replicas(result: Result, seeds: Sequence[int]) -> list[Replica]:
    wanted = set(seeds)
    return [replica for replica in result.replicas if replica.seed in wanted]


def _name(labels: Sequence[str]) -> str:
    """compare-A-B-C; long ones end in a hash of all labels."""
    name = "-".join(["compare", *map(safe, labels)])
    if len(name) <= MOST_NAME:
        return name
    return f"{name[:MOST_NAME]}-{sha256(name.encode()).hexdigest()[:8]}"
