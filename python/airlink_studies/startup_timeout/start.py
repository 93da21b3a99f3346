"""The claims about one run: when an initial timeout occurs [003-2], its cost [003-3], what holding it changes [003-5].

Bounds were written before anything was measured. Left out: what is run, and the figures (initial_timeout.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from airlink.campaign import CampaignResult
from airlink.report import Claim, Printed, Statement, about, above, certain, exactly
from airlink.result import Table
from airlink.statistics import Estimate, mean_interval, paired_ratio
from airlink_studies.startup_timeout import setting
from airlink_studies.startup_timeout.cases import expiries
from airlink_studies.startup_timeout.measures import Floats, Outcome, Pair, held_label

PF, LONG = "PF", "PF, long t_c"
PF_12 = "PF, window 12"
CLEAN, LOSSY = "PF, 40 Hz", "PF, 1 % loss"
RR = "RR"
FIFO, FIFO_12, FIFO_20 = "FIFO", "FIFO, window 12", "FIFO, window 20"
FADING, FADING_12 = "FIFO, fading", "FIFO, fading, window 12"
NEAR_LEAST = 1.1
"""An RTO up to this times its minimum is near it (chosen)."""
ONE_RUN = 1
"""The paper's numbers are those of one run (inferred: Fig. 3 shows each session)."""
COLUMNS = ("goodput_bytes", "segments_sent", "retransmissions", "acks_received", "rtt_mean_s", "rtt_max_s")
"""What two runs of a session are compared by."""


@dataclass(frozen=True)
class Start:
    """What was run for Figs 2 to 4.

    Attributes
    ----------
    result : the campaign.
    outcomes : of every setting.
    pairs : of those that were also run with timeouts held.
    timeouts : the initial timeouts of PF and LONG, a table a seed.
    """

    result: CampaignResult
    outcomes: Mapping[str, Outcome]
    pairs: Mapping[str, Pair]
    timeouts: Mapping[str, list[Table]]

    @classmethod
    def of(cls, result: CampaignResult) -> Start:
        """Of a finished campaign."""
        outcomes = {label: Outcome.of(result, label) for label in result.plan.scenarios}
        pairs = {label: Pair(outcomes[label], outcomes[held_label(label)]) for label in (PF, LONG, CLEAN, LOSSY)}
        return cls(result, outcomes, pairs, {label: expiries(result, label) for label in (PF, LONG)})

    @property
    def seeds(self) -> int:
        """How many runs each setting has."""
        return len(self.result.plan.seeds)

    @property
    def profile(self) -> str:
        """For the claims."""
        return f"startup-timeout, {self.seeds} seeds"

    def near_least(self, label: str) -> Estimate:
        """Share of the initial timeouts whose RTO is at most NEAR_LEAST times its minimum, over seeds that have any."""
        least_s = self.result.plan.scenarios[label].flows[0].tcp.rto.min_ms / 1e3
        return _over_seeds(
            [np.asarray(table["rto_s"] <= NEAR_LEAST * least_s, float) for table in self.timeouts[label]]
        )

    def not_lost(self, label: str) -> Estimate:
        """Share of the initial timeouts whose segment still arrived, over seeds that have any."""
        return _over_seeds([np.asarray(table["spurious"] == 1, float) for table in self.timeouts[label]])

    def mean_rto_s(self, label: str) -> Estimate:
        """RTO at the initial timeouts, over seeds that have any."""
        return _over_seeds([table["rto_s"] for table in self.timeouts[label]])

    def victims(self, label: str) -> Estimate:
        """Goodput of sessions with an initial timeout / of those without, mean over seeds that have both."""
        one = self.outcomes[label]
        struck = one.initial > 0
        ratios = [
            float(rates[hit].mean() / rates[~hit].mean())
            for rates, hit in zip(one.goodput_bps, struck, strict=True)
            if 0 < hit.sum() < hit.size
        ]
        return _mean(ratios)

    def first_are_initial(self, label: str) -> Estimate:
        """Share of the sessions with a timeout whose first one occurred in slow start, mean over seeds."""
        one = self.outcomes[label]
        return _over_seeds(
            [np.asarray(initial[any_ > 0] > 0, float) for initial, any_ in zip(one.initial, one.timeouts, strict=True)]
        )

    def changed(self, label: str) -> tuple[int, int]:
        """Of the runs without a timeout: sessions that holding changed in any of COLUMNS, and sessions."""
        calm = np.sum(self.outcomes[label].timeouts, axis=1) == 0
        differ = [
            self.result.flows(label, column)[calm] != self.result.flows(held_label(label), column)[calm]
            for column in COLUMNS
        ]
        return int(np.sum(np.any(differ, axis=0))), int(np.sum(calm)) * self.outcomes[label].sessions


def claims(start: Start) -> list[Claim]:
    """All claims about one run."""
    return [*_conditions(start), *_effects(start), *_numbers(start), *_holding(start)]


