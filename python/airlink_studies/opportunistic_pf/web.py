"""Open question of Section VIII: short (web) downloads beside long ones, against alpha and lambda.

Section V's cell: users with odd numbers fetch without end, those with even numbers (every second one in SNR) have
short downloads only: files of 10 kB by a Poisson process, each over a TCP of its own with its handshake, or web
sessions, page after page on one TCP with times to think (the scenario's defaults, [Ngmn08]). Left out: requests
beside a long download of the same user, several connections at once, users who give up.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from airlink.campaign import CampaignResult, Plan
from airlink.report import Bounds, Claim, Statement, above, at_most
from airlink.scenario import Scenario
from airlink.statistics import Estimate, paired_ratio
from airlink.study import Part, PartResult, Request, Runner
from airlink_studies.opportunistic_pf import web_figures
from airlink_studies.opportunistic_pf.downloads import LONG_USERS, SHORT_USERS, long_kbps, percentile_95, summary
from airlink_studies.opportunistic_pf.quarters import CENTRE, EDGE
from airlink_studies.opportunistic_pf.setting import ALPHA, LAMBDA, RR, section_v, seeds
from airlink_studies.opportunistic_pf.tcp_events import ratio

FILES, PAGES = "files", "pages"
FILE_BYTES, FILES_PER_S = 10_000, 0.05
"""20 packets; a file every 20 s, so that an edge user's share of PF at alpha = 0.01 can carry them."""
TRAFFIC: Mapping[str, Mapping[str, Any]] = {
    FILES: {"kind": "poisson", "arrivals_per_s": FILES_PER_S, "size": {"kind": "constant", "bytes": FILE_BYTES}},
    PAGES: {"kind": "sessions"},
}
ALPHAS, QUICK_ALPHAS = (0.1, 0.03, ALPHA, 0.003, 0.001, 0.0003, 0.0001), (ALPHA, 0.001)
EXPONENTS, QUICK_EXPONENTS = (0.0, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0), (1.0, 2.0)
PF, MILD, MORE = 1.0, 1.5, 2.0
SMALL_ALPHA, SMALLEST_ALPHA = 0.001, 0.0001
DROPS, QUICK_DROPS = 6, 2
RUN_S, QUICK_S = 240.0, 60.0


def label_of(kind: str, alpha: float = ALPHA, exponent: float = PF) -> str:
    """Label of a scenario in its plan."""
    return f"{kind}, alpha={alpha:g}, lambda={exponent:g}"


def _round_robin(kind: str) -> str:
    return f"{kind}, round robin"


def _scenario(traffic: str, duration_s: float, **scheduler: object) -> Scenario:
    base = section_v(duration_s=duration_s)
    long = base.flows[0].model_dump() | {"users": LONG_USERS}
    short = long | {"users": SHORT_USERS, "traffic": TRAFFIC[traffic], "tcp": long["tcp"] | {"handshake": True}}
    return base.with_(flows=[long, short], **{f"scheduler.{name}": value for name, value in scheduler.items()})


def pairs_of(request: Request) -> list[tuple[float, float]]:
    """Every (alpha, lambda) that is run."""
    alphas, exponents = (QUICK_ALPHAS, QUICK_EXPONENTS) if request.quick else (ALPHAS, EXPONENTS)
    return list(dict.fromkeys([*((alpha, PF) for alpha in alphas), *((ALPHA, one) for one in exponents)]))


def _plans(request: Request) -> Mapping[str, Plan]:
    length = QUICK_S if request.quick else RUN_S
    scenarios = {
        label_of(kind, alpha, one): _scenario(kind, length, kind=LAMBDA, exponent=one, time_constant_slots=1 / alpha)
        for kind in TRAFFIC
        for alpha, one in pairs_of(request)
    }
    scenarios |= {_round_robin(kind): _scenario(kind, length, kind=RR, skip_unservable=False) for kind in TRAFFIC}
    drops = seeds(request.seed, QUICK_DROPS if request.quick else DROPS)
    return {"web": Plan(scenarios, drops, ("downloads",))}


def _show(results: Mapping[str, CampaignResult], runner: Runner) -> PartResult:
    result = results["web"]
    pairs = pairs_of(runner.request)
    alphas = [alpha for alpha, exponent in pairs if exponent == PF]
    exponents = sorted(exponent for alpha, exponent in pairs if alpha == ALPHA)
    against_alpha = {kind: {alpha: label_of(kind, alpha) for alpha in alphas} for kind in TRAFFIC}
    against_lambda = {kind: {one: label_of(kind, exponent=one) for one in exponents} for kind in TRAFFIC}
    robin = {kind: _round_robin(kind) for kind in TRAFFIC}
    sheets = [
        web_figures.sheet("Short downloads against alpha", "alpha", result, against_alpha, robin),
        web_figures.sheet("Short downloads against lambda", "lambda", result, against_lambda, {}),
    ]
    pictures = [
        web_figures.figure("alpha", result, against_alpha),
        web_figures.figure("lambda", result, against_lambda),
    ]
    return PartResult(
        claims=[*_alpha_claims(result), *_lambda_claims(result)],
        paragraphs=[WHY],
        items=[pictures[0], sheets[0], pictures[1], sheets[1]],
        printed=sheets,
        sentences=[_alpha_sentence(result), _lambda_sentence(result)],
        tables={"web": web_figures.table(result)},
    )


WHY = (
    "While a user has nothing to fetch its average T decays, so that its next download begins with priority over "
    "users who are served all the time, and keeps it for about the memory 1 / alpha. With alpha = 0.01 (0.17 s) that "
    "is over before an edge user has its 20 packets; with 0.001 (1.7 s) most downloads are done before. Lambda above "
    "1 gives weak users, and everybody whose T is small, more of the slots; central users pay, and long downloads "
    "most of all."
)


