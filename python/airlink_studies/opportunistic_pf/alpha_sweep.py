"""Section IV: how much PF gains as alpha falls, and how much of it TCP gets (Figs 4 and 5).

Monte Carlo runs of 16 users, mean SNRs uniform in dB; runs of 2 / alpha s, at least 60 and at most 1500. Controls at
tenths of alpha: a Doppler of 10 Hz and a least RTO of 1 s, over at most 600 s. Leaves out Section V's own realization.
"""

from __future__ import annotations

from collections.abc import Mapping

from airlink.campaign import CampaignResult, Plan
from airlink.report import Sheet, bracketed
from airlink.scenario import Scenario
from airlink.statistics import mean_interval, paired_ratio
from airlink.study import Part, PartResult, Request, Runner
from airlink_studies.opportunistic_pf import alpha_figures, best_and_worst
from airlink_studies.opportunistic_pf.alpha_claims import FASTER, LARGEST, SECOND, SMALLEST, THIRD, judged
from airlink_studies.opportunistic_pf.alpha_curves import RR, Curves, curves, machine_table
from airlink_studies.opportunistic_pf.setting import ALPHAS, PF, backlogged, seeds, sweep
from airlink_studies.opportunistic_pf.setting import RR as ROUND_ROBIN
from airlink_studies.opportunistic_pf.user_numbers import spread_text

DROPS, CONTROL_DROPS, QUICK_DROPS = 10, 5, 3
QUICK_S, CONTROL_S = 30.0, 600.0
"""The longest runs, s, of a quick version and of controls; chosen."""
DECADES = (LARGEST, SECOND, THIRD, SMALLEST)
PATIENT = "min RTO 1 s"
CONTROLS: Mapping[str, Mapping[str, object]] = {
    FASTER: {"channel.fading.doppler_hz": 10.0},
    PATIENT: {"flows.0.tcp.rto.min_ms": 1000.0},
}
RR_ALPHA = SECOND
"""Round robin runs as long as PF with this alpha."""


def plans(request: Request) -> dict[str, Plan]:
    """PF at every alpha and round robin, with TCP and with queues that are never empty; the controls."""
    alphas = DECADES if request.quick else ALPHAS
    drops = seeds(request.seed, QUICK_DROPS if request.quick else DROPS)
    own = _both({label: _cut(scenario, request) for label, scenario in _scenarios(alphas).items()}, drops, "")
    if request.quick:
        return own
    fewer = drops[:CONTROL_DROPS]
    short = {label: _shorter(scenario, CONTROL_S) for label, scenario in _scenarios(DECADES).items()}
    for name, changes in CONTROLS.items():
        own |= _both({label: scenario.with_(**changes) for label, scenario in short.items()}, fewer, name)
    return own


def show(results: Mapping[str, CampaignResult], runner: Runner) -> PartResult:
    """Figs 4 and 5, the table, and B and W at every alpha."""
    alphas = DECADES if runner.request.quick else ALPHAS
    drops = results["tcp"].plan.seeds
    found = curves(results["tcp"], results["backlogged"], _labels(alphas))
    others = {
        name: curves(results[f"{name}tcp"], results[f"{name}backlogged"], _labels(DECADES))
        for name in CONTROLS
        if f"{name}tcp" in results
    }
    users = best_and_worst.chosen(results["tcp"], _labels(alphas, round_robin=False))
    table = sweep_sheet("Alpha: MAC throughput, goodput, service interval", found)
    sheets = [sweep_sheet(f"The same with: {name}", each) for name, each in others.items()]
    return PartResult(
        claims=judged(found, others),
        paragraphs=[readings(found), *(_control_sentence(name, each, found) for name, each in others.items())],
        items=[
            alpha_figures.throughput(found),
            alpha_figures.jitter(found),
            table,
            *sheets,
            *best_and_worst.sheets(users),
        ],
        printed=(table,),
        sentences=(headline(found),),
        judged_by=("000-1a", "000-2a", "000-2b", "000-2d"),
        depends=_reading(others, found),
        tables={
            "alpha-sweep": machine_table(found, drops),
            "best-and-worst": best_and_worst.machine_table(users, drops),
        },
    )


PART = Part("alpha-sweep", "Section IV: the time constant of PF and TCP", ("4", "5"), plans, show, headline=True)


def readings(found: Curves) -> str:
    """In which of three readings of MAC throughput goodput parts from it, and by how much."""
    first, last = found.alphas[0], found.alphas[-1]
    falls = [
        f"{100 * (found.ratio(name)[first] - found.ratio(name)[last]).mean():.1f}"
        for name in ("scheduled_bps", "granted_bps", "sent_bps")
    ]
    return (
        "Three readings of MAC throughput: what the scheduler grants while queues are never empty (scheduled), what "
        "it grants to the connections (granted), and what is sent. Goodput parts from all three, as a share of it "
        f"by {falls[0]}, {falls[1]} and {falls[2]} points from alpha {first:g} to {last:g}: the first reading shows "
        "what the paper describes, as what is granted and sent with TCP falls with what TCP offers."
    )


