"""Open question of Section VII: SACK instead of Reno, against what jitter and rate variation do to TCP.

Section V's cell with greedy downloads, then with a file of 100 kB for every user, over alpha; SACK as ns-2 has it
(a counted pipe, forgetful at a timeout) and by RFC 6675, NewReno beside them because it repairs several losses in a
window without SACK. 100 kB are chosen: about half a minute for an edge user. Left out: RACK, limited transmit.
"""

from __future__ import annotations

from collections.abc import Mapping

from airlink.campaign import CampaignResult, Plan
from airlink.plots import style
from airlink.plots.sweep import banded
from airlink.report import Bounds, Claim, Illustration, Sheet, Statement, above, plus_minus
from airlink.result import Table
from airlink.scenario import Scenario
from airlink.statistics import Estimate, mean_interval
from airlink.study import Part, PartResult, Request, Runner
from airlink_studies.opportunistic_pf.quarters import CENTRE, EDGE, Floats
from airlink_studies.opportunistic_pf.setting import ALPHA, section_v, seeds
from airlink_studies.opportunistic_pf.tcp_events import (
    completion_s,
    difference,
    goodput_kbps,
    per_flow_minute,
    ratio,
    recovery_table,
)

RENO, NEW_RENO, SACK_NS2, SACK_RFC = "Reno", "NewReno", "SACK, ns-2", "SACK, RFC 6675"
SENDERS: Mapping[str, Mapping[str, object]] = {
    RENO: {},
    NEW_RENO: {"flows.0.tcp.congestion_control": "new_reno"},
    SACK_NS2: {
        "flows.0.tcp.sack": True,
        "flows.0.tcp.rules.sack_pipe": "ns2_sack1",
        "flows.0.tcp.rules.forget_sack_on_timeout": True,
    },
    SACK_RFC: {"flows.0.tcp.sack": True},
}
ALPHAS, QUICK_ALPHAS = (0.1, 0.03, ALPHA, 0.003, 0.001, 0.0003), (ALPHA, 0.001)
SMALL_ALPHA = 0.001
DROPS, QUICK_DROPS = 10, 3
RUN_S, QUICK_S, FILES_S = 120.0, 30.0, 150.0
FILE = {"flows.0.traffic": {"kind": "file", "bytes": 100_000}}
ABOUT_THE_SAME = (0.98, 1.02)


def _label(alpha: float, sender: str) -> str:
    return f"alpha={alpha:g}, {sender}"


def _alphas(request: Request) -> tuple[float, ...]:
    return QUICK_ALPHAS if request.quick else ALPHAS


def _scenario(alpha: float, sender: str, duration_s: float) -> Scenario:
    return section_v(duration_s=duration_s, **{"scheduler.time_constant_slots": 1 / alpha}, **SENDERS[sender])


def _plans(request: Request) -> Mapping[str, Plan]:
    drops = seeds(request.seed, QUICK_DROPS if request.quick else DROPS)
    length = QUICK_S if request.quick else RUN_S
    pairs = [(alpha, sender) for alpha in _alphas(request) for sender in SENDERS]
    greedy = {_label(*pair): _scenario(*pair, length) for pair in pairs}
    files = {_label(*pair): _scenario(*pair, FILES_S).with_(**FILE) for pair in pairs if pair[0] in QUICK_ALPHAS}
    plans = {"greedy": Plan(greedy, drops)}
    return plans if request.quick else {**plans, "files": Plan(files, drops)}


def _show(results: Mapping[str, CampaignResult], runner: Runner) -> PartResult:
    greedy, files = results["greedy"], results.get("files")
    alphas = _alphas(runner.request)
    profile = f"Section V, {len(greedy.plan.seeds)} seeds"
    sheet = _sheet(greedy, files, alphas)
    return PartResult(
        claims=_claims(greedy, files, profile),
        items=[_figure(greedy, alphas), sheet],
        printed=[sheet],
        sentences=[_sentence(greedy)],
        depends=[_sentence(greedy)],
        tables={"sack": _table(greedy, alphas)},
    )


def _claims(greedy: CampaignResult, files: CampaignResult | None, profile: str) -> list[Claim]:
    """[000-9] `Preliminary findings show that the effect ... can be alleviated to some extent by using TCP Sack`."""
    fewer = difference(lambda sender: _timeouts(greedy, ALPHA, sender), RENO, SACK_NS2)
    same = Bounds("goodput ratio", *ABOUT_THE_SAME)
    claims = [
        Statement("000-9c", "alpha = 0.01: SACK has fewer timeouts than Reno (per flow and minute)", "helps").against(
            fewer, above("Reno - SACK", 0), profile
        ),
        Statement("000-9d", "alpha = 0.01: SACK carries more than Reno", "helps").against(
            _ratio(greedy, ALPHA, SACK_NS2, RENO), above("goodput ratio", 1), profile
        ),
        Statement("000-9e", "alpha = 0.001: SACK carries more than Reno", "helps").against(
            _ratio(greedy, SMALL_ALPHA, SACK_NS2, RENO), above("goodput ratio", 1), profile
        ),
        Statement("000-9f", "alpha = 0.001: SACK by RFC 6675 carries as much as that of ns-2 (within 2 %)").against(
            _ratio(greedy, SMALL_ALPHA, SACK_RFC, SACK_NS2), same, profile
        ),
        Statement("000-9g", "alpha = 0.001: NewReno without SACK carries as much, too (within 2 %)").against(
            _ratio(greedy, SMALL_ALPHA, NEW_RENO, SACK_NS2), same, profile
        ),
        Statement("000-9h", "alpha = 0.01: edge users get more with SACK than with Reno").against(
            _ratio(greedy, ALPHA, SACK_NS2, RENO, EDGE), above("goodput ratio, edge", 1), profile
        ),
    ]
    if files is not None:
        sooner = ratio(lambda one: completion_s(files, _label(SMALL_ALPHA, one), EDGE), SACK_NS2, RENO)
        claims.append(
            Statement("000-9i", "alpha = 0.001: edge users have 100 kB sooner with SACK than with Reno").against(
                sooner, Bounds("time ratio, edge", high=1, high_open=True), profile
            )
        )
    return claims