def _against(result: CampaignResult, a: str, b: str, which: int | None = None) -> Estimate:
    return ratio(lambda label: summary(result, label, which), a, b)


def _profile(result: CampaignResult) -> str:
    return f"Section V, 8 long and 8 short, {len(result.plan.seeds)} seeds"


def _alpha_claims(result: CampaignResult) -> list[Claim]:
    """[000-10] Completion time against alpha."""
    profile = _profile(result)
    sooner = Bounds("time 0.001 / 0.01", high=1, high_open=True)
    small, own = ({kind: label_of(kind, alpha) for kind in TRAFFIC} for alpha in (SMALL_ALPHA, ALPHA))
    claims = [
        Statement("000-10a", "files of 10 kB are done sooner at alpha = 0.001 than at 0.01").against(
            _against(result, small[FILES], own[FILES]), sooner, profile
        ),
        Statement("000-10k", "web pages are done sooner at alpha = 0.001 than at 0.01").against(
            _against(result, small[PAGES], own[PAGES]), sooner, profile
        ),
        Statement("000-10l", "files of edge users are done sooner at alpha = 0.001 than at 0.01").against(
            _against(result, small[FILES], own[FILES], EDGE), sooner, profile
        ),
        Statement("000-10m", "long downloads beside files carry more at alpha = 0.001 than at 0.01").against(
            paired_ratio(long_kbps(result, small[FILES]), long_kbps(result, own[FILES])),
            above("goodput 0.001 / 0.01", 1),
            profile,
        ),
    ]
    last = label_of(FILES, SMALLEST_ALPHA)
    if last in result.replicas:
        statement = Statement("000-10n", "files are done sooner at alpha = 0.0001 than at 0.001, too")
        bounds = Bounds("time 0.0001 / 0.001", high=1, high_open=True)
        claims.append(statement.against(_against(result, last, small[FILES]), bounds, profile))
    return claims


def _lambda_claims(result: CampaignResult) -> list[Claim]:
    """[000-10] Completion time against lambda."""
    profile = _profile(result)
    more, own = ({kind: label_of(kind, exponent=one) for kind in TRAFFIC} for one in (MORE, PF))
    sooner = Bounds("edge time 2 / 1", high=1, high_open=True)
    return [
        Statement("000-10b", "files of edge users are done sooner at lambda = 2 than under PF").against(
            _against(result, more[FILES], own[FILES], EDGE), sooner, profile
        ),
        Statement("000-10o", "web pages of edge users are done sooner at lambda = 2 than under PF").against(
            _against(result, more[PAGES], own[PAGES], EDGE), sooner, profile
        ),
        Statement("000-10p", "files of central users take longer at lambda = 2 than under PF").against(
            _against(result, more[FILES], own[FILES], CENTRE), above("central time 2 / 1", 1), profile
        ),
        Statement("000-10q", "the mean time over all files is shorter at lambda = 2 than under PF, too").against(
            _against(result, more[FILES], own[FILES]), Bounds("time 2 / 1", high=1, high_open=True), profile
        ),
        Statement(
            "000-10r", "at lambda = 2 the long downloads carry no more than 60 % of what they carry under PF"
        ).against(
            paired_ratio(long_kbps(result, more[FILES]), long_kbps(result, own[FILES])),
            at_most("goodput 2 / 1", 0.6),
            profile,
        ),
    ]


def _mean(result: CampaignResult, label: str, which: int | None = None) -> float:
    return float(np.nanmean(summary(result, label, which)))


def _alpha_sentence(result: CampaignResult) -> str:
    labels = [label_of(FILES, alpha) for alpha in (ALPHA, SMALL_ALPHA)]
    files, edge = ([_mean(result, label, which) for label in labels] for which in (None, EDGE))
    pages = [_mean(result, label_of(PAGES, alpha)) for alpha in (ALPHA, SMALL_ALPHA)]
    tail = [float(np.nanmean(summary(result, label, of=percentile_95))) for label in labels]
    return (
        "Short downloads against alpha [000-10a]: from 0.01 to 0.001 the mean time of 10 kB falls from "
        f"{files[0]:.1f} to {files[1]:.1f} s (edge users {edge[0]:.0f} to {edge[1]:.0f} s, 95 % done within "
        f"{tail[0]:.0f} and {tail[1]:.0f} s) and that of web pages from {pages[0]:.1f} to {pages[1]:.1f} s: a longer "
        "memory gives who was idle a longer priority."
    )


def _lambda_sentence(result: CampaignResult) -> str:
    edge, centre, everyone = (
        [_mean(result, label_of(FILES, exponent=one), which) for one in (PF, MORE)] for which in (EDGE, CENTRE, None)
    )
    pages = [_mean(result, label_of(PAGES, exponent=one), EDGE) for one in (PF, MORE)]
    carried = ratio(lambda one: long_kbps(result, label_of(FILES, exponent=one)), MORE, PF).mean
    return (
        f"Short downloads against lambda [000-10b]: from 1 to 2 the mean time of 10 kB falls from {edge[0]:.0f} to "
        f"{edge[1]:.0f} s for edge users, rises from {centre[0]:.1f} to {centre[1]:.1f} s for central ones and "
        f"changes from {everyone[0]:.1f} to {everyone[1]:.1f} s over all, web pages of edge users from {pages[0]:.0f} "
        f"to {pages[1]:.0f} s; the long downloads keep {100 * carried:.0f} % of their goodput."
    )


PART = Part(
    name="web",
    heading="Open question: short downloads beside long ones",
    figures=("web",),
    plans=_plans,
    show=_show,
)
