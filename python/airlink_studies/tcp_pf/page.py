"""The report of [Klein04] in words: sentences computed from the data, and the page they stand on."""

from __future__ import annotations

from collections.abc import Sequence

from airlink.report import Claim, Illustration, Page, Section, Sheet, percent
from airlink_studies.tcp_pf import cell_tables, tables
from airlink_studies.tcp_pf.cells import EXACT
from airlink_studies.tcp_pf.controls import AWARE_ARQ, NO_LOSS, Control
from airlink_studies.tcp_pf.evidence import Evidence, Pair
from airlink_studies.tcp_pf.measures import Floats, Outcome
from airlink_studies.tcp_pf.setting import PF, SCHEDULERS, TABLE_I, TCP_PF, base_seed

PAPER = "Klein, Leung, Zheng: Enhanced Scheduling Algorithms for Improved TCP Performance in Wireless IP Networks"
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
    "Not in the paper, set by profile K3: path loss, the SNR at the edge and its ceiling, the thresholds of the "
    "rates, 0.2 % frame loss left to TCP (fitted), starts within 5 s, that a user with nothing to send can win a slot, "
    "that A counts the bits sent, ties, initial averages, headers on air, the initial RTO of 3 s, and the unit of the "
    "vacation term (slots beside seconds, the letter of eqs 16-19). The controls below change these one at a time."
)


def sentences(evidence: Evidence) -> list[str]:
    """What the tables say besides the findings, in words, computed from the data."""
    return [*cell_tables.tcp_sentences(evidence), *dependence(evidence), mechanism(evidence)]


def headlines(evidence: Evidence) -> list[str]:
    """The three findings: the gain beside the paper's, where it comes from, and the paper's mechanism alone."""
    gain, paper = evidence.base.gain, TABLE_I[TCP_PF].system_kBps / TABLE_I[PF].system_kBps
    first = (
        "Under profile K3, whose settings fit the paper, TCP-PF carries "
        f"{percent(gain.mean - 1)} over PF (95 % interval {percent(gain.low - 1)} to "
        f"{percent(gain.high - 1)}); the paper prints {percent(paper - 1)}."
    )
    return [first, *in_short(evidence)]


def mechanism(evidence: Evidence) -> str:
    """Where TCP-PF's gain comes from, from slots and timeouts."""
    pf, tcp_pf = evidence.base.pf, evidence.base.tcp_pf
    return (
        f"Under K3 PF gives {100 * pf.wasted_share.mean():.1f} % of its slots to users who then send nothing, TCP-PF "
        f"{100 * tcp_pf.wasted_share.mean():.1f} %; a realization sees {_per_drop(pf.timeouts)} timeouts under PF "
        f"({_per_drop(pf.spurious_timeouts)} of them spurious) and {_per_drop(tcp_pf.timeouts)} under TCP-PF "
        f"({_per_drop(tcp_pf.spurious_timeouts)} spurious); the granted rate is {pf.granted_kBps.mean():.0f} kB/s "
        f"under PF and {tcp_pf.granted_kBps.mean():.0f} kB/s under TCP-PF."
    )


def in_short(evidence: Evidence) -> list[str]:
    """Frame losses and spurious timeouts: which of them the gain comes from. Nothing where a control was not run."""
    found = []
    lossless, clean = evidence.control(NO_LOSS), evidence.control(AWARE_ARQ)
    if lossless is not None:
        pf, tcp_pf = _cost(lossless.pf, evidence.base.pf), _cost(lossless.tcp_pf, evidence.base.tcp_pf)
        all_of_it = "the gain of K3 is" if lossless.gain.low <= 1 else "part of the gain of K3 is"
        found.append(
            f"Frame losses left to TCP cost PF {pf:.1f} % of its throughput and TCP-PF {tcp_pf:.1f} %; "
            f"without them TCP-PF carries {percent(lossless.gain.mean - 1)} over PF. So {all_of_it} what TCP-PF saves "
            "of that cost, by not giving slots to connections that a loss has stalled."
        )
    if clean is not None:
        found.append(
            f"The paper's own mechanism is seen alone where the link repairs errors and only users with data compete: "
            f"a realization has {_per_drop(clean.pf.spurious_timeouts)} spurious timeouts under PF and "
            f"{_per_drop(clean.tcp_pf.spurious_timeouts)} under TCP-PF, which carries {percent(clean.gain.mean - 1)} "
            f"(95 % interval {percent(clean.gain.low - 1)} to {percent(clean.gain.high - 1)}){_exactly(evidence)}."
        )
    return found


