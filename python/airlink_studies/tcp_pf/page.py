"""The report of [Klein04] in words: sentences computed from the data, and the page they stand on."""

from __future__ import annotations

from collections.abc import Sequence

from airlink.report import (
    Claim,
    Finding,
    Illustration,
    Page,
    Paper,
    RunCount,
    Section,
    Sheet,
    airlink_bibtex,
    methods,
    percent,
)
from airlink.statistics import Estimate
from airlink.study import Runner
from airlink_studies.tcp_pf import cell_tables, tables
from airlink_studies.tcp_pf.cells import AS_IT_IS
from airlink_studies.tcp_pf.controls import AWARE_ARQ, NO_LOSS, Control
from airlink_studies.tcp_pf.evidence import Evidence, Pair
from airlink_studies.tcp_pf.measures import Floats, Outcome
from airlink_studies.tcp_pf.setting import DROPS, PF, SCHEDULERS, TABLE_I, TCP_PF, base_seed

PAPER = Paper(
    title="Enhanced scheduling algorithms for improved TCP performance in wireless IP networks",
    authors=("T. E. Klein", "K. K. Leung", "H. Zheng"),
    year=2004,
    venue="IEEE GLOBECOM",
    key="Klein04",
)
INTERVALS = "95 %: Student-t over realizations, Fieller for ratios, realizations resampled for quantiles"
BEST = "controls"
QUESTION = (
    "Proportional fair scheduling leaves gaps between a user's slots, and TCP times out although nothing was lost. "
    "Does TCP-PF, whose metric grows with the gap and with the queue, carry 12 % more, and what does that depend on?"
)
GIVEN = (
    "Given in the paper: 21 users uniform in a disc of 2 km, 5 ms slots, 30 km/h at 2 GHz, the six rates, 700 kB per "
    "user over TCP Reno with 536-byte packets and a 64 kB window, 200 ms timer ticks and a minimum RTO of 250 ms, 20 "
    "ms between server and base station, a 64 kb/s uplink, infinite buffers, omega, alpha and beta, 25 s, 50 "
    "realizations."
)
OPEN = (
    "Not in the paper, chosen in airlink's scenario of this cell, k3: path loss, "
    "the SNR at the edge and its ceiling, the thresholds of the "
    "rates, 0.2 % frame loss left to TCP (fitted), starts within 5 s, that a user with nothing to send can win a slot, "
    "that A counts the bits sent, ties, initial averages, headers on air, the initial RTO of 3 s, and the unit of the "
    "vacation term (slots beside seconds, the letter of eqs 16-19). The controls below change these one at a time."
)


def sentences(evidence: Evidence) -> list[str]:
    """What the tables say besides the findings, in words, computed from the data."""
    return [*cell_tables.tcp_sentences(evidence), mechanism(evidence)]


def findings(evidence: Evidence, claims: Sequence[Claim]) -> list[Finding]:
    """The headlines, with the verdicts of the claims on them."""
    judged_by = (("001-2a",), (), ("001-7a", "001-7b"))
    return [
        Finding.judged(text, claims, ids) for text, ids in zip(headlines(evidence), judged_by, strict=False) if text
    ]


def headlines(evidence: Evidence) -> list[str]:
    """The three findings: the gain beside the paper's, where it comes from, and the paper's mechanism alone."""
    gain, paper = evidence.base.gain, TABLE_I[TCP_PF].system_kBps / TABLE_I[PF].system_kBps
    first = (
        f"In the cell of [Klein04] TCP-PF carries {_more(gain.mean)} than PF ({_interval(gain)}); the paper prints "
        f"{_more(paper)}."
    )
    return [first, *in_short(evidence)]


def _more(ratio: float) -> str:
    """A ratio as a sentence has it.

    >>> _more(1.136), _more(0.995)
    ('13.6 % more', '0.5 % less')
    """
    return f"{100 * abs(ratio - 1):.1f} % {'more' if ratio >= 1 else 'less'}"


def _interval(gain: Estimate) -> str:
    """The interval of a ratio: in percent, with signs where it crosses 1.

    >>> _interval(Estimate(1.1, 1.05, 1.15, 9)), _interval(Estimate(1.0, 0.98, 1.02, 9))
    ('95 % interval 5.0 to 15.0 %', '95 % interval -2.0 % to +2.0 %')
    """
    if gain.low > 1:
        return f"95 % interval {100 * (gain.low - 1):.1f} to {100 * (gain.high - 1):.1f} %"
    return f"95 % interval {percent(gain.low - 1)} to {percent(gain.high - 1)}"


