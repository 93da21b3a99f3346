"""Beyond the paper: what today's remedies do to the initial timeout, each alone and all together.

Every remedy changes the paper's TCP (ns-2's Reno) and nothing else; what it needs comes with it and is said in its
row: timestamps, NewReno, or SACK. Two settings: the study's own, and one in which half of the sessions time out.
Besides 10 s of endless downloads each user fetches one file, because a timeout is felt by who waits for little.
Left out: remedies at the base station (its queue, its scheduler), and what losses would make of these.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from airlink.campaign import CampaignResult, Plan
from airlink.report import Bounds, Claim, Illustration, Sheet, Statement, above, plus_minus
from airlink.result import Table
from airlink.scenario import Scenario
from airlink.statistics import Estimate, mean_interval, paired_difference, paired_ratio
from airlink.study import Part, PartResult, Request, Runner
from airlink_studies.startup_timeout import setting
from airlink_studies.startup_timeout.dot_rows import Panel, dot_rows
from airlink_studies.startup_timeout.measures import RECORD, Floats, Outcome, held

RUNS, QUICK_RUNS = 20, 3
FILE_BYTES, FILE_LIMIT_S = 100_000, 30.0
"""Of the file that each user fetches (chosen: a page of its time), and how long it may take."""

TCP = "flows.0.tcp."
Changes = Mapping[str, Any]
NEW_RENO: Changes = {f"{TCP}congestion_control": "new_reno"}
EVERY_ACK: Changes = {
    f"{TCP}rto.estimator": "rfc6298",
    f"{TCP}rto.tick_ms": 0.0,
    f"{TCP}rto.variance_floor": True,
    f"{TCP}rto.sample_every_ack": True,
}
TIMESTAMPS: Changes = {
    **EVERY_ACK,
    f"{TCP}timestamps": True,
    f"{TCP}header_bytes": 52,
    f"{TCP}ack_bytes": 52,
}
SHORT: Changes = {f"{TCP}rto.min_ms": 200.0}
WINDOW: Changes = {f"{TCP}initial_window_segments": 10}
RESPONSE: Changes = {**NEW_RENO, f"{TCP}rules.spurious_response": "eifel"}
FORWARD_RTO: Changes = {**RESPONSE, f"{TCP}rules.frto": True}
EIFEL: Changes = {**RESPONSE, **TIMESTAMPS, f"{TCP}rules.eifel_detection": True}
SACK: Changes = {
    **NEW_RENO,
    f"{TCP}sack": True,
    f"{TCP}rules.dsack": True,
    f"{TCP}rules.sack_pipe": "scoreboard",
    f"{TCP}rules.forget_sack_on_timeout": False,
}
RACK_TLP: Changes = {**SACK, f"{TCP}rules.rack": True, f"{TCP}rules.tail_loss_probe": True}
ALL: Changes = {**RACK_TLP, **EIFEL, **FORWARD_RTO, **WINDOW, **SHORT}
LINUX: Changes = {
    f"{TCP}profile": "linux",
    f"{TCP}mss_bytes": 1000,
    f"{TCP}receiver_window_bytes": 16_000_000,
    f"{TCP}initial_window_segments": 10,
    f"{TCP}rto": {},
    f"{TCP}delayed_ack": {},
}

PAPER, HOLDING = "paper's TCP", "timeouts held (control)"


@dataclass(frozen=True)
class Remedy:
    """A remedy: its name, the fields it changes, and what it needs or brings along, in words."""

    name: str
    changes: Changes
    needs: str


REMEDIES: Sequence[Remedy] = (
    Remedy(PAPER, {}, "Reno of ns-2, one segment timed at a time, clock of 10 ms, min RTO 1 s"),
    Remedy("initial window 10", WINDOW, "nothing (RFC 6928)"),
    Remedy("every ACK timed", EVERY_ACK, "an exact clock (RFC 6298)"),
    Remedy("timestamps", TIMESTAMPS, "every ACK timed, repeated segments too; 12 B a packet (RFC 7323)"),
    Remedy("timestamps, min RTO 0.2 s", {**TIMESTAMPS, **SHORT}, "as above; 0.2 s is Linux's"),
    Remedy("F-RTO", FORWARD_RTO, "NewReno; the Eifel response (RFC 5682, RFC 4015)"),
    Remedy("Eifel", EIFEL, "NewReno, timestamps (RFC 3522, RFC 4015)"),
    Remedy("SACK", SACK, "NewReno's rules, D-SACK (RFC 6675, RFC 2883)"),
    Remedy("RACK-TLP", RACK_TLP, "SACK; one segment timed at a time (RFC 8985)"),
    Remedy("RACK-TLP, timestamps", {**RACK_TLP, **TIMESTAMPS}, "SACK, every ACK timed"),
    Remedy("all, min RTO 1 s", {**ALL, f"{TCP}rto.min_ms": 1000.0}, "initial window 10, F-RTO, Eifel, RACK-TLP"),
    Remedy("all, min RTO 0.2 s", ALL, "the same"),
    Remedy("Linux", LINUX, "profile linux: all of these, CUBIC with HyStart, min of the RTO's variance term 0.2 s"),
)

SETTINGS: Mapping[str, Scenario] = {
    "t_c = 1000 slots": setting.cell(),
    "t_c = 10 000 slots": setting.cell(time_constant_slots=setting.LONG_TIME_CONSTANT_SLOTS),
}
"""The study's own setting, and one in which half of the sessions time out."""
QUICK_REMEDIES = (PAPER, "F-RTO", "all, min RTO 1 s", "Linux")