def _exactly(evidence: Evidence) -> str:
    """The same with the control of the timer, where it was run."""
    if not evidence.cells:
        return ""
    exact = evidence.cells[AWARE_ARQ][EXACT].gain
    return f", and {percent(exact.mean - 1)} were the timer exact"


def _cost(without: Outcome, with_losses: Outcome) -> float:
    return 100 * float(1 - with_losses.system_kBps.mean() / without.system_kBps.mean())


def _per_drop(counts: Floats) -> str:
    return f"{counts.sum(axis=1).mean():.1f}"


def dependence(evidence: Evidence) -> list[str]:
    """The plain sentences: what the gain of TCP-PF over PF depends on."""
    gone, less, more, same = _sorted_controls(evidence)
    base = percent(evidence.base.gain.mean - 1)
    parts = []
    if gone:
        parts.append(f"What the gain depends on: the {base} of K3 is gone when {_listed(gone)}.")
    if less:
        parts.append(f"It is smaller when {_listed(less)}.")
    if more:
        parts.append(f"It is larger when {_listed(more)}.")
    if same:
        parts.append(f"It does not change measurably when {_listed(same)}.")
    return parts


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


def page(evidence: Evidence, claims: Sequence[Claim], illustrations: Sequence[Illustration], version: str) -> Page:
    """The report."""
    figure = {each.name.split("-")[0]: each for each in illustrations}
    drawn = [figure[name] for name in ("fig1", "fig2", "fig3") if name in figure]
    return Page(
        title="[Klein04], reproduced: TCP-PF",
        lead=QUESTION,
        sections=[
            Section(
                "Table I",
                (GIVEN, OPEN),
                (tables.table_one(evidence), tables.quantiles(evidence), *_named(figure, "fig4", "fig5", "fig6")),
            ),
            Section("What the gain depends on", dependence(evidence), _gain_parts(evidence, figure["controls"])),
            *_cell_sections(evidence, figure),
            Section("Gaps and spurious timeouts", _search_text(evidence), (cell_tables.example(evidence), *drawn)),
            Section("Approximations and parameters", (APPROXIMATED,), _metric_parts(evidence)),
        ],
        claims=claims,
        facts=_facts(evidence, version),
        headlines=headlines(evidence),
    )


def _cell_sections(evidence: Evidence, figure: dict[str, Illustration]) -> list[Section]:
    if not evidence.cells:
        return []
    parts = (cell_tables.tcp_rules(evidence), cell_tables.cell_rules(evidence), figure["tcp"])
    return [Section("TCP, queues, users, speed and the metric's terms", cell_tables.tcp_sentences(evidence), parts)]


def figure_page(
    figure: str, illustrations: Sequence[Illustration], sentences: Sequence[str], seeds: Sequence[int], version: str
) -> Page:
    """The page of one figure alone."""
    base = base_seed(seeds[0])
    facts = [
        ("paper", PAPER),
        ("engine", f"airlink {version}"),
        ("realizations", f"seeds {seeds[0]} to {seeds[-1]}"),
        ("again", f"airlink reproduce tcp-pf --figure {figure} --seed {base}"),
    ]
    name = f"Figure {figure}" if figure.isdigit() else figure.capitalize()
    return Page(f"TCP-PF: {name}", " ".join(sentences), [Section(name, (), illustrations)], facts=facts)


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
        ("paper", PAPER),
        ("engine", f"airlink {version}"),
        ("profile", "K3: airlink.scenario.ready('k3'), every field in the file"),
        (
            "realizations",
            f"seeds {evidence.seeds[0]} to {evidence.seeds[-1]}, the same for all: {', '.join(SCHEDULERS.values())}",
        ),
        ("intervals", "95 %: Student-t over realizations, Fieller for ratios, realizations resampled for quantiles"),
        ("again", f"airlink reproduce tcp-pf --seed {base_seed(evidence.seeds[0])}"),
    ]
