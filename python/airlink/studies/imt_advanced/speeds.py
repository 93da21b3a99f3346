"""Speeds of 3, 30 and 120 km/h under either scheduler: Figs 12 to 17.

The fading's power is the same at every speed: what changes is how old a report of 3 TTIs is in fades. A control
puts the lower SINR that the paper reads in Fig. 14 there by hand. Left out: users who come nearer or go away.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from airlink.campaign import CampaignResult, Plan
from airlink.report import Claim, Sheet, Statement, above, at_least
from airlink.report.tables import plus_minus
from airlink.result import Table
from airlink.statistics import Estimate, mean_interval, paired_difference
from airlink.studies.imt_advanced import setting, speed_figures
from airlink.studies.imt_advanced.contrasts import FIRST, below, difference, ratio, users_with_more
from airlink.studies.imt_advanced.measures import Floats, Outcome
from airlink.studies.imt_advanced.setting import MAX_RATE, MC_PF, SCHEDULERS, SPEEDS_KMH, USERS
from airlink.studies.parts import Part, Shown
from airlink.studies.request import Request
from airlink.studies.runner import Runner

OBSERVED_S, QUICK_OBSERVED_S = 6.0, 1.0
"""Time in which the mean SINR is recorded in every TTI."""
CEILINGS_DB: Mapping[int, float] = {3: 21.0, 30: 18.0, 120: 15.0}
"""The control: a ceiling of the SINR that falls with speed (chosen), as channel estimates that age would make it."""
SLOW, MIDDLE, FAST = SPEEDS_KMH


def plans(request: Request) -> Mapping[str, Plan]:
    """Both schedulers at every speed; the SINR of short runs; the control."""
    changes, trials = setting.shortened(request), setting.seeds(request)
    cells = {
        label(scheduler, speed): setting.cell(scheduler, speed_kmh=speed, **changes)
        for scheduler in SCHEDULERS
        for speed in SPEEDS_KMH
    }
    observed: dict[str, Any] = {"duration_s": QUICK_OBSERVED_S if request.quick else OBSERVED_S}
    short = {
        str(speed): setting.cell(speed_kmh=speed, **{**observed, "flows.*.start_spread_s": 0.2}) for speed in SPEEDS_KMH
    }
    made = {"speeds": Plan(cells, trials, ("mcs",)), "sinr": Plan(short, trials, ("snr",))}
    if request.quick:
        return made
    lower: dict[int, dict[str, Any]] = {speed: {"channel.ceiling.sinr_db": CEILINGS_DB[speed]} for speed in SPEEDS_KMH}
    control = {str(speed): setting.cell(speed_kmh=speed, **lower[speed]) for speed in SPEEDS_KMH}
    return made | {"ceiling": Plan(control, trials, ("mcs",))}


def label(scheduler: str, speed_kmh: int) -> str:
    """The label of a setting."""
    return f"{scheduler}, {speed_kmh} km/h"


@dataclass(frozen=True)
class Speeds:
    """What the part found.

    Attributes
    ----------
    outcomes : (scheduler, speed) -> outcome.
    schemes : (scheduler, speed) -> share of the granted bits of user 1 by MCS, array [seed, MCS 1 to 9].
    sinr_db : speed -> array [seed]: SINR of user 1, mean of dB over subchannels and time.
    courses : speed -> (time in s, SINR in dB): of user 1 in the first trial, mean of dB over subchannels.
    trials : how many there were.
    """

    outcomes: Mapping[tuple[str, int], Outcome]
    schemes: Mapping[tuple[str, int], Floats]
    sinr_db: Mapping[int, Floats]
    courses: Mapping[int, tuple[Floats, Floats]]
    trials: int

    def at(self, scheduler: str, speed_kmh: int) -> Outcome:
        """The outcome of a setting."""
        return self.outcomes[scheduler, speed_kmh]

    def mean_scheme(self, scheduler: str, speed_kmh: int) -> Floats:
        """Array [seed]: mean MCS number of user 1, by bits."""
        shares = self.schemes[scheduler, speed_kmh]
        return np.asarray(shares @ np.arange(1, shares.shape[1] + 1))


def show(results: Mapping[str, CampaignResult], _: Runner) -> Shown:
    """Judges and draws."""
    found = _found(results)
    sheets = [_sheet(found)]
    if "ceiling" in results:
        sheets.append(_control(results["ceiling"]))
    return Shown(
        claims=judged(found),
        paragraphs=(_paragraph(found),),
        items=[*speed_figures.all_of(found), *sheets],
        printed=sheets,
        sentences=(_headline(found),),
        tables={"speeds": _table(found)},
    )


PART = Part("speeds", "Section V: speeds", ("12", "13", "14", "15", "16", "17"), plans, show)


def _found(results: Mapping[str, CampaignResult]) -> Speeds:
    result, sinr = results["speeds"], results["sinr"]
    pairs = [(scheduler, speed) for scheduler in SCHEDULERS for speed in SPEEDS_KMH]
    return Speeds(
        {pair: Outcome.of(result, label(*pair)) for pair in pairs},
        {pair: schemes(result, label(*pair)) for pair in pairs},
        {speed: np.array([course[1].mean() for course in _courses(sinr, str(speed))]) for speed in SPEEDS_KMH},
        {speed: _courses(sinr, str(speed))[0] for speed in SPEEDS_KMH},
        len(result.plan.seeds),
    )


def schemes(result: CampaignResult, name: str, user: int = 0) -> Floats:
    """Share of a user's granted bits by MCS: array [seed, MCS]."""
    rows = []
    for replica in result.result(name).replicas:
        series = replica.series["mcs"]
        own = series["user"] == user
        bits = np.zeros(9)
        np.add.at(bits, series["mcs"][own].astype(int), series["granted_bytes"][own].astype(float))
        rows.append(bits / max(bits.sum(), 1.0))
    return np.array(rows)