@dataclass(frozen=True)
class Effect:
    """What was found of one remedy in one setting.

    Attributes
    ----------
    outcome : of the endless downloads.
    file_s : array [seed], mean time to fetch the file; one that was not there in time counts as the limit.
    retransmissions : array [seed], segments sent again in the endless downloads; none was lost.
    """

    outcome: Outcome
    file_s: Floats
    retransmissions: Floats


Effects = Mapping[tuple[str, str], Effect]
"""By setting and remedy."""


def plans(request: Request) -> Mapping[str, Plan]:
    """Endless downloads and files, every remedy in both settings, the same seeds for all."""
    seeds = setting.seeds(request.seed, QUICK_RUNS if request.quick else RUNS)
    scenarios = {}
    for name, scenario in SETTINGS.items():
        for remedy in _asked(request.quick):
            scenarios[f"{name}/{remedy.name}"] = scenario.with_(**remedy.changes)
        scenarios[f"{name}/{HOLDING}"] = held(scenario)
    files = {label: _fetching(scenario) for label, scenario in scenarios.items()}
    return {"endless": Plan(scenarios, seeds, RECORD), "files": Plan(files, seeds)}


def show(results: Mapping[str, CampaignResult], runner: Runner) -> PartResult:
    """Judges and draws."""
    endless, files = results["endless"], results["files"]
    effects = {
        (name, remedy): _effect(endless, files, f"{name}/{remedy}")
        for name in SETTINGS
        for remedy in _names(runner.request.quick)
    }
    sheets = [_sheet(name, effects) for name in SETTINGS]
    return PartResult(
        claims=_claims(effects, len(endless.plan.seeds)),
        paragraphs=_paragraphs(),
        items=[_illustration(effects, _names(runner.request.quick)), *sheets],
        printed=[sheets[-1]],
        sentences=[_sentence(effects)],
        depends=[_sentence(effects)],
        tables={"remedies": _table(effects)},
    )


def _asked(quick: bool) -> list[Remedy]:
    return [remedy for remedy in REMEDIES if not quick or remedy.name in QUICK_REMEDIES]


def _names(quick: bool) -> list[str]:
    """Of the remedies, in order, and the control."""
    return [*(remedy.name for remedy in _asked(quick)), HOLDING]


def _fetching(scenario: Scenario) -> Scenario:
    """The same with one file for each user in place of an endless download."""
    return scenario.with_(**{"flows.0.traffic": {"kind": "file", "bytes": FILE_BYTES}, "duration_s": FILE_LIMIT_S})


def _effect(endless: CampaignResult, files: CampaignResult, label: str) -> Effect:
    taken = np.nan_to_num(files.flows(label, "completion_s"), nan=FILE_LIMIT_S)
    again = endless.flows(label, "retransmissions")
    return Effect(Outcome.of(endless, label), np.mean(taken, axis=1), np.sum(again, axis=1))