def _conditions(start: Start) -> list[Claim]:
    """[003-2], when it occurs."""
    timed_out = {label: mean_interval(one.timed_out) for label, one in start.outcomes.items()}
    sessions = "sessions timed out"
    return [
        Statement("003-2a", "Under PF sessions have initial timeouts").against(
            timed_out[PF], above(sessions, 0), start.profile
        ),
        Statement("003-2b", "Under FIFO none has: link of 2 Mb/s, windows of 12 segments").against(
            timed_out[FIFO_12], exactly(sessions, 0), start.profile
        ),
        Statement("003-2c", "The same with unlimited windows, as chosen for PF").against(
            timed_out[FIFO], exactly(sessions, 0), start.profile
        ),
        Statement("003-2d", "Every session's first timeout occurs in its first slow start").against(
            start.first_are_initial(PF), exactly("share", 1), start.profile
        ),
        Statement(
            "003-2e", "No initial timeout follows a loss: the segment still arrives, its round trip beyond the RTO"
        ).against(start.not_lost(PF), exactly("share", 1), start.profile),
        Statement("003-2f", "Most occur with the RTO at its minimum or up to 10 % above", "about 1 s").against(
            start.near_least(PF), above("share", 0.5), start.profile
        ),
        Statement("003-2g", "The window does not matter under PF: as many with 12 segments (within 15 %)").against(
            _ratio(start, PF_12, PF), about("ratio", 1.0), start.profile
        ),
    ]


def _effects(start: Start) -> list[Claim]:
    """[003-3], orderings."""
    made = []
    for (fair, fast), label, which in (("cd", PF, "t_c 1000"), ("ef", LONG, "t_c 10 000")):
        pair = start.pairs[label]
        made += [
            Statement(
                f"003-3{fair}", f"Jain's index is higher when timeouts are held, {which}", Printed(0.177, ONE_RUN)
            ).against(pair.fairer, above("difference", 0), start.profile),
            Statement(
                f"003-3{fast}", f"Throughput is higher when timeouts are held, {which}", Printed(1.149, ONE_RUN)
            ).against(pair.faster, above("ratio", 1), start.profile),
        ]
    return made


def _numbers(start: Start) -> list[Claim]:
    """[003-3], the printed numbers."""
    jain = {label: mean_interval(one.jain) for label, one in start.outcomes.items()}
    kbps = {label: mean_interval(one.kbps) for label, one in start.outcomes.items()}
    half, held, paper = start.pairs[LONG].timed_out, held_label(LONG), setting.PAPER_TIMED_OUT
    rows = (
        ("a", "About 11 of 20 sessions time out, t_c 10 000", paper, half),
        ("b", "The same with the chosen t_c of 1000", paper, start.pairs[PF].timed_out),
        ("g", "FIFO's Jain index is 0.99: windows of 12 segments", setting.PAPER_JAIN_FIFO, jain[FIFO_12]),
        ("h", "The same with unlimited windows", setting.PAPER_JAIN_FIFO, jain[FIFO]),
        ("i", "Jain's index, t_c 10 000", setting.PAPER_JAIN, jain[LONG]),
        ("j", "The same, held", setting.PAPER_JAIN_HELD, jain[held]),
        ("k", "Throughput, t_c 10 000, kb/s", setting.PAPER_KBPS, kbps[LONG]),
        ("l", "The same, held", setting.PAPER_KBPS_HELD, kbps[held]),
    )
    return [
        Statement(f"003-3{letter}", sentence, Printed(printed, ONE_RUN)).against(measured, None, start.profile)
        for letter, sentence, printed, measured in rows
    ]


def _holding(start: Start) -> list[Claim]:
    """[003-5], what the control does."""
    lossy = start.pairs[LOSSY].held
    changed, calm = start.changed(CLEAN)
    left = sum(float(np.sum(start.pairs[label].held.initial)) for label in (PF, LONG, CLEAN))
    return [
        Statement(
            "003-5a", "Held: no session has an initial timeout any more (sum over settings without loss)"
        ).against(certain(left), exactly("timeouts", 0), start.profile),
        Statement("003-5b", "Held: with 1 % loss the timeouts that losses cause still occur").against(
            mean_interval(np.sum(lossy.timeouts - lossy.spurious, axis=1)), above("timeouts a run", 0), start.profile
        ),
        Statement("003-5c", f"In runs without a timeout (40 Hz) holding changes nothing: of {calm} sessions").against(
            certain(float(changed) if calm else np.nan), exactly("sessions changed", 0), start.profile
        ),
    ]


def _ratio(start: Start, a: str, b: str) -> Estimate:
    return paired_ratio(start.outcomes[a].timed_out, start.outcomes[b].timed_out)


def _over_seeds(samples: list[Floats]) -> Estimate:
    return _mean([float(np.mean(each)) for each in samples if len(each)])


def _mean(values: list[float]) -> Estimate:
    return mean_interval(values) if values else Estimate(np.nan, np.nan, np.nan, 0)