def mechanism(evidence: Evidence) -> str:
    """Where TCP-PF's gain comes from, from slots and timeouts."""
    pf, tcp_pf = evidence.base.pf, evidence.base.tcp_pf
    return (
        f"In the cell of [Klein04] PF gives {100 * pf.wasted_share.mean():.1f} % of its slots to users who then send "
        f"nothing, TCP-PF {100 * tcp_pf.wasted_share.mean():.1f} %; a realization sees "
        f"{_per_drop(pf.timeouts)} timeouts under PF ({_per_drop(pf.spurious_timeouts)} of them spurious) and "
        f"{_per_drop(tcp_pf.timeouts)} under TCP-PF ({_per_drop(tcp_pf.spurious_timeouts)} spurious); the granted rate "
        f"is {pf.granted_kBps.mean():.0f} kB/s "
        f"under PF and {tcp_pf.granted_kBps.mean():.0f} kB/s under TCP-PF."
    )


def in_short(evidence: Evidence) -> list[str]:
    """Frame losses and spurious timeouts: which of them the gain comes from. Nothing where a control was not run."""
    found = []
    lossless, clean = evidence.control(NO_LOSS), evidence.control(AWARE_ARQ)
    if lossless is not None:
        pf, tcp_pf = _cost(lossless.pf, evidence.base.pf), _cost(lossless.tcp_pf, evidence.base.tcp_pf)
        share = "This" if lossless.gain.low <= 1 else "Part of this"
        found.append(
            f"{share} gain depends on frame losses that the link layer does not recover: they cost PF {pf:.1f} % of "
            f"its throughput and TCP-PF {tcp_pf:.1f} %, and without them TCP-PF carries {_more(lossless.gain.mean)} "
            f"than PF ({_interval(lossless.gain)})."
        )
    if clean is not None:
        found.append(
            "The paper's own mechanism, spurious timeouts, is seen alone where the link repairs losses and only users "
            f"with data compete: {_per_drop(clean.pf.spurious_timeouts)} of them in 25 s under PF, "
            f"{_per_drop(clean.tcp_pf.spurious_timeouts)} under TCP-PF, which carries {_more(clean.gain.mean)} there "
            f"({_interval(clean.gain)})."
        )
    return found


def _cost(without: Outcome, with_losses: Outcome) -> float:
    return 100 * float(1 - with_losses.system_kBps.mean() / without.system_kBps.mean())


def _per_drop(counts: Floats) -> str:
    return f"{counts.sum(axis=1).mean():.1f}"


def dependence(evidence: Evidence) -> list[str]:
    """The plain sentences: what the gain of TCP-PF over PF depends on."""
    gone, less, more, same = _sorted_controls(evidence)
    parts = []
    if gone:
        base = percent(evidence.base.gain.mean - 1)
        parts.append(f"The {base} in the cell of [Klein04] is gone when {_listed(gone)}.")
    if less:
        parts.append(f"It is smaller when {_listed(less)}.")
    if more:
        parts.append(f"It is larger when {_listed(more)}.")
    if same:
        parts.append(f"It does not change measurably when {_listed(same)}.")
    return [*parts, *_rules_of_tcp(evidence)]


DECISIVE = ("exact timer", "NewReno", "min RTO 1 s", "50-packet queues")
"""Rules that decide what the paper's own mechanism is worth."""


def _rules_of_tcp(evidence: Evidence) -> list[str]:
    """What the paper's own mechanism is worth under other rules; nothing of a quick run, which has none of them."""
    if not evidence.cells:
        return []
    cell = evidence.cells[AWARE_ARQ]
    rules = ", ".join(f"{percent(cell[name].gain.mean - 1)} with {name}" for name in DECISIVE)
    return [
        "Where the link repairs losses and only users with data compete, TCP's rules decide: "
        f"{percent(cell[AS_IT_IS].gain.mean - 1)} as it is, {rules}."
    ]


def _sorted_controls(evidence: Evidence) -> tuple[list[tuple[Control, Pair]], ...]:
    """Controls without a gain, with a smaller one, a larger one, the same; each by size of the gain."""
    groups: tuple[list[tuple[Control, Pair]], ...] = ([], [], [], [])
    for control, pair in sorted(evidence.controls.items(), key=lambda item: item[1].gain.mean):
        change = pair.change_from(evidence.base)
        if pair.gain.low <= 1:
            groups[0].append((control, pair))
        elif change.high < 0:
            groups[1].append((control, pair))
        elif change.low > 0:
            groups[2].append((control, pair))
        else:
            groups[3].append((control, pair))
    return groups


def _listed(group: Sequence[tuple[Control, Pair]]) -> str:
    words = [f"{control.meaning} ({percent(pair.gain.mean - 1)})" for control, pair in group]
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + ", or " + words[-1]