DEFAULT, HALF = SETTINGS
FEWER = Statement(
    "003-7a", "Today's remedies together make fewer sessions time out at the start than the paper's TCP", after_run=True
)
SHORTER = Statement(
    "003-7b", "Timestamps with a min RTO of 0.2 s make more sessions time out at the start", after_run=True
)
LARGER = Statement("003-7c", "An initial window of 10 makes fewer sessions time out at the start", after_run=True)
UNDONE = Statement("003-7d", "Eifel raises the throughput although the timeouts still occur", after_run=True)
FORWARD = Statement("003-7e", "F-RTO raises the throughput although the timeouts still occur", after_run=True)
PROBES = Statement("003-7f", "RACK-TLP with timestamps makes fewer sessions time out at the start", after_run=True)
KERNEL = Statement(
    "003-7g", "Linux gets at least the throughput of the paper's TCP with its timeouts held", after_run=True
)
FILES = Statement("003-7h", "With Linux a file of 100 kB is complete sooner than with the paper's TCP", after_run=True)


def _claims(effects: Effects, runs: int) -> list[Claim]:
    """All in the setting in which half of the sessions time out."""
    profile = f"startup-timeout, t_c {setting.LONG_TIME_CONSTANT_SLOTS:g} slots, {runs} seeds"
    fewer, more = Bounds("difference", high=0, high_open=True), above("difference", 0)
    faster = above("ratio", 1)
    judged = [
        (FEWER, _timed_out(effects, "all, min RTO 1 s"), fewer),
        (SHORTER, _timed_out(effects, "timestamps, min RTO 0.2 s"), more),
        (LARGER, _timed_out(effects, "initial window 10"), fewer),
        (UNDONE, _rate(effects, "Eifel", PAPER), faster),
        (FORWARD, _rate(effects, "F-RTO", PAPER), faster),
        (PROBES, _timed_out(effects, "RACK-TLP, timestamps"), fewer),
        (KERNEL, _rate(effects, "Linux", HOLDING), Bounds("ratio", low=1)),
        (FILES, _time(effects, "Linux"), Bounds("ratio", high=1, high_open=True)),
    ]
    return [statement.against(found, bounds, profile) for statement, found, bounds in judged if found is not None]


def _timed_out(effects: Effects, remedy: str) -> Estimate | None:
    """Sessions with an initial timeout less those of the paper's TCP; None if it was not run."""
    if (HALF, remedy) not in effects:
        return None
    return paired_difference(effects[HALF, remedy].outcome.timed_out, effects[HALF, PAPER].outcome.timed_out)


def _rate(effects: Effects, remedy: str, other: str) -> Estimate | None:
    """Throughput / that of another."""
    if (HALF, remedy) not in effects:
        return None
    return paired_ratio(effects[HALF, remedy].outcome.kbps, effects[HALF, other].outcome.kbps)


def _time(effects: Effects, remedy: str) -> Estimate | None:
    """Time to fetch the file / that of the paper's TCP."""
    if (HALF, remedy) not in effects:
        return None
    return paired_ratio(effects[HALF, remedy].file_s, effects[HALF, PAPER].file_s)


def _illustration(effects: Effects, remedies: Sequence[str]) -> Illustration:
    """Timed-out sessions, throughput, Jain's index and the time of a file, for each remedy and both settings."""
    measures: Mapping[str, Callable[[Effect], Floats]] = {
        "sessions with an\ninitial timeout (of 20)": lambda effect: effect.outcome.timed_out,
        "throughput (kb/s)": lambda effect: effect.outcome.kbps,
        "Jain's index": lambda effect: effect.outcome.jain,
        "time to fetch\n100 kB (s)": lambda effect: effect.file_s,
    }
    panels = []
    for name, measure in measures.items():
        series = {where: [mean_interval(measure(effects[where, each])) for each in remedies] for where in SETTINGS}
        panels.append(Panel(name, series, dashed=True, starts_at_0=name.startswith("sessions")))
    caption = (
        "Today's remedies for the initial timeout, each on top of the paper's TCP (dashed line), in the study's "
        "setting and in one where half of the sessions time out. Bars: 95 % intervals over seeds."
    )
    figure = dot_rows(remedies, panels)
    return Illustration(
        "remedies-effects", caption, figure, "Four quantities for each remedy, two settings, intervals."
    )


