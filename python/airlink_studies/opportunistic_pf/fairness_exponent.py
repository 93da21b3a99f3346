"""Section VI: who gets the slots, and what the cell carries, as the fairness exponent lambda grows (Figs 9-13).

The metric is log R - lambda log T, eq. (7), with T as in eq. (6), alpha = 0.01; 32 users whose queues are never empty.
Lambda of Fig. 11 is a lost number above 1: 2 is chosen here. `Near 0` is read as at most 0.05, `about equal` as a
coefficient of variation of at most 0.1, `rising` as a rank correlation of at least 0.5. Left out: TCP (cell_edge.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from airlink.campaign import CampaignResult, Plan
from airlink.report import Claim, Printed, Statement, above, at_least, at_most, between, bracketed
from airlink.statistics import Estimate, mean_interval, paired_difference, paired_ratio
from airlink.study import Part, PartResult, Request, Runner
from airlink_studies.opportunistic_pf import fairness_figures
from airlink_studies.opportunistic_pf.quarters import CENTRE, EDGE, Floats, by_snr, quarters
from airlink_studies.opportunistic_pf.setting import EXPONENTS, PAPER, fairness, seeds

MAX_SNR, PF, TRADE_OFF, RATE_FAIR, LARGEST = 0.0, 1.0, 2.0, 10.0, 100.0
"""Of Figs 9, 12, 11, 10, and of the text on Fig. 13."""
BETWEEN = (0.9, 1.1, 1.2, 7.0)
"""Beside the steps of the sweep: where the peak of Fig. 13 is looked for."""
QUICK_EXPONENTS = (MAX_SNR, 0.5, 0.9, PF, 1.1, TRADE_OFF, RATE_FAIR, LARGEST)
FIGURES: Mapping[str, float] = {"9": MAX_SNR, "10": RATE_FAIR, "11": TRADE_OFF, "12": PF}
DROPS, CONTROL_DROPS, QUICK_DROPS, QUICK_S = 10, 4, 3, 10.0
"""The paper has 10 Monte Carlo iterations."""
FORTY = Printed(PAPER.throughput_at_pf_percent / 100, 10, 0.06)
"""Throughput at lambda = 1 over that at 0: "about 40 %"; what "about" allows is chosen."""
NEAR_ZERO, FLAT, RANKED = 0.05, 0.10, 0.5

CONTROL_EXPONENTS = (MAX_SNR, 0.9, PF, 1.1, 1.2, RATE_FAIR, LARGEST)
DRAWN_TOO = (0.5, TRADE_OFF, 5.0)
"""Lambda of the control that Fig. 13 shows as well."""
NO_FADING, LONG_MEMORY = "no fading", "alpha = 0.001"
CONTROLS: Mapping[str, Mapping[str, object]] = {
    NO_FADING: {"channel.fading": {"kind": "none"}},
    "Doppler 40 Hz": {"channel.fading.doppler_hz": 40.0},
    LONG_MEMORY: {"scheduler.time_constant_slots": 1000.0},
    "-16 to 16 dB": {"channel.placement.low_db": -16.0, "channel.placement.high_db": 16.0},
    "equal spacing": {"channel.placement.spacing": "equal"},
    "T counts sent bits": {"scheduler.average_counts": "sent"},
    "T starts at 1 b/s": {"scheduler.initial_average_bps": 1.0},
}


@dataclass(frozen=True)
class Sweep:
    """Everything against lambda in one setting.

    Attributes
    ----------
    snr_db : array [seed, user], nominal SNR, rising.
    shares : lambda -> array [seed, user], share of the slots given to all, users in the order of `snr_db`.
    quarter : lambda -> array [seed, class], mean share of a user of the class.
    throughput_bps : lambda -> array [seed], rate granted to all.
    min_max : lambda -> array [seed], least share / largest share.
    """

    snr_db: Floats
    shares: Mapping[float, Floats]
    quarter: Mapping[float, Floats]
    throughput_bps: Mapping[float, Floats]
    min_max: Mapping[float, Floats]

    @classmethod
    def of(cls, result: CampaignResult, labels: Mapping[float, str]) -> Sweep:
        """Reads the scenarios with these labels."""
        shares, quarter = {}, {}
        for exponent, label in labels.items():
            won = result.users(label, "slots_won")
            share = won / won.sum(axis=1, keepdims=True)
            shares[exponent] = by_snr(result, label, share)
            quarter[exponent] = quarters(result, label, share)
        first = next(iter(labels.values()))
        return cls(
            np.sort(result.users(first, "mean_snr_db"), axis=1),
            shares,
            quarter,
            {exponent: result.cell(label, "granted_bps") for exponent, label in labels.items()},
            {exponent: result.cell(label, "min_max_resource_share") for exponent, label in labels.items()},
        )

    @property
    def exponents(self) -> list[float]:
        """Every lambda, rising."""
        return sorted(self.shares)

    def rank_correlation(self, exponent: float) -> Estimate:
        """Spearman's, between nominal SNR and share of the slots."""
        ranks = np.apply_along_axis(_ranks, 1, self.shares[exponent])
        own = np.arange(ranks.shape[1], dtype=float)
        return mean_interval([np.corrcoef(row, own)[0, 1] for row in ranks])

    def variation(self, exponent: float) -> Estimate:
        """Coefficient of variation of the users' shares."""
        shares = self.shares[exponent]
        return mean_interval(shares.std(axis=1, ddof=1) / shares.mean(axis=1))

    def edge_over_centre(self, exponent: float) -> Floats:
        """Share of a user of the lowest quarter / of the highest: array [seed]."""
        quarter = self.quarter[exponent]
        return np.asarray(quarter[:, EDGE] / quarter[:, CENTRE])


