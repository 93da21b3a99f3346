"""Open question of Section VII: does lambda > 1 help the TCP users at the cell's edge, and what does it cost.

Section V's cell under the metric log R - lambda log T with greedy Reno downloads; then the same with a file of
100 kB for every user, where those who are done leave the cell to the others. The edge: the lowest 4 of 16 users in SNR.
Left out: other alphas, users that come and go (see web.py).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from airlink.campaign import CampaignResult, Plan
from airlink.plots import style
from airlink.plots.sweep import banded
from airlink.report import Bounds, Claim, Illustration, Sheet, Statement, above, at_most, plus_minus
from airlink.result import Table
from airlink.scenario import Scenario
from airlink.statistics import Estimate, mean_interval
from airlink.study import Part, PartResult, Request, Runner
from airlink_studies.opportunistic_pf.quarters import CENTRE, EDGE, Floats
from airlink_studies.opportunistic_pf.setting import LAMBDA, section_v, seeds
from airlink_studies.opportunistic_pf.tcp_events import completion_s, difference, goodput_kbps, per_flow_minute, ratio

EXPONENTS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 3.0, 5.0, 10.0)
QUICK_EXPONENTS = (0.5, 1.0, 1.5, 2.0, 10.0)
PF, MILD, BEST, FAR = 1.0, 1.5, 2.0, 10.0
LESS = 0.5
DROPS, QUICK_DROPS = 10, 3
RUN_S, QUICK_S = 120.0, 30.0
FILES_S, QUICK_FILES_S = 150.0, 90.0
"""At lambda = 10 the last file is there after some 75 s; the rest is for realizations that take longer."""
FILE = {"flows.0.traffic": {"kind": "file", "bytes": 100_000}}


def _label(exponent: float) -> str:
    return f"lambda={exponent:g}"


def _exponents(request: Request) -> tuple[float, ...]:
    return QUICK_EXPONENTS if request.quick else EXPONENTS


def _scenario(exponent: float, duration_s: float) -> Scenario:
    chosen = {"scheduler.kind": LAMBDA, "scheduler.exponent": exponent}
    return section_v(duration_s=duration_s, **chosen)


def _plans(request: Request) -> Mapping[str, Plan]:
    drops = seeds(request.seed, QUICK_DROPS if request.quick else DROPS)
    length = QUICK_S if request.quick else RUN_S
    limit = QUICK_FILES_S if request.quick else FILES_S
    chosen = _exponents(request)
    return {
        "greedy": Plan({_label(one): _scenario(one, length) for one in chosen}, drops),
        "files": Plan({_label(one): _scenario(one, limit).with_(**FILE) for one in chosen}, drops),
    }


def _show(results: Mapping[str, CampaignResult], runner: Runner) -> PartResult:
    greedy, files = results["greedy"], results["files"]
    chosen = _exponents(runner.request)
    sheet = _sheet(greedy, files, chosen)
    return PartResult(
        claims=_claims(greedy, files, f"Section V, {len(greedy.plan.seeds)} seeds"),
        items=[_figure(greedy, files, chosen), sheet],
        printed=[sheet],
        sentences=[_sentence(greedy, files, chosen)],
        tables={"cell-edge": _table(greedy, files, chosen)},
    )


def _claims(greedy: CampaignResult, files: CampaignResult, profile: str) -> list[Claim]:
    """[000-11] "lambda > 1 may improve performance [of] users ... towards the edge of the cell"."""
    fewer = difference(lambda one: per_flow_minute(greedy, _label(one), "timeouts", EDGE), PF, BEST)
    later = ratio(lambda one: completion_s(files, _label(one), EDGE), BEST, PF)
    sooner = ratio(lambda one: completion_s(files, _label(one), EDGE), LESS, PF)
    return [
        Statement("000-11a", "lambda = 2 gives greedy edge users more than PF does", "may improve").against(
            _ratio(greedy, BEST, PF, EDGE), above("edge goodput 2/1", 1), profile
        ),
        Statement("000-11b", "most of that comes with lambda = 1.5 already: 2 adds no more than 10 %").against(
            _ratio(greedy, BEST, MILD, EDGE), at_most("edge goodput 2/1.5", 1.10), profile
        ),
        Statement("000-11c", "lambda = 10 gives them less than 2 does").against(
            _ratio(greedy, FAR, BEST, EDGE), Bounds("edge goodput 10/2", high=1, high_open=True), profile
        ),
        Statement("000-11d", "at lambda = 2 the cell carries no more than 60 % of what it carries under PF").against(
            _ratio(greedy, BEST, PF), at_most("cell goodput 2/1", 0.6), profile
        ),
        Statement("000-11e", "edge users have fewer timeouts at lambda = 2 than under PF").against(
            fewer, above("timeouts per flow and minute, 1 - 2", 0), profile
        ),
        Statement("000-11f", "with a file of 100 kB for everyone edge users are done sooner at lambda = 2").against(
            later, Bounds("edge time 2/1", high=1, high_open=True), profile
        ),
        Statement("000-11g", "they are done sooner at lambda = 0.5 than under PF").against(
            sooner, Bounds("edge time 0.5/1", high=1, high_open=True), profile
        ),
    ]


def _ratio(greedy: CampaignResult, a: float, b: float, which: int | None = None) -> Estimate:
    return ratio(lambda one: goodput_kbps(greedy, _label(one), which), a, b)


def _worst_s(files: CampaignResult, exponent: float) -> Floats:
    """When the last user has its file: array [seed], s."""
    return np.asarray(files.flows(_label(exponent), "completion_s").max(axis=1))


def _sentence(greedy: CampaignResult, files: CampaignResult, chosen: tuple[float, ...]) -> str:
    best = max(chosen, key=lambda one: float(goodput_kbps(greedy, _label(one), EDGE).mean()))
    gains = [100 * (_ratio(greedy, one, PF, EDGE).mean - 1) for one in (MILD, best)]
    costs = [100 * (_ratio(greedy, one, PF).mean - 1) for one in (MILD, best)]
    took = [float(completion_s(files, _label(one), EDGE).mean()) for one in (LESS, PF, BEST)]
    return (
        f"Lambda > 1 for edge users [000-11a]: greedy ones gain {gains[0]:.0f} % at lambda = 1.5, {gains[1]:.0f} % at "
        f"most (lambda = {best:g}), while the cell changes by {costs[0]:.0f} and {costs[1]:.0f} %; where downloads "
        f"end it harms them too: 100 kB take {took[2]:.0f} s at 2, {took[1]:.0f} s at 1 and {took[0]:.0f} s at 0.5, "
        "because central users stay longer."
    )


def _figure(greedy: CampaignResult, files: CampaignResult, chosen: tuple[float, ...]) -> Illustration:
    figure, (share, time) = style.blank(rows=2, height_in=3.8)
    places = np.arange(len(chosen))
    for index, (name, which) in enumerate((("edge users", EDGE), ("central users", CENTRE), ("the cell", None))):
        banded(share, places, [_ratio(greedy, one, PF, which) for one in chosen], index, name)
    names = {"edge users": EDGE, "all users": None}
    for index, (name, which) in zip((0, 2), names.items(), strict=True):
        means = [mean_interval(completion_s(files, _label(one), which)) for one in chosen]
        banded(time, places, means, index, name)
    banded(time, places, [mean_interval(_worst_s(files, one)) for one in chosen], 3, "the last user")
    share.axhline(1.0, color=style.GREY, linewidth=0.8, label="as under PF")
    share.set_ylim(bottom=0)
    time.set_ylim(bottom=0)
    time.set_xticks(places, [f"{one:g}" for one in chosen])
    style.label(share, "", "endless downloads:\ngoodput / that under PF")
    style.label(time, "lambda (steps not to scale)", "100 kB each:\ntime (s)")
    style.legend(share, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=2)
    style.legend(time, loc="upper left")
    caption = (
        "TCP users at the cell's edge. Top: goodput with endless downloads, against that at lambda = 1 (PF) on the "
        "same seeds. Bottom: time until 100 kB have arrived when every user fetches one such file. Edge and central "
        f"users: the lowest and the highest 4 of 16 in SNR; {len(greedy.plan.seeds)} seeds, bands: 95 %."
    )
    return Illustration("edge-lambda", caption, figure, "Goodput relative to PF and time of files against lambda.")


def _sheet(greedy: CampaignResult, files: CampaignResult, chosen: tuple[float, ...]) -> Sheet:
    rows = []
    for one in chosen:
        label = _label(one)
        rows.append(
            (
                f"{one:g}",
                plus_minus(mean_interval(goodput_kbps(greedy, label)), 0),
                plus_minus(mean_interval(goodput_kbps(greedy, label, EDGE)), 1),
                f"{goodput_kbps(greedy, label, CENTRE).mean():.0f}",
                f"{greedy.interval(label, 'jain_index').mean:.2f}",
                f"{per_flow_minute(greedy, label, 'timeouts', EDGE).mean():.2f}",
                plus_minus(mean_interval(completion_s(files, label, EDGE)), 1),
                f"{completion_s(files, label).mean():.1f}",
                f"{_worst_s(files, one).mean():.1f}",
            )
        )
    columns = ("lambda", "cell kb/s", "edge", "centre", "Jain", "timeouts", "edge s", "all s", "last s")
    note = (
        "edge, centre: kb/s of 4 users together; timeouts: per edge flow and minute; edge s, all s, last s: time for "
        "100 kB when every user fetches one such file"
    )
    return Sheet("Lambda and TCP at the cell's edge", columns, rows, note)


def _table(greedy: CampaignResult, files: CampaignResult, chosen: tuple[float, ...]) -> Table:
    drops = greedy.plan.seeds
    labels = [_label(one) for one in chosen]
    return Table(
        {
            "exponent": [one for one in chosen for _ in drops],
            "seed": [seed for _ in chosen for seed in drops],
            "goodput_kbps": np.concatenate([goodput_kbps(greedy, label) for label in labels]),
            "edge_goodput_kbps": np.concatenate([goodput_kbps(greedy, label, EDGE) for label in labels]),
            "edge_timeouts": np.concatenate([per_flow_minute(greedy, label, "timeouts", EDGE) for label in labels]),
            "edge_completion_s": np.concatenate([completion_s(files, label, EDGE) for label in labels]),
            "mean_completion_s": np.concatenate([completion_s(files, label) for label in labels]),
            "last_completion_s": np.concatenate([_worst_s(files, one) for one in chosen]),
        }
    )


PART = Part(
    name="cell-edge",
    heading="Open question: lambda > 1 for TCP users at the cell's edge",
    figures=("edge",),
    plans=_plans,
    show=_show,
)