def _courses(result: CampaignResult, name: str) -> list[tuple[Floats, Floats]]:
    """Of every seed: time in s and SINR of user 1 in dB."""
    made = []
    for replica in result.result(name).replicas:
        series = replica.series["snr"]
        own = series["user"] == 0
        made.append((series["slot"][own] * 1e-3, np.asarray(series["true_db"][own], dtype=float)))
    return made


def judged(found: Speeds) -> list[Claim]:
    """[002-7], written down before anything was run."""
    slower = ((MIDDLE, SLOW, "30", "3"), (FAST, MIDDLE, "120", "30"))
    best, fair = ({speed: found.at(scheduler, speed) for speed in SPEEDS_KMH} for scheduler in (MAX_RATE, MC_PF))
    rows = []
    for scheduler, of, letters in ((MAX_RATE, best, "ab"), (MC_PF, fair, "cd")):
        for (fast, slow, name, base), letter in zip(slower, letters, strict=True):
            rows.append((letter, f"{scheduler}: average throughput, {name} over {base} km/h", "lower",
                         ratio(of[fast], of[slow]), below("ratio", 1.0)))  # fmt: skip
    others = range(2, USERS + 1)
    loss_of_1 = _change(best, FIRST) - _change(best, others)
    rows += [
        ("e", "MaxCIR: throughput of user 1, 120 over 3 km/h", "strongly reduced", ratio(best[FAST], best[SLOW], FIRST),
         below("ratio", 1.0)),
        ("f", "MaxCIR: relative change of user 1 less that of the others, 120 against 3 km/h", "mostly user 1",
         mean_interval(loss_of_1), below("difference", 0.0)),
        ("g", "MC-PF: users of 10 with less throughput at 120 than at 3 km/h", "each",
         users_with_more(fair[SLOW], fair[FAST], "throughput_mbps"), at_least("users", USERS - 1.0)),
        ("h", "MC-PF: mean MCS of user 1, 120 less 3 km/h", "lower",
         paired_difference(found.mean_scheme(MC_PF, FAST), found.mean_scheme(MC_PF, SLOW)), below("difference", 0.0)),
        ("i", "MC-PF: |real - advertised| SINR, dB, 30 less 3 km/h", "higher",
         difference(fair[MIDDLE], fair[SLOW], "report_error_db"), above("difference", 0.0)),
        ("j", "MC-PF: |real - advertised| SINR, dB, 120 less 30 km/h", "higher",
         difference(fair[FAST], fair[MIDDLE], "report_error_db"), above("difference", 0.0)),
        ("k", "MC-PF: retransmission ratio, 30 less 3 km/h", "higher",
         difference(fair[MIDDLE], fair[SLOW], "retransmission"), above("difference", 0.0)),
        ("l", "MC-PF: retransmission ratio, 120 less 30 km/h", "higher",
         difference(fair[FAST], fair[MIDDLE], "retransmission"), above("difference", 0.0)),
        ("m", "Mean SINR of user 1, dB, 120 less 3 km/h", "lower",
         paired_difference(found.sinr_db[FAST], found.sinr_db[SLOW]), below("difference", -1.0)),
    ]  # fmt: skip
    profile = f"{setting.PROFILE}, {found.trials} trials"
    return [
        Statement(f"002-7{letter}", words, paper).against(estimate, bounds, profile)
        for letter, words, paper, estimate, bounds in rows
    ]


