"""The study tcp-pf: the runs, in campaigns, and what they are put together to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from airlink import campaign
from airlink.campaign import CampaignResult, Plan
from airlink.execute import Progress
from airlink.plots.flow import KINDS, flow_view
from airlink.report import Illustration
from airlink.scenario import Scenario
from airlink.studies.study import Findings, Request, StudyInterrupted
from airlink.studies.tcp_pf import figures, page, tables
from airlink.studies.tcp_pf.claims import judged
from airlink.studies.tcp_pf.controls import (
    AWARE,
    LOSSLESS,
    SWEEPS,
    TCP_MAX_VARIANTS,
    Control,
    all_controls,
    queue_aware,
)
from airlink.studies.tcp_pf.evidence import Evidence, Pair
from airlink.studies.tcp_pf.measures import Outcome
from airlink.studies.tcp_pf.setting import (
    DROPS,
    IDEAL,
    PF,
    QUICK_DROPS,
    SCHEDULERS,
    TABLE_I,
    TCP_MAX,
    TCP_PF,
    UNAPPROXIMATED,
    k3,
    seeds,
)
from airlink.studies.tcp_pf.spurious import example, search

TITLE = "TCP-PF: a proportional fair scheduler that spares TCP its timeouts (Klein, Leung, Zheng)"
REPEATED_SEEDS = (1, 2, 3)


@dataclass(frozen=True)
class _Runner:
    """Runs campaigns one after another as one progress bar."""

    request: Request
    total: int

    def run(self, plan: Plan, done: int) -> CampaignResult:
        """Runs a plan; `done` replicas of the study had finished before it."""
        result = campaign.run(plan, threads=self.request.threads, progress=self._shifted(done))
        if result.interrupted:
            raise StudyInterrupted("interrupted: nothing was written")
        return result

    def finish(self) -> None:
        """Fills the bar: the search for Figs 2 and 3 may need fewer drops than were planned."""
        if self.request.progress is not None:
            self.request.progress(self.total, self.total)

    def _shifted(self, done: int) -> Progress | None:
        shown = self.request.progress
        if shown is None:
            return None
        return lambda finished, _: shown(done + finished, self.total)


def measure(request: Request) -> Findings:
    """Runs everything, judges every claim, draws every figure."""
    drops = QUICK_DROPS if request.quick else DROPS
    main_plan = Plan(_scenarios(request.quick), seeds(request.seed, drops))
    repeat_plans = {} if request.quick else _repeats(request.seed)
    total = _size(main_plan) + sum(_size(plan) for plan in repeat_plans.values()) + 3 + drops
    runner = _Runner(request, total)
    main = runner.run(main_plan, 0)
    done = _size(main_plan)
    repeats = {}
    for base, plan in repeat_plans.items():
        repeats[base] = runner.run(plan, done)
        done += _size(plan)
    evidence = _evidence(main, repeats, request)
    illustrations = _figures(evidence, runner, done)
    runner.finish()
    claims = judged(evidence)
    return Findings(
        claims=claims,
        sheets=tables.sheets(evidence, claims),
        sentences=page.sentences(evidence),
        tables=tables.parquet(evidence, claims),
        page=page.page(evidence, claims, illustrations, main.version),
        illustrations=illustrations,
        version=main.version,
        seeds=evidence.seeds,
    )


def _scenarios(quick: bool) -> dict[str, Scenario]:
    """Label -> scenario: K3 under each scheduler, then each control and sweep under PF and TCP-PF."""
    made = {f"K3/{kind}": k3(kind) for kind in (*SCHEDULERS, UNAPPROXIMATED, IDEAL)}
    made |= {f"{AWARE}/{kind}": queue_aware(kind) for kind in (UNAPPROXIMATED, IDEAL)}
    if not quick:
        made |= {f"{name}/{TCP_MAX}": k3(TCP_MAX).with_(**changes) for name, changes in TCP_MAX_VARIANTS.items()}
    for control in _all(quick):
        for kind in control.touched:
            made[f"{control.name}/{kind}"] = control.scenario(kind)
    return made


def _all(quick: bool) -> list[Control]:
    sweeps = [] if quick else [control for sweep in SWEEPS for control in sweep.controls()]
    return [*all_controls(quick), *sweeps]


def _repeats(seed: int) -> dict[int, Plan]:
    """K3 on the drops of the other base seeds."""
    return {
        base: Plan({f"K3/{kind}": k3(kind) for kind in SCHEDULERS}, seeds(base, DROPS))
        for base in REPEATED_SEEDS
        if base != seed
    }


def _size(plan: Plan) -> int:
    return len(plan.scenarios) * len(plan.seeds)


def _evidence(main: CampaignResult, repeats: Mapping[int, CampaignResult], request: Request) -> Evidence:
    kinds = (*SCHEDULERS, UNAPPROXIMATED, IDEAL)
    outcomes = {kind: Outcome.of(main, f"K3/{kind}") for kind in kinds}
    variants = {} if request.quick else TCP_MAX_VARIANTS
    tcp_max = {name: Outcome.of(main, f"{name}/{TCP_MAX}") for name in variants}
    pairs = {control: _pair(main, control, outcomes) for control in all_controls(request.quick)}
    aware = {kind: Outcome.of(main, f"{AWARE}/{kind}") for kind in (PF, TCP_PF, UNAPPROXIMATED, IDEAL)}
    sweeps = {}
    for sweep in () if request.quick else SWEEPS:
        values = {
            value: _pair(main, control, outcomes) for value, control in zip(sweep.values, sweep.controls(), strict=True)
        }
        values[sweep.own] = Pair(outcomes[PF], outcomes[TCP_PF])
        sweeps[sweep] = dict(sorted(values.items()))
    other = {base: {kind: Outcome.of(result, f"K3/{kind}") for kind in SCHEDULERS} for base, result in repeats.items()}
    lossless = next(pair for control, pair in pairs.items() if control.name == LOSSLESS)
    found = search(lossless.pf, lossless.tcp_pf, main.plan.seeds)
    blocks = dict(sorted({request.seed: outcomes, **other}.items()))
    return Evidence(outcomes, aware, tcp_max, pairs, sweeps, blocks, found, main.plan.seeds)


def _pair(main: CampaignResult, control: Control, base: Mapping[str, Outcome]) -> Pair:
    """PF and TCP-PF under a control; where it does not touch a scheduler that one is K3's."""
    pf, tcp_pf = (
        Outcome.of(main, f"{control.name}/{kind}") if kind in control.touched else base[kind] for kind in (PF, TCP_PF)
    )
    return Pair(pf, tcp_pf)