def _ranks(values: Floats) -> Floats:
    """Ranks from 0; equal values share their mean rank."""
    _, which, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return np.asarray((ends - (counts + 1) / 2)[which])


def exponents(request: Request) -> list[float]:
    """Every lambda that is run, rising."""
    return sorted(QUICK_EXPONENTS if request.quick else {*EXPONENTS, *BETWEEN, LARGEST})


def controls(request: Request) -> Mapping[str, Mapping[str, object]]:
    """What is changed in each control."""
    return {NO_FADING: CONTROLS[NO_FADING]} if request.quick else CONTROLS


def _of_control(name: str, request: Request) -> list[float]:
    return sorted({*CONTROL_EXPONENTS, *(DRAWN_TOO if name == NO_FADING and not request.quick else ())})


def _plans(request: Request) -> Mapping[str, Plan]:
    length = {"duration_s": QUICK_S} if request.quick else {}
    base = {f"lambda={one:g}": fairness(one).with_(**length) for one in exponents(request)}
    changed = {
        f"{name}/{one:g}": fairness(one).with_(**length, **changes)
        for name, changes in controls(request).items()
        for one in _of_control(name, request)
    }
    drops = QUICK_DROPS if request.quick else DROPS
    return {
        "sweep": Plan(base, seeds(request.seed, drops)),
        "controls": Plan(changed, seeds(request.seed, min(drops, CONTROL_DROPS))),
    }


def _show(results: Mapping[str, CampaignResult], runner: Runner) -> PartResult:
    request = runner.request
    main = Sweep.of(results["sweep"], {one: f"lambda={one:g}" for one in exponents(request)})
    others = {
        name: Sweep.of(results["controls"], {one: f"{name}/{one:g}" for one in _of_control(name, request)})
        for name in controls(request)
    }
    profile = f"Section VI, {len(results['sweep'].plan.seeds)} realizations"
    pictures = [fairness_figures.shares(number, main, exponent) for number, exponent in FIGURES.items()]
    control_sheet = fairness_figures.control_sheet(main, others)
    return PartResult(
        claims=[*share_claims(main, profile), *sweep_claims(main, others, profile)],
        paragraphs=_paragraphs(main, others),
        items=[*pictures, fairness_figures.trade_off(main, others.get(NO_FADING)), control_sheet],
        printed=[fairness_figures.sweep_sheet(main), control_sheet],
        sentences=[_sentence(main)],
        judged_by=("000-6b", "000-7b", "000-7c", "000-7f", "000-7i"),
        tables={"fairness-exponent": fairness_figures.table({"Section VI": main, **others})},
    )