def headline(found: Curves) -> str:
    """How far MAC throughput and goodput rise, and how they part."""
    scheduled, goodput, ratio = found.scheduled_bps, found.goodput_bps, found.ratio("scheduled_bps")
    first, last = found.alphas[0], found.alphas[-1]
    mac, tcp = (paired_ratio(each[last], each[first]) for each in (scheduled, goodput))
    return (
        f"When PF may wait longer for a good channel (alpha from {first:g} to {last:g}), the rate that it grants grows "
        f"by "
        f"a factor of {bracketed(mac, 2)}, TCP's goodput by {bracketed(tcp, 2)}. TCP uses "
        f"{100 * ratio[first].mean():.0f} % of it at first (paper: it tracks closely) "
        f"and {100 * ratio[last].mean():.0f} % in the end (they diverge), while a connection's timeouts rise from "
        f"{found.timeouts_per_min[first].mean():.1f} to {found.timeouts_per_min[last].mean():.1f} a minute."
    )


def _reading(others: Mapping[str, Curves], own: Curves) -> list[str]:
    """The same share of the granted rate in the controls."""
    found = {"as it is": own, **others}
    shares = [
        f"{100 * each.ratio('scheduled_bps')[LARGEST].mean():.0f} and "
        f"{100 * each.ratio('scheduled_bps')[SMALLEST].mean():.0f} % ({name})"
        for name, each in found.items()
    ]
    return [f"Goodput over the granted rate at alpha {LARGEST:g} and {SMALLEST:g}: {', '.join(shares)}."]


def sweep_sheet(title: str, found: Curves) -> Sheet:
    """A row an alpha, and round robin."""
    rows = []
    for alpha in found.goodput_bps:
        rates = [getattr(found, f"{name}_bps")[alpha] / 1e3 for name in ("scheduled", "granted", "sent", "goodput")]
        ratios = [found.ratio(f"{name}_bps")[alpha] for name in ("scheduled", "granted", "sent")]
        jitter = [found.wait_cov[alpha], found.gap_cov[alpha], found.scheduled_gap_cov[alpha]]
        cells = [*rates, *ratios, *jitter, found.timeouts_per_min[alpha]]
        name = "RR" if alpha == RR else f"{alpha:g}"
        rows.append((name, *(spread_text(mean_interval(values)) for values in cells)))
    columns = (
        "alpha", "scheduled", "granted", "sent", "goodput", "/scheduled", "/granted", "/sent", "wait cov", "gap cov",
        "gap cov sched.", "RTOs/min",
    )  # fmt: skip
    note = (
        "kb/s, means over realizations with 95 % intervals. Scheduled: granted while queues are never empty; "
        "/x: goodput / "
        "x; cov: sd / mean of the time at the head of the queue (wait) and of gaps between slots."
    )
    return Sheet(title, columns, rows, note, narrow=(0, 1, 2, 4, 5, 8))


def _control_sentence(name: str, control: Curves, own: Curves) -> str:
    def percent(points: Mapping[float, object], alpha: float) -> str:
        return f"{100 * float(points[alpha].mean()):.0f} %"  # type: ignore[attr-defined]

    theirs, ours = control.ratio("scheduled_bps"), own.ratio("scheduled_bps")
    return (
        f"{name}: goodput / scheduled rate is {percent(theirs, LARGEST)} at alpha 0.1 and "
        f"{percent(theirs, SMALLEST)} at 0.0001 ({percent(ours, LARGEST)} and {percent(ours, SMALLEST)} above); the "
        f"scheduled rate grows by {_growth(control, LARGEST, SECOND)} from 0.1 to 0.01, "
        f"{_growth(control, SECOND, THIRD)} to 0.001 and {_growth(control, THIRD, SMALLEST)} to 0.0001 (above: "
        f"{_growth(own, LARGEST, SECOND)}, {_growth(own, SECOND, THIRD)}, {_growth(own, THIRD, SMALLEST)})."
    )


def _growth(found: Curves, before: float, after: float) -> str:
    return f"{100 * (paired_ratio(found.scheduled_bps[after], found.scheduled_bps[before]).mean - 1):.0f} %"


def _labels(alphas: tuple[float, ...], round_robin: bool = True) -> dict[float, str]:
    named = {alpha: f"alpha={alpha:g}" for alpha in alphas}
    return named | {RR: "RR"} if round_robin else named


def _scenarios(alphas: tuple[float, ...]) -> dict[str, Scenario]:
    return {
        label: sweep(RR_ALPHA, ROUND_ROBIN) if alpha == RR else sweep(alpha, PF)
        for alpha, label in _labels(alphas).items()
    }


def _both(scenarios: Mapping[str, Scenario], drops: tuple[int, ...], name: str) -> dict[str, Plan]:
    never_empty = {label: backlogged(scenario) for label, scenario in scenarios.items()}
    return {f"{name}tcp": Plan(scenarios, drops), f"{name}backlogged": Plan(never_empty, drops)}


def _cut(scenario: Scenario, request: Request) -> Scenario:
    return _shorter(scenario, QUICK_S) if request.quick else scenario


def _shorter(scenario: Scenario, longest_s: float) -> Scenario:
    return scenario.with_(duration_s=min(scenario.duration_s, longest_s))