def _change(of: Mapping[int, Outcome], users: range | tuple[int, ...]) -> Floats:
    """Throughput of those users at 120 over that at 3 km/h, in each trial."""
    at = [user - 1 for user in users]
    fast, slow = (of[speed].throughput_mbps[:, at].sum(axis=1) for speed in (FAST, SLOW))
    return np.asarray(fast / np.maximum(slow, 1e-9))


def _sheet(found: Speeds) -> Sheet:
    rows = []
    for (scheduler, speed), outcome in found.outcomes.items():
        rows.append(
            (
                f"{scheduler}, {speed} km/h",
                plus_minus(mean_interval(outcome.throughput_mbps[:, 0]), 1),
                plus_minus(mean_interval(outcome.mean_mbps), 2),
                plus_minus(_percent(outcome.retransmission.mean(axis=1)), 1),
                plus_minus(mean_interval(outcome.report_error_db.mean(axis=1)), 1),
                plus_minus(mean_interval(found.mean_scheme(scheduler, speed)), 1),
            )
        )
    note = (
        "repeated: PDUs sent again, %, and error: |real - advertised| SINR, dB, means over users; MCS: of user 1, by "
        "bits."
    )
    return Sheet("Speeds", ("", "user 1 (Mb/s)", "average", "repeated", "error", "MCS"), rows, note)


def _control(result: CampaignResult) -> Sheet:
    rows = []
    for speed in SPEEDS_KMH:
        outcome, shares = Outcome.of(result, str(speed)), schemes(result, str(speed))
        rows.append(
            (
                f"{speed} km/h, {CEILINGS_DB[speed]:g} dB",
                plus_minus(mean_interval(outcome.throughput_mbps[:, 0]), 1),
                plus_minus(mean_interval(outcome.mean_mbps), 2),
                plus_minus(mean_interval(shares @ np.arange(1, 10)), 1),
            )
        )
    note = "Control, MC-PF: a ceiling of the SINR that falls with speed, as ageing channel estimates make it (chosen)."
    return Sheet("A lower SINR at higher speed, put in", ("", "user 1 (Mb/s)", "average", "MCS"), rows, note)


def _paragraph(found: Speeds) -> str:
    means = " / ".join(plus_minus(mean_interval(found.sinr_db[speed]), 1) for speed in SPEEDS_KMH)
    return (
        f"The mean SINR of user 1 is {means} dB at 3 / 30 / 120 km/h: a Doppler shift changes how fast fades come, not "
        "how deep they are. The lower line of the paper's Fig. 14 needs another cause, or is one user's stretch of a "
        "few seconds; interference between subcarriers at 222 Hz would be 34 dB below the signal with 15 kHz spacing, "
        "far under the ceiling of 21 dB."
    )


def _headline(found: Speeds) -> str:
    falls = {scheduler: ratio(found.at(scheduler, FAST), found.at(scheduler, SLOW)) for scheduler in (MAX_RATE, MC_PF)}
    told = " and ".join(f"{100 * (1 - falls[each].mean):.0f} % under {each}" for each in falls)
    again = [100 * found.at(MC_PF, speed).retransmission.mean() for speed in SPEEDS_KMH]
    return (
        f"From 3 to 120 km/h the average throughput falls by {told}: reports of 3 TTIs age, and "
        f"{again[0]:.0f} / {again[1]:.0f} / {again[2]:.0f} % of PDUs are repeats."
    )


def _table(found: Speeds) -> Table:
    """One row a setting, trial and user."""
    names = [label(*pair) for pair in found.outcomes]
    first = next(iter(found.outcomes.values())).throughput_mbps
    columns: dict[str, np.ndarray] = {
        "setting": np.repeat(names, first.size),
        "trial": np.tile(np.repeat(np.arange(first.shape[0]), USERS), len(names)),
        "user": np.tile(np.arange(1, USERS + 1), len(names) * first.shape[0]),
    }
    for name in ("throughput_mbps", "retransmission", "report_error_db", "selection"):
        columns[name] = np.concatenate([getattr(outcome, name).ravel() for outcome in found.outcomes.values()])
    return Table(columns)


def _percent(share: Floats) -> Estimate:
    return mean_interval(100 * share)
