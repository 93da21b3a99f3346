"""The study tcp-pf: the runs, in campaigns, and what they are put together to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from airlink.campaign import CampaignResult, Plan
from airlink.plots.flow import KINDS, flow_view
from airlink.report import Illustration
from airlink.scenario import Scenario
from airlink.study import Findings, Request, Runner, figure_of, plan_size
from airlink_studies.tcp_pf import figures, page, tables
from airlink_studies.tcp_pf.cells import AS_IT_IS, CELLS, all_rules, labels
from airlink_studies.tcp_pf.claims import judged
from airlink_studies.tcp_pf.controls import (
    AWARE,
    AWARE_ARQ,
    LOSSLESS,
    SWEEPS,
    TCP_MAX_VARIANTS,
    Control,
    all_controls,
    queue_aware,
)
from airlink_studies.tcp_pf.evidence import Evidence, Pair
from airlink_studies.tcp_pf.measures import Outcome
from airlink_studies.tcp_pf.setting import (
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
from airlink_studies.tcp_pf.spurious import Examples, examples, search

TITLE = "TCP-PF: a proportional fair scheduler that spares TCP its timeouts"
FIGURES = ("1", "2", "3", "4", "5", "6", "controls", "tcp")
SEARCHED = (LOSSLESS, AWARE, AWARE_ARQ)
"""Cells in which Fig. 2's example is searched."""
REPEATED_SEEDS = (1, 2, 3)


def measure(request: Request) -> Findings:
    """Runs everything, judges every claim, draws every figure; or what one figure needs."""
    if request.figure is not None:
        return _alone(request.figure, request)
    drops = QUICK_DROPS if request.quick else DROPS
    main_plan = Plan(_scenarios(request.quick), seeds(request.seed, drops))
    repeat_plans = {} if request.quick else _repeats(request.seed)
    searches = len(SEARCHED) * drops
    planned = sum(plan_size(plan) for plan in (main_plan, *repeat_plans.values()))
    runner = Runner(request, planned + 3 + searches)
    main = runner.run(main_plan)
    repeats = {base: runner.run(plan) for base, plan in repeat_plans.items()}
    evidence = _evidence(main, repeats, runner)
    illustrations = _figures(evidence, runner)
    runner.finish()
    claims = judged(evidence)
    return Findings(
        claims=claims,
        sheets=tables.sheets(evidence),
        sentences=page.sentences(evidence),
        tables=tables.parquet(evidence, claims),
        page=page.page(evidence, claims, illustrations, main.version, runner.count),
        illustrations=illustrations,
        version=main.version,
        seeds=evidence.seeds,
        headlines=page.findings(evidence, claims),
        whole_seeds=DROPS,
    )


def _alone(figure: str, request: Request) -> Findings:
    """One figure and the runs that it needs, without verdicts."""
    drops = seeds(request.seed, QUICK_DROPS if request.quick else DROPS)
    drawn = {
        "1": _gaps_alone,
        "2": _traces_alone,
        "3": _traces_alone,
        "4": _distributions_alone,
        "5": _distributions_alone,
        "6": _distributions_alone,
        "controls": _controls_alone,
        "tcp": _rules_alone,
    }[figure]
    runner = Runner(request)
    illustrations = [each for each in drawn(runner, drops) if figure_of(each) == figure]
    runner.finish()
    sentences = [each.caption for each in illustrations] or ["No realization has a case to draw."]
    return Findings(
        claims=(),
        sheets=(),
        sentences=sentences,
        tables={},
        page=page.figure_page(figure, illustrations, sentences, drops, runner),
        illustrations=illustrations,
        version=runner.version,
        seeds=drops,
    )


def _gaps_alone(runner: Runner, drops: Sequence[int]) -> list[Illustration]:
    result = runner.run(Plan({PF: k3(PF)}, drops[:1]))
    return [_gap_figure(Outcome.of(result, PF), drops[0], runner)]


def _traces_alone(runner: Runner, drops: Sequence[int]) -> list[Illustration]:
    found = {}
    for name in SEARCHED:
        control = _control(name)
        result = runner.run(Plan({kind: control.scenario(kind) for kind in (PF, TCP_PF)}, drops))
        found[name] = _examples(control, Pair(Outcome.of(result, PF), Outcome.of(result, TCP_PF)), drops, runner)
    return _trace_figures(found, runner)