def _sheet(name: str, effects: Effects) -> Sheet:
    rows = []
    for (where, remedy), effect in effects.items():
        if where != name:
            continue
        outcome = effect.outcome
        needs = next((each.needs for each in REMEDIES if each.name == remedy), "no sender could know")
        rows.append(
            (
                remedy,
                needs,
                plus_minus(mean_interval(outcome.timed_out), 1),
                f"{np.mean(np.sum(outcome.timeouts, axis=1)):.1f}",
                f"{np.mean(effect.retransmissions):.0f}",
                plus_minus(mean_interval(outcome.kbps), 0),
                plus_minus(mean_interval(outcome.jain), 3),
                plus_minus(mean_interval(effect.file_s), 2),
            )
        )
    columns = ("remedy", "comes with", "timed out", "timeouts", "resent", "kb/s", "Jain", "100 kB (s)")
    note = (
        "timed out: sessions of 20 with an initial timeout; timeouts: all of them, none for a loss; resent: segments; "
        "100 kB: mean time of one file for each user."
    )
    return Sheet(f"Remedies, {name}", columns, rows, note, narrow=(0, 2, 3, 4, 5, 7), left=(1,))


def _paragraphs() -> list[str]:
    return [
        "Two kinds of remedy must be told apart. A longer or better informed timer prevents timeouts; "
        "F-RTO and Eifel let them occur and undo their effect. No segment is lost here, so every segment sent "
        "again was sent for nothing.",
        "RACK-TLP makes more sessions time out. While a probe may be sent the timer runs from the moment when the "
        "oldest segment left (as in Linux), not from the last ACK, so a queue that grows within one round trip by "
        "more than the RTO allows for is enough, where PF's gap alone had to be that long before. With one segment "
        "timed at a time the RTO lags behind the queue and nearly all sessions time out: RACK-TLP needs a sample of "
        "every ACK.",
        "With Linux most timeouts come after HyStart has ended slow start, and so are not initial ones by the study's "
        "definition; the column of all timeouts has them.",
    ]


def _sentence(effects: Effects) -> str:
    """The headline: from the paper's TCP to today's."""
    paper, linux = effects[HALF, PAPER], effects[HALF, "Linux"]
    together, control = effects[HALF, "all, min RTO 1 s"], effects[HALF, HOLDING]
    return (
        f"TCP itself: where {np.mean(paper.outcome.timed_out):.1f} of 20 downloads time out with the paper's TCP, "
        f"{np.mean(together.outcome.timed_out):.1f} do with all of today's remedies on a min RTO of 1 s and "
        f"{np.mean(linux.outcome.timed_out):.1f} with Linux; throughput goes from {np.mean(paper.outcome.kbps):.0f} "
        f"to {np.mean(together.outcome.kbps):.0f} and {np.mean(linux.outcome.kbps):.0f} kb/s, against "
        f"{np.mean(control.outcome.kbps):.0f} with the timeouts held. The remedies repair the initial timeout more "
        "than they prevent it."
    )


def _table(effects: Effects) -> Table:
    """One row a setting and remedy: means and 95 % intervals."""
    columns: dict[str, Any] = {
        "setting": np.array([name for name, _ in effects]),
        "remedy": np.array([remedy for _, remedy in effects]),
    }
    measures: Mapping[str, Callable[[Effect], Floats]] = {
        "timed_out": lambda effect: effect.outcome.timed_out,
        "timeouts": lambda effect: np.sum(effect.outcome.timeouts, axis=1),
        "retransmissions": lambda effect: effect.retransmissions,
        "kbps": lambda effect: effect.outcome.kbps,
        "jain": lambda effect: effect.outcome.jain,
        "file_s": lambda effect: effect.file_s,
    }
    for name, measure in measures.items():
        found = [mean_interval(measure(effect)) for effect in effects.values()]
        columns[name] = np.array([each.mean for each in found])
        columns[f"{name}_low"] = np.array([each.low for each in found])
        columns[f"{name}_high"] = np.array([each.high for each in found])
    return Table(columns)


PART = Part("remedies", "Today's remedies", ("remedies",), plans, show)