def _ratio(greedy: CampaignResult, alpha: float, a: str, b: str, which: int | None = None) -> Estimate:
    return ratio(lambda one: goodput_kbps(greedy, _label(alpha, one), which), a, b)


def _timeouts(greedy: CampaignResult, alpha: float, sender: str, column: str = "timeouts") -> Floats:
    return per_flow_minute(greedy, _label(alpha, sender), column)


def _sentence(greedy: CampaignResult) -> str:
    before, after = (float(_timeouts(greedy, ALPHA, one).mean()) for one in (RENO, SACK_NS2))
    gains = [100 * (_ratio(greedy, alpha, SACK_NS2, RENO).mean - 1) for alpha in (ALPHA, SMALL_ALPHA)]
    rest = float(_timeouts(greedy, ALPHA, SACK_NS2, "spurious_timeouts").mean())
    return (
        f"SACK instead of Reno [000-9c]: at alpha = 0.01 timeouts fall from {before:.2f} to {after:.2f} per flow and "
        f"minute, {100 * rest / max(after, 1e-9):.0f} % of what is left is spurious, which SACK can't help, and "
        f"goodput changes by {gains[0]:+.1f} % ({gains[1]:+.1f} % at 0.001); NewReno without SACK has as much."
    )


def _figure(greedy: CampaignResult, alphas: tuple[float, ...]) -> Illustration:
    figure, (gain, timeouts) = style.blank(rows=2, height_in=3.6)
    for index, sender in enumerate(SENDERS):
        counts = [mean_interval(_timeouts(greedy, alpha, sender)) for alpha in alphas]
        banded(timeouts, alphas, counts, index, sender)
        if sender != RENO:
            banded(gain, alphas, [_percent(_ratio(greedy, alpha, sender, RENO)) for alpha in alphas], index, sender)
    gain.axhline(0.0, color=style.COLOURS[0], linewidth=0.9, label="Reno")
    style.log_x(timeouts)
    timeouts.invert_xaxis()
    style.log_axis(timeouts, [_timeouts(greedy, alpha, sender).mean() for alpha in alphas for sender in SENDERS])
    style.label(gain, "", "cell goodput\nagainst Reno (%)")
    style.label(timeouts, "alpha (weight of the newest slot)", "timeouts per flow\nand minute")
    style.legend(gain, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=2)
    caption = (
        "SACK instead of Reno. Top: what the cell carries, against Reno on the same seeds. Bottom: timeouts, "
        f"spurious ones included. 16 greedy downloads, queues of 10 packets, {len(greedy.plan.seeds)} seeds, bands: "
        "95 %."
    )
    return Illustration("sack-goodput", caption, figure, "Goodput gain over Reno and timeouts against alpha.")


def _percent(gain: Estimate) -> Estimate:
    mean, low, high = (100 * (value - 1) for value in (gain.mean, gain.low, gain.high))
    return Estimate(mean, low, high, gain.n, gain.level)


def _sheet(greedy: CampaignResult, files: CampaignResult | None, alphas: tuple[float, ...]) -> Sheet:
    rows = []
    for alpha in alphas:
        for sender in SENDERS:
            label = _label(alpha, sender)
            known = files is not None and label in files.replicas
            done = f"{completion_s(files, label, EDGE).mean():.1f}" if files is not None and known else ""
            rows.append(
                (
                    f"{alpha:g} {sender}",
                    plus_minus(mean_interval(goodput_kbps(greedy, label)), 0),
                    *(f"{goodput_kbps(greedy, label, which).mean():.1f}" for which in (EDGE, CENTRE)),
                    f"{_timeouts(greedy, alpha, sender).mean():.2f}",
                    f"{_timeouts(greedy, alpha, sender, 'spurious_timeouts').mean():.2f}",
                    done,
                )
            )
    columns = ("alpha, sender", "cell kb/s", "edge", "centre", "timeouts", "spurious", "file s")
    note = (
        "edge, centre: kb/s of the lowest and the highest 4 of 16 users in SNR, together; timeouts per flow and "
        "minute; file s: mean time of an edge user for 100 kB while every user fetches as much"
    )
    return Sheet("SACK instead of Reno", columns, rows, note)


def _table(greedy: CampaignResult, alphas: tuple[float, ...]) -> Table:
    settings = [(alpha, sender, _label(alpha, sender)) for alpha in alphas for sender in SENDERS]
    return recovery_table(greedy, "alpha", settings, EDGE)


PART = Part(
    name="sack",
    heading="Open question: SACK instead of Reno",
    figures=("sack",),
    plans=_plans,
    show=_show,
)