def _distributions_alone(runner: Runner, drops: Sequence[int]) -> list[Illustration]:
    result = runner.run(Plan({kind: k3(kind) for kind in SCHEDULERS}, drops))
    return _distributions({kind: Outcome.of(result, kind) for kind in SCHEDULERS})


def _controls_alone(runner: Runner, drops: Sequence[int]) -> list[Illustration]:
    quick = runner.request.quick
    made = {f"K3/{kind}": k3(kind) for kind in (PF, TCP_PF)}
    for control in all_controls(quick):
        made |= {f"{control.name}/{kind}": control.scenario(kind) for kind in control.touched}
    result = runner.run(Plan(made, drops))
    base = {kind: Outcome.of(result, f"K3/{kind}") for kind in (PF, TCP_PF)}
    pairs = {control.name: _pair(result, control, base) for control in all_controls(quick)}
    return [_control_figure({"K3": Pair(base[PF], base[TCP_PF]), **pairs})]


def _rules_alone(runner: Runner, drops: Sequence[int]) -> list[Illustration]:
    made = {f"{cell.name}/{kind}": cell.scenario(kind) for cell in CELLS for kind in (PF, TCP_PF)}
    result = runner.run(Plan(made | _rule_scenarios(), drops))
    base = {cell.name: _both(result, cell.name) for cell in CELLS}
    return [figures.rules_figure(_rules(result, base))]


def _rule_scenarios() -> dict[str, Scenario]:
    return {
        label: together.scenario(kind)
        for _, rule, together in all_rules()
        for kind, label in labels(rule, together).items()
    }


def _both(result: CampaignResult, name: str) -> Pair:
    return Pair(Outcome.of(result, f"{name}/{PF}"), Outcome.of(result, f"{name}/{TCP_PF}"))


def _rules(result: CampaignResult, base: Mapping[str, Pair]) -> dict[str, dict[str, Pair]]:
    """Cell -> control of it -> PF and TCP-PF; first the cell as it is."""
    found = {name: {AS_IT_IS: pair} for name, pair in base.items()}
    for cell, rule, together in all_rules():
        own = labels(rule, together)
        pf, tcp_pf = base[cell.name].pf, base[cell.name].tcp_pf
        found[cell.name][rule.name] = Pair(
            Outcome.of(result, own[PF]) if PF in own else pf,
            Outcome.of(result, own[TCP_PF]) if TCP_PF in own else tcp_pf,
        )
    return found


def _control(name: str) -> Control:
    return next(control for control in all_controls(quick=False) if control.name == name)


def _scenarios(quick: bool) -> dict[str, Scenario]:
    """Label -> scenario: K3 under each scheduler, then each control and sweep under PF and TCP-PF."""
    made = {f"K3/{kind}": k3(kind) for kind in (*SCHEDULERS, UNAPPROXIMATED, IDEAL)}
    made |= {f"{AWARE}/{kind}": queue_aware(kind) for kind in (UNAPPROXIMATED, IDEAL)}
    if not quick:
        made |= {f"{name}/{TCP_MAX}": k3(TCP_MAX).with_(**changes) for name, changes in TCP_MAX_VARIANTS.items()}
        made |= _rule_scenarios()
    for control in _all(quick):
        for kind in control.touched:
            made[f"{control.name}/{kind}"] = control.scenario(kind)
    return made


def _all(quick: bool) -> list[Control]:
    sweeps = [] if quick else [control for sweep in SWEEPS for control in sweep.controls()]
    return [*all_controls(quick), *sweeps]


def _repeats(seed: int) -> dict[int, Plan]:
    """K3 on the realizations of the other base seeds."""
    return {
        base: Plan({f"K3/{kind}": k3(kind) for kind in SCHEDULERS}, seeds(base, DROPS))
        for base in REPEATED_SEEDS
        if base != seed
    }


def _evidence(main: CampaignResult, repeats: Mapping[int, CampaignResult], runner: Runner) -> Evidence:
    request = runner.request
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
    named = {control.name: pair for control, pair in pairs.items()}
    base = {cell.name: named.get(cell.name, Pair(outcomes[PF], outcomes[TCP_PF])) for cell in CELLS}
    rules = {} if request.quick else _rules(main, base)
    found = {name: _examples(_control(name), named[name], main.plan.seeds, runner) for name in SEARCHED}
    blocks = dict(sorted({request.seed: outcomes, **other}.items()))
    return Evidence(
        main=outcomes,
        queue_aware=aware,
        tcp_max=tcp_max,
        controls=pairs,
        sweeps=sweeps,
        repeats=blocks,
        cells=rules,
        search=found[LOSSLESS].search,
        examples=found,
        seeds=main.plan.seeds,
    )