def share_claims(main: Sweep, profile: str) -> list[Claim]:
    """[000-6] Shares against nominal SNR: rising at 0, flat at 1, falling above, steeply at 10."""
    lean = Statement("000-6c", "lambda = 1: an edge user's share is within 15 % of a central user's", "3.122 % for all")
    steeper = paired_difference(main.edge_over_centre(RATE_FAIR), main.edge_over_centre(TRADE_OFF))
    return [
        Statement("000-6a", "lambda = 0: a user's share of the slots rises with its SNR", "Fig. 9").against(
            main.rank_correlation(MAX_SNR), at_least("rank correlation, 0", RANKED), profile
        ),
        Statement("000-6b", "lambda = 1: about the same share for every user", "3.122 % for all").against(
            main.variation(PF), at_most("CoV of shares, 1", FLAT), profile
        ),
        lean.against(mean_interval(main.edge_over_centre(PF)), between("edge/centre, 1", 0.85, 1.15), profile),
        Statement("000-6d", f"lambda = {TRADE_OFF:g}: a user's share falls with its SNR", "Fig. 11").against(
            main.rank_correlation(TRADE_OFF), at_most(f"rank correlation, {TRADE_OFF:g}", -RANKED), profile
        ),
        Statement("000-6e", "lambda = 10: a user's share falls with its SNR", "Fig. 10").against(
            main.rank_correlation(RATE_FAIR), at_most("rank correlation, 10", -RANKED), profile
        ),
        Statement("000-6f", f"and more steeply than at lambda = {TRADE_OFF:g}", "Figs 10, 11").against(
            steeper, above(f"edge/centre, 10 - {TRADE_OFF:g}", 0), profile
        ),
    ]


def sweep_claims(main: Sweep, others: Mapping[str, Sweep], profile: str) -> list[Claim]:
    """[000-7] Fig. 13, and the controls that show where its peak and its right end come from."""
    steps = [one for one in main.exponents if one not in BETWEEN]
    of_most = paired_ratio(main.throughput_bps[PF], main.throughput_bps[MAX_SNR])
    claims = [
        Statement("000-7a", "throughput falls with every step of lambda (the smallest fall, kb/s)", "falls").against(
            smallest_fall(main), above("fall, kb/s", 0), profile
        ),
        Statement("000-7b", "min/max share is largest at lambda = 1, of the sweep's steps", "lambda = 1").against(
            lead(main, steps), above("lead of lambda = 1", 0), profile
        ),
        Statement("000-7c", "it is largest at 1 among 0.9, 1 and 1.1, too", "lambda = 1").against(
            lead(main, (0.9, PF, 1.1)), above("lead of lambda = 1", 0), profile
        ),
        Statement("000-7d", "the same without fading", "lambda = 1").against(
            lead(others[NO_FADING], (0.9, PF, 1.1)),
            above("lead of lambda = 1", 0),
            profile.replace("VI", f"VI {NO_FADING}"),
        ),
        Statement("000-7e", "min/max share is near 0 at lambda = 0", "0").against(
            mean_interval(main.min_max[MAX_SNR]), at_most("min/max, 0", NEAR_ZERO), profile
        ),
        Statement("000-7f", "min/max share is near 0 at lambda = 10", "near 0").against(
            mean_interval(main.min_max[RATE_FAIR]), at_most("min/max, 10", NEAR_ZERO), profile
        ),
        Statement("000-7g", "min/max share is near 0 at lambda = 100", "near 0").against(
            mean_interval(main.min_max[LARGEST]), at_most("min/max, 100", NEAR_ZERO), profile
        ),
        Statement("000-7i", "throughput at lambda = 1 is about 40 % of that at lambda = 0", FORTY).against(
            of_most, None, profile
        ),
    ]
    if LONG_MEMORY in others:
        words = "the same at lambda = 100 with a memory ten times as long (alpha = 0.001)"
        claims.append(
            Statement("000-7h", words, "near 0").against(
                mean_interval(others[LONG_MEMORY].min_max[LARGEST]),
                at_most("min/max, 100", NEAR_ZERO),
                profile.replace("VI", f"VI {LONG_MEMORY}"),
            )
        )
    return claims


