"""Section I: a first comparison of round robin with opportunistic scheduling, of all users and of one (Figs 1 and 2).

The paper's metric is the "ratio of current signal-to-noise ratio to its average value", with 16 users. Here they
are those of Section V, for 200 s, with greedy TCP, as everywhere in the paper; the same with queues that are never
empty, and PF at alpha = 0.1, are other readings of the +20 %. "User 0" is taken to be the one whose mean SNR is nearest
0 dB (chosen): weak enough to be without a rate at times. Leaves out the choice of alpha (alpha_sweep.py).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from airlink.campaign import CampaignResult, Plan
from airlink.report import Bounds, Claim, Printed, Sheet, Statement, above, at_least, between
from airlink.result import Table
from airlink.scenario import Scenario
from airlink.statistics import Estimate, mean_interval, paired_ratio
from airlink.study import Part, PartResult, Request, Runner
from airlink_studies.opportunistic_pf import first_look_figures as figures
from airlink_studies.opportunistic_pf.setting import (
    PAPER,
    PF,
    PROFILE,
    RELATIVE_SNR,
    ROUND_ROBIN,
    backlogged,
    section_v,
    seeds,
)
from airlink_studies.opportunistic_pf.user_numbers import Floats, spread_text

DROPS, CONTROL_DROPS, QUICK_DROPS = 10, 5, 3
QUICK_S, SHOWN_S = 40.0, 10.0
"""Of a quick run; of the stretch that Fig. 2 shows (chosen, the paper's is not given)."""
USER = 7
"""User 0 of the paper: -0.05 dB."""
FASTER = "Doppler 10 Hz"
RELATIVE, PF_FAST = "SNR / mean SNR", "PF, alpha = 0.1"
SCHEDULERS: Mapping[str, Mapping[str, object]] = {
    "RR": ROUND_ROBIN,
    RELATIVE: {"scheduler.kind": RELATIVE_SNR},
    PF_FAST: {"scheduler.kind": PF, "scheduler.time_constant_slots": 10.0},
}
SHORT = {RELATIVE: "SNR/mean", PF_FAST: "PF 0.1"}
ABOUT_TWENTY = Printed(1 + PAPER.gain_percent / 100, None, 0.1)
"""The +20 % of Fig. 1, of which the paper says "about" and not from how many realizations (what "about" allows "
"is chosen)."""
GAINS = above("gain", 1.0)
ABOUT_A_SECOND = between("s", 0.5, 2.0)


def plans(request: Request) -> dict[str, Plan]:
    """Three schedulers with TCP and without; a control; the stretches of Fig. 2, with their slots."""
    changes = {"duration_s": QUICK_S} if request.quick else {}
    drops = seeds(request.seed, QUICK_DROPS if request.quick else DROPS)
    tcp = {name: section_v(**changes).with_(**scheduler) for name, scheduler in SCHEDULERS.items()}
    never_empty = {name: backlogged(scenario) for name, scenario in tcp.items()}
    short = {name: tcp[name].with_(duration_s=SHOWN_S) for name in ("RR", RELATIVE)}
    made = {
        "tcp": Plan(tcp, drops),
        "backlogged": Plan(never_empty, drops),
        "stretches": Plan(short, drops),
        "drawn": Plan(short, drops[:1], ("slots", "snr")),
    }
    return made if request.quick else made | _controls(tcp, never_empty, drops[:CONTROL_DROPS])


def _controls(
    tcp: Mapping[str, Scenario], never_empty: Mapping[str, Scenario], drops: tuple[int, ...]
) -> dict[str, Plan]:
    faster = {"channel.fading.doppler_hz": 10.0}
    both = {"tcp": tcp, "backlogged": never_empty}
    return {
        f"{FASTER} {name}": Plan({label: scenario.with_(**faster) for label, scenario in each.items()}, drops)
        for name, each in both.items()
    }


def show(results: Mapping[str, CampaignResult], _: Runner) -> PartResult:
    """Figs 1 and 2, and which reading gives +20 %."""
    tcp, stretches = results["tcp"], results["stretches"]
    readings = readings_sheet(results)
    return PartResult(
        claims=judged(results),
        paragraphs=(reading_sentence(results),),
        items=[
            figures.throughputs(tcp, tuple(SCHEDULERS), USER),
            readings,
            figures.epochs(results["drawn"], "RR", RELATIVE, USER),
        ],
        printed=(readings,),
        sentences=(headline(tcp, stretches),),
        tables={"first-look": machine_table(tcp)},
    )


PART = Part("first-look", "Section I: round robin and opportunistic scheduling", ("1", "2"), plans, show)


def judged(results: Mapping[str, CampaignResult]) -> list[Claim]:
    """[000-8], in the reading that holds (SNR / mean SNR, with TCP) and in the others."""
    tcp, never_empty = results["tcp"], results["backlogged"]
    gains, own = user_gains(tcp, RELATIVE), 1 + PAPER.user_gain_percent / 100
    wasted = tcp.users("RR", "slots_wasted")[:, USER] / tcp.users("RR", "slots_won")[:, USER]
    rows: list[tuple[str, str, Printed | float | str, Estimate, Bounds]] = [
        ("a", "SNR / mean SNR, with TCP: goodput of the cell over round robin's", ABOUT_TWENTY,
         tcp.compare(RELATIVE, "RR", "goodput_bps", ratio=True), GAINS),
        ("b", "PF at alpha = 0.1, with TCP: goodput of the cell over round robin's", ABOUT_TWENTY,
         tcp.compare(PF_FAST, "RR", "goodput_bps", ratio=True), GAINS),
        ("c", "SNR / mean SNR, queues never empty: granted rate of the cell over round robin's", ABOUT_TWENTY,
         never_empty.compare(RELATIVE, "RR", "granted_bps", ratio=True), GAINS),
        ("d", "PF at alpha = 0.1, queues never empty: granted rate of the cell over round robin's", ABOUT_TWENTY,
         never_empty.compare(PF_FAST, "RR", "granted_bps", ratio=True), GAINS),
        ("e", "SNR / mean SNR, with TCP: goodput of user 0 over round robin's", own,
         _user_gain(tcp, RELATIVE), at_least("gain", own)),
        ("f", "PF at alpha = 0.1, with TCP: goodput of user 0 over round robin's", own,
         _user_gain(tcp, PF_FAST), at_least("gain", own)),
        ("g", "SNR / mean SNR, with TCP: users of 16 who gain", "most", mean_interval((gains > 1).sum(axis=1)),
         at_least("users", 9.0)),
        ("h", "SNR / mean SNR, with TCP: longest gap of user 0 in 10 s, s", PAPER.longest_gap_s,
         longest_gap(results["stretches"], RELATIVE), ABOUT_A_SECOND),
        ("i", "round robin wastes slots of user 0 at rate 0: share", "some", mean_interval(wasted),
         above("share", 0.0)),
    ]  # fmt: skip
    return [
        Statement(f"000-8{letter}", words, paper).against(estimate, bounds, PROFILE)
        for letter, words, paper, estimate, bounds in rows
    ]


def user_gains(result: CampaignResult, label: str) -> Floats:
    """Goodput of every user over that under round robin: array [seed, user]."""
    return result.users(label, "goodput_bps") / result.users("RR", "goodput_bps")


def longest_gap(result: CampaignResult, label: str) -> Estimate:
    """Of user 0, in s."""
    slot_s = float(result.plan.scenarios[label].slot.exact_ms()) / 1e3  # type: ignore[union-attr]
    return mean_interval(result.users(label, "gap_max_slots")[:, USER] * slot_s)


def readings_sheet(results: Mapping[str, CampaignResult]) -> Sheet:
    """The gain of either metric with TCP and without."""
    rows = []
    for name, result in results.items():
        if name in ("stretches", "drawn"):
            continue
        load = "TCP" if name.endswith("tcp") else "no TCP"
        for label in (RELATIVE, PF_FAST):
            granted, goodput = (
                result.compare(label, "RR", rate, ratio=True) for rate in ("granted_bps", "goodput_bps")
            )
            gains = user_gains(result, label)
            told = (spread_text(each) for each in (granted, goodput, _user_gain(result, label)))
            doppler = ", 10 Hz" if name.startswith(FASTER) else ""
            rows.append((f"{SHORT[label]}, {load}{doppler}", *told, f"{(gains.mean(axis=0) > 1).sum()} of 16"))
    columns = ("metric, load", "granted", "goodput", "user 0", "gaining")
    note = (
        f"Over round robin in the same realizations, with 95 % intervals; no TCP: queues never empty. The paper: "
        f"+{PAPER.gain_percent:.0f} % for the cell, more than +{PAPER.user_gain_percent:.0f} % for user 0, and most "
        "users gain."
    )
    return Sheet("Gain over round robin", columns, rows, note)


def reading_sentence(results: Mapping[str, CampaignResult]) -> str:
    """Which reading of the metric gives what the paper says."""
    tcp, never_empty = results["tcp"], results["backlogged"]
    gains = user_gains(tcp, RELATIVE).mean(axis=0)
    return (
        f"The literal metric grants {_percent(never_empty.compare(RELATIVE, 'RR', 'granted_bps', ratio=True))} while "
        f"queues are never empty, but with TCP {_percent(tcp.compare(RELATIVE, 'RR', 'goodput_bps', ratio=True))}: "
        "its gaps of seconds let connections time out, and queues of 10 packets run empty. It then is the better "
        f"users who lose ({(gains < 1).sum()} of 16), as in the paper, where most gain. PF at alpha = 0.1 gives the "
        f"cell nearly as much, {_percent(tcp.compare(PF_FAST, 'RR', 'goodput_bps', ratio=True))}, but every user "
        "about the same, and no user 50 %."
    )


def headline(tcp: CampaignResult, stretches: CampaignResult) -> str:
    """Fig. 1 in a sentence."""
    return (
        "Opportunistic scheduling by SNR / mean SNR carries "
        f"{_percent(tcp.compare(RELATIVE, 'RR', 'goodput_bps', ratio=True))} over round robin with TCP (paper: about "
        f"+20 %), and user 0 {_percent(_user_gain(tcp, RELATIVE))} (more than +50 %), who waits up to "
        f"{longest_gap(stretches, RELATIVE).mean:.1f} s for a slot within 10 s (about 1 s)."
    )


def machine_table(result: CampaignResult) -> Table:
    """One row a scheduler, realization and user."""
    shape = (len(SCHEDULERS), *result.users("RR", "user").shape)
    columns: dict[str, np.ndarray] = {
        "scheduler": np.repeat(list(SCHEDULERS), shape[1] * shape[2]),
        "seed": np.tile(np.repeat(result.plan.seeds, shape[2]), shape[0]),
    }
    for name in ("user", "mean_snr_db", "granted_bps", "goodput_bps"):
        columns[name] = np.concatenate([result.users(label, name).ravel() for label in SCHEDULERS])
    return Table(columns)


def _user_gain(result: CampaignResult, label: str) -> Estimate:
    return paired_ratio(result.users(label, "goodput_bps")[:, USER], result.users("RR", "goodput_bps")[:, USER])


def _percent(gain: Estimate) -> str:
    return f"{100 * (gain.mean - 1):+.0f} % (± {100 * gain.half_width:.0f})"
