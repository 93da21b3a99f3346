"""Buffers of 40, 500 and 1500 packets under either scheduler: Figs 3 to 11 and Table III.

Everything is of the same trials: place, fading and starts of a trial are the same for all six settings, so differences
are paired. Left out: what lets a short buffer send more (table_iii.py), why more buffer should cost
throughput (larger_buffers.py), other rules for buffers (beyond.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from airlink.campaign import CampaignResult, Plan
from airlink.report import bracketed
from airlink.result import Table
from airlink.scenario import Scenario
from airlink.study import Part, PartResult, Request, Runner
from airlink_studies.imt_advanced import buffer_claims, buffer_figures, buffer_sheets, machine_tables, setting
from airlink_studies.imt_advanced.chance import by_chance
from airlink_studies.imt_advanced.contrasts import ratio
from airlink_studies.imt_advanced.measures import Floats, Outcome
from airlink_studies.imt_advanced.schemes import scheme_shares
from airlink_studies.imt_advanced.setting import BUFFERS, MAX_RATE, MC_PF, SCHEDULERS
from airlink_studies.imt_advanced.windows import Windows, mean_window

TOGETHER = 4
"""Trials that run at once: a row of the congestion window for each ACK of each is held until its mean is taken."""
RECORD = ("cwnd", "mcs")


def plans(_: Request) -> Mapping[str, Plan]:
    """None: what is run is run a few trials at a time (`measured`)."""
    return {}


def label(scheduler: str, buffer: int) -> str:
    """The label of a setting."""
    return f"{scheduler}, {buffer} packets"


@dataclass(frozen=True)
class Buffers:
    """What the part found.

    Attributes
    ----------
    outcomes : (scheduler, buffer) -> outcome.
    windows : (scheduler, buffer) -> congestion windows of user 1.
    schemes : (scheduler, buffer) -> shares of bits by MCS, array [seed, user, MCS].
    seeds : one a trial.
    """

    outcomes: Mapping[tuple[str, int], Outcome]
    windows: Mapping[tuple[str, int], Windows]
    schemes: Mapping[tuple[str, int], Floats]
    seeds: Sequence[int]

    @property
    def trials(self) -> int:
        """How many there were."""
        return len(self.seeds)

    @property
    def profile(self) -> str:
        """For the claims."""
        return f"{setting.PROFILE}, {self.trials} trials"

    def at(self, scheduler: str, buffer: int) -> Outcome:
        """The outcome of a setting."""
        return self.outcomes[scheduler, buffer]


def show(_: Mapping[str, CampaignResult], runner: Runner) -> PartResult:
    """Runs, judges and draws."""
    found = _found(runner)
    sheets = (buffer_sheets.round_trips(found), buffer_sheets.usage(found), by_chance(found.at(MC_PF, 500)))
    return PartResult(
        claims=buffer_claims.judged(found),
        paragraphs=(_paragraph(found),),
        items=[
            *buffer_figures.of_scheduler(found, MAX_RATE),
            sheets[0],
            *buffer_figures.of_scheduler(found, MC_PF),
            buffer_figures.losses(found),
            buffer_figures.schemes(found),
            buffer_figures.band(found),
            *sheets[1:],
        ],
        printed=sheets,
        sentences=(_headline(found),),
        judged_by=("002-3b", "002-1h", "002-1i", "002-1j", "002-1f"),
        depends=(_of_buffers(found),),
        tables=_tables(found),
    )


FIGURES = ("3", "4", "5", "6", "7", "8", "9", "10", "11", "rates", "band")
PART = Part("buffers", "Section IV: buffers", FIGURES, plans, show, headline=True)


def measured(runner: Runner, scenario: Scenario, seeds: Sequence[int]) -> tuple[Outcome, Windows, Floats]:
    """A setting: outcome, congestion windows and MCS of all trials, of which no more than a few are held at once."""
    parts = []
    for start in range(0, len(seeds), TOGETHER):
        result = runner.run(Plan({"": scenario}, seeds[start : start + TOGETHER], RECORD))
        parts.append((Outcome.of(result, ""), mean_window(result, ""), scheme_shares(result, "")))
    outcomes, windows, shares = zip(*parts, strict=True)
    return Outcome.joined(outcomes), Windows.joined(windows), np.concatenate(shares)


def _found(runner: Runner) -> Buffers:
    request = runner.request
    changes, seeds = setting.shortened(request), setting.seeds(request)
    of = {
        (scheduler, buffer): measured(runner, setting.cell(scheduler, buffer, **changes), seeds)
        for scheduler in SCHEDULERS
        for buffer in BUFFERS
    }
    return Buffers(
        {pair: outcome for pair, (outcome, _, _) in of.items()},
        {pair: windows for pair, (_, windows, _) in of.items()},
        {pair: shares for pair, (_, _, shares) in of.items()},
        seeds,
    )


def _paragraph(found: Buffers) -> str:
    given_up = sum(float(outcome.given_up.sum()) for outcome in found.outcomes.values())
    return (
        f"Of all trials, {given_up:.0f} packets were lost because a PDU had been sent as often as allowed: with "
        "combining, losses are those of the buffers."
    )


def _headline(found: Buffers) -> str:
    gain = buffer_claims.gain(found, 500)
    first = [found.at(MAX_RATE, buffer).active[:, 0].mean() for buffer in BUFFERS]
    return (
        f"With a buffer of 500 packets for each user the best-channel scheduler carries {bracketed(gain, 2)} times as "
        "much as proportional fair scheduling (paper: about 2). The nearest user, whom it serves most, has data at the "
        f"base station {100 * first[0]:.0f} / {100 * first[1]:.0f} / {100 * first[2]:.0f} % of the time with 40 / 500 "
        "/ 1500 packets (paper: about 40 / 90 / 90)."
    )


def _of_buffers(found: Buffers) -> str:
    """What each scheduler makes of buffers that are smaller or larger than 500 packets."""
    least, own, most = BUFFERS
    told = []
    for scheduler in SCHEDULERS:
        small, large = (ratio(found.at(scheduler, buffer), found.at(scheduler, own)) for buffer in (least, most))
        told.append(f"{bracketed(small, 2)} and {bracketed(large, 2)} under {scheduler}")
    return (
        f"The buffer: with {least} and {most} packets the average throughput is {', '.join(told)} times that with "
        f"{own}."
    )


def _tables(found: Buffers) -> dict[str, Table]:
    named = {label(*pair): outcome for pair, outcome in found.outcomes.items()}
    shares = {label(*pair): each for pair, each in found.schemes.items()}
    return {
        "buffers": machine_tables.by_user(named, found.seeds),
        "buffers-mcs": machine_tables.by_scheme(shares, found.seeds),
        "buffers-band": machine_tables.of_band(named, found.seeds),
    }