def smallest_fall(sweep: Sweep) -> Estimate:
    """The paired fall from one lambda to the next whose interval reaches lowest, kb/s."""
    pairs = zip(sweep.exponents, sweep.exponents[1:], strict=False)
    falls = [paired_difference(sweep.throughput_bps[a] / 1e3, sweep.throughput_bps[b] / 1e3) for a, b in pairs]
    return min(falls, key=lambda fall: fall.low)


def lead(sweep: Sweep, among: Sequence[float]) -> Estimate:
    """By how much min/max at lambda = 1 exceeds the largest other mean, paired by realization."""
    rival = max((one for one in among if one != PF), key=lambda one: float(sweep.min_max[one].mean()))
    return paired_difference(sweep.min_max[PF], sweep.min_max[rival])


def _sentence(main: Sweep) -> str:
    share = paired_ratio(main.throughput_bps[PF], main.throughput_bps[MAX_SNR])
    best = max(main.exponents, key=lambda one: float(main.min_max[one].mean()))
    end = float(main.min_max[RATE_FAIR].mean())
    return (
        f"At the fairness exponent lambda = 1, which is PF, the cell carries {bracketed(share, 2)} of what it carries "
        f"at "
        "0, where the best channel wins (paper: 0.40), and users' shares of the slots vary by "
        f"{100 * main.variation(PF).mean:.0f} % (coefficient of variation; paper: 3.122 % of the slots for all). The "
        f"least share over the largest is {main.min_max[PF].mean():.2f} there, peaks at lambda = {best:g} "
        f"({main.min_max[best].mean():.2f}; paper: at 1) and is {end:.2f} at 10 (paper: near 0)."
    )


def _paragraphs(main: Sweep, others: Mapping[str, Sweep]) -> list[str]:
    edge, centre = (100 * float(main.quarter[PF][:, which].mean()) for which in (EDGE, CENTRE))
    still = others[NO_FADING].min_max
    text = [
        f"At lambda = 1 an edge user has {edge:.2f} % of the slots and a central one {centre:.2f} %. PF would share "
        "them evenly if all users' rates were alike up to a factor; but the table has no rate at all for a weak "
        "user's fades, so its rate varies more about its mean, and it is given fewer and better slots. A lambda "
        "slightly above 1 makes up for it, and the peak of min/max lies there. Without fading PF shares the slots "
        f"out evenly (min/max {still[PF].mean():.3f} at 1, {still[1.1].mean():.2f} at 1.1).",
        "Rate-fair limit: with lambda large the user with the least T wins. Were T exact, shares would be as 1 / "
        "rate. With alpha = 0.01 a slot at the top rate lifts a strong user's T far above what all get, and the "
        "memory of 100 slots has forgotten it before the user's turn comes again: it gets more than its due, and "
        "min/max stays above the ratio of the rates.",
    ]
    if LONG_MEMORY in others:
        text[1] += f" With alpha = 0.001 it falls to {others[LONG_MEMORY].min_max[LARGEST].mean():.3f} at lambda = 100."
    return text


PART = Part(
    name="fairness-exponent",
    heading="Section VI: the fairness exponent (Figs 9-13)",
    figures=("9", "10", "11", "12", "13"),
    plans=_plans,
    show=_show,
    headline=True,
)