def _figures(evidence: Evidence, runner: _Runner, done: int) -> list[Illustration]:
    """Figs 1-6 and the controls; Figs 1-3 need a drop run again with its series kept."""
    drawn = [_gap_figure(evidence, runner, done), *_trace_figures(evidence, runner, done + 1)]
    drawn += [figures.system_cdf(evidence.main), figures.user_cdf(evidence.main), figures.fairness_cdf(evidence.main)]
    pairs = {"K3": evidence.base, **{control.name: pair for control, pair in evidence.controls.items()}}
    gains = [pair.gain for pair in pairs.values()]
    paper = TABLE_I[TCP_PF].system_kBps / TABLE_I[PF].system_kBps
    ratios = [(gain.mean, gain.low, gain.high) for gain in gains]
    return [*drawn, figures.control_figure(list(pairs), ratios, paper)]


def _gap_figure(evidence: Evidence, runner: _Runner, done: int) -> Illustration:
    """Fig. 1 from the first drop: of the third of users with the best channel, the one with the sharpest spike."""
    seed = evidence.seeds[0]
    result = runner.run(Plan({"K3": k3(PF)}, (seed,), ("gaps",)), done).result("K3")
    quality = result.users["mean_snr_db"]
    good = np.argsort(-quality, kind="stable")[: quality.size // 3]
    spike = np.nan_to_num(evidence.main[PF].longest_gap[0])
    user = int(good[np.argmax(spike[good])])
    gaps = result.series("gaps")
    gaps = gaps.where(gaps["user"] == user)
    slot = result.scenario.slot
    assert slot is not None, "K3 is a cell"
    slot_s = float(slot.duration_ms) / 1e3
    name = f"drop {seed}, user {user}, mean SNR {quality[user]:.1f} dB"
    return figures.gap_figure(gaps["slot"] * slot_s, gaps["gap_slots"] * slot_s, name)


def _trace_figures(evidence: Evidence, runner: _Runner, done: int) -> list[Illustration]:
    """Figs 2 and 3, when the search found a case."""
    if not evidence.search.cases:
        return []
    control = next(control for control in evidence.controls if control.name == LOSSLESS)
    searched = runner.run(Plan({PF: control.scenario(PF)}, evidence.search.seeds, ("cwnd",)), done)
    windows = {replica.seed: replica.series["cwnd"] for replica in searched.result(PF).replicas}
    case = example(evidence.search.cases, windows, control.scenario(PF).flows[0].tcp.mss_bytes)
    done += len(windows)
    plan = Plan({kind: control.scenario(kind) for kind in (PF, TCP_PF)}, (case.seed,), KINDS)
    results = runner.run(plan, done)
    whole = {kind: flow_view(results.result(kind), user=case.user) for kind in (PF, TCP_PF)}
    until_s = max(float(np.max(view.acks["time_s"], initial=1.0)) for view in whole.values())
    views = {kind: flow_view(results.result(kind), user=case.user, stop_s=until_s) for kind in whole}
    return [figures.flow_illustration(number, views[kind], SCHEDULERS[kind]) for number, kind in ((2, PF), (3, TCP_PF))]


__all__ = ["TITLE", "measure"]