def page(
    evidence: Evidence, claims: Sequence[Claim], illustrations: Sequence[Illustration], version: str, count: RunCount
) -> Page:
    """The report."""
    figure = {each.name.split("-")[0]: each for each in illustrations}
    drawn = [figure[name] for name in ("fig1", "fig2", "fig3") if name in figure]
    return Page(
        title=PAPER.title,
        lead=QUESTION,
        sections=[
            Section(
                "Table I",
                (GIVEN, OPEN),
                (tables.table_one(evidence), tables.quantiles(evidence), *_named(figure, "fig4", "fig5", "fig6")),
            ),
            Section("Controls: one assumption changed at a time", (), _gain_parts(evidence, figure["controls"])),
            *_cell_sections(evidence, figure),
            Section("Gaps and spurious timeouts", _search_text(evidence), (cell_tables.example(evidence), *drawn)),
            Section("Approximations and parameters", (APPROXIMATED,), _metric_parts(evidence)),
        ],
        claims=claims,
        facts=_facts(evidence, version),
        headlines=findings(evidence, claims),
        paper=PAPER,
        best=figure[BEST],
        depends=dependence(evidence),
        methods=methods(version, evidence.seeds, count, INTERVALS, judged=True, again=_again(evidence.seeds)),
        bibtex=bibtex(version),
    )


def bibtex(version: str) -> str:
    """The paper and airlink, to paste."""
    return f"{PAPER.bibtex()}\n\n{airlink_bibtex(version)}"


def _again(seeds: Sequence[int], figure: str = "") -> str:
    """The command that makes the report again."""
    asked = f" --figure {figure}" if figure else ""
    quick = " --quick" if len(seeds) < DROPS else ""
    return f"airlink reproduce tcp-pf{asked} --seed {base_seed(seeds[0])}{quick}"


def _cell_sections(evidence: Evidence, figure: dict[str, Illustration]) -> list[Section]:
    if not evidence.cells:
        return []
    parts = (cell_tables.tcp_rules(evidence), cell_tables.cell_rules(evidence), figure["tcp"])
    return [Section("TCP, queues, users, speed and the metric's terms", cell_tables.tcp_sentences(evidence), parts)]


def figure_page(
    figure: str,
    illustrations: Sequence[Illustration],
    sentences: Sequence[str],
    seeds: Sequence[int],
    runner: Runner,
) -> Page:
    """The page of one figure alone."""
    again = _again(seeds, figure)
    facts = [
        ("paper", PAPER.line),
        ("engine", f"airlink {runner.version}"),
        ("realizations", f"seeds {seeds[0]} to {seeds[-1]}"),
        ("again", again),
    ]
    name = f"Figure {figure}" if figure.isdigit() else figure.capitalize()
    return Page(
        title=PAPER.title,
        lead=QUESTION,
        sections=[Section(name, sentences if not illustrations else (), illustrations)],
        facts=facts,
        paper=PAPER,
        methods=methods(runner.version, seeds, runner.count, INTERVALS, judged=False, again=again),
        bibtex=bibtex(runner.version),
    )


APPROXIMATED = (
    "Two controls no base station could run: eqs (5)-(7) with the queue, batch and service terms kept, and eq. (3) "
    "with the true TCP throughput of every user."
)


def _named(figure: dict[str, Illustration], *names: str) -> list[Illustration]:
    return [figure[name] for name in names]


def _gain_parts(evidence: Evidence, controls: Illustration) -> list[Sheet | Illustration]:
    parts: list[Sheet | Illustration] = [tables.controls(evidence), tables.mechanism(evidence)]
    if len(evidence.repeats) > 1:
        parts.append(tables.repeats(evidence))
    return [*parts, controls]


def _metric_parts(evidence: Evidence) -> list[Sheet | Illustration]:
    parts: list[Sheet | Illustration] = [tables.approximations(evidence)]
    if evidence.sweeps:
        parts += [tables.sensitivity(evidence), tables.tcp_max(evidence)]
    return parts


def _search_text(evidence: Evidence) -> tuple[str, ...]:
    found, pf, tcp_pf = evidence.search, evidence.search.pf, evidence.search.tcp_pf
    text = (
        f"In the lossless variant (starts over 8 s, errors repaired by the link, both terms of the metric in seconds), "
        f"{len(found.cases)} of {found.users} users have only spurious timeouts under PF and no timeout under TCP-PF "
        f"in the same realization with the same seed. A realization sees "
        f"{pf.spurious_timeouts.sum(axis=1).mean():.2f} spurious "
        f"timeouts under PF and {tcp_pf.spurious_timeouts.sum(axis=1).mean():.2f} under TCP-PF."
    )
    if all(each.nearest is None for each in evidence.examples.values()):
        return (text, "There is no case to draw: Figs 2 and 3 are missing.")
    return (
        text,
        "Drawn: of all cells the case most like the paper's example, by the packets outstanding at a timeout (95) and "
        "the silence around it (2 s), with at least 10 s to follow.",
    )


def _facts(evidence: Evidence, version: str) -> list[tuple[str, str]]:
    return [
        ("paper", PAPER.line),
        ("engine", f"airlink {version}"),
        ("scenario", "k3 (airlink init x.toml --from k3): every field with its source"),
        (
            "realizations",
            f"seeds {evidence.seeds[0]} to {evidence.seeds[-1]}, the same for all: {', '.join(SCHEDULERS.values())}",
        ),
        ("intervals", INTERVALS),
        ("again", _again(evidence.seeds)),
    ]
