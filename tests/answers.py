"""Answers to draw, made of random numbers: no runs, and every number is known."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from airlink.campaign.answer import Answer
from airlink.campaign.judged import Judged
from airlink.campaign.question import Arm, Question
from airlink.measures import Measure, differences, estimate, measure
from airlink.scenario import Scenario
from airlink.statistics import Sample, verdict

GOODPUT, EDGE, DELAY, PAGES = (
    measure(text)
    for text in (
        "cell.goodput_bps",
        "users.p05(goodput_bps)",
        "users.p50(queueing_delay_p95_s)",
        "downloads.p95(time_s)",
    )
)
CELL = Scenario.from_toml("""
name = "tiny"
duration_s = 1
users = 3
slot.duration_ms = 5
channel.placement = {kind = "mean_snr_range", low_db = 0, high_db = 15}
link.rate = {kind = "capacity", bandwidth_hz = 1e6}
scheduler.kind = "proportional_fair"
flows = [{}]
""")
CONSTANTS = (10, 100, 1000, 10000)
KINDS = ("proportional_fair", "max_rate")
USERS = 12


def answer(
    arms: Mapping[str, Arm],
    measures: Sequence[Measure] = (GOODPUT, EDGE, DELAY),
    seeds: Sequence[int] = range(1, 21),
    level_of: Callable[[int], float] = lambda place: 1 + 0.15 * place,
    **question: Any,
) -> Answer:
    """An answer whose numbers grow from arm to arm; the replicas of all arms share their luck."""
    samples: dict[tuple[str, str], Any] = {}
    for place, label in enumerate(arms):
        random, own_luck = np.random.default_rng(7), np.random.default_rng(100 + place)
        for each in measures:
            size = {"b/s": 2e6, "s": 0.08}[each.unit] * (0.1 if each.share else 1) * level_of(place)
            own = [_values(random, each, size * own_luck.lognormal(0, 0.001)) for _ in seeds]
            samples[label, each.text] = np.array([one.values[0] for one in own]) if each.share is None else tuple(own)
    asked = Question(
        question.pop("kind", "sweep"), question.pop("name", "answer"), dict(arms), tuple(measures), seeds, **question
    )
    keys = list(samples)
    estimates = {(label, each.text): estimate(each, samples[label, each.text]) for label in arms for each in measures}
    of = {True: "Student's t over replicas", False: "Student's t over influences of replicas"}
    methods = {(label, each.text): of[each.share is None] for label in arms for each in measures}
    assert set(estimates) == set(keys)
    judged: dict[tuple[str, str], Judged] = {}
    for place, each in enumerate(measures if asked.baseline else ()):
        of_arms = {label: samples[label, each.text] for label in arms}
        for label, difference in differences(each, of_arms, asked.baseline).items():
            said = "" if place else verdict(difference, asked.margin, each.better)
            judged[label, each.text] = Judged(difference, said)
    return Answer(
        asked, dict.fromkeys(arms, tuple(seeds)), samples, estimates, methods, judged, version="2.0.0", notes=()
    )


def _values(random: np.random.Generator, each: Measure, size: float) -> Sample:
    values = (
        size * random.lognormal(0, 0.1) * (random.lognormal(0, 0.6, USERS) if each.share is not None else np.ones(1))
    )
    # One download of each run has not ended.
    return Sample(values, np.arange(values.size) > 0 if each is PAGES else True)


def swept(measures: Sequence[Measure] = (GOODPUT, EDGE, DELAY), seeds: Sequence[int] = range(1, 21)) -> Answer:
    """A sweep of a time constant and a scheduler of which one kind has no time constant."""
    arms = {}
    for constant in CONSTANTS:
        at = {"scheduler.time_constant_slots": constant, "scheduler.kind": "proportional_fair"}
        arms[f"time_constant_slots={constant}, kind=proportional_fair"] = Arm(CELL.with_(**at), at)
    arms["kind=max_rate"] = Arm(CELL.with_(**{"scheduler.kind": "max_rate"}), {"scheduler.kind": "max_rate"})
    axes = {"scheduler.time_constant_slots": CONSTANTS, "scheduler.kind": KINDS}
    command = "airlink sweep tiny -x scheduler.time_constant_slots=10..10000:log4 -x scheduler.kind=max_rate,..."
    return answer(arms, measures, seeds, axes=axes, name="tiny-sweep", command=command)


def compared(measures: Sequence[Measure] = (GOODPUT, EDGE, DELAY), seeds: Sequence[int] = range(1, 21)) -> Answer:
    """A comparison of three schedulers."""
    kinds = ("round_robin", "proportional_fair", "max_rate")
    arms = {kind: Arm(CELL.with_(**{"scheduler.kind": kind}), source=f"scheduler.kind={kind}") for kind in kinds}
    command = "airlink compare tiny scheduler.kind=proportional_fair scheduler.kind=max_rate"
    return answer(
        arms, measures, seeds, kind="compare", baseline="round_robin", name="tiny-compare", command=command,
        level_of=lambda place: (1.0, 1.2, 1.002)[place],
    )  # fmt: skip