def _examples(control: Control, pair: Pair, drops: Sequence[int], runner: Runner) -> Examples:
    """Fig. 2's example in a cell: its realizations with a case run again, their windows kept."""
    found = search(pair.pf, pair.tcp_pf, drops)
    scenario = control.scenario(PF)
    windows = {}
    if found.cases:
        searched = runner.run(Plan({PF: scenario}, found.seeds, ("cwnd",)))
        windows = {replica.seed: replica.series["cwnd"] for replica in searched.result(PF).replicas}
    return examples(found, windows, scenario.flows[0].tcp.mss_bytes)


def _pair(main: CampaignResult, control: Control, base: Mapping[str, Outcome]) -> Pair:
    """PF and TCP-PF under a control; where it does not touch a scheduler that one is K3's."""
    pf, tcp_pf = (
        Outcome.of(main, f"{control.name}/{kind}") if kind in control.touched else base[kind] for kind in (PF, TCP_PF)
    )
    return Pair(pf, tcp_pf)


def _figures(evidence: Evidence, runner: Runner) -> list[Illustration]:
    """Figs 1-6 and the controls; Figs 1-3 need a realization run again with its series kept."""
    rules = [figures.rules_figure(evidence.cells)] if evidence.cells else []
    pairs = {"K3": evidence.base, **{control.name: pair for control, pair in evidence.controls.items()}}
    return [
        _gap_figure(evidence.main[PF], evidence.seeds[0], runner),
        *_trace_figures(evidence.examples, runner),
        *_distributions(evidence.main),
        _control_figure(pairs),
        *rules,
    ]


def _distributions(main: Mapping[str, Outcome]) -> list[Illustration]:
    """Figs 4, 5 and 6."""
    return [figures.system_cdf(main), figures.user_cdf(main), figures.fairness_cdf(main)]


def _control_figure(pairs: Mapping[str, Pair]) -> Illustration:
    gains = [pair.gain for pair in pairs.values()]
    paper = TABLE_I[TCP_PF].system_kBps / TABLE_I[PF].system_kBps
    return figures.control_figure(list(pairs), [(gain.mean, gain.low, gain.high) for gain in gains], paper)


def _gap_figure(pf: Outcome, seed: int, runner: Runner) -> Illustration:
    """Fig. 1 from the first realization: the user with the sharpest spike among the best third of channels."""
    result = runner.run(Plan({"K3": k3(PF)}, (seed,), ("gaps",))).result("K3")
    quality = result.users["mean_snr_db"]
    good = np.argsort(-quality, kind="stable")[: quality.size // 3]
    spike = np.nan_to_num(pf.longest_gap[0])
    user = int(good[np.argmax(spike[good])])
    gaps = result.series("gaps")
    gaps = gaps.where(gaps["user"] == user)
    slot = result.scenario.slot
    assert slot is not None, "K3 is a cell"
    slot_s = float(slot.duration_ms) / 1e3
    name = f"realization {seed}, user {user}, mean SNR {quality[user]:.1f} dB"
    return figures.gap_figure(gaps["slot"] * slot_s, gaps["gap_slots"] * slot_s, name)


def _trace_figures(found: Mapping[str, Examples], runner: Runner) -> list[Illustration]:
    """Figs 2 and 3 in the cell that has the nearest example, when the search found one."""
    name, best = min(found.items(), key=lambda item: item[1].distance)
    if best.nearest is None:
        return []
    case, control = best.nearest[0], _control(name)
    plan = Plan({kind: control.scenario(kind) for kind in (PF, TCP_PF)}, (case.seed,), KINDS)
    results = runner.run(plan)
    whole = {kind: flow_view(results.result(kind), user=case.user) for kind in (PF, TCP_PF)}
    until_s = max(float(np.max(view.acks["time_s"], initial=1.0)) for view in whole.values())
    views = {kind: flow_view(results.result(kind), user=case.user, stop_s=until_s) for kind in whole}
    return [
        figures.flow_illustration(number, views[kind], SCHEDULERS[kind], name)
        for number, kind in ((2, PF), (3, TCP_PF))
    ]


__all__ = ["FIGURES", "TITLE", "measure"]
