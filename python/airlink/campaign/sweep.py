"""A sweep: one scenario with every combination of values of some fields."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from airlink.campaign.answer import Sweep
from airlink.campaign.answering import STORE, Means, answered
from airlink.campaign.asking import Wishes
from airlink.campaign.axes import plain_axes, span
from airlink.campaign.plan import axis_names
from airlink.campaign.precision import Until, until
from airlink.campaign.question import SEEDS, Arm, Question
from airlink.engine import Progress, RequestError
from airlink.measures import check, defaults, lacking
from airlink.measures import measures as measures_of
from airlink.own import Given, parts_of
from airlink.scenario import Scenario

if TYPE_CHECKING:
    from airlink.measures import Measure
    from airlink.store import Store


def sweep(  # noqa: PLR0913 - what a sweep can be asked for
    scenario: Scenario,
    axes: Mapping[str, Sequence[Any]],
    *,
    seeds: Sequence[int] = SEEDS,
    measures: Sequence[str | Measure] = (),
    until: str | None = None,
    most: int | None = None,
    hold: Sequence[str] = (),
    controls: bool = False,
    store: Store | Path | str | None = STORE,
    executor: Executor | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
    scheduler: Given = None,
    congestion_control: Given | Mapping[int, Given] = None,
    queue: Given = None,
) -> Sweep:
    """Runs a scenario with every combination of values, and estimates measures of each with their intervals.

    Parameters
    ----------
    scenario : where all other fields come from.
    axes : path of a field -> its values, e.g. {"scheduler.kind": ["max_rate", "proportional_fair"]}. A field that the
        kind of its table does not have is left out where that kind is swept as well.
    seeds : of every scenario, default 1 to 20: with the same seeds scenarios see the same channel.
    measures : as `airlink list measures` writes them, e.g. "users.p05(goodput_bps)"; default the usual ones.
    until : go on until an interval is this narrow, e.g. "cell.goodput_bps: 1 %": half of it in percent of the mean, or
        in the measure's unit ("downloads.p95(time_s): 50 ms"). Each scenario has at least 20 replicas and goes on by
        itself.
    most : replicas of a scenario after which `until` gives up, default 1000.
    hold : ("placement",) keeps the places of users and their shadowing in all seeds.
    controls : narrow the intervals with quantities whose mean is known (docs/statistics.md).
    store : where replicas are kept and found: a folder, a `Store`, or None for none; default "airlink-results", or the
        folder that the environment variable AIRLINK_STORE names.
    executor : of `concurrent.futures`, default threads of this process; `campaign.engine_of` has others.
    threads : default all cores. The numbers do not depend on it.
    progress : called with (replicas finished, replicas in all).
    scheduler, congestion_control, queue : code of one's own for every scenario, as `airlink.run` takes it; default
        none. Python code runs on processes, on one thread here with `threads=1`.

    Returns
    -------
    Sweep: its text is a table, `frame()` has one row per scenario and measure, `save(folder)` writes it.

    Raises
    ------
    ScenarioError : unknown fields and values that are not allowed, all at once.
    RequestError : seeds, until, most or hold that can't be; more than 10 000 scenarios.
    MeasureError : no such measure, or a scenario does not have it.
    KeyboardInterrupt : Ctrl-C; what had ended is in the store, and the same call goes on.

    Examples
    --------
    >>> import airlink
    >>> from airlink.scenario import ready
    >>> found = airlink.sweep(
    ...     ready("dumbbell", ["duration_s=2"]), {"users": [1, 2]}, seeds=range(1, 4), measures=["cell.goodput_bps"],
    ...     store=None,
    ... )
    >>> found.frame()["scenario"].tolist()
    ['users=1', 'users=2']
    """
    if not isinstance(scenario, Scenario):
        raise RequestError(f"scenario is {scenario!r}; it must be a Scenario, as airlink.scenario.ready('lte')")
    question = sweep_question(scenario, plain_axes(axes), Wishes(seeds, measures, until, most, hold, controls))
    parts = parts_of(scheduler, congestion_control, queue, len(scenario.flows))
    if parts:
        question = question.with_parts(dict.fromkeys(question.arms, parts))
    return cast(Sweep, answered(question, Means(store, executor, threads, progress)))


def sweep_question(scenario: Scenario, axes: Mapping[str, Sequence[Any]], wishes: Wishes) -> Question:
    """What a sweep asks, checked; raises as `sweep`."""
    name = scenario.name or "scenario"
    arms = span(scenario, axes) if axes else {name: Arm(scenario)}
    scenarios = {label: arm.scenario for label, arm in arms.items()}
    asked = measures_of(wishes.measures)
    precise = until(wishes.until, asked[0] if len(asked) == 1 else None) if wishes.until else None
    return Question(
        kind="sweep",
        name="-".join([safe(name), "sweep", *map(safe, axis_names(axes).values())]),
        arms=wishes.held(arms),
        measures=_measures(asked, precise, scenarios),
        seeds=wishes.first_seeds(),
        axes={path: tuple(values) for path, values in axes.items()},
        until=precise,
        most=wishes.cap(),
        hold=tuple(wishes.hold),
        controls=wishes.controls,
    )


def _measures(
    asked: Sequence[Measure], precise: Until | None, scenarios: Mapping[str, Scenario]
) -> tuple[Measure, ...]:
    """The measures that are asked for, or the usual ones of all scenarios; that of `until` among them."""
    wanted = list(asked)
    if not wanted:
        usual = defaults(next(iter(scenarios.values())))
        wanted = [one for one in usual if not any(lacking(one, each) for each in scenarios.values())]
    if precise is not None and precise.measure not in wanted:
        wanted = [precise.measure, *wanted] if not asked else [*wanted, precise.measure]
    for label, scenario in scenarios.items():
        check(wanted, scenario, label)
    return tuple(wanted)


def safe(text: str) -> str:
    """A text as part of a folder's name."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", text).strip("-.")[:60] or "scenario"
