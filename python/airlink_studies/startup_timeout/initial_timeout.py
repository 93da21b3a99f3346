"""One run of [Choi05]: an initial timeout (Fig. 2), what it does to all sessions (Fig. 3), FIFO and round robin (4).

Two readings of the time constant that the paper does not give stand side by side: the chosen one, in which a few
sessions time out, and a long one, in which about half do. Left out: other values (region.py), other readings of what
the paper leaves open (readings.py).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from airlink.campaign import CampaignResult, Plan
from airlink.plots.flow import KINDS, flow_figure, flow_view, write_page
from airlink.report import Illustration, Sheet, plus_minus
from airlink.result import Table
from airlink.scenario import Scenario
from airlink.statistics import mean_interval
from airlink.study import Part, PartResult, Request, Runner
from airlink_studies.startup_timeout import setting
from airlink_studies.startup_timeout.cases import Case, first_case
from airlink_studies.startup_timeout.measures import RECORD, held_label, pair_of
from airlink_studies.startup_timeout.session_bars import fifo_figure, pf_figure
from airlink_studies.startup_timeout.start import (
    CLEAN,
    FADING,
    FADING_12,
    FIFO,
    FIFO_12,
    FIFO_20,
    LONG,
    LOSSY,
    NEAR_LEAST,
    PF,
    PF_12,
    RR,
    Start,
    claims,
)

RUNS, QUICK_RUNS = 40, 4
AFTER_S = 4.0
"""How much of the session is drawn after its initial timeout, s."""
PANELS = ("events", "sequence", "slots", "queue", "window", "rtt")


def plans(request: Request) -> Mapping[str, Plan]:
    """All settings on the same seeds."""
    twelve = setting.window(setting.FIFO_SEGMENTS)
    scenarios: dict[str, Scenario] = {
        **pair_of(PF, setting.cell()),
        **pair_of(LONG, setting.cell(time_constant_slots=setting.LONG_TIME_CONSTANT_SLOTS)),
        **pair_of(CLEAN, setting.cell(doppler_hz=40.0)),
        **pair_of(LOSSY, setting.cell(**setting.loss(0.01))),
        PF_12: setting.cell(**twelve),
        RR: setting.cell(scheduler=setting.RR),
        FIFO: setting.wire(),
        FIFO_12: setting.wire(**twelve),
        FIFO_20: setting.wire(**setting.window(setting.NS2_SEGMENTS)),
        FADING: setting.cell(scheduler=setting.FIFO),
        FADING_12: setting.cell(scheduler=setting.FIFO, **twelve),
    }
    return {"start": Plan(scenarios, setting.seeds(request.seed, QUICK_RUNS if request.quick else RUNS), RECORD)}


def show(results: Mapping[str, CampaignResult], runner: Runner) -> PartResult:
    """Judges the runs, and simulates one session again to draw it."""
    start = Start.of(results["start"])
    case = first_case(start.result, PF, NEAR_LEAST)
    session = [] if case is None else [_session(case, start.result, runner)]
    bars = [pf_figure(start, LONG, "fig3-sessions-long-memory")]
    if not runner.request.quick:  # drawing takes longer than running
        bars.insert(0, pf_figure(start, PF, "fig3-sessions"))
    sheet = _numbers(start)
    return PartResult(
        claims=claims(start),
        paragraphs=_paragraphs(start),
        items=[*session, sheet, *bars, fifo_figure(start)],
        printed=[sheet],
        sentences=[_sentence(start)],
        judged_by=("003-2a", "003-2e", "003-3a", "003-3e", "003-3f"),
        depends=[_under_fifo(start)],
        tables={"start": _table(start)},
    )


PART = Part("initial-timeout", "One run: Figs 2, 3 and 4", ("2", "3", "4"), plans, show, headline=True)


def _session(case: Case, result: CampaignResult, runner: Runner) -> Illustration:
    """Fig. 2: the session around its initial timeout."""
    plan = Plan({case.label: result.plan.scenarios[case.label]}, (case.seed,), KINDS)
    once_more = runner.run(plan).result(case.label)
    stop_s = min(case.time_s + AFTER_S, float(once_more.scenario.duration_s))
    view = flow_view(once_more, user=case.session, stop_s=stop_s)
    path = once_more.scenario.flows[0].path
    packets = Table(once_more.replicas[0].series["packets"])
    first = packets.where((packets["flow"] == case.session) & (packets["sequence"] == case.sequence))
    trip_s = float(first["ended_s"][0] - first["sent_s"][0]) + path.uplink_delay_ms / 1e3
    caption = (
        f"Fig. 2. A session with an initial timeout ({case.label}, seed {case.seed}, session {case.session}). Its "
        f"first round trips are short, so the RTO is {case.rto_s:.2f} s; at {case.time_s:.2f} s nothing has been "
        "acknowledged for so long, for the scheduler serves others. The sender sends again (R) what waits at the "
        f"base station and starts over from one segment. The first copy's round trip is {trip_s:.2f} s."
    )
    told = "Segments, ACKs, slots, queue, window, round trip and timeout of one session over time."
    figure = flow_figure(view, PANELS)
    return Illustration("fig2-initial-timeout", caption, figure, told, lambda path: write_page(view, path))


def _numbers(start: Start) -> Sheet:
    """The paper's numbers of Figs 3 and 4, and ours."""
    jain, kbps = (setting.PAPER_JAIN, setting.PAPER_JAIN_HELD), (setting.PAPER_KBPS, setting.PAPER_KBPS_HELD)
    rows = [
        ("paper, Fig. 3(a)", str(setting.PAPER_TIMED_OUT), f"{jain[0]:.3f}", f"{kbps[0]:.0f}"),
        ("paper, Fig. 3(b), held", "", f"{jain[1]:.3f}", f"{kbps[1]:.0f}"),
        ("paper, Fig. 4, FIFO", "", f"{setting.PAPER_JAIN_FIFO:.3f}", ""),
    ]
    rows += [
        (
            label,
            plus_minus(mean_interval(one.timed_out), 1),
            plus_minus(mean_interval(one.jain), 3),
            plus_minus(mean_interval(one.kbps), 0),
        )
        for label, one in start.outcomes.items()
        if label not in (CLEAN, held_label(CLEAN))
    ]
    note = (
        f"Means of {start.seeds} runs with their 95 % intervals. timed out: sessions of 20 with an initial timeout; "
        "Jain's index and sum of the sessions' goodput over 10 s. FIFO is the paper's link of 2 Mb/s without fading, "
        "FIFO, fading the oldest packet first on the fading channel. Window: of TCP, in segments; unlimited where "
        "not said."
    )
    return Sheet("Figs 3 and 4 in numbers", ("", "timed out", "Jain", "kb/s"), rows, note)


def _paragraphs(start: Start) -> list[str]:
    few, half = start.pairs[PF], start.pairs[LONG]
    share, rto = start.near_least(PF), start.mean_rto_s(PF)
    return [
        f"With t_c = {setting.TIME_CONSTANT_SLOTS:g} slots {plus_minus(few.timed_out, 1)} sessions of 20 have an "
        f"initial timeout, with {setting.LONG_TIME_CONSTANT_SLOTS:g} slots {plus_minus(half.timed_out, 1)}. Holding "
        f"those timeouts raises Jain's index by {plus_minus(few.fairer, 3)} and {plus_minus(half.fairer, 3)} (paper: "
        f"0.177) and throughput to {plus_minus(few.faster, 3)} and {plus_minus(half.faster, 3)} times (paper: 1.149).",
        f"{100 * share.mean:.0f} % of the initial timeouts occur with an RTO of at most {NEAR_LEAST} times its "
        f"minimum; their mean RTO is {plus_minus(rto, 2)} s. A victim gets {plus_minus(start.victims(LONG), 2)} of "
        "what the others get with the long t_c (0.22 would explain the paper's Jain index with 11 victims and all "
        "else alike).",
        "FIFO has no timeouts only while the windows of all sessions together stay below what its link sends within "
        f"the least RTO: {setting.FIFO_SEGMENTS} segments each. Unlimited slow starts time out under FIFO as well, "
        "all of them, and unevenly, for what is first in the queue grows first. Under PF the window does not matter: "
        "each session waits in a queue of its own, and what expires the timer is a gap of the scheduler.",
    ]


def _sentence(start: Start) -> str:
    few, half = start.pairs[PF], start.pairs[LONG]
    return (
        "Proportional fair scheduling makes TCP time out at the start although nothing is lost: "
        f"{plus_minus(few.timed_out, 1)} of 20 downloads where the scheduler remembers 1000 slots, "
        f"{plus_minus(half.timed_out, 1)} where it remembers 10 000 (paper: 11, its memory not given). Were these "
        f"timers held, Jain's index would be {plus_minus(half.fairer, 3)} higher with 10 000 slots (paper: 0.177) and "
        f"throughput {plus_minus(half.faster, 3)} times as high (1.149)."
    )


def _under_fifo(start: Start) -> str:
    labels = (FIFO_12, FIFO, PF_12, PF)
    twelve, unlimited, pf_twelve, pf = (float(start.outcomes[label].timed_out.mean()) for label in labels)
    return (
        f"The scheduler: under FIFO {twelve:.1f} of 20 downloads time out while all windows together stay below what "
        f"the link sends in the least RTO ({setting.FIFO_SEGMENTS} segments each), {unlimited:.1f} with unlimited "
        f"windows; under PF {pf_twelve:.1f} do with windows of {setting.FIFO_SEGMENTS} segments and {pf:.1f} with "
        f"unlimited ones."
    )


def _table(start: Start) -> Table:
    """One row a setting, seed and session."""
    labels = list(start.outcomes)
    sessions = start.outcomes[PF].sessions
    stacked = {
        name: np.concatenate([getattr(start.outcomes[label], name).ravel() for label in labels])
        for name in ("goodput_bps", "initial", "repeated", "timeouts", "spurious")
    }
    return Table(
        {
            "setting": np.repeat(labels, start.seeds * sessions),
            "seed": np.tile(np.repeat(start.result.plan.seeds, sessions), len(labels)),
            "session": np.tile(np.arange(sessions), start.seeds * len(labels)),
            **stacked,
        }
    )


__all__ = ["PART"]
